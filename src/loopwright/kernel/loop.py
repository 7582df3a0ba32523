"""The loop: until not RunAgain, check limits, compact, step, append."""

import logging

from loopwright.kernel.account.settling import read_messages, settle
from loopwright.kernel.actions import act
from loopwright.kernel.crash import crash_point
from loopwright.kernel.dispatch import dispatch
from loopwright.kernel.emitter import RunModel
from loopwright.kernel.errors import Interrupted, LoopwrightError, ModelError, StaleOwner, StoreUnavailable
from loopwright.kernel.events import (
    Compacted,
    CompactionFailed,
    PromptSet,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunWaitingInput,
    TurnCeilingPassed,
)
from loopwright.kernel.gates import Cancelled, Failed, Finished, Outcome, RunAgain, Waiting
from loopwright.kernel.policy import ABORTED, COMPLETE, TERMINAL_STAGES
from loopwright.kernel.run import AgentRun
from loopwright.kernel.state import TERMINAL
from loopwright.kernel.telemetry import telling_run, telling_step
from loopwright.kernel.think import change_stage, review, stage_told, take_in, think

# Turns: from one word of the user to the next. One that passes a ceiling does not end the run; it is asked about.


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


# The loop itself.

log = logging.getLogger(__name__)


async def run_agentic_loop(run: AgentRun) -> Outcome:
    """Carry a claimed run as far as it goes: to its end, or to a gate.

    Raises:
        StaleOwner: somebody else has taken the run over; nothing more was stored.
        StoreUnavailable: the store cannot be used now; the run is as the journal has it, and may be resumed.
    """
    with telling_run(run) as told:
        outcome = await _carry_on(run)
        told.outcome(outcome)
        return outcome


async def _carry_on(run: AgentRun) -> Outcome:
    try:
        await read_messages(run)
        if not run.state.stage:
            await change_stage(run, await run.spec.entry(run), "run started")
        outcome: Outcome = RunAgain()
        while isinstance(outcome, RunAgain):
            await read_messages(run)
            outcome = ending(run) or check_limits(run) or await keep_to_turn(run) or await _told_step(run)
            if isinstance(outcome, RunAgain):
                await run.append()
    except (StaleOwner, StoreUnavailable):
        raise
    except Interrupted:
        outcome = Cancelled()
    except LoopwrightError as error:
        outcome = Failed(error.code, error.message, error.hint)
    return await conclude(run, outcome)


async def _told_step(run: AgentRun) -> Outcome:
    with telling_step(run) as told:
        outcome = await step(run)
        told.outcome(outcome)
        return outcome


async def step(run: AgentRun) -> Outcome:
    """Do the next thing that the state asks for; after a crash this is where a run goes on."""
    state = run.state
    if run.cancelled:
        return Cancelled()
    if state.open_gate is not None:
        if state.status == "running":  # resumed without an answer: the run goes back to rest
            await run.append_status(RunWaitingInput(gate_id=state.open_gate.gate_id))
        return Waiting(state.open_gate)
    if state.absorbed and not state.open_calls:
        if run.stage.action is not None:
            return await act(run, run.stage.action)
        reviewed = await review(run)
        if reviewed is not None:
            return reviewed
        await compact(run)
        outcome = await think(run)
        if not isinstance(outcome, RunAgain):
            return outcome
    if not state.absorbed:
        outcome = await take_in(run)
        if not isinstance(outcome, RunAgain):
            return outcome
    return await dispatch(run)


def ending(run: AgentRun) -> Outcome | None:
    """How the run ends, once the controller has moved it to a terminal stage and every call has its result."""
    state = run.state
    if state.stage not in TERMINAL_STAGES or state.open_calls:
        return None
    return Finished(state.last_text) if state.stage == COMPLETE else Failed("aborted", state.last_text or "It gave up.")


