"""Working hours by the wall clock as spans of real time."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.schedule.calendar import (
    first_instant,
    free_minutes,
    merged,
    minutes_by_day,
    minutes_by_week,
    spans_by_day,
    working_spans,
)
from loopwright.agents.planner.schedule.problem import Span, Window, WorkingCalendar
from loopwright.kernel.errors import InvalidInput

ALL_DAY = tuple(Window(weekday, time(), time()) for weekday in range(7))
MINUTE = timedelta(minutes=1)
BERLIN = ZoneInfo("Europe/Berlin")
ODD_ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",  # half an hour of summer time
    "Africa/Casablanca",  # winter time in Ramadan
    "Asia/Beirut",  # changes at midnight
    "America/Santiago",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "UTC",
)


def every_day(zone: str, opens: time, closes: time, **more) -> WorkingCalendar:
    return WorkingCalendar(ZoneInfo(zone), tuple(Window(day, opens, closes) for day in range(7)), **more)


def whole(day: date, zone: str) -> Span:
    """From the first to the last instant of a local date."""
    known = ZoneInfo(zone)
    return Span(first_instant(day, known), first_instant(day + timedelta(days=1), known))


def hours(zone: str, opens: time, closes: time, day: date) -> list[tuple[str, str]]:
    """What one date's window becomes, in UTC."""
    span = whole(day, zone)
    found = working_spans(every_day(zone, opens, closes), span.start, span.end)
    return [(f"{piece.start:%d %H:%M}", f"{piece.end:%d %H:%M}") for piece in found]


def test_a_week_of_evenings_keeps_its_wall_clock_hours_over_a_change_of_summer_time():
    calendar = every_day("Europe/Berlin", time(18), time(21))
    spans = working_spans(calendar, datetime(2027, 3, 27, tzinfo=UTC), datetime(2027, 3, 30, tzinfo=UTC))
    assert [span.start.hour for span in spans] == [17, 16, 16]
    assert {span.start.astimezone(BERLIN).hour for span in spans} == {18}


@pytest.mark.parametrize(
    ("zone", "day", "minutes"),
    [
        ("Europe/Berlin", date(2027, 3, 28), 23 * 60),
        ("Europe/Berlin", date(2027, 10, 31), 25 * 60),
        ("Europe/Berlin", date(2028, 2, 29), 24 * 60),
        ("Asia/Kolkata", date(2027, 3, 28), 24 * 60),
        ("Australia/Lord_Howe", date(2027, 4, 4), 24 * 60 + 30),
        ("Asia/Beirut", date(2027, 3, 28), 23 * 60),
        ("America/Santiago", date(2027, 9, 5), 23 * 60),
        ("Europe/Berlin", date(2027, 12, 31), 24 * 60),
    ],
)
def test_a_whole_day_is_as_long_as_the_zone_makes_it(zone, day, minutes):
    span = whole(day, zone)
    found = working_spans(WorkingCalendar(ZoneInfo(zone), ALL_DAY), span.start, span.end)
    assert minutes_by_day(found, ZoneInfo(zone)) == {day: minutes}


def test_a_date_that_the_zone_skipped_has_no_time():
    span = whole(date(2011, 12, 30), "Pacific/Apia")
    assert span.start == span.end


def test_wall_times_that_do_not_exist_or_come_twice():
    spring, autumn = date(2027, 3, 28), date(2027, 10, 31)
    assert hours("Europe/Berlin", time(2, 15), time(2, 45), spring) == []
    assert hours("Europe/Berlin", time(1, 30), time(3, 30), spring) == [("28 00:30", "28 01:30")]
    assert hours("Europe/Berlin", time(2, 15), time(2, 45), autumn) == [
        ("31 00:15", "31 00:45"),
        ("31 01:15", "31 01:45"),
    ]
    assert hours("Europe/Berlin", time(2, 30), time(4), autumn) == [("31 00:30", "31 01:00"), ("31 01:30", "31 03:00")]


def test_exceptions_blackouts_and_busy_times_are_taken_out_and_neighbours_merged():
    start = datetime(2027, 1, 4, tzinfo=UTC)
    calendar = WorkingCalendar(
        ZoneInfo("UTC"),
        (Window(0, time(9), time(12)), Window(0, time(12), time(17)), Window(1, time(9), time(17))),
        exceptions={date(2027, 1, 5): (), date(2027, 1, 6): ((time(22), time()),)},
        blackouts=(Span(start.replace(hour=10), start.replace(hour=11)),),
        busy=(Span(start.replace(hour=10, minute=30), start.replace(hour=12, minute=7)),),
    )
    found = working_spans(calendar, start, start + timedelta(days=7))
    assert [(span.start.isoformat(" ", "minutes"), span.end.isoformat(" ", "minutes")) for span in found] == [
        ("2027-01-04 09:00+00:00", "2027-01-04 10:00+00:00"),
        ("2027-01-04 12:07+00:00", "2027-01-04 17:00+00:00"),
        ("2027-01-06 22:00+00:00", "2027-01-07 00:00+00:00"),
    ]


