"""`extract_style`: style tokens out of a reference image."""

import asyncio
import json
from typing import Annotated

from pydantic import BaseModel, Field

from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.style.palette import read_palette
from loopwright.agents.pages.style.sources import read_image
from loopwright.agents.pages.style.tokens import make_tokens
from loopwright.agents.pages.tools.parameters import at_most
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.kernel.web.addresses import AddressRule, is_public


class ExtractStyleParameters(BaseModel):
    """Parameters of `extract_style`."""

    image_url: Annotated[str, at_most(14_000_000)] = Field(
        min_length=1, description="A listed image path, a data URL, or an http(s) address"
    )


class ExtractStyle(BaseTool[ExtractStyleParameters, PagesServices]):
    """Measures an image's colours. Images come from the session's uploads, data URLs and public hosts only."""

    name = "extract_style"
    parameters_model = ExtractStyleParameters
    effect = "pure"
    timeout_seconds = 60.0

    def __init__(self, allowed: AddressRule = is_public) -> None:
        """`allowed` decides which addresses may be fetched from."""
        self._allowed = allowed

    async def execute(self, params: ExtractStyleParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Read the image and make tokens of its palette; what cannot be read is an expected failure."""
        data = await read_image(params.image_url, Workspace(ctx.output_dir), self._allowed)
        palette = await asyncio.to_thread(read_palette, data)
        found = {"style_tokens": make_tokens(palette).model_dump(mode="json")}
        return ToolResult(success=True, output=json.dumps(found), artifacts=found)
