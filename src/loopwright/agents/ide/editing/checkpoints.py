"""Checkpoints: all that a run has changed can be undone as one, without git and without touching the user's git."""

import asyncio
import os
import stat
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from loopwright.agents.ide.editing.landing import Before, Landing, Saves, landing_of
from loopwright.agents.ide.editing.patch_sets import PatchSets
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.agents.ide.protected import make_state_folder
from loopwright.agents.ide.sandbox import CommandOutcome, Entry, Layer, new_layer, run_confined, survey
from loopwright.agents.ide.sandbox.isolation import Isolation
from loopwright.agents.ide.sandbox.layers import Mark
from loopwright.kernel.errors import Conflict, InvalidInput, LoopwrightError
from loopwright.kernel.workspace import disk_errors, opened_folder
from loopwright.kits.history.change_log import Change, ChangeLog, Edit, Seen, opened
from loopwright.kits.history.changing import HalfDone, Target
from loopwright.kits.history.fenced_files import MAX_FILE_BYTES, State, decoded, observe, observed, same
from loopwright.kits.history.history import LOCK, ChangeHistory

SETTLING_NS = 2_000_000_000
"""A file that was written so shortly before it was read may have been written again at the same time stamp, whose grain
is up to two seconds (FAT); it is read again."""


Keep = Callable[[State, bytes], None]
"""Stores what was read."""


def scan(
    files: ProjectFiles,
    marks: Mapping[str, Mark],
    known: Mapping[str, Seen],
    keep: Keep,
    now_ns: int,
    also: Iterable[str] = (),
) -> dict[str, Seen]:
    """The states of the project's files; only those that look different from what is known are read.

    Args:
        files: the project's files.
        marks: what a survey of it has found a moment ago.
        known: what an earlier scan has found.
        keep: is given each content that was read.
        now_ns: the file system's time.
        also: paths to look at beside those that belong to the project now.
    """
    found: dict[str, Seen] = {}
    unread: list[str] = []
    for path in dict.fromkeys([*files.listed(), *also]):
        mark, before = marks.get(path), known.get(path)
        if mark is None or not (stat.S_ISREG(mark[4]) or stat.S_ISLNK(mark[4])):
            continue
        if before is not None and before.settled and mark[:4] == _mark_of(before):
            found[path] = before
        elif before is not None or files.belongs(path):
            unread.append(path)
    for path, state, data in _read(files, unread, marks):
        keep(state, data)
        mark = marks[path]
        settled = state.kind == "large" or now_ns - max(mark[2], mark[3]) > SETTLING_NS
        found[path] = Seen(state, *mark[:4], settled=settled)
    return found


def _mark_of(seen: Seen) -> tuple[int, int, int, int]:
    return (seen.inode, seen.size, seen.modified_ns, seen.changed_ns)


def _read(files: ProjectFiles, paths: Iterable[str], marks: Mapping[str, Mark]) -> Iterator[tuple[str, State, bytes]]:
    """State and content of files; each folder is opened once."""
    for folder, inside in groupby(paths, key=lambda path: path.rpartition("/")[0]):
        try:
            with opened_folder(files.root, folder.split("/") if folder else ()) as descriptor:
                for path in inside:
                    _, size, modified_ns, _, mode = marks[path]
                    if stat.S_ISREG(mode) and size > MAX_FILE_BYTES:
                        yield path, State("large", mode & 0o777, f"{size}-{modified_ns}"), b""
                        continue
                    try:
                        with disk_errors(path):
                            state, data = observed(descriptor, path.rpartition("/")[2], path)
                    except LoopwrightError:
                        continue  # it has gone, or may not be read: nothing that could be put back either
                    if state.kind != "folder":
                        yield path, state, data
        except LoopwrightError:
            continue  # the folder has gone


# Checkpoints: all that a run has changed can be undone as one, without git and without touching the user's git.
#
# The contents lie in the agent's own state folder, so git's index, stash, branches, hooks and filters have no part in
# it. What a command changed is known exactly, ignored files and repositories' own ones too, since it worked on a layer.
# What happened while one ran outside the sandbox is kept as well, but marked: nobody can tell whose changes they were.
#
# What happened while a command ran outside the sandbox: the project is looked at before and after it.


