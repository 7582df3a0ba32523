"""Use cases on the history of a session's pages: look at it, compare versions, undo, redo, bring back."""

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.browser.rendering import Rendering, render_pages
from loopwright.agents.pages.compliance import ValidationReport, validate_page
from loopwright.agents.pages.compliance.act import check_act
from loopwright.agents.pages.compliance.fixes import fix_page
from loopwright.agents.pages.compliance.page import Issue
from loopwright.agents.pages.context.relevance import load_page, load_project
from loopwright.agents.pages.deletion import delete_page as deletion_of
from loopwright.agents.pages.editing.differences import PageDifference, TooManyParts, difference, fold
from loopwright.agents.pages.editing.regions import Unmappable
from loopwright.agents.pages.history import Act, Return, Step, keep_work_by_hand, plan_restore, plan_step
from loopwright.agents.pages.promises.promise import Promise
from loopwright.agents.pages.returning import Returned, carry_out
from loopwright.agents.pages.services import pages_stores
from loopwright.agents.pages.sheet_history import plan_sheet_step, restore_sheet
from loopwright.agents.pages.store.pages import PageVersionRecord
from loopwright.agents.pages.usecases.live_pages import pages_in_order, workspace_of
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound

ON_DISK = "file on disk"
"""What the newest state of a page is called when people have changed its file since it was stored."""


class PageHistory(BaseModel):
    """A page's versions, newest first, and the versions to which an undo and a redo would lead.

    A `deleted` page has a history too: its newest version says that it is there no more.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str
    title: str
    versions: tuple[PageVersionRecord, ...]
    undo_to: int | None
    redo_to: int | None
    changed_on_disk: bool
    deleted: bool = False


class HistoryStep(BaseModel):
    """What an undo, a redo or a restore did: the new version of each page, and the promises that went with it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    versions: tuple[PageVersionRecord, ...]
    withdrawn: tuple[dict[str, str], ...] = ()
    renewed: tuple[dict[str, str], ...] = ()


class PageDeletion(HistoryStep):
    """What deleting a page did; `links` tell what became of the ways to it, `promises` of what was promised of it."""

    slug: str
    links: tuple[str, ...]
    promises: tuple[str, ...]


async def page_history(application: Loopwright, session_id: str, slug: str | None = None) -> list[PageHistory]:
    """The history of one page, or of all pages in the plan's order.

    Raises:
        NotFound: there is no such session or page.
    """
    stores = await pages_stores(application)
    workspace = await workspace_of(application, session_id)
    found = []
    for page in await pages_in_order(application, session_id, deleted=True):
        if slug not in (None, page.slug):
            continue
        versions = await stores.pages.versions(session_id, page.slug)
        timeline = fold(versions)
        file = workspace.read_page(page.slug)
        found.append(
            PageHistory(
                slug=page.slug,
                title=page.title,
                versions=tuple(versions),
                undo_to=timeline.before.version if timeline.before else None,
                redo_to=timeline.after.version if timeline.after else None,
                changed_on_disk=file is not None
                and (page.deleted or file != await stores.pages.html(session_id, page.slug)),
                deleted=page.deleted,
            )
        )
    if slug is not None and not found:
        raise NotFound(f"Session {session_id} has no page {slug!r}.")
    return found


async def page_difference(
    application: Loopwright, session_id: str, slug: str, old: int | None = None, new: int | None = None
) -> PageDifference:
    """Two versions of a page side by side.

    Args:
        application: the opened application.
        session_id: whose page it is.
        slug: the page.
        old: version to compare from; by default what the page was before its last change, or the version that is
            stored where people have changed the file since.
        new: version to compare to; by default the page as it is now, on disk.

    Raises:
        NotFound: there is no such session, page or version, or no older one.
        Conflict: a version's text has been given up.
        InvalidInput: the versions cannot be compared.
    """
    stores = await pages_stores(application)
    workspace = await workspace_of(application, session_id)
    history = (await page_history(application, session_id, slug))[0]
    current = next(version.version for version in history.versions if version.current)
    if history.deleted and new is None:
        raise NotFound(f"Page {slug} was deleted with version {current}.", hint="Name both versions, or undo.")
    by_hand = new is None and history.changed_on_disk
    if old is None:
        earlier = [v.version for v in history.versions if v.version < (new or current) and not v.released]
        old = current if by_hand else history.undo_to if new is None else max(earlier, default=None)
    if old is None:
        raise NotFound(f"Page {slug} has no older version.", hint=f"Version {new or current} is its first.")
    before = await stores.pages.html(session_id, slug, old)
    if by_hand:
        after, called = await load_page(stores, session_id, workspace, slug) or "", ON_DISK
    else:
        after, called = (
            await stores.pages.html(session_id, slug, new or current),
            f"version {new or current}",
        )
    try:
        return difference(slug, before, after, old=f"version {old}", new=called)
    except (Unmappable, TooManyParts) as error:
        raise InvalidInput(f"The versions cannot be compared: {error}.") from error


