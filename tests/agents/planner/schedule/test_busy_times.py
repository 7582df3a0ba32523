"""Taken times from calendar files."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from loopwright.agents.planner.schedule.busy_times import MOST_BYTES, busy_times
from loopwright.kernel.errors import InvalidInput, NotFound

NEW_YORK = ZoneInfo("America/New_York")
START = datetime(2027, 3, 8, tzinfo=NEW_YORK)
"""A Monday; New York changes to summer time on Sunday the 14th, Berlin two weeks later."""
END = START + timedelta(days=14)
OWN_ZONE = """BEGIN:VTIMEZONE
TZID:My Office
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0330
TZOFFSETTO:+0330
END:STANDARD
END:VTIMEZONE
"""


def written(folder: Path, *events: str, before: str = "") -> Path:
    """A calendar file with the events' lines."""
    parts = [f"BEGIN:VEVENT\nUID:{index}\n{event}\nEND:VEVENT\n" for index, event in enumerate(events)]
    return raw(folder, f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:test\n{before}{''.join(parts)}END:VCALENDAR\n")


def raw(folder: Path, text: str) -> Path:
    path = folder / "busy.ics"
    path.write_bytes(text.replace("\n", "\r\n").encode())
    return path


def busy(path: Path) -> list[str]:
    """The taken times by New York's clock."""
    spans = busy_times(path, START, END, NEW_YORK).spans
    assert all(span.start.tzinfo is UTC for span in spans)
    return [f"{s.start.astimezone(NEW_YORK):%d %H:%M}-{s.end.astimezone(NEW_YORK):%d %H:%M}" for s in spans]


@pytest.mark.parametrize(
    ("event", "times"),
    [
        ("DTSTART:20270308T150000Z\nDTEND:20270308T160000Z", ["08 10:00-08 11:00"]),
        ("DTSTART:20270308T150000Z\nDURATION:PT90M", ["08 10:00-08 11:30"]),
        ("DTSTART;TZID=Europe/Berlin:20270315T150000\nDURATION:PT1H", ["15 10:00-15 11:00"]),
        ("DTSTART;TZID=W. Europe Standard Time:20270315T150000\nDURATION:PT1H", ["15 10:00-15 11:00"]),
        ("DTSTART;TZID=My Office:20270308T183000\nDURATION:PT1H", ["08 10:00-08 11:00"]),
        ("DTSTART:20270308T100000\nDURATION:PT1H", ["08 10:00-08 11:00"]),
        ("DTSTART;VALUE=DATE:20270314", ["14 00:00-15 00:00"]),
        ("DTSTART;VALUE=DATE:20270314\nDTEND;VALUE=DATE:20270316", ["14 00:00-16 00:00"]),
        ("DTSTART:20270308T150000Z", []),
        ("DTSTART:20270307T230000\nDTEND:20270308T013000", ["08 00:00-08 01:30"]),
        ("DTSTART;VALUE=DATE:20270320\nDTEND;VALUE=DATE:20270401", ["20 00:00-22 00:00"]),
        ("DTSTART:20260308T150000Z\nDTEND:20260308T160000Z", []),
        ("DTSTART:20270308T150000Z\nDTEND:20270308T160000Z\nTRANSP:TRANSPARENT", []),
        ("DTSTART:20270308T150000Z\nDTEND:20270308T160000Z\nTRANSP:OPAQUE", ["08 10:00-08 11:00"]),
        ("DTSTART:20270308T150000Z\nDTEND:20270308T160000Z\nSTATUS:CANCELLED", []),
        ("DTSTART:20270308T150000Z\nDTEND:20270308T160000Z\nSTATUS:TENTATIVE", ["08 10:00-08 11:00"]),
        ("DTSTART:20270308T150000Z\nDTEND:20270308T160000Z\nX-MICROSOFT-CDO-BUSYSTATUS:FREE", []),
    ],
)
def test_one_event(tmp_path, event, times):
    assert busy(written(tmp_path, event, before=OWN_ZONE)) == times


def test_recurring_events_keep_their_wall_clock_time(tmp_path):
    weekly = "DTSTART;TZID=America/New_York:20260105T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;BYDAY=MO"
    berlin = "DTSTART;TZID=Europe/Berlin:20270101T150000\nDURATION:PT30M\nRRULE:FREQ=WEEKLY;BYDAY=TU"
    assert busy(written(tmp_path, weekly, berlin)) == [
        "08 09:00-08 10:00",
        "09 09:00-09 09:30",
        "15 09:00-15 10:00",
        "16 10:00-16 10:30",
    ]


def test_exceptions_additions_and_overrides_of_a_series(tmp_path):
    series = (
        "DTSTART;TZID=America/New_York:20270308T090000\nDTEND;TZID=America/New_York:20270308T100000\n"
        "RRULE:FREQ=DAILY;COUNT=5\nEXDATE;TZID=America/New_York:20270309T090000\n"
        "RDATE;TZID=America/New_York:20270320T120000"
    )
    moved = "RECURRENCE-ID;NY:20270310T090000\nDTSTART;NY:20270310T140000\nDURATION:PT2H"
    away = "RECURRENCE-ID;NY:20270311T090000\nDTSTART;NY:20270311T090000\nSTATUS:CANCELLED"
    path = written(tmp_path, series, *(text.replace("NY", "TZID=America/New_York") for text in (moved, away)))
    path.write_text(path.read_text().replace("UID:1", "UID:0").replace("UID:2", "UID:0"))
    assert busy(path) == ["08 09:00-08 10:00", "10 14:00-10 16:00", "12 09:00-12 10:00", "20 12:00-20 13:00"]


def test_overlapping_and_touching_events_become_one_span(tmp_path):
    hours = ("150000", "160000"), ("153000", "170000"), ("170000", "180000")
    events = [f"DTSTART:20270308T{first}Z\nDTEND:20270308T{last}Z" for first, last in hours]
    assert busy(written(tmp_path, *events)) == ["08 10:00-08 13:00"]


def test_folded_lines_a_byte_order_mark_and_two_calendars_in_a_file(tmp_path):
    event = "BEGIN:VEVENT\nUID:a\nSUMMARY:A long\n  title\nDTSTART:20270308T1500\n 00Z\nDURATION:PT1H\nEND:VEVENT\n"
    calendar = f"BEGIN:VCALENDAR\n{event}END:VCALENDAR\n"
    path = raw(tmp_path, "\ufeff" + calendar + calendar.replace("T1500", "T1700"))
    assert busy(path) == ["08 10:00-08 11:00", "08 12:00-08 13:00"]


def test_alarms_todos_and_free_text_are_passed_over(tmp_path):
    event = "DTSTART:20270308T150000Z\nDURATION:PT1H\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT5M\nEND:VALARM"
    todo = "BEGIN:VTODO\nUID:t\nDUE:20270309T150000Z\nEND:VTODO\n"
    assert busy(written(tmp_path, event, before=todo)) == ["08 10:00-08 11:00"]
    assert busy(written(tmp_path)) == []


@pytest.mark.parametrize(
    ("event", "line", "why"),
    [
        ("DTSTART:2027010xT100000Z", 6, "datetime"),
        ("DTSTART:20270308T150000Z\nDTEND:garbage", 7, "garbage"),
        ("DTSTART:20270308T150000Z\nRRULE:FREQ=NOPE", 7, "NOPE"),
        ("DTSTART:20270308T150000Z\nDURATION:long", 7, "long"),
        ("DTSTART:20270308T150000Z\nDTSTART:20270309T150000Z", 6, "twice"),
        ("DTSTART:20270308T150000Z\nDTEND:20270308T140000Z", 7, "ends before it starts"),
        ("DTSTART:20270308T150000Z\nDURATION:-PT1H", 7, "ends before it starts"),
        ("DTSTART:20270308T150000Z\nDTEND;VALUE=DATE:20270309", 7, ""),
        ("this is no line\nDTSTART:20270308T150000Z", 6, "not NAME:VALUE"),
        ("DTSTART:20270308T150000Z\nRRULE:FREQ=SECONDLY", 7, "too often"),
        ("DTSTART:20270308T150000Z\nRRULE:FREQ=DAILY;BYHOUR=1,2,3,4,5,6;BYMINUTE=1,2,3,4,5", 7, "too often"),
        ("DTSTART:20270308T150000Z\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", 7, "no date"),
        ("DTSTART:00010308T150000Z\nRRULE:FREQ=DAILY", 6, "before 1900"),
        ("DTSTART:20270308T150000Z\nBEGIN:VEVENT\nEND:VEVENT", 7, "within another"),
    ],
)
def test_a_malformed_event_is_refused_with_its_line(tmp_path, event, line, why):
    with pytest.raises(InvalidInput, match=rf"line {line}: .*{why}") as refusal:
        busy(written(tmp_path, event))
    assert ".ics" in refusal.value.hint


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("hello", 1),
        ("BEGIN:VEVENT\nEND:VEVENT", 1),
        ("BEGIN:VCALENDAR", 1),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20270308T150000Z", 2),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR", 3),
        ("BEGIN:VCALENDAR\nEND:VCALENDAR\nEND:VCALENDAR", 3),
        ("BEGIN:VCALENDAR\n" + "BEGIN:X\n" * 1_000, 9),
    ],
)
def test_a_file_that_is_no_calendar_is_refused_with_the_line(tmp_path, text, line):
    with pytest.raises(InvalidInput, match=f"line {line}:"):
        busy(raw(tmp_path, text))


