"""What a whole plan tells of what the user has said: before the approval, and at its end."""

from datetime import timedelta
from pathlib import Path

import pytest

from loopwright.agents.planner.facts.closing import spelled
from loopwright.agents.planner.patterns import language_of
from loopwright.kernel.gates import Finished, Waiting
from tests.agents.planner.workflow.playing import QUIET, Play, context, outline

GOAL = "launch my website, at least 30 hours a week, no Wednesdays, never two days in a row"
UNMET = ["at least 30 hours a week", "never two days in a row"]


async def test_what_the_plan_does_not_keep_stands_at_the_approval_and_in_no_sentence_of_success(tmp_path: Path) -> None:
    """A stated fact that is unmet is told before the user says yes, and the ending claims nothing of it."""
    play = Play(tmp_path, [*context(), *outline()])
    assert isinstance(await play.begin(GOAL), Waiting)
    told = play.gate.details["not_kept"]
    assert [line.partition("”")[0][1:] for line in told] == UNMET
    assert "h a week" in told[0], "what was measured stands beside it"
    assert not (tmp_path / "plan.ics").exists(), "nobody has approved it yet"
    assert isinstance(await play.answer({"decision": "approve"}), Finished)
    (done,) = play.stored("run_completed")
    assert [entry["text"] for entry in done["account"]["not_used"]] == UNMET
    assert [entry["text"] for entry in done["account"]["kept"]] == ["no Wednesdays"]
    (goal,) = done["account"]["assumed"]
    assert goal["reason"].endswith("entries; no title names it"), "P2: nothing measures that it becomes a website"
    assert done["result"]["planning_status"] == "partly_kept", "a status of its own: two stated facts are unmet"
    claims = ("complete", "settled", "kept", "everything", "as you", "all of", "done")
    assert not [word for word in claims if word in done["text"].lower()], done["text"]


ASK = [("context_elicitor", {"questions": [{"question": "Who is it for?", "type": "text", "default": "friends"}]})]


@pytest.mark.parametrize(("said", "read"), [(None, ""), ("a page that shows Dr Brown", "a page that shows Dr Brown")])
async def test_only_what_the_user_has_put_into_words_is_read(tmp_path: Path, said: str | None, read: str) -> None:
    """P5: neither the agent's questions nor the defaults that were taken are statements; an own answer is."""
    play = Play(tmp_path, [ASK, *context(), *outline()], policy=QUIET | {"probing_depth": 2})
    assert isinstance(await play.begin(GOAL), Waiting)
    assert play.gate.questions[0].question == "Who is it for?"
    outcome = await play.answer({"answers": {"0": said}} if said else None)
    assert isinstance(await play.answer_all(outcome), Finished)
    first, *later = play.stored("statements_read")
    assert all(each["text"] in GOAL for each in first["statements"])
    assert " ".join(each["text"] for more in later for each in more["statements"]) == read


@pytest.mark.parametrize(
    ("goal", "words", "reason"),
    [
        (
            "launch my website for 300 readers, no Wednesdays, budget 900 euros",
            {"300 readers", "900 euros"},
            "a plan has times and tasks; it does not keep “",
        ),
        (
            "Ich möchte meine Website veröffentlichen, nicht am Mittwoch, Budget 900 Euro",
            {"900 Euro"},
            "Ein Plan hat Zeiten und Aufgaben; „",
        ),
    ],
)
async def test_amounts_that_no_plan_keeps_are_refused_with_the_reason(
    tmp_path: Path, goal: str, words: set[str], reason: str
) -> None:
    """A number of people and a sum of money stand in no calendar: they are told, before the yes and after it."""
    play = Play(tmp_path, [*context(), *outline()], policy=QUIET)
    outcome = await play.begin(goal)
    before = [line for line in play.gate.details["not_kept"] if reason in line]
    assert len(before) == len(words)
    assert isinstance(await play.answer_all(outcome), Finished)
    (done,) = play.stored("run_completed")
    told = done["account"]["refused"]
    assert all(any(each in entry["text"] and each in entry["reason"] for entry in told) for each in words)
    assert all(entry["reason"].startswith(reason) for entry in told)
    assert not [entry for entry in done["account"]["not_used"] if not entry["reason"]]
    assert done["result"]["planning_status"] == "partly_kept"


@pytest.mark.parametrize(
    ("goal", "free"),
    [
        ("launch my website", "From {first} to {last} nothing is planned: these days stay free."),
        ("Ich möchte meine Website veröffentlichen", "Vom {first} bis zum {last} ist nichts geplant"),
    ],
)
async def test_days_that_a_change_leaves_empty_are_those_behind_the_last_entry(
    tmp_path: Path, goal: str, free: str
) -> None:
    """The days that are said to stay free begin behind the last block and end on the last day of the plan."""
    play = Play(tmp_path, [*context(), *outline()], policy=QUIET)
    assert isinstance(await play.answer_all(await play.begin(goal)), Finished)
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms)
    change.settings = {"replan": True, "now": "2027-01-05T08:00:00+00:00", "deadline": None}
    words = "no Fridays any more" if language_of(goal) == "en" else "freitags geht es nicht mehr"
    assert isinstance(await change.answer_all(await change.begin(words)), Finished)
    (done,) = change.stored("run_completed")
    schedule, last = change.state.schedule, change.state.goal.deadline
    assert schedule is not None
    assert last is not None
    end = max(block.end for block in schedule.blocks).date()
    assert (last - end).days > 6
    spoken = language_of(goal)
    told = free.format(first=spelled(end + timedelta(days=1), spoken), last=spelled(last, spoken))
    assert told in done["text"]
