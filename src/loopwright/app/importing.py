"""Use case: what an older version has left in a project's `.loopwright` is taken over, once the user says so.

What lies in a project may come from whoever wrote the project. So nothing there is looked into unasked; permissions
and records of changes are never taken over, nor are runs that would go on.
"""

import asyncio
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from loopwright.agents.ide.memory import LocalMemory
from loopwright.app.ide import project_at
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import Conflict, InvalidInput, Misconfigured, NotFound
from loopwright.stores.database import Database
from loopwright.stores.importing import Imported, import_sessions

OLD_FOLDER = ".loopwright"
DATABASE, MEMORY = "loopwright.db", Path("ide") / "memory.db"
LOGS = ("", "-wal")
"""Endings of the files that a SQLite database consists of."""


@dataclass(frozen=True)
class TakenOver:
    """What came along."""

    runs: Imported
    memories: int


def old_state(folder: Path, home: Path) -> Path | None:
    """The state folder of an older version in a project, if there is one; nothing in it is opened."""
    old = folder / OLD_FOLDER
    if old.resolve() == home.resolve() or not any(os.path.lexists(old / name) for name in (DATABASE, "ide")):
        return None
    return old


async def take_over(house: Loopwright, folder: Path, *, memories: bool) -> TakenOver:
    """Take over finished runs with their sessions, and if wanted what was remembered of the project.

    Args:
        house: where it goes.
        folder: the old state folder, or the project that has it.
        memories: whether memories come too; they go to the project that has the folder, as if the user had added them.

    Raises:
        NotFound: there is nothing of the kind.
        Misconfigured: a file is damaged.
    """
    old = await asyncio.to_thread(_folder_meant, folder)
    with TemporaryDirectory(prefix="loopwright-") as name:
        place = Path(name)
        there = [each for each in (Path(DATABASE), MEMORY) if await asyncio.to_thread(_copy, old / each, place)]
        if not there:
            raise NotFound(f"There is no state of an older version in {old}.", hint="Name the project that has it.")
        try:
            runs = await _runs(house, place) if Path(DATABASE) in there else Imported()
        except (ValueError, TypeError) as error:
            raise Misconfigured(f"{old / DATABASE} is damaged: {error}.", hint="It cannot be taken over.") from error
        remembered = await asyncio.to_thread(_memories, house, old.parent, place) if memories else 0
        return TakenOver(runs, remembered)


def _folder_meant(folder: Path) -> Path:
    place = folder.resolve()
    return place if place.name == OLD_FOLDER else place / OLD_FOLDER


async def _runs(house: Loopwright, place: Path) -> Imported:
    async with await Database.open(None, place) as source:
        return await import_sessions(source, house.stores.database)


def _memories(house: Loopwright, root: Path, place: Path) -> int:
    memory = project_at(house.settings.home, root).memory
    count = 0
    for entry in LocalMemory(place).list(limit=1_000):
        try:
            memory.add(entry.content, tier=entry.tier, category=entry.category)
        except Conflict:  # the tier is full: the rest finds no room either
            break
        count += 1
    return count


def _copy(source: Path, place: Path) -> bool:
    """Copy a database, which may only consist of plain files; False where there is none.

    Raises:
        InvalidInput: a link or something else stands in its place.
    """
    for ending in LOGS:
        path = source.with_name(source.name + ending)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            if not ending:
                return False
            continue
        except OSError as error:
            raise InvalidInput(f"{path} cannot be taken over: {error.strerror}.") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise InvalidInput(f"{path} is no file.")
        with open(descriptor, "rb") as file:
            (place / path.name).write_bytes(file.read())
    return True
