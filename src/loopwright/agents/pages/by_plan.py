"""The plan worked off by the controller, where the model does not find its way through the dialogue.

A small model writes a page that it is asked for, but may only talk of it, repeat a call, or fail at the same one again.
Then the controller takes the steps that follow from the plan; the model is asked for nothing but each page.
"""

from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.brief.look import read_theme
from loopwright.agents.pages.context.project import Project, load_project
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.design.house_sheet import house_sheet
from loopwright.agents.pages.tools.create_design_system import save_sheet
from loopwright.agents.pages.tools.generate_page import MAX_PAGES
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.dispatch import context_of
from loopwright.kernel.errors import Interrupted
from loopwright.kernel.gates import digest_of
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import ToolContext, ToolResult

BY_PLAN = "by-plan"
"""The stage in which the plan is worked off."""
BUILT, NOTHING_CAME = "built", "nothing_came"

PLAN_TOOLS = frozenset({"analyze_brief", "create_design_system", "generate_page", "edit_page"})
TOLD_BRIEF = 4_000
ERRORS_TOLD = 6


@dataclass
class _Work:
    """What was done, in words for the user."""

    run: AgentRun
    made: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    async def project(self) -> Project:
        """The project as it is now."""
        return await load_project(self.run.services, self.run.state.session_id, Workspace(self.run.output_dir))

    def context(self, name: str, parameters: dict[str, Any]) -> ToolContext[Any]:
        """What a call of the plan sees; it is known by what it does, so that after a crash it is the same call."""
        stage = self.run.state.stage
        entries = self.run.state.stage_entries.get(stage, 1)
        return context_of(self.run, f"{stage}:{entries}:{digest_of(name, parameters)[:16]}", name)

    async def use(self, name: str, **parameters: Any) -> ToolResult:
        """Call a tool as the stage's policy allows.

        Raises:
            Interrupted: the user has cancelled the run.
        """
        if self.run.cancelled:
            raise Interrupted("The run was cancelled while its plan was worked off.")
        registry = self.run.toolbox.registry
        permit, checked = self.run.decision.permit(name), registry.check(name, parameters)
        if permit is None:
            return ToolResult.failure(f"{name} is not available in this run.")
        if isinstance(checked, ToolResult):
            return checked
        tool, params = checked
        return await registry.run(permit, tool, params, self.context(name, parameters))


async def work_off_plan(run: AgentRun) -> ActionResult:
    """Make what the plan names and the session lacks; of a run that only refines, tell what it did."""
    work = _Work(run)
    if run.state.stage_entries.get("new-project"):
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


async def _build(work: _Work) -> None:
    project = await work.project()
    asked = work.run.state.context.newest_user
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


async def _style(work: _Work, project: Project) -> None:
    """The design system: the model's own, or the house's where none could be used."""
    colors = list(read_theme(str(project.metadata.get("brief") or "")).brand_colors)
    wanted = {"product_type": project.product_type or "app", "brand_colors": colors}
    result = await work.use("create_design_system", **wanted)
    if not result.success:
        saved = await save_sheet(work.context("house_sheet", wanted), project, house_sheet(colors))
        if saved.success:
            work.remarks.append("The model wrote no usable style sheet, so the pages have the house's plain one.")


async def _write(work: _Work, entry: PageEntry, description: str) -> None:
    """One page, and one attempt to mend what its report calls an error."""
    result = await work.use("generate_page", slug=entry.slug, title=entry.title, description=description)
    if not result.success or result.artifacts is None:
        work.failed[entry.slug] = result.error or result.output
        return
    work.made.append(entry.slug)
    errors = [issue for issue in result.artifacts["issues"] if issue["severity"] == "error"]
    if errors:
        told = "; ".join(f"{issue.get('selector') or 'page'}: {issue['message']}" for issue in errors[:ERRORS_TOLD])
        await work.use("edit_page", slug=entry.slug, edit_instructions=f"Mend these errors and nothing else: {told}")


def _told(work: _Work, project: Project) -> str:
    pages = ", ".join(f"{page.title} ({page.slug})" for page in project.pages)
    lines = [f"The pages: {pages}."] if pages else ["No page came about."]
    if work.made:
        lines.insert(0, "The model did not find its way by itself, so the plan was worked off page by page.")
    lines += [f"{slug} is missing: {reason}" for slug, reason in work.failed.items()]
    return " ".join([*lines, *work.remarks])
