"""What the store of the product docs takes and gives back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

Author = Literal["llm", "user"]
"""Who writes sections."""
PatchOp = Literal["set", "append", "remove", "merge"]
HistoryOp = Literal["set", "append", "remove", "merge", "facts"]
HistoryAuthor = Literal["llm", "user", "controller"]
"""Facts are the controller's, and nothing else is."""


class SectionPatch(Protocol):
    """What an agent hands in; any object with these attributes will do. A `title` of None keeps the old one."""

    @property
    def name(self) -> str:
        """The section's name."""
        ...

    @property
    def op(self) -> PatchOp:
        """What to do with the section."""
        ...

    @property
    def content(self) -> str:
        """Markdown to set or to append; empty for `remove`; for `merge` what the section is to say, or empty."""
        ...

    @property
    def sources(self) -> Sequence[str]:
        """For `merge`: the sections that go into this one; empty for everything else."""
        ...

    @property
    def title(self) -> str | None:
        """The section's title, as a human reads it."""
        ...


class SectionRecord(BaseModel):
    """A section as it is now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    content: str
    updated_at: datetime
    updated_by: Author


class FactsRecord(BaseModel):
    """What the controller has found out about something that the doc describes, and when that last changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: str
    updated_at: datetime


class ProductDocRecord(BaseModel):
    """A session's product doc; the sections stand in the order in which they were first written.

    `facts` go by the names of sections too, but are no part of them: what people and models write is theirs alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    sections: dict[str, SectionRecord]
    facts: dict[str, FactsRecord]
    project_card: str
    updated_at: datetime


class PatchRecord(BaseModel):
    """One change of one section, or (op `facts`) of what is known to be true of its subject.

    `before` and `after` are the content, None where there is none; `merged_into` names the section that took it over.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    number: int
    section: str
    op: HistoryOp
    title: str | None
    before: str | None
    after: str | None
    author: HistoryAuthor
    merged_into: str | None
    run_id: str | None
    at: datetime
