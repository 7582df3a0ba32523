"""The store of job states."""

from typing import Protocol


class JobStates(Protocol):
    """Keeps one state per job; a job is a session."""

    async def load(self, job_id: str) -> str | None:
        """The job's state as JSON text, or None before the first one."""
        ...

    async def save(self, job_id: str, state: str, key: str) -> bool:
        """Replace it; a key that was used last changes nothing."""
        ...
