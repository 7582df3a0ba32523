"""The test kit itself: it finds what it is there to find."""

from datetime import UTC, datetime

import pytest

from loopwright.kernel.crash import arm
from loopwright.kernel.errors import NotFound, StaleOwner
from loopwright.kernel.events import Event
from loopwright.kernel.testing import MemoryJournal, ScriptedModel, check_journal, resume_run, start_run
from tests.kernel.toys import World, answer, journal_of, play, toy_spec

PAY = [("pay", {"thing": "rent"})]


async def test_a_request_beyond_the_script_fails():
    with pytest.raises(AssertionError, match="unexpected model request 1"):
        await play(start_run(toy_spec(), ScriptedModel([])))


async def test_a_request_beyond_the_script_out_of_a_tool_fails_too():
    class Lazy(ScriptedModel):
        async def complete(self, request, on_delta=None):
            if request.labels.stage == "draft":
                self.script = self.script[:0]
            elif len(self.requests) == 1:
                self.script = ["", "Done."]
            return await super().complete(request, on_delta)

    model = Lazy([[("draft", {"thing": "x"})]])
    await play(start_run(toy_spec(), model, services=World()))
    with pytest.raises(AssertionError, match="unexpected model request 2"):
        model.assert_done()


def test_only_named_points_can_be_armed():
    with pytest.raises(ValueError, match=r"no crash point 'lunch'; there are: run\.created"):
        arm("lunch", lambda: None)


async def test_replies_left_over_fail():
    model = ScriptedModel(["Done.", "Never."])
    await play(start_run(toy_spec(), model))
    with pytest.raises(AssertionError, match=r"1 scripted replies were never asked for.*Never"):
        model.assert_done()


async def test_the_journal_in_memory_has_the_fence():
    journal = MemoryJournal()
    run = start_run(toy_spec(), ScriptedModel(["Done."]), journal=journal)
    taken = resume_run(run)
    with pytest.raises(StaleOwner):
        await play(run)
    await play(taken)
    with pytest.raises(NotFound):
        await journal.read("nobody")
    assert [event.seq for event in await journal.read(run.state.run_id, 1, 2)] == [2, 3]
    assert [event.type async for event in journal.watch(run.state.run_id)][-1] == "run_completed"


async def whole_journal() -> list[Event]:
    model = ScriptedModel([PAY, "Paid."])
    run = start_run(toy_spec(), model, services=World())
    await answer(run, await play(run), {"decision": "approve"})
    return journal_of(run).events[run.state.run_id]


def without(events: list[Event], *kinds: str) -> list[Event]:
    kept = [event for event in events if event.type not in kinds]
    return [event.model_copy(update={"seq": seq}) for seq, event in enumerate(kept, 1)]


def twice(events: list[Event], kind: str) -> list[Event]:
    doubled = [copy for event in events for copy in ([event, event] if event.type == kind else [event])]
    return without(doubled)


async def test_a_whole_journal_passes():
    check_journal(await whole_journal())


TURNS = ["run_created", "model_response", "tool_call", "tool_result", "gate_opened", "gate_answered", "run_completed"]


@pytest.mark.parametrize("kind", [*TURNS, "run_started"])
async def test_what_stands_twice_is_found(kind):
    with pytest.raises(AssertionError):
        check_journal(twice(await whole_journal(), kind))


@pytest.mark.parametrize("kind", TURNS)
async def test_what_is_missing_is_found(kind):
    with pytest.raises(AssertionError):
        check_journal(without(await whole_journal(), kind))


async def test_holes_and_late_events_are_found():
    events = await whole_journal()
    with pytest.raises(AssertionError, match="seq 4"):
        check_journal([*events[:3], *events[4:]])
    late = Event(run_id="r", seq=len(events) + 1, type="note", at=datetime.now(UTC), payload={})
    with pytest.raises(AssertionError, match="nothing may follow"):
        check_journal([*events, late])
    check_journal(events[:-1], over=False)
