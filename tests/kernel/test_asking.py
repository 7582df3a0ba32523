"""A stage's own work that needs a human's word; and runs whose model cannot be reached."""

import pytest

from loopwright.kernel.actions import answer_to
from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.errors import ModelRejected, ModelUnavailable
from loopwright.kernel.events import Pinned
from loopwright.kernel.gates import Failed, Finished, Waiting
from loopwright.kernel.policy import COMPLETE, Transition
from loopwright.kernel.spec import ActionResult, Stage
from loopwright.kernel.testing import Death, MortalJournal, ScriptedModel, resume_run, start_run
from loopwright.kernel.tools import GateRequest
from tests.kernel.toys import World, answer, play, stored, toy_spec


@pytest.fixture(autouse=True)
def nothing_stays_armed():
    yield
    disarm()


def request(name: str) -> GateRequest:
    return GateRequest("patch", f"Apply {name}?", details={"patch": name})


async def review(run):
    """Ask about each of two patches, and pin what was said; a pin is what this work has done already."""
    for name in ("first", "second"):
        if name in run.state.context.pins:
            continue
        given = answer_to(run, request(name))
        if given is None:
            return request(name)
        await run.append(Pinned(key=name, text=given["decision"]))
    said = run.state.context.pins
    return ActionResult(True, "reviewed", "reviewed", text=f"first {said['first']}, second {said['second']}")


def reviewing(**more):
    stages = [toy_spec().stages[0], Stage("review", action=review)]
    rows = [Transition("work", "text", "review"), Transition("review", "reviewed", COMPLETE)]
    return toy_spec(stages=stages, transitions=rows, **more)


async def test_an_action_asks_for_each_thing_and_is_told_each_answer():
    run = start_run(reviewing(), ScriptedModel(["Two patches."]))
    outcome = await play(run)
    assert isinstance(outcome, Waiting)
    assert (outcome.gate.kind, outcome.gate.details, outcome.gate.call_id) == ("patch", {"patch": "first"}, None)
    run, outcome = await answer(run, outcome, {"decision": "approve"})
    assert outcome.gate.details == {"patch": "second"}
    run, outcome = await answer(run, outcome, {"decision": "reject"})
    assert outcome == Finished("first approve, second reject")
    assert len(stored(run, "model_response")) == 1
    assert {gate.status for gate in run.state.gates.values()} == {"consumed"}


async def test_an_answer_holds_for_one_entry_of_the_stage_only():
    asked = []

    async def once(run):
        asked.append(answer_to(run, request("again")))
        return request("again") if asked[-1] is None else ActionResult(True, "done", "done")

    stages = [Stage("first", action=once), toy_spec().stages[0]]
    rows = [
        Transition("first", "done", "work"),
        Transition("work", "text", COMPLETE),
        Transition("work", "back", "first"),
    ]
    model = ScriptedModel([[("move", {"thing": "back"})]])
    run = start_run(toy_spec(stages=stages, transitions=rows), model, services=World())
    run, outcome = await answer(run, await play(run), {"decision": "approve"})
    assert isinstance(outcome, Waiting), "the approval of the first entry must not serve the second"
    assert [given is not None for given in asked] == [False, True, False]


@pytest.mark.parametrize("point", ["gate.opened"])
async def test_a_question_that_was_stored_is_not_asked_twice(point):
    journal = MortalJournal()
    run = start_run(reviewing(), ScriptedModel(["Two patches."]), journal=journal)
    arm(point, journal.die)
    with pytest.raises(Death):
        await play(run)
    disarm()
    resumed = resume_run(run)
    outcome = await play(resumed)
    assert isinstance(outcome, Waiting)
    assert len(stored(resumed, "gate_opened")) == 1


async def test_the_rescue_answers_where_the_model_cannot_be_reached_and_the_journal_says_so():
    model = ScriptedModel([ModelUnavailable("no route to the endpoint")])
    fallback = ScriptedModel([[("look", {"thing": "x"})], "By rules."])
    run = start_run(toy_spec(), model, services=World())
    run.fallback = fallback
    assert await play(run) == Finished("By rules.")
    assert stored(run, "model_fell_back") == [{"reason": "no route to the endpoint"}]
    assert len(model.requests) == 1, "a model that is away is not asked again in the same run"
    fallback.assert_done()


@pytest.mark.parametrize(("error", "falls_back"), [(ModelUnavailable("away"), False), (ModelRejected("bad key"), True)])
async def test_a_run_without_rescue_fails_and_a_refused_request_is_not_asked_again(error, falls_back):
    run = start_run(toy_spec(), ScriptedModel([error]))
    run.fallback = ScriptedModel([]) if falls_back else None
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert not stored(run, "model_fell_back")
