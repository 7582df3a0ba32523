"""What a request tells before anything was done: system prompt, tools and stage, within the budget of the profile."""

from pathlib import Path

import pytest

from loopwright.kernel.ports import Profile
from loopwright.models.prices import count_tokens
from tests.agents.ide.acting import ENDING, act, stage_told
from tests.agents.ide.offline.playing import project
from tests.support.materials import without_files

BUDGETS: dict[Profile, int] = {"small": 900, "frontier": 2_500}
STAGES: dict[Profile, list[str]] = {
    "small": ["act", "tool_followup", "qa_review"],
    "frontier": ["act", "tool_followup", "delivery_check", "qa_review"],
}


@pytest.mark.parametrize("profile", ["small", "frontier"])
async def test_a_first_request_is_within_its_budget(profile: Profile, tmp_path: Path) -> None:
    change = [("replace_in_file", {"path": "README.md", "search": "# Shop", "replace": "# Market"})]
    account = await act(project(tmp_path), change, *ENDING, message="Call the shop a market.", profile=profile, qa=True)
    assert [request.labels.stage for request in account.requests] == STAGES[profile]
    for request in account.requests:
        told = without_files(request.messages[0].content) + request.tools.wire.decode() + stage_told(request)
        most = BUDGETS[profile] if request.labels.stage == "act" else BUDGETS[profile] + 200
        assert count_tokens(told) <= most, request.labels.stage
