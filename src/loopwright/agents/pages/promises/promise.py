"""A promise: what the user asked for and got, as checks that every later change has to pass."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from loopwright.agents.pages.promises.checks import Check, CheckState, GivenUp
from loopwright.agents.pages.promises.ports import PromiseRow

PromiseAuthor = Literal["controller", "model"]
"""Who wrote the checks: the controller derived them from the change, or the model proposed them."""

MAX_CHECKS = 12
MAX_REQUEST = 500
"""Characters of a request; the user's own words, cut where they are longer."""

_CHECKS: TypeAdapter[tuple[Check, ...]] = TypeAdapter(tuple[Check, ...])
_ID = re.compile(r"[Pp]?([1-9][0-9]{0,8})")


class PromiseDraft(BaseModel):
    """A promise that is about to be kept in the record; it has no number yet."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    request: str = Field(min_length=1, max_length=MAX_REQUEST)
    author: PromiseAuthor
    checks: tuple[Check, ...] = Field(min_length=1, max_length=MAX_CHECKS)

    @property
    def checks_json(self) -> str:
        """The checks as they are stored."""
        return _CHECKS.dump_json(self.checks, exclude_defaults=False, exclude_none=True).decode()

    @property
    def check_count(self) -> int:
        """How many checks it has."""
        return len(self.checks)


class Promise(PromiseDraft):
    """A promise of the record; `checks` are those that count, `given_up` those that do not count any more.

    `run_id` and `call_id` name the tool call that made it; `places` are those of the checks among all that it was made
    of, counted from 0.
    """

    checks: tuple[Check, ...] = Field(max_length=MAX_CHECKS)
    places: tuple[int, ...] = ()
    given_up: tuple[GivenUp, ...] = ()
    session_id: str
    number: int = Field(ge=1)
    run_id: str
    call_id: str
    created_at: datetime

    @classmethod
    def of(cls, row: PromiseRow) -> "Promise":
        """The promise of a stored row."""
        checks = _CHECKS.validate_json(row.checks_json)
        newest = {entry.place: entry for entry in row.entries}
        given_up = tuple(
            GivenUp(place, check, entry.state, entry.reason, entry.superseded_by)
            for place, check in enumerate(checks)
            if (entry := newest[place]).state != "active"
        )
        gone = {each.place for each in given_up}
        places = tuple(place for place in range(len(checks)) if place not in gone)
        return cls(
            session_id=row.session_id,
            number=row.number,
            request=row.request,
            author=row.author,
            checks=tuple(checks[place] for place in places),
            places=places,
            given_up=given_up,
            run_id=row.run_id,
            call_id=row.call_id,
            created_at=row.created_at,
        )

    @property
    def status(self) -> CheckState:
        """How it stands: active while one of its checks counts, else what became of the last of them."""
        return "active" if self.checks else self.given_up[-1].state

    @property
    def reason(self) -> str | None:
        """Why it does not count any more."""
        return None if self.checks else self.given_up[-1].reason

    def without(self, places: Collection[int]) -> "Promise":
        """The promise as if these checks did not count any more."""
        kept = [(place, check) for place, check in zip(self.places, self.checks, strict=True) if place not in places]
        return self.model_copy(update={"places": tuple(p for p, _ in kept), "checks": tuple(c for _, c in kept)})

    def place_of(self, check: Check) -> int:
        """The place of one of the checks that count."""
        return self.places[self.checks.index(check)]

    @property
    def id(self) -> str:
        """Its name in messages and commands, such as P7; counted within the session."""
        return promise_id(self.number)

    @property
    def slugs(self) -> tuple[str, ...]:
        """The pages that its checks look at, or looked at when none of them counts any more."""
        checks = self.checks or tuple(each.check for each in self.given_up)
        return tuple(dict.fromkeys(check.slug for check in checks))


def promise_id(number: int) -> str:
    """The name of the promise of this number."""
    return f"P{number}"


def promise_numbers(text: str) -> tuple[int, ...]:
    """The numbers in a list such as `P7` or `P7, P9 and P12`; empty when something in it names no promise."""
    parts = [part for part in re.split(r"[\s,;]+(?:and\s+)?", text.strip()) if part]
    numbers = [promise_number(part) for part in parts]
    return () if None in numbers else tuple(dict.fromkeys(number for number in numbers if number is not None))


def promise_number(text: str) -> int | None:
    """The number in `P7`, `p7` or `7`; None for what names no promise."""
    match = _ID.fullmatch(text.strip())
    return int(match[1]) if match else None


# What looking at a check came to.

State = Literal["kept", "broken", "unclear"]
"""`unclear`: the page leaves it open, as under a condition that only a layout could answer."""

Method = Literal["static", "browser"]
"""`static`: read from the source; `browser`: seen in a browser."""


@dataclass(frozen=True)
class Verdict:
    """One check of one promise: what was expected, what was found, and how it was looked at."""

    check: Check
    state: State
    expected: str
    found: str
    method: Method = "static"

    def to_wire(self) -> dict[str, Any]:
        """The verdict as JSON data."""
        return {
            "check": self.check.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
            | {"kind": self.check.kind},
            "state": self.state,
            "expected": self.expected,
            "found": self.found,
            "method": self.method,
        }


@dataclass(frozen=True)
class PromiseVerdict:
    """All checks of one promise."""

    promise: Promise
    verdicts: tuple[Verdict, ...]

    @property
    def state(self) -> State:
        """Broken when one check is, else unclear when one is."""
        states = {verdict.state for verdict in self.verdicts}
        return "broken" if "broken" in states else "unclear" if "unclear" in states else "kept"

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """The checks that do not hold."""
        return tuple(verdict for verdict in self.verdicts if verdict.state == "broken")

    @property
    def static_behaviours(self) -> int:
        """Behaviours that no browser has acted out: only their footprint in the source was looked at."""
        return sum(1 for each in self.verdicts if each.check.kind == "behaviour" and each.method == "static")

    def to_wire(self) -> dict[str, Any]:
        """The verdict as JSON data."""
        promise = self.promise
        return {
            "promise_id": promise.id,
            "request": promise.request,
            "pages": list(promise.slugs),
            "state": self.state,
            "static_behaviours": self.static_behaviours,
            "checks": [verdict.to_wire() for verdict in self.verdicts],
        }
