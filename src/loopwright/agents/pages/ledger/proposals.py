"""Checks that the model proposes in a `promises` block: taken when they hold, told back when they do not."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from loopwright.agents.pages.ledger.app_pages import AppPages, find
from loopwright.agents.pages.ledger.behaviours import with_footprint
from loopwright.agents.pages.ledger.checks import BehaviourCheck, Check, ElementCheck, LinkCheck, StyleCheck, TextCheck
from loopwright.agents.pages.ledger.replay import look_at
from loopwright.agents.pages.ledger.scripts import new_statements
from loopwright.agents.pages.ledger.wording import expectation_of
from loopwright.agents.pages.parsing.fences import fences

TAG = "promises"
MAX_PROPOSED = 8
"""Checks that are taken from one answer; a promise for every element would only be in the way."""

_CHECK: TypeAdapter[Check] = TypeAdapter(Check)


@dataclass(frozen=True)
class Proposals:
    """What a block says: `items` as they were written, `complaints` about what could not be read."""

    items: tuple[Any, ...] = ()
    complaints: tuple[str, ...] = ()


NO_PROPOSALS = Proposals()


@dataclass(frozen=True)
class Judged:
    """Proposals after they were tried on the page: those taken, and why the others were not."""

    taken: tuple[Check, ...]
    refused: tuple[str, ...]


def split_promises(answer: str) -> tuple[str, Proposals]:
    """The answer without its `promises` blocks, and what they say; total on any text."""
    rest: list[str] = []
    items: list[Any] = []
    complaints: list[str] = []
    position = 0
    for fence in fences(answer):
        if fence.tag != TAG:
            continue
        rest.append(answer[position : fence.start])
        position = fence.end
        try:
            data = json.loads(fence.content, strict=False)
        except (ValueError, RecursionError) as error:
            complaints.append(f"the promises block is not valid JSON ({str(error)[:120]})")
            continue
        data = data.get("promises") if isinstance(data, dict) else data
        if isinstance(data, list):
            items += data
        else:
            complaints.append("the promises block is no list of checks")
    return "".join([*rest, answer[position:]]), Proposals(tuple(items), tuple(complaints))


def judge(proposals: Proposals, slug: str, before: AppPages | None, after: AppPages) -> Judged:
    """Try the proposals on the page.

    One is taken when it holds on the new page and, for an edit, did not hold before or speaks of something that the
    edit changed. What it says of other pages, or by a place instead of a name, is refused.

    Args:
        proposals: as the model wrote them.
        slug: the page that was written.
        before: the app before an edit; None when the page is new.
        after: the app with the page.
    """
    taken: list[Check] = []
    refused = list(proposals.complaints)
    for number, item in enumerate(proposals.items, 1):
        check = _read(item, slug)
        if isinstance(check, str):
            refused.append(f"check {number}: {check}")
            continue
        reason = _objection(check, slug, before, after)
        if reason is None and len(taken) == MAX_PROPOSED:
            reason = f"{MAX_PROPOSED} checks of one answer are enough"
        if reason is not None:
            refused.append(f"check {number} ({expectation_of(check)}): {reason}")
        elif check not in taken:
            taken.append(with_footprint(check, after) if isinstance(check, BehaviourCheck) else check)
    return Judged(tuple(taken), tuple(refused))


def _read(item: Any, slug: str) -> Check | str:
    if not isinstance(item, dict):
        return "it is no JSON object"
    try:
        return _CHECK.validate_python(
            {"slug": slug, **item, "statements": ()} if _is_behaviour(item) else {"slug": slug, **item}
        )
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place or 'it'}: {first['msg']}"[:300]


def _is_behaviour(item: dict[str, Any]) -> bool:
    return item.get("kind") == "behaviour"


def _objection(check: Check, slug: str, before: AppPages | None, after: AppPages) -> str | None:
    """Why a check is not taken, or None."""
    if check.slug != slug:
        return f"it is about page {check.slug}, not about {slug}"
    if any(":nth-" in selector for selector in _selectors(check)):
        return "it names a place (:nth-…) that moves with every edit; name an id, a data attribute or an aria-label"
    now = look_at(check, after)
    if now.state != "kept":
        return f"it does not hold on the page: {now.found}"
    if isinstance(check, BehaviourCheck) and not with_footprint(check, after).statements:
        return "no script of the page mentions what it speaks of"
    if before is None or look_at(check, before).state == "broken" or _about_the_change(check, before, after):
        return None
    return "it held before this edit, which changed nothing of it"


def _selectors(check: Check) -> Sequence[str]:
    match check:
        case ElementCheck() | StyleCheck():
            return (check.selector,)
        case BehaviourCheck():
            named = [step.selector for step in check.steps] + [each.selector for each in check.expectations]
            return tuple(selector for selector in named if selector)
        case TextCheck() | LinkCheck():
            return ()


def _about_the_change(check: Check, before: AppPages, after: AppPages) -> bool:
    """Whether the edit changed an element that the check speaks of, or the script behind its behaviour."""
    if isinstance(check, BehaviourCheck):
        fresh = {each.digest for each in new_statements(before.sources[check.slug], after.sources[check.slug])}
        if any(each.digest in fresh for each in with_footprint(check, after).statements):
            return True
    return any(_markup(before, check.slug, each) != _markup(after, check.slug, each) for each in _selectors(check))


def _markup(app: AppPages, slug: str, selector: str) -> list[str | None]:
    return [node.html for node in find(app.document(slug), selector)]
