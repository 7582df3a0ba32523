"""What people write down, and what is to be seen of it, where no other check reads a statement.

All of its words have to stand in one section that was tried and keeps what is entered; a name alone keeps nothing.
"""

import re
from collections.abc import Mapping
from typing import Any

from loopwright.agents.pages.account.pages import Result
from loopwright.agents.pages.account.vocabulary import (
    BEYOND,
    CAN,
    CONDITION,
    EVENT,
    PAGE,
    UNTIL_NOW,
    WITHOUT,
    stands,
    words_of,
)
from loopwright.kernel.account import Claim, NotMeasurable, Statement
from loopwright.kernel.account.reading import hard_tokens

_WRITTEN = re.compile(
    r"(?<![\w-])(?:keeps?|records?|notes?|logs?|write down|writes?|enters?|tracks?|stores?|lists?|says?|get|"
    r"how many|how much|what|who|which|whose|each|every|either|has|have|had|was|were|been|did|do|they|their|he|she|"
    r"notieren|eintragen|trägt ein|erfassen|führen|was|wer|welche[nrs]?|wie ?viele?|jede[nrs]?|entweder|hat|wurde[n]?|"
    r"noter|notent|noté|saisir|saisissent|chaque|combien de|quels?|quelles?|soit|a|"
    r"anotar|anotan|registrar|registran|cada|cuánt[oa]s|qué|quién)(?![\w-])|记录|登记|填写|每[个位次]?|多少|什么|谁",
    re.I,
)
"""Words that only say that something is written down or asked, and for each of what."""
_CLAUSE = re.compile(r"(?<=\w) (?:they|we|you|he|she|i|it) (?!is\b|are\b)[\w ]+$", re.I)
"""Who did something with things, behind them: "the bags they filled"."""
MOST_WORDS = 6
FARTHEST = 2_500
"""Characters of a section in which words that stand apart still belong together."""


def kept_claim(statement: Statement) -> Claim | None:
    """The claim that what people write down can be written down, and is shown then; None where more is asked."""
    text = statement.text
    tokens = hard_tokens(text)
    apart = any(pattern.search(text) for pattern in (EVENT, BEYOND, WITHOUT, PAGE)) or UNTIL_NOW.match(text)
    if statement.kind == "context" or apart or CONDITION.match(text) or any(token.kind != "all" for token in tokens):
        return None
    words = words_of(_WRITTEN.sub(" ", CAN.sub(" ", _CLAUSE.sub("", text))))
    if not 0 < len(words) <= MOST_WORDS or not _WRITTEN.search(text):
        return None
    said: Mapping[str, Any] = {"words": words, **({"each": [token.text for token in tokens]} if tokens else {})}
    return Claim(check="kept_here", arguments=dict(said))


def kept_here(result: Result, words: list[str]) -> tuple[bool, str]:
    """One section has all the words, and a form or a list in it was tried and works."""
    if not result.rendered:
        raise NotMeasurable("without a browser no form is tried")
    for page in result.pages.values():
        for number, section in enumerate(page.sections):
            works = any(form.part == number and form.answers for form in page.forms)
            works = works or any(each.part == number and each.answers for each in page.controls)
            fields = [field for each in page.controls if each.part == number for field in (each.name, *each.fields)]
            text = " ".join([section.title, section.text, *fields])
            if works and len(text) <= FARTHEST and all(stands(word, text) for word in words):
                return True, f"{page.slug}: “{section.title[:60]}” was tried, and keeps it"
    return False, f"no section that keeps what is entered has “{' '.join(words)}”"
