"""The iCalendar export, read back by two parsers that share no code."""

from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import icalendar
import pytest
import recurring_ical_events
import vobject
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.contracts import Schedule, ScheduleBlock
from loopwright.agents.planner.exports import write_ics
from loopwright.agents.planner.schedule.busy_times import busy_times
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.exports.plans import BERLIN, NODES, OUTLINE, SCHEDULE, block, node_id

Read = list[tuple[datetime, datetime, str]]
FIRST, LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
WRITTEN = datetime(2027, 1, 1, 12, tzinfo=UTC)


def written(schedule: Schedule, before: str | None = None, now: datetime = WRITTEN) -> str:
    return write_ics(OUTLINE, schedule, before=before, now=now)


def read_by_icalendar(text: str) -> Read:
    """Each occurrence of each event that is not cancelled."""
    calendar = icalendar.Calendar.from_ical(text)
    assert not [event.errors for event in calendar.walk("VEVENT") if event.errors]
    return sorted(
        (e["DTSTART"].dt.astimezone(UTC), e["DTEND"].dt.astimezone(UTC), str(e["SUMMARY"]))
        for event in calendar.walk("VEVENT")
        for e in (occurrences(event) if "RRULE" in event else [event])
        if str(e.get("STATUS", "")) != "CANCELLED"
    )


def occurrences(event: icalendar.Event) -> list[icalendar.Event]:
    alone = icalendar.Calendar()
    alone.add_component(event)
    return recurring_ical_events.of(alone).between(FIRST, LAST)


def read_by_vobject(text: str) -> Read:
    """Vobject takes the zones from the file's own VTIMEZONE; it would keep those of an earlier file."""
    vars(vobject.icalendar)["__tzidMap"].clear()
    found = []
    for e in vobject.readOne(text).contents.get("vevent", []):
        length = e.dtend.value.astimezone(UTC) - e.dtstart.value.astimezone(UTC)
        starts = list(e.rruleset) if "rrule" in e.contents else [e.dtstart.value]
        found += [(start.astimezone(UTC), start.astimezone(UTC) + length, e.summary.value) for start in starts]
    return sorted(found)


def expected(schedule: Schedule) -> Read:
    return sorted((b.start.astimezone(UTC), b.end.astimezone(UTC), b.title) for b in schedule.blocks)


def test_both_parsers_read_what_was_written():
    text = written(SCHEDULE)
    assert read_by_icalendar(text) == read_by_vobject(text) == expected(SCHEDULE)


def test_the_text_is_by_the_wall_clock_and_always_the_same():
    text = written(SCHEDULE)
    assert "DTSTART;TZID=Europe/Berlin:20270325T180000" in text
    assert "DTSTART;TZID=Europe/Berlin:20270330T180000" in text
    assert text == written(SCHEDULE.model_copy(update={"blocks": SCHEDULE.blocks[::-1]}))
    assert text.count("TRIGGER:-PT15M") == text.count("BEGIN:VEVENT") == 4
    assert text.count("DTSTAMP:20270101T120000Z") == text.count("SEQUENCE:0") == 4
    assert text.count("\n") == text.count("\r\n")
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75


def weekly(*days: int, hour: int = 18) -> Schedule:
    """The same hour on days counted from Monday, 1 March 2027: over the change to summer time."""
    start = datetime(2027, 3, 1, hour, tzinfo=BERLIN)
    return Schedule(
        timezone="Europe/Berlin",
        blocks=[block(5, "Run", start + timedelta(days=day), 45, tags=[f"occurrence:{day}"]) for day in days],
    )


def test_what_comes_back_in_even_steps_is_one_event_with_a_rule():
    """A date that is left out is an exception of it."""
    schedule = weekly(0, 7, 14, 28, 35)
    text = written(schedule)
    assert text.count("BEGIN:VEVENT") == 1
    assert "RRULE:FREQ=WEEKLY;COUNT=6" in text
    assert "EXDATE;TZID=Europe/Berlin:20270322T180000" in text
    assert read_by_icalendar(text) == read_by_vobject(text) == expected(schedule)


def test_every_second_week_is_a_rule_and_odd_dates_are_none():
    assert "RRULE:FREQ=WEEKLY;COUNT=3;INTERVAL=2" in written(weekly(0, 14, 28))
    assert "RRULE" not in written(weekly(0, 7))
    assert "RRULE" not in written(weekly(0, 7, 17))


