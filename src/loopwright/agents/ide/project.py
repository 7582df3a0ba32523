"""The project that a run works on: its files, index, memory and checkpoints, all under one root."""

import asyncio
from functools import lru_cache
from pathlib import Path

from loopwright.agents.ide.editing.checkpoints import Checkpoints
from loopwright.agents.ide.editing.patch_sets import PatchSets
from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.files.state_folder import make_state_folder
from loopwright.agents.ide.index import CodebaseIndex
from loopwright.agents.ide.memory import LocalMemory

STATE_FOLDER = Path(".loopwright") / "ide"
"""What the agent keeps in the project; git does not see it."""
MAP_TOKENS = 1_500
MEMORY_TOKENS = 500


class Project:
    """One root. Everything that reads or writes below it goes through these."""

    def __init__(self, root: Path) -> None:
        """Take the root, which must exist."""
        self.root = root.resolve()
        self.state_folder = self.root / STATE_FOLDER
        self.files = ProjectFiles(self.root)
        self.index = CodebaseIndex(self.files, self.state_folder)
        self.memory = LocalMemory(self.state_folder)
        self.checkpoints = Checkpoints(self.files, self.state_folder)
        self.patch_sets = PatchSets(self.files, self.state_folder)

    async def refresh(self) -> None:
        """Bring the index up to date with the files; only what has changed is read."""
        await asyncio.to_thread(self._refresh)

    async def described(self, request: str) -> str:
        """The project for the system prompt: a map that fits its budget, and what is remembered about the request."""
        return await asyncio.to_thread(self._describe, request)

    def _refresh(self) -> None:
        make_state_folder(self.root, self.state_folder)
        self.index.refresh()

    def _describe(self, request: str) -> str:
        parts = ["## Project map", self.index.map(MAP_TOKENS, focus=request)]
        remembered = self.memory.relevant(request, MEMORY_TOKENS)
        if remembered:
            parts += ["", "## Remembered", *(f"- ({memory.tier}) {memory.content}" for memory in remembered)]
        return "\n".join(parts)


@lru_cache(maxsize=32)
def project_of(root: Path) -> Project:
    """The project at a root, made once in this process."""
    return Project(root)
