"""What the planner remembers of a user from plan to plan, on SQL (spec 004, MemoryContext)."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.tables import plan_memories

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
