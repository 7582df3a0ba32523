"""Journals of earlier versions load, and still say what they said (`README.md` here)."""

from itertools import groupby
from pathlib import Path

import pytest

from loopwright.kernel.events import KERNEL_PAYLOADS, Event
from loopwright.kernel.state import RunState
from loopwright.kernel.testing import check_journal

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))


def events_of(path: Path) -> list[Event]:
    return [Event.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]


def runs_of(path: Path) -> dict[str, list[Event]]:
    return {run_id: list(events) for run_id, events in groupby(events_of(path), key=lambda event: event.run_id)}


def test_every_type_of_event_has_its_example():
    kept = {event.type for path in FILES for event in events_of(path)}
    assert kept >= set(KERNEL_PAYLOADS), "add a file for the version that brings the new type"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_event_loads_and_keeps_every_field(path):
    for event in events_of(path):
        loaded = KERNEL_PAYLOADS[event.type].model_validate(event.payload).model_dump(mode="json")
        assert loaded.items() >= event.payload.items(), f"{path.name}, {event.run_id} {event.seq} {event.type}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_journal_keeps_its_promises_and_folds_to_its_end(path):
    for run_id, events in runs_of(path).items():
        check_journal(events)
        state = RunState.fold(run_id, events)
        assert state.seq == len(events)
        assert events[-1].type == f"run_{state.status}"


def test_the_first_journal_folds_to_what_it_meant():
    state = RunState.fold("r1", runs_of(Path(__file__).with_name("0.1.0.jsonl"))["r1"])
    assert state.session_id == "s1"
    assert state.options == {"mode": "agent", "output": "out"}
    assert (state.steps, state.tokens, state.usd_known) == (4, 610, False)
    assert state.stage_entries == {"refinement": 1, "check": 1, "complete": 1}
    assert [message.role for message in state.context.messages][-3:] == ["assistant", "user", "assistant"]
    assert state.context.pins == {"mode": "agent"}
    assert state.context.summary["goal"] == "as agreed"
    assert state.context.newest_user is not None
    assert state.context.newest_user.images
    assert [gate.status for gate in state.gates.values()] == ["consumed"]
    assert state.last_text == "Done."
    assert state.active_seconds == 8 + 24
    assert not state.open_calls


def test_a_turn_that_was_asked_about_folds_to_a_new_turn():
    state = RunState.fold("r4", runs_of(Path(__file__).with_name("0.1.0-turns.jsonl"))["r4"])
    assert (state.turns, state.usd_before_turn, state.ceiling) == (2, 0.4, None)
    assert state.seconds_before_turn == 11
    assert state.last_text == "You stopped."


def test_what_a_child_run_has_spent_is_told_as_a_whole_and_counted_once():
    state = RunState.fold("r12", runs_of(Path(__file__).with_name("0.1.0-children.jsonl"))["r12"])
    assert (state.steps, state.tokens) == (2, 40)
    assert (state.spent.steps, state.spent.tokens, round(state.spent.usd, 6)) == (5, 85, 0.05)
