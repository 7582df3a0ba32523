"""Keeping promises while pages are written: a change that breaks one is refused, one that is accepted gives its own."""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from loopwright.agents.pages.brief.sitemap import HOME
from loopwright.agents.pages.browser import ActionFailed, Browser, BrowserFailed, BrowserPage, project_files
from loopwright.agents.pages.compliance.page import collect_links
from loopwright.agents.pages.context.relevance import Project, load_page
from loopwright.agents.pages.events import PromiseBroken, PromisesRecorded, PromiseSuperseded
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.promises.app_pages import AppPages, certainly_hidden, find
from loopwright.agents.pages.promises.checks import BehaviourCheck, Check, ElementCheck, Expectation, LinkCheck, Turn
from loopwright.agents.pages.promises.derivation import Change, derive
from loopwright.agents.pages.promises.promise import (
    MAX_CHECKS,
    MAX_REQUEST,
    Promise,
    PromiseDraft,
    PromiseVerdict,
    promise_id,
)
from loopwright.agents.pages.promises.replay import NO_PROPOSALS, Proposals, judge, newly_broken
from loopwright.agents.pages.promises.succession import act, runner_for, succession, with_successors
from loopwright.agents.pages.promises.wording import (
    SUPERSEDED,
    as_text,
    describe,
    expectation_of,
    findings,
    plural,
    quoted,
    refusal,
    with_footprint,
)
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import ToolContext, ToolResult

# Promises of a page that was written whole: the features that the brief asks for, and the pages that it leads to.

MAX_FEATURES = 6
"""Features of the brief that one page promises."""

