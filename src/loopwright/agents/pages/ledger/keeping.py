"""Keeping promises while pages are written: a change that breaks one is refused, one that is accepted gives its own."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from loopwright.agents.pages.browser import Browser
from loopwright.agents.pages.context.project import Project, load_page
from loopwright.agents.pages.events import PromiseBroken, PromisesRecorded, PromiseSuperseded
from loopwright.agents.pages.ledger.acting import runner_for
from loopwright.agents.pages.ledger.app_pages import AppPages
from loopwright.agents.pages.ledger.behaviours import with_footprint
from loopwright.agents.pages.ledger.breaking import newly_broken
from loopwright.agents.pages.ledger.brief import promises_of_page
from loopwright.agents.pages.ledger.checks import BehaviourCheck, Check, LinkCheck
from loopwright.agents.pages.ledger.derivation import Change, derive
from loopwright.agents.pages.ledger.entries import Turn
from loopwright.agents.pages.ledger.observing import observe
from loopwright.agents.pages.ledger.promise import MAX_CHECKS, MAX_REQUEST, Promise, PromiseDraft, promise_id
from loopwright.agents.pages.ledger.proposals import NO_PROPOSALS, Proposals, judge
from loopwright.agents.pages.ledger.succession import succession, with_successors
from loopwright.agents.pages.ledger.verdict import PromiseVerdict
from loopwright.agents.pages.ledger.wording import (
    SUPERSEDED,
    as_text,
    describe,
    expectation_of,
    findings,
    plural,
    quoted,
    refusal,
)
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import ToolContext, ToolResult

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
    """What the ledger says to a page that is about to be saved: a refusal, or what the change promises itself."""

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
    """What the change was asked for with, as the ledger keeps it."""
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
    """The draft without what the ledger holds already; None when nothing is left of it."""
    held = {check for promise in known for check in promise.checks}
    checks = tuple(check for check in draft.checks if check not in held)
    return draft.model_copy(update={"checks": checks}) if checks else None


async def after_saving(ctx: ToolContext[PagesServices], workspace: Workspace, slug: str, keeping: Keeping) -> Keeping:
    """Tell the journal what was promised, now that the page is stored, and write the ledger's file anew.

    What is superseded is read from the ledger, so that a call that is run again after a crash tells the same.
    """
    if not keeping.promises:
        await write_ledger(ctx.db, ctx.session_id, workspace)
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
    await write_ledger(ctx.db, ctx.session_id, workspace)
    return replace(keeping, superseded=tuple(superseded))


async def write_ledger(services: PagesServices, session_id: str, workspace: Workspace) -> None:
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
