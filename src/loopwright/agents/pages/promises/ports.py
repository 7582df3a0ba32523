"""What the record needs of the stores."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from loopwright.agents.pages.promises.checks import CheckState, Turn


class NewPromise(Protocol):
    """A promise that is to be recorded."""

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
        """The checks as JSON text."""
        ...

    @property
    def check_count(self) -> int:
        """How many checks they are."""
        ...


class EntryRow(Protocol):
    """A turn that a check took, as it is stored."""

    @property
    def place(self) -> int:
        """Which of its promise's checks, from 0."""
        ...

    @property
    def state(self) -> CheckState:
        """How the check has stood since."""
        ...

    @property
    def reason(self) -> str | None:
        """Why."""
        ...

    @property
    def superseded_by(self) -> int | None:
        """The promise that took its place."""
        ...

    @property
    def run_id(self) -> str | None:
        """The run that it came with."""
        ...

    @property
    def call_id(self) -> str | None:
        """The call that it came with."""
        ...

    @property
    def slug(self) -> str | None:
        """The page whose version it came with."""
        ...

    @property
    def version(self) -> int | None:
        """That version."""
        ...


class PromiseRow(Protocol):
    """A promise of the record."""

    @property
    def session_id(self) -> str:
        """Whose record it is in."""
        ...

    @property
    def number(self) -> int:
        """Counts from 1 within the session."""
        ...

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
        """The checks as JSON text."""
        ...

    @property
    def run_id(self) -> str:
        """The run in which it was made."""
        ...

    @property
    def call_id(self) -> str:
        """The tool call that made it."""
        ...

    @property
    def created_at(self) -> datetime:
        """When."""
        ...

    @property
    def entries(self) -> Sequence[EntryRow]:
        """Every turn of its checks, in their order."""
        ...


class Promises(Protocol):
    """The record's store."""

    async def record(
        self,
        session_id: str,
        slug: str,
        drafts: Sequence[NewPromise],
        *,
        run_id: str,
        call_id: str,
        superseded: Sequence[Turn] = (),
    ) -> Sequence[PromiseRow]:
        """Store what a call promises, once per call, and which older checks the first draft takes the place of.

        Both count once the call has stored a version of the page.
        """
        ...

    async def of_call(self, session_id: str, run_id: str, call_id: str) -> Sequence[PromiseRow]:
        """What a call has promised, whether it counts already or not."""
        ...

    async def of_session(self, session_id: str, *, withdrawn: bool = False) -> Sequence[PromiseRow]:
        """The promises that count, by number; with `withdrawn` also those of which no check counts any more."""
        ...

    async def get(self, session_id: str, number: int) -> PromiseRow:
        """One promise that counts, or did.

        Raises:
            NotFound: there is none of this number.
        """
        ...

    async def withdraw(
        self, session_id: str, number: int, reason: str, *, place: int | None = None, once: bool = False
    ) -> PromiseRow:
        """Take a promise back, or one check of it; with `once`, what does not count any more is left as it is.

        Raises:
            NotFound: there is none of this number, or no such check.
            Conflict: nothing of it counts any more.
        """
        ...

    async def enter(self, session_id: str, turns: Sequence[Turn]) -> None:
        """Note turns of checks, all or nothing; a check that stands so already is left as it is.

        Raises:
            NotFound: there is no such promise or check.
        """
        ...
