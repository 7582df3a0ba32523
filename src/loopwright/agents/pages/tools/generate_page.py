"""`generate_page`: a whole page, written by the model, made fit for the phone, saved as a version and as a file."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BaseModel, Field
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.asking import CUT_OFF, Unusable, ask_model
from loopwright.agents.pages.compliance import ensure_mobile_shell, extract_html, page_links, rewrite_links
from loopwright.agents.pages.compliance.fixes import fix_page
from loopwright.agents.pages.compliance.outside import calls_out
from loopwright.agents.pages.context.card import build_project_card
from loopwright.agents.pages.context.project import Project, load_project
from loopwright.agents.pages.context.relevance import relevant_sections
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.design.inventory import take_inventory
from loopwright.agents.pages.design.repair import fix_drift
from loopwright.agents.pages.ledger.keeping import promises_about
from loopwright.agents.pages.ledger.proposals import Proposals, split_promises
from loopwright.agents.pages.parsing.cut_off import whole_page
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.page_frame import frame_of, put_right, without_strangers
from loopwright.agents.pages.tools.page_writing import Draft, asker_of, known_slugs, save_page, saved_by_this_call
from loopwright.agents.pages.tools.parameters import Slug, at_most
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

MAX_TOKENS = 12_000
MAX_PAGES = 20
"""Pages of one session; a plan has at most eight, later wishes may add some."""

REACHED_SHOWN = 5
MIN_TEXT = 20
"""Characters of visible text below which a page is no page."""

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


class GeneratePageParameters(BaseModel):
    """Parameters of `generate_page`."""

    slug: Slug
    title: str = Field(min_length=1, max_length=100, description="Title as the user reads it")
    description: Annotated[str, at_most(8_000)] = Field(
        min_length=1, description="What stands on the page, what it does, where it leads"
    )
    design_system_css: Annotated[str | None, at_most(200_000)] = Field(default=None, description="Normally left out")
    data_model: dict[str, Any] | None = Field(default=None, description="Entities and relations; normally left out")


class GeneratePage(BaseTool[GeneratePageParameters, PagesServices]):
    """Writes one page; different pages are written side by side."""

    name = "generate_page"
    parameters_model = GeneratePageParameters
    effect = "idempotent"
    timeout_seconds = 900.0

    def touches(self, params: GeneratePageParameters) -> frozenset[str]:
        """The page alone."""
        return frozenset({f"page:{params.slug}"})

    async def execute(self, params: GeneratePageParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Ask for the document, repair what needs no judgement, save it, report what is left to mend."""
        project = await load_project(ctx.db, ctx.session_id, Workspace(ctx.output_dir))
        entry = PageEntry(slug=params.slug, title=params.title)
        if params.slug not in project.slugs and len(project.slugs) >= MAX_PAGES:
            return ToolResult.failure(f"The session has {MAX_PAGES} pages already.", "Change an existing page instead.")
        done = await saved_by_this_call(ctx, project, params.slug)
        if done is not None:
            return await save_page(ctx, project, _draft(params, done))
        if refusal := await _would_be_lost(ctx, project, params.slug):
            return refusal
        ctx.event_emitter.progress(f"Writing page {params.slug}", slug=params.slug)
        prompt = ctx.prompts.render("pages/generate-page")
        promises = await promises_about(ctx.db, ctx.session_id, params.slug)
        told = material(params, project, promises)
        answer = await ask_model(ctx, prompt, told, read_page, max_tokens=MAX_TOKENS, salvage=whole_page)
        if isinstance(answer, Unusable):
            return ToolResult.failure(
                f"No usable page came: {answer.reason}", "Call the tool again with a shorter description."
            )
        mapping = page_links([known.slug for known in project.sitemap(entry)])
        known = known_slugs(project, params.slug)
        shell = ensure_mobile_shell(rewrite_links(answer.html, mapping), title=params.title, lang=_lang(params))
        html, taken_out = without_strangers(shell.html, known, params.description)
        fixed = await asyncio.to_thread(fix_page, html, css=project.css, slug=params.slug, known_slugs=known)
        html, drawn = put_right(fixed.html, fixed.report.issues)
        mended = fix_drift(html, project.css)
        repairs = [*shell.fixes, *taken_out, *fixed.summaries, *drawn]
        notes = [*([f"Repaired: {', '.join(repairs)}."] if repairs else []), *mended.notes()]
        if not project.css:
            notes.append("There is no design-system.css yet: call create_design_system, then look at the page again.")
        return await save_page(ctx, project, replace(_draft(params, mended.html, *notes), proposals=answer.proposals))