def remember_before_command(files: ProjectFiles, log: ChangeLog, run_id: str, now_ns: int) -> None:
    """Keep the contents and states of all files, so that whatever the command does can be told and undone."""
    found = scan(files, survey(files.root).marks, log.seen(), log.keep, now_ns)
    log.remember_seen(found)
    states = {path: seen.state.encoded() for path, seen in found.items()}
    inodes = [seen.inode for seen in found.values()]
    log.set_baseline(log.begin(run_id, "run"), {"since": now_ns, "states": states, "inodes": inodes})


def account_for_command(files: ProjectFiles, log: ChangeLog, number: int, now_ns: int) -> None:
    """Record what is other than before the command.

    A file that git ignored before and does not any more was there all the time: its inode was not touched since, and is
    none of those that stood elsewhere before (moving a folder touches no file in it).
    """
    baseline = log.baselines()[number]
    before = {path: decoded(line) for path, line in baseline["states"].items()}
    folders = {str(folder) for path in before for folder in PurePosixPath(path).parents}
    inodes = set(baseline["inodes"])
    found = scan(files, survey(files.root).marks, log.seen(), log.keep, now_ns, also=before)
    log.remember_seen(found)
    for path in sorted(before.keys() | found.keys()):
        old, seen = before.get(path), found.get(path)
        new = seen.state if seen is not None else None
        untouched = seen is not None and seen.changed_ns < baseline["since"] and seen.inode not in inodes
        if same(old, new) or (old is None and untouched):
            continue
        made = sum(1 for folder in PurePosixPath(path).parents if str(folder) not in folders) if old is None else 0
        log.record(number, Change(path, old, new, made, mixed=True))
    log.set_baseline(number, None)


class Checkpoints(ChangeHistory):
    """The checkpoints of one project."""

    def __init__(self, files: ProjectFiles, state_folder: Path) -> None:
        """Keep where things are; nothing is written before the first change."""
        super().__init__(files.root, state_folder, files.check, make_state_folder)
        self._files = files

    async def before_unconfined(self, run_id: str) -> None:
        """Remember all files of the project: a command is going to run in it that may change any of them."""
        await asyncio.to_thread(self._before_unconfined, run_id)

    async def after_unconfined(self, run_id: str) -> None:
        """Account for what has changed since `before_unconfined`, by whomever."""
        await asyncio.to_thread(self._settled, run_id)

    def before_command(self) -> Before:
        """The project before a command on a layer; the call blocks on the disk.

        It is surveyed once more when the saves are being counted: a save before that shows in the marks.
        """
        with self._locked(), opened(self._file) as log:
            marks = survey(self._files.root).marks
            seen = scan(self._files, marks, log.seen(), log.keep, self._now_ns())
            log.remember_seen(seen)
        saves = Saves(self._files.root, ("." if "/" not in path else path.rpartition("/")[0] for path in seen))
        return Before(survey(self._files.root), seen, saves)

    @contextmanager
    def landing(self, entries: Sequence[Entry], before: Before, replaced: Mapping[str, bytes]) -> Iterator[Landing]:
        """What a command's changes come to now; no other run writes meanwhile. The call blocks on the disk."""
        with self._locked():
            with opened(self._file) as log:
                found = landing_of(self._files.root, log, entries, before, replaced)
            yield found

    def write(self, run_id: str, targets: Sequence[Target], *, key: str, account: Mapping[str, Any]) -> None:
        """Write what a landing has found, within it; raises as `apply`."""
        self._changing.apply(run_id, "run", targets, key=key, account=account)

    async def changed_by(self, run_id: str) -> list[str]:
        """The paths that a run has left other than it found them, in order."""
        await asyncio.to_thread(self._settled, run_id)
        checkpoint = next((each for each in await self.list() if each.id == run_id), None)
        return list(checkpoint.paths) if checkpoint is not None and not checkpoint.undone else []

    def _before_unconfined(self, run_id: str) -> None:
        self._settled(run_id)
        with self._locked(), opened(self._file) as log:
            remember_before_command(self._files, log, run_id, self._now_ns())

    def _settled(self, owner: str | None = None) -> None:
        """Account for commands that ended, or died, without it: of one run, or of all."""
        if not self._file.is_file():
            return
        with self._locked(), opened(self._file) as log:
            for change_set in log.change_sets():
                if owner in (None, change_set.owner) and change_set.number in log.baselines():
                    account_for_command(self._files, log, change_set.number, self._now_ns())

    def _now_ns(self) -> int:
        """The file system's own time: its clock may lag behind the process's."""
        os.utime(self._folder / LOCK)
        return (self._folder / LOCK).stat().st_ctime_ns


# Running a command on a layer of the project, and making one change set of what it did.

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