async def step_pages(application: Loopwright, session_id: str, step: Step, slug: str | None = None) -> HistoryStep:
    """Undo the last change of the session or of one page, or bring again what the last undo took away.

    Raises:
        NotFound: there is no such session or page.
        Conflict: there is nothing to undo or redo, or its text has been given up.
        Refused: a promise of another change would be broken; it is named, and nothing is changed.
    """
    stores = await pages_stores(application)
    workspace = await workspace_of(application, session_id)
    await refuse_while_a_run_works(application, session_id)
    act = Act.by_user()
    sheet = await plan_sheet_step(stores, session_id, step, act) if slug is None else None
    alone = sheet is not None and sheet.alone
    returns = [] if alone else await plan_step(stores, session_id, workspace, step, slug, act)
    done = await carry_out(stores, session_id, workspace, returns, act)
    if sheet is not None:
        await restore_sheet(stores, session_id, workspace, sheet, step, act)
    return await _told(application, session_id, done)


async def restore_page(
    application: Loopwright, session_id: str, slug: str, version: int, element: str | None = None
) -> HistoryStep:
    """Make an old version current again, or one element of it, as a new version; the file on disk follows.

    Raises:
        NotFound: there is no such session, page or version.
        Conflict: the version's text has been given up, or the element is like that already.
        InvalidInput: the element is not to be found, or has no place in the page.
        Refused: a promise would be broken, or something beside the element would change.
    """
    stores = await pages_stores(application)
    workspace = await workspace_of(application, session_id)
    await refuse_while_a_run_works(application, session_id)
    act = Act.by_user()
    planned = await plan_restore(stores, session_id, workspace, slug, version, element, act)
    return await _told(application, session_id, await carry_out(stores, session_id, workspace, [planned], act))


async def delete_page(application: Loopwright, session_id: str, slug: str) -> PageDeletion:
    """Delete a page in the user's own name, with the ways to it; an undo brings all of it back.

    Raises:
        NotFound: there is no such session or page.
        InvalidInput: it is the only page, or the home page.
        Conflict: a run of the session is at work.
        Refused: a promise about other pages would be broken; it is named, and nothing is changed.
    """
    workspace = await workspace_of(application, session_id)
    await refuse_while_a_run_works(application, session_id)
    done = await deletion_of(await pages_stores(application), session_id, workspace, slug, Act.by_user())
    step = await _told(application, session_id, done.returned)
    links, promises = tuple(done.deletion.lines()), tuple(done.promise_lines())
    return PageDeletion(slug=slug, links=links, promises=promises, versions=step.versions)


async def refuse_while_a_run_works(application: Loopwright, session_id: str) -> None:
    """Refuse while a run writes pages: what it has read would no longer be so."""
    for record in await application.stores.runs.find(session_id=session_id, limit=1):
        if record.status in ("queued", "running"):
            raise Conflict(
                f"Run {record.run_id} of this session is {record.status}.",
                hint=f"Wait for it, or loopwright runs cancel {record.run_id}.",
            )


async def _told(application: Loopwright, session_id: str, returned: Returned) -> HistoryStep:
    versions = []
    for slug, row in returned.versions.items():
        records = await (await pages_stores(application)).pages.versions(session_id, slug)
        versions.append(next(record for record in records if record.version == row.version))
    withdrawn, renewed = _named(returned.withdrawn), _named(returned.renewed)
    return HistoryStep(versions=tuple(versions), withdrawn=withdrawn, renewed=renewed)


def _named(promises: Sequence[Promise]) -> tuple[dict[str, str], ...]:
    return tuple({"promise_id": promise.id, "request": promise.request} for promise in promises)


# Use case: check a session's pages against the rules, in the browser and against the W3C's ACT rules; repair them.


