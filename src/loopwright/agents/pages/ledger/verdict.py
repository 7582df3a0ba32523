"""What looking at a check came to."""

from dataclasses import dataclass
from typing import Any, Literal

from loopwright.agents.pages.ledger.checks import Check
from loopwright.agents.pages.ledger.promise import Promise

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
