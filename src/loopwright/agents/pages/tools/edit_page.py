"""`edit_page`: targeted changes, proven to leave everything else as it was."""

import html as html_entities
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from loopwright.agents.pages.asking import Unusable, ask_model
from loopwright.agents.pages.compliance import collect_links, extract_html, page_links
from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.context.card import build_project_card
from loopwright.agents.pages.context.project import Project, load_page, load_project
from loopwright.agents.pages.design.inventory import take_inventory
from loopwright.agents.pages.design.repair import invented_variables
from loopwright.agents.pages.editing.answers import PageEdit, read_edit
from loopwright.agents.pages.editing.operations import operations_schema
from loopwright.agents.pages.editing.regions import Revision
from loopwright.agents.pages.ledger.keeping import promises_about
from loopwright.agents.pages.ledger.proposals import NO_PROPOSALS
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.page_writing import (
    Draft,
    asker_of,
    no_such_page,
    save_page,
    saved_by_this_call,
)
from loopwright.agents.pages.tools.parameters import Slug, at_most
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

MAX_TOKENS = 8_000
MAX_SHRINK = 0.5
"""A `current_html` shorter than this share of the saved page has lost most of it: models abbreviate."""


class EditPageParameters(BaseModel):
    """Parameters of `edit_page`."""

    slug: Slug
    edit_instructions: Annotated[str, at_most(8_000)] = Field(
        min_length=1, description="Element, change, and what must stay"
    )
    current_html: Annotated[str | None, at_most(1_000_000)] = Field(default=None, description="Normally left out")


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
    return {
        "slug": params.slug,
        "instructions": params.edit_instructions,
        "html": html,
        "design_system": take_inventory(project.css).as_text(),
        "sitemap": [entry.model_dump() for entry in project.sitemap()],
        "project_card": build_project_card(project, with_status=False),
        "promises": list(promises),
    }


def _lossy(given: str, saved: str | None) -> str | None:
    """Why a page that the model wrote out must not replace the saved one, or None."""
    if extract_html(given).status != "complete":
        return "current_html is not a whole HTML document."
    if saved is not None and len(given) < MAX_SHRINK * len(saved):
        return f"current_html has {len(given):,} characters, the saved page {len(saved):,}: most of it would be lost."
    return None


def _settled(revision: Revision, project: Project) -> Revision:
    """The page after the model's edit, with what the house sets right in the edited regions."""
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
