"""Names in the order of time that never collide."""

import re
from datetime import UTC, datetime, timedelta

STAMP = re.compile(r"\d{8}T\d{6}\.\d{6}Z")
FORMAT = "%Y%m%dT%H%M%S.%fZ"
LAST_YEAR = 9_000
"""Beyond it there would be no later moment to count on to."""
TICK = timedelta(microseconds=1)


def next_stamp(after: str | None = None) -> str:
    """The time in UTC with microseconds, like `20260131T235959.000001Z`.

    It is always later than `after`: a clock that stands still or was put back counts on by single microseconds,
    so that the order of names is the order of events.
    """
    now = datetime.now(UTC)
    if after is not None:
        now = max(now, datetime.strptime(after, FORMAT).replace(tzinfo=UTC) + TICK)
    return now.strftime(FORMAT)


def is_stamp(text: str) -> bool:
    """Whether the text is a stamp: names of files may look like one and name no day."""
    try:
        return STAMP.fullmatch(text) is not None and time_of(text).year < LAST_YEAR
    except ValueError:
        return False


def time_of(stamp: str) -> datetime:
    """The moment that a stamp names."""
    return datetime.strptime(stamp, FORMAT).replace(tzinfo=UTC)