def test_minutes_of_a_night_belong_to_two_dates_and_two_weeks():
    """The last night of 2028 lies in week 52 of 2028 and in week 1 of 2029."""
    night = [Span(datetime(2028, 12, 31, 23, tzinfo=UTC), datetime(2029, 1, 1, 2, tzinfo=UTC))]
    assert minutes_by_day(night, ZoneInfo("UTC")) == {date(2028, 12, 31): 60, date(2029, 1, 1): 120}
    assert minutes_by_week(night, ZoneInfo("UTC")) == {(2028, 52): 60, (2029, 1): 120}
    assert list(spans_by_day(night, BERLIN)) == [date(2029, 1, 1)]


def test_the_free_minutes_of_a_day_are_at_most_its_capacity():
    calendar = every_day("UTC", time(), time(), minutes_per_day=90)
    start = datetime(2027, 1, 4, tzinfo=UTC)
    assert free_minutes(calendar, start, start + timedelta(hours=25)) == {date(2027, 1, 4): 90, date(2027, 1, 5): 60}


def test_naive_times_and_endless_horizons_are_refused():
    calendar, start = every_day("UTC", time(9), time(17)), datetime(2027, 1, 4, tzinfo=UTC)
    with pytest.raises(InvalidInput, match="no time zone"):
        working_spans(calendar, start.replace(tzinfo=None), start)
    with pytest.raises(InvalidInput, match="twenty years"):
        working_spans(calendar, start, start.replace(year=2050))
    assert working_spans(calendar, start, start) == []


quarters = st.integers(0, 95).map(lambda quarter: time(quarter // 4, quarter % 4 * 15))
windows = st.builds(Window, st.integers(0, 6), quarters, quarters)
starts = st.integers(0, 9_460_000).map(lambda minutes: datetime(2011, 12, 25, tzinfo=UTC) + minutes * MINUTE)
critical_starts = st.sampled_from(
    [datetime(2027, 3, 27, 12, tzinfo=UTC), datetime(2027, 10, 30, 5, tzinfo=UTC), datetime(2011, 12, 29, tzinfo=UTC)]
)


@st.composite
def calendars(draw):
    start = draw(starts | critical_starts)
    spans = st.builds(
        lambda first, minutes: Span(start + first * MINUTE, start + (first + minutes) * MINUTE),
        st.integers(-600, 4_000),
        st.integers(0, 900),
    )
    dates = st.integers(0, 3).map(lambda days: start.date() + timedelta(days=days))
    exceptions = st.dictionaries(dates, st.lists(st.tuples(quarters, quarters), max_size=2).map(tuple), max_size=2)
    calendar = WorkingCalendar(
        ZoneInfo(draw(st.sampled_from(ODD_ZONES))),
        tuple(draw(st.lists(windows, max_size=12))),
        exceptions=draw(exceptions),
        blackouts=tuple(draw(st.lists(spans, max_size=2))),
        busy=tuple(draw(st.lists(spans, max_size=2))),
    )
    return calendar, start


def open_at(calendar: WorkingCalendar, moment: datetime) -> bool:
    """The definition, for one instant."""
    if any(span.start <= moment < span.end for span in (*calendar.blackouts, *calendar.busy)):
        return False
    wall = moment.astimezone(calendar.zone)
    hours_of_day = calendar.exceptions.get(
        wall.date(), tuple((w.start, w.end) for w in calendar.windows if w.weekday == wall.weekday())
    )
    return any(first <= wall.time() and (wall.time() < last or last == time()) for first, last in hours_of_day)


def law_each_minute_is_as_the_wall_clock_says(case) -> None:
    calendar, start = case
    minutes = 3 * 24 * 60
    found = working_spans(calendar, start, start + minutes * MINUTE)
    inside = {span.start + minute * MINUTE for span in found for minute in range((span.end - span.start) // MINUTE)}
    assert inside == {
        start + minute * MINUTE for minute in range(minutes) if open_at(calendar, start + minute * MINUTE)
    }
    assert all(first.end < second.start for first, second in pairwise(found))
    assert sum(minutes_by_day(found, calendar.zone).values()) == len(inside)
    assert merged(found) == found


@settings(max_examples=40, deadline=None)
@given(calendars())
def test_each_minute_is_as_the_wall_clock_says(case):
    law_each_minute_is_as_the_wall_clock_says(case)


@pytest.mark.soak
@settings(max_examples=3_000, deadline=None)
@given(calendars())
def test_each_minute_is_as_the_wall_clock_says_at_length(case):
    law_each_minute_is_as_the_wall_clock_says(case)
