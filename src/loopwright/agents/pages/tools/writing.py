"""`generate_page`: a page written by the model, judged before it is stored."""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from importlib import resources
from string import Template
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.asking import CUT_OFF, Unusable, ask_model
from loopwright.agents.pages.compliance import (
    ValidationReport,
    ensure_mobile_shell,
    extract_html,
    page_links,
    rewrite_links,
    validate_page,
)
from loopwright.agents.pages.compliance.fixes import fix_page
from loopwright.agents.pages.compliance.page import Issue, collect_links
from loopwright.agents.pages.compliance.validate import calls_out
from loopwright.agents.pages.context.card import build_project_card, refresh_facts
from loopwright.agents.pages.context.relevance import Project, load_project, relevant_sections
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.design.completion import fix_drift
from loopwright.agents.pages.design.drift import DriftReport, measure_drift
from loopwright.agents.pages.design.ports import DesignVersionRow
from loopwright.agents.pages.design.tokens import take_inventory
from loopwright.agents.pages.editing.applying import apply_operations, without_links_to
from loopwright.agents.pages.editing.operations import Operation, RemoveAttribute, SetAttribute
from loopwright.agents.pages.editing.regions import Asker, Revision
from loopwright.agents.pages.editing.source_map import SourceMap
from loopwright.agents.pages.events import (
    DesignSystemCreated,
    PageCreated,
    PageDeleted,
    PageVersionCreated,
    VersionSource,
)
from loopwright.agents.pages.history import Act, keep_work_by_hand
from loopwright.agents.pages.parsing.edits import whole_page
from loopwright.agents.pages.ports import PagesServices, PageVersionRow
from loopwright.agents.pages.promises.guarding import before_restyling
from loopwright.agents.pages.promises.keeping import Keeping, Writing, after_saving, before_saving, promises_about
from loopwright.agents.pages.promises.replay import NO_PROPOSALS, Proposals, split_promises
from loopwright.agents.pages.tools.interview import Parameters, Slug, at_most
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

# The frame that every new page is written into, and what is put right of a page that did not keep to it.

_SCRIPT = re.compile(r"<script\b[^>]*>\s*[^\s<]", re.IGNORECASE)
BAR_ENTRIES = 5
"""Entries of a bottom bar on a phone; further pages are reached from these."""

STAND_IN = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='400' height='240' viewBox='0 0 400 240'%3E"
    "%3Crect width='400' height='240' fill='%23cfd8e3'/%3E%3Ccircle cx='310' cy='62' r='26' fill='%23f4f6f9'/%3E"
    "%3Cpath d='M0 240 130 110l90 84 60-50 120 96z' fill='%238fa1b5'/%3E%3C/svg%3E"
)
"""A plain landscape, for a picture that the model names and that nobody has."""


def frame_of(entry: PageEntry, sitemap: Sequence[PageEntry], *, app_name: str | None, lang: str) -> str:
    """The document without its content: head, header, and the bottom bar where there are pages to go to."""
    template = resources.files("loopwright.agents.pages.tools").joinpath("page_frame.html").read_text(encoding="utf-8")
    links = "".join(_link(each, is_here=each.slug == entry.slug) for each in sitemap[:BAR_ENTRIES])
    bar = f'<nav class="bottom-nav" aria-label="Main">{links}</nav>\n' if len(sitemap) > 1 else ""
    name = f"{entry.title} · {app_name}" if app_name and app_name != entry.title else entry.title
    return Template(template).substitute(lang=lang, name=escape(name), title=escape(entry.title), bar=bar)


def _link(entry: PageEntry, *, is_here: bool) -> str:
    mark = ' aria-current="page"' if is_here else ""
    return f'<a href="{entry.slug}.html"{mark}>{escape(entry.title)}</a>'


