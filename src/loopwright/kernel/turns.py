"""Turns: from one word of the user to the next. One that passes a ceiling does not end the run; it is asked about."""

from loopwright.kernel.actions import act
from loopwright.kernel.events import TurnCeilingPassed
from loopwright.kernel.outcomes import Outcome
from loopwright.kernel.run import AgentRun


async def keep_to_turn(run: AgentRun) -> Outcome | None:
    """Before the next model call of a turn that has passed a ceiling, let the agent ask the user; None if all is well.

    What the user has to say is heard as an action's answer is; the turn that begins with it has a ceiling of its own.
    A stage's own work is not held up: it costs nothing, and asks by itself.
    """
    state, pause = run.state, run.spec.pause
    if pause is None or run.cancelled or state.open_gate is not None or state.open_calls or not state.absorbed:
        return None
    if state.ceiling is None:
        passed = passed_ceiling(run) if run.stage.action is None else None
        if passed is None:
            return None
        run.defer(passed)
    ceiling = state.ceiling
    return await act(run, pause, f"turn{ceiling.turn}") if ceiling is not None else None


def passed_ceiling(run: AgentRun) -> TurnCeilingPassed | None:
    """The ceiling that the turn has passed, if it has: of money before that of time."""
    state, limits = run.state, run.spec.limits
    usd, most_usd = state.spent.usd - state.usd_before_turn, limits.budget.soft_usd_per_turn
    if most_usd is not None and usd > most_usd:
        return TurnCeilingPassed(turn=state.turns, ceiling="usd", spent=round(usd, 6), limit=most_usd)
    seconds, most = state.active_seconds_at(run.clock()) - state.seconds_before_turn, limits.turn_seconds
    if most is not None and seconds >= most:
        return TurnCeilingPassed(turn=state.turns, ceiling="seconds", spent=round(seconds, 1), limit=most)
    return None
