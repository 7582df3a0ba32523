"""The plan of a run: written anew at each call, and pinned in the journal."""

from pathlib import Path

import pytest

from tests.agents.ide.acting import ENDING, act

STEPS = [{"step": "read the\n code", "status": "pending"}, {"step": "repair [it]. [x] well", "status": "in_progress"}]


async def test_the_plan_is_kept_and_changed_step_by_step(tmp_path: Path) -> None:
    account = await act(
        tmp_path,
        [("planner", {"steps": STEPS})],
        [("planner", {"steps": [STEPS[0] | {"status": "done"}, STEPS[1]]})],
        [("planner", {"steps": []})],
        *ENDING,
    )
    told = [result["output"] for result in account.results("planner")]
    assert told == [
        "1. [ ] read the code\n2. [~] repair [it]. [x] well",
        "1. [x] read the code\n2. [~] repair [it]. [x] well",
        "(no plan)",
    ]
    assert account.results("planner")[1]["artifacts"]["plan"][0] == {"step": "read the\n code", "status": "done"}
    pinned = [event.payload["text"] for event in account.events if event.type == "pinned"]
    assert [text for text in pinned if text in told] == told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "steps"),
        ({"steps": [{"step": "x"}]}, "status"),
        ({"action": "forget", "steps": []}, "action"),
        ({"steps": [{"step": "x", "status": "maybe"}]}, "status"),
    ],
)
async def test_what_cannot_be_done_is_explained(tmp_path: Path, arguments: dict[str, object], says: str) -> None:
    account = await act(tmp_path, [("planner", arguments)], *ENDING)
    (result,) = account.results("planner")
    assert not result["success"]
    assert says in result["output"]
    assert "plan" not in [event.payload["key"] for event in account.events if event.type == "pinned"]