def without_unknown_links(html: str, known_slugs: Collection[str], wanted: str) -> tuple[str, list[str]]:
    """The page without links to pages that nobody has planned, and in words what was taken out.

    Args:
        html: the page.
        known_slugs: the pages there are or will be.
        wanted: what the page was to be; a page that it speaks of may be made next, and its links stay.
    """
    named = wanted.lower()
    unknown = dict.fromkeys(
        link.slug for link in collect_links(html) if link.kind == "page" and link.slug and link.slug not in known_slugs
    )
    notes = []
    for slug in unknown:
        if slug.replace("-", " ") in named or slug in named:
            continue
        unlinked = without_links_to(html, slug)
        if unlinked.preserved is not None:
            html = unlinked.html
            notes.append(f"took out links to {slug}, which is no page of the app")
    return html, notes


def put_right(html: str, issues: Sequence[Issue]) -> tuple[str, list[str]]:
    """The page with a plain drawing for each picture that is not there, and without links to places that it lacks.

    A link to a place may be what a script works with, so that it stays in a page that has scripts.

    Returns:
        the page, and in words what was done; what is left is for the model to repair.
    """
    revision, notes = Revision.of(html), []
    has_scripts = _SCRIPT.search(html) is not None
    for issue in issues:
        measured = issue.measured or ""
        found = SourceMap(revision.after).select(issue.selector) if issue.selector else []
        if len(found) != 1 or not found[0].whole:
            continue
        element = found[0]
        if issue.rule == "missing-file" and element.name == "img" and element.tag.value("src") == measured:
            change: Operation = SetAttribute(
                op="set_attribute", selector=issue.selector or element.name, name="src", value=STAND_IN
            )
            notes.append(f"put a plain drawing in the place of {measured}, which is not there")
        elif issue.rule == "broken-link" and measured.startswith("#") and element.name == "a" and not has_scripts:
            change = RemoveAttribute(op="remove_attribute", selector=issue.selector or element.name, name="href")
            notes.append(f"took the address off a link to {measured}, which is nowhere on the page")
        else:
            continue
        revision = apply_operations(revision, [change])
    return revision.after, notes


# What `generate_page` and `edit_page` share: saving a version, telling of it, and the report.


@dataclass(frozen=True)
class Draft:
    """A page that is ready to be saved; `notes` are told to the model beside the report.

    `instructions` are those of an edit, `proposals` the checks that the model has proposed for the record of promises;
    `artifacts` go into the call's result.
    """

    slug: str
    title: str | None
    html: str
    source: VersionSource
    description: str
    notes: tuple[str, ...] = ()
    instructions: str = ""
    proposals: Proposals = NO_PROPOSALS
    artifacts: Mapping[str, Any] = field(default_factory=dict)


def version_event(version: PageVersionRow) -> PageVersionCreated | PageDeleted:
    """The event of a version that was stored."""
    if version.deleted:
        return PageDeleted(slug=version.slug, version=version.version)
    return PageVersionCreated(slug=version.slug, version=version.version, source=version.source)


async def save_style_sheet(
    ctx: ToolContext[PagesServices],
    project: Project,
    css: str,
    *,
    source: Literal["create", "tokens"],
    description: str = "",
) -> DesignVersionRow | ToolResult:
    """Store a style sheet as the session's; a refusal where pages would break promises under it.

    Args:
        ctx: the call; it stores one version however often it is repeated.
        project: the session's pages, with the sheet that is replaced.
        css: the whole text.
        source: how it came about.
        description: what was changed, in a line.
    """
    refusal = await before_restyling(ctx, project, css)
    if refusal is not None:
        return refusal
    saved = await ctx.db.design_systems.save(
        ctx.session_id,
        css,
        source=source,
        description=description,
        on_disk=project.css,
        run_id=ctx.run_id,
        call_id=ctx.call_id,
    )
    project.workspace.write_design_system(css)
    await refresh_facts(ctx.db, ctx.session_id, project.workspace, run_id=ctx.run_id)
    return saved


def sheet_event(css: str) -> DesignSystemCreated:
    """The event of a style sheet that was stored."""
    inventory = take_inventory(css)
    return DesignSystemCreated(
        size_bytes=len(css.encode()), classes=len(inventory.classes), variables=len(inventory.variables)
    )


