"""A promise as it is stored, with every turn that its checks took."""

from datetime import datetime
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

CheckState = Literal["active", "withdrawn", "superseded", "undone"]
"""`withdrawn` by the user's word, `superseded` by a later request, `undone` with the change that made it."""


class PromiseDraft(Protocol):
    """What an agent hands in; any object with these attributes will do."""

    @property
    def request(self) -> str:
        """The user's own words."""
        ...

    @property
    def author(self) -> Literal["controller", "model"]:
        """Who wrote the checks."""
        ...

    @property
    def checks_json(self) -> str:
        """The checks as JSON text; the store does not read it."""
        ...

    @property
    def check_count(self) -> int:
        """How many checks they are."""
        ...


class Turn(Protocol):
    """A turn that a check is to take: `place` counts its promise's checks from 0."""

    @property
    def number(self) -> int:
        """The promise."""
        ...

    @property
    def place(self) -> int:
        """Which of its checks."""
        ...

    @property
    def state(self) -> CheckState:
        """How the check stands from now on."""
        ...

    @property
    def reason(self) -> str | None:
        """Why, in words."""
        ...

    @property
    def superseded_by(self) -> int | None:
        """The promise that took its place."""
        ...

    @property
    def slug(self) -> str | None:
        """The page whose version it comes with."""
        ...

    @property
    def version(self) -> int | None:
        """That version."""
        ...


class PromiseEntry(BaseModel):
    """A turn that a check took."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    place: int
    state: CheckState
    reason: str | None
    superseded_by: int | None
    run_id: str | None
    call_id: str | None
    slug: str | None
    version: int | None
    at: datetime


class PromiseRecord(BaseModel):
    """A promise as it is stored; `checks_json` is the agent's own, `entries` are in their order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    number: int
    slug: str
    request: str
    author: Literal["controller", "model"]
    checks_json: str
    run_id: str
    call_id: str
    created_at: datetime
    entries: tuple[PromiseEntry, ...]

    def state_of(self, place: int) -> CheckState | None:
        """How a check stands; None when there is no such check."""
        return next((each.state for each in reversed(self.entries) if each.place == place), None)

    @property
    def active_places(self) -> tuple[int, ...]:
        """The checks that count."""
        places = dict.fromkeys(each.place for each in self.entries)
        return tuple(place for place in places if self.state_of(place) == "active")
