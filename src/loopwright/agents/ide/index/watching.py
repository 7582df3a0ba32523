"""Watching projects, so that their indexes follow what changes while somebody works with them."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from loopwright.agents.ide.files.project_files import IGNORED_FOLDERS
from loopwright.agents.ide.index.codebase_index import CodebaseIndex
from loopwright.agents.ide.index.refreshing import Refreshed
from loopwright.kernel.errors import InvalidInput, LoopwrightError, Misconfigured

MOST_FOLDERS = 10_000
"""Of one project; the kernel's own limit of watched folders is shared by all programs of a user."""
QUIET_MS = 100
"""A change is acted on when nothing else has changed for so long,"""
LONGEST_DELAY_MS = 1_000
"""or after this time where the changes do not end."""
MOST_TRIES = 3
AT_THE_START = "it is brought up to date at the start of each run all the same"


class IndexWatches:
    """The watches of one surface: begun by project, ended together when the block is left."""

    def __init__(self, tell: Callable[[str], None], refreshed: Callable[[Refreshed], None] | None = None) -> None:
        """Watch nothing yet.

        Args:
            tell: hears, once by project, why its watch has ended early; the index still follows at each run.
            refreshed: hears what each refresh has done.
        """
        self._tell = tell
        self._refreshed = refreshed or (lambda _: None)
        self._ending = False
        self._over: dict[Path, asyncio.Event] = {}
        self._tasks: dict[Path, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        """Begin with no watch."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every watch, and wait for a refresh that is under way."""
        self._ending = True
        for over in self._over.values():
            over.set()
        await asyncio.gather(*self._tasks.values())

    def add(self, index: CodebaseIndex) -> None:
        """Watch a project in the background; one that is watched already is not watched twice."""
        if index.root not in self._tasks:
            self._tasks[index.root] = asyncio.create_task(self._keep(index))

    async def _keep(self, index: CodebaseIndex) -> None:
        tries = 0
        while not self._ending and tries < MOST_TRIES:
            try:
                await self._follow(index)
                tries = 0
            except FileNotFoundError:  # a folder has gone between its listing and its watch
                tries += 1
            except (OSError, RuntimeError, ImportError, LoopwrightError) as error:
                self._tell(f"{index.root} is not watched for changes ({error}); {AT_THE_START}.")
                return
        if tries:
            self._tell(f"{index.root} is not watched for changes: folders vanish too fast; {AT_THE_START}.")

    async def _follow(self, index: CodebaseIndex) -> None:
        """Watch the folders that are there now, until there are others or the end.

        Each folder is watched by itself: links are not followed, and what tools made costs no watch.
        """
        from watchfiles import awatch

        folders = await asyncio.to_thread(_folders, index.root)
        over = self._over[index.root] = asyncio.Event()
        if self._ending:
            return
        changes = awatch(
            *folders,
            watch_filter=None,
            recursive=False,
            debounce=LONGEST_DELAY_MS,
            step=QUIET_MS,
            stop_event=over,
            ignore_permission_denied=True,
        )
        coming = asyncio.ensure_future(anext(changes, None))
        try:
            await asyncio.sleep(0)  # its first step begins the watch, so the refresh below misses nothing
            while True:
                self._refreshed(await asyncio.to_thread(index.refresh))
                if await asyncio.to_thread(_folders, index.root) != folders or await coming is None:
                    return
                coming = asyncio.ensure_future(anext(changes, None))
        finally:
            over.set()
            await asyncio.gather(coming, return_exceptions=True)
            await changes.aclose()


def _folders(root: Path) -> list[Path]:
    """The root and the folders below it that are the project's own.

    Raises:
        InvalidInput: there are too many.
        Misconfigured: the root has gone.
    """
    if not root.is_dir():
        raise Misconfigured(f"There is no folder {root} any more.", hint="Begin again where the project is now.")
    found: list[Path] = []
    for folder, names, _ in os.walk(root):
        names[:] = sorted(name for name in names if name not in IGNORED_FOLDERS)
        found.append(Path(folder))
        if len(found) > MOST_FOLDERS:
            raise InvalidInput(f"it has more than {MOST_FOLDERS:,} folders", hint="Begin in the project's own folder.")
    return found
