"""What `generate_page` and `edit_page` share: saving a version, telling of it, and the report."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.pages.compliance import ValidationReport, validate_page
from loopwright.agents.pages.context.facts_keeping import refresh_facts
from loopwright.agents.pages.context.project import Project
from loopwright.agents.pages.design.drift import DriftReport, measure_drift
from loopwright.agents.pages.editing.rewriting import Asker
from loopwright.agents.pages.events import PageCreated, PageDeleted, PageVersionCreated, VersionSource
from loopwright.agents.pages.history import Act, keep_work_by_hand
from loopwright.agents.pages.ledger.keeping import Keeping, Writing, after_saving, before_saving
from loopwright.agents.pages.ledger.proposals import NO_PROPOSALS, Proposals
from loopwright.agents.pages.ports import PagesServices, PageVersionRow
from loopwright.kernel.tools import ToolContext, ToolResult


@dataclass(frozen=True)
class Draft:
    """A page that is ready to be saved; `notes` are told to the model beside the report.

    `instructions` are those of an edit, `proposals` the checks that the model has proposed for the ledger of promises;
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
        lines.append("Mend the errors with one call of edit_page.")
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
