"""What the planner needs of the stores, described by its own Protocols; the app hands the stores in."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol


class ScheduledTaskRow(Protocol):
    """A time at which some plan's task is worked on."""

    @property
    def plan_id(self) -> str:
        """The plan."""
        ...

    @property
    def title(self) -> str:
        """What is done."""
        ...

    @property
    def starts_at(self) -> datetime:
        """Aware."""
        ...

    @property
    def ends_at(self) -> datetime:
        """Aware."""
        ...


class Plans(Protocol):
    """The store of planning states and settled plans."""

    async def load_state(self, session_id: str) -> str | None:
        """The session's planning state as JSON text, or None before the first one."""
        ...

    async def save_state(self, session_id: str, state: str, key: str) -> bool:
        """Replace it; a key that was used last changes nothing."""
        ...

    async def tasks_between(
        self, start: datetime, end: datetime, *, without_plan: str | None = None
    ) -> Sequence[ScheduledTaskRow]:
        """What all plans have scheduled in a span of time."""
        ...

    async def settle_plan(
        self, plan: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]], tasks: Sequence[Mapping[str, Any]]
    ) -> None:
        """Store a plan whole, in the place of what it was before."""
        ...


class PlanMemories(Protocol):
    """What is remembered of the user from plan to plan."""

    async def policy(self) -> dict[str, Any]:
        """The fields of the interaction policy that the user has set for good; empty when none are."""
        ...

    async def remember_policy(self, policy: Mapping[str, Any]) -> None:
        """Keep these fields, in the place of all that were kept."""
        ...


class PlannerServices(Protocol):
    """What the tools find in `ctx.db`, and the agent's functions in `run.services`."""

    @property
    def plans(self) -> Plans:
        """Plans and planning states."""
        ...

    @property
    def plan_memories(self) -> PlanMemories:
        """What is remembered of the user."""
        ...
