"""Promises at the moments that are no edit of a page: a new design system, the end of a run, a look by the user."""

from loopwright.agents.pages.context.relevance import Project
from loopwright.agents.pages.events import DesignSystemCreated, PageVersionCreated, PromiseBroken, TokensChanged
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.promises.keeping import load_app, load_promises, refuse
from loopwright.agents.pages.promises.promise import PromiseVerdict
from loopwright.agents.pages.promises.replay import PromisesReport, check_promises, newly_broken
from loopwright.agents.pages.promises.succession import runner_for
from loopwright.kernel.run import AgentRun
from loopwright.kernel.tools import ToolContext, ToolResult


async def before_restyling(ctx: ToolContext[PagesServices], project: Project, css: str) -> ToolResult | None:
    """Why a new design system must not be saved: the promises that the pages would break under it; None if none."""
    promises = await load_promises(ctx.db, ctx.session_id)
    if not promises:
        return None
    app = await load_app(ctx.db, ctx.session_id, project)
    newly, _ = await newly_broken(promises, app, app.restyled(css), runner_for(ctx.db.browser))
    return await refuse(ctx, newly, "This design system") if newly else None


async def replay_session(services: PagesServices, session_id: str, project: Project) -> PromisesReport:
    """Every promise of the session against its pages as they are; behaviours are acted out where a browser is."""
    promises = await load_promises(services, session_id)
    app = await load_app(services, session_id, project)
    return await check_promises(promises, app, runner_for(services.browser))


async def broken_by_run(run: AgentRun, project: Project) -> list[PromiseVerdict]:
    """The promises that do not hold although this run has had its hands on their pages.

    Only the source is asked, so that the answer is the same when it is asked again. Left out is what was broken before
    the run came: the people who changed a page by hand meant it.
    """
    events = await run.journal.read(run.state.run_id)
    written = {event.payload["slug"] for event in events if event.type == PageVersionCreated.type}
    restyled = any(event.type in (DesignSystemCreated.type, TokensChanged.type) for event in events)
    excused = {
        event.payload["promise_id"]
        for event in events
        if event.type == PromiseBroken.type and not event.payload["refused"]
    }
    if not (written or restyled):
        return []
    promises = await load_promises(run.services, run.state.session_id)
    app = await load_app(run.services, run.state.session_id, project)
    broken = (await check_promises(promises, app)).broken
    touched = [each for each in broken if restyled or written & set(each.promise.slugs)]
    return [each for each in touched if each.promise.id not in excused]
