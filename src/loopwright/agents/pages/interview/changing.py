"""Answers that the user changes later: what differs, and how the agent is told of it."""

import re
from collections.abc import Sequence

from loopwright.agents.pages.interview.decisions import Answers
from loopwright.agents.pages.interview.difference import PlanDifference, compare_plans
from loopwright.agents.pages.interview.plan import make_plan

OPENING = "I change my answers:"
"""How a message that changes answers begins; what follows it is one line per answer, then what that changes."""

FOLLOWS = "What this changes:"
ARROW = " → "

_LINE = re.compile(r"^- (?P<question>[^\n]{1,1000}?) → (?P<answer>[^\n]{1,2000})$", re.MULTILINE)


def difference(brief: str, before: Answers, changes: Answers) -> PlanDifference:
    """What of the plan differs once the changed answers stand."""
    return compare_plans(make_plan(brief, before), make_plan(brief, {**before, **changes}))


def message_of(brief: str, before: Answers, changes: Answers) -> str:
    """The message that tells the agent of changed answers and of nothing but what they change."""
    lines = [OPENING, *(f"- {question}{ARROW}{_shown(answer)}" for question, answer in changes.items()), "", FOLLOWS]
    return "\n".join([*lines, *consequences(difference(brief, before, changes))])


def consequences(differs: PlanDifference) -> Sequence[str]:
    """One line for each thing that is to be made anew, and the word that everything else stays."""
    lines = []
    if differs.product_type:
        lines.append(f"* the kind of app: it is to be a {differs.product_type} app; plan its pages anew")
    if differs.look:
        look = differs.look
        words = [look.mode or "", *look.brand_colors, *look.style_words]
        lines.append(
            f"* the look ({', '.join(word for word in words if word) or 'that of the subject'}): "
            "the design system is made anew, no page is"
        )
    if differs.renamed:
        lines.append(f"* the name: “{differs.renamed[0]}” becomes “{differs.renamed[1]}” where it stands; edits only")
    if differs.added and not differs.product_type:
        lines.append(f"* more pages: {', '.join(page.title for page in differs.added)}; make them and link them")
    if differs.removed and not differs.product_type:
        titles = ", ".join(page.title for page in differs.removed)
        lines.append(f"* pages that are no longer wanted: {titles}; say so at the end, and offer to delete them")
    if differs.features:
        lines.append(f"* more features: {', '.join(differs.features)}")
    if differs.audience is not None:
        lines.append(f"* the audience: {differs.audience}; only wording that does not suit it")
    return [*lines, "Everything else stays as it is." if lines else "Nothing of the app: only remember it."]


def read_changes(message: str) -> dict[str, str | list[str]]:
    """The changed answers in a message that `message_of` has made; empty for any other message."""
    if not message.startswith(OPENING):
        return {}
    listed = message.partition(FOLLOWS)[0]
    return {match["question"]: match["answer"] for match in _LINE.finditer(listed)}


def _shown(answer: str | list[str]) -> str:
    return " ".join((", ".join(answer) if isinstance(answer, list) else answer).split())
