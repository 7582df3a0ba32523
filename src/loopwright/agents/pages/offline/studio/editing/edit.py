"""The edit itself: a wish is cut into its parts, and the first rule that understands a part carries it out."""

import re
from collections.abc import Callable

from loopwright.agents.pages.offline.studio import resources
from loopwright.agents.pages.offline.studio.contracts import EditOutcome
from loopwright.agents.pages.offline.studio.editing.chinese import to_english
from loopwright.agents.pages.offline.studio.editing.colours import recolour
from loopwright.agents.pages.offline.studio.editing.sections import add_link, restructure
from loopwright.agents.pages.offline.studio.editing.sizes import resize
from loopwright.agents.pages.offline.studio.editing.texts import reword
from loopwright.agents.pages.offline.studio.editing.wish import Change

Rule = Callable[[str, str], Change | None]

RULES: tuple[Rule, ...] = (reword, add_link, recolour, resize, restructure)

MAX_WISHES = 8

_NEXT = re.compile(
    r"(?:[.;\n。；]+\s*|,?\s+(?:and|then|also)\s+(?=(?:make|change|set|turn|add|remove|hide|rename|replace|use|put|give)\b"
    r"|the\s+[a-z ]{3,20}\s(?:[a-z]+er|#[0-9a-f]{3,6}|[a-z]+)\s*$))",
    re.IGNORECASE,
)


def edit_page(html: str, instructions: str) -> EditOutcome:
    """Change the page as the instructions say, as far as rules understand them; every other byte stays.

    Args:
        html: the whole page.
        instructions: one or more wishes in English, or the commonest ones in Chinese.
    """
    page = html
    done: list[str] = []
    refused: list[str] = []
    for said in _wishes(instructions):
        wish = to_english(said) or said
        change = next((change for rule in RULES if (change := rule(page, wish)) is not None), None)
        if change is None:
            continue
        (refused if change.html == page else done).append(change.told)
        page = change.html
    if done:
        summary = "Changed: " + "; ".join([*done, *(f"not done: {why}" for why in refused)]) + "."
    elif refused:
        summary = "Nothing was changed: " + "; ".join(refused) + "."
    else:
        summary = resources.read_text("abilities.txt").strip()
    return EditOutcome(page, summary, page != html, bool(done or refused), tuple(done))


def _wishes(instructions: str) -> list[str]:
    if re.search(r"[\"“”]", instructions):  # a quotation may hold anything: it is not cut
        pieces = re.split(r"\n+", instructions)
    else:
        pieces = _NEXT.split(re.sub(r"(?<=\w)\.(?=\w)", "․", instructions))
    return [piece.replace("․", ".").strip() for piece in pieces if piece and piece.strip()][:MAX_WISHES]
