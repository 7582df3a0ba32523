"""Plans from a sentence to a calendar: over the CLI and over HTTP, with questions, approvals, refusals and changes."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import icalendar
import pytest
import recurring_ical_events

from tests.support.clock import NOW, day, pinned
from tests.support.service import Service, served

GOAL = "learn Spanish to B1 in 26 weeks, 5 hours a week, no Sundays"
DATES = ("--tz", "Europe/Berlin")


def check_result(line: dict[str, Any]) -> list[Any]:
    """The last line of a settled plan; gives the calendar's events."""
    unmet = [each for each in line["account"]["not_used"] if each["reason"] != "noted"] + line["account"]["refused"]
    assert (line["type"], line["planning_status"]) == ("complete", "partly_kept" if unmet else "complete")
    assert isinstance(line["nodes"], int)
    assert isinstance(line["blocks"], int)
    assert line["blocks"] > 0
    assert line["gap"] is None or 0 <= line["gap"] <= 1
    assert line["pattern"]["pattern_type"]
    calendar = icalendar.Calendar.from_ical(
        (Path(line["output_dir"]) / next(p for p in line["artifacts"].values() if p.endswith(".ics"))).read_bytes()
    )
    assert len({str(event["UID"]) for event in calendar.walk("VEVENT")}) == len(calendar.walk("VEVENT"))
    events = recurring_ical_events.of(calendar).between(NOW - timedelta(days=400), NOW + timedelta(days=2_000))
    events = [event for event in events if str(event.get("STATUS", "")) != "CANCELLED"]
    assert len(events) == line["blocks"]
    assert all(event["DTSTART"].dt < event["DTEND"].dt for event in events)
    return events


