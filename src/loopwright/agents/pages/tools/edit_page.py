"""`edit_page` and `validate_html`: changes of a page, and the judgement of its markup."""

import asyncio
import html as html_entities
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from loopwright.agents.pages.asking import Unusable, ask_model
from loopwright.agents.pages.browser.rendering import Rendering, render_pages
from loopwright.agents.pages.compliance import collect_links, extract_html, page_links, validate_page
from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.context.card import build_project_card
from loopwright.agents.pages.context.relevance import Project, load_page, load_project
from loopwright.agents.pages.design.completion import invented_variables
from loopwright.agents.pages.design.tokens import take_inventory
from loopwright.agents.pages.editing.answers import PageEdit, read_edit
from loopwright.agents.pages.editing.operations import operations_schema
from loopwright.agents.pages.editing.regions import Revision
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.promises.keeping import promises_about
from loopwright.agents.pages.promises.replay import NO_PROPOSALS
from loopwright.agents.pages.self_check import FINDINGS_TOLD, SWITCHED_OFF, Finding, measured_event, rounds_allowed
from loopwright.agents.pages.tools.interview import Parameters, Slug, at_most
from loopwright.agents.pages.tools.writing import (
    Draft,
    asker_of,
    known_slugs,
    no_such_page,
    save_page,
    saved_by_this_call,
)
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

# `validate_html`: a page against the mobile rules, and in the browser where there is one.


class ValidateHtmlParameters(Parameters):
    """Parameters of `validate_html`."""

    slug: Slug
    html: SkipJsonSchema[Annotated[str | None, at_most(1_000_000)]] = None


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


MAX_TOKENS = 8_000
MAX_SHRINK = 0.5
"""A `current_html` shorter than this share of the saved page has lost most of it: models abbreviate."""


class EditPageParameters(Parameters):
    """Parameters of `edit_page`."""

    slug: Slug
    edit_instructions: Annotated[str, at_most(8_000)] = Field(min_length=1)
    current_html: SkipJsonSchema[Annotated[str | None, at_most(1_000_000)]] = None


class EditPage(BaseTool[EditPageParameters, PagesServices]):
    """Edits one page; different pages are edited side by side."""

    name = "edit_page"
    parameters_model = EditPageParameters
    effect = "idempotent"
    timeout_seconds = 600.0

    def touches(self, params: EditPageParameters) -> frozenset[str]:
        """The page alone."""
        return frozenset({f"page:{params.slug}"})

    async def execute(self, params: EditPageParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Ask for the edit, carry it out whole or not at all, prove it, save the new version, report."""
        project = await load_project(ctx.db, ctx.session_id, Workspace(ctx.output_dir))
        done = await saved_by_this_call(ctx, project, params.slug)
        if done is not None:
            return await save_page(ctx, project, _draft(params, done, "repeated after an interruption"))
        saved = await load_page(ctx.db, ctx.session_id, project.workspace, params.slug)
        if saved is None and params.current_html is None:
            return await no_such_page(ctx, params.slug)
        html = params.current_html or saved or ""
        if params.current_html and (problem := _lossy(params.current_html, saved)):
            return ToolResult.failure(problem, "Leave current_html out, and the saved page is edited.")
        ctx.event_emitter.progress(f"Editing page {params.slug}", slug=params.slug)
        prompt = ctx.prompts.render("pages/edit-page")
        asker = asker_of(ctx, project, params.edit_instructions)
        answer = await ask_model(
            ctx,
            prompt,
            _material(params, project, html, await promises_about(ctx.db, ctx.session_id, params.slug)),
            lambda text: read_edit(text, html, params.slug, asker, lambda revision: _settled(revision, project)),
            max_tokens=MAX_TOKENS,
            grammar=operations_schema(),
        )
        if isinstance(answer, Unusable):
            return ToolResult.failure(
                f"The edit did not work: {answer.reason} Nothing was changed.",
                "Call the tool again with instructions that name the element exactly.",
            )
        if answer.revision is None or answer.preserved is None:
            return ToolResult(
                success=True,
                output=f"Nothing was changed: {answer.summary}",
                artifacts={"slug": params.slug, "changed": False},
            )
        return await save_page(ctx, project, _draft(params, answer.revision.after, answer.summary, answer))


def _draft(params: EditPageParameters, html: str, summary: str, edit: PageEdit | None = None) -> Draft:
    preserved = edit.preserved if edit else None
    return Draft(
        slug=params.slug,
        title=None,
        html=html,
        source="edit",
        description=(summary or params.edit_instructions)[:500],
        notes=(*([f"Changed: {summary}"] if summary else []), *([preserved.as_line()] if preserved else [])),
        instructions=params.edit_instructions,
        proposals=edit.proposals if edit else NO_PROPOSALS,
        artifacts={"preserved": preserved.as_artifact()} if preserved else {},
    )


def _material(params: EditPageParameters, project: Project, html: str, promises: Sequence[str]) -> dict[str, Any]:
    """What the model is told: first what is the same for all pages, so that endpoints read it once."""
    return {
        "project_card": build_project_card(project, with_status=False),
        "sitemap": [entry.model_dump() for entry in project.sitemap()],
        "design_system": take_inventory(project.css).as_text(),
        "slug": params.slug,
        "html": html,
        "promises": list(promises),
        "instructions": params.edit_instructions,
    }


def _lossy(given: str, saved: str | None) -> str | None:
    """Why a page that the model wrote out must not replace the saved one, or None."""
    if extract_html(given).status != "complete":
        return "current_html is not a whole HTML document."
    if saved is not None and len(given) < MAX_SHRINK * len(saved):
        return f"current_html has {len(given):,} characters, the saved page {len(saved):,}: most of it would be lost."
    return None


def _settled(revision: Revision, project: Project) -> Revision:
    """The page after the model's edit, with what the product sets right in the edited regions."""
    return _with_links(_with_tokens(revision, project), project)


def _with_tokens(revision: Revision, project: Project) -> Revision:
    """Put existing variables in the place of new ones that nobody sets; older ones are not this edit's affair."""
    return revision.spliced(invented_variables(revision.after, project.css, before=revision.before))


def _with_links(revision: Revision, project: Project) -> Revision:
    """Point the new links to known pages at their files; links outside the edited regions stay as they are."""
    mapping = page_links([entry.slug for entry in project.sitemap()])
    edits = []
    for link in collect_links(revision.after):
        target = mapping.get(link.slug) if link.slug else None
        new = any(region.new_start <= link.start and link.end <= region.new_end for region in revision.regions)
        if target is not None and new and target + link.suffix != link.href:
            address = html_entities.escape(target + link.suffix, quote=True)
            edits.append(Edit(link.start, link.end, address if link.quote else f'"{address}"'))
    return revision.spliced(edits)
