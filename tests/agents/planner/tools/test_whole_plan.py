"""From a goal to a schedule that the checker passes, tool by tool."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from loopwright.agents.planner.problem_building import problem_of
from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Block
from tests.agents.planner.tools.session import Row, Session, website

BERLIN = ZoneInfo("Europe/Berlin")


async def to_roadmap(session: Session, outline: dict | None = None, **choice: str) -> dict:
    await session.data("pattern_selector")
    await session.data("node_generator", outline=outline or website())
    await session.data("dependency_resolver")
    return await session.data("roadmap_builder", **choice)


def violations(session: Session) -> list[str]:
    state = session.state
    problem, tasks = problem_of(state)
    blocks = [Block(task, each.start, each.end) for task, each in zip(tasks, state.schedule.blocks, strict=True)]
    return [each.text for each in check_schedule(problem, blocks)]


async def test_a_website_is_planned(session: Session) -> None:
    session.start("launch my website by 26 February", timezone="Europe/Berlin", deadline=date(2027, 2, 26))
    built = await to_roadmap(session)
    assert 2 <= len(built["options_tried"]) <= 3
    assert [option["chosen"] for option in built["options_tried"]].count(True) == 1
    assert all(option["why"] for option in built["options_tried"])
    assert session.state.roadmap.roadmap_context.options_tried == built["options_tried"]
    schedule = await session.data("schedule_generator", seconds=2)
    assert schedule["status"] in ("optimal", "feasible")
    assert violations(session) == []
    state = session.state
    assert {node.id for node in state.roadmap.nodes} == {node.id for node in state.plan_outline.nodes}
    assert {block.plan_node_id for block in state.schedule.blocks} <= {node.id for node in state.roadmap.nodes}
    reviews = [block for block in state.schedule.blocks if block.title == "Do review"]
    assert len(reviews) == len({block.tags[-1] for block in reviews}) >= 1
    deploy = next(block for block in state.schedule.blocks if block.title == "Do deploy")
    assert deploy.start >= max(block.end for block in state.schedule.blocks if block is not deploy)
    assert {entry.tool for entry in state.planning_trace} == {
        "pattern_selector",
        "node_generator",
        "dependency_resolver",
        "roadmap_builder",
        "schedule_generator",
    }


async def test_phases_may_overlap(session: Session) -> None:
    session.start("launch my website", deadline=date(2027, 3, 26))
    await to_roadmap(session, choose="overlapping")
    leads = [item.lag_lead_minutes for node in session.state.roadmap.nodes for item in node.dependencies]
    assert min(leads) < 0
    await session.data("schedule_generator", seconds=2)
    assert violations(session) == []


async def test_a_routine_recurs_until_its_end(session: Session) -> None:
    session.start("a daily morning routine", deadline=date(2027, 1, 31), hours="daily 7–9")
    await session.data("pattern_selector", subtype="protocol_routine")
    outline = {
        "nodes": [
            {"id": "g", "node_type": "goal", "level": 1, "title": "Morning routine"},
            {"id": "c", "parent": "g", "type": "cycle", "level": 2, "title": "Each day", "recurrence": "daily"},
            {"id": "s", "parent": "c", "type": "task", "level": 3, "title": "Stretch", "estimated_minutes": 15},
            {"id": "w", "parent": "c", "type": "task", "level": 3, "title": "Write", "estimated_minutes": 30},
        ]
    }
    await session.data("node_generator", outline=outline)
    await session.data("dependency_resolver")
    await session.data("roadmap_builder")
    await session.data("schedule_generator", seconds=3)
    assert session.state.selected_pattern.subtype == "protocol_routine"
    blocks = session.state.schedule.blocks
    assert violations(session) == []
    assert len({block.start.date() for block in blocks}) == 28
    for day in {block.start.date() for block in blocks}:
        stretch, write = sorted((b for b in blocks if b.start.date() == day), key=lambda b: b.title)
        assert stretch.end <= write.start


async def test_what_does_not_fit_is_told_with_ways_out(session: Session) -> None:
    session.start("launch my website", deadline=date(2027, 1, 6), hours_per_week=3)
    await to_roadmap(session)
    result = await session.call("schedule_generator", seconds=3)
    assert result.signal == "infeasible"
    state = session.state
    assert state.schedule is None
    assert state.cause["text"]
    assert state.relaxations
    session.change(chosen_relaxations=[state.relaxations[0]], cause=None, relaxations=[])
    await session.data("schedule_generator", seconds=3)
    assert session.state.schedule.blocks
    assert violations(session) == []


async def test_other_plans_are_planned_around_and_probed(session: Session) -> None:
    session.start("launch my website", timezone="Europe/Berlin", deadline=date(2027, 2, 26))
    monday = datetime(2027, 1, 4, 9, tzinfo=BERLIN)
    session.plans.rows = [
        Row("other", "Choir", monday + timedelta(days=day), monday + timedelta(days=day, hours=6)) for day in range(5)
    ]
    await to_roadmap(session)
    await session.data("schedule_generator", seconds=2)
    probed = await session.data("portfolio_probe")
    assert probed["conflict_count"] == 0
    assert probed["other_minutes"] > 0
    first = session.state.schedule.blocks[0]
    session.plans.rows.append(Row("third", "Dentist", first.start, first.start + timedelta(minutes=30)))
    probed = await session.data("portfolio_probe")
    assert probed["conflict_count"] == 1
    assert probed["conflicts"][0]["minutes"] == 30
    (shift,) = probed["suggested_shifts"]
    assert shift["to"] != shift["from"]


@pytest.mark.parametrize(
    ("name", "params", "needs"),
    [
        ("node_generator", {"outline": website()}, "pattern"),
        ("grammar_validator", {}, "outline"),
        ("dependency_resolver", {}, "outline"),
        ("roadmap_builder", {}, "outline"),
        ("schedule_generator", {}, "roadmap"),
        ("portfolio_probe", {}, "schedule"),
    ],
)
async def test_no_tool_runs_before_its_time(session: Session, name: str, params: dict, needs: str) -> None:
    session.start("launch my website")
    result = await session.call(name, **params)
    assert not result.success
    assert needs in result.output
    assert '"confidence":0.0' in result.output
    assert session.plans.saves == []
