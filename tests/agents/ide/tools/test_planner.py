"""The plan of a run: set, updated, cleared; pinned in the journal, and read from there."""

from pathlib import Path

import pytest

from tests.agents.ide.acting import ENDING, act

STEPS = [{"step": "read the\n code"}, {"step": "mend [it]. [x] well", "status": "in_progress"}]


async def test_the_plan_is_kept_and_changed_step_by_step(tmp_path: Path) -> None:
    account = await act(
        tmp_path,
        [("planner", {"action": "get"})],
        [("planner", {"action": "set", "steps": STEPS})],
        [("planner", {"action": "update", "number": 1, "status": "done"})],
        [("planner", {"action": "get"})],
        [("planner", {"action": "clear"})],
        *ENDING,
    )
    told = [result["output"] for result in account.results("planner")]
    assert told[0] == told[4] == "(no plan)"
    assert told[1] == "1. [ ] read the code\n2. [~] mend [it]. [x] well"
    assert told[2] == told[3] == "1. [x] read the code\n2. [~] mend [it]. [x] well"
    assert account.results("planner")[3]["artifacts"]["plan"][0] == {"step": "read the code", "status": "done"}
    pinned = [event.payload["text"] for event in account.events if event.type == "pinned"]
    assert [text for text in pinned if text in told] == [told[1], told[2], told[4]]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"action": "set"}, "needs the steps"),
        ({"action": "update", "number": 1, "status": "done"}, "1 to 0"),
        ({"action": "update", "status": "done"}, "number"),
        ({"action": "forget"}, "action"),
        ({"action": "set", "steps": [{"step": "x", "status": "maybe"}]}, "status"),
    ],
)
async def test_what_cannot_be_done_is_explained(tmp_path: Path, arguments: dict[str, object], says: str) -> None:
    account = await act(tmp_path, [("planner", arguments)], *ENDING)
    (result,) = account.results("planner")
    assert not result["success"]
    assert says in result["output"]
    assert "plan" not in [event.payload["key"] for event in account.events if event.type == "pinned"]
