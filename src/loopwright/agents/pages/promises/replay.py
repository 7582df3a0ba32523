"""Replaying promises: every check of every promise against the app as it is, or as it would become."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError
from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.page import Link, collect_links
from loopwright.agents.pages.parsing.fences import fences
from loopwright.agents.pages.promises.app_pages import AppPages, certainly_hidden, find, normalised, seen_text
from loopwright.agents.pages.promises.checks import (
    BehaviourCheck,
    Check,
    ElementCheck,
    LinkCheck,
    StyleCheck,
    TextCheck,
)
from loopwright.agents.pages.promises.promise import Promise, PromiseVerdict, Verdict
from loopwright.agents.pages.promises.scripts import new_statements
from loopwright.agents.pages.promises.wording import (
    BehaviourRunner,
    expectation_of,
    look_at_behaviour,
    look_at_style,
    plural,
    with_footprint,
)

# Looking at elements, words and links: what a page's markup alone can tell.

EXCERPT = 60
"""Characters of what was found that a verdict quotes."""


def look_at_element(check: ElementCheck, app: AppPages) -> Verdict:
    """Count the elements that the check means."""
    matching = find(app.document(check.slug), check.selector)
    meant = [node for node in matching if _has_attribute(node, check) and _has_text(node, check)]
    shown = meant
    if check.visible and meant:
        page = app.page(check.slug)
        shown = [node for node in find(page.document, check.selector) if _has_attribute(node, check)]
        shown = [node for node in shown if _has_text(node, check) and not certainly_hidden(page, node)]
    count = len(shown)
    kept = check.min_count <= count and (check.max_count is None or count <= check.max_count)
    return Verdict(
        check, "kept" if kept else "broken", expectation_of(check), _found(check, matching, len(meant), count)
    )


def _has_attribute(node: LexborNode, check: ElementCheck) -> bool:
    if check.attribute is None:
        return True
    attributes = node.attributes
    name = check.attribute.lower()
    if name not in attributes:
        return False
    return check.value is None or " ".join((attributes[name] or "").split()) == " ".join(check.value.split())


def _has_text(node: LexborNode, check: ElementCheck) -> bool:
    return check.text is None or normalised(check.text) in normalised(seen_text(node))


def _found(check: ElementCheck, matching: list[LexborNode], meant: int, shown: int) -> str:
    """What is there, from the most particular thing that can be said."""
    if not matching:
        return f"no {check.selector}"
    if meant == 0 and check.text is not None:
        texts = [text[:EXCERPT] for node in matching[:3] if (text := seen_text(node))]
        return f"{plural(len(matching), check.selector)} with other words: {'; '.join(texts) or 'none'}"
    if meant == 0 and check.attribute is not None:
        values = [node.attributes.get(check.attribute.lower()) for node in matching[:3]]
        return f"{plural(len(matching), check.selector)}, {check.attribute} = {', '.join(map(repr, values))[:EXCERPT]}"
    if shown < meant:
        return f"{plural(meant, check.selector)}, {meant - shown} of them hidden"
    return plural(shown, check.selector)


def look_at_text(check: TextCheck, app: AppPages) -> Verdict:
    """Look for the words among those that the page shows, its title included."""
    document = app.document(check.slug)
    title = document.css_first("title")
    words = " ".join(
        [seen_text(document.body) if document.body is not None else "", title.text() if title is not None else ""]
    )
    there = normalised(check.text) in normalised(words)
    found = "the words are there" if there else "the words are nowhere on the page"
    return Verdict(check, "kept" if there is check.present else "broken", expectation_of(check), found)


def look_at_link(check: LinkCheck, app: AppPages) -> Verdict:
    """Look for a link to the other page, which has to exist or be planned."""
    source = app.sources[check.slug]
    links = [link for link in collect_links(source) if link.kind == "page" and link.slug == check.target]
    expected = expectation_of(check)
    if check.target not in app.known:
        return Verdict(check, "broken", expected, f"there is no page {check.target}")
    if not links:
        others = sorted({link.slug for link in collect_links(source) if link.kind == "page" and link.slug})
        return Verdict(check, "broken", expected, f"links to {', '.join(others[:12]) or 'no page'}")
    if check.label is not None and not (named := _labels(check, app, links)):
        return Verdict(check, "broken", expected, "links to it that are called otherwise")
    if check.label is not None:
        return Verdict(check, "kept", expected, f"a link called {named[0][:EXCERPT]!r}")
    return Verdict(check, "kept", expected, plural(len(links), "link"))


def _labels(check: LinkCheck, app: AppPages, links: list[Link]) -> list[str]:
    """The names of those links to the target that contain the label."""
    addresses = {link.href for link in links}
    wanted = normalised(check.label or "")
    names = []
    for node in find(app.document(check.slug), "a[href], area[href]"):
        if (node.attributes.get("href") or "").strip(" \t\n\f\r") in addresses:
            name = " ".join([seen_text(node), node.attributes.get("aria-label") or ""]).strip()
            names += [name] if wanted in normalised(name) else []
    return names


@dataclass(frozen=True)
class PromisesReport:
    """What replaying the promises came to."""

    promises: tuple[PromiseVerdict, ...]

    @property
    def broken(self) -> tuple[PromiseVerdict, ...]:
        """Those with a check that does not hold."""
        return tuple(each for each in self.promises if each.state == "broken")

    @property
    def static(self) -> int:
        """Behaviours that only the source was asked about, because no browser was there."""
        return sum(each.static_behaviours for each in self.promises)

    def summary(self) -> dict[str, Any]:
        """Counts, and the broken ones in full: what a run's result says."""
        return {
            "kept": sum(1 for each in self.promises if each.state == "kept"),
            "unclear": sum(1 for each in self.promises if each.state == "unclear"),
            "broken": [each.to_wire() for each in self.broken],
            "static": self.static,
        }


