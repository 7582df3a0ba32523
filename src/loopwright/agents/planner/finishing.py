"""The account of a plan that is settled, for the last line of every surface."""

from typing import Any

from loopwright.agents.planner.memory import load_planning
from loopwright.agents.planner.workflow.approving import makespan_days
from loopwright.agents.planner.workflow.settling import write_files
from loopwright.kernel.controller import ABORTED
from loopwright.kernel.run import AgentRun


async def finish(run: AgentRun) -> dict[str, Any]:
    """The result: what was planned, how good it is, and where its files are."""
    state = await load_planning(run.services, run.state.session_id)
    outline = state.roadmap or state.plan_outline
    return {
        "planning_status": "aborted" if run.state.stage == ABORTED else "complete",
        "plan_id": state.plan_id,
        "pattern": state.selected_pattern.model_dump(mode="json") if state.selected_pattern is not None else None,
        "nodes": len(outline.nodes) if outline is not None else 0,
        "blocks": len(state.schedule.blocks) if state.schedule is not None else 0,
        "makespan_days": makespan_days(state),
        "confidence": state.confidence,
        "gap": state.schedule.gap if state.schedule is not None else None,
        "options_tried": state.options_tried,
        "adaptation_log": [entry.model_dump(mode="json") for entry in state.adaptation_log],
        "artifacts": await write_files(run, state),
        "output_dir": str(run.output_dir),
    }
