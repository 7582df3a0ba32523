"""What the tools of the planner get as `ctx.db`: its stores beside the installation's."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

from loopwright.agents.planner.store.plans import SqlPlanMemories, SqlPlans
from loopwright.app.loopwright import Loopwright, Stores


@dataclass(frozen=True)
class PlannerStores(Stores):
    """The installation's stores and those of plans."""

    plans: SqlPlans
    plan_memories: SqlPlanMemories

    @classmethod
    def on(cls, stores: Stores) -> Self:
        """The stores beside those of an installation whose plan tables are up to date."""
        return cls(**vars(stores), plans=SqlPlans(stores.database), plan_memories=SqlPlanMemories(stores.database))


@asynccontextmanager
async def open_services(application: Loopwright) -> AsyncIterator[PlannerStores]:
    """The stores over the installation's."""
    yield PlannerStores.on(application.stores)


async def planner_stores(application: Loopwright) -> PlannerStores:
    """The stores of the planner in a running application."""
    return await application.services("planner", PlannerStores)
