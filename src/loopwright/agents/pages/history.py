"""Ways back: undo and redo of changes, older versions, and single elements of them.

Nothing is lost on the way: each step is a new version, work that people did by hand on disk is stored as one first, and
a step that would break a promise is refused, naming it. Only promises of the very change that is taken back go with it:
all of an undone change, and those of later changes that an element's return contradicts.
"""

import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.editing.applying import Inapplicable
from loopwright.agents.pages.editing.differences import Change, Timeline, fold
from loopwright.agents.pages.editing.regions import Unmappable
from loopwright.agents.pages.editing.restoring import with_element_of
from loopwright.agents.pages.editing.source_map import BadSelector
from loopwright.agents.pages.editing.verifier import Preservation, prove
from loopwright.agents.pages.events import VersionSource
from loopwright.agents.pages.ports import PagesServices, PageVersionRow
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound, Refused

Step = Literal["undo", "redo"]


@dataclass(frozen=True)
class Act:
    """Who goes back: a tool call of a run, or (`by_user`) the user by a command, whose versions belong together."""

    run_id: str | None = None
    call_id: str | None = None

    @classmethod
    def by_user(cls) -> "Act":
        """One command of the user."""
        return cls(None, f"act-{secrets.token_hex(8)}")

    def made(self, version: PageVersionRow) -> bool:
        """Whether an earlier attempt of this very act has stored the version."""
        return self.call_id is not None and (version.run_id, version.call_id) == (self.run_id, self.call_id)


@dataclass(frozen=True)
class Return:
    """A page's way back: what it is to be, and what that takes back.

    Without `html` there is to be no such page.
    `base` is the version that the decision was made on; `undone` are run and call of what is taken back, `made`
    those that had made the older version; `change` is what an undo takes back or a redo brings again.
    """

    slug: str
    html: str | None
    source: VersionSource
    description: str
    base: int
    undone: frozenset[tuple[str, str]] = frozenset()
    made: frozenset[tuple[str, str]] = frozenset()
    change: Change | None = None
    preserved: Preservation | None = None
    names: tuple[str, ...] = ()
    """What a page that is deleted is called: promises that name it go with it where the deletion breaks them."""


async def keep_work_by_hand(
    services: PagesServices, session_id: str, workspace: Workspace, slug: str, act: Act
) -> PageVersionRow | None:
    """Store a page that people changed on disk as a version of its own, before something else is made of it.

    A file that holds an older version is no work of theirs: a process died between storing a version and writing it.
    """
    file = workspace.read_page(slug)
    if file is None:
        return None
    for version in await services.pages.versions(session_id, slug):
        if not (version.released or version.deleted) and file == await services.pages.html(
            session_id, slug, version.version
        ):
            return None
    return await services.pages.save(
        session_id,
        slug,
        file,
        source="manual",
        description="Changed by hand",
        run_id=act.run_id,
        call_id=None if act.call_id is None else f"{act.call_id}:by-hand",
    )


async def plan_step(
    services: PagesServices, session_id: str, workspace: Workspace, step: Step, slug: str | None, act: Act
) -> list[Return]:
    """What the last change leads back to, or what the last undo took away; of one page, or of the whole session.

    Over the whole session all pages go that the newest change (of one message) has touched.

    Raises:
        NotFound: there is no such page.
        Conflict: there is nothing to undo or redo, or its text has been given up.
    """
    pages = await services.pages.of_session(session_id, deleted=True)
    slugs = [slug] if slug is not None else [page.slug for page in pages]
    timelines: dict[str, Timeline] = {}
    newest: dict[str, PageVersionRow] = {}
    for each in slugs:
        await keep_work_by_hand(services, session_id, workspace, each, act)
        versions = [v for v in await services.pages.versions(session_id, each) if not act.made(v)]
        timelines[each] = fold(versions)
        newest[each] = max(versions, key=lambda version: version.version)
    chosen = _chosen(timelines, newest, step, slug)
    if step == "undo":
        _refuse_an_end(chosen, timelines, {page.slug for page in pages if not page.deleted}, slug)
    return [await _back_to(services, session_id, timelines[each], newest[each], step) for each in chosen]


