"""Where in an iCalendar file things stand, so that a complaint can name the line."""

import re
from dataclasses import dataclass, field

from loopwright.kernel.errors import InvalidInput

CONTENT_LINE = re.compile(r"([A-Za-z0-9-]+)(?=[;:])")
DEEPEST = 8
HINT = "Export the calendar again as .ics (RFC 5545), or leave this file out."


@dataclass
class EventLines:
    """The line, from 1, of an event's `BEGIN` and of the first of each of its properties."""

    begin: int
    properties: dict[str, int] = field(default_factory=dict)

    def of(self, name: str | None) -> int:
        """The line of a property, or of the event where it has none of this name."""
        return self.properties.get((name or "").upper(), self.begin)


def malformed(line: int, why: str) -> InvalidInput:
    """The refusal of a file for what stands in a line."""
    return InvalidInput(f"The calendar file is not valid in line {line}: {why}.", hint=HINT)


def scan_events(text: str) -> list[EventLines]:
    """Walk over the lines of a file; the events are in the order in which they stand.

    Raises:
        InvalidInput: a line is no content line, or components are not closed as they were opened.
    """
    events: list[EventLines] = []
    open_parts: list[tuple[str, int]] = []
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), start=1):
        if not line.strip() or line[0] in " \t":
            continue
        match = CONTENT_LINE.match(line)
        if match is None:
            raise malformed(number, f"{line[:40]!r} is not NAME:VALUE")
        name, value = match[1].upper(), line.partition(":")[2].strip().upper()
        if name == "BEGIN":
            _open(open_parts, value, number, events)
        elif not open_parts:
            raise malformed(number, "the file does not begin with BEGIN:VCALENDAR")
        elif name == "END":
            if open_parts[-1][0] != value:
                begun, where = open_parts[-1]
                raise malformed(number, f"END:{value[:40]} closes BEGIN:{begun[:40]} of line {where}")
            open_parts.pop()
        elif open_parts[-1][0] == "VEVENT":
            events[-1].properties.setdefault(name, number)
    if open_parts:
        name, number = open_parts[-1]
        raise malformed(number, f"BEGIN:{name[:40]} is never closed, perhaps the file is cut off")
    return events


def _open(open_parts: list[tuple[str, int]], name: str, number: int, events: list[EventLines]) -> None:
    if not open_parts and name != "VCALENDAR":
        raise malformed(number, "the file does not begin with BEGIN:VCALENDAR")
    if len(open_parts) >= DEEPEST:
        raise malformed(number, f"components lie more than {DEEPEST} deep in each other")
    if name == "VEVENT":
        if len(open_parts) != 1:
            raise malformed(number, "an event lies within another component")
        events.append(EventLines(number))
    open_parts.append((name, number))
