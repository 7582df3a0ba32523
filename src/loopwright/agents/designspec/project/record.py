"""One change of the document, as it is kept in `patches/`."""

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.designspec.project.stamps import STAMP

CREATED, HAND, UNDO, REDO = "create", "hand", "undo", "redo"
"""Authors that the folder itself signs with."""
RECORD_NAME = re.compile(rf"({STAMP.pattern})_[a-z0-9-]+\.json")


class ChangeRecord(BaseModel):
    """A change. The records make a chain: each one's `old_hash` is the `new_hash` of the one before."""

    model_config = ConfigDict(extra="ignore")

    stamp: str
    timestamp: str
    author: str
    patches: list[dict[str, Any]] = Field(default_factory=list)
    inverse: list[dict[str, Any]] = Field(default_factory=list)
    old_hash: str
    new_hash: str
    proposal_id: str | None = None
    note: str = ""
    undoes: str | None = None
    """The stamp of the change that this one takes back."""
    redoes: str | None = None
    """The stamp of the change that this one makes again."""

    @property
    def path(self) -> str:
        """Where it is kept, relative to the project folder."""
        author = re.sub(r"[^a-z0-9]+", "-", self.author.lower()).strip("-")[:40] or "unknown"
        return f"patches/{self.stamp}_{author}.json"

    @property
    def version_path(self) -> str:
        """Where the document after the change is kept, relative to the project folder."""
        return f"spec_history/{self.stamp}_{self.new_hash}.json"
