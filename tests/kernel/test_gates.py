"""A human's word: asked for, waited for, used exactly once."""

import pytest

from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import Finished, Waiting, digest_of
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.spec import Stage
from loopwright.kernel.testing import Death, MortalJournal, ScriptedModel, check_journal, resume_run, start_run
from tests.kernel.toys import NAMES, TOOLS, Ask, Pay, Put, World, answer, journal_of, play, stored, toy_spec, types

WHICH = {"question": "Which?", "type": "radio", "options": ["A", "B"]}
ASK = ("ask_user", {"questions": [WHICH]})
PAY = ("pay", {"thing": "rent"})
YES, NO = {"decision": "approve"}, {"decision": "reject", "comment": "too dear"}


@pytest.fixture(autouse=True)
def nothing_stays_armed():
    yield
    disarm()


def last_result(model: ScriptedModel) -> str:
    return model.requests[-1].messages[-1].content


async def test_a_question_rests_the_run_and_the_answer_carries_it_on():
    model = ScriptedModel([[ASK], "Thanks."])
    run = start_run(toy_spec(), model, services=World())
    outcome = await play(run)
    assert isinstance(outcome, Waiting)
    assert outcome.gate.kind == "questions"
    assert outcome.gate.questions[0].options == ["A", "B"]
    assert run.state.status == "waiting_input"
    assert types(run)[-2:] == ["gate_opened", "run_waiting_input"]
    resumed, outcome = await answer(run, outcome, {"0": "B"})
    assert outcome == Finished("Thanks.")
    assert last_result(model) == "{'Which?': 'B'}"
    assert [gate.status for gate in resumed.state.gates.values()] == ["consumed"]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_no_answers_are_told_as_such():
    model = ScriptedModel([[ASK], "Thanks."])
    run = start_run(toy_spec(), model, services=World())
    await answer(run, await play(run), {"answers": {}})
    assert last_result(model) == "No answers were given."


async def test_questions_of_the_same_text_are_sent_back():
    model = ScriptedModel([[("ask_user", {"questions": [WHICH, WHICH]})], "Done."])
    assert await play(start_run(toy_spec(), model, services=World())) == Finished("Done.")
    assert "same text" in last_result(model)


async def test_calls_beside_a_question_are_answered_as_not_run():
    model = ScriptedModel([[("look", {"thing": "x"}), ASK, ("send", {"thing": "y"}), ASK], "Done."])
    world = World()
    run = start_run(toy_spec(), model, services=world)
    await answer(run, await play(run), {"0": "A"})
    results = [m.content for m in model.requests[1].messages if m.role == "tool"]
    assert results[0] == "nothing"
    assert "'A'" in results[1]
    assert "Not run" in results[2]
    assert "Not run" in results[3]
    assert world.sent == []
    check_journal(journal_of(run).events[run.state.run_id])


async def test_permission_given():
    world, model = World(), ScriptedModel([[PAY, ("look", {"thing": "x"})], "Paid."])
    run = start_run(toy_spec(), model, services=world)
    outcome = await play(run)
    assert isinstance(outcome, Waiting)
    assert outcome.gate.kind == "permission"
    assert outcome.gate.details == {"tool": "pay", "arguments": {"thing": "rent"}}
    assert world.sent == []
    resumed, outcome = await answer(run, outcome, YES)
    assert outcome == Finished("Paid.")
    assert world.sent == ["rent"]
    assert [r["success"] for r in stored(run, "tool_result")] == [True, True]
    assert resumed.state.gates[f"{run.state.run_id}.1"].status == "consumed"
    check_journal(journal_of(run).events[run.state.run_id])


async def test_permission_refused_with_a_comment():
    world, model = World(), ScriptedModel([[PAY], "As you wish."])
    run = start_run(toy_spec(), model, services=world)
    await answer(run, await play(run), NO)
    assert world.sent == []
    assert "did not allow pay" in last_result(model)
    assert "too dear" in last_result(model)
    assert stored(run, "tool_call") == []
    check_journal(journal_of(run).events[run.state.run_id])


async def test_each_call_asks_for_itself():
    world, model = World(), ScriptedModel([[PAY, PAY], "Done."])
    run = start_run(toy_spec(), model, services=world)
    run, outcome = await answer(run, await play(run), YES)
    assert isinstance(outcome, Waiting)
    await answer(run, outcome, NO)
    assert world.sent == ["rent"]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_an_approval_of_something_else_is_not_used():
    world, model = World(), ScriptedModel([[PAY], "Done."])
    run = start_run(toy_spec(), model, services=world)
    outcome = await play(run)
    event = journal_of(run).events[run.state.run_id][-2]
    event.payload["digest"] = digest_of("another payment")
    await answer(run, outcome, YES)
    assert world.sent == []
    assert "something else" in last_result(model)


