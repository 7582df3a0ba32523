"""Approvals and questions to the user, by the user's own policy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.agents.planner.contracts.policy import InteractionPolicy
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.effort_words import effort_words
from loopwright.agents.planner.states import NO_RESPONSE
from loopwright.agents.planner.workflow.using import use_tool
from loopwright.kernel.asking import answer_to
from loopwright.kernel.run import AgentRun
from loopwright.kernel.tools import GateRequest

STEPS = {
    "single_final": frozenset({"final"}),
    "milestone_approvals": frozenset({"outline", "final"}),
    "strict_every_step": frozenset({"outline", "roadmap", "final"}),
}
"""Which steps the user wants to be asked about, by `approval_policy`."""
LEAVE_IT = "Leave it"
"""The answer that ends the planning."""
CALL_TO_ACTION = "Reply 'approve' or 'propose changes: …'."


def wants_approval(policy: InteractionPolicy, step: str) -> bool:
    """Whether the user wants to be asked about this step; who leaves little to the agent chooses the way as well."""
    return step in STEPS[policy.approval_policy] or (step == "roadmap" and policy.autonomy == "low")


def approval_request(
    step: str, title: str, details: dict[str, Any], status: str = "needs_clarification"
) -> GateRequest:
    """The question about one step of the plan; the line of a run that waits says how the planning stands."""
    line = {"planning_status": status, "response_text": f"{title} {CALL_TO_ACTION}"}
    return GateRequest("plan", title, details={"step": step, **details, "last_line": line})


@dataclass(frozen=True)
class Approval:
    """What ApprovalHandler made of the user's words; `outcome` is `approved`, `rejected` or `not_needed`."""

    outcome: str
    comment: str = ""


async def approval_of(run: AgentRun, step: str, title: str, details: dict[str, Any]) -> Approval | GateRequest:
    """What the user says to a step of the plan, or the question to put to them; ApprovalHandler decides which."""
    request = approval_request(step, title, details)
    answer = answer_to(run, request)
    told = await use_tool(run, "approval_handler", step=step, feedback=_words(answer))
    if told["outcome"] == NO_RESPONSE:
        return request
    return Approval(told["outcome"], str((answer or {}).get("comment") or ""))


def _words(answer: Mapping[str, Any] | None) -> str | None:
    """The answer to a gate in the words of the call to action."""
    if answer is None:
        return None
    return "approve" if answer["decision"] == "approve" else f"propose changes: {answer.get('comment') or ''}"


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
        effort = f" ({words})" if (words := effort_words(node)) else ""
        lines.append(f"{'  ' * depth}- {node.title}{effort}")
        for child in children.get(node.id, []):
            walk(child, depth + 1)

    for root in (node for node in outline.nodes if node.id == outline.root_id):
        walk(root, 0)
    return lines[:200]