def test_a_change_is_told_as_one():
    """What is as it was keeps its stamp; what moved has a higher number; what is gone is cancelled and stays so."""
    first = written(SCHEDULE)
    assert written(SCHEDULE, first, WRITTEN + timedelta(days=9)) == first
    kept, moved, gone = SCHEDULE.blocks[0], SCHEDULE.blocks[1], SCHEDULE.blocks[2:]
    later = moved.model_copy(update={"start": moved.start + timedelta(hours=1), "end": moved.end + timedelta(hours=1)})
    change = SCHEDULE.model_copy(update={"blocks": [kept, later]})
    second = written(change, first, WRITTEN + timedelta(days=1))
    events = {str(e["UID"]): e for e in icalendar.Calendar.from_ical(second).walk("VEVENT")}
    assert len(events) == 4
    told = sorted((str(e.get("STATUS", "")), int(e["SEQUENCE"]), e["DTSTAMP"].dt.day) for e in events.values())
    assert told == [("", 0, 1), ("", 1, 2), *[("CANCELLED", 1, 2)] * len(gone)]
    assert read_by_icalendar(second) == expected(change)
    third = written(change, second, WRITTEN + timedelta(days=2))
    assert third == second
    back = written(SCHEDULE, third, WRITTEN + timedelta(days=3))
    assert read_by_icalendar(back) == expected(SCHEDULE)
    assert "CANCELLED" not in back


def test_a_series_that_moves_keeps_its_name():
    first = written(weekly(0, 7, 14))
    second = written(weekly(1, 8, 15), first, WRITTEN + timedelta(days=1))
    assert second.count("BEGIN:VEVENT") == 1
    assert "SEQUENCE:1" in second
    assert read_by_icalendar(second) == expected(weekly(1, 8, 15))


@pytest.mark.parametrize("before", ["", "no calendar", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT"])
def test_another_plan_or_another_file_is_not_cancelled(before):
    other = written(SCHEDULE).replace(str(OUTLINE.root_id), str(node_id(99)))
    assert written(Schedule(), other).count("BEGIN:VEVENT") == 0
    assert written(SCHEDULE, before) == written(SCHEDULE)


def test_titles_notes_and_tags_are_escaped():
    text = written(SCHEDULE)
    event = icalendar.Calendar.from_ical(text).walk("VEVENT")[0]
    assert "SUMMARY:Read\\; a\\, b: \\\\ *chapter* 1" in text
    assert str(event["DESCRIPTION"]) == "Line one\nline, two"
    other = icalendar.Calendar.from_ical(text).walk("VEVENT")[1]
    assert other.categories == ["quiet", "a,b"]
    hostile = block(3, "x\r\nEND:VEVENT\r\nEND:VCALENDAR\x00\x07", SCHEDULE.blocks[0].start, 30)
    text = written(Schedule(timezone="Europe/Berlin", blocks=[hostile]))
    assert text.count("\r\nEND:VEVENT\r\n") == 1
    assert {read[2] for read in read_by_icalendar(text)} == {"x\nEND:VEVENT\nEND:VCALENDAR"}


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
    text = written(Schedule(timezone=zone, blocks=blocks))
    assert f"DTSTART:{onset}\r\nTZNAME:" in text
    assert f"TZOFFSETFROM:{before}\r\nTZOFFSETTO:{after}" in text


def test_the_hour_that_comes_twice_is_written_so_that_it_comes_once():
    twice = datetime(2027, 10, 31, 2, 30, tzinfo=BERLIN)
    blocks = [block(3, "First", twice, 30), block(5, "Second", twice.replace(fold=1), 30)]
    schedule = Schedule(timezone="Europe/Berlin", blocks=blocks)
    text = written(schedule)
    assert read_by_icalendar(text) == read_by_vobject(text) == expected(schedule)


def test_plans_in_utc_need_no_zone_and_empty_ones_are_calendars_too():
    text = written(SCHEDULE.model_copy(update={"timezone": "UTC"}))
    assert "VTIMEZONE" not in text
    assert "DTSTART:20270325T170000Z" in text
    assert read_by_icalendar(written(Schedule())) == []
    with pytest.raises(InvalidInput, match="no time zone"):
        written(Schedule(timezone="Mars/Olympus"))


def test_an_exported_plan_is_busy_time_of_the_next(tmp_path):
    path = tmp_path / "plan.ics"
    path.write_text(written(SCHEDULE), newline="")
    start = datetime(2027, 3, 1, tzinfo=UTC)
    spans = busy_times(path, start, start + timedelta(days=60), ZoneInfo("Asia/Tokyo")).spans
    assert {(s.start, s.end) for s in spans} == {(b[0], b[1]) for b in expected(SCHEDULE)}


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
    text = written(schedule)
    assert read_by_icalendar(text) == expected(schedule)
    assert [read[:2] for read in read_by_vobject(text)] == [read[:2] for read in expected(schedule)]


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
