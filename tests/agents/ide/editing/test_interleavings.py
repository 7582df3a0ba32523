"""A user who works on the same files at the same time loses nothing, whatever runs do and in whatever order."""

import asyncio
import random
import shlex
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.agents.ide.editing.checkpoints import CommandReport, LayeredCommand
from loopwright.agents.ide.sandbox import isolation
from loopwright.kernel.errors import LoopwrightError
from loopwright.kits.history import changing
from loopwright.kits.history.change_log import Edit
from tests.agents.ide.acting import project_at
from tests.agents.ide.commanding import confined
from tests.agents.ide.editing.oracle import World

pytestmark = confined
WAIT = "echo READY; until [ -s {go} ]; do sleep 0.01; done"
"""An overlay may remember that a file is not there, but what is written into one is seen at once."""
PATIENCE_SECONDS = 30


class Interleaving:
    """One user, several runs, and what happens."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.world = World(root, chance)
        self.world.begin()
        self.root, self.chance = root, chance
        self.project = project_at(root)
        self.run = 1
        self.landing_acts = 0

    async def play(self, steps: int) -> None:
        """So many steps, each checked, and at the end all is undone."""
        kinds = [self.user, self.user, self.command, self.command, self.tool, self.undo, self.next_run]
        with pytest.MonkeyPatch.context() as patch:
            self._meddle(patch)
            for _ in range(steps):
                await self.chance.choice(kinds)()
                await self.check()
            self.landing_acts = 0
            for checkpoint in await self.project.checkpoints.list():
                if not checkpoint.undone and checkpoint.kind == "run":
                    await self.tried(f"undo {checkpoint.id} at last", self.project.checkpoints.undo(checkpoint.id))
                    await self.check()

    async def user(self) -> None:
        self.world.act()

    async def next_run(self) -> None:
        self.run += 1

    async def tool(self) -> None:
        """A tool writes a file that it has read, perhaps a moment ago."""
        files = self.world.files()
        if not files:
            return
        path, line = self.chance.choice(files), self.world.line_of(f"run-{self.run}")
        lines = self.world.lines(path)
        before = (self.root / path).read_bytes()
        place = self.chance.randrange(len(lines) + 1)
        after = "".join(f"{each}\n" for each in [*lines[:place], line, *lines[place:]]).encode()
        if self.chance.random() < 0.3:
            self.world.act(path)
        self.landing_acts = self.chance.choice([0, 0, 1])
        edit = Edit(path, before, after)
        apply = self.project.checkpoints.apply(f"run-{self.run}", [edit], key=uuid4().hex, account={})
        if not await self.tried(f"run-{self.run} writes {line} into {path}", apply):
            assert line not in self.world.standing().keys() - self.world.adopted, self.world.told

    async def undo(self) -> None:
        """Undo a run, or redo it, or restore a checkpoint."""
        checkpoints = self.project.checkpoints
        found = await checkpoints.list()
        if found:
            chosen = self.chance.choice(found)
            self.landing_acts = self.chance.choice([0, 0, 1])
            what = self.chance.choice([checkpoints.undo, checkpoints.undo, checkpoints.restore])
            await self.tried(f"{what.__name__} {chosen.id}", what(chosen.id))

    async def command(self) -> None:
        """A command, while the user goes on; perhaps it is cancelled."""
        run, number = f"run-{self.run}", uuid4().hex[:6]
        line, wrote, takes = self._script(run, f"go-{number}")
        (self.root / f"go-{number}").touch()
        ready = asyncio.Event()
        loop = asyncio.get_running_loop()
        how = isolation(self.project.root, self.project.state_folder)
        assert how is not None
        running = asyncio.create_task(
            self.project.commands.run(
                how, LayeredCommand(line, self.project.root, 60), run_id=run, key=number, protected_allowed=False,
                progress=lambda text: "READY" in text and loop.call_soon_threadsafe(ready.set),
            )
        )  # fmt: skip
        self.world.told.append(f"{run} begins: {line}")
        if self.chance.random() < 0.15:
            await asyncio.sleep(self.chance.uniform(0, 0.3))
            running.cancel()
        else:
            await asyncio.wait({running, asyncio.create_task(ready.wait())}, return_when="FIRST_COMPLETED")
            self.world.pause = lambda: time.sleep(0.02)  # type: ignore[method-assign]
            for _ in range(self.chance.randrange(3)):
                self.world.act(self.chance.choice([*wrote.values(), None]))
            self.landing_acts = self.chance.choice([0, 0, 1, 2])
            (self.root / f"go-{number}").write_text("go")
            if self.chance.random() < 0.15:
                await asyncio.sleep(self.chance.uniform(0, 0.05))
                running.cancel()
        try:
            report = await asyncio.wait_for(running, PATIENCE_SECONDS)
        except (asyncio.CancelledError, LoopwrightError) as error:
            self.world.told.append(f"{run}: {error!r}")
            report = CommandReport(None)
        (self.root / f"go-{number}").unlink(missing_ok=True)
        self._compare(run, report, wrote, takes)

    def _script(self, run: str, go: str) -> tuple[str, dict[str, str], Callable[[], None]]:
        """What a command does, half of it before the user's acts and half of it after them.

        Gives the shell's line, by line that it may write the path, and what it removes if it succeeds.
        """
        files = self.world.files()
        first, second, wrote, taken = [], [], {}, []
        for _ in range(self.chance.randrange(1, 4)):
            if not files:
                break
            path = self.chance.choice(files)
            quoted, lines = shlex.quote(path), self.world.lines(path)
            anchor, line = self.chance.choice(lines or ["none"]), self.world.line_of(run)
            kind = self.chance.choice(["append", "insert", "change", "remove", "stale", "create", "rm", "mv", "chmod"])
            wrote[line] = path
            part = {
                "append": f"[ -f {quoted} ] && echo {line} >> {quoted}",
                "insert": f"sed -i '/^{anchor}$/a {line}' {quoted}",
                "change": f"sed -i 's/^{anchor}$/{line}/' {quoted}",
                "remove": f"sed -i '/^{anchor}$/d' {quoted}",
                "create": f"mkdir -p $(dirname {quoted}) && echo {line} > {quoted}-{line}",
                "rm": f"rm -f {quoted}",
                "mv": f"mv {quoted} {quoted}-{line}",
                "chmod": f"chmod +x {quoted}",
                "stale": f"(cat /tmp/{line}; echo {line}) > {quoted}",
            }[kind]
            if kind == "stale":
                first.append(f"cat {quoted} > /tmp/{line}")
                second.append(f"[ -f {quoted} ] && {part}")
            else:
                self.chance.choice([first, second]).append(part)
            if kind in ("change", "remove"):
                taken.append(([anchor], None))
            elif kind in ("rm", "mv"):
                taken.append((lines, f"{path}-{line}" if kind == "mv" else None))
        look = "echo SEEN; grep -rhoE '^r[0-9]{6}' . | sort -u"
        line = "\n".join([*first, WAIT.format(go=go), *second, look, "true"])
        return line, wrote, lambda: [self.world.takes(run, lines, to) for lines, to in taken] and None

    def _compare(self, run: str, report: CommandReport, wrote: dict[str, str], takes: Callable[[], None]) -> None:
        """All that a command has written is there, or nothing of it."""
        self.world.both(report.mixed)
        standing = self.world.standing()
        there = {line for line in wrote if line in standing} - self.world.adopted
        came = report.outcome is not None and not report.outcome.stopped
        came = came and not (report.landing.conflicts or report.mixed)
        self.world.told.append(f"{run} ends: {'landed' if came else f'refused {report.landing.conflicts}'}")
        if not came:
            assert not there, f"half: {there}:\n" + "\n".join(self.world.told)
            return
        assert report.outcome is not None
        assert report.held is None
        takes()
        seen = set(report.outcome.output.partition("SEEN")[2].split()) & wrote.keys()
        lacking = seen - there - self.world.dropped - self.world.adopted
        assert not lacking, f"lacks {lacking}:\n" + "\n".join(self.world.told)

    async def check(self) -> None:
        undone = {each.id for each in await self.project.checkpoints.list() if each.undone}
        self.world.check(undone)

    async def tried(self, what: str, work) -> bool:  # type: ignore[no-untyped-def]
        """Whether it was done; a refusal is an answer."""
        try:
            await work
        except LoopwrightError as error:
            self.world.told.append(f"{what}: refused: {error.message}")
            self.world.both(error.paths if isinstance(error, changing.HalfDone) else ())
            return False
        self.world.told.append(what)
        return True

    def _meddle(self, patch: pytest.MonkeyPatch) -> None:
        """Let the user act between the look at a file and the step that replaces or deletes it."""
        for name in ("put", "remove"):
            real = getattr(changing, name)

            def step(root, path, *arguments, real=real, **options):  # type: ignore[no-untyped-def]
                if self.landing_acts and self.chance.random() < 0.7:
                    self.landing_acts -= 1
                    self.world.told.append(f"(while {path} is being written)")
                    self.world.being_written = True
                    self.world.act(path)
                    self.world.being_written = False
                return real(root, path, *arguments, **options)

            patch.setattr(changing, name, step)


def interleave(seed: int, steps: int) -> None:
    """Play one in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(Interleaving(Path(folder).resolve(), random.Random(seed)).play(steps))


@given(seed=st.integers(0, 2**32))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nobodys_work_is_lost(seed: int) -> None:
    interleave(seed, steps=6)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200))
def test_nobodys_work_is_lost_in_many_interleavings(seed: int) -> None:
    interleave(seed, steps=12)
