"""What a change has moved: told to the user, and kept with its entry in the log."""

from dataclasses import asdict

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.history import Moved, moved_between
from loopwright.agents.planner.problem_building import OCCURRENCE_TAG


def change_of(state: PlanningState) -> Moved:
    """The newest change, in numbers."""
    blocks = state.schedule.blocks if state.schedule is not None else []
    return moved_between(state.before_change, blocks, OCCURRENCE_TAG)


def told_change(state: PlanningState) -> str:
    """What the newest change did to the schedule, in a sentence."""
    moved = change_of(state)
    told = [
        f"{count} {what}{'s' * (count != 1)} {verb}"
        for count, what, verb in (
            (moved.moved, "block", "moved"),
            (moved.left_out, "session", "fell away"),
            (moved.added, "session", "came in"),
        )
        if count
    ]
    return f"Compared with before, {', '.join(told)}." if told else "Nothing moved."


def note_change(state: PlanningState) -> PlanningState:
    """The state with the numbers of the newest change in the last entry of its log; as it is where nothing changed."""
    if not state.before_change or not state.adaptation_log:
        return state
    *earlier, last = state.adaptation_log
    noted = last.model_copy(update={"portfolio_impact": asdict(change_of(state))})
    return state.model_copy(update={"adaptation_log": [*earlier, noted]})
