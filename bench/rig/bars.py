"""What must hold, as a figure against its limit."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    """Something that must hold: `value` at most (or, with `at_least`, no less than) `limit`."""

    name: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def held(self) -> bool:
        """Whether it does."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        """One line of the report."""
        sign = "≥" if self.at_least else "≤"
        return f"{'ok  ' if self.held else 'MISS'}  {self.value:8.2f} {sign} {self.limit:<6g} {self.name}"


def exit_code(judged: Sequence[Bar]) -> int:
    """1 if any bar is missed, which are named on stderr; else 0."""
    missed = [bar for bar in judged if not bar.held]
    for bar in missed:
        print(f"missed: {bar.name}", file=sys.stderr)
    return 1 if missed else 0
