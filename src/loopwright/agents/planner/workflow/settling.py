"""Keeping a settled plan: its rows in the store, its files in the session's folder (spec 004, the persistence node)."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.kernel.run import AgentRun

WITHOUT_DATES = ("markdown", "json")
"""What can be written of a plan that was stopped before it had a schedule."""
FORMATS = ("ics", "markdown", "json", "gantt")


async def settle(run: AgentRun, state: PlanningState) -> None:
    """Store the plan with its pattern, nodes and times; doing it again changes nothing."""
    await world_model_integration(run, state)
    await persistence(run, state)


async def world_model_integration(run: AgentRun, state: PlanningState) -> None:
    """Give the plan its identity in the user's portfolio; its times take room there from now on."""
    if not state.plan_id:
        state.plan_id = f"plan-{run.state.session_id}"
    state.refinement_round += 1 if state.schedule_approved and state.adaptation_log else 0


async def persistence(run: AgentRun, state: PlanningState) -> None:
    """Write the plan's rows."""
    outline = state.roadmap or state.plan_outline
    pattern, schedule = state.selected_pattern, state.schedule
    if outline is None or pattern is None or schedule is None:
        return
    moment = datetime.now(UTC)
    root = next(node for node in outline.nodes if node.id == outline.root_id)
    await run.services.plans.settle_plan(
        {
            "plan_id": state.plan_id,
            "session_id": run.state.session_id,
            "title": root.title,
            "pattern_type": pattern.pattern_type,
            "pattern_subtype": pattern.subtype,
            "pattern_variant": pattern.variant,
            "planning_status": "complete",
            "timezone": schedule.timezone,
            "starts_at": min((block.start for block in schedule.blocks), default=None),
            "ends_at": max((block.end for block in schedule.blocks), default=None),
            "gap": schedule.gap,
            "refinement_round": state.refinement_round,
            "created_at": moment,
            "updated_at": moment,
        },
        [_node(node) for node in outline.nodes],
        [
            {
                "node_id": str(block.plan_node_id),
                "title": block.title,
                "starts_at": block.start,
                "ends_at": block.end,
                "estimated_minutes": block.estimated_minutes,
            }
            for block in schedule.blocks
        ],
    )


async def write_files(run: AgentRun, state: PlanningState) -> dict[str, str]:
    """The plan's files in the session's folder, by format."""
    from loopwright.agents.planner.exports import export_plan

    outline, schedule = state.plan_outline, state.schedule
    if outline is None:
        return {}
    formats = FORMATS if schedule is not None else WITHOUT_DATES
    files = await asyncio.to_thread(export_plan, run.output_dir, outline, state.roadmap, schedule, formats)
    return {kind: Path(path).name for kind, path in files.items()}


def _node(node: Any) -> dict[str, Any]:
    return {
        "node_id": str(node.id),
        "parent_id": str(node.parent_id) if node.parent_id is not None else None,
        "node_type": node.node_type,
        "level": node.level,
        "title": node.title,
        "status": node.status,
        "progress": node.progress,
        "recurrence": node.recurrence,
        "dependencies": [each.model_dump(mode="json") for each in node.dependencies],
        "details": {"description": node.description, "tags": node.tags, "origin": node.origin, **node.metadata},
    }
