"""Recurring work, unrolled by the wall clock."""

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from time import thread_time
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.schedule.problem import Span
from loopwright.agents.planner.schedule.recurrence_rule import MOST_OCCURRENCES, Series, occurrences, with_space
from loopwright.kernel.errors import InvalidInput

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2027, 3, 24, 18, tzinfo=BERLIN)
"""A Wednesday, four days before the change to summer time."""


def after(**span) -> datetime:
    return START + timedelta(**span)


def dates(series: Series) -> list[str]:
    return [occurrence.due.date().isoformat() for occurrence in series.occurrences]


def local_windows(series: Series, zone: ZoneInfo = BERLIN) -> list[str]:
    return [
        f"{o.window.start.astimezone(zone):%m-%d %H:%M} {o.window.end.astimezone(zone):%m-%d %H:%M}"
        for o in series.occurrences
    ]


def test_daily_work_has_a_window_for_each_day_and_the_first_begins_with_the_plan():
    series = occurrences("daily", START, datetime(2027, 3, 30, tzinfo=BERLIN), BERLIN)
    assert local_windows(series)[:2] == ["03-24 18:00 03-25 00:00", "03-25 00:00 03-26 00:00"]
    lengths = [o.window.end - o.window.start for o in series.occurrences]
    assert lengths == [timedelta(hours=hours) for hours in (6, 24, 24, 24, 23, 24)]
    assert [o.index for o in series.occurrences] == list(range(6))


def test_weekly_periods_follow_each_other_and_a_cut_one_is_left_out_and_told():
    series = occurrences("weekly", START, after(days=20), BERLIN)
    assert local_windows(series) == ["03-24 18:00 03-31 00:00", "03-31 00:00 04-07 00:00"]
    assert "cut off" in series.notes[0]
    assert local_windows(occurrences("weekly", START, after(days=2), BERLIN)) == ["03-24 18:00 03-26 18:00"]


def test_months_quarters_and_years_count_from_the_first_date():
    last = datetime(2028, 1, 31, tzinfo=UTC)
    ends = datetime(2029, 2, 1, tzinfo=UTC)
    zone = ZoneInfo("UTC")
    assert dates(occurrences("monthly", last, ends, zone))[:4] == [
        "2028-01-31",
        "2028-02-29",
        "2028-03-31",
        "2028-04-30",
    ]
    assert dates(occurrences("quarterly", last, ends, zone)) == ["2028-01-31", "2028-04-30", "2028-07-31", "2028-10-31"]
    assert dates(occurrences("yearly", datetime(2028, 2, 29, tzinfo=UTC), ends.replace(year=2032, month=3), zone)) == [
        "2028-02-29",
        "2029-02-28",
        "2030-02-28",
        "2031-02-28",
    ]


def test_none_is_one_occurrence_anywhere():
    series = occurrences("none", START, after(days=2), BERLIN)
    assert local_windows(series) == ["03-24 18:00 03-26 18:00"]


def test_a_rule_that_names_days_wants_the_work_on_these_days():
    series = occurrences("RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3", START, after(days=60), BERLIN)
    assert local_windows(series) == ["03-24 18:00 03-25 00:00", "03-29 00:00 03-30 00:00", "03-31 00:00 04-01 00:00"]
    assert {o.due.hour for o in series.occurrences} == {18}


def test_a_rule_without_days_leaves_its_period():
    series = occurrences("FREQ=WEEKLY;INTERVAL=2;COUNT=2", START, after(days=60), BERLIN)
    assert local_windows(series) == ["03-24 18:00 03-31 00:00", "04-07 00:00 04-14 00:00"]
    series = occurrences("FREQ=MONTHLY;COUNT=1", START, after(days=60), BERLIN)
    assert local_windows(series) == ["03-24 18:00 04-24 00:00"]


def test_an_older_rule_keeps_its_own_count_and_interval():
    first = datetime(2027, 3, 10, 7, tzinfo=BERLIN)
    series = occurrences("FREQ=WEEKLY;INTERVAL=2;BYDAY=WE;COUNT=3", START, after(days=60), BERLIN, first=first)
    assert dates(series) == ["2027-03-24", "2027-04-07"]
    assert series.occurrences[0].due.hour == 7