def check_limits(run: AgentRun) -> Outcome | None:
    """The reason to stop here, if a cap is reached. Calls that are open are finished first."""
    state, limits = run.state, run.spec.limits
    if state.open_calls or not state.absorbed:
        return None
    again = "Send another message in the same session to go on from what there is."
    if (steps := state.spent.steps) >= limits.max_steps:
        asked = f" ({steps - state.steps} of them in the agents that it has asked)" if steps > state.steps else ""
        return Failed("max_steps", f"The run used all of its {limits.max_steps} steps{asked}.", again)
    if state.consecutive_errors >= limits.max_consecutive_errors:
        return Failed("max_errors", f"{state.consecutive_errors} steps in a row failed.", again)
    if state.active_seconds_at(run.clock()) >= limits.wall_seconds:
        return Failed("wall_time", f"The run was active for more than {limits.wall_seconds:g} seconds.", again)
    return None


async def compact(run: AgentRun) -> None:
    """Shorten the dialogue when its strategy says so; a failure is journalled and changes nothing.

    Every call has its result by now, and it is the next request that gains: after a crash the same summary is due,
    and is found in the journal when it was paid for.
    """
    context, strategy = run.state.context, run.spec.compaction
    context.window = run.window
    if len(context.messages) < run.state.compaction_rests_until or not strategy.due(context):
        return
    before = context.estimate_tokens()
    model = RunModel(run, f"compact-{run.state.steps}", "compact")
    try:
        result = await strategy.compact(context, model, run.toolbox.prompts)
    except ModelError as error:
        await run.append(CompactionFailed(strategy=strategy.name, reason=error.message))
        return
    if result is None:
        await run.append(CompactionFailed(strategy=strategy.name, reason="the summary was not usable"))
        return
    prompt = PromptSet(stage=run.state.stage, text=await run.spec.system_prompt(run))
    after = sum(message.estimated_tokens for message in result.messages)
    lost = not any(run.state.told in message.content for message in result.messages)
    again = await stage_told(run)
    if again is not None and not lost and again.text in run.state.told:
        again = None  # what the stage was told still stands there, and is still so
    await run.append(
        Compacted(
            strategy=strategy.name,
            messages=result.messages,
            summary=result.summary,
            tokens_before=before,
            tokens_after=after,
        ),
        prompt,
        *([again] if again is not None else []),
    )
    crash_point("compaction.done")


async def conclude(run: AgentRun, outcome: Outcome) -> Outcome:
    """Write the run's one terminal event; a waiting run has told of its gate already.

    Gives the outcome as it was written: a run whose `finish` fails has failed. A run that the controller has led to
    `aborted` has a result as well: an end that the agent's own table foresees.
    """
    crash_point("run.finishing")
    if isinstance(outcome, Finished):
        try:
            await settle(run)
            result, account = await run.spec.finish(run), run.state.account.as_told()
            await run.append_status(RunCompleted(text=outcome.text, result=result, account=account))
        except (StaleOwner, StoreUnavailable):
            raise
        except LoopwrightError as error:
            outcome = Failed(error.code, error.message, error.hint)
    if isinstance(outcome, Failed):
        result = await run.spec.finish(run) if run.state.stage == ABORTED and outcome.code == ABORTED else {}
        account = run.state.account.as_told()
        await run.append_status(
            RunFailed(code=outcome.code, message=outcome.message, hint=outcome.hint, result=result, account=account)
        )
    elif isinstance(outcome, Cancelled):
        await run.append_status(RunCancelled())
    crash_point("run.finished")
    if run.state.status in TERMINAL:
        await tell_of_end(run)
    return outcome


async def tell_of_end(run: AgentRun) -> None:
    """Let the agent hear that its run is over; what it cannot do then is logged, and changes nothing of the end."""
    try:
        await run.spec.ended(run)
    except LoopwrightError as error:
        log.warning("run %s is over, but what follows its end failed: %s", run.state.run_id, error.message)
