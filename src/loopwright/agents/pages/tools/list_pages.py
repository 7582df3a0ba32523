"""`list_pages`: the pages that lie in the session's folder."""

import json

from pydantic import BaseModel

from loopwright.agents.pages.context.project import load_project
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class ListPagesParameters(BaseModel):
    """`list_pages` has no parameters."""


class ListPages(BaseTool[ListPagesParameters, PagesServices]):
    """Lists the page files, in the order of the project's pages."""

    name = "list_pages"
    parameters_model = ListPagesParameters
    effect = "pure"

    async def execute(self, params: ListPagesParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Slug, title, size and time of each page."""
        project = await load_project(ctx.db, ctx.session_id, Workspace(ctx.output_dir))
        known = {page.slug: (place, page.title) for place, page in enumerate(project.pages)}
        files = project.workspace.page_files()
        files.sort(key=lambda file: known.get(file.slug, (len(known), ""))[0])
        pages = [
            {
                "slug": file.slug,
                "title": known[file.slug][1] if file.slug in known else file.slug,
                "size_bytes": file.size_bytes,
                "modified_at": file.modified_at.isoformat(timespec="seconds"),
            }
            for file in files
        ]
        output = json.dumps(pages, ensure_ascii=False) if pages else "[] (there are no pages yet)"
        return ToolResult(success=True, output=output, artifacts={"pages": pages})