async def test_a_plan_may_be_approved_and_its_details_name_it():
    from loopwright.kernel.tools import GateRequest

    class Plan(Put):
        def gate(self, params):
            return GateRequest("plan", "Go?", details={"plan": params.value})

    model = ScriptedModel([[("put", {"thing": "a", "value": "b"})], "Done."])
    run = start_run(toy_spec(tools=(Plan(),)), model, services=World())
    outcome = await play(run)
    assert isinstance(outcome, Waiting)
    assert (outcome.gate.kind, outcome.gate.title, outcome.gate.details) == ("plan", "Go?", {"plan": "b"})
    assert isinstance((await answer(run, outcome, YES))[1], Finished)


async def test_an_answer_stored_before_a_crash_is_found_by_the_next_owner():
    world, model = World(), ScriptedModel([[PAY], "Paid."])
    run = start_run(toy_spec(), model, services=world)
    outcome = await play(run)
    assert isinstance(outcome, Waiting)
    crashed = resume_run(run, payloads=[GateAnswered(gate_id=outcome.gate.gate_id, answer=YES)])
    assert crashed.state.open_gate is None  # and then its process dies
    assert await play(resume_run(crashed)) == Finished("Paid.")
    assert world.sent == ["rent"]


async def approve_all(run):
    outcome = await play(run)
    return await answer(run, outcome, YES)


async def killed_while_running(tool: str):
    """A run whose process died after the tool took effect, and before the result was stored."""
    journal, world, model = MortalJournal(), World(), ScriptedModel([[(tool, {"thing": "rent"})], "Done."])
    run = start_run(toy_spec(), model, journal=journal, services=world)
    arm("tool.executed", journal.die)
    with pytest.raises(Death):
        await approve_all(run)
    disarm()
    return resume_run(run), world, model


async def test_an_interrupted_once_call_is_not_repeated_and_the_model_is_told():
    run, world, model = await killed_while_running("send")
    assert await play(run) == Finished("Done.")
    assert world.sent == ["rent"]
    assert "its outcome is unknown" in last_result(model)
    check_journal(journal_of(run).events[run.state.run_id])


@pytest.mark.parametrize("tool", ["look", "put"])
async def test_an_interrupted_pure_or_idempotent_call_runs_again(tool):
    run, world, _ = await killed_while_running(tool)
    assert await play(run) == Finished("Done.")
    assert world.executed[tool, f"{run.state.run_id}:{stored(run, 'tool_call')[0]['call_id']}"] == 2
    assert [call["attempt"] for call in stored(run, "tool_call")] == [1, 2]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_an_interrupted_call_may_ask_the_human_at_each_attempt():
    run, world, model = await killed_while_running("pay")
    outcome = await play(run)
    assert isinstance(outcome, Waiting)
    assert "run it again?" in outcome.gate.title
    assert outcome.gate.details["attempt"] == 1
    arm("tool.executed", journal_of(run).die)  # the second attempt dies too
    with pytest.raises(Death):
        await answer(run, outcome, YES)
    disarm()
    run = resume_run(run)
    outcome = await play(run)
    assert isinstance(outcome, Waiting)
    assert outcome.gate.details["attempt"] == 2
    run, outcome = await answer(run, outcome, NO)
    assert outcome == Finished("Done.")
    assert world.sent == ["rent", "rent"]
    assert "did not want it repeated" in last_result(model)
    assert {gate.status for gate in list(run.state.gates.values())[:2]} == {"consumed"}
    check_journal(journal_of(run).events[run.state.run_id])


async def test_calls_after_a_transition_are_answered_as_not_run():
    stages = [Stage("one", StagePolicy(NAMES)), Stage("two", StagePolicy(NAMES))]
    rows = [Transition("one", "go", "two"), Transition("two", "text", COMPLETE)]
    world = World()
    model = ScriptedModel([[("move", {"thing": "go"}), ("send", {"thing": "x"})], "Done."])
    run = start_run(toy_spec(stages=stages, transitions=rows), model, services=world)
    await play(run)
    assert world.sent == []
    results = [m.content for m in model.requests[1].messages if m.role == "tool"]
    assert results[0] == "signalled go"
    assert "Not run: the stage changed first" in results[1]
    assert model.requests[1].messages[0].content == "You are a toy in stage two."


async def test_a_refused_transition_rewrites_that_very_result():
    async def not_yet(run):
        return "Two todos are open."

    rows = [Transition("work", "finish", COMPLETE, not_yet), Transition("work", "text", COMPLETE)]
    model = ScriptedModel([[("move", {"thing": "finish"}), ("look", {"thing": "x"})], "Done."])
    run = start_run(toy_spec(transitions=rows), model, services=World())
    await play(run)
    results = [m.content for m in model.requests[1].messages if m.role == "tool"]
    assert "Two todos are open." in results[0]
    assert results[1] == "nothing"
    assert stored(run, "tool_result")[0]["success"] is False


def test_the_toys_are_what_these_tests_take_them_for():
    assert Ask.effect == "pure"
    assert Pay.asks_after_crash
    assert {tool.effect for tool in TOOLS} == {"pure", "idempotent", "once"}
