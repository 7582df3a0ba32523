"""Plans made by a scripted OpenAI-compatible server: the routine, overlapping phases, the RFC of a new subtype."""

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.support.clock import day, next_monday, pinned
from tests.support.commands import Finished, Installation
from tests.support.model_server import ModelServer, calls, text

POLICY = '{"approval_policy": "single_final", "probing_depth": 0}'
RFC = "No known subtype fits a protocol whose doses change by measurement. It needs its own reviews."


def node(
    name: str, kind: str, parent: str | None, level: int, minutes: int | None = None, **more: Any
) -> dict[str, Any]:
    """A node as a model writes it."""
    data: dict[str, Any] = {"id": name, "node_type": kind, "level": level, "title": f"Do {name}", **more}
    return data | ({"parent": parent} if parent else {}) | ({"estimated_minutes": minutes} if minutes else {})


ROUTINE = {
    "nodes": [
        node("goal", "goal", None, 1),
        node("day", "cycle", "goal", 2, recurrence="daily"),
        node("walk", "task", "day", 3, 30),
        node("stretch", "task", "day", 3, 15, dependencies=[{"node": "walk"}]),
    ]
}
PROJECT = {
    "nodes": [
        node("goal", "goal", None, 1),
        node("design", "phase", "goal", 2),
        node("sketch", "task", "design", 3, 120),
        node("prototype", "task", "design", 3, 180, dependencies=[{"node": "sketch"}]),
        node("build", "phase", "goal", 2, dependencies=[{"node": "design"}]),
        node("code", "task", "build", 3, 240),
        node("publish", "task", "build", 3, 60, dependencies=[{"node": "code"}]),
    ]
}


def drafting(pattern: dict[str, Any], outline: dict[str, Any], *before: tuple[str, Any]) -> list[Any]:
    """The model's answers up to a valid outline; roadmap and schedule are the controller's."""
    return [
        calls(("pattern_selector", pattern)),
        calls(*before, ("node_generator", {"outline": outline, "confidence": 0.9})),
    ]


async def plan(folder: Path, script: list[Any], goal: str, *more: str) -> tuple[Installation, Finished]:
    """Run the command against a server that plays the script, all of it."""
    place = pinned(folder)
    (folder / "policy.json").write_text(POLICY)
    async with ModelServer(script) as server:
        place.settings["OPENAI_BASE_URL"] = server.base_url
        done = await asyncio.to_thread(place.run, "plan", goal, "--policy", "policy.json", *more, "--json")
        if done.code == 3 and "rfc" in str(done.last["gate"]["details"].get("step")):
            assert done.last["planning_status"] == "needs_clarification"
            assert done.last["gate"]["details"]["rfc"] == RFC
            done = await asyncio.to_thread(place.run, "runs", "answer", done.last["run_id"], "--yes", "--json")
        server.assert_done()
    return place, done


async def test_a_protocol_routine_has_a_valid_schedule(tmp_path: Path) -> None:
    script = drafting({"pattern_type": "recurring_cycle", "subtype": "protocol_routine"}, ROUTINE)
    _, done = await plan(tmp_path, script, "a daily morning routine", "--deadline", str(day(40)), "--yes")
    assert done.code == 0, (done.out[-1_500:], done.err)
    assert done.last["pattern"]["subtype"] == "protocol_routine"
    assert done.last["blocks"] > 20


async def test_a_milestone_project_may_overlap_its_phases(tmp_path: Path) -> None:
    script = drafting({"pattern_type": "milestone_project"}, PROJECT, ("choose_way", {"way": "overlapping"}))
    _, done = await plan(tmp_path, script, "launch my website", "--deadline", str(day(120)), "--yes")
    assert done.code == 0, (done.out[-1_500:], done.err)
    options = done.last["options_tried"]
    assert len(options) >= 2
    assert [option["option"] for option in options if option["chosen"]] == ["overlapping"]


async def test_a_new_subtype_waits_for_its_rfc_and_then_goes_on(tmp_path: Path) -> None:
    proposed = {"pattern_type": "recurring_cycle", "subtype": "proposed:daily_health_protocol_v2", "rfc": RFC}
    script = [*drafting(proposed, ROUTINE), *drafting(proposed, ROUTINE)[1:]]
    _, done = await plan(tmp_path, script, "a health protocol", "--deadline", str(day(40)))
    assert done.code == 0, (done.out[-1_500:], done.err)
    assert done.last["pattern"]["subtype"] == "proposed:daily_health_protocol_v2"


async def test_an_invalid_outline_is_sent_back_with_its_violations_and_mended(tmp_path: Path) -> None:
    broken = {"nodes": [node("goal", "goal", None, 1), node("lonely", "phase", "goal", 2)]}
    script = [
        *drafting({"pattern_type": "milestone_project"}, broken),
        calls(("node_generator", {"outline": PROJECT, "confidence": 0.9})),
    ]
    _, done = await plan(tmp_path, script, "launch my website", "--deadline", str(day(120)), "--yes")
    assert done.code == 0, (done.out[-1_500:], done.err)
    first = next(
        line["payload"]
        for line in done.lines
        if line["type"] == "tool_result" and "node_gen" in line["payload"]["name"]
    )
    assert "lonely" in first["output"]


async def test_a_model_that_skips_a_stage_is_sent_back(tmp_path: Path) -> None:
    script = [text("Here is your plan: do it.")] * 4
    _, done = await plan(tmp_path, script, "launch my website", "--yes")
    assert done.code == 4
    assert "pattern_selector" in done.last["message"]


async def test_a_plan_that_does_not_fit_says_why_and_offers_ways_out_that_work(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    (tmp_path / "policy.json").write_text(POLICY)
    script = [
        *drafting({"pattern_type": "milestone_project"}, PROJECT),
    ]
    async with ModelServer(script) as server:
        place.settings["OPENAI_BASE_URL"] = server.base_url
        one_day = ("--start", str(next_monday()), "--deadline", str(next_monday()))
        done = await asyncio.to_thread(
            place.run, "plan", "launch my website", "--policy", "policy.json", *one_day, "--json"
        )
        assert (done.code, done.last["planning_status"]) == (3, "needs_scheduling_escalation")
        assert done.last["escalate_reason"]
        [question] = done.last["questions"]
        assert len(question["options"]) >= 2
        (tmp_path / "answers.json").write_text(json.dumps({"0": question["options"][0]}))
        run = done.last["run_id"]
        done = await asyncio.to_thread(place.run, "runs", "answer", run, "--answers", "answers.json", "--json")
        assert done.last["gate"]["details"]["step"] == "final", done.last
        done = await asyncio.to_thread(place.run, "runs", "answer", run, "--approve", "--json")
        assert done.code == 0
        server.assert_done()


async def test_a_plan_that_the_user_leaves_is_aborted_and_says_so(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    (tmp_path / "policy.json").write_text(POLICY)
    script = [*drafting({"pattern_type": "milestone_project"}, PROJECT)]
    async with ModelServer(script) as server:
        place.settings["OPENAI_BASE_URL"] = server.base_url
        one_day = ("--start", str(next_monday()), "--deadline", str(next_monday()))
        done = await asyncio.to_thread(
            place.run, "plan", "launch my website", "--policy", "policy.json", *one_day, "--json"
        )
        (tmp_path / "answers.json").write_text(json.dumps({"0": "Leave it"}))
        run = done.last["run_id"]
        done = await asyncio.to_thread(place.run, "runs", "answer", run, "--answers", "answers.json", "--json")
    assert (done.code, done.last["type"], done.last["planning_status"]) == (4, "error", "aborted")
