"""Calendar files as a user gets them, written by hand: no exporter of the product takes part."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from loopwright.agents.planner.account.calendar_file import PlanCalendar, read_calendar

Times = tuple[str, str, str]
"""A title, when it begins, and when it ends: `("Read", "2027-01-04 09:00", "2027-01-04 11:00")`."""


def ics(*entries: Times | tuple[str, str]) -> str:
    """The text of a calendar file in UTC; an entry without times takes a whole day."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//by hand//EN"]
    for number, entry in enumerate(entries):
        lines += ["BEGIN:VEVENT", f"UID:{number}@test", "DTSTAMP:20270101T000000Z", f"SUMMARY:{entry[0]}"]
        if len(entry) == 3:
            start, end = (datetime.fromisoformat(text).strftime("%Y%m%dT%H%M%SZ") for text in entry[1:])
            lines += [f"DTSTART:{start}", f"DTEND:{end}"]
        else:
            lines += [f"DTSTART;VALUE=DATE:{date.fromisoformat(entry[1]):%Y%m%d}"]
        lines.append("END:VEVENT")
    return "\r\n".join([*lines, "END:VCALENDAR", ""])


def calendar(folder: Path, *entries: Times | tuple[str, str]) -> PlanCalendar:
    """A calendar file, read back."""
    path = folder / "plan.ics"
    path.write_text(ics(*entries))
    return read_calendar(path)


def daily(title: str, first: str, days: int, hours: float = 2.0, at: str = "09:00", step: int = 1) -> list[Times]:
    """The same work on so many days."""
    begin = datetime.fromisoformat(f"{first} {at}")
    moments = [begin + timedelta(days=step * number) for number in range(days)]
    return [(title, one.isoformat(" "), (one + timedelta(hours=hours)).isoformat(" ")) for one in moments]


@dataclass
class FakeRun:
    """As much of a run as a check looks at."""

    output_dir: Path
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> "FakeRun":
        """The options lie in the state."""
        return self


def without_weekday(entries: Iterable[Times], weekday: int) -> list[Times]:
    """The entries that begin on other days of the week."""
    return [each for each in entries if datetime.fromisoformat(each[1]).weekday() != weekday]
