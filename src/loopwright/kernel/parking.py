"""Runs that harm: when a run rests because its owners keep dying, and what it was doing."""

from loopwright.kernel.state import RunState

MOST_DEATHS = 3
"""Owners that may die in a row before the run rests."""

PROGRESS_STEPS = 20
"""Steps since the last death after which counting begins anew: a long run may outlive many power cuts.

Fewer would let a run go on for ever that kills its owner every few steps, and pays for a model call each time.
"""


def deaths_after(deaths: int, steps_since: int, stages_since: int) -> int:
    """The count when one more owner has died, so many steps and changes of stage after the last one that did.

    A new stage is progress that the controller has judged; its caps bound a run that goes round in circles.
    """
    return 1 if stages_since or steps_since >= PROGRESS_STEPS else deaths + 1


def under_way(state: RunState) -> str:
    """What the run is doing, by its journal: the stage, and the calls or the action that were started."""
    calls = [f"{call.started.name} {call.started.arguments}"[:200] for call in state.open_calls if call.started]
    actions = [f"action {key.rpartition(':')[2]}" for key, finished in state.actions.items() if finished is None]
    work = ", ".join(calls) or ("the stage's own work" if actions else "no call under way")
    return f"stage {state.stage or '(none yet)'}: {work}"