class ActVerdict(BaseModel):
    """What one ACT rule says of a page."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str
    name: str
    outcome: str
    selector: str | None
    reason: str
    demanded: bool
    """Whether the rules of the validation ask for the same: enhanced contrast (level AAA), say, they do not."""


class PageCheck(BaseModel):
    """What was found on one page, and what was repaired."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str
    report: ValidationReport
    browser: tuple[Issue, ...] | None = None
    """What shows in the browser; None where nobody looked."""
    not_rendered: str | None = None
    """Why nobody looked, where that was asked for."""
    act: tuple[ActVerdict, ...] | None = None
    fixes: tuple[str, ...] = ()
    version: int | None = None
    """The version that the fixes made."""

    @property
    def is_good(self) -> bool:
        """Whether nothing that was looked at has an error."""
        failed = [each for each in self.act or () if each.outcome == "failed" and each.demanded]
        shown = [issue for issue in self.browser or () if issue.severity == "error"]
        return self.report.valid and not failed and not shown


async def check_pages(
    application: Loopwright, session_id: str, slug: str | None = None, *, browser: bool = False, act: bool = False
) -> list[PageCheck]:
    """Check one page, or all pages in the plan's order; nothing is changed.

    Args:
        application: the opened application.
        session_id: whose pages.
        slug: the page; None means all.
        browser: render the pages too.
        act: ask the ACT rules too.

    Raises:
        NotFound: there is no such session or page.
    """
    pages, css = await _sources(application, session_id)
    wanted = _wanted(session_id, pages, slug)
    rendering = Rendering()
    if browser:
        rendering = await render_pages((await pages_stores(application)).browser, pages, css, wanted)
    checks = []
    for each in wanted:
        report = await asyncio.to_thread(validate_page, pages[each], css=css, slug=each, known_slugs=tuple(pages))
        verdicts = await asyncio.to_thread(_act, pages[each], css) if act else None
        seen = rendering.findings.get(each)
        checks.append(PageCheck(slug=each, report=report, browser=seen, not_rendered=rendering.failure, act=verdicts))
    return checks


async def repair_pages(
    application: Loopwright, session_id: str, slug: str | None = None
) -> dict[str, tuple[int, list[str]]]:
    """Repair what needs no judgement; each page that changes gets a new version.

    Returns:
        By page, the new version and what was done, for the pages that were changed.

    Raises:
        NotFound: there is no such session or page.
        Conflict: a run of the session is at work.
        Refused: a fix would break a promise; nothing was changed.
    """
    stores = await pages_stores(application)
    await refuse_while_a_run_works(application, session_id)
    workspace = await workspace_of(application, session_id)
    pages, css = await _sources(application, session_id)
    act = Act.by_user()
    returns: list[Return] = []
    done: dict[str, list[str]] = {}
    for each in _wanted(session_id, pages, slug):
        fixed = await asyncio.to_thread(fix_page, pages[each], css=css, slug=each, known_slugs=tuple(pages))
        if not fixed.fixes:
            continue
        await keep_work_by_hand(stores, session_id, workspace, each, act)
        newest = max(version.version for version in await stores.pages.versions(session_id, each))
        done[each] = fixed.summaries
        description = f"Repaired: {', '.join(fixed.summaries)}"[:500]
        returns.append(Return(each, fixed.html, "edit", description, newest))
    if not returns:
        return {}
    made = await carry_out(stores, session_id, workspace, returns, act)
    return {each: (row.version, done[each]) for each, row in made.versions.items()}


def _act(html: str, css: str) -> tuple[ActVerdict, ...]:
    return tuple(
        ActVerdict(
            rule=result.rule.id,
            name=result.rule.name,
            outcome=result.outcome,
            selector=result.selector,
            reason=result.reason,
            demanded=bool(result.rule.rules),
        )
        for result in check_act(html, css=css)
    )


def _wanted(session_id: str, pages: dict[str, str], slug: str | None) -> list[str]:
    if slug is not None and slug not in pages:
        hint = f"The pages are: {', '.join(pages)}." if pages else "It has no pages yet."
        raise NotFound(f"Session {session_id} has no page {slug!r}.", hint=hint)
    return list(pages) if slug is None else [slug]


async def _sources(application: Loopwright, session_id: str) -> tuple[dict[str, str], str]:
    stores = await pages_stores(application)
    workspace = await workspace_of(application, session_id)
    project = await load_project(stores, session_id, workspace)
    pages = {each: await load_page(stores, session_id, workspace, each) or "" for each in project.slugs}
    return pages, project.css
