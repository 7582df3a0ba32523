"""What a whole plan tells of what the user has said: before the approval, and at its end."""

from pathlib import Path

import pytest

from loopwright.kernel.outcomes import Finished, Waiting
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
