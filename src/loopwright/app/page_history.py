"""Use cases on the history of a session's pages: look at it, compare versions, undo, redo, bring back."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.context.project import load_page
from loopwright.agents.pages.deletion import delete_page as deletion_of
from loopwright.agents.pages.editing.differences import PageDifference, difference
from loopwright.agents.pages.editing.marking import Unmappable
from loopwright.agents.pages.editing.page_tree import TooManyParts
from loopwright.agents.pages.editing.timeline import fold
from loopwright.agents.pages.history import Act, Step, plan_restore, plan_step
from loopwright.agents.pages.ledger.promise import Promise
from loopwright.agents.pages.returning import Returned, carry_out
from loopwright.app.loopwright import Loopwright
from loopwright.app.page_files import pages_in_order, workspace_of
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.stores.page_records import PageVersionRecord

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


async def page_history(house: Loopwright, session_id: str, slug: str | None = None) -> list[PageHistory]:
    """The history of one page, or of all pages in the plan's order.

    Raises:
        NotFound: there is no such session or page.
    """
    workspace = await workspace_of(house, session_id)
    found = []
    for page in await pages_in_order(house, session_id, deleted=True):
        if slug not in (None, page.slug):
            continue
        versions = await house.stores.pages.versions(session_id, page.slug)
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
                and (page.deleted or file != await house.stores.pages.html(session_id, page.slug)),
                deleted=page.deleted,
            )
        )
    if slug is not None and not found:
        raise NotFound(f"Session {session_id} has no page {slug!r}.")
    return found


async def page_difference(
    house: Loopwright, session_id: str, slug: str, old: int | None = None, new: int | None = None
) -> PageDifference:
    """Two versions of a page side by side.

    Args:
        house: the opened house.
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
    workspace = await workspace_of(house, session_id)
    history = (await page_history(house, session_id, slug))[0]
    current = next(version.version for version in history.versions if version.current)
    if history.deleted and new is None:
        raise NotFound(f"Page {slug} was deleted with version {current}.", hint="Name both versions, or undo.")
    by_hand = new is None and history.changed_on_disk
    if old is None:
        earlier = [v.version for v in history.versions if v.version < (new or current) and not v.released]
        old = current if by_hand else history.undo_to if new is None else max(earlier, default=None)
    if old is None:
        raise NotFound(f"Page {slug} has no older version.", hint=f"Version {new or current} is its first.")
    before = await house.stores.pages.html(session_id, slug, old)
    if by_hand:
        after, called = await load_page(house.stores, session_id, workspace, slug) or "", ON_DISK
    else:
        after, called = await house.stores.pages.html(session_id, slug, new or current), f"version {new or current}"
    try:
        return difference(slug, before, after, old=f"version {old}", new=called)
    except (Unmappable, TooManyParts) as error:
        raise InvalidInput(f"The versions cannot be compared: {error}.") from error


async def step_pages(house: Loopwright, session_id: str, step: Step, slug: str | None = None) -> HistoryStep:
    """Undo the last change of the session or of one page, or bring again what the last undo took away.

    Raises:
        NotFound: there is no such session or page.
        Conflict: there is nothing to undo or redo, or its text has been given up.
        Refused: a promise of another change would be broken; it is named, and nothing is changed.
    """
    workspace = await workspace_of(house, session_id)
    await refuse_while_a_run_works(house, session_id)
    act = Act.by_user()
    returns = await plan_step(house.stores, session_id, workspace, step, slug, act)
    return await _told(house, session_id, await carry_out(house.stores, session_id, workspace, returns, act))


async def restore_page(
    house: Loopwright, session_id: str, slug: str, version: int, element: str | None = None
) -> HistoryStep:
    """Make an old version current again, or one element of it, as a new version; the file on disk follows.

    Raises:
        NotFound: there is no such session, page or version.
        Conflict: the version's text has been given up, or the element is like that already.
        InvalidInput: the element is not to be found, or has no place in the page.
        Refused: a promise would be broken, or something beside the element would change.
    """
    workspace = await workspace_of(house, session_id)
    await refuse_while_a_run_works(house, session_id)
    act = Act.by_user()
    planned = await plan_restore(house.stores, session_id, workspace, slug, version, element, act)
    return await _told(house, session_id, await carry_out(house.stores, session_id, workspace, [planned], act))


async def delete_page(house: Loopwright, session_id: str, slug: str) -> PageDeletion:
    """Delete a page in the user's own name, with the ways to it; an undo brings all of it back.

    Raises:
        NotFound: there is no such session or page.
        InvalidInput: it is the only page, or the home page.
        Conflict: a run of the session is at work.
        Refused: a promise about other pages would be broken; it is named, and nothing is changed.
    """
    workspace = await workspace_of(house, session_id)
    await refuse_while_a_run_works(house, session_id)
    done = await deletion_of(house.stores, session_id, workspace, slug, Act.by_user())
    step = await _told(house, session_id, done.returned)
    links, promises = tuple(done.deletion.lines()), tuple(done.promise_lines())
    return PageDeletion(slug=slug, links=links, promises=promises, versions=step.versions)


async def refuse_while_a_run_works(house: Loopwright, session_id: str) -> None:
    """Refuse while a run writes pages: what it has read would no longer be so."""
    for record in await house.stores.runs.find(session_id=session_id, limit=1):
        if record.status in ("queued", "running"):
            raise Conflict(
                f"Run {record.run_id} of this session is {record.status}.",
                hint=f"Wait for it, or loopwright runs cancel {record.run_id}.",
            )


async def _told(house: Loopwright, session_id: str, returned: Returned) -> HistoryStep:
    versions = []
    for slug, row in returned.versions.items():
        records = await house.stores.pages.versions(session_id, slug)
        versions.append(next(record for record in records if record.version == row.version))
    withdrawn, renewed = _named(returned.withdrawn), _named(returned.renewed)
    return HistoryStep(versions=tuple(versions), withdrawn=withdrawn, renewed=renewed)


def _named(promises: Sequence[Promise]) -> tuple[dict[str, str], ...]:
    return tuple({"promise_id": promise.id, "request": promise.request} for promise in promises)
