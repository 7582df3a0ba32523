"""A folder of the user's as an agent sees it: the only place where its tools read and write."""

from loopwright.kernel.workspace.paths import STATE_FOLDER, Entry, Listing
from loopwright.kernel.workspace.workspace import DEFAULT_MAX_FILE_BYTES, Workspace

__all__ = ["DEFAULT_MAX_FILE_BYTES", "STATE_FOLDER", "Entry", "Listing", "Workspace"]
