"""What a draft must have before its stage may be left: no stage skips what it is there for."""

from loopwright.agents.planner.memory import load_planning
from loopwright.kernel.run import AgentRun


async def has_context(run: AgentRun) -> str | None:
    """The goal is known, and no question waits."""
    state = await load_planning(run.services, run.state.session_id)
    if state.selected_pattern is None:
        return "Choose the plan's pattern first: call pattern_selector."
    return None


async def has_outline(run: AgentRun) -> str | None:
    """There is an outline."""
    state = await load_planning(run.services, run.state.session_id)
    return None if state.plan_outline is not None else "There is no outline yet: call node_generator."


async def has_roadmap(run: AgentRun) -> str | None:
    """There is a roadmap."""
    state = await load_planning(run.services, run.state.session_id)
    return None if state.roadmap is not None else "There is no roadmap yet: call roadmap_builder."


async def has_schedule(run: AgentRun) -> str | None:
    """There is a schedule, or the proof that there is none."""
    state = await load_planning(run.services, run.state.session_id)
    if state.cause is not None or (state.schedule is not None and not state.needs_new_schedule):
        return None
    return "There is no schedule yet: call schedule_generator."
