"""The integration list of spec 004, 10, without a language model: plain English leads there."""

import itertools
import json
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from loopwright.agents.planner.problem_building import problem_of
from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Block
from tests.support.clock import NOW
from tests.support.planning import Planned, plan_goal

BERLIN = ZoneInfo("Europe/Berlin")


def holds(planned: Planned) -> bool:
    """Whether the plan is settled and the independent checker passes it, nothing of it in the past."""
    assert planned.line["type"] == "complete", planned.line
    assert planned.line["planning_status"] in ("complete", "partly_kept")
    schedule = planned.state.schedule
    assert schedule is not None
    problem, tasks = problem_of(planned.state)
    blocks = [Block(task, each.start, each.end) for task, each in zip(tasks, schedule.blocks, strict=True)]
    return check_schedule(problem, blocks) == []


async def test_a_routine_is_a_protocol_and_comes_every_day(tmp_path: Path) -> None:
    planned = await plan_goal(tmp_path, "a cold exposure protocol every day for 4 weeks, 15 minutes a day")
    assert holds(planned)
    pattern = planned.line["pattern"]
    assert (pattern["pattern_type"], pattern["subtype"]) == ("recurring_cycle", "protocol_routine")
    assert planned.state.schedule is not None
    days = {block.start.date() for block in planned.state.schedule.blocks}
    assert len(days) >= 20
    assert any("cold exposure" in block.title.lower() for block in planned.state.schedule.blocks)


async def test_phases_overlap_where_the_user_says_so(tmp_path: Path) -> None:
    planned = await plan_goal(tmp_path, "launch my website in 10 weeks, phases may overlap, 6 hours a week")
    assert holds(planned)
    assert planned.line["pattern"]["pattern_type"] == "milestone_project"
    options = planned.line["options_tried"]
    assert len(options) >= 2
    assert [option["option"] for option in options if option["chosen"]] == ["overlapping"]
    roadmap, schedule = planned.state.roadmap, planned.state.schedule
    assert roadmap is not None
    assert schedule is not None
    leads = [link.lag_lead_minutes for node in roadmap.nodes if node.node_type == "phase" for link in node.dependencies]
    assert leads
    assert min(leads) < 0


async def test_a_new_kind_of_plan_waits_for_its_rfc_and_then_goes_on(tmp_path: Path) -> None:
    goal = 'a daily health routine of a new kind called "daily health protocol v2", 20 minutes a day for 4 weeks'
    planned = await plan_goal(tmp_path, goal)
    assert holds(planned)
    [rfc] = [gate for gate in planned.gates if gate.details.get("step") == "rfc"]
    assert "daily health protocol v2" in rfc.details["rfc"]
    assert rfc.details["last_line"]["planning_status"] == "needs_clarification"
    assert planned.line["pattern"]["subtype"] == "proposed:daily_health_protocol_v2"
    assert planned.state.pattern_rfc_decision == "approved"


@pytest.mark.parametrize(
    "now",
    [
        pytest.param("2026-12-31T23:50+01:00", id="the last minutes of a year"),
        pytest.param("2028-02-29T21:58+01:00", id="a leap day, late"),
        pytest.param("2027-03-28T01:59+01:00", id="the night in which an hour is missing"),
        pytest.param("2027-10-31T00:20+02:00", id="the night that has an hour twice"),
    ],
)
async def test_a_plan_begins_no_earlier_than_now(tmp_path: Path, now: str) -> None:
    moment = datetime.fromisoformat(now)
    planned = await plan_goal(tmp_path, "meditate 15 minutes every day for 2 weeks", now=moment)
    assert holds(planned)
    assert planned.state.schedule is not None
    first = min(block.start for block in planned.state.schedule.blocks)
    assert moment <= first <= moment + timedelta(days=2)


