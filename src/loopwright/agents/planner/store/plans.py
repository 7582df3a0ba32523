"""The planner's plans on SQL: its working state in a session, and settled plans with their nodes and times."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection, delete, insert, select, update

from loopwright.agents.planner.store.tables import plan_memories, plan_nodes, planning_states, plans, scheduled_tasks
from loopwright.kernel.errors import NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import SessionState, session_row

# What the planner remembers of a user from plan to plan, on SQL (spec 004, MemoryContext).

OWNER = "owner"
"""An installation has one user; the column is there for more."""
MAX_POLICY = 100_000
"""Characters of a policy."""


class SqlPlanMemories:
    """Keeps the interaction policy that a user has set for good."""

    def __init__(self, database: Database, user_id: str = OWNER) -> None:
        """Keep the database, and whose memories these are."""
        self._database = database
        self._user_id = user_id

    async def policy(self) -> dict[str, Any]:
        """The fields that the user has set; empty when none are."""
        query = select(plan_memories.c.interaction_policy).where(plan_memories.c.user_id == self._user_id)
        text = await self._database.read(lambda connection: connection.execute(query).scalar())
        return dict(json.loads(text)) if text is not None else {}

    async def remember_policy(self, policy: Mapping[str, Any]) -> None:
        """Keep these fields, in the place of all that were kept; doing it again changes nothing.

        Raises:
            InvalidInput: they are too long or cannot be stored.
        """
        text = storable(json.dumps(dict(policy), ensure_ascii=False), "interaction policy", MAX_POLICY)
        values = {"interaction_policy": text, "updated_at": datetime.now(UTC)}

        def work(connection: Connection) -> None:
            own = plan_memories.c.user_id == self._user_id
            if connection.execute(update(plan_memories).where(own).values(values)).rowcount == 0:
                connection.execute(insert(plan_memories).values(user_id=self._user_id, **values))

        await self._database.write(work)

    async def forget_policy(self) -> bool:
        """Forget what the user has set; says whether there was anything."""
        query = delete(plan_memories).where(plan_memories.c.user_id == self._user_id)
        return await self._database.write(lambda connection: connection.execute(query).rowcount > 0)


# Plans as the store knows them.


class PlanRecord(BaseModel):
    """A settled plan, without its nodes and times."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan_id: str
    session_id: str
    title: str
    pattern_type: str
    pattern_subtype: str | None = None
    pattern_variant: str | None = None
    planning_status: str
    timezone: str
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    gap: float | None = None
    refinement_round: int = 0
    created_at: datetime
    updated_at: datetime


class PlanNodeRecord(BaseModel):
    """A node of a settled plan; `details` holds what has no column of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    node_id: str
    parent_id: str | None = None
    node_type: str
    level: int
    title: str
    status: str = "pending"
    progress: float = 0.0
    recurrence: str = "none"
    dependencies: list[dict[str, Any]] = Field(default_factory=list)
    details: dict[str, Any] = Field(default_factory=dict)


class ScheduledTaskRecord(BaseModel):
    """A time at which a node of a plan is worked on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan_id: str = ""
    node_id: str
    title: str
    starts_at: datetime
    ends_at: datetime
    estimated_minutes: int | None = None
    status: str = "pending"


