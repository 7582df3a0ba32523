"""Loading and saving the state of a job, and reading a run's config."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loopwright.agents.jobs.contracts import JobConfig, JobState
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import NotFound
from loopwright.kernel.workspace import Workspace


async def find_job(services: JobServices, job_id: str) -> JobState | None:
    """The job's state, or None before it has begun."""
    text = await services.jobs.load(job_id)
    return JobState.model_validate_json(text) if text is not None else None


async def load_job(services: JobServices, job_id: str) -> JobState:
    """The job's state.

    Raises:
        NotFound: it has not begun.
    """
    state = await find_job(services, job_id)
    if state is None:
        raise NotFound(f"Job {job_id} has not begun.", hint="`loopwright jobs list` shows the jobs.")
    return state


async def save_job(services: JobServices, state: JobState, key: str) -> None:
    """Save it under an idempotency key: what is done again after a crash writes nothing twice."""
    await services.jobs.save(state.job_id, state.model_dump_json(), key)


def config_of(options: Mapping[str, Any]) -> JobConfig:
    """The config that a run was started with (`options["config"]`, resolved and checked by the app)."""
    return JobConfig.model_validate(options["config"])


def workspace_of(folder: Path, config: JobConfig) -> Workspace:
    """The job's workspace, with the limits of its config."""
    return Workspace(folder, max_file_bytes=config.workspace.max_file_bytes)
