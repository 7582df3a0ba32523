"""The job's folder: the only place where its tools read and write."""

from loopwright.agents.jobs.workspace.listing import Entry, Listing
from loopwright.agents.jobs.workspace.paths import STATE_FOLDER
from loopwright.agents.jobs.workspace.workspace import DEFAULT_MAX_FILE_BYTES, Workspace

__all__ = ["DEFAULT_MAX_FILE_BYTES", "STATE_FOLDER", "Entry", "Listing", "Workspace"]