_CLAUSE = re.compile(r"[.;:!?,\n]|[，。；、！？]|\s+(?:and|with|plus|including)\s+|[和与及]", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:no|not|without|never|don'?t|except)\b|不要|没有|无需|不需要", re.IGNORECASE)


@dataclass(frozen=True)
class Feature:
    """A kind of feature: the words that ask for it, and the marks it has in pages."""

    name: str
    words: re.Pattern[str]
    selectors: tuple[str, ...]


@cache
def known_features() -> tuple[Feature, ...]:
    """The features that can be recognised."""
    rows = json.loads(files(__package__).joinpath("features.json").read_text(encoding="utf-8"))
    return tuple(Feature(row["feature"], _any_of(row["words"]), tuple(row["selectors"])) for row in rows)


def _any_of(words: Sequence[str]) -> re.Pattern[str]:
    """A pattern for any of the words; those in letters with word boundaries, Chinese ones without."""
    parts = [rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in words]
    return re.compile("|".join(parts), re.IGNORECASE)


def promises_of_page(slug: str, app: AppPages, requests: Sequence[str]) -> list[PromiseDraft]:
    """What a page that was written whole promises.

    Args:
        slug: the page.
        app: the app with it.
        requests: the user's own words, the newest first: this run's message, and the brief of the project.
    """
    drafts: list[PromiseDraft] = []
    named: set[str] = set()
    for request in requests:
        for feature, clause in _features_asked_for(request):
            if feature.name not in named and len(named) < MAX_FEATURES and (check := _evidence(feature, slug, app)):
                named.add(feature.name)
                drafts.append(PromiseDraft(request=clause[:MAX_REQUEST], author="controller", checks=(check,)))
    links = _links(slug, app)
    if links and requests:
        opening = requests[-1].strip().partition("\n")[0]
        drafts.append(PromiseDraft(request=opening[:MAX_REQUEST], author="controller", checks=links))
    return drafts


def _features_asked_for(request: str) -> Iterator[tuple[Feature, str]]:
    """The features that a request names, each with the clause that does; refused ones (“no login”) are left out."""
    for clause in _CLAUSE.split(request):
        text = " ".join(clause.split())
        if not text or _NEGATED.search(text):
            continue
        for feature in known_features():
            if feature.words.search(text):
                yield feature, text


def _evidence(feature: Feature, slug: str, app: AppPages) -> ElementCheck | None:
    """The check that the page has the feature, if it has: the marks of its kind, seen where one of them is seen."""
    document = app.document(slug)
    marks = [selector for selector in feature.selectors if find(document, f"body {selector}")]
    if not marks:
        return None
    page = app.page(slug)
    # The first marks of the list are the most particular ones; the general ones stand in for them in other pages only.
    selector = ", ".join(f"body {mark}" for mark in marks[:3])
    shown = any(not certainly_hidden(page, node) for node in page.find(selector))
    return ElementCheck(slug=slug, selector=selector, visible=shown)


def _links(slug: str, app: AppPages) -> tuple[Check, ...]:
    """The home page goes on to lead to every page that it leads to now: what was asked for can be reached."""
    if slug != HOME:
        return ()
    targets = dict.fromkeys(
        link.slug for link in collect_links(app.sources[slug]) if link.kind == "page" and link.slug in app.known
    )
    return tuple(LinkCheck(slug=slug, target=target) for target in targets if target and target != slug)[:MAX_CHECKS]


# Watching what a control does: the expectations of a behaviour that nobody has put into words.

_STATE = re.compile(r"[A-Za-z0-9_-]{1,20}")

MAX_OBSERVED = 4
"""Expectations of one control; the first ones, which are the most particular."""

SETTLE_SECONDS = 0.4
"""How long after the steps the page is looked at: animations have begun, toasts have not gone."""


async def observe(browser: Browser, check: BehaviourCheck, app: AppPages) -> BehaviourCheck:
    """The check with what its steps do, as far as it can be seen; as it was where nothing can."""
    runs = await asyncio.gather(*(_effects(browser, check, app) for _ in range(2)))
    first, second = runs
    if first is None or second is None:
        return check
    both = [expectation for expectation in first if expectation in second][:MAX_OBSERVED]
    return check.model_copy(update={"expectations": tuple(both)})


async def _effects(browser: Browser, check: BehaviourCheck, app: AppPages) -> list[Expectation] | None:
    """What is otherwise after the steps; None where they could not be done."""
    try:
        async with browser.page(project_files(app.sources, app.css), f"pages/{check.slug}.html") as page:
            before = await _snapshot(page)
            if await act(page, check.steps) is not None:
                return None
            await asyncio.sleep(SETTLE_SECONDS)
            return _differences(before, await _snapshot(page), app)
    except (ActionFailed, BrowserFailed):
        return None  # what cannot be seen is not promised; the footprint in the source still is


async def _snapshot(page: BrowserPage) -> dict[str, Any]:
    found: dict[str, Any] = await page.evaluate(_script())
    return found


def _differences(before: dict[str, Any], after: dict[str, Any], app: AppPages) -> list[Expectation]:
    """The differences as expectations: where the page went, what it stores, what is seen, what elements say."""
    found: list[Expectation] = []
    if after["path"] != before["path"]:
        link = f"{after['path'].rpartition('/')[2]}"
        target = next((each.slug for each in collect_links(f'<a href="{link}">') if each.slug in app.sources), None)
        return [Expectation(kind="navigation", value=target)] if target else []
    for key, value in after["storage"].items():
        if value and before["storage"].get(key) != value and 0 < len(key) <= 200:
            # A short word is a state; anything longer is data, whose form may change while the feature stays.
            found.append(Expectation(kind="storage", name=key, value=value if _STATE.fullmatch(value) else None))
    for selector, now in after["elements"].items():
        found += _of_element(selector, before["elements"].get(selector), now)
    gone = [
        selector for selector, was in before["elements"].items() if was["seen"] and selector not in after["elements"]
    ]
    return found + [Expectation(kind="disappears", selector=selector) for selector in gone]


def _of_element(selector: str, was: dict[str, Any] | None, now: dict[str, Any]) -> list[Expectation]:
    found: list[Expectation] = []
    if now["seen"] and not (was and was["seen"]):
        found.append(Expectation(kind="appears", selector=selector))
    elif was and was["seen"] and not now["seen"]:
        found.append(Expectation(kind="disappears", selector=selector))
    for name, value in now["states"].items():
        if was and was["states"].get(name) != value:
            found.append(Expectation(kind="attribute", selector=selector, name=name, value=value))
    if was and now["text"] and now["text"] != was["text"]:
        found.append(Expectation(kind="text", selector=selector, value=now["text"]))
    if was:
        added = [name for name in now["classes"] if name not in was["classes"]]
        found += [Expectation(kind="class", selector=selector, name=name) for name in added]
    return found


@cache
def _script() -> str:
    return files(__package__).joinpath("observing.js").read_text(encoding="utf-8").partition("\n")[2]


HINT = (
    "Make the change again so that these promises hold. Only the user can take a promise back: where their newest "
    "words ask for that, call withdraw_promise first; else keep it, or tell them which promise stands in the way."
)


@dataclass(frozen=True)
class Writing:
    """A page that is about to be saved: `instructions` are those of an edit, `proposals` the model's own checks."""

    slug: str
    html: str
    is_edit: bool
    instructions: str = ""
    proposals: Proposals = NO_PROPOSALS


@dataclass(frozen=True)
class Keeping:
    """What the record says to a page that is about to be saved: a refusal, or what the change promises itself."""

    refusal: ToolResult | None = None
    promises: tuple[Promise, ...] = ()
    notes: tuple[str, ...] = ()
    superseded: tuple[PromiseSuperseded, ...] = ()

    def lines(self) -> list[str]:
        """What the model is told of it."""
        promised = [f"{each.id} {quoted(each.request)} ({plural(len(each.checks), 'check')})" for each in self.promises]
        lines = [f"Promised from now on: {'; '.join(promised)}."] if promised else []
        if self.superseded:
            older = "; ".join(f"{each.promise_id} {quoted(each.request)} by {each.by}" for each in self.superseded)
            lines.append(f"{SUPERSEDED}{older}. Tell the user so.")
        return [*lines, *self.notes]

    def to_wire(self) -> dict[str, Any]:
        """What the tool's artifacts say of it."""
        recorded = [{"id": each.id, "request": each.request, "checks": len(each.checks)} for each in self.promises]
        superseded = [each.model_dump(mode="json") for each in self.superseded]
        return {"recorded": recorded, "superseded": superseded, "notes": list(self.notes)}


async def load_promises(services: PagesServices, session_id: str, *, withdrawn: bool = False) -> list[Promise]:
    """The session's promises, by number."""
    return [Promise.of(row) for row in await services.promises.of_session(session_id, withdrawn=withdrawn)]


async def load_app(services: PagesServices, session_id: str, project: Project) -> AppPages:
    """All pages of the project as they are now."""
    sources = {slug: await load_page(services, session_id, project.workspace, slug) for slug in project.slugs}
    present = {slug: html for slug, html in sources.items() if html is not None}
    return AppPages(present, project.css, tuple(entry.slug for entry in project.sitemap()))


async def promises_about(services: PagesServices, session_id: str, slug: str) -> list[str]:
    """The promises that a change of this page has to keep, one line each, for the one who writes it.

    Those of other pages are left out, so that the lines stay the same while other pages are written at the same time.
    """
    found = await load_promises(services, session_id)
    return as_text([each for each in found if slug in each.slugs])


def concerns(promise: Promise, slug: str) -> bool:
    """Whether a change of this page can break the promise."""
    return any(is_about(check, slug) for check in promise.checks)


def is_about(check: Check, slug: str) -> bool:
    """Whether the check looks at this page, or at a way to it."""
    if check.slug == slug or (isinstance(check, LinkCheck) and check.target == slug):
        return True
    expectations = check.expectations if isinstance(check, BehaviourCheck) else ()
    return any(each.kind == "navigation" and each.value == slug for each in expectations)


async def before_saving(ctx: ToolContext[PagesServices], project: Project, writing: Writing) -> Keeping:
    """Replay the promises that concern the page, and note what the change promises.

    What is noted counts once the same call has saved the page; a call that is run again after a crash finds its notes
    and changes nothing of them.
    """
    noted = await ctx.db.promises.of_call(ctx.session_id, ctx.run_id, ctx.call_id)
    if noted:
        return Keeping(promises=tuple(Promise.of(row) for row in noted))
    before = await load_app(ctx.db, ctx.session_id, project)
    after = before.replaced(writing.slug, writing.html)
    runner = runner_for(ctx.db.browser)
    all_promises = await load_promises(ctx.db, ctx.session_id)
    concerned = [promise for promise in all_promises if concerns(promise, writing.slug)]
    notes: list[str] = []
    newly, already = await newly_broken(concerned, before, after, runner)
    for each in already:
        await _tell_broken(ctx, each, f"page {writing.slug}", refused=False)
        notes.append(f"Broken before this change already: {each.promise.id} {quoted(each.promise.request)}.")
    titles = {page.slug: page.title for page in project.pages}
    title = titles.get(writing.slug, writing.slug)
    heirs = await asyncio.to_thread(succession, newly, ctx.user_message, writing.slug, title, before, after)
    if heirs.still_broken:
        return Keeping(refusal=await refuse(ctx, heirs.still_broken, f"This change of page {writing.slug}"))
    drafts, more = await asyncio.to_thread(_drafts, ctx, project, writing, before, after, all_promises)
    drafts = [await _observed(ctx.db.browser, draft, after) for draft in drafts]
    request = _request(ctx, writing)
    drafts = with_successors(drafts, heirs, request)
    turns = [Turn(each.number, each.place_of(check), "superseded", request) for each, check in heirs.superseded]
    rows = await ctx.db.promises.record(
        ctx.session_id, writing.slug, drafts, run_id=ctx.run_id, call_id=ctx.call_id, superseded=turns
    )
    return Keeping(promises=tuple(Promise.of(row) for row in rows), notes=(*notes, *more))


async def refuse(ctx: ToolContext[PagesServices], broken: Sequence[PromiseVerdict], what: str) -> ToolResult:
    """Tell the journal and the model which promises a change would break."""
    for each in broken:
        await _tell_broken(ctx, each, what, refused=True)
    hint = "\n".join([*findings(broken), HINT])
    failure = ToolResult.failure(refusal(broken, what), hint)
    return failure.model_copy(update={"artifacts": {"broken_promises": [each.to_wire() for each in broken]}})


async def _tell_broken(ctx: ToolContext[PagesServices], each: PromiseVerdict, what: str, *, refused: bool) -> None:
    await ctx.event_emitter.record(
        PromiseBroken(
            promise_id=each.promise.id,
            request=each.promise.request,
            what=what,
            findings=findings([each]),
            refused=refused,
        )
    )


def _drafts(
    ctx: ToolContext[PagesServices],
    project: Project,
    writing: Writing,
    before: AppPages,
    after: AppPages,
    known: Sequence[Promise],
) -> tuple[list[PromiseDraft], list[str]]:
    """What the change promises: what the controller derives from it, then what the model proposes for it."""
    request = _request(ctx, writing)
    is_new = before.source(writing.slug) is None
    proposed = judge(writing.proposals, writing.slug, None if is_new else before, after)
    drafts: list[PromiseDraft] = []
    if writing.is_edit and not is_new:
        checks = derive(Change(writing.slug, before, after, ctx.user_message, writing.instructions))
        drafts += [PromiseDraft(request=request, author="controller", checks=checks)] if checks else []
    else:
        brief = str(project.metadata.get("brief") or "")
        requests = list(dict.fromkeys(text for text in (ctx.user_message, brief) if text.strip()))
        drafts += promises_of_page(writing.slug, after, requests)
    if proposed.taken:
        drafts.append(PromiseDraft(request=request, author="model", checks=proposed.taken[:MAX_CHECKS]))
    fresh = [draft for draft in (_without_known(each, known) for each in drafts) if draft is not None]
    return fresh, [f"Not taken into the promises: {reason}." for reason in proposed.refused]


def _request(ctx: ToolContext[PagesServices], writing: Writing) -> str:
    """What the change was asked for with, as the record keeps it."""
    return " ".join((ctx.user_message or writing.instructions).split())[:MAX_REQUEST] or "(no words)"


async def _observed(browser: Browser | None, draft: PromiseDraft, app: AppPages) -> PromiseDraft:
    """The draft with what its derived behaviours do, where a browser can show it."""
    if browser is None or browser.why_not() is not None:
        return draft
    checks: list[Check] = []
    for check in draft.checks:
        if isinstance(check, BehaviourCheck) and not check.expectations:
            check = with_footprint(await observe(browser, check, app), app)
        checks.append(check)
    return draft.model_copy(update={"checks": tuple(checks)})


def _without_known(draft: PromiseDraft, known: Sequence[Promise]) -> PromiseDraft | None:
    """The draft without what the record holds already; None when nothing is left of it."""
    held = {check for promise in known for check in promise.checks}
    checks = tuple(check for check in draft.checks if check not in held)
    return draft.model_copy(update={"checks": checks}) if checks else None


async def after_saving(ctx: ToolContext[PagesServices], workspace: Workspace, slug: str, keeping: Keeping) -> Keeping:
    """Tell the journal what was promised, now that the page is stored, and write the file of promises anew.

    What is superseded is read from the record, so that a call that is run again after a crash tells the same.
    """
    if not keeping.promises:
        await write_promises(ctx.db, ctx.session_id, workspace)
        return keeping
    told = [{"id": each.id, "request": each.request, "checks": len(each.checks)} for each in keeping.promises]
    await ctx.event_emitter.record(PromisesRecorded(slug=slug, promises=told))
    numbers = {each.number: each for each in keeping.promises}
    superseded = [
        PromiseSuperseded(
            promise_id=older.id, request=older.request, checks=lost, by=promise_id(number), said=newer.request
        )
        for older in await load_promises(ctx.db, ctx.session_id, withdrawn=True)
        for number, newer in numbers.items()
        if (lost := [expectation_of(each.check) for each in older.given_up if each.superseded_by == number])
    ]
    for each in superseded:
        await ctx.event_emitter.record(each)
    await write_promises(ctx.db, ctx.session_id, workspace)
    return replace(keeping, superseded=tuple(superseded))


async def write_promises(services: PagesServices, session_id: str, workspace: Workspace) -> None:
    """Write `promises.json`, in which people read what a withdrawal would give up; the store is what counts."""
    workspace.write_promises(await load_promises_as_wire(services, session_id))


async def load_promises_as_wire(services: PagesServices, session_id: str) -> list[dict[str, Any]]:
    """The promises that count as data: id, request, pages, what is expected and the numbers of those checks."""
    return [
        {
            "id": each.id,
            "request": each.request,
            "pages": list(each.slugs),
            "checks": describe(each),
            "numbers": [place + 1 for place in each.places],
        }
        for each in await load_promises(services, session_id)
    ]
