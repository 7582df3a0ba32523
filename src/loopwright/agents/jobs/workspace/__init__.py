"""The job's folder: the only place where its tools read and write."""

from pathlib import Path

from loopwright.agents.jobs.contracts.config import JobConfig
from loopwright.agents.jobs.workspace.listing import Entry, Listing
from loopwright.agents.jobs.workspace.paths import STATE_FOLDER
from loopwright.agents.jobs.workspace.workspace import DEFAULT_MAX_FILE_BYTES, Workspace

__all__ = ["DEFAULT_MAX_FILE_BYTES", "STATE_FOLDER", "Entry", "Listing", "Workspace", "workspace_of"]


def workspace_of(folder: Path, config: JobConfig) -> Workspace:
    """The workspace of a job: its session's folder, under the limits of its config."""
    return Workspace(folder, max_file_bytes=config.workspace.max_file_bytes)
