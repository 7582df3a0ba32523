"""The bare loop's tool that proposes a plan: weekly sessions and single events, written as a calendar."""

from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MOST_EVENTS = 400


class Plan:
    """A calendar."""

    prompt = (
        "You plan how a person reaches a goal. Answer with one step as JSON: propose with a list of sessions, in "
        "order. A session has a title that says what is done, a weekday, a start time, its hours, and the first "
        "and last day on which it is repeated every week; for a single event both are the same day. Keep every "
        "day, time, number of hours and order that the person names."
    )
    most_tokens = 1_400

    def __init__(self, case: dict[str, Any], place: Path, data: Path | None) -> None:
        self.file, self.start = place / "plan.ics", str(case["start"])
        session = {
            "title": {"type": "string", "maxLength": 100},
            "weekday": {"enum": list(DAYS)},
            "start": {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"},
            "hours": {"type": "number"},
            "first_day": {"type": "string", "pattern": "^202[0-9]-(0[1-9]|1[0-2])-([0-2][0-9]|3[01])$"},
            "last_day": {"type": "string", "pattern": "^202[0-9]-(0[1-9]|1[0-2])-([0-2][0-9]|3[01])$"},
        }
        item = {"type": "object", "properties": session, "required": list(session), "additionalProperties": False}
        self.tools = {
            "propose": {
                "type": "object",
                "properties": {"sessions": {"type": "array", "items": item, "maxItems": 16}},
                "required": ["sessions"],
                "additionalProperties": False,
            }
        }

    def first(self, message: str) -> str:
        """The goal and the day of the start."""
        day = date.fromisoformat(self.start)
        return f"The plan starts on {DAYS[day.weekday()]}, {self.start}.\n\nGoal: {message}"

    def use(self, tool: str, arguments: dict[str, Any]) -> str:
        """Write the calendar."""
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//bare//EN"]
        for number, (title, start, hours) in enumerate(_events(arguments["sessions"])):
            end = start + timedelta(hours=min(max(hours, 0.25), 24))
            lines += ["BEGIN:VEVENT", f"UID:{number}@bare", "DTSTAMP:20270101T000000Z"]
            lines += [f"DTSTART:{start:%Y%m%dT%H%M%S}", f"DTEND:{end:%Y%m%dT%H%M%S}"]
            lines += [f"SUMMARY:{' '.join(title.replace(',', ' ').replace(';', ' ').split())}", "END:VEVENT"]
        self.file.write_text("\r\n".join([*lines, "END:VCALENDAR", ""]), encoding="utf-8", newline="")
        return "Written."

    def outcome(self) -> dict[str, Any]:
        """The calendar."""
        return {"extra": {"ics": str(self.file) if self.file.exists() else None}}


def _events(sessions: list[dict[str, Any]]) -> list[tuple[str, datetime, float]]:
    found: list[tuple[str, datetime, float]] = []
    for session in sessions:
        try:
            day, last = date.fromisoformat(session["first_day"]), date.fromisoformat(session["last_day"])
        except ValueError:
            continue  # 31 February: no such day, so no such event
        single = day == last
        while not single and day.weekday() != DAYS.index(session["weekday"]):
            day += timedelta(days=1)
        while day <= last and len(found) < MOST_EVENTS:
            found.append(
                (session["title"], datetime.combine(day, time.fromisoformat(session["start"])), session["hours"])
            )
            day += timedelta(days=7)
    return found
