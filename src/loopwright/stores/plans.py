"""The planner's plans on SQL: its working state in a session, and settled plans with their nodes and times."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from loopwright.kernel.errors import NotFound
from loopwright.stores.database import Database
from loopwright.stores.plan_records import PlanNodeRecord, PlanRecord, ScheduledTaskRecord
from loopwright.stores.session_state import SessionState
from loopwright.stores.sessions import session_row
from loopwright.stores.tables import plan_nodes, planning_states, plans, scheduled_tasks


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
