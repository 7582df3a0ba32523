"""Running a command on a layer of the project, and making one change set of what it did."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from loopwright.agents.ide.editing.changing import HalfDone, Target
from loopwright.agents.ide.editing.checkpoints import Checkpoints
from loopwright.agents.ide.editing.edits import Edit
from loopwright.agents.ide.editing.landing import Before, Landing
from loopwright.agents.ide.editing.patch_sets import PatchSets
from loopwright.agents.ide.editing.states import observe
from loopwright.agents.ide.sandbox import CommandOutcome, Entry, Layer, new_layer, run_confined
from loopwright.agents.ide.sandbox.isolation import Isolation
from loopwright.kernel.errors import Conflict, InvalidInput

T = TypeVar("T")

MOST_TRIES = 5
"""To write what a command has changed while somebody else changes the same files."""
MOST_HELD_BYTES = 50 * 1024**2
"""Of changes that wait for a permission."""


@dataclass(frozen=True)
class LayeredCommand:
    """What is run: `command` for the shell, in a folder below the root, so long (s), with or without the network."""

    command: str
    working_directory: Path
    timeout_seconds: float
    network: bool = False


@dataclass
class CommandReport:
    """What came of a command.

    `edits` are the changes that were made, as far as they can be shown, and `paths` all of them. `held` is the patch
    set in which they wait instead, since `landing.protected` needs a permission. `dropped` are the paths that a command
    had changed that was stopped or refused, or whose changes are too large to wait. `mixed` are files that
    somebody else has changed at the very moment of writing, so that both changes stand in them. `outcome` is None where
    it was cancelled.
    """

    outcome: CommandOutcome | None
    landing: Landing = field(default_factory=Landing)
    edits: Sequence[Edit] = ()
    paths: Sequence[str] = ()
    held: str | None = None
    dropped: Sequence[str] = ()
    mixed: Sequence[str] = ()


class Commands:
    """Commands of one project."""

    def __init__(self, root: Path, state_folder: Path, checkpoints: Checkpoints, patch_sets: PatchSets) -> None:
        """Take the project's folder and stores."""
        self._root = root
        self._folder = state_folder
        self._checkpoints = checkpoints
        self._patch_sets = patch_sets

    async def run(
        self,
        isolation: Isolation,
        wanted: LayeredCommand,
        *,
        run_id: str,
        key: str,
        protected_allowed: bool,
        progress: Callable[[str], None] = lambda line: None,
    ) -> CommandReport:
        """Run it, and write what it changed into the project, as one and only if it came to its end.

        A cancelled call kills the command, and gives a report that says what was dropped.

        Args:
            isolation: how commands are confined here.
            wanted: what is run.
            run_id: whose changes they are.
            key: names the call, so that its changes are made once.
            protected_allowed: whether the user has allowed to change what other programs trust.
            progress: is told of the output as it comes.

        Raises:
            Misconfigured: the command could not be started, or the disk does not take the layer or the changes.
        """
        (before, layer), cancelled = await _to_the_end(asyncio.to_thread(self._laid_out, isolation))
        try:
            if cancelled:
                return CommandReport(None)
            outcome = await run_confined(
                layer,
                isolation,
                wanted.command,
                working_directory=wanted.working_directory,
                timeout_seconds=wanted.timeout_seconds,
                network=wanted.network,
                private=(self._folder,),
                progress=progress,
            )
            if outcome.stopped:
                return CommandReport(outcome, dropped=_touched(await asyncio.to_thread(layer.entries)))
            landed = asyncio.to_thread(self._landed, layer, before, outcome, run_id, key, protected_allowed)
            return (await _to_the_end(landed))[0]
        except asyncio.CancelledError:
            return CommandReport(None, dropped=_touched((await _to_the_end(asyncio.to_thread(layer.entries)))[0]))
        finally:
            before.saves.close()
            await _to_the_end(asyncio.to_thread(layer.drop))

    def _laid_out(self, isolation: Isolation) -> tuple[Before, Layer]:
        before = self._checkpoints.before_command()
        try:
            layer = new_layer(self._root, self._folder, isolation, before.survey)
            try:
                layer.make()
            except BaseException:
                layer.drop()
                raise
        except BaseException:
            before.saves.close()
            raise
        return before, layer

    def _landed(
        self, layer: Layer, before: Before, outcome: CommandOutcome, run_id: str, key: str, protected_allowed: bool
    ) -> CommandReport:
        """Write what it changed; where the user changes a file at the same time, once more with that."""
        before.saves.command_ended()
        entries = layer.entries()  # the command is dead: they are the same at each try
        for _ in range(MOST_TRIES):
            try:
                return self._landed_once(layer, entries, before, outcome, run_id, key, protected_allowed)
            except HalfDone as error:
                dropped = [path for path in _touched(entries) if path not in error.paths]
                return CommandReport(outcome, mixed=error.paths, dropped=dropped)
            except (Conflict, InvalidInput):
                continue
        refused = Landing(conflicts={"the project": "is being changed by somebody else all the time"})
        return CommandReport(outcome, refused, dropped=_touched(entries))

    def _landed_once(
        self,
        layer: Layer,
        entries: Sequence[Entry],
        before: Before,
        outcome: CommandOutcome,
        run_id: str,
        key: str,
        protected_allowed: bool,
    ) -> CommandReport:
        with self._checkpoints.landing(entries, before, layer.replaced) as landing:
            report = CommandReport(outcome, landing, _shown(self._root, landing.targets))
            report.paths = [target.path for target in landing.targets]
            if landing.conflicts:
                report.edits, report.paths, report.dropped = (), (), sorted({*report.paths, *landing.conflicts})
            elif landing.protected and not protected_allowed:
                report.held = self._hold(landing, report.edits, key)
                if report.held is None:
                    report.edits, report.paths, report.dropped = (), (), report.paths
            elif landing.targets:
                self._checkpoints.write(run_id, landing.targets, key=key, account={})
        return report

    def _hold(self, landing: Landing, edits: Sequence[Edit], key: str) -> str | None:
        """Keep the changes until the user has agreed; None where they are too large to be kept."""
        size = sum(len(target.data) for target in landing.targets)
        if size > MOST_HELD_BYTES or any(target.source is not None for target in landing.targets):
            return None
        with self._patch_sets.locked():
            return self._patch_sets.hold(edits, landing.protected, key=key)


def _touched(entries: Sequence[Entry]) -> list[str]:
    return [entry.path for entry in entries if entry.kind != "folder"]


def _edit(root: Path, target: Target) -> Edit:
    before, data = observe(root, target.path) if target.before is not None else (None, b"")
    after = target.after
    return Edit(
        target.path,
        data if before is not None else None,
        target.data if after is not None else None,
        after.mode if after is not None else None,
        kind=after.kind if after is not None else "file",
        before_kind=before.kind if before is not None else "file",
    )


def _shown(root: Path, targets: Sequence[Target]) -> list[Edit]:
    """The changes as edits, for people; of what is too large for that only paths are told."""
    return [_edit(root, target) for target in targets if target.source is None]


async def _to_the_end(work: Coroutine[Any, Any, T]) -> tuple[T, bool]:
    """The result of work in a thread, which no cancellation stops, so it is waited for; and whether one came."""
    task, cancelled = asyncio.ensure_future(work), False
    while True:
        try:
            return await asyncio.shield(task), cancelled
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            cancelled = True
