"""What goes into checkpoints and comes out of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from loopwright.agents.ide.editing.ledger import SetKind
from loopwright.agents.ide.editing.states import Kind


@dataclass(frozen=True)
class Edit:
    """A file's content before and after; None is no file. `mode` is given where the permission bits change.

    Of a link the content is its target. Commands make links and empty folders too; `kind` and `before_kind` tell.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    kind: Kind = "file"
    before_kind: Kind = "file"


def digest_of_edits(edits: Sequence[Edit]) -> str:
    """The digest (SHA-256, hex) of what edits begin with and end with: what is approved is what is written."""
    digest = hashlib.sha256()
    for edit in edits:
        for part in (edit.path.encode(), edit.before, edit.after):
            digest.update(b"-" if part is None else b"%d:" % len(part) + part)
        digest.update(f"{edit.mode}{edit.kind}{edit.before_kind}".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """What can be undone: its id (a run's own, or of an undoing), when it began, the paths it changed."""

    id: str
    kind: SetKind
    at: datetime
    paths: tuple[str, ...]
    undone: bool


@dataclass(frozen=True)
class Reverted:
    """What an undoing did. `checkpoint` undoes it in turn; `lost` are large files that could not be brought back."""

    checkpoint: str | None
    paths: tuple[str, ...]
    lost: tuple[str, ...]