def test_until_includes_its_day_and_may_be_in_utc():
    assert dates(occurrences("FREQ=DAILY;UNTIL=20270326", START, after(days=9), BERLIN))[-1] == "2027-03-26"
    assert dates(occurrences("FREQ=DAILY;UNTIL=20270326T165959Z", START, after(days=9), BERLIN))[-1] == "2027-03-25"
    assert dates(occurrences("FREQ=DAILY;UNTIL=20270326T170000Z", START, after(days=9), BERLIN))[-1] == "2027-03-26"


def test_wall_times_that_the_zone_skips_or_repeats():
    spring = occurrences(
        "FREQ=DAILY;COUNT=3", datetime(2027, 3, 27, 2, 30, tzinfo=BERLIN), after(days=9), BERLIN
    ).occurrences
    assert [o.due.astimezone(UTC).strftime("%d %H:%M") for o in spring] == ["27 01:30", "28 01:30", "29 00:30"]
    assert spring[1].due.strftime("%H:%M") == "03:30"
    autumn = datetime(2027, 10, 31, 2, 30, tzinfo=BERLIN)
    twice = occurrences("FREQ=DAILY;COUNT=1", autumn, autumn + timedelta(days=1), BERLIN).occurrences
    assert twice[0].due.astimezone(UTC).hour == 0


def test_leap_days_come_every_fourth_year():
    start = datetime(2028, 1, 1, tzinfo=UTC)
    series = occurrences("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", start, start.replace(year=2041), ZoneInfo("UTC"))
    assert dates(series) == ["2028-02-29", "2032-02-29", "2036-02-29", "2040-02-29"]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("FREQ=SECONDLY", "more often than daily"),
        ("FREQ=MINUTELY;COUNT=10", "more often than daily"),
        ("FREQ=HOURLY;INTERVAL=24", "more often than daily"),
        ("FREQ=FORTNIGHTLY", "FREQ is none of"),
        ("", "not NAME=VALUE"),
        ("every day", "not NAME=VALUE"),
        ("BYDAY=MO", "FREQ is none of"),
        ("FREQ=DAILY;FREQ=WEEKLY", "stands twice"),
        ("FREQ=DAILY;COUNT=0", "out of range"),
        ("FREQ=DAILY;COUNT=-1", "out of range"),
        ("FREQ=DAILY;COUNT=99999999999999999999", "out of range"),
        ("FREQ=DAILY;INTERVAL=0", "out of range"),
        ("FREQ=DAILY;INTERVAL=1001", "out of range"),
        ("FREQ=DAILY;COUNT=3;UNTIL=20280101", "exclude each other"),
        ("FREQ=DAILY;UNTIL=20280231", "no date"),
        ("FREQ=DAILY;UNTIL=soon", "no date"),
        ("FREQ=DAILY;BYSECOND=1", "not known"),
        ("FREQ=YEARLY;BYEASTER=0", "not known"),
        ("FREQ=DAILY;BYHOUR=1,2,3", "takes one number"),
        ("FREQ=WEEKLY;BYDAY=2MO", "no day of this rule"),
        ("FREQ=MONTHLY;BYDAY=99MO", "no day of this rule"),
        ("FREQ=WEEKLY;WKST=XX", "WKST"),
        ("FREQ=DAILY;BYDAY=MO;BYSETPOS=2", "BYSETPOS"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=32", "out of range"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "out of range"),
        ("FREQ=MONTHLY;BYMONTH=-1", "out of range"),
        ("FREQ=MONTHLY;BYWEEKNO=1", "needs FREQ=YEARLY"),
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "no such date"),
        ("FREQ=DAILY;BYMONTH=4;BYMONTHDAY=-31", "no such date"),
        ("FREQ=DAILY;BYDAY=" + "MO," * 400 + "MO", "longer than"),
    ],
)
def test_hostile_and_broken_rules_are_refused_at_once(rule, why):
    begun = thread_time()
    with pytest.raises(InvalidInput, match=why) as refusal:
        occurrences(rule, START, after(days=365), BERLIN)
    assert "FREQ=WEEKLY" in refusal.value.hint
    assert thread_time() - begun < 1


