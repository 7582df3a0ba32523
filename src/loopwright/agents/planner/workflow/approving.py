"""The last word on a plan, and what is kept of it."""

from typing import Any

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.memory import load_planning
from loopwright.agents.planner.states import APPROVED, NO_RESPONSE, REJECTED
from loopwright.agents.planner.workflow.asking import approval_of
from loopwright.agents.planner.workflow.ending import ended
from loopwright.agents.planner.workflow.moving import note_change, told_change
from loopwright.agents.planner.workflow.offering import offered_ideas, offered_variants
from loopwright.agents.planner.workflow.settling import settle
from loopwright.agents.planner.workflow.using import use_tool
from loopwright.agents.planner.workflow.validators import reject
from loopwright.kernel.crash import crash_point
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

SHOWN_GAP = 0.005
"""A smaller distance from the best possible would be told as none."""


async def seek_approval(run: AgentRun) -> ActionResult | GateRequest:
    """Put the whole plan to the user; every approval policy ends in this one question."""
    state = await load_planning(run.services, run.state.session_id)
    if state.schedule is None:
        return ActionResult(False, "There is no schedule to approve.", NO_RESPONSE)
    details = final_details(state)
    details |= {"variants": await offered_variants(run, state), "ideas": await offered_ideas(run, state)}
    given = await approval_of(run, "final", "Is this the plan?", details)
    if isinstance(given, GateRequest):
        return given
    if given.outcome == REJECTED:
        return await reject(run, given.comment, "the plan")
    told = await use_tool(run, "summarizer", text=account(state))
    state = note_change(await load_planning(run.services, run.state.session_id))
    await settle(run, state)
    crash_point("action.effect")
    return await ended(run, state, ActionResult(True, "The plan is settled.", APPROVED, text=told["text"]))


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


def account(state: PlanningState) -> str:
    """The plan at full length, the most important first; Summarizer brings it into the user's length and tone."""
    schedule = state.schedule
    blocks = sorted(schedule.blocks, key=lambda block: block.start) if schedule is not None else []
    if schedule is None or not blocks:
        return "The plan has nothing to schedule."
    weeks: dict[tuple[int, int], float] = {}
    for block in blocks:
        year, week, _ = block.start.isocalendar()
        weeks[year, week] = weeks.get((year, week), 0.0) + (block.end - block.start).total_seconds() / 3600
    (year, week), most = max(weeks.items(), key=lambda item: item[1])
    first, last = blocks[0].start, max(block.end for block in blocks)
    sentences = [
        f"{len(blocks)} blocks, {sum(weeks.values()):.0f} h in all, from {first:%d %b %Y} to {last:%d %b %Y}.",
        f"The busiest week is week {week} of {year}, with {most:.1f} h.",
    ]
    if schedule.gap and schedule.gap >= SHOWN_GAP:
        sentences.append(f"It is at most {schedule.gap:.0%} away from the best possible.")
    since = state.replanned_at
    if since is not None:
        sentences.insert(1, told_change(state))
    ahead = [block for block in blocks if since is None or block.start >= since]
    if ahead:
        soon = ", ".join(f"{block.title} ({block.start:%a %d %b %H:%M})" for block in ahead[:3])
        sentences.append(f"It {'begins' if since is None else 'goes on'} with {soon}.")
    for option in state.options_tried:
        words = str(option.get("option")).replace("_", " ")
        sentences.append(f"The way is {words}." if option.get("chosen") else f"Weighed as well: {words}.")
    return " ".join(sentences)
