"""Patch sets: proposed changes, staged in the agent's own folder until they are applied as one or discarded."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.kernel.errors import Conflict, InvalidInput, Misconfigured, NotFound
from loopwright.kernel.files import exclusive_lock, make_private_folder
from loopwright.kits.history.change_log import Edit

NAME = r"^[a-z0-9][a-z0-9-]{0,39}$"
"""What the id of a patch set looks like: it is a file's name."""
HELD = "held-"
"""How the ids begin of sets that a command has left, which change what other programs trust."""
FOLDER, LOCK = "staging", "staging.lock"
MOST_SETS = 50


class Sources:
    """What edits are thought out against: the project's files, under what a patch set has staged already."""

    def __init__(self, files: ProjectFiles, staged: Mapping[str, Edit] | None = None) -> None:
        """Take both."""
        self._files = files
        self._staged = staged or {}

    @property
    def root(self) -> Path:
        """The project's folder."""
        return self._files.root

    def check(self, path: str) -> str:
        """The path in its plain form; raises as `ProjectFiles.check_single`."""
        return self._files.check_single(path)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none.

        Raises:
            InvalidInput: the path cannot be used, it is a folder or a hard link, or larger than 5 MB.
        """
        plain = self._files.check_single(path)
        if plain in self._staged:
            return self._staged[plain].after
        try:
            return self._files.read_bytes(plain)
        except NotFound:
            return None

    def mode(self, path: str) -> int | None:
        """The permission bits of a file of the project; None where there is none."""
        place = self._files.locate(path)
        return place.stat().st_mode & 0o777 if place.is_file() else None

    def text(self, path: str) -> str:
        """The text of a file that must be there; a byte order mark stays in it.

        Raises:
            NotFound: there is no such file.
            InvalidInput: as for `read`, or it is not UTF-8 text.
        """
        data = self.read(path)
        if data is None:
            raise NotFound(f"There is no file {path!r}.", hint="index_find_files shows what there is.")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput(
                f"{path!r} is not UTF-8 text (byte {error.start}).", hint="Leave it to the user, or use a command."
            ) from error


@dataclass(frozen=True)
class PatchSet:
    """Proposed changes, in the order of their paths. `protected` says why some need a permission of their own."""

    id: str
    at: datetime
    edits: tuple[Edit, ...]
    protected: Mapping[str, str] = field(default_factory=dict)


def set_name(key: str) -> str:
    """The id of the patch set that a call begins; the same when the call runs again."""
    return "set-" + hashlib.sha256(key.encode()).hexdigest()[:8]


class PatchSets:
    """The patch sets of one project; the calls block on the disk."""

    def __init__(self, files: ProjectFiles, state_folder: Path) -> None:
        """Keep where things are; nothing is written before the first proposal."""
        self._files = files
        self._folder = state_folder / FOLDER

    def list(self) -> Sequence[PatchSet]:
        """All of them, oldest first.

        Raises:
            Misconfigured: one is damaged.
        """
        names = sorted(path.stem for path in self._folder.glob("*.json")) if self._folder.is_dir() else []
        return sorted((self.get(name) for name in names), key=lambda each: (each.at, each.id))

    def get(self, name: str) -> PatchSet:
        """One of them.

        Raises:
            NotFound: there is none.
            Misconfigured: it is damaged.
        """
        stored = self._stored(name)
        if stored is None:
            raise NotFound(f"There is no patch set {name!r}.", hint="patchset_list shows them.")
        edits = (_edit(path, stored["edits"][path]) for path in sorted(stored["edits"]))
        return PatchSet(name, datetime.fromisoformat(stored["at"]), tuple(edits), stored.get("protected", {}))

    def sources(self, name: str) -> Sources:
        """The files as they would be with this patch set."""
        stored = self._stored(name)
        return Sources(self._files, {edit.path: edit for edit in self.get(name).edits} if stored else {})

    def locked(self) -> AbstractContextManager[None]:
        """Nobody else stages meanwhile, in this process or another: what is thought out on a patch set stands on it."""
        make_private_folder(self._folder)
        return exclusive_lock(self._folder / LOCK)

    def account(self, name: str, key: str) -> dict[str, Any] | None:
        """What `stage` was given for this key, if it was."""
        stored = self._stored(name)
        return stored["accounts"].get(key) if stored else None

    def stage(self, name: str, edits: Sequence[Edit], *, key: str, account: Mapping[str, Any]) -> None:
        """Add edits to a patch set, which is made where it is missing.

        Raises:
            Conflict: there are too many patch sets.
            InvalidInput: the name is one of those that commands leave.
            Misconfigured: the disk does not take it.
        """
        if name.startswith(HELD):
            raise InvalidInput(
                f"{name!r} is what a command left; nothing is added to it.", hint="Begin a set of its own."
            )
        stored = self._stored(name) or self._empty()
        for edit in edits:
            path = self._files.check(edit.path)
            first = stored["edits"].get(path, {"before": _text(edit.before)})
            stored["edits"][path] = {"before": first["before"], "after": _text(edit.after), "mode": edit.mode}
        stored["accounts"][key] = dict(account)
        self._store(name, stored)

    def hold(self, edits: Sequence[Edit], protected: Mapping[str, str], *, key: str) -> str:
        """Keep what a command has changed, and why it may not be written yet; gives the set's id.

        Raises:
            Conflict, Misconfigured: as for `stage`.
        """
        name = HELD + set_name(key).removeprefix("set-")
        held = {
            edit.path: {
                "before": _text(edit.before),
                "after": _text(edit.after),
                "mode": edit.mode,
                "kinds": [edit.before_kind, edit.kind],
            }
            for edit in edits
        }
        self._store(name, self._empty() | {"edits": held, "protected": dict(protected)})
        return name

    def _empty(self) -> dict[str, Any]:
        if len(self.list()) >= MOST_SETS:
            raise Conflict(f"There are {MOST_SETS} patch sets.", hint="Apply or discard some.")
        return {"at": datetime.now(UTC).isoformat(), "edits": {}, "accounts": {}}

    def discard(self, name: str) -> None:
        """Forget a patch set; one that is not there is forgotten already."""
        self._place(name).unlink(missing_ok=True)

    def _stored(self, name: str) -> dict[str, Any] | None:
        place = self._place(name)
        if not place.is_file():
            return None
        try:
            return dict(json.loads(place.read_text(encoding="utf-8")))
        except ValueError as error:
            raise Misconfigured(f"The patch set {name} is damaged: {error}.", hint="Discard it.") from error

    def _store(self, name: str, stored: Mapping[str, Any]) -> None:
        """Whole or not at all."""
        make_private_folder(self._folder)
        place = self._place(name)
        beside = place.with_suffix(f".{os.getpid()}")
        with beside.open("w", encoding="utf-8") as file:
            json.dump(stored, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)

    def _place(self, name: str) -> Path:
        if not name.replace("-", "").isalnum() or not name.isascii():
            raise InvalidInput(f"{name!r} cannot be the id of a patch set.", hint="Use letters, digits and hyphens.")
        return self._folder / f"{name}.json"


def _edit(path: str, stored: Mapping[str, Any]) -> Edit:
    before_kind, kind = stored.get("kinds", ("file", "file"))
    before, after = _bytes(stored["before"]), _bytes(stored["after"])
    return Edit(path, before, after, stored["mode"], kind=kind, before_kind=before_kind)


def _text(data: bytes | None) -> str | None:
    return base64.b64encode(data).decode("ascii") if data is not None else None


def _bytes(text: str | None) -> bytes | None:
    return base64.b64decode(text) if text is not None else None
