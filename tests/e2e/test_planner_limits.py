"""Limits and the remembered policy over the real command and server: asked about, stopped, refused, remembered."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.clock import day, pinned
from tests.support.model_server import ModelServer, calls, text
from tests.support.service import served

GOAL = ("launch my website", "--tz", "Europe/Berlin")
QUIET = '{"approval_policy": "single_final", "probing_depth": 0}'
OUTLINE = {
    "nodes": [
        {"id": "goal", "node_type": "goal", "level": 1, "title": "Launch it"},
        {
            "id": "text",
            "node_type": "task",
            "level": 2,
            "title": "Write the text",
            "parent": "goal",
            "estimated_minutes": 60,
        },
    ]
}
DRAFTING = [
    calls(("pattern_selector", {"pattern_type": "milestone_project"}), model="gpt-4.1"),
    text("I know enough.", model="gpt-4.1"),
    calls(("node_generator", {"outline": OUTLINE, "confidence": 0.9}), model="gpt-4.1"),
]


async def test_a_turn_that_costs_more_than_its_ceiling_asks_and_may_be_stopped(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    (tmp_path / "policy.json").write_text(QUIET)
    # At the list price of the model that answers, each scripted answer costs more than 0.0003 USD.
    place.settings |= {"MODEL_POWERFUL": "gpt-4.1", "LOOPWRIGHT_SOFT_USD_PER_TURN": "0.0008"}
    async with ModelServer(DRAFTING) as server:
        place.settings["OPENAI_BASE_URL"] = server.base_url
        deadline = ("--deadline", day(60).isoformat())
        done = await asyncio.to_thread(place.run, "plan", *GOAL, *deadline, "--policy", "policy.json", "--json")
        assert (done.code, done.last["planning_status"]) == (3, "needs_clarification")
        ceiling = done.last["gate"]["details"]["ceiling"]
        assert ceiling["spent"] > ceiling["limit"] == 0.0008
        assert ceiling["setting"] == "LOOPWRIGHT_SOFT_USD_PER_TURN"
        assert [line["payload"]["tool"] for line in done.lines if line["type"] == "planning_step"][-1] == "summarizer"
        server.assert_done()
        (tmp_path / "answers.json").write_text(json.dumps({"0": "Stop with what there is"}))
        run = done.last["run_id"]
        done = await asyncio.to_thread(place.run, "runs", "answer", run, "--answers", "answers.json", "--json")
    assert (done.code, done.last["type"], done.last["planning_status"]) == (4, "error", "aborted")
    assert done.last["nodes"] == 2
    assert (Path(done.last["output_dir"]) / done.last["artifacts"]["markdown"]).is_file()


@pytest.mark.parametrize("span", ["SESSION", "DAY"])
async def test_a_hard_cap_stops_before_the_first_call(tmp_path: Path, span: str) -> None:
    place = pinned(tmp_path)
    place.settings |= {"MODEL_POWERFUL": "gpt-4.1", f"LOOPWRIGHT_MAX_USD_PER_{span}": "0.01"}
    async with ModelServer([]) as server:
        place.settings["OPENAI_BASE_URL"] = server.base_url
        done = await asyncio.to_thread(place.run, "plan", *GOAL, "--yes", "--json")
        server.assert_done()
    assert (done.code, done.last["code"]) == (4, "budget_exceeded")
    assert f"this {span.lower()}" in done.last["message"]
    assert f"LOOPWRIGHT_MAX_USD_PER_{span}" in done.last["hint"]


def test_a_plan_without_time_asks_until_its_turns_are_used(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    place.settings |= {"LOOPWRIGHT_WALL_TIME_SEC": "0.000001", "LOOPWRIGHT_TURN_LIMIT": "3"}
    done = place.run("plan", *GOAL, "--yes", "--json")
    assert (done.code, done.last["planning_status"]) == (4, "aborted")
    assert "All 3 turns are used" in done.last["message"]
    opened = [line["payload"]["details"]["ceiling"]["ceiling"] for line in done.lines if line["type"] == "gate_opened"]
    assert opened == ["seconds", "seconds"]


def test_what_is_remembered_holds_for_new_plans_and_their_own_policy_wins(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    (tmp_path / "mine.yaml").write_text("approval_policy: strict_every_step\nprobing_depth: 0\n")
    kept = place.run("plan", "policy", "set", "mine.yaml", "--json").last
    assert kept["remembered"] == {"approval_policy": "strict_every_step", "probing_depth": 0}
    assert "yours" in place.run("plan", "policy", "show").out
    waiting = place.run("plan", *GOAL, "--json")
    assert (waiting.code, waiting.last["gate"]["details"]["step"]) == (3, "outline")
    (tmp_path / "curious.json").write_text('{"probing_depth": 3}')
    curious = place.run("plan", *GOAL, "--policy", "curious.json", "--json")
    assert (curious.code, curious.last["gate"]["kind"]) == (3, "questions")
    assert place.run("plan", "policy", "clear", "--json").last["remembered"] == {}
    (tmp_path / "wrong.json").write_text('{"verbosity": 3}')
    refused = place.run("plan", "policy", "set", "wrong.json")
    assert refused.code == 2
    assert "verbosity" in refused.err
    assert "talkativeness" in refused.err


async def test_the_remembered_policy_over_http(tmp_path: Path) -> None:
    async with served(pinned(tmp_path)) as service:

        async def put(fields: dict[str, Any]) -> Any:
            return await service.client.put("/api/plans/policy", json=fields)

        assert (await service.get("/api/plans/policy"))["remembered"] == {}
        assert (await put({"tone": "clinical"})).json()["policy"]["tone"] == "clinical"
        assert (await put({"tone": "shouting"})).status_code == 400
        assert (await service.get("/api/plans/policy"))["remembered"] == {"tone": "clinical"}
        assert (await service.client.delete("/api/plans/policy")).json()["policy"]["tone"] == "friendly"
        wrong = await service.client.post("/api/plans", json={"goal": "learn chess", "policy": {"tone": "shouting"}})
        assert wrong.status_code == 400