async def test_a_plan_of_today_begins_today(tmp_path: Path) -> None:
    moment = datetime(2027, 5, 8, 10, 1, tzinfo=BERLIN)
    goal = "learn chess in 2 weeks, 8 hours a week"
    planned = await plan_goal(tmp_path, goal, start="2027-05-08", now=moment)
    assert holds(planned)
    assert planned.state.schedule is not None
    first = min(block.start for block in planned.state.schedule.blocks)
    assert first >= moment
    assert first.date() == date(2027, 5, 8)


async def test_what_has_been_done_stays_when_a_plan_changes(tmp_path: Path) -> None:
    from loopwright.agents.planner.usecases import change_run, plan_of, plan_run
    from loopwright.app.loopwright import Loopwright
    from tests.support.application import settings_in
    from tests.support.planning import carried

    async with Loopwright.open(settings_in(tmp_path)) as application:
        new = plan_run("learn chess in 8 weeks, 4 hours a week", now=NOW, zone="Europe/Berlin")
        before = await carried(application, new)
        later = NOW + timedelta(days=16)
        lost = (later - timedelta(days=1)).date()
        plan = await plan_of(application, before.line["plan_id"])
        after = await carried(application, change_run(plan, "I was ill yesterday", now=later))
        assert holds(after)
        fewer = "I have only 3 hours a week from now on"
        left = await carried(application, change_run(plan, fewer, now=later))
        slower = await carried(application, change_run(plan, fewer, now=later), chosen="two times out of three")
    assert left.line["planning_status"] == "aborted", "what does not fit is asked about"
    assert (places(left), left.state.goal.hours_per_week) == (places(after), 4)
    assert holds(slower)
    old, new_times = places(before), places(after)
    past = {place for place in old if place[1] < later}
    assert {place for place in past if place[1].date() != lost} == {place for place in new_times if place[1] < later}
    told = after.state.adaptation_log[-1].portfolio_impact
    assert told is not None
    lost_titles = {place[0] for place in old if place[1].date() == lost}
    assert lost_titles
    assert lost_titles <= {each["title"] for each in (*told["moved"], *told["gone"])}, "what was lost is told by name"
    assert (told["moved_count"], told["left_out"]) == (len(told["moved"]), len(told["gone"]))
    assert "Compared with before" in after.line["message"]
    assert places(slower) & past == new_times & past, "what was done is history, whatever comes"
    assert [entry.reason for entry in slower.state.adaptation_log][-2:] == [
        "I was ill yesterday",
        "I have only 3 hours a week from now on",
    ]
    assert slower.state.goal.hours_per_week == 3


def places(planned: Planned) -> set[tuple[str, datetime, datetime]]:
    """What lies where, pieces of one task that touch being one."""
    assert planned.state.schedule is not None
    blocks = sorted(planned.state.schedule.blocks, key=lambda block: (block.title, block.start))
    found: list[tuple[str, datetime, datetime]] = []
    for block in blocks:
        if found and found[-1][0] == block.title and found[-1][2] == block.start:
            found[-1] = (block.title, found[-1][1], block.end)
        else:
            found.append((block.title, block.start, block.end))
    return set(found)


STYLES = {
    "concise": {"conversation_style": "concise", "autonomy": "high", "probing_depth": 0, "talkativeness": 0.2},
    "coach": {"conversation_style": "coach", "autonomy": "low", "probing_depth": 3, "talkativeness": 0.9},
}


async def test_the_style_changes_questions_variants_and_words(tmp_path: Path) -> None:
    told = {}
    for name, policy in STYLES.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(policy))
        planned = await plan_goal(tmp_path / name, "learn chess in 4 weeks", policy=tmp_path / f"{name}.json")
        assert holds(planned)
        asked = list(
            itertools.chain.from_iterable(gate.questions for gate in planned.gates if gate.kind == "questions")
        )
        told[name] = (len(asked), len(planned.line["message"]))
    assert told["concise"][0] == 0
    assert 1 <= told["coach"][0] <= 4
    assert told["concise"][1] < told["coach"][1]
