"""The project that a run works on: its files under one root; index, memory and checkpoints of it in the home."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from loopwright.agents.ide.editing.checkpoints import Checkpoints, Commands
from loopwright.agents.ide.editing.patch_sets import PatchSets
from loopwright.agents.ide.index import CodebaseIndex
from loopwright.agents.ide.memory import LocalMemory
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.agents.ide.protected import make_state_folder, project_instructions, state_folder_of
from loopwright.kernel.ports import Profile
from loopwright.kernel.run import AgentRun

MAP_TOKENS: Mapping[Profile, int] = {"small": 200, "frontier": 700}
FILE_TOKENS: Mapping[Profile, int] = {"small": 700, "frontier": 0}
"""For files that the request is about: a small model looks for them badly, and others read what they need."""
INSTRUCTION_TOKENS: Mapping[Profile, int] = {"small": 150, "frontier": 1_000}
MEMORY_TOKENS: Mapping[Profile, int] = {"small": 100, "frontier": 300}


FILES_HEAD = "## Files, as they are at the start"


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

    async def described(self, request: str, profile: Profile) -> str:
        """The project for the system prompt: a map that fits its budget, and what is remembered about the request."""
        return await asyncio.to_thread(self._describe, request, profile)

    def _refresh(self) -> None:
        make_state_folder(self.state_folder)
        self.index.refresh()

    def _describe(self, request: str, profile: Profile) -> str:
        told = project_instructions(self.files, INSTRUCTION_TOKENS[profile])
        parts = [*([told, ""] if told else []), "## Project map", self.index.map(MAP_TOKENS[profile], focus=request)]
        files = self.index.closest(FILE_TOKENS[profile], request)
        if files:
            parts += ["", FILES_HEAD, files]
        remembered = self.memory.relevant(request, MEMORY_TOKENS[profile])
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
