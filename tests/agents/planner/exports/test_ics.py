"""The iCalendar export, read back by two parsers that share no code."""

from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import icalendar
import pytest
import vobject
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.contracts import Schedule, ScheduleBlock
from loopwright.agents.planner.exports.ics import write_ics
from loopwright.agents.planner.schedule.busy_times import read_busy
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.exports.plans import BERLIN, NODES, OUTLINE, SCHEDULE, block, node_id

Read = set[tuple[str, datetime, datetime, str]]


def read_by_icalendar(text: str) -> Read:
    events = icalendar.Calendar.from_ical(text).walk("VEVENT")
    assert not [event.errors for event in events if event.errors]
    return {
        (str(e["UID"]), e["DTSTART"].dt.astimezone(UTC), e["DTEND"].dt.astimezone(UTC), str(e["SUMMARY"]))
        for e in events
    }


def read_by_vobject(text: str) -> Read:
    """Vobject takes the zones from the file's own VTIMEZONE; it would keep those of an earlier file."""
    vars(vobject.icalendar)["__tzidMap"].clear()
    calendar = vobject.readOne(text)
    return {
        (e.uid.value, e.dtstart.value.astimezone(UTC), e.dtend.value.astimezone(UTC), e.summary.value)
        for e in calendar.contents.get("vevent", [])
    }


def expected(schedule: Schedule) -> Read:
    found, numbers = set(), dict.fromkeys((b.plan_node_id for b in schedule.blocks), 0)
    for b in sorted(schedule.blocks, key=lambda b: (b.start.astimezone(UTC), str(b.plan_node_id))):
        uid = f"{b.plan_node_id}-{numbers[b.plan_node_id]}@loopwright"
        numbers[b.plan_node_id] += 1
        found.add((uid, b.start.astimezone(UTC), b.end.astimezone(UTC), b.title))
    return found


def test_both_parsers_read_what_was_written():
    text = write_ics(OUTLINE, SCHEDULE)
    assert read_by_icalendar(text) == read_by_vobject(text) == expected(SCHEDULE)


def test_the_text_is_by_the_wall_clock_and_always_the_same():
    text = write_ics(OUTLINE, SCHEDULE)
    assert "DTSTART;TZID=Europe/Berlin:20270325T180000" in text
    assert "DTSTART;TZID=Europe/Berlin:20270330T180000" in text
    assert text == write_ics(OUTLINE, SCHEDULE.model_copy(update={"blocks": SCHEDULE.blocks[::-1]}))
    assert "VALARM" not in text
    assert text.count("\n") == text.count("\r\n")
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75


def test_titles_notes_and_tags_are_escaped():
    text = write_ics(OUTLINE, SCHEDULE)
    event = icalendar.Calendar.from_ical(text).walk("VEVENT")[0]
    assert "SUMMARY:Read\\; a\\, b: \\\\ *chapter* 1" in text
    assert str(event["DESCRIPTION"]) == "Line one\nline, two"
    other = icalendar.Calendar.from_ical(text).walk("VEVENT")[1]
    assert other.categories == ["quiet", "a,b"]
    hostile = block(3, "x\r\nEND:VEVENT\r\nEND:VCALENDAR\x00\x07", SCHEDULE.blocks[0].start, 30)
    text = write_ics(OUTLINE, Schedule(timezone="Europe/Berlin", blocks=[hostile]))
    assert text.count("\r\nEND:VEVENT\r\n") == 1
    assert {read[3] for read in read_by_icalendar(text)} == {"x\nEND:VEVENT\nEND:VCALENDAR"}


