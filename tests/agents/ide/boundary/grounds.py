"""A project to attack, with a canary beside it; what stands there afterwards is compared byte for byte."""

import dataclasses
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.ide.editing.checkpoints import CommandReport
from loopwright.agents.ide.sandbox import isolation as isolation_of
from loopwright.agents.ide.sandbox.isolation import Isolation
from loopwright.agents.ide.tools import run_command
from loopwright.kernel.gates import Waiting
from tests.agents.ide.acting import act, project_at
from tests.agents.ide.commanding import command

WAYS = ("overlay", "copy", "owner", "without")
"""An overlay, a copy, root at work on a user's project, and a machine where commands cannot be confined."""
SECRET = "CANARY-secret-4d07"
FILES = {
    ".aws/credentials": SECRET,
    ".env": f"TOKEN={SECRET}",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n\trepositoryformatversion = 0\n",
    ".git/hooks/pre-commit.sample": "#!/bin/sh\n",
    "Makefile": "all:\n\ttrue\n",
    "main.py": "print('hello')\n",
    "src/app.py": "value = 1\n",
}
FOLDERS = (".git/objects", ".git/refs")
Tree = dict[str, tuple[int, bytes]]


class Asked(Exception):
    """The user was asked before anything ran, and nothing has changed."""


class Grounds:
    """A project at `root`, and beside it `outside`, which nothing may touch."""

    def __init__(self, folder: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Lay it out below a folder, to be attacked in one of the `WAYS`."""
        self.folder = folder
        self.way = way
        self.root = folder / "project"
        self.outside = folder / "outside"
        self.canary = self.outside / "canary.txt"
        self.owner: tuple[int, int] | None = None
        self._monkeypatch = monkeypatch
        self.outside.mkdir()
        self.canary.write_text(SECRET)
        self.write(FILES)
        for name in FOLDERS:
            (self.root / name).mkdir()

    def write(self, files: dict[str, str], mode: int = 0o644) -> None:
        """Put files into the project, as its repository would bring them."""
        for name, text in files.items():
            place = self.root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            place.chmod(mode)

    async def run(self, line: str, **more: Any) -> CommandReport:
        """Run a hostile command, and see that nothing beside the project has changed and no secret was seen.

        Raises:
            Asked: there is no sandbox, and the user was asked.
        """
        if self.owner is not None:
            self._give_away()
        before = tree(self.outside)
        if self.way == "without":
            await self._is_asked(line)
        report = await command(self.root, line, isolation=self.isolation(), **more)
        assert tree(self.outside) == before
        assert report.outcome is None or SECRET not in report.outcome.output
        return report

    async def is_held(self, line: str, *paths: str) -> CommandReport:
        """Run a command that changes what other programs trust: nothing is written, and it is told what waits."""
        before = tree(self.root)
        report = await self.run(line)
        assert report.outcome is not None
        assert report.outcome.exit_code == 0, report.outcome.output
        assert report.held is not None, report
        missing = [path for path in paths if path not in report.landing.protected]
        assert not missing, (missing, dict(report.landing.protected))
        assert tree(self.root) == before
        return report

    async def fails(self, line: str, *, words: str = "") -> CommandReport:
        """Run a command that must not succeed, and must change nothing."""
        before = tree(self.root)
        report = await self.run(line)
        assert report.outcome is not None
        assert report.outcome.exit_code not in (0, None), report.outcome.output
        assert words in report.outcome.output
        assert tree(self.root) == before
        return report

    async def prints(self, line: str, **more: Any) -> str:
        """What a command prints that succeeds."""
        report = await self.run(line, **more)
        assert report.outcome is not None
        assert report.outcome.exit_code == 0, report.outcome.output
        return report.outcome.output

    def isolation(self) -> Isolation:
        """How commands are confined in this way; it must be the one that is named."""
        project = project_at(self.root)
        found = isolation_of(project.root, project.state_folder)
        assert found is not None
        assert found.layer == "overlay"
        return dataclasses.replace(found, layer="copy") if self.way == "copy" else found

    async def _is_asked(self, line: str) -> None:
        before = tree(self.folder)
        with self._monkeypatch.context() as patch:
            patch.setattr(run_command, "can_confine", lambda: False)
            account = await act(self.root, [("run_command", {"command": line[:5_000]})], allowed=["run", "write"])
        assert isinstance(account.outcome, Waiting), account.outcome
        assert account.outcome.gate.kind == "permission"
        assert account.outcome.gate.details["leaves_sandbox"] is True
        assert tree(self.folder) == before
        raise Asked

    def _give_away(self) -> None:
        assert self.owner is not None
        for above, folders, names in os.walk(self.root):
            os.chown(above, *self.owner)
            for name in (*folders, *names):
                os.chown(Path(above, name), *self.owner, follow_symlinks=False)


@contextmanager
def enterable_folder() -> Iterator[Path]:
    """A folder that every user may enter, as that of a project is; deleted at the end, whatever lies in it then."""
    shared = next(each for each in (tempfile.gettempdir(), "/var/tmp") if os.stat(each).st_mode & 0o001)
    place = Path(tempfile.mkdtemp(prefix="boundary-", dir=shared)).resolve()
    place.chmod(0o755)
    try:
        yield place
    finally:
        for each, _, _ in os.walk(place):
            os.chmod(each, 0o700)
        shutil.rmtree(place)


def tree(folder: Path) -> Tree:
    """By path: the mode, and the content or link's target, of all that lies below."""
    found: Tree = {}
    for above, folders, names in os.walk(folder):
        for name in (*folders, *names):
            place = Path(above, name)
            now = place.lstat()
            content = b""
            if stat.S_ISLNK(now.st_mode):
                content = os.fsencode(os.readlink(place))
            elif stat.S_ISREG(now.st_mode):
                content = place.read_bytes()
            found[str(place.relative_to(folder))] = (now.st_mode, content)
    return found


async def is_asked_about(project: Grounds, line: str, allowed: Iterable[str]) -> list[str]:
    """The command waits for a yes, whatever was allowed for good, and nothing has run; gives what the yes may allow."""
    before = tree(project.folder)
    account = await act(project.root, [("run_command", {"command": line})], allowed=(), always=list(allowed))
    assert isinstance(account.outcome, Waiting), account.outcome
    assert account.outcome.gate.details["arguments"]["command"] == line
    assert tree(project.folder) == before
    return list(account.outcome.gate.details["allows"])
