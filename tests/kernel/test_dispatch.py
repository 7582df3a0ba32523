"""From a model's calls to their results: ids, arguments, refusals, order, and calls side by side."""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.kernel.events import ModelResponse
from loopwright.kernel.gates import Finished
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.policy import COMPLETE, ConversationPolicy, StagePolicy, Transition
from loopwright.kernel.spec import Limits, Stage
from loopwright.kernel.testing import ScriptedModel, check_journal, start_run
from tests.kernel.toys import NAMES, TOOLS, Move, Put, World, journal_of, play, stored, toy_spec


def response(*calls: ToolCall, finish_reason: str = "tool_calls") -> ModelResponse:
    return ModelResponse(text="", tool_calls=list(calls), finish_reason=finish_reason)


def results_in(request) -> list[str]:
    return [message.content for message in request.messages if message.role == "tool"]


@pytest.mark.parametrize("raw", ['{"thing": ', "nonsense", "[1]", '"text"', "7"])
async def test_broken_arguments_are_fed_back(raw):
    model = ScriptedModel([response(ToolCall(id="a", name="look", arguments=raw)), "Done."])
    run = start_run(toy_spec(), model, services=World())
    assert await play(run) == Finished("Done.")
    assert "not valid JSON" in results_in(model.requests[1])[0]
    assert stored(run, "tool_call") == []
    check_journal(journal_of(run).events[run.state.run_id])


async def test_what_the_length_limit_cut_off_is_never_mended():
    calls = [
        ToolCall(id="a", name="put", arguments='{"thing": "whole", "value": "1"}'),
        ToolCall(id="b", name="put", arguments='{"thing": "half", "value": "<html><bo'),
    ]
    model = ScriptedModel([response(*calls, finish_reason="length"), "Done."])
    world = World()
    run = start_run(toy_spec(), model, services=world)
    repair = lambda raw: json.loads(raw if raw.endswith("}") else raw + '"}')  # noqa: E731
    object.__setattr__(run.toolbox, "repair", repair)
    await play(run)
    assert world.things == {"whole": "1"}
    assert "cut off" in results_in(model.requests[1])[1]


async def test_arguments_that_cannot_be_stored_are_fed_back():
    model = ScriptedModel([[("look", {"thing": "x"})], "Done."])
    run = start_run(toy_spec(), model, services=World())
    object.__setattr__(run.toolbox, "repair", lambda raw: {"thing": "half a \ud83d"})
    assert await play(run) == Finished("Done.")
    assert "cannot be stored" in results_in(model.requests[1])[0]


@pytest.mark.parametrize("ids", [("same", "same"), ("", ""), ("x" * 500, "x" * 500)])
async def test_calls_with_equal_or_empty_ids_are_told_apart(ids):
    calls = [
        ToolCall(id=ids[0], name="look", arguments='{"thing": "a"}'),
        ToolCall(id=ids[1], name="look", arguments='{"thing": "b"}'),
    ]
    model = ScriptedModel([response(*calls), response(*calls), "Done."])
    run = start_run(toy_spec(), model, services=World(things={"a": "1", "b": "2"}))
    await play(run)
    sent = [m.tool_call_id for m in model.requests[2].messages if m.role == "tool"]
    asked = [call.id for m in model.requests[2].messages for call in m.tool_calls]
    assert sent == asked
    assert len(set(asked)) == 4
    assert results_in(model.requests[2]) == ["1", "2", "1", "2"]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_tool_outside_the_stage_is_refused_and_journalled():
    stage = Stage("work", StagePolicy(frozenset({"look"})))
    model = ScriptedModel([[("send", {"thing": "letter"}), ("snd", {}), ("look", {"thing": "x"})], "Done."])
    world = World()
    run = start_run(toy_spec(stages=[stage]), model, services=world)
    await play(run)
    assert world.sent == []
    refused, unknown, looked = stored(run, "tool_result")
    assert "not available in stage 'work'" in refused["output"]
    assert "look" in refused["output"]
    assert "Tool not found" in unknown["output"]
    assert "send" not in unknown["output"]
    assert looked["success"]
    assert [s["function"]["name"] for s in model.requests[0].tools.schemas] == ["look"]


