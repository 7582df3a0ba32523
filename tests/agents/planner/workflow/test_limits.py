"""Limits of turns, retries, time and money (spec 004, 2, 7 and 10)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.kernel.gates import Failed, Finished, Waiting
from tests.agents.planner.tools.session import website
from tests.agents.planner.workflow.playing import Play, Rooms, SettledPlans, context, costing, outline


def priced(usd: float, *replies: Any) -> list[Any]:
    """Scripted answers at one price each."""
    return [costing(usd, reply, number) for number, reply in enumerate(replies)]


async def test_a_turn_above_its_soft_ceiling_is_summed_up_and_asked_about(tmp_path: Path) -> None:
    script = [*priced(0.32, *context(), *outline())]
    play = Play(tmp_path, script)
    outcome = await play.begin()
    assert isinstance(outcome, Waiting)
    assert len(play.model.requests) == 1, "0.32 USD are more than the 0.30 of a turn, so no second call is made"
    [passed] = play.stored("turn_ceiling_passed")
    assert (passed["ceiling"], passed["limit"]) == ("usd", 0.30)
    assert [step["tool"] for step in play.stored("planning_step")][-1] == "summarizer"
    line = play.gate.details["last_line"]
    assert line["planning_status"] == "needs_clarification"
    assert "0.32 USD" in line["response_text"]
    assert isinstance(await play.answer_all(outcome), Finished)
    turns = [(each["turn"], each["spent"]) for each in play.stored("turn_ceiling_passed")]
    assert turns == [(1, 0.32), (2, 0.32)], "the next turn has a ceiling of its own"
    play.model.assert_done()


async def test_who_stops_at_the_ceiling_keeps_what_there_is(tmp_path: Path) -> None:
    play = Play(tmp_path, priced(0.16, *context(), *outline()))
    await play.begin()
    outcome = await play.answer({"0": "Stop with what there is"})
    assert isinstance(outcome, Failed)
    assert outcome.code == "aborted"
    [failed] = play.stored("run_failed")
    assert (failed["result"]["planning_status"], failed["result"]["nodes"]) == ("aborted", len(website()["nodes"]))
    assert set(failed["result"]["artifacts"]) == {"markdown", "json"}
    assert "You stopped it." in failed["message"]
    assert play.way[-1] == "aborted"


async def test_what_the_user_says_at_a_ceiling_reaches_the_model(tmp_path: Path) -> None:
    play = Play(tmp_path, [*priced(0.31, *context()), *outline()])
    await play.begin()
    await play.answer({"0": "Go on, but keep it small."})
    assert [message["text"] for message in play.stored("user_message")][-1] == "Go on, but keep it small."
    assert "Go on, but keep it small." in [message.content for message in play.model.requests[1].messages]


async def test_a_turn_that_takes_too_long_is_asked_about(tmp_path: Path) -> None:
    now = [datetime(2027, 1, 4, tzinfo=UTC)]
    script = [lambda request: _later(now, 46), *context(), *outline()]
    play = Play(tmp_path, script, limits={"turn_seconds": 45.0}, clock=lambda: now[0])
    outcome = await play.begin()
    assert isinstance(outcome, Waiting)
    [passed] = play.stored("turn_ceiling_passed")
    assert (passed["ceiling"], passed["spent"], passed["limit"]) == ("seconds", 46.0, 45.0)
    assert "46 seconds" in play.gate.details["last_line"]["response_text"]
    play.clock = None
    assert play.way == ["COLLECT_CONTEXT"], "a pause is no change of state"


def _later(now: list[datetime], seconds: float) -> str:
    """A model that takes its time."""
    now[0] += timedelta(seconds=seconds)
    return "I know enough."


@pytest.mark.parametrize(
    ("cap", "spent"), [("max_usd_per_session", "spent_in_session"), ("max_usd_per_day", "spent_today")]
)
async def test_hard_caps_of_session_and_day_stop_before_the_call(tmp_path: Path, cap: str, spent: str) -> None:
    play = Play(tmp_path, priced(0.2, "Let me think.", "And think."), budget={cap: 0.5, "soft_usd_per_turn": None})
    play.model.estimate_cost = lambda request: 0.2  # type: ignore[method-assign]
    outcome = await play.begin()
    assert isinstance(outcome, Failed)
    assert outcome.code == "budget_exceeded"
    assert cap.rpartition("_")[2] in outcome.message
    assert len(play.model.requests) == 2, "0.40 are spent, and the third call could bring it to 0.60"


async def test_what_other_runs_of_the_session_have_spent_counts(tmp_path: Path) -> None:
    play = Play(tmp_path, [], budget={"max_usd_per_session": 2.0})
    play.model.estimate_cost = lambda request: 0.2  # type: ignore[method-assign]
    play.spent_in_session = 1.9
    outcome = await play.begin()
    assert isinstance(outcome, Failed)
    assert "session to $2.1000; its cap is $2.0000" in outcome.message


async def test_a_plan_ends_when_the_user_has_been_asked_as_often_as_it_may_ask(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(), *outline()], limits={"max_turns": 2})
    assert isinstance(await play.begin(), Waiting)
    outcome = await play.answer({"decision": "reject", "comment": "Not like this."})
    assert isinstance(outcome, Failed)
    [failed] = play.stored("run_failed")
    assert (failed["code"], failed["result"]["planning_status"]) == ("aborted", "aborted")
    assert "All 2 turns are used" in failed["message"]
    assert play.way[-2:] == ["SEEK_APPROVAL", "aborted"]
    assert not play.rooms.plans.settled


class Tampering(SettledPlans):
    """Moves a schedule into the night once it was judged, behind the solver's back."""

    async def save_state(self, session_id: str, state: str, key: str) -> bool:
        if "DRAFT_SCHEDULE" in key and key.endswith(":judged"):
            moved = PlanningState.model_validate_json(state)
            assert moved.schedule is not None
            for block in moved.schedule.blocks:
                block.start, block.end = block.start + timedelta(hours=12), block.end + timedelta(hours=12)
            state = moved.model_dump_json()
        return await super().save_state(session_id, state, key)


@pytest.mark.parametrize("retries", [0, 1])
async def test_a_validator_sends_back_as_often_as_the_limit_says(tmp_path: Path, retries: int) -> None:
    rooms = Rooms(plans=Tampering())
    play = Play(tmp_path, [*context(), *outline()], rooms=rooms, limits={"retries_per_stage": retries})
    outcome = await play.begin()
    assert isinstance(outcome, Waiting)
    assert play.way.count("VALIDATE_SCHEDULE") == retries + 1
    assert play.way[-1] == "NEEDS_CLARIFICATION"
    assert "The schedule is not valid" in play.gate.questions[0].question
    play.model.assert_done()


async def test_a_model_that_never_does_its_work_is_a_fatal_error_of_the_table(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *("I would rather talk." for _ in range(4))])
    outcome = await play.begin()
    assert isinstance(outcome, Failed)
    assert play.stored("stage_changed")[-1] == {"from": "DRAFT_OUTLINE", "to": "aborted", "reason": "fatal_error"}
    [failed] = play.stored("run_failed")
    assert failed["result"]["planning_status"] == "aborted"
    assert "There is no outline yet" in failed["message"]
    assert "MODEL_STANDARD" in failed["message"]
