"""`edit_page`: targeted changes by search/replace blocks; what they do not name stays byte for byte."""

import html as html_entities
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field

from loopwright.agents.pages.asking import Unusable, ask_model
from loopwright.agents.pages.compliance import collect_links, extract_html, page_links
from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.context.card import build_project_card
from loopwright.agents.pages.context.project import Project, load_page, load_project
from loopwright.agents.pages.design.inventory import take_inventory
from loopwright.agents.pages.parsing.edits import Edited, apply_replacements, parse_edits
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.page_writing import Draft, no_such_page, save_page, saved_by_this_call
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


@dataclass(frozen=True)
class PageEdit:
    """The page after the model's blocks, with its one-line summary; `edited` is None when nothing was to be done."""

    edited: Edited | None
    summary: str


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
        """Ask for the blocks, apply them all or none, save the new version, report."""
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
        answer = await ask_model(
            ctx, prompt, _material(params, project, html), lambda text: read_edit(text, html), max_tokens=MAX_TOKENS
        )
        if isinstance(answer, Unusable):
            return ToolResult.failure(
                f"The edit did not work: {answer.reason} Nothing was changed.",
                "Call the tool again with instructions that name the element exactly.",
            )
        if answer.edited is None:
            return ToolResult(
                success=True,
                output=f"Nothing was changed: {answer.summary}",
                artifacts={"slug": params.slug, "changed": False},
            )
        return await save_page(ctx, project, _draft(params, _with_links(answer.edited, project), answer.summary))


def _draft(params: EditPageParameters, html: str, summary: str) -> Draft:
    notes = (f"Changed: {summary}",) if summary else ()
    return Draft(params.slug, None, html, "edit", (summary or params.edit_instructions)[:500], notes)


def _material(params: EditPageParameters, project: Project, html: str) -> dict[str, Any]:
    return {
        "slug": params.slug,
        "instructions": params.edit_instructions,
        "html": html,
        "design_system": take_inventory(project.css).as_text(),
        "sitemap": [entry.model_dump() for entry in project.sitemap()],
        "project_card": build_project_card(project, with_status=False),
    }


def read_edit(answer: str, html: str) -> PageEdit | Unusable:
    """The page after the blocks of an answer, or what is wrong with them."""
    script = parse_edits(answer)
    if isinstance(script, str):
        return Unusable(script)
    if not script.blocks:
        if not script.summary:
            return Unusable("Your answer is empty. Send search/replace blocks, or say why nothing is to be done.")
        return PageEdit(None, script.summary)
    edited = apply_replacements(html, script.blocks)
    if isinstance(edited, str):
        return Unusable(edited)
    if edited.text == html:
        return PageEdit(None, script.summary or "the page is like that already.")
    if extract_html(html).status == "complete" and extract_html(edited.text).status != "complete":
        return Unusable("After these blocks the page would no longer be a whole HTML document. Keep its end tags.")
    return PageEdit(edited, script.summary)


def _lossy(given: str, saved: str | None) -> str | None:
    """Why a page that the model wrote out must not replace the saved one, or None."""
    if extract_html(given).status != "complete":
        return "current_html is not a whole HTML document."
    if saved is not None and len(given) < MAX_SHRINK * len(saved):
        return f"current_html has {len(given):,} characters, the saved page {len(saved):,}: most of it would be lost."
    return None


def _with_links(edited: Edited, project: Project) -> str:
    """Point the new links to known pages at their files; links outside the edited regions stay as they are."""
    mapping = page_links([entry.slug for entry in project.sitemap()])
    edits = []
    for link in collect_links(edited.text):
        target = mapping.get(link.slug) if link.slug else None
        new = any(start <= link.start and link.end <= end for start, end in edited.regions)
        if target is not None and new and target + link.suffix != link.href:
            address = html_entities.escape(target + link.suffix, quote=True)
            edits.append(Edit(link.start, link.end, address if link.quote else f'"{address}"'))
    return apply_edits(edited.text, edits)
