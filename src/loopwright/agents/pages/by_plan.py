"""The plan worked off by the controller, where the model does not find its way through the dialogue.

A small model writes a page that it is asked for, but may only talk of it, repeat a call, or fail at the same one again.
Then the controller takes the steps that follow from the plan; the model is asked for nothing but each page.
"""

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.brief.features import read_theme
from loopwright.agents.pages.context.relevance import Project
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.controlled_work import Work
from loopwright.agents.pages.design.check import standard_sheet
from loopwright.agents.pages.domain.building import build_domain
from loopwright.agents.pages.tools.design import save_sheet
from loopwright.agents.pages.tools.writing import MAX_PAGES
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult

BY_PLAN = "by-plan"
"""The stage in which the plan is worked off."""
BUILT, NOTHING_CAME = "built", "nothing_came"

PLAN_TOOLS = frozenset({"analyze_brief", "build_pages", "create_design_system", "generate_page", "edit_page"})
TOLD_BRIEF = 4_000
ERRORS_TOLD = 6


async def work_off_plan(run: AgentRun) -> ActionResult:
    """Make what the plan names and the session lacks; of a run that only refines, tell what it did."""
    work = Work(run)
    if not {"refinement", "multi-page"} & run.state.stage_entries.keys():
        await _build(work)
    project = await work.project()
    text = _told(work, project)
    return ActionResult(
        success=bool(project.pages),
        output=text,
        signal=BUILT if project.pages else NOTHING_CAME,
        text=text,
        artifacts={"made": work.made, "failed": work.failed},
    )


async def _build(work: Work) -> None:
    asked = work.run.state.context.newest_user
    if work.run.profile == "small" and await build_domain(work, asked.content if asked else ""):
        return
    project = await work.project()
    if project.metadata.get("app_model"):
        built = await work.use("build_pages")
        work.made += (built.artifacts or {}).get("made", ())
        work.failed |= (built.artifacts or {}).get("failed", {})
        return
    if not project.planned:
        await work.use("analyze_brief", user_request=(asked.content if asked else "")[:TOLD_BRIEF])
        project = await work.project()
    if not project.css:
        await _style(work, project)
    brief = str(project.metadata.get("brief") or "")
    about = {page.slug: page.description for page in analyse_brief(brief).suggested_pages}
    for entry in project.planned[: MAX_PAGES - len(project.slugs)]:
        if entry.slug not in project.slugs:
            await _write(work, entry, about.get(entry.slug) or entry.title)


async def _style(work: Work, project: Project) -> None:
    """The design system: the model's own, or the standard one where none could be used."""
    colors = list(read_theme(str(project.metadata.get("brief") or "")).brand_colors)
    wanted = {"product_type": project.product_type or "app", "brand_colors": colors}
    result = await work.use("create_design_system", **wanted)
    if not result.success:
        saved = await save_sheet(work.context("standard_sheet", wanted), project, standard_sheet(colors))
        if saved.success:
            work.remarks.append("The model wrote no usable style sheet, so the pages have the plain standard one.")


async def _write(work: Work, entry: PageEntry, description: str) -> None:
    """One page, and one attempt to repair what its report calls an error."""
    result = await work.use("generate_page", slug=entry.slug, title=entry.title, description=description)
    if not result.success or result.artifacts is None:
        work.failed[entry.slug] = result.error or result.output
        return
    work.made.append(entry.slug)
    errors = [issue for issue in result.artifacts["issues"] if issue["severity"] == "error"]
    if errors:
        told = "; ".join(f"{issue.get('selector') or 'page'}: {issue['message']}" for issue in errors[:ERRORS_TOLD])
        await work.use("edit_page", slug=entry.slug, edit_instructions=f"Repair these errors and nothing else: {told}")


def _told(work: Work, project: Project) -> str:
    pages = ", ".join(f"{page.title} ({page.slug})" for page in project.pages)
    lines = [f"The pages: {pages}."] if pages else ["No page came about."]
    if work.made and work.run.state.stage_entries.get("new-project"):
        lines.insert(0, "The model did not find its way by itself, so the plan was worked off page by page.")
    lines += [f"{slug} is missing: {reason}" for slug, reason in work.failed.items()]
    return " ".join([*lines, *work.remarks])
