"""Ways back: undo and redo of changes, older versions, and single elements of them.

Nothing is lost on the way: each step is a new version, work that people did by hand on disk is stored as one first, and
a step that would break a promise is refused, naming it. Only promises of the very change that is taken back go with it:
all of an undone change, and those of later changes that an element's return contradicts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.context.project import load_project
from loopwright.agents.pages.editing.applying import Inapplicable
from loopwright.agents.pages.editing.marking import Unmappable
from loopwright.agents.pages.editing.restoring import with_element_of
from loopwright.agents.pages.editing.source_map import BadSelector
from loopwright.agents.pages.editing.timeline import Timeline, fold
from loopwright.agents.pages.editing.verifier import Preservation, prove
from loopwright.agents.pages.events import VersionSource
from loopwright.agents.pages.ledger.acting import runner_for
from loopwright.agents.pages.ledger.keeping import concerns, load_app, load_promises, newly_broken, write_ledger
from loopwright.agents.pages.ledger.promise import Promise
from loopwright.agents.pages.ledger.verdict import PromiseVerdict
from loopwright.agents.pages.ledger.wording import findings, refusal
from loopwright.agents.pages.ports import PagesServices, PageVersionRow
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound, Refused

Step = Literal["undo", "redo"]


@dataclass(frozen=True)
class Act:
    """Who goes back: a tool call of a run, or (without both) the user by command."""

    run_id: str | None = None
    call_id: str | None = None

    def made(self, version: PageVersionRow) -> bool:
        """Whether an earlier attempt of this very act has stored the version."""
        return self.call_id is not None and (version.run_id, version.call_id) == (self.run_id, self.call_id)


@dataclass(frozen=True)
class Return:
    """A page's way back: what it is to be, and what that takes back.

    `base` is the version that the decision was made on; `undone` are run and call of what is taken back.
    """

    slug: str
    html: str
    source: VersionSource
    description: str
    base: int
    undone: frozenset[tuple[str, str]] = frozenset()
    preserved: Preservation | None = None


@dataclass(frozen=True)
class Returned:
    """What was done: the new versions by page, and the promises that went with the undone change."""

    versions: dict[str, PageVersionRow]
    withdrawn: tuple[Promise, ...]


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
        if not version.released and file == await services.pages.html(session_id, slug, version.version):
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
    slugs = [slug] if slug is not None else [page.slug for page in await services.pages.of_session(session_id)]
    timelines: dict[str, Timeline] = {}
    newest: dict[str, PageVersionRow] = {}
    for each in slugs:
        await keep_work_by_hand(services, session_id, workspace, each, act)
        versions = [v for v in await services.pages.versions(session_id, each) if not act.made(v)]
        timelines[each] = fold(versions)
        newest[each] = max(versions, key=lambda version: version.version)
    chosen = _chosen(timelines, newest, step, slug)
    returns = []
    for each in chosen:
        timeline = timelines[each]
        target = timeline.before if step == "undo" else timeline.after
        if target is None:
            raise Conflict(
                f"Page {each} began with its last change: there is nothing before it.",
                hint="Pages cannot be deleted; their content can be changed.",
            )
        returns.append(
            Return(
                slug=each,
                html=await services.pages.html(session_id, each, target.version),
                source=step,
                description=f"{'Undone' if step == 'undo' else 'Redone'}: version {target.version} again",
                base=newest[each].version,
                undone=frozenset(timeline.current.calls) if step == "undo" and timeline.current else frozenset(),
            )
        )
    return returns


def _chosen(
    timelines: dict[str, Timeline], newest: dict[str, PageVersionRow], step: Step, slug: str | None
) -> list[str]:
    """The pages that a step concerns: those of the latest change, or of the earliest that was undone."""
    if step == "undo":
        able = {each: t.current for each, t in timelines.items() if t.current and (t.before or slug is not None)}
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
    later = frozenset((v.run_id, v.call_id) for v in versions if v.version > version and v.run_id and v.call_id)
    if element is None:
        # Whoever goes back to an older version by their own hand takes back what came after it; a model may not.
        taken_back = later if act.run_id is None else frozenset()
        return Return(slug, older, "restore", f"Version {version} again", base, taken_back)
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
    return Return(slug, revision.after, "restore", f"{element} of version {version} again", base, later, proof)


async def carry_out(
    services: PagesServices, session_id: str, workspace: Workspace, returns: Sequence[Return], act: Act
) -> Returned:
    """Replay the promises, then store the versions, write the files, and withdraw the undone change's own promises.

    Raises:
        Refused: a promise of another change would be broken; nothing is changed.
        Conflict: a page has changed since the decision.
    """
    promises = await load_promises(services, session_id)
    undone = {call for each in returns for call in each.undone}
    own = [promise for promise in promises if (promise.run_id, promise.call_id) in undone]
    concerned = [promise for promise in promises if any(concerns(promise, each.slug) for each in returns)]
    broken = await _broken(services, session_id, workspace, returns, concerned) if concerned else []
    contradicted = {each.promise.number for each in broken}
    foreign = [each for each in broken if each.promise not in own]
    if foreign:
        raise Refused(refusal(foreign, f"This {returns[0].source}"), hint="\n".join(findings(foreign)))
    # An undo takes back all that its change promised, an older version only what it contradicts.
    own = [promise for promise in own if promise.number in contradicted or returns[0].source == "undo"]
    versions: dict[str, PageVersionRow] = {}
    for each in returns:
        versions[each.slug] = await services.pages.save(
            session_id,
            each.slug,
            each.html,
            source=each.source,
            description=each.description,
            run_id=act.run_id,
            call_id=act.call_id,
            base=each.base,
        )
        workspace.write_page(each.slug, each.html)
    for promise in own:
        reason = "The change that made it was taken back"
        await services.promises.withdraw(session_id, promise.number, reason, once=True)
    if own:
        await write_ledger(services, session_id, workspace)
    return Returned(versions, tuple(own))


async def _broken(
    services: PagesServices,
    session_id: str,
    workspace: Workspace,
    returns: Sequence[Return],
    promises: Sequence[Promise],
) -> list[PromiseVerdict]:
    """The promises that hold now and would not hold any more."""
    before = after = await load_app(services, session_id, await load_project(services, session_id, workspace))
    for each in returns:
        after = after.replaced(each.slug, each.html)
    return (await newly_broken(promises, before, after, runner_for(services.browser)))[0]


async def older_version(services: PagesServices, session_id: str, slug: str) -> int:
    """The version before the last change of a page: what “the old one” means.

    Raises:
        NotFound: there is no such page, or nothing before its last change.
    """
    timeline = fold(await services.pages.versions(session_id, slug))
    if timeline.before is None:
        raise NotFound(f"Page {slug} has no older version.")
    return timeline.before.version
