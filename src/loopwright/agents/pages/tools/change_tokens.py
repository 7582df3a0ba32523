"""`change_tokens`: other values for tokens of the design system, once the user has seen what they touch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.pages.context.facts_keeping import refresh_facts
from loopwright.agents.pages.context.project import load_project
from loopwright.agents.pages.design.change import MAX_CHANGES, SchemeChoice
from loopwright.agents.pages.design.impact import Impact, measure_impact
from loopwright.agents.pages.design.wording import impact_lines
from loopwright.agents.pages.events import TokensChanged
from loopwright.agents.pages.ledger.guarding import before_restyling
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.workspace import DESIGN_SYSTEM, Workspace
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult


class ChangeTokensParameters(BaseModel):
    """Parameters of `change_tokens`."""

    changes: dict[str, str] = Field(
        min_length=1, max_length=MAX_CHANGES, description='Token to new value, such as {"--color-accent": "#0a7d5c"}'
    )
    scheme: SchemeChoice = Field(default="both", description="Where the new value holds")


class ChangeTokens(BaseTool[ChangeTokensParameters, PagesServices]):
    """Splices the values into the sheet; it runs alone, because every page depends on it."""

    name = "change_tokens"
    parameters_model = ChangeTokensParameters
    effect = "idempotent"

    def gate(self, params: ChangeTokensParameters) -> GateRequest | None:
        """The user's yes."""
        named = ", ".join(f"{name}: {value}" for name, value in params.changes.items())
        details = {"changes": params.changes, "scheme": params.scheme}
        return GateRequest("patch", f"Change the design system ({named[:200]})?", details=details)

    def preview(self, params: ChangeTokensParameters, folder: Path, services: Any) -> Mapping[str, Any]:
        """What it touches: rules, pages, elements, and every contrast that it moves.

        Raises:
            NotFound: there is no design system.
            InvalidInput: there is no such token, or the value is none for it.
        """
        impact, _ = impact_on(Workspace(folder), params.changes, params.scheme)
        return {"preview": {"changes": impact_lines(impact)}, "impact": impact.model_dump(mode="json")}

    async def execute(self, params: ChangeTokensParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Splice, keep the version, write the file, tell of it; each step may be repeated."""
        workspace = Workspace(ctx.output_dir)
        try:
            impact, css = impact_on(workspace, params.changes, params.scheme)
        except (InvalidInput, NotFound) as error:
            return ToolResult.failure(error.message, error.hint or "")
        project = await load_project(ctx.db, ctx.session_id, workspace)
        refusal = await before_restyling(ctx, project, css)
        if refusal is not None:
            return refusal
        lines = impact_lines(impact)
        saved = await ctx.db.design_systems.save(
            ctx.session_id,
            css,
            source="tokens",
            description=lines[0],
            on_disk=workspace.read_design_system(),
            run_id=ctx.run_id,
            call_id=ctx.call_id,
        )
        workspace.write_design_system(css)
        await refresh_facts(ctx.db, ctx.session_id, workspace, run_id=ctx.run_id)
        await ctx.event_emitter.record(
            TokensChanged(
                changes=params.changes,
                scheme=params.scheme,
                version=saved.version,
                elements=impact.elements,
                weakened=len(impact.falling),
            )
        )
        artifacts = {"path": DESIGN_SYSTEM, "version": saved.version, "impact": impact.model_dump(mode="json")}
        output = "\n".join([f"{DESIGN_SYSTEM} is saved as version {saved.version}.", *lines])
        return ToolResult(success=True, output=output, artifacts=artifacts)


def impact_on(workspace: Workspace, changes: Mapping[str, str], scheme: SchemeChoice) -> tuple[Impact, str]:
    """What a change would touch in a session's folder, and the sheet that it would make.

    Raises:
        NotFound: there is no design system.
        InvalidInput: there is no such token, or a value is none for it.
    """
    css = workspace.read_design_system()
    if not css.strip():
        raise NotFound("There is no design system yet.", hint="The first run of the session makes one.")
    pages = {file.slug: workspace.read_page(file.slug) or "" for file in workspace.page_files()}
    return measure_impact(css, changes, scheme, pages)