async def no_such_page(ctx: ToolContext[PagesServices], slug: str) -> ToolResult:
    """The answer to a call about a page that does not exist."""
    slugs = [page.slug for page in await ctx.db.pages.of_session(ctx.session_id)]
    hint = f"The pages are: {', '.join(slugs)}." if slugs else "There are no pages yet; make one with generate_page."
    return ToolResult.failure(f"There is no page {slug!r}.", hint)


def known_slugs(project: Project, slug: str) -> tuple[str, ...]:
    """The pages that a link may lead to now or soon: planned ones are about to be made."""
    return (*(entry.slug for entry in project.sitemap()), slug)


async def saved_by_this_call(ctx: ToolContext[PagesServices], project: Project, slug: str) -> str | None:
    """The HTML that an earlier attempt of this very call has stored, if the process died after that."""
    if slug not in project.slugs:
        return None
    versions = await ctx.db.pages.versions(ctx.session_id, slug)
    mine = next((v for v in versions if v.run_id == ctx.run_id and v.call_id == ctx.call_id), None)
    return None if mine is None else await ctx.db.pages.html(ctx.session_id, slug, mine.version)


def asker_of(ctx: ToolContext[PagesServices], project: Project, instructions: str = "") -> Asker:
    """What the user asked for, and the pages that they may have named; `instructions` are those of an edit."""
    titles = {page.slug: page.title for page in project.pages}
    return Asker(ctx.user_message, ctx.settings, titles, instructions)


async def save_page(ctx: ToolContext[PagesServices], project: Project, draft: Draft) -> ToolResult:
    """Replay the promises, store the version, then write the file, then tell of it; each step may be repeated.

    The version comes first: after a crash between the two, the repeated call finds it and writes the same file.
    """
    is_edit = draft.source == "edit"
    writing = Writing(draft.slug, draft.html, is_edit, draft.instructions, draft.proposals)
    keeping = await before_saving(ctx, project, writing)
    if keeping.refusal is not None:
        return keeping.refusal
    if draft.slug in project.slugs:
        act = Act(ctx.run_id, ctx.call_id)
        by_hand = await keep_work_by_hand(ctx.db, ctx.session_id, project.workspace, draft.slug, act)
        if by_hand is not None:
            await ctx.event_emitter.record(
                PageVersionCreated(slug=draft.slug, version=by_hand.version, source="manual")
            )
    stored = await ctx.db.pages.save(
        ctx.session_id,
        draft.slug,
        draft.html,
        source=draft.source,
        title=draft.title,
        description=draft.description,
        run_id=ctx.run_id,
        call_id=ctx.call_id,
    )
    project.workspace.write_page(draft.slug, draft.html)
    earlier = [v for v in await ctx.db.pages.versions(ctx.session_id, draft.slug) if v.version < stored.version]
    if not earlier or earlier[0].deleted:  # newest first
        await ctx.event_emitter.record(
            PageCreated(slug=draft.slug, title=draft.title or draft.slug, version=stored.version)
        )
    await ctx.event_emitter.record(PageVersionCreated(slug=draft.slug, version=stored.version, source=draft.source))
    keeping = await after_saving(ctx, project.workspace, draft.slug, keeping)
    await refresh_facts(ctx.db, ctx.session_id, project.workspace, [draft.slug], run_id=ctx.run_id)
    # Off the event loop: reading a large page takes a tenth of a second, in which other runs would stand still.
    report = await asyncio.to_thread(
        validate_page, draft.html, css=project.css, slug=draft.slug, known_slugs=known_slugs(project, draft.slug)
    )
    return _result(draft, stored.version, report, measure_drift(draft.html, project.css), keeping)