@pytest.mark.parametrize(
    ("zone", "onset", "before", "after"),
    [
        ("Europe/Berlin", "20270328T020000", "+0100", "+0200"),
        ("America/Santiago", "20270404T000000", "-0300", "-0400"),
        ("Australia/Lord_Howe", "20270404T020000", "+1100", "+1030"),
    ],
)
def test_the_zone_tells_when_its_clock_changes(zone, onset, before, after):
    """RFC 5545, 3.6.5: the onset is by the clock that is changed."""
    hours = datetime(2027, 3, 20, tzinfo=UTC), datetime(2027, 4, 20, tzinfo=UTC)
    blocks = [
        ScheduleBlock(plan_node_id=node_id(3), title="Read", start=start, end=start + timedelta(hours=1))
        for start in hours
    ]
    text = write_ics(OUTLINE, Schedule(timezone=zone, blocks=blocks))
    assert f"DTSTART:{onset}\r\nTZNAME:" in text
    assert f"TZOFFSETFROM:{before}\r\nTZOFFSETTO:{after}" in text


def test_the_hour_that_comes_twice_is_written_so_that_it_comes_once():
    twice = datetime(2027, 10, 31, 2, 30, tzinfo=BERLIN)
    blocks = [block(3, "First", twice, 30), block(5, "Second", twice.replace(fold=1), 30)]
    schedule = Schedule(timezone="Europe/Berlin", blocks=blocks)
    text = write_ics(OUTLINE, schedule)
    assert read_by_icalendar(text) == read_by_vobject(text) == expected(schedule)


def test_plans_in_utc_need_no_zone_and_empty_ones_are_calendars_too():
    text = write_ics(OUTLINE, SCHEDULE.model_copy(update={"timezone": "UTC"}))
    assert "VTIMEZONE" not in text
    assert "DTSTART:20270325T170000Z" in text
    assert read_by_icalendar(write_ics(OUTLINE, Schedule())) == set()
    with pytest.raises(InvalidInput, match="no time zone"):
        write_ics(OUTLINE, Schedule(timezone="Mars/Olympus"))


def test_an_exported_plan_is_busy_time_of_the_next(tmp_path):
    path = tmp_path / "plan.ics"
    path.write_text(write_ics(OUTLINE, SCHEDULE), newline="")
    start = datetime(2027, 3, 1, tzinfo=UTC)
    spans = read_busy(path, start, start + timedelta(days=60), ZoneInfo("Asia/Tokyo"))
    assert {(s.start, s.end) for s in spans} == {(b[1], b[2]) for b in expected(SCHEDULE)}


ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Africa/Casablanca", "Australia/Lord_Howe", "UTC")
printable = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=120).map(str.strip)
schedules = st.builds(
    lambda zone, blocks: Schedule(timezone=zone, blocks=blocks),
    st.sampled_from(ZONES),
    st.lists(
        st.builds(
            lambda number, title, minute, length: ScheduleBlock(
                plan_node_id=UUID(int=number),
                title=title,
                start=datetime(2027, 1, 1, tzinfo=UTC) + timedelta(minutes=15 * minute),
                end=datetime(2027, 1, 1, tzinfo=UTC) + timedelta(minutes=15 * (minute + length)),
            ),
            st.integers(1, 3),
            printable.filter(bool),
            st.integers(0, 60_000),
            st.integers(1, 20),
        ),
        max_size=6,
    ),
)


def law_of_the_round_trip(schedule: Schedule) -> None:
    text = write_ics(OUTLINE, schedule)
    assert read_by_icalendar(text) == expected(schedule)
    assert {read[:3] for read in read_by_vobject(text)} == {read[:3] for read in expected(schedule)}


@settings(max_examples=40, deadline=None)
@given(schedules)
def test_any_schedule_survives_the_round_trip(schedule):
    law_of_the_round_trip(schedule)


@pytest.mark.soak
@settings(max_examples=2_000, deadline=None)
@given(schedules)
def test_any_schedule_survives_the_round_trip_at_length(schedule):
    law_of_the_round_trip(schedule)


def test_the_plan_has_blocks_of_known_nodes():
    """The example of these tests is itself a plan."""
    assert {b.plan_node_id for b in SCHEDULE.blocks} <= {n.id for n in NODES}
