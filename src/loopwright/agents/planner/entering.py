"""How a run begins: the user's options become the planning state, once."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState, effective_policy, read_policy
from loopwright.agents.planner.facts.contradictions import contradiction_of
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.agents.planner.patterns import select_pattern
from loopwright.agents.planner.schedule.problem_checks import load_zone
from loopwright.agents.planner.sketch_completing import days_chosen, seeded
from loopwright.agents.planner.stated import with_stated
from loopwright.agents.planner.states import ADAPT, COLLECT_CONTEXT, DRAFT_OUTLINE, NEEDS_CLARIFICATION
from loopwright.agents.planner.workflow.asking import NOT_KEPT
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.run import AgentRun


async def choose_stage(run: AgentRun) -> str:
    """A plan begins with its context, with a small model with its tasks; what contradicts itself is asked about first.

    An earlier plan of the session is forgotten.

    Raises:
        InvalidInput: an option cannot be used.
    """
    options = run.state.options
    before = await load_planning(run.services, run.state.session_id)
    if options.get("replan"):
        if before.roadmap is None or before.schedule is None:
            raise InvalidInput("This session has no plan to change.", hint="Make one first: loopwright plan GOAL")
        return ADAPT
    newest = run.state.context.newest_user
    session = read_session_policy(options.get("policy")) or before.session_policy
    remembered = await run.services.plan_memories.policy()
    state = PlanningState(
        plan_id=before.plan_id or f"plan-{run.state.session_id}",
        goal=_goal(newest.content if newest is not None else "", options),
        interaction_policy=effective_policy(session, remembered),
        session_policy=session,
        policy_was_given=bool(session or remembered),
        refinement_round=before.refinement_round,
        settled=before.settled or (_settled(before) if before.schedule_approved else None),
    )
    small = run.profile == "small"
    if small:
        # What a goal states was read by code; of the rest a small model makes up what nobody has said.
        state.selected_pattern = select_pattern(state.goal.text, allow_proposals=False).pattern
        begin_sketch(state)
    state.contradiction = contradiction_of(state.goal)
    await save_planning(run.services, run.state.session_id, state, f"{run.state.run_id}:begun")
    if state.contradiction is not None:
        return NEEDS_CLARIFICATION
    return DRAFT_OUTLINE if small else COLLECT_CONTEXT


def _settled(before: PlanningState) -> dict[str, Any]:
    return before.model_dump(mode="json", exclude=NOT_KEPT)


def begin_sketch(state: PlanningState) -> None:
    """Lay down what the user does every week; terms that cannot be used are told later, by whoever needs them."""
    with suppress(InvalidInput):
        days = days_chosen(state.goal)
        facts = state.goal.facts | ({"days": days} if days else {})
        state.goal = state.goal.model_copy(update={"facts": facts})
        state.sketch = seeded(state.goal)


def _goal(text: str, options: dict[str, Any]) -> GoalFacts:
    names = ("now", "start", "deadline", "timezone", "hours", "hours_per_week", "busy")
    given = {name: options[name] for name in names if options.get(name)}
    try:
        goal = GoalFacts.model_validate({"text": text, "now": datetime.now(UTC), **given})
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(f"The option {'.'.join(map(str, first['loc']))} cannot be used: {first['msg']}.") from error
    now = goal.now or datetime.now(UTC)
    today = now.astimezone(load_zone(goal.timezone)).date()
    return with_stated(goal.model_copy(update={"today": today}), today)


def read_session_policy(data: Any) -> dict[str, Any]:
    """The fields that a run's options set of the policy.

    Raises:
        InvalidInput: a field or value does not exist.
    """
    return read_policy(data).model_dump(mode="json", exclude_unset=True) if data else {}