def test_files_that_are_missing_too_large_or_not_text(tmp_path):
    with pytest.raises(NotFound, match=r"busy\.ics"):
        busy(tmp_path / "busy.ics")
    with pytest.raises(NotFound):
        busy(tmp_path)
    path = tmp_path / "busy.ics"
    path.write_bytes(b"BEGIN:VCALENDAR\r\nSUMMARY:caf\xe9\r\n")
    with pytest.raises(InvalidInput, match="line 2: it is not UTF-8"):
        busy(path)
    path.write_bytes(b" " * (MOST_BYTES + 1))
    with pytest.raises(InvalidInput, match="10 MB"):
        busy(path)


@pytest.mark.parametrize(
    ("zone", "time", "told"),
    [
        ("/Europe/Berlin", "15 10:00-15 11:00", None),
        ("/freeassociation.example.org/Europe/Berlin", "15 10:00-15 11:00", "Europe/Berlin"),
        ('"(UTC+01:00) Amsterdam, Berlin, Bern"', "15 10:00-15 11:00", "Europe/Amsterdam"),
        ("GMT+0100", "15 10:00-15 11:00", "Etc/GMT-1"),
        ("Nowhere/City", "15 15:00-15 16:00", "nothing tells what the zone 'Nowhere/City' is"),
    ],
)
def test_a_zone_that_the_file_does_not_define_is_found_or_told(tmp_path, zone, time, told):
    """The rest of the file counts as ever."""
    event = f"DTSTART;TZID={zone}:20270315T150000\nDURATION:PT1H"
    path = written(tmp_path, event, "DTSTART:20270316T150000Z\nDURATION:PT1H")
    assert busy(path) == [time, "16 11:00-16 12:00"]
    notes = busy_times(path, START, END, NEW_YORK).notes
    assert len(notes) == (told is not None) or zone.startswith("/E")
    assert told is None or told in notes[0]


