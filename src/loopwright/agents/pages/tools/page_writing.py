"""What `generate_page` and `edit_page` share: saving a version, telling of it, and the report."""

from dataclasses import dataclass

from loopwright.agents.pages.compliance import ValidationReport, validate_page
from loopwright.agents.pages.context.project import Project
from loopwright.agents.pages.events import PageCreated, PageVersionCreated, VersionSource
from loopwright.agents.pages.ports import PagesServices
from loopwright.kernel.tools import ToolContext, ToolResult


@dataclass(frozen=True)
class Draft:
    """A page that is ready to be saved; `notes` are told to the model beside the report."""

    slug: str
    title: str | None
    html: str
    source: VersionSource
    description: str
    notes: tuple[str, ...] = ()


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


async def save_page(ctx: ToolContext[PagesServices], project: Project, draft: Draft) -> ToolResult:
    """Store the version, then write the file, then tell of it; each step may be repeated.

    The version comes first: after a crash between the two, the repeated call finds it and writes the same file.
    """
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
    if stored.version == 1:
        await ctx.event_emitter.record(
            PageCreated(slug=draft.slug, title=draft.title or draft.slug, version=stored.version)
        )
    await ctx.event_emitter.record(PageVersionCreated(slug=draft.slug, version=stored.version, source=draft.source))
    report = validate_page(draft.html, css=project.css, slug=draft.slug, known_slugs=known_slugs(project, draft.slug))
    return _result(draft, stored.version, report)


def _result(draft: Draft, version: int, report: ValidationReport) -> ToolResult:
    size = len(draft.html.encode())
    lines = [f"Page '{draft.slug}' is saved as version {version} ({size:,} bytes).", *draft.notes, report.for_model()]
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
            "issues": [issue.model_dump(mode="json", exclude_none=True) for issue in report.issues],
        },
    )
