"""`restore_page`: undo, redo, an older version, or one element of it, when the user asks for that."""

from typing import Literal

from pydantic import BaseModel, Field

from loopwright.agents.pages.context.project import load_project
from loopwright.agents.pages.events import PromiseRenewed, PromiseWithdrawn
from loopwright.agents.pages.history import Act, Return, older_version, plan_restore, plan_step
from loopwright.agents.pages.ledger.turning import TAKEN_BACK
from loopwright.agents.pages.ledger.wording import quoted
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.returning import carry_out
from loopwright.agents.pages.tools.page_writing import asker_of, no_such_page, version_event
from loopwright.agents.pages.tools.parameters import Slug
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import InvalidInput, Refused
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class RestorePageParameters(BaseModel):
    """Parameters of `restore_page`."""

    step: Literal["undo", "redo", "restore"] = Field(description="restore needs slug")
    slug: Slug | None = Field(default=None, description="The page; without it, undo and redo concern the session")
    version: int | None = Field(default=None, ge=1, description="For restore: which version; normally the one before")
    element: str | None = Field(default=None, min_length=1, max_length=300, description="For restore: a CSS selector")


class RestorePage(BaseTool[RestorePageParameters, PagesServices]):
    """Goes back; it runs alone, because it may concern every page."""

    name = "restore_page"
    parameters_model = RestorePageParameters
    effect = "idempotent"

    async def execute(self, params: RestorePageParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Decide what goes back where, replay the promises, store, and tell."""
        workspace = Workspace(ctx.output_dir)
        project = await load_project(ctx.db, ctx.session_id, workspace)
        known = [page.slug for page in await ctx.db.pages.of_session(ctx.session_id, deleted=True)]
        if params.slug is not None and params.slug not in known:
            return await no_such_page(ctx, params.slug)
        if not asker_of(ctx, project).wants_way_back():
            return ToolResult.failure(
                "The user did not ask to go back to something older.",
                "Change the page with edit_page, or ask them whether the last change is to be undone.",
            )
        act = Act(ctx.run_id, ctx.call_id)
        try:
            returns = await _planned(params, ctx, workspace, act)
            done = await carry_out(ctx.db, ctx.session_id, workspace, returns, act)
        except (InvalidInput, Refused) as error:
            return ToolResult.failure(error.message, error.hint)
        for version in done.versions.values():
            await ctx.event_emitter.record(version_event(version))
        lines = [f"Page '{r.slug}' is version {done.versions[r.slug].version} now: {r.description}." for r in returns]
        lines += [r.preserved.as_line() for r in returns if r.preserved is not None]
        for promise in done.withdrawn:
            gone = PromiseWithdrawn(promise_id=promise.id, request=promise.request, reason=TAKEN_BACK)
            await ctx.event_emitter.record(gone)
            lines.append(f"Withdrawn with it: {promise.id} {quoted(promise.request)}.")
        for promise in done.renewed:
            await ctx.event_emitter.record(PromiseRenewed(promise_id=promise.id, request=promise.request))
            lines.append(f"Counts again: {promise.id} {quoted(promise.request)}.")
        preserved = {r.slug: r.preserved.as_artifact() for r in returns if r.preserved is not None}
        versions = {slug: version.version for slug, version in done.versions.items()}
        withdrawn, renewed = ([each.id for each in promises] for promises in (done.withdrawn, done.renewed))
        artifacts = {"versions": versions, "preserved": preserved, "withdrawn": withdrawn, "renewed": renewed}
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


async def _planned(
    params: RestorePageParameters, ctx: ToolContext[PagesServices], workspace: Workspace, act: Act
) -> list[Return]:
    """What goes back where.

    Raises:
        LoopwrightError: there is no way back; the message says why.
    """
    if params.step != "restore":
        return await plan_step(ctx.db, ctx.session_id, workspace, params.step, params.slug, act)
    if params.slug is None:
        raise InvalidInput("Which page is to be restored? Give its slug.")
    version = params.version or await older_version(ctx.db, ctx.session_id, params.slug)
    return [await plan_restore(ctx.db, ctx.session_id, workspace, params.slug, version, params.element, act)]
