"""Ways back, carried out: the promises are replayed first, and each check stands again as it stood then."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from loopwright.agents.pages.context.card import refresh_facts
from loopwright.agents.pages.context.relevance import load_project
from loopwright.agents.pages.history import Act, Return
from loopwright.agents.pages.ports import PagesServices, PageVersionRow
from loopwright.agents.pages.promises.app_pages import AppPages, says
from loopwright.agents.pages.promises.checks import Turn
from loopwright.agents.pages.promises.keeping import concerns, load_app, write_promises
from loopwright.agents.pages.promises.ports import PromiseRow
from loopwright.agents.pages.promises.promise import Promise
from loopwright.agents.pages.promises.replay import newly_broken
from loopwright.agents.pages.promises.succession import runner_for
from loopwright.agents.pages.promises.turning import DELETED, Turned, deleted, given_up, renewed, turns_of_step
from loopwright.agents.pages.promises.wording import findings, refusal
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import Refused


@dataclass(frozen=True)
class Returned:
    """What was done: the new versions by page, the promises that lost checks by it, and those that have some again."""

    versions: dict[str, PageVersionRow]
    withdrawn: tuple[Promise, ...]
    renewed: tuple[Promise, ...] = ()


async def carry_out(
    services: PagesServices, session_id: str, workspace: Workspace, returns: Sequence[Return], act: Act
) -> Returned:
    """Replay the promises, then store the versions, write the files, and enter what becomes of the promises.

    Raises:
        Refused: a promise of another change would be broken; nothing is changed.
        Conflict: a page has changed since the decision.
    """
    rows = await services.promises.of_session(session_id, withdrawn=True)
    turns = await _turns(services, session_id, workspace, returns, rows)
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
        if each.html is None:
            workspace.remove_page(each.slug)
        else:
            workspace.write_page(each.slug, each.html)
    dated = [replace(turn, version=versions[turn.slug].version) for turn in turns if turn.slug is not None]
    await services.promises.enter(session_id, dated)
    if dated:
        await write_promises(services, session_id, workspace)
    await refresh_facts(services, session_id, workspace, run_id=act.run_id)
    turned = Turned.of(rows, dated)
    return Returned(versions, turned.withdrawn, turned.renewed)


async def _turns(
    services: PagesServices,
    session_id: str,
    workspace: Workspace,
    returns: Sequence[Return],
    rows: Sequence[PromiseRow],
) -> list[Turn]:
    """What the checks of the record come to; those of the change that is taken back go with it.

    An undo takes back all that its change promised and ended, a redo brings it again, and an older version takes back
    what it contradicts and renews what it brings back.

    Raises:
        Refused: a promise of another change would be broken.
    """
    turns: list[Turn] = []
    promises = [Promise.of(row) for row in rows]
    for each in returns:
        if each.change is not None and each.source in ("undo", "redo"):
            turns += turns_of_step(rows, each.slug, each.change, each.source)
        if each.source == "delete":
            turns += deleted(promises, each.slug)
    ended = {(turn.number, turn.place) for turn in turns}
    promises = [each.without([p for p in each.places if (each.number, p) in ended]) for each in promises]
    concerned = [each for each in promises if each.checks and any(concerns(each, way.slug) for way in returns)]
    before, after = await _apps(services, session_id, workspace, returns)
    broken = (await newly_broken(concerned, before, after, runner_for(services.browser)))[0] if concerned else []
    for each in returns:
        own = [verdict for verdict in broken if (verdict.promise.run_id, verdict.promise.call_id) in each.undone]
        turns += given_up(own, each.slug)
        # “A cart” was promised on every page, as the ways to the cart: who deletes that page means these too.
        named = [verdict for verdict in broken if any(says(verdict.promise.request, name) for name in each.names)]
        turns += given_up(named, each.slug, DELETED)
        own += named
        broken = [verdict for verdict in broken if verdict not in own]
        turns += renewed(rows, each.slug, each.made, before, after)
    if broken:
        raise Refused(refusal(broken, f"This {returns[0].source}"), hint="\n".join(findings(broken)))
    return turns


async def _apps(
    services: PagesServices, session_id: str, workspace: Workspace, returns: Sequence[Return]
) -> tuple[AppPages, AppPages]:
    """The app as it was when the way back was planned, and as it is to be.

    Not as it lies on disk: a call that is repeated after a crash finds its own work there.
    """
    before = after = await load_app(services, session_id, await load_project(services, session_id, workspace))
    for each in returns:
        versions = await services.pages.versions(session_id, each.slug)
        if next(version for version in versions if version.version == each.base).deleted:
            before = before.without(each.slug)
        else:
            before = before.replaced(each.slug, await services.pages.html(session_id, each.slug, each.base))
        after = after.without(each.slug) if each.html is None else after.replaced(each.slug, each.html)
    return before, after