async def check_promises(
    promises: Sequence[Promise], app: AppPages, runner: BehaviourRunner | None = None
) -> PromisesReport:
    """Run every check that counts; those that were given up are left out.

    The source is read in a thread, since the styles of a large page take a tenth of a second.

    Args:
        promises: of the session.
        app: all its pages as they are, or as they would become.
        runner: acts behaviours out; without one only their footprint in the source is looked at, and the verdicts say
            `static`.
    """
    active = [promise for promise in promises if promise.checks]
    verdicts = await asyncio.to_thread(lambda: [[look_at(check, app) for check in each.checks] for each in active])
    if runner is not None:
        await _act_out(runner, app, verdicts)
    pairs = zip(active, verdicts, strict=True)
    return PromisesReport(tuple(PromiseVerdict(promise, tuple(found)) for promise, found in pairs))


def look_at(check: Check, app: AppPages) -> Verdict:
    """One check, by the source alone; total on any page."""
    if app.source(check.slug) is None:
        return Verdict(check, "broken", expectation_of(check), f"there is no page {check.slug}")
    match check:
        case ElementCheck():
            return look_at_element(check, app)
        case TextCheck():
            return look_at_text(check, app)
        case LinkCheck():
            return look_at_link(check, app)
        case StyleCheck():
            return look_at_style(check, app)
        case BehaviourCheck():
            return look_at_behaviour(check, app)


async def _act_out(runner: BehaviourRunner, app: AppPages, verdicts: list[list[Verdict]]) -> None:
    """Replace the static verdicts of behaviours that say what to expect by what a browser shows."""
    places = [
        (row, column, verdict.check)
        for row, found in enumerate(verdicts)
        for column, verdict in enumerate(found)
        if isinstance(verdict.check, BehaviourCheck) and verdict.check.expectations and app.source(verdict.check.slug)
    ]
    if not places:
        return
    seen = await runner.act_out(app, [check for _, _, check in places])
    for (row, column, _), verdict in zip(places, seen, strict=True):
        if verdict is not None:
            verdicts[row][column] = verdict


# Checks that the model proposes in a `promises` block: taken when they hold, told back when they do not.

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


# Which promises a change breaks, and which were broken before it.


async def newly_broken(
    promises: Sequence[Promise], before: AppPages, after: AppPages, runner: BehaviourRunner | None
) -> tuple[list[PromiseVerdict], list[PromiseVerdict]]:
    """The promises that a change breaks, with the checks that held before it; and those that were broken already.

    What people broke by hand is not held against a later change, but only those very checks are excused.
    """
    broken = list((await check_promises(promises, after, runner)).broken)
    if runner is not None:
        known = {each.promise.number for each in broken}
        others = [promise for promise in promises if promise.number not in known]
        broken += await removed_by_scripts(others, before, after, runner)
    if not broken:
        return [], []
    earlier = await check_promises([each.promise for each in broken], before, runner)
    excused = {each.promise.number: {verdict.check for verdict in each.broken} for each in earlier.promises}
    newly: list[PromiseVerdict] = []
    already: list[PromiseVerdict] = []
    for each in broken:
        fresh = tuple(verdict for verdict in each.broken if verdict.check not in excused[each.promise.number])
        if fresh:
            newly.append(PromiseVerdict(each.promise, fresh))
        else:
            already.append(each)
    return newly, already


async def removed_by_scripts(
    promises: Sequence[Promise], before: AppPages, after: AppPages, runner: BehaviourRunner
) -> list[PromiseVerdict]:
    """The promises whose elements stand in the source, but are taken off the page by scripts that a change has brought.

    Only pages with new script statements are opened; what their scripts removed before is not held against the change.
    """
    found: list[PromiseVerdict] = []
    for slug, html in after.sources.items():
        if html == before.source(slug) or not new_statements(before.source(slug), html):
            continue
        watched = [
            (promise, check)
            for promise in promises
            for check in promise.checks
            if isinstance(check, ElementCheck) and check.slug == slug and check.min_count > 0
        ]
        checks = [check for _, check in watched]
        gone = await runner.unseen(after, slug, checks) if checks else set()
        if gone and before.source(slug) is not None:
            gone -= await runner.unseen(before, slug, checks)
        for place in sorted(gone):
            promise, check = watched[place]
            if look_at(check, after).state == "kept":
                told = "it in the source, but not once the page's scripts have run"
                found.append(
                    PromiseVerdict(promise, (Verdict(check, "broken", expectation_of(check), told, "browser"),))
                )
    return found
