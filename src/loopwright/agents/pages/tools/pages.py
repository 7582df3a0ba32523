"""The tools that list, read, delete and restore pages."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from loopwright.agents.pages.context.relevance import load_page, load_project
from loopwright.agents.pages.deletion import Deletion, delete_page, refuse_an_end, unlink
from loopwright.agents.pages.events import PromiseRenewed, PromiseWithdrawn
from loopwright.agents.pages.history import Act, Return, older_version, plan_restore, plan_step
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.promises.app_pages import says
from loopwright.agents.pages.promises.turning import DELETED, TAKEN_BACK
from loopwright.agents.pages.promises.wording import quoted
from loopwright.agents.pages.returning import carry_out
from loopwright.agents.pages.sheet_history import plan_sheet_step, restore_sheet
from loopwright.agents.pages.tools.interview import Parameters, Slug
from loopwright.agents.pages.tools.writing import asker_of, no_such_page, sheet_event, version_event
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import InvalidInput, NotFound, Refused
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult

# `list_pages`: the pages that lie in the session's folder.


class ListPagesParameters(Parameters):
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


# `read_page`: the current HTML of a page.


class ReadPageParameters(Parameters):
    """Parameters of `read_page`."""

    slug: Slug


class ReadPage(BaseTool[ReadPageParameters, PagesServices]):
    """Reads a page as it is now."""

    name = "read_page"
    parameters_model = ReadPageParameters
    effect = "pure"

    async def execute(self, params: ReadPageParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """The whole HTML as output."""
        html = await load_page(ctx.db, ctx.session_id, Workspace(ctx.output_dir), params.slug)
        if html is None:
            return await no_such_page(ctx, params.slug)
        return ToolResult(success=True, output=html, artifacts={"slug": params.slug, "size_bytes": len(html.encode())})


class DeletePageParameters(Parameters):
    """Parameters of `delete_page`."""

    slug: Slug
    reason: str = Field(min_length=1, max_length=500)


class DeletePage(BaseTool[DeletePageParameters, PagesServices]):
    """Deletes a page once the user has agreed; it runs alone, because every page may lead to it."""

    name = "delete_page"
    parameters_model = DeletePageParameters
    effect = "idempotent"

    def gate(self, params: DeletePageParameters) -> GateRequest | None:
        """The user's yes."""
        details = {"slug": params.slug, "reason": params.reason}
        return GateRequest("patch", f"Delete the page {params.slug}?", details=details)

    def preview(self, params: DeletePageParameters, folder: Path, services: Any) -> Mapping[str, Any]:
        """The links that go with the page, those that are left, and the promises about it.

        Raises:
            NotFound: there is no such page; nobody is asked.
            InvalidInput: it is the only page, or the home page; nobody is asked.
        """
        workspace = Workspace(folder)
        pages = {file.slug: workspace.read_page(file.slug) or "" for file in workspace.page_files()}
        refuse_an_end(params.slug, list(pages))
        unlinked = unlink(pages, params.slug)
        promises = [each for each in workspace.read_promises() if _concerns(each, params.slug)]
        lines = [
            f"The page {params.slug} goes; an undo brings it back.",
            *Deletion(params.slug, unlinked).lines(),
            *(f"{each.get('id')} is about it. You asked: {quoted(str(each.get('request')))}" for each in promises),
            f"Why: {params.reason}",
        ]
        return {"preview": {"changes": lines}, "promises": promises}

    async def execute(self, params: DeletePageParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Delete it, and tell what went with it."""
        act = Act(ctx.run_id, ctx.call_id)
        try:
            done = await delete_page(ctx.db, ctx.session_id, Workspace(ctx.output_dir), params.slug, act)
        except (NotFound, InvalidInput, Refused) as error:
            return ToolResult.failure(error.message, error.hint)
        versions = done.returned.versions
        for version in versions.values():
            await ctx.event_emitter.record(version_event(version))
        for promise, part in done.lost:
            whole = len(part.checks) == len(promise.checks)
            for check in [None] if whole else [place + 1 for place in part.places]:
                await ctx.event_emitter.record(
                    PromiseWithdrawn(promise_id=promise.id, request=promise.request, reason=DELETED, check=check)
                )
        lines = [f"Page '{params.slug}' is deleted; an undo brings it back.", *done.deletion.lines()]
        lines += done.promise_lines()
        return ToolResult(
            success=True,
            output="\n".join(lines),
            artifacts={
                "slug": params.slug,
                "versions": {slug: version.version for slug, version in versions.items()},
                "withdrawn": [promise.id for promise, _ in done.lost],
                "preserved": {
                    r.slug: r.preserved.as_artifact() for r in done.deletion.returns if r.preserved is not None
                },
            },
        )


def _concerns(promise: Mapping[str, Any], slug: str) -> bool:
    """Whether a promise in the file looks at the page or names it; the store decides what goes."""
    pages = promise.get("pages")
    on_it = isinstance(pages, list) and slug in pages
    return on_it or says(str(promise.get("request")), slug.replace("-", " "))


# `restore_page`: undo, redo, an older version, or one element of it, when the user asks for that.

ANY_PAGE: Mapping[str, Any] = {"type": "string", "description": "The page; empty for undo and redo wherever it was"}


def _any_page(slug: Any) -> Any:
    return slug or None


class RestorePageParameters(Parameters):
    """Parameters of `restore_page`."""

    step: Literal["undo", "redo", "restore"]
    slug: Annotated[Slug | None, BeforeValidator(_any_page), WithJsonSchema(ANY_PAGE)] = Field(default=None)
    version: SkipJsonSchema[int | None] = Field(default=None, ge=1)
    element: SkipJsonSchema[str | None] = Field(default=None, min_length=1, max_length=300)


class RestorePage(BaseTool[RestorePageParameters, PagesServices]):
    """Goes back; it runs alone, because it may concern every page."""

    name = "restore_page"
    parameters_model = RestorePageParameters
    effect = "idempotent"

    async def execute(self, params: RestorePageParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Decide what goes back where, replay the promises, store, and tell."""
        workspace = Workspace(ctx.output_dir)
        project = await load_project(ctx.db, ctx.session_id, workspace)
        known = [page.slug for page in await ctx.db.pages.of_session(ctx.session_id, deleted=True)]
        if params.slug is not None and params.slug not in known:
            return await no_such_page(ctx, params.slug)
        if not asker_of(ctx, project).wants_way_back():
            return ToolResult.failure(
                "The user did not ask to go back to something older.",
                "Change the page with edit_page, or ask them whether the last change is to be undone.",
            )
        act = Act(ctx.run_id, ctx.call_id)
        try:
            sheet = None
            if params.step != "restore" and params.slug is None:
                sheet = await plan_sheet_step(ctx.db, ctx.session_id, params.step, act)
            returns = [] if sheet is not None and sheet.alone else await _planned(params, ctx, workspace, act)
            done = await carry_out(ctx.db, ctx.session_id, workspace, returns, act)
            if sheet is not None and params.step != "restore":
                await restore_sheet(ctx.db, ctx.session_id, workspace, sheet, params.step, act)
        except (InvalidInput, Refused) as error:
            return ToolResult.failure(error.message, error.hint)
        for version in done.versions.values():
            await ctx.event_emitter.record(version_event(version))
        lines = [f"Page '{r.slug}' is version {done.versions[r.slug].version} now: {r.description}." for r in returns]
        if sheet is not None:
            await ctx.event_emitter.record(sheet_event(workspace.read_design_system()))
            lines.append(f"The style sheet is as in its version {sheet.version} again.")
        lines += [r.preserved.as_line() for r in returns if r.preserved is not None]
        for promise in done.withdrawn:
            gone = PromiseWithdrawn(promise_id=promise.id, request=promise.request, reason=TAKEN_BACK)
            await ctx.event_emitter.record(gone)
            lines.append(f"Withdrawn with it: {promise.id} {quoted(promise.request)}.")
        for promise in done.renewed:
            await ctx.event_emitter.record(PromiseRenewed(promise_id=promise.id, request=promise.request))
            lines.append(f"Counts again: {promise.id} {quoted(promise.request)}.")
        preserved = {r.slug: r.preserved.as_artifact() for r in returns if r.preserved is not None}
        versions = {slug: version.version for slug, version in done.versions.items()}
        withdrawn, renewed = ([each.id for each in promises] for promises in (done.withdrawn, done.renewed))
        artifacts = {"versions": versions, "preserved": preserved, "withdrawn": withdrawn, "renewed": renewed}
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


async def _planned(
    params: RestorePageParameters, ctx: ToolContext[PagesServices], workspace: Workspace, act: Act
) -> list[Return]:
    """What goes back where.

    Raises:
        LoopwrightError: there is no way back; the message says why.
    """
    if params.step != "restore":
        return await plan_step(ctx.db, ctx.session_id, workspace, params.step, params.slug, act)
    if params.slug is None:
        raise InvalidInput("Which page is to be restored? Give its slug.")
    version = params.version or await older_version(ctx.db, ctx.session_id, params.slug)
    return [await plan_restore(ctx.db, ctx.session_id, workspace, params.slug, version, params.element, act)]
