"""What has to be true before a run may end: the controller sends the model back, a limited number of times."""

from collections.abc import Sequence

from loopwright.agents.pages.compliance.page import broken_links
from loopwright.agents.pages.context.relevance import load_page, load_project
from loopwright.agents.pages.promises.guarding import broken_by_run
from loopwright.agents.pages.promises.wording import findings
from loopwright.agents.pages.self_check import look_at_pages
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.events import ControllerMessage, Event
from loopwright.kernel.run import AgentRun

NOTHING_BUILT = "Nothing has been built yet."
BROKEN_LINKS = "These links lead to pages that do not exist:"
BROKEN_PROMISES = "These promises to the user do not hold any more:"
NO_PRODUCT_DOC = "The product doc is still empty."

BROKEN_LINKS_AT_MOST = 2
BROKEN_PROMISES_AT_MOST = 2


async def may_finish(run: AgentRun) -> str | None:
    """Why the run may not end yet, said to the model; None lets it end.

    Each reason is given a limited number of times, then the run ends all the same: its result tells what is missing.
    """
    if run.mode == "chat":
        return None
    project = await load_project(run.services, run.state.session_id, Workspace(run.output_dir))
    if not project.pages:
        return await _at_most(
            run,
            1,
            NOTHING_BUILT,
            "Start with analyze_brief, then build_pages. If the message was only a "
            "question or a greeting, just answer it again.",
        )
    pages: dict[str, str] = {}
    for page in project.pages:
        html = await load_page(run.services, run.state.session_id, project.workspace, page.slug)
        pages[page.slug] = html or ""
    if broken := broken_links(pages):
        found = "; ".join(f"{slug} → {', '.join(targets)}" for slug, targets in broken.items())
        again = "Make these pages with generate_page, or change the links with edit_page."
        if reason := await _at_most(run, BROKEN_LINKS_AT_MOST, BROKEN_LINKS, f"{found}. {again}"):
            return reason
    if lost := await broken_by_run(run, project):
        again = (
            "Change the page or the design system back so that they hold, or tell the user which one cannot be kept."
        )
        if reason := await _at_most(
            run, BROKEN_PROMISES_AT_MOST, BROKEN_PROMISES, f"{'; '.join(findings(lost))}. {again}"
        ):
            return reason
    if reason := await look_at_pages(run, pages, project.css):
        return reason
    if run.state.stage == "new-project" and not project.sections:
        return await _at_most(
            run,
            1,
            NO_PRODUCT_DOC,
            "Write a product-doc block with what you know: overview, audience, brand_style, pages. If something "
            "essential is unknown, ask_user first. Put your closing words to the user beside the block.",
        )
    return None


async def _at_most(run: AgentRun, times: int, opening: str, rest: str) -> str | None:
    """The reason, unless it was given this often already in this run, or the model was sent back too often at all.

    The journal is asked, because compaction may have taken the earlier message out of the dialogue.
    """
    if run.state.refusals >= run.spec.limits.refusals:
        return None
    given = times_given(await run.journal.read(run.state.run_id), opening)
    return f"{opening} {rest}" if given < times else None


def times_given(events: Sequence[Event], opening: str) -> int:
    """How often the model was sent back in this run for the reason that begins like this."""
    return sum(event.type == ControllerMessage.type and event.payload["text"].startswith(opening) for event in events)
