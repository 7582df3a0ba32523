"""What is done with a model's product-doc patches, and the account of a run that has ended."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.brief.sitemap import HOME
from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.context.card import build_project_card, refresh_facts
from loopwright.agents.pages.context.relevance import load_page, load_project, page_of
from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.events import PageDeleted, PageVersionCreated, ProductDocUpdated, PromiseSuperseded
from loopwright.agents.pages.promises.guarding import replay_session
from loopwright.agents.pages.self_check import account
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.events import Payload
from loopwright.kernel.run import AgentRun

MAX_ISSUES = 50
"""Issues told in a run's result; the pages' own reports have them all."""


async def absorb_patches(run: AgentRun, records: Sequence[SectionPatch]) -> Sequence[Payload]:
    """Store the patches, once however often this is called for the same answer, and renew the project card."""
    docs = run.services.product_docs
    await docs.apply(run.state.session_id, records, author="llm", idempotency_key=run.key, run_id=run.state.run_id)
    workspace = Workspace(run.output_dir)
    described = [slug for patch in records if (slug := page_of(patch.name)) is not None]
    await refresh_facts(run.services, run.state.session_id, workspace, described, run_id=run.state.run_id)
    project = await load_project(run.services, run.state.session_id, workspace)
    card = build_project_card(project)
    await docs.set_project_card(run.state.session_id, card)
    return [ProductDocUpdated(sections=list(dict.fromkeys(patch.name for patch in records)), project_card=card)]


@dataclass(frozen=True)
class RunTrace:
    """What the journal says that this run did; `affected` are the pages it wrote, `deleted` those it deleted."""

    affected: frozenset[str]
    deleted: frozenset[str]
    product_doc_updated: bool
    superseded: tuple[dict[str, Any], ...] = ()
    """Older promises in whose place the user's words have put newer ones."""


async def finish(run: AgentRun) -> dict[str, Any]:
    """The run's result: every page validated, what this run changed, and where to look at it."""
    trace = await read_trace(run)
    session_id, workspace = run.state.session_id, Workspace(run.output_dir)
    await refresh_facts(run.services, session_id, workspace, run_id=run.state.run_id)
    project = await load_project(run.services, session_id, workspace)
    issues: list[dict[str, Any]] = []
    valid = bool(project.pages)
    pages = {slug: await load_page(run.services, session_id, workspace, slug) or "" for slug in project.slugs}
    for slug, html in pages.items():
        report = await asyncio.to_thread(validate_page, html, css=project.css, slug=slug, known_slugs=project.slugs)
        valid = valid and report.valid
        issues += [{"slug": slug, **issue.model_dump(mode="json", exclude_none=True)} for issue in report.issues]
    issues.sort(key=lambda issue: issue["severity"] != "error")
    if trace.affected or trace.deleted:
        await run.services.product_docs.set_project_card(session_id, build_project_card(project))
    affected = [slug for slug in project.slugs if slug in trace.affected]
    active = active_page(project.slugs, affected)
    return {
        "pages": list(project.slugs),
        "valid": valid,
        "session_dir": str(run.output_dir),
        "affected_pages": affected,
        "deleted_pages": sorted(trace.deleted - set(project.slugs)),
        "active_page_slug": active,
        "preview_url": f"/api/sessions/{session_id}/pages/{active}/preview" if active else None,
        "product_doc_updated": trace.product_doc_updated,
        "promises": {
            **(await replay_session(run.services, session_id, project)).summary(),
            "superseded": list(trace.superseded),
        },
        "self_check": account(run, await run.journal.read(run.state.run_id), pages, project.css),
        "issues": issues[:MAX_ISSUES],
    }


async def read_trace(run: AgentRun) -> RunTrace:
    """What this run wrote, from its own journal."""
    events = await run.journal.read(run.state.run_id)
    written = frozenset(event.payload["slug"] for event in events if event.type == PageVersionCreated.type)
    updated = any(event.type == ProductDocUpdated.type for event in events)
    deleted = frozenset(event.payload["slug"] for event in events if event.type == PageDeleted.type)
    told = [event.payload for event in events if event.type == PromiseSuperseded.type]
    superseded = tuple({name: payload[name] for name in ("promise_id", "request", "by")} for payload in told)
    return RunTrace(written, deleted, updated, superseded)


def active_page(slugs: Sequence[str], affected: Sequence[str]) -> str | None:
    """The page to show: the home page if it was written, else the first one that was, else the first there is."""
    if HOME in affected or (not affected and HOME in slugs):
        return HOME
    return next(iter([*affected, *slugs]), None)