async def _back_to(
    services: PagesServices, session_id: str, timeline: Timeline, newest: PageVersionRow, step: Step
) -> Return:
    target = timeline.before if step == "undo" else timeline.after
    there = target is not None and not target.deleted
    did = "Undone" if step == "undo" else "Redone"
    return Return(
        slug=newest.slug,
        html=await services.pages.html(session_id, newest.slug, target.version) if target and there else None,
        source=step,
        description=f"{did}: version {target.version} again" if target and there else f"{did}: no such page again",
        base=newest.version,
        change=timeline.current if step == "undo" else timeline.after,
    )


def _refuse_an_end(
    chosen: Collection[str], timelines: Mapping[str, Timeline], present: Collection[str], slug: str | None
) -> None:
    """Refuse to undo how the app began; what a later message has made is taken away again with that message.

    A page that was named is never taken away by an undo: who says “undo that on the cart” means its content.
    """
    if slug is not None and slug in chosen and timelines[slug].before is None:
        raise Conflict(
            f"Page {slug} began with its last change: there is nothing before it.",
            hint="If the page itself is to go, delete it.",
        )
    going = {each for each in chosen if timelines[each].before is None}
    back = {each for each in chosen if (before := timelines[each].before) is not None and not before.deleted}
    if going and not (set(present) - going) | back:
        raise Conflict("There is nothing to undo: the pages are as they were first made.")


def _chosen(
    timelines: Mapping[str, Timeline], newest: Mapping[str, PageVersionRow], step: Step, slug: str | None
) -> list[str]:
    """The pages that a step concerns: those of the latest change, or of the earliest that was undone."""
    if step == "undo":
        able = {each: t.current for each, t in timelines.items() if t.current}
        if not able:
            raise Conflict("There is nothing to undo: the pages are as they were first made.")
        latest = max(able.values(), key=lambda change: change.at)
        return [each for each, change in able.items() if change.group == latest.group]
    undone = {each: t.after for each, t in timelines.items() if t.after}
    last = max(newest.values(), key=lambda version: version.created_at, default=None)
    if not undone or (slug is None and last is not None and last.source not in ("undo", "redo")):
        raise Conflict("There is nothing to redo: nothing was undone since the last change.")
    earliest = min(undone.values(), key=lambda change: change.at)
    return [each for each, change in undone.items() if change.group == earliest.group]


async def plan_restore(
    services: PagesServices,
    session_id: str,
    workspace: Workspace,
    slug: str,
    version: int,
    element: str | None,
    act: Act,
) -> Return:
    """A whole older version again, or one element of it in the page as it is now.

    Raises:
        NotFound: there is no such page or version.
        Conflict: the version's text has been given up, or the page has the element like that already.
        InvalidInput: the element is not to be found, or has no place.
        Refused: bringing the element back would change something else.
    """
    older = await services.pages.html(session_id, slug, version)
    await keep_work_by_hand(services, session_id, workspace, slug, act)
    versions = [v for v in await services.pages.versions(session_id, slug) if not act.made(v)]
    base = max(each.version for each in versions)
    later = _calls(v for v in versions if v.version > version)
    made = _calls(v for v in versions if v.version <= version)
    if element is None:
        # Whoever goes back to an older version by their own hand takes back what came after it; a model may not.
        taken_back = later if act.run_id is None else frozenset()
        return Return(slug, older, "restore", f"Version {version} again", base, taken_back, made)
    now = await services.pages.html(session_id, slug, base)
    try:
        revision = with_element_of(now, older, element)
        proof = prove(revision)
    except (BadSelector, Inapplicable, Unmappable) as error:
        raise InvalidInput(f"{element} of version {version} cannot be brought back: {error}.") from error
    if revision.after == revision.before:
        raise Conflict(f"{element} is as it was in version {version} already.")
    if not isinstance(proof, Preservation):
        named = "; ".join(f"{damage.selector} {damage.what}" for damage in proof[:3])
        raise Refused(f"Bringing {element} back would change something else: {named}.")
    said = f"{element} of version {version} again"
    return Return(slug, revision.after, "restore", said, base, later, made, preserved=proof)


def _calls(versions: Iterable[PageVersionRow]) -> frozenset[tuple[str, str]]:
    return frozenset((v.run_id, v.call_id) for v in versions if v.run_id and v.call_id)


async def older_version(services: PagesServices, session_id: str, slug: str) -> int:
    """The version before the last change of a page: what “the old one” means.

    Raises:
        NotFound: there is no such page, or nothing before its last change.
    """
    timeline = fold(await services.pages.versions(session_id, slug))
    if timeline.before is None:
        raise NotFound(f"Page {slug} has no older version.")
    return timeline.before.version
