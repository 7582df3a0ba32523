"""`extract_style`: style tokens out of a reference image."""

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.style.palette import Swatch, read_palette
from loopwright.agents.pages.style.shapes import Shapes, measure_shapes
from loopwright.agents.pages.style.sources import read_image
from loopwright.agents.pages.style.tokens import StyleTokens, make_tokens
from loopwright.agents.pages.style.vision import believe, read_seen, vision_request
from loopwright.agents.pages.tools.parameters import at_most
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import ModelError
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.kernel.web.addresses import AddressRule, is_public

VISION_MODEL = "model_vision"
"""The run's option that names a model with eyes; an installation's setting fills it."""


class ExtractStyleParameters(BaseModel):
    """Parameters of `extract_style`."""

    image_url: Annotated[str, at_most(14_000_000)] = Field(
        min_length=1, description="A listed image path, a data URL, or an http(s) address"
    )


class ExtractStyle(BaseTool[ExtractStyleParameters, PagesServices]):
    """Measures an image, and asks a model with eyes about it where one is configured.

    Images come from the session's uploads, data URLs and public hosts only.
    """

    name = "extract_style"
    parameters_model = ExtractStyleParameters
    effect = "pure"
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
