"""`build_pages`: style sheet and pages of the plan, drawn in neutral blocks without a word from the model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.pages.brief.features import read_theme
from loopwright.agents.pages.brief.knowledge import GENERAL
from loopwright.agents.pages.context.relevance import load_project
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.domain.app_model import AppModel, AppPage, from_data
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_of_model
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.interview import Parameters
from loopwright.agents.pages.tools.writing import (
    MAX_PAGES,
    Draft,
    ready_to_save,
    save_page,
    save_style_sheet,
    saved_by_this_call,
    sheet_event,
)
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class BuildPagesParameters(Parameters):
    """`build_pages` takes everything from the plan."""


@dataclass
class Built:
    """What was drawn, by slug, and why other pages were not; `lines` tell what stands on each."""

    made: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    issues: list[Mapping[str, Any]] = field(default_factory=list)


class BuildPages(BaseTool[BuildPagesParameters, PagesServices]):
    """Draws what the plan names and the session lacks; it runs alone, because it writes the style sheet."""

    name = "build_pages"
    parameters_model = BuildPagesParameters
    effect = "idempotent"
    timeout_seconds = 300.0

    async def execute(self, params: BuildPagesParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Draw the plan that `analyze_brief` has stored."""
        session = await ctx.db.sessions.get(ctx.session_id)
        model = from_data(session.metadata.get("app_model"))
        if model is None:
            return ToolResult.failure("There is no plan yet.", "Call analyze_brief with your plan first.")
        built = await draw_app(ctx, model, str(session.metadata.get("brief") or ""))
        lines = [*built.lines, *(f"{slug} is missing: {reason}" for slug, reason in built.failed.items())]
        return ToolResult(
            success=not built.failed,
            output="\n".join(lines) or f"Pages drawn: {len(built.made)}",
            artifacts={"made": built.made, "failed": built.failed, "issues": built.issues},
            error="\n".join(lines) if built.failed else None,
        )


async def draw_app(ctx: ToolContext[PagesServices], model: AppModel, brief: str) -> Built:
    """Draw style sheet and pages of an app, as far as the session has them not yet.

    Args:
        ctx: the call; what it has stored before it was interrupted is stored once.
        model: what the app consists of.
        brief: the user's words, for the look.
    """
    built = Built()
    project = await load_project(ctx.db, ctx.session_id, Workspace(ctx.output_dir))
    if not project.css:
        css = _sheet(brief, model, project.metadata.get("style_tokens"))
        saved = await save_style_sheet(ctx, project, css, source="create")
        if isinstance(saved, ToolResult):
            built.failed["design-system"] = saved.error or saved.output
            return built
        await ctx.event_emitter.record(sheet_event(css))
    for page in model.pages[:MAX_PAGES]:
        project = await load_project(ctx.db, ctx.session_id, Workspace(ctx.output_dir))
        html = await saved_by_this_call(ctx, project, page.slug)
        if html is None and page.slug in project.slugs:
            continue
        ctx.event_emitter.progress(f"Drawing page {page.slug}", slug=page.slug)
        if html is None:
            entry = PageEntry(slug=page.slug, title=page.title)
            html, _ = await ready_to_save(project, entry, draw_page(model, page, brief), page.title, model.language)
        result = await save_page(ctx, project, Draft(page.slug, page.title, html, "generate", page.title))
        if not result.success:
            built.failed[page.slug] = result.error or result.output
            continue
        built.made.append(page.slug)
        built.issues += (result.artifacts or {}).get("issues", ())
        shown = ", ".join(f"{block.title} ({block.kind})" for block in page.blocks) or "leads to the others"
        built.lines.append(f"{page.slug} “{page.title}”: {shown}")
    return built


def draw_page(model: AppModel, page: AppPage, brief: str) -> str:
    """The document of a page."""
    sitemap = tuple(SitemapEntry(each.slug, each.title) for each in model.pages)
    request = PageRequest(page.slug, page.title, page.title, GENERAL, model.name, sitemap, brief)
    return render_of_model(model, request)


def _sheet(brief: str, model: AppModel, tokens: Mapping[str, Any] | None) -> str:
    said = read_theme(brief)
    return render_design_system(
        GENERAL,
        style_tokens=tokens,
        brand_colors=said.brand_colors,
        app_name=model.name,
        style_words=said.style_words,
        mode=said.mode,
        brief=brief,
    )