class SqlPlans:
    """Keeps planning states and plans."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        self._database = database
        self._states = SessionState(database, planning_states)

    async def load_state(self, session_id: str) -> str | None:
        """The session's planning state as JSON text, or None before the first one was saved."""
        return await self._states.load(session_id)

    async def save_state(self, session_id: str, state: str, key: str) -> bool:
        """Replace the session's planning state; the key that was used last changes nothing.

        Returns:
            Whether it was written.

        Raises:
            NotFound: there is no such session.
            InvalidInput: the state is too large or cannot be stored.
        """
        return await self._states.save(session_id, state, key)

    async def settle_plan(
        self,
        plan: PlanRecord | Mapping[str, Any],
        nodes: Sequence[PlanNodeRecord | Mapping[str, Any]],
        tasks: Sequence[ScheduledTaskRecord | Mapping[str, Any]],
    ) -> None:
        """Store a plan whole, in the place of what it was before; rows may be given as objects with the same fields.

        Raises:
            NotFound: its session does not exist.
        """
        await self._settle(
            PlanRecord.model_validate(plan),
            [PlanNodeRecord.model_validate(node) for node in nodes],
            [ScheduledTaskRecord.model_validate(task) for task in tasks],
        )

    async def _settle(
        self, plan: PlanRecord, nodes: Sequence[PlanNodeRecord], tasks: Sequence[ScheduledTaskRecord]
    ) -> None:

        def work(connection: Connection) -> None:
            session_row(connection, plan.session_id, lock=True)
            own = plans.c.plan_id == plan.plan_id
            created = connection.execute(select(plans.c.created_at).where(own)).scalar()
            connection.execute(delete(scheduled_tasks).where(scheduled_tasks.c.plan_id == plan.plan_id))
            connection.execute(delete(plan_nodes).where(plan_nodes.c.plan_id == plan.plan_id))
            connection.execute(delete(plans).where(own))
            connection.execute(insert(plans), [plan.model_dump() | ({"created_at": created} if created else {})])
            if nodes:
                connection.execute(insert(plan_nodes), [_node_row(plan, n, node) for n, node in enumerate(nodes)])
            if tasks:
                connection.execute(insert(scheduled_tasks), [_task_row(plan, n, task) for n, task in enumerate(tasks)])

        await self._database.write(work)

    async def get(self, plan_id: str) -> PlanRecord:
        """The plan.

        Raises:
            NotFound: there is no such plan.
        """
        query = select(plans).where(plans.c.plan_id == plan_id)
        row = await self._database.read(lambda connection: connection.execute(query).first())
        if row is None:
            raise NotFound(f"There is no plan {plan_id}.", hint="`loopwright plan list` shows the plans.")
        return PlanRecord(**row._mapping)

    async def find(self, *, session_id: str | None = None, limit: int = 50) -> list[PlanRecord]:
        """Plans, newest first."""
        query = select(plans).order_by(plans.c.updated_at.desc(), plans.c.plan_id).limit(limit)
        if session_id is not None:
            query = query.where(plans.c.session_id == session_id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [PlanRecord(**row._mapping) for row in rows]

    async def nodes(self, plan_id: str) -> list[PlanNodeRecord]:
        """The plan's nodes in their order."""
        query = select(plan_nodes).where(plan_nodes.c.plan_id == plan_id).order_by(plan_nodes.c.order_index)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [
            PlanNodeRecord(
                **{
                    **{key: value for key, value in row._mapping.items() if key not in ("plan_id", "order_index")},
                    "dependencies": json.loads(row.dependencies),
                    "details": json.loads(row.details),
                }
            )
            for row in rows
        ]

    async def tasks_between(
        self, start: datetime, end: datetime, *, without_plan: str | None = None
    ) -> list[ScheduledTaskRecord]:
        """What all plans have scheduled in a span of time, in its order."""
        own = scheduled_tasks.c
        query = select(scheduled_tasks).where(own.ends_at > start, own.starts_at < end).order_by(own.starts_at)
        if without_plan is not None:
            query = query.where(own.plan_id != without_plan)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [
            ScheduledTaskRecord(**{key: value for key, value in row._mapping.items() if key != "number"})
            for row in rows
        ]


def _node_row(plan: PlanRecord, number: int, node: PlanNodeRecord) -> dict[str, object]:
    return {
        **node.model_dump(exclude={"dependencies", "details"}),
        "plan_id": plan.plan_id,
        "order_index": number,
        "dependencies": json.dumps(node.dependencies),
        "details": json.dumps(node.details, ensure_ascii=False),
    }


def _task_row(plan: PlanRecord, number: int, task: ScheduledTaskRecord) -> dict[str, object]:
    return {**task.model_dump(exclude={"plan_id"}), "plan_id": plan.plan_id, "number": number}
