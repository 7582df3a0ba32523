"""Runs the real `loopwright` command in a process of its own."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from loopwright.app.loopwright import Stores
from loopwright.stores.database import Database

T = TypeVar("T")

COMMAND = [sys.executable, "-c", "from loopwright.cli.main import main; main()"]


@dataclass(frozen=True)
class Finished:
    """What a command came to; `lines` are its JSON lines."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The JSON lines of the output."""
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]

    @property
    def last(self) -> dict[str, Any]:
        """The last JSON line."""
        return self.lines[-1]


@dataclass
class Installation:
    """A home, an output folder and settings for commands that belong together."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def out(self) -> Path:
        """Where sessions' folders are made."""
        return self.folder / "out"

    def environment(self, **settings: str) -> dict[str, str]:
        """The environment of a command."""
        return {
            **os.environ,
            "LOOPWRIGHT_HOME": str(self.folder / "home"),
            "LOOPWRIGHT_OUT": str(self.out),
            # A busy machine is no reason to ask the user; who tests the ceiling sets it.
            "LOOPWRIGHT_WALL_TIME_SEC": "3600",
            **self.settings,
            **settings,
        }

    def run(self, *arguments: str, timeout: float = 90, **settings: str) -> Finished:
        """Run a command to its end, without a terminal."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            env=self.environment(**settings),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str, **settings: str) -> "subprocess.Popen[str]":
        """Start a command that goes on."""
        return subprocess.Popen(
            [*COMMAND, *arguments],
            env=self.environment(**settings),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def newest_run(self) -> dict[str, Any]:
        """The run that was created last, read without a process of its own."""

        async def find(stores: Stores) -> dict[str, Any]:
            return (await stores.runs.find(limit=1))[0].model_dump(mode="json")

        return self._read(find)

    def events(self, run_id: str) -> list[dict[str, Any]]:
        """A run's journal, read without a process of its own."""

        async def read(stores: Stores) -> list[dict[str, Any]]:
            return [event.model_dump(mode="json") for event in await stores.journal.read(run_id)]

        return self._read(read)

    def _read(self, work: Callable[[Stores], Awaitable[T]]) -> T:
        """Ask the stores; in a thread, since the caller may be inside an event loop."""

        async def opened() -> T:
            async with await Database.open(self.settings.get("DATABASE_URL"), self.folder / "home") as database:
                return await work(Stores.of(database))

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: asyncio.run(opened())).result()
