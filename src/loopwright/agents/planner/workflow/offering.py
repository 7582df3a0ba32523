"""What is put beside an approval for a user who likes it: other ways to do it, and ideas."""

from typing import Any

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.workflow.using import use_tool
from loopwright.kernel.run import AgentRun

A_CHOICE = 2
"""Fewer ways than this are nothing to choose from."""


async def offered_variants(run: AgentRun, state: PlanningState) -> list[dict[str, Any]]:
    """The ways that were weighed, as many as the user's policy lets them read."""
    if len({option.get("option") for option in state.options_tried}) < A_CHOICE:
        return []
    data = await use_tool(run, "option_crafter")
    return list(data["variants"])


async def offered_ideas(run: AgentRun, state: PlanningState, confidence: float | None = None) -> list[str]:
    """Ideas, where the user likes them; those that were had before, so that a question stays the same till answered.

    Without a `confidence` of its own it is the lowest of the plan's drafts that says whether ideas are needed.
    """
    if state.ideas:
        return state.ideas
    data = await use_tool(run, "brainstormer", confidence=confidence)
    return list(data["ideas"])