STAGES = ("a", "b", "c")
policies = st.fixed_dictionaries(
    {
        stage: st.builds(
            StagePolicy,
            *(st.frozensets(st.sampled_from(sorted(NAMES | {"ghost"}))) for _ in range(3)),
            reasoning=st.sampled_from(["none", "macro", "micro"]),
        )
        for stage in STAGES
    }
)


@given(policies, st.sampled_from([*STAGES, "unknown", ""]), st.sampled_from(["agent", "chat", "?"]), st.booleans())
def test_the_policy_is_pure_and_total(declared, stage, mode, reasoning):
    policy = ConversationPolicy(declared)
    decision = policy.decide(stage, mode, reasoning)
    assert (
        decision == policy.decide(stage, mode, reasoning) == ConversationPolicy(declared).decide(stage, mode, reasoning)
    )
    assert decision.permission <= decision.tools
    if stage not in declared:
        assert decision.tools == frozenset()
    else:
        assert decision.tools == (declared[stage].tools if mode == "agent" else declared[stage].chat_tools)
    if mode != "agent" or not reasoning:
        assert decision.reasoning == "none"


HARMLESS = sorted(NAMES - {"sleep", "ask_user", "pay", "move", "draft"})


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    policies,
    st.sampled_from(["agent", "chat"]),
    st.sampled_from(STAGES),
    st.lists(st.tuples(st.sampled_from([*HARMLESS, "ghost", "LOOK", ""]), st.text(max_size=3)), min_size=1, max_size=6),
)
def test_no_stage_and_no_mode_ever_runs_a_tool_outside_the_decision(declared, mode, first, calls):
    async def scenario():
        async def entry(run):
            return first

        stages = [Stage(name, policy) for name, policy in declared.items()]
        rows = [Transition(name, "text", COMPLETE) for name in STAGES]
        world = World()
        spec = toy_spec(stages=stages, transitions=rows, entry=entry, limits=Limits(max_consecutive_errors=9))
        model = ScriptedModel([[(name, {"thing": thing}) for name, thing in calls], "Done."])
        run = start_run(spec, model, services=world, options={"mode": mode})
        await play(run)
        decision = ConversationPolicy(declared).decide(first, mode)
        ran = {name for name, _ in world.executed}
        assert ran <= decision.tools - decision.permission
        assert set(model.requests[0].tools.names) == decision.tools & NAMES
        check_journal(journal_of(run).events[run.state.run_id], over=not run.state.open_gate)

    asyncio.run(scenario())


async def test_readers_of_one_response_run_side_by_side():
    world = World(things={"a": "1", "b": "2", "c": "3"}, barrier=asyncio.Barrier(3))
    model = ScriptedModel([[("look", {"thing": t}) for t in "abc"], "Done."])
    await play(start_run(toy_spec(), model, services=world))
    assert results_in(model.requests[1]) == ["1", "2", "3"]


async def test_writers_of_different_things_run_side_by_side():
    world = World(barrier=asyncio.Barrier(2))
    model = ScriptedModel([[("put", {"thing": t, "value": t}) for t in "ab"], "Done."])
    await play(start_run(toy_spec(), model, services=world))
    assert world.things == {"a": "a", "b": "b"}


class Careful(Put):
    """Fails when anything runs beside it that touches the same thing."""

    inside: set[str] = set()  # noqa: RUF012

    async def act(self, params, ctx):
        assert params.thing not in self.inside
        self.inside.add(params.thing)
        await asyncio.sleep(0.002)
        self.inside.remove(params.thing)
        return await super().act(params, ctx)


