"""The turns of a check in the ledger: what it is worth now is what the newest one says."""

from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.ledger.checks import Check

CheckState = Literal["active", "withdrawn", "superseded", "undone"]
"""`withdrawn` by the user's word, `superseded` by a later request of theirs, `undone` with the change that made it."""


@dataclass(frozen=True)
class Turn:
    """A turn that a check of a promise is to take; `place` counts the promise's checks from 0.

    `slug` and `version` name the page version that it comes with, so that it goes when that version is undone.
    """

    number: int
    place: int
    state: CheckState
    reason: str | None = None
    superseded_by: int | None = None
    slug: str | None = None
    version: int | None = None


@dataclass(frozen=True)
class GivenUp:
    """A check that does not count any more, and why; `superseded_by` names the promise that took its place."""

    place: int
    check: Check
    state: CheckState
    reason: str | None = None
    superseded_by: int | None = None