def _result(draft: Draft, version: int, report: ValidationReport, drift: DriftReport, keeping: Keeping) -> ToolResult:
    size = len(draft.html.encode())
    saved = f"Page '{draft.slug}' is saved as version {version} ({size:,} bytes)."
    lines = [saved, *draft.notes, *keeping.lines(), report.for_model(), drift.line()]
    if not report.valid:
        lines.append("Repair the errors with one call of edit_page.")
    return ToolResult(
        success=True,
        output="\n".join(lines),
        artifacts={
            "slug": draft.slug,
            "version": version,
            "html": draft.html,
            "size_bytes": size,
            "valid": report.valid,
            "promises": keeping.to_wire(),
            "issues": [issue.model_dump(mode="json", exclude_none=True) for issue in report.issues],
            "drift": drift.model_dump(mode="json", exclude_none=True),
            **draft.artifacts,
        },
    )


MAX_TOKENS = 12_000
MAX_PAGES = 20
"""Pages of one session; a plan has at most eight, later requests may add some."""

REACHED_SHOWN = 5
MIN_TEXT = 20
"""Characters of visible text below which a page is no page."""

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


class GeneratePageParameters(Parameters):
    """Parameters of `generate_page`."""

    slug: Slug
    title: str = Field(min_length=1, max_length=100)
    description: Annotated[str, at_most(8_000)] = Field(min_length=1)
    design_system_css: SkipJsonSchema[Annotated[str | None, at_most(200_000)]] = None
    data_model: SkipJsonSchema[dict[str, Any] | None] = None


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
        """Ask for the document, repair what needs no judgement, save it, report what is left to repair."""
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
        notes: list[str] = []
        answer = await ask_model(ctx, prompt, told, read_page, max_tokens=MAX_TOKENS, salvage=whole_page, notes=notes)
        if isinstance(answer, Unusable):
            return ToolResult.failure(
                f"No usable page came: {answer.reason}", "Call the tool again with a shorter description."
            )
        html, repaired = await ready_to_save(project, entry, answer.html, params.description, _lang(params))
        notes += repaired
        if not project.css:
            notes.append("There is no design-system.css yet: call create_design_system, then look at the page again.")
        return await save_page(ctx, project, replace(_draft(params, html, *notes), proposals=answer.proposals))


async def ready_to_save(
    project: Project, entry: PageEntry, html: str, wanted: str, lang: str
) -> tuple[str, Sequence[str]]:
    """A new page with all put right that needs no judgement, and in words what that was.

    Args:
        project: the session's pages and style sheet.
        entry: the page.
        html: its document.
        wanted: what the page was to be.
        lang: its language.
    """
    mapping = page_links([known.slug for known in project.sitemap(entry)])
    known = known_slugs(project, entry.slug)
    shell = ensure_mobile_shell(rewrite_links(html, mapping), title=entry.title, lang=lang)
    html, taken_out = without_unknown_links(shell.html, known, wanted)
    fixed = await asyncio.to_thread(fix_page, html, css=project.css, slug=entry.slug, known_slugs=known)
    html, drawn = put_right(fixed.html, fixed.report.issues)
    repaired = fix_drift(html, project.css)
    repairs = [*shell.fixes, *taken_out, *fixed.summaries, *drawn]
    return repaired.html, [*([f"Repaired: {', '.join(repairs)}."] if repairs else []), *repaired.notes()]


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
    """What the model is told: first what is the same for all pages of the plan, so that endpoints read it once."""
    css = params.design_system_css or project.css
    hint = f"{params.slug} {params.title} {params.description}"
    entry = PageEntry(slug=params.slug, title=params.title)
    sitemap = project.sitemap(entry)
    return {
        "product_type": project.product_type,
        "app_name": project.app_name,
        "brief": project.metadata.get("brief"),
        "project_card": build_project_card(project, with_status=False),
        "sitemap": [each.model_dump() for each in sitemap],
        "design_system": take_inventory(css).as_text(),
        "data_model": params.data_model or project.metadata.get("data_model"),
        "sections": relevant_sections(project.sections, hint),
        "slug": params.slug,
        "title": params.title,
        "description": params.description,
        "frame": frame_of(entry, sitemap, app_name=project.app_name, lang=_lang(params)),
        "promises": list(promises),
    }


@dataclass(frozen=True)
class WrittenPage:
    """A page as the model wrote it, and the checks that it proposes for the record of promises."""

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
