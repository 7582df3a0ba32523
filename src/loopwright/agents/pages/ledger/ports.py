"""What the ledger needs of the stores."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol


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


class PromiseRow(NewPromise, Protocol):
    """A promise of the ledger."""

    @property
    def session_id(self) -> str:
        """Whose ledger it is in."""
        ...

    @property
    def number(self) -> int:
        """Counts from 1 within the session."""
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
    def status(self) -> Literal["active", "withdrawn"]:
        """Whether it still counts."""
        ...

    @property
    def reason(self) -> str | None:
        """Why it was withdrawn."""
        ...

    @property
    def withdrawn_at(self) -> datetime | None:
        """When it was withdrawn."""
        ...


class Promises(Protocol):
    """The ledger's store."""

    async def record(
        self, session_id: str, slug: str, drafts: Sequence[NewPromise], *, run_id: str, call_id: str
    ) -> Sequence[PromiseRow]:
        """Store what a call promises, once per call; it counts once the call has stored a version of the page."""
        ...

    async def of_call(self, session_id: str, run_id: str, call_id: str) -> Sequence[PromiseRow]:
        """What a call has promised, whether it counts already or not."""
        ...

    async def of_session(self, session_id: str, *, withdrawn: bool = False) -> Sequence[PromiseRow]:
        """The promises that count, by number; with `withdrawn` also those that the user has taken back."""
        ...

    async def get(self, session_id: str, number: int) -> PromiseRow:
        """One promise that counts.

        Raises:
            NotFound: there is none of this number.
        """
        ...

    async def withdraw(self, session_id: str, number: int, reason: str, *, once: bool = False) -> PromiseRow:
        """Take a promise back; with `once`, one that is withdrawn already is left as it is.

        Raises:
            NotFound: there is none of this number.
            Conflict: it is withdrawn already.
        """
        ...
