"""A whole plan answered by hand, as a frontier model would: played again, with what its requests cost."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from loopwright.agents.planner.account.calendar_file import full_weeks, read_calendar, weeks_of
from loopwright.agents.planner.usecases import plan_run
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.testing.runs import Reply, ScriptedModel
from loopwright.models.prices import count_tokens
from tests.support.application import settings_in
from tests.support.planning import Planned, carried

RECORDING = Path(__file__).parent / "frontier" / "lake_race.yaml"
MOST_PROMPT_TOKENS = 6_000
FIRST_REQUEST = 2_500
LEAST_CACHED = 0.85
"""Of what an endpoint has read before: tools and the messages in front, up to the state that is told last."""


async def played(folder: Path) -> tuple[Planned, ScriptedModel]:
    """The plan and its model."""
    recorded: dict[str, Any] = yaml.safe_load(RECORDING.read_text(encoding="utf-8"))
    script: list[Reply] = [
        [(name, given) for call in answer for name, given in call.items()] for answer in recorded["answers"]
    ]
    async with Loopwright.open(settings_in(folder, now=recorded["now"])) as application:
        model = ScriptedModel(script)
        application.model = model
        policy = {"approval_policy": "single_final", "probing_depth": 0}
        new = plan_run(recorded["goal"], now=recorded["now"], zone="Europe/Berlin")
        new.options["policy"] = policy
        return await carried(application, new), model


async def test_two_answers_make_a_plan_and_its_account_says_what_is_in_it(tmp_path: Path) -> None:
    planned, model = await played(tmp_path)
    model.assert_done()
    assert planned.line["planning_status"] == "partly_kept"
    account = planned.line["account"]
    kept = {entry["text"] for entry in account["kept"]}
    assert {"3 swims a week", "no Mondays", "at most 1 hour a day"} <= kept
    told = {entry["text"]: entry["reason"] for entry in account["not_used"]}
    assert "on 12 June 2027" in told, "the words before the day name no appointment surely enough"
    folder = Path(planned.line["output_dir"])
    swims = read_calendar(folder / "plan.ics").named(["swim"])
    assert {len(week) for week in full_weeks(weeks_of(swims)).values()} == {3}
    written = (folder / "plan.md").read_text(encoding="utf-8")
    for left_out in ("400 m freestyle, note time", "800 m freestyle without", "1500 m freestyle in the pool"):
        assert not any(left_out in swim.title for swim in swims), "a test swim would be the fourth of its week"
        assert re.search(rf"“Swim test: {left_out}[^”]*” is left out: 3 swims a week are counted", written)


async def test_what_the_requests_cost(tmp_path: Path) -> None:
    _, model = await played(tmp_path)
    sizes = [_tokens(request) for request in model.requests]
    assert sizes[0] <= FIRST_REQUEST
    assert sum(sizes) <= MOST_PROMPT_TOKENS
    for before, after in pairwise(model.requests):
        shared = count_tokens(after.tools.wire.decode()) if before.tools.wire == after.tools.wire else 0
        for one, other in zip(before.messages, after.messages, strict=False):
            if one.wire != other.wire:
                break
            shared += count_tokens(one.content)
        assert shared >= LEAST_CACHED * (_tokens(before) - _state(before))


def _tokens(request: ModelRequest) -> int:
    return count_tokens(request.tools.wire.decode()) + sum(count_tokens(each.content) for each in request.messages)


def _state(request: ModelRequest) -> int:
    """What is told last and not kept."""
    return count_tokens(request.messages[-1].content)
