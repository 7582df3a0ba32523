"""A run's state is a fold of its journal, after every prefix."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.kernel.compaction import AU2
from loopwright.kernel.errors import Conflict
from loopwright.kernel.events import Event, GateAnswered, ModelResponse, UserMessage
from loopwright.kernel.gates import Waiting, default_answers
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.spec import Limits, Stage
from loopwright.kernel.state import TERMINAL, TRANSITIONS, RunState, check_transition
from loopwright.kernel.testing import MemoryJournal, ScriptedModel, check_journal, resume_run, start_run
from loopwright.kernel.testing.conformance import GOOD_SUMMARY
from tests.kernel.toys import NAMES, World, journal_of, play, toy_spec

CALLS = {
    "look": {"thing": "a"},
    "put": {"thing": "a", "value": "1"},
    "send": {"thing": "x"},
    "pay": {"thing": "x"},
    "break": {"thing": "x"},
    "draft": {"thing": "x"},
    "move": {"thing": "go"},
    "ask_user": {"questions": [{"question": "Which?", "type": "text"}]},
    "ghost": {},
}

replies = st.lists(
    st.just("") | st.lists(st.sampled_from(sorted(CALLS)), min_size=1, max_size=4),
    max_size=8,
)


def seen(state: RunState) -> dict[str, Any]:
    """Everything that later steps depend on, but for the clock."""
    return {
        "messages": [message.to_dict() for message in state.context.build_messages()],
        "tokens": state.context.estimate_tokens(),
        "pins": state.context.pins,
        "newest_user": state.context.newest_user,
        "calls": {key: (call.call, call.started, call.result, call.gate_id) for key, call in state.calls.items()},
        "gates": state.gates,
        "answers": state.tool_answers,
    } | {
        name: getattr(state, name)
        for name in (
            "session_id", "agent", "options", "status", "seq", "stage", "stage_entries", "refusals", "steps",
            "consecutive_errors", "usd", "usd_known", "absorbed", "last_text", "last_response", "actions",
            "compaction_rests_until", "remarks",
        )
    }  # fmt: skip


class Watched(MemoryJournal):
    """Compares, after each append, what the owner believes with what a new owner would."""

    run: Any = None
    compared = 0

    async def append(self, claim, after_seq, payloads, update=None):
        appended = await super().append(claim, after_seq, payloads, update)
        if self.run is not None and not self.run._deferred:
            self.compared += 1
            assert seen(RunState.fold(claim.run_id, self.events[claim.run_id])) == seen(self.run.state)
        return appended


@settings(max_examples=60, deadline=None)
@given(replies)
def test_folding_any_prefix_gives_the_live_state(script):
    async def scenario():
        journal = Watched()
        stages = [Stage(name, StagePolicy(NAMES, permission=frozenset({"pay"}))) for name in ("one", "two")]
        rows = [Transition("one", "go", "two"), *(Transition(stage.name, "text", COMPLETE) for stage in stages)]
        steps = [reply if isinstance(reply, str) else [(name, CALLS[name]) for name in reply] for reply in script]

        def next_reply(request):
            if request.labels.stage in ("compact", "draft"):
                return GOOD_SUMMARY
            return steps.pop(0) if steps else "Done."

        spec = toy_spec(
            stages=stages,
            transitions=rows,
            compaction=AU2(max_messages=8),
            limits=Limits(max_consecutive_errors=9, refusals=9),
        )
        run = start_run(spec, ScriptedModel([next_reply] * 60), journal=journal, services=World())
        journal.run = run
        while isinstance(outcome := await play(run), Waiting):
            answered = GateAnswered(gate_id=outcome.gate.gate_id, answer=default_answers(outcome.gate))
            run = journal.run = resume_run(run, payloads=[answered])
        assert journal.compared > 1
        check_journal(journal.events[run.state.run_id])

    asyncio.run(scenario())


def test_events_of_unknown_types_only_count():
    run = start_run(toy_spec(), ScriptedModel([]))
    events = journal_of(run).events[run.state.run_id]
    alien = Event(run_id="r", seq=3, type="page_published", at=datetime.now(UTC), payload={"slug": "home"})
    with_alien, without = RunState.fold("r", [*events, alien]), RunState.fold("r", events)
    assert with_alien.seq == without.seq + 1
    with_alien.seq = without.seq
    assert seen(with_alien) == seen(without)


def test_what_the_user_says_meanwhile_never_parts_a_call_from_its_result():
    state = RunState("r")
    now = datetime.now(UTC)
    from loopwright.kernel.events import ToolCallStarted, ToolResultRecorded

    state.apply(ModelResponse(text="", tool_calls=[ToolCall(id="a", name="look")]), now)
    state.apply(UserMessage(text="and make it blue"), now)
    state.apply(ToolCallStarted(call_id="a", name="look", arguments={}, effect="pure"), now)
    state.apply(ToolResultRecorded(call_id="a", name="look", success=True, output="x"), now)
    assert [message.role for message in state.context.messages] == ["assistant", "tool", "user"]
    assert state.context.newest_user == state.context.messages[-1]


@pytest.mark.parametrize("old", TRANSITIONS)
@pytest.mark.parametrize("new", TRANSITIONS)
def test_a_run_moves_only_along_its_table(old, new):
    if new in TRANSITIONS[old]:
        check_transition("r", old, new)
        return
    with pytest.raises(Conflict) as error:
        check_transition("r", old, new)
    assert bool(error.value.hint) == (old in TERMINAL)


def test_every_status_but_the_ends_can_end():
    assert {"completed", "failed", "cancelled"} == TERMINAL
    for status in set(TRANSITIONS) - TERMINAL:
        assert "cancelled" in TRANSITIONS[status]
