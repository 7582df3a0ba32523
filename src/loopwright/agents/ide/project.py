"""The project that a run works on: its files under one root; index, memory and checkpoints of it in the home."""

import asyncio
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from loopwright.agents.ide.editing.checkpoints import Checkpoints
from loopwright.agents.ide.editing.commands import Commands
from loopwright.agents.ide.editing.patch_sets import PatchSets
from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.files.state_folder import make_state_folder, state_folder_of
from loopwright.agents.ide.index import CodebaseIndex
from loopwright.agents.ide.memory import LocalMemory
from loopwright.kernel.run import AgentRun

MAP_TOKENS = 1_500
MEMORY_TOKENS = 500


class Project:
    """One root. Everything that reads or writes below it goes through these.

    `state_folder` holds what the agent keeps of it: outside of the project, mode 0700, made when something is written.
    """

    def __init__(self, root: Path, state_folder: Path) -> None:
        """Take the root, which must exist, and the place of its state; both resolved."""
        self.root = root
        self.state_folder = state_folder
        self.files = ProjectFiles(self.root)
        self.index = CodebaseIndex(self.files, self.state_folder)
        self.memory = LocalMemory(self.state_folder)
        self.checkpoints = Checkpoints(self.files, self.state_folder)
        self.patch_sets = PatchSets(self.files, self.state_folder)
        self.commands = Commands(self.root, self.state_folder, self.checkpoints, self.patch_sets)

    async def refresh(self) -> None:
        """Bring the index up to date with the files; only what has changed is read."""
        await asyncio.to_thread(self._refresh)

    async def described(self, request: str) -> str:
        """The project for the system prompt: a map that fits its budget, and what is remembered about the request."""
        return await asyncio.to_thread(self._describe, request)

    def _refresh(self) -> None:
        make_state_folder(self.state_folder)
        self.index.refresh()

    def _describe(self, request: str) -> str:
        parts = ["## Project map", self.index.map(MAP_TOKENS, focus=request)]
        remembered = self.memory.relevant(request, MEMORY_TOKENS)
        if remembered:
            parts += ["", "## Remembered", *(f"- ({memory.tier}) {memory.content}" for memory in remembered)]
        return "\n".join(parts)


@dataclass(frozen=True)
class Projects:
    """The projects of an installation, whose folder is `home`."""

    home: Path

    def at(self, root: Path) -> Project:
        """The project at a root, made once in this process.

        Raises:
            InvalidInput: the home lies in the project, or the project in the home.
        """
        home, root = self.home.resolve(), root.resolve()
        return _project(root, state_folder_of(home, root))


def project_of(run: AgentRun) -> Project:
    """The project that a run works on; raises as `Projects.at`."""
    projects: Projects = run.services.projects
    return projects.at(run.output_dir)


@lru_cache(maxsize=32)
def _project(root: Path, state_folder: Path) -> Project:
    return Project(root, state_folder)