@pytest.mark.parametrize("rule", ["FREQ=DAILY", "FREQ=DAILY;COUNT=1000000000", "daily"])
def test_endless_rules_are_capped_and_told(rule):
    series = occurrences(rule, START, after(days=7_000), BERLIN)
    assert len(series.occurrences) == MOST_OCCURRENCES
    assert "2,000" in series.notes[0]


def test_naive_times_and_endless_horizons_are_refused():
    with pytest.raises(InvalidInput, match="no time zone"):
        occurrences("daily", START.replace(tzinfo=None), after(days=1), BERLIN)
    with pytest.raises(InvalidInput, match="twenty years"):
        occurrences("daily", START, after(days=8_000), BERLIN)
    with pytest.raises(InvalidInput, match="twenty years"):
        occurrences("FREQ=DAILY", START, after(days=1), BERLIN, first=START.replace(year=1600))


def test_days_without_room_are_left_out_and_told():
    series = occurrences("FREQ=DAILY", datetime(2027, 3, 22, tzinfo=BERLIN), after(days=5), BERLIN)
    spans = [
        Span(datetime(2027, 3, day, 18, tzinfo=BERLIN), datetime(2027, 3, day, 19, tzinfo=BERLIN))
        for day in (22, 24, 26)
    ]
    spans.insert(1, Span(datetime(2027, 3, 22, 20, tzinfo=BERLIN), datetime(2027, 3, 22, 21, tzinfo=BERLIN)))
    roomy = with_space(series, spans, 60, in_one_piece=True)
    assert dates(roomy) == ["2027-03-22", "2027-03-24", "2027-03-26"]
    assert [o.index for o in roomy.occurrences] == [0, 2, 4]
    assert roomy.notes == (
        "5 of 8 occurrences have too little working time and are left out, the first on 2027-03-23.",
    )
    assert dates(with_space(series, spans, 120, in_one_piece=False)) == ["2027-03-22"]
    assert dates(with_space(series, spans, 120, in_one_piece=True)) == []
    assert with_space(roomy, spans, 60, in_one_piece=True) is roomy


rules = st.builds(
    lambda frequency, interval, days, month_days, months: ";".join(
        [f"FREQ={frequency}", f"INTERVAL={interval}"]
        + ([f"BYDAY={','.join(sorted(days))}"] if days else [])
        + ([f"BYMONTHDAY={','.join(map(str, sorted(month_days)))}"] if month_days and frequency != "WEEKLY" else [])
        + ([f"BYMONTH={','.join(map(str, sorted(months)))}"] if months else [])
    ),
    st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
    st.integers(1, 5),
    st.sets(st.sampled_from(["MO", "TU", "SA", "SU"]), max_size=3),
    st.sets(st.sampled_from([1, 13, 28, -1]), max_size=2),
    st.sets(st.integers(1, 12), max_size=4),
)


@settings(max_examples=60, deadline=None)
@given(rules, st.sampled_from(["Europe/Berlin", "Asia/Beirut", "UTC", "Australia/Lord_Howe"]), st.integers(0, 23))
def test_every_window_lies_in_the_horizon_and_holds_the_date_that_the_rule_gives(rule, name, hour):
    zone = ZoneInfo(name)
    start = datetime(2027, 1, 15, hour, 30, tzinfo=zone)
    end = start + timedelta(days=400)
    found = occurrences(rule, start, end, zone).occurrences
    expected = [
        wall.date()
        for wall in rrulestr(rule, dtstart=start.replace(tzinfo=None)).between(
            start.replace(tzinfo=None), end.replace(tzinfo=None), inc=True
        )
    ]
    assert [o.due.date() for o in found][: len(expected)] == expected
    for occurrence in found:
        assert start <= occurrence.window.start < occurrence.window.end <= end
        assert occurrence.window.start.astimezone(zone).date() == occurrence.due.date()
    if any(part in rule for part in ("DAILY", "BYDAY", "BYMONTHDAY")):
        assert all(occurrence.window.end - occurrence.window.start <= timedelta(hours=25) for occurrence in found)
    for first, second in pairwise(islice(found, 50)):
        assert first.due < second.due