def test_a_goal_becomes_a_plan_that_keeps_its_terms(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    done = place.run("plan", GOAL, *DATES, "--yes", "--json")
    assert done.code == 0, done.err
    events = check_result(done.last)
    assert done.last["pattern"]["pattern_type"] == "progressive_accumulation_arc"
    assert done.last["options_tried"]
    assert all(event["DTSTART"].dt >= NOW for event in events), "nothing lies in the past of today"
    assert all(event["DTSTART"].dt.weekday() != 6 for event in events), "no Sundays were asked for"
    weeks: dict[Any, float] = {}
    for event in events:
        key = event["DTSTART"].dt.isocalendar()[:2]
        weeks[key] = weeks.get(key, 0) + (event["DTEND"].dt - event["DTSTART"].dt).total_seconds() / 3600
    assert max(weeks.values()) <= 5
    assert max(event["DTEND"].dt for event in events).date() <= day(183)
    plan = done.last["plan_id"]
    shown = place.run("plan", "show", plan, "--json").last
    assert shown["block_count"] == done.last["blocks"]
    assert [line["plan_id"] for line in place.run("plan", "list", "--json").lines] == [plan]
    title = shown["blocks"][5]["title"]
    why = place.run("plan", "why", plan, title, "--json").last
    assert any("serves" in reason for reason in why["reasons"])
    assert any("earlier" in reason or "as well" in reason or "even spread" in reason for reason in why["reasons"])
    assert any(reason.startswith("Aims, in this order: your limits") for reason in why["reasons"])
    files = place.run("plan", "export", plan, "--out", "files", "--format", "ics,gantt", "--json").last["artifacts"]
    assert (tmp_path / "files" / files["gantt"]).read_text().startswith("gantt")


def test_a_lost_day_moves_little_and_is_written_down(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    first = place.run("plan", GOAL, *DATES, "--yes", "--json")
    before = {(str(e["SUMMARY"]), e["DTSTART"].dt) for e in check_result(first.last)}
    done = place.run("plan", "replan", first.last["plan_id"], "I lost Tuesday", "--yes", "--json")
    assert done.code == 0, done.err
    events = check_result(done.last)
    entry = done.last["adaptation_log"][-1]
    assert (entry["origin"], entry["reason"]) == ("user_feedback", "I lost Tuesday")
    lost = entry["action"].split()[1]
    assert all(event["DTSTART"].dt.date().isoformat() != lost for event in events)
    moved = len(before - {(str(e["SUMMARY"]), e["DTSTART"].dt) for e in events})
    assert moved <= len(before) / 2, "a lost day must not throw the whole plan about"


def test_approvals_and_questions_wait_for_the_user(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    waiting = place.run("plan", GOAL, *DATES, "--json")
    kinds = []
    for _ in range(8):
        if waiting.last["type"] != "waiting":
            break
        assert waiting.code == 3
        assert waiting.last["planning_status"] == "needs_clarification"
        gate = waiting.last["gate"]
        kinds.append(gate["details"].get("step", gate["kind"]))
        waiting = place.run("runs", "answer", waiting.last["run_id"], *answer_for(gate, tmp_path), "--json")
    assert waiting.code == 0, waiting.err
    assert kinds[-2:] == ["outline", "final"]
    check_result(waiting.last)


def answer_for(gate: dict[str, Any], folder: Path) -> list[str]:
    """The options that answer one gate, and no other."""
    if gate["kind"] != "questions":
        return ["--approve"]
    (folder / "answers.json").write_text(json.dumps({str(q["index"]): q.get("default", "") for q in gate["questions"]}))
    return ["--answers", "answers.json"]


@pytest.mark.parametrize(
    ("approval", "steps"),
    [("single_final", ["final"]), ("strict_every_step", ["outline", "roadmap", "final"])],
)
def test_the_policy_sets_the_cadence_of_approvals(tmp_path: Path, approval: str, steps: list[str]) -> None:
    place = pinned(tmp_path)
    (tmp_path / "policy.json").write_text(f'{{"approval_policy": "{approval}", "probing_depth": 0}}')
    done = place.run("plan", GOAL, *DATES, "--policy", "policy.json", "--yes", "--json")
    assert done.code == 0, done.err
    opened = [line["payload"] for line in done.lines if line["type"] == "gate_opened"]
    assert [gate["details"]["step"] for gate in opened] == steps


def test_a_no_leads_to_another_outline(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    (tmp_path / "policy.json").write_text('{"approval_policy": "single_final", "probing_depth": 0}')
    waiting = place.run("plan", GOAL, *DATES, "--policy", "policy.json", "--json")
    assert waiting.last["gate"]["details"]["step"] == "final"
    again = place.run("runs", "answer", waiting.last["run_id"], "--reject", "--json")
    assert again.last["type"] == "waiting"
    states = [line["payload"]["to"] for line in again.lines if line["type"] == "stage_changed"]
    assert states[0] == "DRAFT_OUTLINE"
    assert place.run("runs", "answer", waiting.last["run_id"], "--approve", "--json").code == 0


def test_busy_times_are_kept_free(tmp_path: Path) -> None:
    place = pinned(tmp_path)
    back = day(20)
    (tmp_path / "work.ics").write_text(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//t//EN\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20261101T000000Z\r\n"
        f"DTSTART;VALUE=DATE:{day(0):%Y%m%d}\r\nDTEND;VALUE=DATE:{back:%Y%m%d}\r\nSUMMARY:Away\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    done = place.run("plan", "read twelve books this year", *DATES, "--calendar", "work.ics", "--yes", "--json")
    assert done.code == 0, done.err
    assert all(event["DTSTART"].dt.date() >= back for event in check_result(done.last))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((GOAL, "--deadline", "2020-01-01"), "past"),
        ((GOAL, "--start", "soon"), "is no day"),
        ((GOAL, "--start", "2020-01-01"), "past"),
        ((GOAL, "--tz", "Mars/Olympus"), "zone"),
        ((GOAL, "--calendar", "nothing.ics"), "nothing.ics"),
        ((GOAL, "--policy", "nothing.json"), "nothing.json"),
        (("show", "nothing"), "no plan"),
        (("replan", "nothing", "I lost Tuesday"), "no plan"),
    ],
)
def test_what_cannot_be_planned_is_refused_at_once(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    done = pinned(tmp_path).run("plan", *arguments)
    assert done.code in (2, 4)
    assert told in done.err
    assert "Traceback" not in done.err


async def test_a_plan_over_http(tmp_path: Path) -> None:
    async with served(pinned(tmp_path)) as service:
        body = {"goal": GOAL, "timezone": "Europe/Berlin", "policy": {"approval_policy": "single_final"}}
        run = (await service.client.post("/api/plans", json=body)).json()
        await until_settled(service, run["run_id"])
        [plan] = (await service.get("/api/plans"))["plans"]
        assert plan["pattern_type"] == "progressive_accumulation_arc"
        shown = await service.get(f"/api/plans/{plan['plan_id']}")
        assert shown["blocks"]
        text = (await service.get(f"/api/plans/{plan['plan_id']}/export?format=ics"))["text"]
        assert text.startswith("BEGIN:VCALENDAR")
        why = await service.get(f"/api/plans/{plan['plan_id']}/why?task={shown['blocks'][0]['title']}")
        assert why["reasons"]
        change = await service.client.post(f"/api/plans/{plan['plan_id']}/replan", json={"change": "I lost Tuesday"})
        await until_settled(service, change.json()["run_id"])
        assert (await service.get(f"/api/plans/{plan['plan_id']}"))["adaptation_log"]
        assert (await service.client.get("/api/plans/nothing")).status_code == 404


async def until_settled(service: Service, run_id: str) -> None:
    """Answer whatever is asked with the defaults, or a yes."""
    for _ in range(8):
        run = await service.until_over(run_id)
        if run["status"] != "waiting_input":
            break
        [gate] = (await service.get("/api/gates"))["gates"]
        answers = {str(q["index"]): q.get("default") or q.get("options", [""])[0] for q in gate["questions"]}
        payload = {"answers": answers} if gate["kind"] == "questions" else {"decision": "approve"}
        assert (await service.client.post(f"/api/gates/{gate['gate_id']}", json=payload)).status_code < 300
    assert run["status"] == "completed", run
