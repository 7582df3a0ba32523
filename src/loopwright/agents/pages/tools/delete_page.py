"""`delete_page`: a page goes, and the ways to it with it, once the user has agreed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.pages.deletion import Deletion, delete_page, refuse_an_end, unlink
from loopwright.agents.pages.events import PromiseWithdrawn
from loopwright.agents.pages.history import Act
from loopwright.agents.pages.ledger.relation import says
from loopwright.agents.pages.ledger.turning import DELETED
from loopwright.agents.pages.ledger.wording import quoted
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.page_writing import version_event
from loopwright.agents.pages.tools.parameters import Slug
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import InvalidInput, NotFound, Refused
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult


class DeletePageParameters(BaseModel):
    """Parameters of `delete_page`."""

    slug: Slug
    reason: str = Field(min_length=1, max_length=500, description="The user's words that ask for it")


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
    """Whether a promise of the ledger's file looks at the page or names it; the store decides what goes."""
    pages = promise.get("pages")
    on_it = isinstance(pages, list) and slug in pages
    return on_it or says(str(promise.get("request")), slug.replace("-", " "))
