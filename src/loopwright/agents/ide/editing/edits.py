"""What goes into checkpoints and comes out of them."""

from dataclasses import dataclass
from datetime import datetime

from loopwright.agents.ide.editing.ledger import SetKind


@dataclass(frozen=True)
class Edit:
    """A file's content before and after; None is no file. `mode` is given where the permission bits change."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None


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
