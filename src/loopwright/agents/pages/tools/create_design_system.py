"""`create_design_system`: the style sheet that all pages share, written by the model."""

from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.pages.asking import Unusable, ask_model
from loopwright.agents.pages.context.card import build_project_card
from loopwright.agents.pages.context.facts_keeping import refresh_facts
from loopwright.agents.pages.context.project import Project, load_project
from loopwright.agents.pages.design.check import StyleSheet, read_style_sheet
from loopwright.agents.pages.design.inventory import take_inventory
from loopwright.agents.pages.events import DesignSystemCreated
from loopwright.agents.pages.ledger.guarding import before_restyling
from loopwright.agents.pages.parsing.cut_off import whole_sheet
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.workspace import DESIGN_SYSTEM, Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

MAX_TOKENS = 8_000


class CreateDesignSystemParameters(BaseModel):
    """Parameters of `create_design_system`."""

    product_type: str = Field(min_length=1, max_length=100, description="As analyze_brief returned it")
    style_tokens: dict[str, Any] | None = Field(default=None, description="The result of extract_style")
    brand_colors: list[str] | None = Field(default=None, max_length=8, description="Hex colours, the main one first")


class CreateDesignSystem(BaseTool[CreateDesignSystemParameters, PagesServices]):
    """Writes `design-system.css`; it runs alone, because every page depends on it."""

    name = "create_design_system"
    parameters_model = CreateDesignSystemParameters
    effect = "idempotent"
    timeout_seconds = 900.0

    async def execute(self, params: CreateDesignSystemParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Ask for the style sheet, check it, save it."""
        project = await load_project(ctx.db, ctx.session_id, Workspace(ctx.output_dir))
        ctx.event_emitter.progress("Writing the design system")
        sheet = await ask_model(
            ctx,
            ctx.prompts.render("pages/design-system"),
            _material(params, project),
            lambda answer: read_style_sheet(answer, params.brand_colors or ()),
            max_tokens=MAX_TOKENS,
            salvage=whole_sheet,
            salvage_at_once=True,  # what a sheet lacks is added to it
        )
        if isinstance(sheet, Unusable):
            return ToolResult.failure(f"No usable style sheet came: {sheet.reason}", "Call the tool again.")
        return await save_sheet(ctx, project, sheet)


def _material(params: CreateDesignSystemParameters, project: Project) -> dict[str, Any]:
    return {
        "product_type": params.product_type,
        "style_tokens": params.style_tokens,
        "brand_colors": params.brand_colors or [],
        "app_name": project.app_name,
        "brief": project.metadata.get("brief"),
        # Without the style sheet itself: the answer must be the same when a crash made this run twice.
        "project_card": build_project_card(project, with_status=False, with_colors=False),
    }


async def save_sheet(ctx: ToolContext[PagesServices], project: Project, sheet: StyleSheet) -> ToolResult:
    """Save a sheet as the session's, unless pages would break promises under it; the call's result tells of it."""
    refusal = await before_restyling(ctx, project, sheet.css)
    if refusal is not None:
        return refusal
    await ctx.db.design_systems.save(
        ctx.session_id,
        sheet.css,
        source="create",
        on_disk=project.css,
        run_id=ctx.run_id,
        call_id=ctx.call_id,
    )
    project.workspace.write_design_system(sheet.css)
    await refresh_facts(ctx.db, ctx.session_id, project.workspace, run_id=ctx.run_id)
    inventory = take_inventory(sheet.css)
    size = len(sheet.css.encode())
    await ctx.event_emitter.record(
        DesignSystemCreated(size_bytes=size, classes=len(inventory.classes), variables=len(inventory.variables))
    )
    notes = [f"Note: {fix}." for fix in sheet.fixes]
    output = "\n".join([f"{DESIGN_SYSTEM} is saved ({size:,} bytes).", *notes, inventory.as_text()])
    return ToolResult(success=True, output=output, artifacts={"css": sheet.css, "path": DESIGN_SYSTEM})