async def test_writers_of_the_same_thing_run_one_after_the_other_in_order():
    world = World()
    calls = [("put", {"thing": "a", "value": str(i)}) for i in range(3)]
    model = ScriptedModel([[*calls, ("look", {"thing": "a"})], "Done."])
    spec = toy_spec(tools=(Careful(), *(tool for tool in TOOLS if tool.name != "put")))
    run = start_run(spec, model, services=world)
    await play(run)
    assert [r["success"] for r in stored(run, "tool_result")] == [True] * 4
    assert results_in(model.requests[1])[-1] == "2"


async def test_results_keep_the_call_order_and_one_failure_loses_nothing():
    class Slow(Put):
        async def act(self, params, ctx):
            await asyncio.sleep(0.02 if params.thing == "a" else 0)
            if params.thing == "b":
                raise RuntimeError("b is broken")
            return await super().act(params, ctx)

    model = ScriptedModel([[("put", {"thing": t, "value": t}) for t in "abc"], "Done."])
    spec = toy_spec(tools=(Slow(), *(tool for tool in TOOLS if tool.name != "put")))
    run = start_run(spec, model, services=World())
    await play(run)
    assert [r["call_id"][-1] for r in stored(run, "tool_result")] != ["0", "1", "2"]
    said = results_in(model.requests[1])
    assert said[0] == "a = a"
    assert "b is broken" in said[1]
    assert said[2] == "c = c"
    check_journal(journal_of(run).events[run.state.run_id])


async def test_no_more_run_side_by_side_than_the_limit():
    world = World(barrier=asyncio.Barrier(2))
    most = 0

    class Counting(type(TOOLS[0])):
        inside = 0

        async def act(self, params, ctx):
            nonlocal most
            Counting.inside += 1
            most = max(most, Counting.inside)
            await asyncio.sleep(0.002)
            Counting.inside -= 1
            return await super().act(params, ctx)

    spec = toy_spec(tools=(Counting(), *TOOLS[1:]), limits=Limits(concurrency=2))
    model = ScriptedModel([[("look", {"thing": str(i)}) for i in range(6)], "Done."])
    await play(start_run(spec, model, services=world))
    assert most == 2


@pytest.mark.parametrize("hook", ["gate", "touches"])
async def test_a_tool_that_breaks_before_it_runs_is_a_result_too(hook):
    class Broken(Put):
        pass

    def breaks(self, params):
        raise KeyError("no plan")

    setattr(Broken, hook, breaks)
    model = ScriptedModel([[("put", {"thing": "a"})], "Done."])
    run = start_run(toy_spec(tools=(Broken(),)), model, services=World())
    assert await play(run) == Finished("Done.")
    assert "KeyError" in results_in(model.requests[1])[0]


def quick_moves() -> Move:
    class QuickMove(Move):
        def touches(self, params):
            return frozenset()

    return QuickMove()


async def test_of_two_signals_at_once_the_second_is_judged_in_the_new_stage():
    async def slowly(run):
        await asyncio.sleep(0.005)

    stages = [Stage(name, StagePolicy(NAMES)) for name in ("one", "two", "three")]
    rows = [
        Transition("one", "two", "two", slowly),
        Transition("one", "three", "three"),
        Transition("two", "text", COMPLETE),
        Transition("three", "text", COMPLETE),
    ]
    model = ScriptedModel([[("move", {"thing": "two"}), ("move", {"thing": "three"})], "Done."])
    run = start_run(toy_spec(stages=stages, transitions=rows, tools=(quick_moves(),)), model, services=World())
    await play(run)
    assert [(c["from"], c["to"]) for c in stored(run, "stage_changed")] == [
        ("", "one"),
        ("one", "two"),
        ("two", COMPLETE),
    ]
    assert "not possible in stage 'two'" in results_in(model.requests[1])[1]
    check_journal(journal_of(run).events[run.state.run_id])
