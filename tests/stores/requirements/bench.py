"""What the tests of the requirement store share: jobs, requirements to add, and a clock that is set by hand."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from loopwright.agents.jobs.store.requirements import RequirementRecord, SqlRequirements
from loopwright.stores.database import Database
from loopwright.stores.sessions import SqlSessions


@dataclass
class Clock:
    now: datetime = datetime(2026, 11, 22, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def wanted(number: int, **more: Any) -> dict[str, Any]:
    return {"text": f"The system must keep record {number}.", "name": f"Record {number}", **more}


class Bench:
    """A store with the jobs `creator`, `first` and `second`."""

    def __init__(self, database: Database) -> None:
        self.clock = Clock()
        self.store = SqlRequirements(database, self.clock)
        self.sessions = SqlSessions(database)
        self.calls = 0

    async def open(self) -> "Bench":
        for name in ("creator", "first", "second"):
            await self.sessions.create(agent="jobs", session_id=name)
        return self

    def key(self) -> str:
        self.calls += 1
        return f"call-{self.calls}"

    async def add(self, number: int, *, phase: int = 2, job: str = "creator") -> list[RequirementRecord]:
        return await self.store.add(job, [wanted(n) for n in range(number)], phase=phase, key=self.key())

    async def claim(self, owner: str, limit: int, *, seconds: float = 60, phase: int = 2) -> list[str]:
        rows = await self.store.claim(owner, limit, seconds, phase=phase, key=self.key())
        return [row.requirement_id for row in rows]

    async def settle(self, name: str, owner: str, status: str = "integrated", *, phase: int = 2) -> RequirementRecord:
        reason = "" if status == "integrated" else "because"
        return await self.store.settle(name, owner, status, reason=reason, phase=phase, key=self.key())
