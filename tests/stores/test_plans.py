"""Plans: a session's planning state, settled plans with indexed patterns, nodes and times."""

from datetime import UTC, datetime, timedelta

import pytest

from loopwright.agents.planner.store.plans import (
    PlanNodeRecord,
    PlanRecord,
    ScheduledTaskRecord,
    SqlPlanMemories,
    SqlPlans,
)
from loopwright.kernel.errors import NotFound
from loopwright.stores.sessions import SqlSessions

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)


@pytest.fixture
async def session(database) -> str:
    return (await SqlSessions(database).create(agent="planner", title="a plan")).session_id


def plan(session: str, **changes) -> PlanRecord:
    values = {
        "plan_id": "plan-1",
        "session_id": session,
        "title": "Spanish to B1",
        "pattern_type": "progressive_accumulation_arc",
        "pattern_subtype": "learning_arc",
        "planning_status": "complete",
        "timezone": "Europe/Berlin",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return PlanRecord.model_validate(values | changes)


NODES = [
    PlanNodeRecord(node_id="goal", node_type="goal", level=1, title="Spanish"),
    PlanNodeRecord(
        node_id="task", parent_id="goal", node_type="task", level=2, title="Words", dependencies=[{"node_id": "goal"}]
    ),
]


def task(hours: int) -> ScheduledTaskRecord:
    start = NOW + timedelta(hours=hours)
    return ScheduledTaskRecord(node_id="task", title="Words", starts_at=start, ends_at=start + timedelta(hours=1))


async def test_a_state_is_kept_once_for_each_key(database, session):
    store = SqlPlans(database)
    assert await store.load_state(session) is None
    assert await store.save_state(session, '{"a": 1}', "k1") is True
    assert await store.save_state(session, '{"a": 2}', "k1") is False
    assert await store.load_state(session) == '{"a": 1}'
    assert await store.save_state(session, '{"a": 3}', "k2") is True
    assert await store.load_state(session) == '{"a": 3}'
    with pytest.raises(NotFound):
        await store.save_state("nobody", "{}", "k")


async def test_a_plan_is_stored_whole_and_replaced_whole(database, session):
    store = SqlPlans(database)
    await store.settle_plan(plan(session), NODES, [task(0), task(24)])
    assert await store.get("plan-1") == plan(session)
    assert await store.nodes("plan-1") == NODES
    later = NOW + timedelta(days=1)
    await store.settle_plan(plan(session, created_at=later, updated_at=later, refinement_round=1), NODES, [task(48)])
    stored = await store.get("plan-1")
    assert (stored.created_at, stored.updated_at, stored.refinement_round) == (NOW, later, 1)
    found = await store.tasks_between(NOW, NOW + timedelta(days=9))
    assert [each.starts_at for each in found] == [NOW + timedelta(hours=48)]


async def test_times_of_other_plans_are_found_by_span(database, session):
    store = SqlPlans(database)
    await store.settle_plan(plan(session), NODES, [task(0), task(24)])
    await store.settle_plan(plan(session, plan_id="plan-2"), NODES, [task(1)])
    day = NOW + timedelta(hours=2)
    assert [each.plan_id for each in await store.tasks_between(NOW, day)] == ["plan-1", "plan-2"]
    assert [each.plan_id for each in await store.tasks_between(NOW, day, without_plan="plan-1")] == ["plan-2"]
    assert [record.plan_id for record in await store.find(session_id=session)] == ["plan-1", "plan-2"]


async def test_a_plan_that_is_not_there(database):
    with pytest.raises(NotFound, match="no plan nothing"):
        await SqlPlans(database).get("nothing")


async def test_a_session_takes_its_plans_along(database, session):
    store = SqlPlans(database)
    await store.save_state(session, "{}", "k")
    await store.settle_plan(plan(session), NODES, [task(0)])
    await SqlSessions(database).delete(session)
    assert await store.find() == []
    assert await store.load_state(session) is None
    assert await store.tasks_between(NOW, NOW + timedelta(days=1)) == []


async def test_a_policy_is_remembered_replaced_and_forgotten_for_its_user_alone(database) -> None:
    mine, yours = SqlPlanMemories(database), SqlPlanMemories(database, "somebody")
    assert await mine.policy() == {}
    assert not await mine.forget_policy()
    await mine.remember_policy({"tone": "clinical", "probing_depth": 2})
    await mine.remember_policy({"tone": "neutral"})
    assert await mine.policy() == {"tone": "neutral"}
    assert await yours.policy() == {}
    assert await mine.forget_policy()
    assert await mine.policy() == {}
