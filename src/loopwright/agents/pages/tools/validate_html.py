"""`validate_html`: a page against the mobile rules."""

from typing import Annotated

from pydantic import BaseModel, Field

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.context.project import load_page, load_project
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.page_writing import known_slugs, no_such_page
from loopwright.agents.pages.tools.parameters import Slug, at_most
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class ValidateHtmlParameters(BaseModel):
    """Parameters of `validate_html`."""

    slug: Slug
    html: Annotated[str | None, at_most(1_000_000)] = Field(
        default=None, description="A draft to check instead of the saved page"
    )


class ValidateHtml(BaseTool[ValidateHtmlParameters, PagesServices]):
    """Checks a page; that it has errors is a finding, no failure of the tool."""

    name = "validate_html"
    parameters_model = ValidateHtmlParameters
    effect = "pure"

    async def execute(self, params: ValidateHtmlParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """The report as text, and as data in the artifacts."""
        project = await load_project(ctx.db, ctx.session_id, Workspace(ctx.output_dir))
        html = params.html or await load_page(ctx.db, ctx.session_id, project.workspace, params.slug)
        if html is None:
            return await no_such_page(ctx, params.slug)
        report = validate_page(html, css=project.css, slug=params.slug, known_slugs=known_slugs(project, params.slug))
        return ToolResult(success=True, output=report.for_model(), artifacts=report.model_dump(mode="json"))
