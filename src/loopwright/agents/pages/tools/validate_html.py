"""`validate_html`: a page against the mobile rules, and in the browser where there is one."""

import asyncio
from typing import Annotated, Any

from pydantic import BaseModel, Field

from loopwright.agents.pages.browser.rendering import Rendering, render_pages
from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.context.project import Project, load_page, load_project
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.self_check import FINDINGS_TOLD, SWITCHED_OFF, Finding, measured_event, rounds_allowed
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
        """The report as text, and as data in the artifacts; what the browser shows beside it, where there is one."""
        project = await load_project(ctx.db, ctx.session_id, Workspace(ctx.output_dir))
        html = params.html or await load_page(ctx.db, ctx.session_id, project.workspace, params.slug)
        if html is None:
            return await no_such_page(ctx, params.slug)
        slugs = known_slugs(project, params.slug)
        # Cascade and scripts of a large page take a tenth of a second, in which other runs would stand still.
        report = await asyncio.to_thread(validate_page, html, css=project.css, slug=params.slug, known_slugs=slugs)
        seen = await self._look(params, ctx, project, html)
        return ToolResult(
            success=True,
            output="\n".join([report.for_model(), *_told(params.slug, seen)]),
            artifacts={**report.model_dump(mode="json"), "browser": _as_data(seen)},
        )

    async def _look(
        self, params: ValidateHtmlParameters, ctx: ToolContext[PagesServices], project: Project, html: str
    ) -> Rendering | None:
        """The page in the browser; None where it is switched off. A look at a saved page goes into the journal."""
        if not rounds_allowed(ctx.settings):
            return None
        pages = {slug: await load_page(ctx.db, ctx.session_id, project.workspace, slug) or "" for slug in project.slugs}
        pages[params.slug] = html
        rendering = await render_pages(ctx.db.browser, pages, project.css, [params.slug])
        if params.html is None and rendering.failure is None:
            await ctx.event_emitter.record(measured_event(rendering, pages, project.css, [params.slug]))
        return rendering


def _told(slug: str, seen: Rendering | None) -> list[str]:
    """What the browser shows, for the model."""
    if seen is None:
        return []
    if seen.failure is not None:
        return [f"In the browser: {seen.failure}."]
    errors = [Finding(slug, issue) for issue in seen.findings[slug] if issue.severity == "error"]
    if not errors:
        return [f"In Chromium, 430 px wide, '{slug}' is as it should be."]
    lines = [finding.line() for finding in errors[:FINDINGS_TOLD]]
    more = [f"- and {len(errors) - FINDINGS_TOLD} more"] if len(errors) > FINDINGS_TOLD else []
    return [f"In Chromium, 430 px wide, '{slug}' is not valid: {len(errors)} errors.", *lines, *more]


def _as_data(seen: Rendering | None) -> dict[str, Any]:
    if seen is None:
        return {"rendered": False, "reason": SWITCHED_OFF}
    if seen.failure is not None:
        return {"rendered": False, "reason": seen.failure}
    issues = [issue.model_dump(mode="json", exclude_none=True) for found in seen.findings.values() for issue in found]
    return {"rendered": True, "findings": issues}
