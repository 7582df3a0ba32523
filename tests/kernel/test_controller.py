"""The table decides where a run goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.kernel.gates import Failed, Finished
from loopwright.kernel.policy import ABORTED, ANY, COMPLETE, Controller, Move, Refusal, StagePolicy, Transition
from loopwright.kernel.spec import ActionResult, Limits, Stage
from loopwright.kernel.testing import ScriptedModel, check_controller, check_journal, start_run
from tests.kernel.toys import NAMES, World, journal_of, play, stored, toy_spec, types


@pytest.mark.parametrize(
    "row",
    [
        Transition("a", "go", "nowhere"),
        Transition("nowhere", "go", "a"),
        Transition(COMPLETE, "go", "a"),
    ],
)
def test_a_table_names_only_its_stages(row):
    with pytest.raises(ValueError, match="unknown stage"):
        Controller(["a"], [row])


def test_a_stage_has_one_row_per_signal():
    with pytest.raises(ValueError, match="two transitions"):
        Controller(["a"], [Transition("a", "go", COMPLETE), Transition("a", "go", ABORTED)])


async def never(run):
    return "not while it rains"


async def test_rows_guards_and_refusals():
    rows = [
        Transition("a", "go", "b"),
        Transition("b", "go", COMPLETE, never),
        Transition(ANY, "stop", ABORTED),
        Transition("b", "stop", "a"),
    ]
    controller = Controller(["a", "b"], rows)
    assert await controller.decide("a", "go", None) == Move("b")
    assert await controller.decide("b", "go", None) == Refusal("not while it rains")
    assert await controller.decide("a", "stop", None) == Move(ABORTED)
    assert await controller.decide("b", "stop", None) == Move("a")
    assert isinstance(await controller.decide("a", "jump", None), Refusal)
    assert isinstance(await controller.decide(COMPLETE, "stop", None), Refusal)


def test_the_table_can_be_drawn():
    rows = [
        Transition("a", "go", "b", never),
        Transition(ANY, "stop", ABORTED),
        Transition("b", "stop", "a"),
        Transition("b", "text", COMPLETE),
    ]
    assert Controller(["a", "b"], rows).mermaid(["a"]).splitlines() == [
        "stateDiagram-v2",
        "    [*] --> a",
        "    a --> b : go [guarded]",
        "    a --> aborted : stop",
        "    b --> a : stop",
        "    b --> complete : text",
        "    aborted --> [*]",
        "    complete --> [*]",
    ]


ROUND = [Transition("a", "go", "b"), Transition("b", "go", "a")]


@pytest.mark.parametrize(
    ("stages", "rows", "entries", "problem"),
    [
        (["a", "b"], [*ROUND, Transition("b", "end", COMPLETE)], ["a"], None),
        (["a", "b"], ROUND, ["a"], "leads to an end: a, b"),
        (["a", "b"], [*ROUND, Transition(ANY, "end", ABORTED)], ["a"], None),
        (["a", "b"], [Transition("a", "end", COMPLETE), Transition("b", "end", COMPLETE)], ["a"], "leads to: b"),
        (["a"], [Transition("a", "end", COMPLETE)], ["x"], "no stages: x"),
        (["a"], [Transition("a", "end", COMPLETE)], [], "needs an entry|leads to: a"),
        (["a", "b"], [Transition(ANY, "x", COMPLETE), Transition("b", "x", "b"), Transition("a", "go", "b")], ["a"],
         "an end: b"),
    ],
)  # fmt: skip
def test_a_table_is_checked_as_a_graph(stages, rows, entries, problem):
    controller = Controller(stages, rows)
    if problem is None:
        check_controller(controller, entries)
    else:
        with pytest.raises(AssertionError, match=problem):
            check_controller(controller, entries)


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 2), max_size=6, unique=True), st.booleans())
def test_a_table_that_passes_has_no_dead_end(pairs, ends):
    rows = [Transition(source, f"to {target}", target) for source, target in pairs]
    rows += [Transition("c", "end", COMPLETE)] if ends else []
    try:
        check_controller(Controller("abc", rows), ["a"])
    except AssertionError:
        return
    for first in "abc":
        seen = {first}
        while more := {t for s, t in pairs if s in seen} - seen:
            seen |= more
        assert "c" in seen
        assert ends


def action(*signals: str):
    left = list(signals)

    async def act(run):
        run.services.executed["action", run.state.stage] += 1
        signal = left.pop(0)
        return ActionResult(signal != "no", f"did {signal}", signal, {"signal": signal})

    return act


async def test_an_action_stage_asks_no_model_and_leaves_the_same_traces_as_a_tool():
    stages = [Stage("check", action=action("sound")), Stage("work", StagePolicy(NAMES))]
    rows = [Transition("check", "sound", "work"), Transition("work", "text", COMPLETE)]
    model = ScriptedModel(["Done."])
    run = start_run(toy_spec(stages=stages, transitions=rows), model, services=World())
    assert await play(run) == Finished("Done.")
    (started,), (finished,) = stored(run, "action_started"), stored(run, "action_finished")
    assert started["key"] == finished["key"]
    assert finished["artifacts"] == {"signal": "sound"}
    assert types(run).count("prompt_set") == 1
    check_journal(journal_of(run).events[run.state.run_id])


async def test_an_action_that_is_refused_is_tried_again_up_to_the_cap():
    stages = [Stage("check", action=action("no", "no", "no"))]
    world = World()
    run = start_run(
        toy_spec(stages=stages, transitions=[Transition("check", "yes", COMPLETE)], limits=Limits(refusals=2)),
        ScriptedModel([]),
        services=world,
    )
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "no_usable_answer"
    assert world.executed["action", "check"] == 3
    keys = [event["key"] for event in stored(run, "action_finished")]
    assert len(set(keys)) == 3


async def test_stages_have_their_own_tools_prompt_and_count():
    stages = [
        Stage("one", StagePolicy(frozenset({"look"}))),
        Stage("two", StagePolicy(frozenset({"put"})), tier="fast"),
    ]
    rows = [Transition("one", "text", "two"), Transition("two", "text", "one"), Transition(ANY, "x", COMPLETE)]
    model = ScriptedModel(["first", "second", "third"])
    run = start_run(toy_spec(stages=stages, transitions=rows, limits=Limits(max_steps=3)), model)
    await play(run)
    assert [request.tools.names for request in model.requests] == [("look",), ("put",), ("look",)]
    assert [request.tier for request in model.requests] == ["standard", "fast", "standard"]
    assert [request.messages[0].content[-4:] for request in model.requests] == ["one.", "two.", "one."]
    assert run.state.stage_entries == {"one": 2, "two": 2}


async def test_a_run_may_be_given_up():
    rows = [Transition("work", "text", ABORTED)]
    outcome = await play(start_run(toy_spec(transitions=rows), ScriptedModel(["I cannot."])))
    assert outcome == Failed("aborted", "I cannot.", "")
