"""The change that was begun last, by the key of its call: whether it was made already is asked after a crash.

Calls that change files by this record run alone and one after the other, so the last one is the only one whose outcome
can be unknown.
"""

import json
from typing import Any

from loopwright.kernel.workspace.workspace import Workspace


def note_change(workspace: Workspace, key: str, size: int) -> int:
    """Keep that the call changes a file that has this size now.

    Returns:
        The size that the file had when this call first began: another one than `size` where it was begun before.
    """
    begun = _read(workspace)
    if begun.get("key") == key:
        return int(begun["size"])
    workspace.write_state("last_change.json", json.dumps({"key": key, "size": size}).encode())
    return size


def was_begun(workspace: Workspace, key: str) -> bool:
    """Whether the change of this call was begun before."""
    return bool(_read(workspace).get("key") == key)


def _read(workspace: Workspace) -> dict[str, Any]:
    path = workspace.state_folder / "last_change.json"
    return json.loads(path.read_bytes()) if path.is_file() else {}
