"""The tools for the design system: made, changed, taken from pictures and pages."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from loopwright.agents.pages.asking import Unusable, ask_model
from loopwright.agents.pages.context.card import build_project_card
from loopwright.agents.pages.context.relevance import Project, load_project
from loopwright.agents.pages.design.change import MAX_CHANGES, SchemeChoice
from loopwright.agents.pages.design.check import StyleSheet, read_style_sheet
from loopwright.agents.pages.design.impact import Impact, impact_lines, measure_impact
from loopwright.agents.pages.design.tokens import take_inventory
from loopwright.agents.pages.events import TokensChanged
from loopwright.agents.pages.parsing.edits import whole_sheet
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.style.shapes import Shapes, Swatch, measure_shapes, read_palette
from loopwright.agents.pages.style.tokens import (
    StyleTokens,
    believe,
    make_tokens,
    read_image,
    read_seen,
    vision_request,
)
from loopwright.agents.pages.tools.interview import Parameters, at_most
from loopwright.agents.pages.tools.writing import save_style_sheet, sheet_event
from loopwright.agents.pages.workspace import DESIGN_SYSTEM, Workspace
from loopwright.kernel.errors import InvalidInput, ModelError, NotFound
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult
from loopwright.kernel.web.addresses import AddressRule, is_public

CHANGES: Mapping[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"token": {"type": "string"}, "value": {"type": "string"}},
        "required": ["token", "value"],
        "additionalProperties": False,
    },
}
"""The changes as the model writes them: a token such as `--color-accent`, and its new value."""


def _as_changes(changes: Any) -> Any:
    """Changes by token; a mapping stays as it is, and of a token that is named twice the last value counts."""
    if isinstance(changes, list) and all(
        isinstance(each, dict) and {"token", "value"} == each.keys() for each in changes
    ):
        return {each["token"]: each["value"] for each in changes}
    return changes


class ChangeTokensParameters(Parameters):
    """Parameters of `change_tokens`."""

    changes: Annotated[dict[str, str], BeforeValidator(_as_changes), WithJsonSchema(CHANGES)] = Field(
        min_length=1, max_length=MAX_CHANGES
    )
    scheme: SkipJsonSchema[SchemeChoice] = "both"


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
        lines = impact_lines(impact)
        saved = await save_style_sheet(ctx, project, css, source="tokens", description=lines[0])
        if isinstance(saved, ToolResult):
            return saved
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


# `create_design_system`: the style sheet that all pages share, written by the model.

MAX_TOKENS = 8_000


class CreateDesignSystemParameters(Parameters):
    """Parameters of `create_design_system`."""

    product_type: str = Field(min_length=1, max_length=100)
    brand_colors: list[str] = Field(
        default_factory=list, max_length=8, description="Hex, the main one first; may be empty"
    )
    style_tokens: SkipJsonSchema[dict[str, Any] | None] = None


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
        notes: list[str] = []
        sheet = await ask_model(
            ctx,
            ctx.prompts.render("pages/design-system"),
            _material(params, project),
            lambda answer: read_style_sheet(answer, params.brand_colors),
            max_tokens=MAX_TOKENS,
            salvage=whole_sheet,
            salvage_at_once=True,  # what a sheet lacks is added to it
            notes=notes,
        )
        if isinstance(sheet, Unusable):
            return ToolResult.failure(f"No usable style sheet came: {sheet.reason}", "Call the tool again.")
        return await save_sheet(ctx, project, sheet, notes)


def _material(params: CreateDesignSystemParameters, project: Project) -> dict[str, Any]:
    return {
        "product_type": params.product_type,
        "style_tokens": params.style_tokens or project.metadata.get("style_tokens"),
        "brand_colors": params.brand_colors,
        "app_name": project.app_name,
        "brief": project.metadata.get("brief"),
        # Without the style sheet itself: the answer must be the same when a crash made this run twice.
        "project_card": build_project_card(project, with_status=False, with_colors=False),
    }


async def save_sheet(
    ctx: ToolContext[PagesServices], project: Project, sheet: StyleSheet, said: Sequence[str] = ()
) -> ToolResult:
    """Save a sheet as the session's, unless pages would break promises under it; the call's result tells of it.

    Args:
        ctx: the call.
        project: the session's pages.
        sheet: what is saved.
        said: what else the result tells.
    """
    saved = await save_style_sheet(ctx, project, sheet.css, source="create")
    if isinstance(saved, ToolResult):
        return saved
    told = sheet_event(sheet.css)
    await ctx.event_emitter.record(told)
    notes = [*said, *(f"Note: {fix}." for fix in sheet.fixes)]
    inventory = take_inventory(sheet.css).as_text()
    output = "\n".join([f"{DESIGN_SYSTEM} is saved ({told.size_bytes:,} bytes).", *notes, inventory])
    return ToolResult(success=True, output=output, artifacts={"css": sheet.css, "path": DESIGN_SYSTEM})


# `extract_style`: style tokens out of a reference image.

VISION_MODEL = "model_vision"
"""The run's option that names a model with eyes; an installation's setting fills it."""


class ExtractStyleParameters(Parameters):
    """Parameters of `extract_style`."""

    image_url: Annotated[str, at_most(14_000_000)] = Field(min_length=1)


class ExtractStyle(BaseTool[ExtractStyleParameters, PagesServices]):
    """Measures an image, and asks a model with eyes about it where one is configured.

    Images come from the session's uploads, data URLs and public hosts only.
    """

    name = "extract_style"
    parameters_model = ExtractStyleParameters
    effect = "idempotent"
    timeout_seconds = 180.0

    def __init__(self, allowed: AddressRule = is_public) -> None:
        """`allowed` decides which addresses may be fetched from."""
        self._allowed = allowed

    async def execute(self, params: ExtractStyleParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Read the image and make tokens of it; what cannot be read is an expected failure."""
        data = await read_image(params.image_url, Workspace(ctx.output_dir), self._allowed)
        palette, shapes = await asyncio.to_thread(_measure, data)
        measured = make_tokens(palette, shapes)
        tokens, vision = await self._look(ctx, data, palette, measured)
        found = {
            "style_tokens": tokens.model_dump(mode="json"),
            "measured": {"boxes": shapes.boxes, "radius_px": shapes.radius, "gap_px": shapes.gap},
            "vision": vision,
        }
        await ctx.db.sessions.update(ctx.session_id, metadata={"style_tokens": found["style_tokens"]})
        return ToolResult(success=True, output=json.dumps(found, ensure_ascii=False), artifacts=found)

    async def _look(
        self, ctx: ToolContext[PagesServices], data: bytes, palette: Sequence[Swatch], measured: StyleTokens
    ) -> tuple[StyleTokens, str]:
        """The tokens after a model with eyes has seen the image, and a word on whether one has."""
        model = ctx.settings.get(VISION_MODEL)
        if not model:
            return measured, "not configured; colours and shapes are measured"
        ctx.event_emitter.progress(f"{model} looks at the image")
        prompt = ctx.prompts.render("pages/extract-style")
        request = await asyncio.to_thread(vision_request, prompt, data, palette, str(model))
        try:
            response = await ctx.llm_client.complete(request)
        except ModelError as error:
            return measured, f"{model} did not answer ({error.message[:200]}); colours and shapes are measured"
        seen = read_seen(response.text)
        if isinstance(seen, Unusable):
            return measured, f"{model} gave no usable answer ({seen.reason[:200]}); colours and shapes are measured"
        return believe(measured, seen, palette), f"seen by {model}"


def _measure(data: bytes) -> tuple[list[Swatch], Shapes]:
    return read_palette(data), measure_shapes(data)
