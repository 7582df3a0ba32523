"""`read_page`: the current HTML of a page."""

from pydantic import BaseModel

from loopwright.agents.pages.context.project import load_page
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.page_writing import no_such_page
from loopwright.agents.pages.tools.parameters import Slug
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class ReadPageParameters(BaseModel):
    """Parameters of `read_page`."""

    slug: Slug


class ReadPage(BaseTool[ReadPageParameters, PagesServices]):
    """Reads a page as it is now."""

    name = "read_page"
    parameters_model = ReadPageParameters
    effect = "pure"

    async def execute(self, params: ReadPageParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """The whole HTML as output."""
        html = await load_page(ctx.db, ctx.session_id, Workspace(ctx.output_dir), params.slug)
        if html is None:
            return await no_such_page(ctx, params.slug)
        return ToolResult(success=True, output=html, artifacts={"slug": params.slug, "size_bytes": len(html.encode())})
