"""Does one thing to a project again and again, and is killed each time one call of the file system later.

Arguments: a folder, and what to do. For each call there is a project `{folder}/{number}`; prints how many there were.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.project.folder import ProjectFolder
from tests.agents.designspec.project.changes import edit_by_hand, save_seed

CALLS = ("fsync", "replace", "rename", "link", "unlink", "mkdir")
ACTIONS: dict[str, Callable[[Path], Any]] = {
    "create": lambda path: ProjectFolder.create_or_open(path, "liver"),
    "save": lambda path: save_seed(ProjectFolder(path), 7, "p1"),
    "undo": lambda path: ProjectFolder(path).undo(),
    "hand": lambda path: ProjectFolder(path).refresh(),
    "open": lambda path: ProjectFolder.open(path),
}


def prepare(action: str, path: Path) -> None:
    """The project that the action finds."""
    if action == "create":
        return
    project = ProjectFolder.create_or_open(path, "liver")
    if action == "undo":
        save_seed(project, 7, "p1")
    if action == "hand":
        edit_by_hand(project, 7)
    if action == "open":  # a crash has left a change that opening has to complete
        run_and_die("save", path, 9)


def die_at(number: int) -> None:
    """Kill this process when the file system is called for the so-many-th time."""
    left = number

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*given, **named)

        return called

    for name in CALLS:
        setattr(os, name, dying(getattr(os, name)))


def run_and_die(action: str, path: Path, number: int) -> bool:
    """Act in a process of its own; answer whether it was killed on the way."""
    child = os.fork()
    if child == 0:
        die_at(number)
        ACTIONS[action](path)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


def main(folder: Path, action: str) -> None:
    prepared = folder / "prepared"
    prepare(action, prepared)
    number = 1
    while True:
        path = folder / str(number)
        if prepared.exists():
            shutil.copytree(prepared, path)
        if not run_and_die(action, path, number):
            break
        number += 1
    sys.stdout.write(str(number))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
