"""The last word on a plan, and what is kept of it."""

from typing import Any

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.agents.planner.states import APPROVED, NO_RESPONSE
from loopwright.agents.planner.workflow.asking import approval_request, out_of_turns
from loopwright.agents.planner.workflow.settling import settle
from loopwright.agents.planner.workflow.validators import reject
from loopwright.kernel.asking import answer_to
from loopwright.kernel.crash import crash_point
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest


async def seek_approval(run: AgentRun) -> ActionResult | GateRequest:
    """Put the whole plan to the user; every approval policy ends in this one question."""
    state = await load_planning(run.services, run.state.session_id)
    if state.schedule is None:
        return ActionResult(False, "There is no schedule to approve.", NO_RESPONSE)
    request = approval_request("final", "Is this the plan?", final_details(state))
    answer = answer_to(run, request)
    if answer is None:
        return request
    if answer["decision"] != "approve":
        if out_of_turns(run):
            return ActionResult(False, "The plan took more turns than it may.", NO_RESPONSE)
        return await reject(run, state, answer, "the plan")
    state.schedule_approved, state.planning_status = True, "complete"
    state.response_text = summary(state)
    await settle(run, state)
    crash_point("action.effect")
    await save_planning(run.services, run.state.session_id, state, f"{run.key}:complete")
    return ActionResult(True, "The plan is settled.", APPROVED, text=state.response_text)


def final_details(state: PlanningState) -> dict[str, Any]:
    """What is approved: the times, what they rest on, how good they are."""
    schedule = state.schedule
    if schedule is None:
        return {}
    blocks = [
        {"title": block.title, "start": block.start.isoformat(), "end": block.end.isoformat()}
        for block in schedule.blocks
    ]
    pattern = state.selected_pattern
    return {
        "pattern": pattern.model_dump(mode="json", exclude={"rfc"}) if pattern is not None else None,
        "timezone": schedule.timezone,
        "status": schedule.status,
        "gap": schedule.gap,
        "block_count": len(blocks),
        "blocks": blocks[:500],
        "options_tried": state.options_tried,
    }


def makespan_days(state: PlanningState) -> int:
    """Days from the first block to the last, both counted."""
    blocks = state.schedule.blocks if state.schedule is not None else []
    if not blocks:
        return 0
    return (max(block.end for block in blocks).date() - min(block.start for block in blocks).date()).days + 1


def summary(state: PlanningState) -> str:
    """The plan in a few words, as long and in the tone that the user's policy asks for."""
    schedule, policy = state.schedule, state.interaction_policy
    blocks = schedule.blocks if schedule is not None else []
    if not blocks:
        return "The plan has nothing to schedule."
    first, last = min(block.start for block in blocks), max(block.end for block in blocks)
    hours = sum((block.end - block.start).total_seconds() for block in blocks) / 3600
    text = f"{len(blocks)} blocks, {hours:.0f} h in all, from {first:%d %b %Y} to {last:%d %b %Y}."
    if policy.conversation_style == "concise":
        return text
    if policy.tone == "friendly":
        text = f"Your plan stands: {text}"
    if schedule is not None and schedule.gap:
        text += f" At most {schedule.gap:.0%} away from the best possible."
    if policy.conversation_style in ("conversational", "coach") or policy.talkativeness > 0.6:
        soon = sorted(blocks, key=lambda block: block.start)[:3]
        text += " It begins with " + ", ".join(f"{block.title} ({block.start:%a %H:%M})" for block in soon) + "."
    return text
