"""Taken times that a calendar publishes without telling what they are (VFREEBUSY), and declined invitations."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from loopwright.agents.planner.schedule.ics_lines import HINT
from loopwright.agents.planner.schedule.problem import Span
from loopwright.agents.planner.schedule.problem_checks import load_zone
from loopwright.kernel.errors import InvalidInput

FREE = "FREE"
"""The one FBTYPE that is free: what nobody knows counts as busy (RFC 5545, 3.2.9)."""
OWNER_NAMES = ("X-OWNER", "X-WR-CALNAME")
"""Where programs write whose calendar it is."""


def published_times(calendar: Any, zone: ZoneInfo, most: int) -> Iterator[Span]:
    """The busy periods of a calendar's VFREEBUSY parts, in UTC; at most so many.

    Raises:
        InvalidInput: there are more, or a period ends before it starts or lies in an unknown zone.
    """
    count = 0
    for part in calendar.walk("VFREEBUSY"):
        periods = part.get("FREEBUSY", [])
        for period in periods if isinstance(periods, list) else [periods]:
            count += 1
            if count > most:
                raise InvalidInput(
                    f"The calendar has more than {most:,} periods.", hint="Export only the time planned."
                )
            if str(period.params.get("FBTYPE", "BUSY")).upper() == FREE:
                continue
            named = period.params.get("TZID")
            local = load_zone(str(named)) if named else zone
            start, end = _instant(period.start, local), _instant(period.end, local)
            if end < start:
                raise InvalidInput(f"A busy period ends before it starts: {start.isoformat()}.", hint=HINT)
            yield Span(start, end)


def _instant(moment: datetime, zone: ZoneInfo) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def owner_of(calendar: Any) -> str | None:
    """The address of the calendar's owner, where the file tells it."""
    for name in OWNER_NAMES:
        text = _address(calendar.get(name, ""))
        if "@" in text:
            return text
    return None


def was_declined(event: Any, owner: str | None) -> bool:
    """Whether the owner has declined the invitation; whose `no` it is in a calendar without an owner, nobody knows."""
    attendees = event.get("ATTENDEE", [])
    return owner is not None and any(
        _address(attendee) == owner and str(attendee.params.get("PARTSTAT", "")).upper() == "DECLINED"
        for attendee in (attendees if isinstance(attendees, list) else [attendees])
    )


def _address(value: Any) -> str:
    return str(value).strip().lower().removeprefix("mailto:")
