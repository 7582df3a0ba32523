"""Turns: a ceiling makes the run ask, the limit of turns ends it."""

from datetime import UTC, datetime, timedelta

from loopwright.kernel.actions import GO_ON, answer_to
from loopwright.kernel.budget import BudgetLimits
from loopwright.kernel.events import GateAnswered, ModelResponse, RunResumed
from loopwright.kernel.gates import Failed, Finished, QuestionItem, Waiting
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.policy import ABORTED, COMPLETE, StagePolicy, Transition
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult, AgentSpec, Limits, Stage
from loopwright.kernel.testing import ScriptedModel, resume_run, start_run
from loopwright.kernel.testing.runs import as_response
from loopwright.kernel.tools import GateRequest
from tests.kernel.toys import World, stored, toy_spec

STOPPED = "stopped"


async def pause(run: AgentRun) -> ActionResult | GateRequest:
    """Ask whether to go on."""
    ceiling = run.state.ceiling
    question = QuestionItem(question="Go on?", type="radio", options=["yes", "no"])
    request = GateRequest("questions", "It takes long.", (question,), {"ceiling": ceiling.ceiling if ceiling else None})
    answer = answer_to(run, request)
    if answer is None:
        return request
    return ActionResult(True, "heard", GO_ON if answer["answers"]["Go on?"] == "yes" else STOPPED, text="You stopped.")


def spec(**limits) -> AgentSpec:
    """The toy with a pause."""
    base = toy_spec(limits=Limits(**limits))
    stage = base.stages[0].name
    return toy_spec(
        limits=Limits(**limits), pause=pause, transitions=(*base.transitions, Transition(stage, STOPPED, ABORTED))
    )


def costing(usd: float, *calls: str) -> ModelResponse:
    """An answer at a price, with calls of `look`."""
    reply = [("look", {"thing": name}) for name in calls] if calls else "Done."
    return as_response(reply, int(usd * 1_000)).model_copy(update={"cost_usd": usd})


def answered(run: AgentRun, said: str) -> AgentRun:
    """The run in new hands, its gate answered."""
    gate = run.state.open_gate
    assert gate is not None
    payloads = [
        GateAnswered(gate_id=gate.gate_id, answer={"answers": {"Go on?": said}}),
        RunResumed(owner="o", reason="answered"),
    ]
    return resume_run(run, payloads=payloads)


async def test_a_turn_that_costs_too_much_is_asked_about_and_the_next_one_has_its_own_ceiling():
    model = ScriptedModel([costing(0.2, "a"), costing(0.2, "b"), costing(0.2, "c"), costing(0.2)])
    limits = {"budget": BudgetLimits(soft_usd_per_turn=0.3)}
    run = start_run(spec(**limits), model, services=World())
    outcome = await run_agentic_loop(run)
    assert isinstance(outcome, Waiting)
    assert len(model.requests) == 2
    [passed] = stored(run, "turn_ceiling_passed")
    assert (passed["ceiling"], passed["spent"], passed["limit"], passed["turn"]) == ("usd", 0.4, 0.3, 1)
    run = answered(run, "yes")
    assert (run.state.turns, run.state.usd_before_turn) == (2, 0.4)
    outcome = await run_agentic_loop(run)
    assert isinstance(outcome, Finished)
    model.assert_done()


async def test_who_stops_at_a_ceiling_ends_the_run_where_the_table_says():
    model = ScriptedModel([costing(0.4, "a")])
    run = start_run(spec(budget=BudgetLimits(soft_usd_per_turn=0.3)), model, services=World())
    await run_agentic_loop(run)
    run = answered(run, "no")
    outcome = await run_agentic_loop(run)
    assert outcome == Failed("aborted", "You stopped.")
    model.assert_done()


class Clock:
    """A clock that goes on by itself with each look."""

    def __init__(self, seconds: float) -> None:
        self.now, self.step = datetime(2027, 1, 4, tzinfo=UTC), timedelta(seconds=seconds)

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


async def test_a_turn_that_takes_too_long_is_asked_about_before_the_next_call():
    model = ScriptedModel([costing(0.0, "a"), costing(0.0)])
    run = start_run(spec(turn_seconds=45), model, services=World())
    run.clock = Clock(10)
    await run.enter("started")
    outcome = await run_agentic_loop(run)
    assert isinstance(outcome, Waiting)
    [passed] = stored(run, "turn_ceiling_passed")
    assert passed["ceiling"] == "seconds"
    assert passed["spent"] >= 45
    asked = len(model.requests)
    outcome = await run_agentic_loop(answered(run, "yes"))
    assert isinstance(outcome, Finished)
    assert len(model.requests) == 2 >= asked


async def test_time_spent_waiting_belongs_to_no_turn():
    run = start_run(spec(turn_seconds=45), ScriptedModel([costing(0.0)]), services=World())
    run.clock = Clock(0)
    await run.enter("started")
    run.clock = lambda: datetime(2027, 1, 4, 0, 0, 44, tzinfo=UTC)
    assert isinstance(await run_agentic_loop(run), Finished)


async def ask(run: AgentRun) -> ActionResult | GateRequest:
    """Ask once more for ever."""
    number = run.state.turns
    return GateRequest("questions", f"Question {number}", (QuestionItem(question="Go on?", type="text"),))


def asking(*transitions: Transition) -> AgentSpec:
    """An agent that only asks."""
    return toy_spec(
        stages=(Stage("ask", action=ask), Stage("rest", StagePolicy())),
        transitions=(Transition("ask", "never", COMPLETE), *transitions),
        entry=_ask_first,
        limits=Limits(max_turns=3),
    )


async def _ask_first(run: AgentRun) -> str:
    return "ask"


async def _until_over(run: AgentRun) -> tuple[AgentRun, int]:
    """Answer whatever is asked; how often that was."""
    times = 0
    while isinstance(await run_agentic_loop(run), Waiting):
        run, times = answered(run, "yes"), times + 1
    return run, times


async def test_no_more_is_asked_than_turns_are_left():
    run, times = await _until_over(start_run(asking(), ScriptedModel([])))
    assert times == 2
    [failed] = stored(run, "run_failed")
    assert failed["code"] == "turn_limit"
    assert "LOOPWRIGHT_TURN_LIMIT" in failed["hint"]


async def test_the_table_may_say_where_a_run_without_turns_ends():
    run, _ = await _until_over(start_run(asking(Transition("*", "turn_limit", ABORTED)), ScriptedModel([])))
    [failed] = stored(run, "run_failed")
    assert failed["code"] == "aborted"
    assert "All 3 turns are used" in failed["message"]


async def test_a_tool_that_would_ask_is_not_run_when_no_turn_is_left():
    model = ScriptedModel([[("pay", {"thing": "rent"})], "I could not."])
    run = start_run(toy_spec(limits=Limits(max_turns=1)), model, services=World())
    outcome = await run_agentic_loop(run)
    assert isinstance(outcome, Finished)
    [result] = stored(run, "tool_result")
    assert not result["success"]
    assert "asked as often" in result["output"]
    assert run.services.sent == []
