"""Approvals and questions to the user, by the user's own policy."""

from typing import Any

from loopwright.agents.planner.contracts.policy import InteractionPolicy
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.states import TURN_LIMIT
from loopwright.kernel.run import AgentRun
from loopwright.kernel.tools import GateRequest

STEPS = {
    "single_final": frozenset({"final"}),
    "milestone_approvals": frozenset({"outline", "final"}),
    "strict_every_step": frozenset({"outline", "roadmap", "final"}),
}
"""Which steps the user wants to be asked about, by `approval_policy`."""
ASKING_STAGES = ("CLARIFY_CHANGE", "NEEDS_CLARIFICATION", "NEEDS_SCHED_ESCALATION", "SEEK_APPROVAL")
CALL_TO_ACTION = "Reply 'approve' or 'propose changes: …'."


def wants_approval(policy: InteractionPolicy, step: str) -> bool:
    """Whether the user wants to be asked about this step."""
    return step in STEPS[policy.approval_policy]


def approval_request(
    step: str, title: str, details: dict[str, Any], status: str = "needs_clarification"
) -> GateRequest:
    """The question about one step of the plan; the line of a run that waits says how the planning stands."""
    line = {"planning_status": status, "response_text": f"{title} {CALL_TO_ACTION}"}
    return GateRequest("plan", title, details={"step": step, **details, "last_line": line})


def turns_taken(run: AgentRun) -> int:
    """How often the user was asked in this run."""
    return sum(run.state.stage_entries.get(stage, 0) for stage in ASKING_STAGES)


def out_of_turns(run: AgentRun) -> bool:
    """Whether one more question is too much."""
    return turns_taken(run) > TURN_LIMIT


def outline_lines(state: PlanningState) -> list[str]:
    """The outline as an indented list, for the gate that asks about it."""
    outline = state.roadmap or state.plan_outline
    if outline is None:
        return []
    children: dict[Any, list[Any]] = {}
    for node in outline.nodes:
        children.setdefault(node.parent_id, []).append(node)
    lines: list[str] = []

    def walk(node: Any, depth: int) -> None:
        minutes = node.metadata.get("estimated_minutes")
        effort = f" ({minutes} min)" if minutes else ""
        again = f", {node.recurrence}" if node.recurrence != "none" else ""
        lines.append(f"{'  ' * depth}- {node.title}{effort}{again}")
        for child in children.get(node.id, []):
            walk(child, depth + 1)

    for root in (node for node in outline.nodes if node.id == outline.root_id):
        walk(root, 0)
    return lines[:200]
