"""What the user has allowed for good, by agent and folder: a file in the home, since folders belong to one machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.kernel.errors import Misconfigured, NotFound
from loopwright.kernel.files import exclusive_lock, write_whole
from loopwright.kernel.gates import Gate
from loopwright.kernel.state import RunState

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

FILE = "permissions.json"


class LastingPermissions:
    """The book of permissions: agent → folder → what is allowed there. The calls block on the disk."""

    def __init__(self, home: Path) -> None:
        """Keep the place; the file is made with the first permission."""
        self._file = home / FILE

    def of(self, agent: str, folder: Path) -> list[str]:
        """What is allowed in this folder.

        Raises:
            Misconfigured: the file is broken.
        """
        return self._read().get(agent, {}).get(str(folder.resolve()), [])

    def all_of(self, agent: str) -> dict[str, list[str]]:
        """What is allowed, by folder; raises as `of`."""
        return self._read().get(agent, {})

    def allow(self, agent: str, folder: Path, permission: str) -> None:
        """Allow it from now on; raises as `of`."""
        with self._changed() as book:
            allowed = book.setdefault(agent, {}).setdefault(str(folder.resolve()), [])
            if permission not in allowed:
                allowed.append(permission)

    def revoke(self, agent: str, folder: Path, permission: str | None = None) -> list[str]:
        """Take back one permission or all of a folder; gives what was taken back.

        Raises:
            NotFound: it was not given.
            Misconfigured: the file is broken.
        """
        name = str(folder.resolve())
        with self._changed() as book:
            allowed = book.get(agent, {}).get(name, [])
            taken = [each for each in allowed if permission in (None, each)]
            if not taken:
                raise NotFound(
                    f"Nothing of that kind is allowed for good in {name}.",
                    hint=f"`loopwright {agent} permissions list` shows what is.",
                )
            kept = [each for each in allowed if each not in taken]
            book[agent].pop(name)
            if kept:
                book[agent][name] = kept
        return taken

    @contextmanager
    def _changed(self) -> Iterator[dict[str, dict[str, list[str]]]]:
        """The book, to be changed; written whole at the end, one process after the other."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with exclusive_lock(self._file.with_suffix(".lock")):
            book = self._read()
            yield book
            write_whole(self._file, (json.dumps(book, indent=2, ensure_ascii=False) + "\n").encode())

    def _read(self) -> dict[str, dict[str, list[str]]]:
        if not self._file.exists():
            return {}
        try:
            book: Any = json.loads(self._file.read_text(encoding="utf-8"))
            return {
                str(agent): {str(folder): [str(each) for each in allowed] for folder, allowed in folders.items()}
                for agent, folders in book.items()
            }
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise Misconfigured(
                f"{self._file} cannot be read: {error}.", hint="Correct it, or delete it to be asked again."
            ) from error


async def remember(application: Loopwright, state: RunState, gate: Gate, answer: Mapping[str, Any]) -> None:
    """Keep what was just allowed for good: the rules that the gate has shown.

    Raises:
        Misconfigured: the file is broken.
    """
    lasting = gate.kind == "permission" and answer.get("decision") == "approve" and answer.get("scope") == "always"
    rules = gate.details.get("allows") or ()
    if not lasting or not rules:
        return
    folder = Path((await application.stores.sessions.get(state.session_id)).output_dir)
    book = LastingPermissions(application.settings.home)
    for rule in rules:
        await asyncio.to_thread(book.allow, state.agent, folder, rule)