def test_what_has_no_beginning_is_told_and_the_rest_counts(tmp_path):
    path = written(tmp_path, "SUMMARY:never", "DTSTART:20270308T150000Z\nDURATION:PT1H")
    found = busy_times(path, START, END, NEW_YORK)
    assert len(found.spans) == 1
    assert found.notes == ["busy.ics: 1 entry without a beginning (DTSTART) left out: no time is kept free for them."]


def test_a_changed_occurrence_without_its_series_keeps_its_own_dates(tmp_path):
    event = (
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20270308T150000Z\nDTSTART:20270308T150000Z\nDTEND:20270308T153000Z\n"
        "RDATE;VALUE=PERIOD:20270308T150000Z/PT30M,20270315T150000Z/PT30M"
    )
    assert busy(written(tmp_path, event)) == ["08 10:00-08 10:30", "15 11:00-15 11:30"]


def test_a_large_calendar_is_read_within_seconds(tmp_path):
    events = [
        f"DTSTART:20270308T{index % 24:02}0000Z\nDURATION:PT15M" + ("\nRRULE:FREQ=WEEKLY" if index % 10 == 0 else "")
        for index in range(1_000)
    ]
    begun = datetime.now(UTC)
    assert len(busy(written(tmp_path, *events))) > 24
    assert datetime.now(UTC) - begun < timedelta(seconds=10)
