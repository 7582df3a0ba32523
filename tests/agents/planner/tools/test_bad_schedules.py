"""Roadmaps and terms that nobody could schedule: each gets a clear answer with what would help, through the tool."""

import json
from datetime import date
from typing import Any

import pytest

from loopwright.agents.planner.contracts import Roadmap
from tests.agents.planner.grammar.outlines import node, outline, two_phases
from tests.agents.planner.tools.session import Session

GOAL = node("goal", None, "goal", 1)
DAILY = {"estimated_minutes": 15, "rrule": "FREQ=DAILY"}
MANY = outline(GOAL, *(node(f"daily{number}", "goal", "task", 2, metadata=DAILY) for number in range(4)))


def begun(session: Session, roadmap: dict[str, Any], **goal: Any) -> Session:
    session.start("anything at all", timezone="Europe/Berlin", **goal)
    session.change(roadmap=Roadmap.model_validate(roadmap))
    return session


@pytest.mark.parametrize(
    ("roadmap", "goal", "told"),
    [
        (two_phases(a={"metadata": {"estimated_minutes": -30}}), {}, "no right estimate"),
        (two_phases(a={"metadata": {"estimated_minutes": 0}}), {}, "no right estimate"),
        (two_phases(), {"facts": {"minutes_per_day": 0}}, "minutes_per_day must be a whole number from 1"),
        (two_phases(), {"facts": {"max_consecutive_minutes": -15}}, "max_consecutive_minutes must be"),
        (two_phases(), {"deadline": date(2026, 12, 1)}, "lies before the start"),
        (MANY, {"deadline": date(2032, 12, 31), "hours": "daily 8-20"}, "at most 5,000 are planned"),
    ],
)
async def test_what_cannot_be_meant_is_refused(
    session: Session, roadmap: dict[str, Any], goal: dict[str, Any], told: str
) -> None:
    result = await begun(session, roadmap, **goal).call("schedule_generator", seconds=0.5)
    assert not result.success
    assert told in result.output
    assert session.state.schedule is None


@pytest.mark.parametrize(
    ("roadmap", "goal", "kind", "way"),
    [
        (two_phases(a={"dependencies": node("a", "one", "task", 3, after=["d"])["dependencies"]}), {}, "cycle", "link"),
        (two_phases(a={"metadata": {"estimated_minutes": 3_000}}), {"deadline": date(2027, 1, 5)}, "window", "horizon"),
        (two_phases(), {"deadline": date(2027, 1, 4), "hours": "daily 18:00-19:00"}, "chain", "hours"),
    ],
)
async def test_what_does_not_fit_has_a_cause_and_ways_out(
    session: Session, roadmap: dict[str, Any], goal: dict[str, Any], kind: str, way: str
) -> None:
    usual = {"deadline": date(2027, 1, 31), **goal}
    result = await begun(session, roadmap, **usual).call("schedule_generator", seconds=0.5)
    assert result.signal == "infeasible"
    data = json.loads(result.output)["data"]
    assert data["status"] == "infeasible"
    assert data["cause"]["kind"] == kind
    kinds = {item["kind"] for item in data["relaxations"]}
    assert way in kinds, kinds
    assert session.state.relaxations == data["relaxations"]


async def test_a_full_daily_protocol_gets_its_schedule(session: Session) -> None:
    """Half an hour a day, most of it taken by what comes back: what is done once is done in pieces."""
    data = outline(
        GOAL,
        node("morning", "goal", "task", 2, metadata=DAILY),
        node("write", "goal", "task", 2, metadata={"estimated_minutes": 30}),
        node("think", "goal", "task", 2, metadata={"estimated_minutes": 30}, after=["write"]),
    )
    begun(session, data, deadline=date(2027, 2, 28), facts={"minutes_per_day": 30}, hours="daily 17-21")
    found = await session.data("schedule_generator", seconds=0.5)
    assert found["status"] in {"feasible", "optimal"}
    assert found["block_count"] == 56 + 4
    assert found["gap"] < 0.1
