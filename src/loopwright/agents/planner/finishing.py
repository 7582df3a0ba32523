"""The account of a plan that is settled, for the last line of every surface."""

from typing import Any

from loopwright.agents.planner.memory import load_planning
from loopwright.agents.planner.workflow.approving import makespan_days, write_files
from loopwright.agents.planner.workflow.asking import as_settled
from loopwright.kernel.account.settling import NOTED
from loopwright.kernel.policy import ABORTED
from loopwright.kernel.run import AgentRun

PARTLY_KEPT = "partly_kept"
"""There is a plan, and the account names stated facts that it does not keep, or that nothing has measured."""


def unmet(run: AgentRun) -> bool:
    """Whether the account, which is settled by now, leaves out something that the user has stated."""
    told = run.state.account.as_told()
    return bool(told["taken_back"] or told["refused"] or any(each["reason"] != NOTED for each in told["not_used"]))


async def finish(run: AgentRun) -> dict[str, Any]:
    """The result: what was planned, how good it is, and where its files are."""
    # What was never approved is no plan yet: its files are those of the plan as it was settled.
    state = as_settled(await load_planning(run.services, run.state.session_id))
    outline = state.roadmap or state.plan_outline
    return {
        "planning_status": "aborted" if run.state.stage == ABORTED else PARTLY_KEPT if unmet(run) else "complete",
        "plan_id": state.plan_id,
        "pattern": state.selected_pattern.model_dump(mode="json") if state.selected_pattern is not None else None,
        "nodes": len(outline.nodes) if outline is not None else 0,
        "blocks": len(state.schedule.blocks) if state.schedule is not None else 0,
        "makespan_days": makespan_days(state),
        "gap": state.schedule.gap if state.schedule is not None else None,
        "options_tried": state.options_tried,
        "adaptation_log": [entry.model_dump(mode="json") for entry in state.adaptation_log],
        "artifacts": await write_files(run, state),
        "output_dir": str(run.output_dir),
    }
