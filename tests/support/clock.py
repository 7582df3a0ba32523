"""The moment that is the present in tests, of plans as of pages: pinned, so that no test depends on its day."""

import os
from datetime import date, datetime, timedelta
from pathlib import Path

from tests.support.commands import Installation

NOW = datetime.fromisoformat(os.environ.get("LOOPWRIGHT_TEST_NOW", "2026-11-18T14:07+01:00"))
"""LOOPWRIGHT_TEST_NOW takes the tests to another moment, such as 2028-02-29T23:50+01:00."""
ZONE = "Europe/Berlin"
"""The time zone of the phones on which pages are opened."""
WEEK = tuple(NOW + timedelta(days=ahead) for ahead in range(7))
"""The same time on seven days in a row, so on each weekday once."""


def pinned(folder: Path) -> Installation:
    """An installation in which that moment is the present."""
    return Installation(folder, {"LOOPWRIGHT_NOW": NOW.isoformat()})


def day(ahead: int) -> date:
    """A day so many days from the moment."""
    return NOW.date() + timedelta(days=ahead)


def next_monday() -> date:
    """A working day that is still to come."""
    return day(7 - NOW.weekday())
