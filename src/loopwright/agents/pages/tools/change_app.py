"""`change_app`: the user's requests carried out by rules and kept only where the rendered pages show their effect."""

import html as entities
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from loopwright.agents.pages.account.looks import Looks, look_at
from loopwright.agents.pages.context.relevance import Project, load_page, load_project
from loopwright.agents.pages.editing.source_map import SourceMap
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.promises.wording import SUPERSEDED, quoted
from loopwright.agents.pages.requests.app import App
from loopwright.agents.pages.requests.carrying import Outcome, carry_out, reason_of, told
from loopwright.agents.pages.requests.meaning import known_pages
from loopwright.agents.pages.requests.reading import Request, read_requests
from loopwright.agents.pages.requests.static_look import read_looks
from loopwright.agents.pages.tools.interview import Parameters, Slug, at_most
from loopwright.agents.pages.tools.writing import Draft, save_page, save_style_sheet, sheet_event
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.account.reading import language_of
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class ChangeAppParameters(Parameters):
    """Parameters of `change_app`."""

    request: Annotated[str, at_most(4_000)] = Field(min_length=1)
    pages: SkipJsonSchema[list[Slug]] = Field(default_factory=list, max_length=20)


class ChangeApp(BaseTool[ChangeAppParameters, PagesServices]):
    """Changes pages and style sheet together; it runs alone, because it may concern every page."""

    name = "change_app"
    parameters_model = ChangeAppParameters
    effect = "idempotent"
    timeout_seconds = 600.0

    async def execute(self, params: ChangeAppParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Read the request, carry it out clause by clause, save what holds, and tell what does not."""
        workspace = Workspace(ctx.output_dir)
        project = await load_project(ctx.db, ctx.session_id, workspace)
        app = await _app_before_this_call(ctx, project)
        if not app.pages:
            return ToolResult.failure("There are no pages yet.", "Make one with generate_page.")
        language = language_of(params.request)
        browser = ctx.db.browser
        seen = browser is not None and browser.why_not() is None

        async def look(state: App) -> Looks:
            ctx.event_emitter.progress("Looking at the pages")
            if seen:
                return await look_at(browser, state.files, list(state.pages))
            return read_looks(state)

        pages = known_pages({each.slug: each.title for each in project.pages}, app.pages, await look(app))
        if params.pages:  # "the title" of a page that the user pointed at is no name of the app
            pages = [replace(page, app="") for page in pages]
        requests = [_on_pages(each, params.pages) for each in read_requests(params.request, pages)]
        after, outcomes = await carry_out(requests, app, look)
        older: list[str] = []
        refusal = await _save(ctx, project, app, after, outcomes, older)
        if refusal is not None:
            return refusal
        return ToolResult(
            success=True,
            output="\n".join([told(outcomes, language, seen=seen), *dict.fromkeys(older)]),
            artifacts={
                "changed": any(each.done for each in outcomes),
                "requests": [_as_data(each, language) for each in outcomes],
            },
        )


def _as_data(outcome: Outcome, language: str) -> dict[str, Any]:
    return {
        "said": outcome.said,
        "whole": outcome.whole,
        "done": outcome.done,
        "told": outcome.told,
        "why": "" if outcome.done else reason_of(outcome, language),
        "effect": None if outcome.effect is None else outcome.effect.model_dump(mode="json"),
    }


def _on_pages(request: Request, slugs: Sequence[str]) -> Request:
    """The request bound to the pages that the user pointed at, where its words name none."""
    if not slugs or request.effect is None or request.effect.operation == "brand":
        return request
    return replace(request, effect=request.effect.model_copy(update={"pages": tuple(slugs)}))


async def _app_before_this_call(ctx: ToolContext[PagesServices], project: Project) -> App:
    """The files as they were before this call, which may have stored some of them before it was interrupted."""
    pages: dict[str, str] = {}
    for slug in project.slugs:
        versions = await ctx.db.pages.versions(ctx.session_id, slug)
        mine = [each for each in versions if each.run_id == ctx.run_id and each.call_id == ctx.call_id]
        earlier = [each for each in versions if each not in mine and not (each.deleted or each.released)]
        if mine and earlier:
            pages[slug] = await ctx.db.pages.html(ctx.session_id, slug, earlier[0].version)
        else:
            pages[slug] = await load_page(ctx.db, ctx.session_id, project.workspace, slug) or ""
    css = project.css
    sheets = await ctx.db.design_systems.versions(ctx.session_id)
    if len(sheets) > 1 and sheets[0].run_id == ctx.run_id and sheets[0].call_id == ctx.call_id:
        css = await ctx.db.design_systems.css(ctx.session_id, sheets[1].version)
    return App(pages, css)


async def _save(
    ctx: ToolContext[PagesServices],
    project: Project,
    before: App,
    after: App,
    outcomes: Sequence[Outcome],
    older: list[str],
) -> ToolResult | None:
    """Store what changed, the style sheet first; a refusal where a promise stands in the way.

    `older` gets a line for each earlier promise in whose place a newer one has come.
    """
    done = "; ".join(each.said for each in outcomes if each.done)[:500]
    if after.css != before.css:
        stored = await save_style_sheet(ctx, project, after.css, source="tokens", description=done)
        if isinstance(stored, ToolResult):
            return stored
        await ctx.event_emitter.record(sheet_event(after.css))
        project = await load_project(ctx.db, ctx.session_id, project.workspace)
    new = [slug for slug in after.pages if slug not in before.pages]  # before the links to them
    for slug in [*new, *before.pages]:
        html = after.pages[slug]
        if html == before.pages.get(slug):
            continue
        draft = Draft(slug, None, html, "edit", done, instructions=done)
        if slug in new:
            heading = SourceMap(html).first("h1")
            title = entities.unescape(html[heading.tag.end : heading.content_end]) if heading else slug
            draft = Draft(slug, title, html, "generate", done)
        saved = await save_page(ctx, project, draft)
        if not saved.success:
            return saved
        older += [
            f"- {SUPERSEDED}{each['promise_id']} {quoted(each['request'])} by {each['by']}."
            for each in (saved.artifacts or {})["promises"]["superseded"]
        ]
    return None
