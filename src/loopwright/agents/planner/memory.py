"""Loading and saving a session's planning state."""

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.ports import PlannerServices


async def load_planning(services: PlannerServices, session_id: str) -> PlanningState:
    """The session's planning state; an empty one before the first was saved."""
    text = await services.plans.load_state(session_id)
    return PlanningState.model_validate_json(text) if text is not None else PlanningState()


async def save_planning(services: PlannerServices, session_id: str, state: PlanningState, key: str) -> None:
    """Save it under an idempotency key: what is done again after a crash writes nothing twice."""
    await services.plans.save_state(session_id, state.model_dump_json(), key)