async def _would_be_lost(ctx: ToolContext[PagesServices], project: Project, slug: str) -> ToolResult | None:
    """The refusal of a page that an earlier run has made and that the user did not ask to be written anew."""
    if slug not in project.slugs:
        return None
    first = min(await ctx.db.pages.versions(ctx.session_id, slug), key=lambda version: version.version)
    if first.run_id == ctx.run_id or asker_of(ctx, project).wants_rewrite(slug):
        return None
    return ToolResult.failure(
        f"Page {slug!r} exists since an earlier run; writing it anew would lose what it has.",
        "Change it with edit_page. A page is written anew only when the user says so in their own words, for example "
        f'"rewrite the page {slug}"; if you think that it is necessary, ask them.',
    )


def _lang(params: GeneratePageParameters) -> str:
    return "zh" if _CHINESE.search(params.title + params.description) else "en"


def _draft(params: GeneratePageParameters, html: str, *notes: str) -> Draft:
    return Draft(params.slug, params.title, html, "generate", params.description[:500], notes)


def material(params: GeneratePageParameters, project: Project, promises: Sequence[str] = ()) -> dict[str, Any]:
    """What the model is told; the same bytes while other pages of the plan come into being."""
    css = params.design_system_css or project.css
    hint = f"{params.slug} {params.title} {params.description}"
    entry = PageEntry(slug=params.slug, title=params.title)
    sitemap = project.sitemap(entry)
    return {
        "slug": params.slug,
        "title": params.title,
        "description": params.description,
        "product_type": project.product_type,
        "app_name": project.app_name,
        "brief": project.metadata.get("brief"),
        "sitemap": [each.model_dump() for each in sitemap],
        "frame": frame_of(entry, sitemap, app_name=project.app_name, lang=_lang(params)),
        "data_model": params.data_model or project.metadata.get("data_model"),
        "project_card": build_project_card(project, with_status=False),
        "sections": relevant_sections(project.sections, hint),
        "design_system": take_inventory(css).as_text(),
        "promises": list(promises),
    }


@dataclass(frozen=True)
class WrittenPage:
    """A page as the model wrote it, and the checks that it proposes for the ledger of promises."""

    html: str
    proposals: Proposals


def read_page(answer: str) -> WrittenPage | Unusable:
    """The page and the proposals of an answer."""
    rest, proposals = split_promises(answer)
    html = read_document(rest)
    return html if isinstance(html, Unusable) else WrittenPage(html, proposals)


def read_document(answer: str) -> str | Unusable:
    """The HTML document of an answer, when there is a whole one with something on it."""
    found = extract_html(answer)
    if found.status == "truncated":
        return Unusable(CUT_OFF)
    if found.html is None:
        return Unusable("There is no HTML document in your answer. Send the whole page in one ```html fence.")
    body = LexborHTMLParser(found.html).body
    text = " ".join(body.text(separator=" ").split()) if body is not None else ""
    if len(text) < MIN_TEXT:
        return Unusable("The page is empty. Send the whole page with its real content.")
    if reached := calls_out(found.html):
        told = "; ".join(reached[:REACHED_SHOWN])
        return Unusable(f"{told}. A prototype reaches no other host: keep its data in the page and in localStorage.")
    return found.html
