"""Which web addresses a job may open: those its order names and those a search of its own has found.

An address that only a document or a page names is not opened: opening it would tell a stranger what it was told to.
"""

import hashlib
import re
from collections.abc import Iterable

from loopwright.agents.jobs.contracts.state import JobState
from loopwright.kernel.workspace import Workspace

FOLDER = "addresses"

_ADDRESS = re.compile(r"https?://[^\s<>\"')\]]+", re.IGNORECASE)


def note_found(workspace: Workspace, addresses: Iterable[str]) -> None:
    """Note what a search has found; noting it again changes nothing. Blocks on the disk."""
    folder = workspace.state_folder / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for address in addresses:
        (folder / _name(address)).touch()


def may_open(workspace: Workspace, state: JobState, address: str) -> bool:
    """Whether the order or a search of this job names the address; blocks on the disk."""
    order = f"{state.prompt}\n{state.config.instructions}"
    named = {match.group().rstrip(".,;:!?") for match in _ADDRESS.finditer(order)}
    return address in named or (workspace.state_folder / FOLDER / _name(address)).exists()


def _name(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()
