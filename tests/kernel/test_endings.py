"""How a run ends, when it dies on the way there, and what an owner finds who takes it over."""

from datetime import UTC, datetime, timedelta

import pytest

from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.errors import Conflict, InvalidInput, JournalUnavailable
from loopwright.kernel.events import ModelResponse, Pinned, RunResumed, RunStarted
from loopwright.kernel.gates import Failed, Finished, Waiting
from loopwright.kernel.policy import ABORTED, COMPLETE, Transition
from loopwright.kernel.spec import ActionResult, Limits, Parsed, Stage
from loopwright.kernel.state import RunState
from loopwright.kernel.testing import Death, MemoryJournal, MortalJournal, ScriptedModel, resume_run, start_run
from tests.kernel.toys import World, journal_of, play, stored, toy_spec, types

QUESTION = [("ask_user", {"questions": [{"question": "Which?", "type": "text"}]})]


@pytest.fixture(autouse=True)
def nothing_stays_armed():
    yield
    disarm()


async def die_then_resume(run, journal: MortalJournal, point: str):
    arm(point, journal.die)
    with pytest.raises(Death):
        await play(run)
    disarm()
    resumed = resume_run(run)
    return resumed, await play(resumed)


async def test_a_final_answer_is_not_asked_for_again():
    journal, model = MortalJournal(), ScriptedModel(["All done."])
    run = start_run(toy_spec(), model, journal=journal)
    resumed, outcome = await die_then_resume(run, journal, "run.finishing")
    assert outcome == Finished("All done.")
    assert len(model.requests) == 1
    assert stored(resumed, "stage_changed")[-1]["to"] == COMPLETE


async def test_a_tool_that_ended_the_run_has_ended_it():
    rows = [Transition("work", "finished", COMPLETE), Transition("work", "hopeless", ABORTED)]
    for signal, expected in (("finished", Finished("signalled finished")), ("hopeless", Failed)):
        journal, model = MortalJournal(), ScriptedModel([[("move", {"thing": signal})]])
        run = start_run(toy_spec(transitions=rows), model, journal=journal, services=World())
        _, outcome = await die_then_resume(run, journal, "run.finishing")
        assert outcome == expected or (expected is Failed and outcome.code == "aborted")
        assert len(model.requests) == 1


async def test_the_last_step_may_end_the_run():
    run = start_run(toy_spec(limits=Limits(max_steps=1)), ScriptedModel(["Done."]))
    assert await play(run) == Finished("Done.")


async def test_an_action_ends_the_run_with_what_the_model_said():
    async def check(run):
        return ActionResult(True, "checked", "ok")

    stages = [toy_spec().stages[0], Stage("check", action=check)]
    rows = [Transition("work", "text", "check"), Transition("check", "ok", COMPLETE)]
    run = start_run(toy_spec(stages=stages, transitions=rows), ScriptedModel(["The work."]))
    assert await play(run) == Finished("The work.")
    alone = start_run(toy_spec(stages=stages[1:], transitions=rows[1:]), ScriptedModel([]))
    assert await play(alone) == Finished("checked")


async def test_finish_may_fail():
    async def finish(run):
        raise InvalidInput("no page was made", hint="say more")

    run = start_run(toy_spec(finish=finish), ScriptedModel(["Done."]))
    assert await play(run) == Failed("invalid_input", "no page was made", "say more")
    assert types(run)[-1] == "run_failed"


async def test_an_owner_that_died_before_the_first_stage_is_followed_by_one_that_resumes():
    journal = MortalJournal(dies_at=[2])
    run = start_run(toy_spec(), ScriptedModel(["Lost.", "Done."]), journal=journal)
    with pytest.raises(Death):
        await play(run)
    assert types(run) == ["run_created", "user_message", "run_started"]
    resumed = resume_run(run)
    assert await play(resumed) == Finished("Done.")
    assert types(resumed)[3:5] == ["run_resumed", "stage_changed"]


async def test_resumed_without_an_answer_the_run_goes_back_to_rest():
    run = start_run(toy_spec(), ScriptedModel([QUESTION]), services=World())
    assert isinstance(await play(run), Waiting)
    resumed = resume_run(run)
    assert isinstance(await play(resumed), Waiting)
    assert types(resumed)[-2:] == ["run_resumed", "run_waiting_input"]
    assert resumed.state.status == "waiting_input"


async def test_an_answer_is_stored_before_anything_is_done_with_its_records():
    journal, model = MortalJournal(), ScriptedModel(["note", "Never."])

    async def absorb(run, records):
        if journal.deaths == 0:
            journal.die()
        return [Pinned(key="notes", text=records[0])]

    stage = Stage("work", parser=lambda text: Parsed(text, text, [text]))
    run = start_run(toy_spec(stages=[stage], absorb=absorb), model, journal=journal)
    with pytest.raises(Death):
        await play(run)
    assert await play(resume_run(run)) == Finished("note")
    assert len(model.requests) == 1
    assert [pin["text"] for pin in stored(run, "pinned")] == ["note"]


def test_an_owner_that_died_was_active_up_to_its_last_event():
    noon = datetime(2025, 1, 1, 12, tzinfo=UTC)
    state = RunState("r")
    state.apply(RunStarted(owner="a"), noon)
    state.apply(ModelResponse(text="…"), noon + timedelta(seconds=30))
    state.apply(RunResumed(owner="b", reason="crash"), noon + timedelta(hours=5))
    assert state.active_seconds_at(noon + timedelta(hours=5, seconds=10)) == 40


async def test_nothing_follows_the_end():
    run = start_run(toy_spec(), ScriptedModel(["Done."]))
    await play(run)
    with pytest.raises(Conflict, match="nothing may follow"):
        await run.append(Pinned(key="plan", text="late"))
    with pytest.raises(Conflict, match="nothing may follow"):
        run.defer(Pinned(key="plan", text="late"))


class Hiccup(MemoryJournal):
    """A journal that cannot be written once."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    async def append(self, claim, after_seq, payloads, update=None):
        if self.appends + 1 == self.at:
            self.at = 0
            raise OSError("disk full")
        return await super().append(claim, after_seq, payloads, update)


async def test_what_could_not_be_stored_is_stored_with_the_next_append():
    run = start_run(toy_spec(), ScriptedModel([]), journal=Hiccup(2))
    await run.enter("start")
    with pytest.raises(JournalUnavailable, match="disk full"):
        await run.append(Pinned(key="plan", text="one"))
    await run.append(Pinned(key="plan", text="two"))
    assert [pin["text"] for pin in stored(run, "pinned")] == ["one", "two"]
    assert RunState.fold("r", journal_of(run).events[run.state.run_id]).seq == run.state.seq


@pytest.mark.parametrize("at", range(1, 6))
async def test_a_journal_that_is_away_stops_the_owner_and_never_fails_the_run(at):
    model = ScriptedModel([[("put", {"thing": "cup", "value": "red"})], "Done.", "Done."])
    run = start_run(toy_spec(), model, journal=Hiccup(at), services=World())
    with pytest.raises(JournalUnavailable):
        await play(run)
    assert "run_failed" not in types(run)
    assert await play(resume_run(run)) == Finished("Done.")
