"""What can be measured of a plan: each check reads the exported calendar file, and nothing that made it."""

import itertools
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from loopwright.agents.planner.account.arguments import (
    Apart,
    Arguments,
    Assigned,
    Daily,
    DoesOnly,
    EachOf,
    EndsBy,
    Free,
    Gone,
    NotInARow,
    OnDay,
    PerDay,
    PerWeek,
    Sitting,
    Starts,
    Task,
    Titled,
    Together,
    Total,
    Weekdays,
    Within,
)
from loopwright.agents.planner.account.calendar_file import (
    CALENDAR,
    Entry,
    PlanCalendar,
    full_weeks,
    has_word,
    hours_by_day,
    numbered,
    read_calendar,
    weeks_of,
)
from loopwright.kernel.account import Check, Claim, Measured, NotMeasurable

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun

SLACK_HOURS = 0.01
"""Hours are sums of quarters; this is for rounding alone."""
HALF = 0.5
ABOUT_MINUTES = 10
"""A session may be so much longer or shorter than said: work lies on quarters of an hour."""
FILLED = 0.9
"""A stated amount is met when this part of it is there, unless it is a limit that must not be passed."""


Found = tuple[bool, str, str]
"""Whether it holds, what was found, and where."""


def on_day(calendar: PlanCalendar, told: OnDay) -> Found:
    """The appointment is on its day, and not on another one as well."""
    found = [each for each in calendar.appointments if each in calendar.named(told.event)]
    days = sorted({each.day for each in found})
    if not found:
        return False, f"not there as an appointment: {' '.join(told.event)}", CALENDAR
    return days == [told.date], f"{found[0].title}: {_days(days)}", CALENDAR


def per_week(calendar: PlanCalendar, told: PerWeek) -> Found:
    """The sum of hours, or the number of sessions, of every week."""
    entries = calendar.work if not told.of else tuple(e for e in calendar.work if e in calendar.named(told.of))
    weeks = weeks_of(entries, told.since)
    if not weeks:
        return False, f"nothing in the calendar{' is called ' + ' '.join(told.of) if told.of else ''}", CALENDAR
    amounts = {monday: _amount(held, told.unit) for monday, held in weeks.items()}
    full = full_weeks(weeks)
    inner = [monday for monday in full if not any(_touches(monday, *span) for span in told.gone)] or list(full)
    whole = [_amount(weeks[monday], told.unit) for monday in inner]
    if told.title and not calendar.doing(told.title):
        return False, _lacking(told.title), CALENDAR
    unit = "h" if told.unit == "hours" else "sessions"
    value = f"{min(whole):g} to {max(amounts.values()):g} {unit} a week, {sum(whole) / len(whole):.1f} in the mean"
    most = max(amounts.values()) <= told.amount + SLACK_HOURS
    if told.relation == "at_most":
        holds = most
    elif told.relation == "at_least":
        holds = min(whole) >= told.amount - SLACK_HOURS
    elif told.unit == "sessions":
        holds = most and set(whole) == {told.amount}
    else:
        holds = most and sum(whole) / len(whole) >= FILLED * told.amount
    return holds, value, CALENDAR


def _touches(monday: date, first: date, last: date) -> bool:
    return first <= monday + timedelta(days=6) and monday <= last


def per_day(calendar: PlanCalendar, told: PerDay) -> Found:
    """The sum of hours of every day on which there is work."""
    days = hours_by_day(tuple(each for each in calendar.work if told.since is None or each.day >= told.since))
    if not days:
        return False, "nothing in the calendar", CALENDAR
    least, most = min(days.values()), max(days.values())
    holds = {
        "at_most": most <= told.hours + SLACK_HOURS,
        "at_least": least >= told.hours - SLACK_HOURS,
    }.get(told.relation, most <= told.hours + SLACK_HOURS and sum(days.values()) / len(days) >= FILLED * told.hours)
    return holds, f"{least:g} to {most:g} h a day", CALENDAR


def none_on(calendar: PlanCalendar, told: Weekdays) -> Found:
    """No work touches these days of the week."""
    during = _during(calendar, told)
    return _no_work(during, lambda day: day.weekday() in told.weekdays, told.of)


def only_on(calendar: PlanCalendar, told: Weekdays) -> Found:
    """No work touches any other day of the week, nor, of every second one, two weeks in a row."""
    calendar = _during(calendar, told)
    held = sorted({each.day - timedelta(days=each.day.weekday()) for each in calendar.work})
    close = [day for before, day in itertools.pairwise(held) if (day - before).days % (7 * (told.every or 1))]
    if close:
        return False, f"there is work in the week of {close[0]} and in the one before it", CALENDAR
    return _no_work(calendar, lambda day: day.weekday() not in told.weekdays, told.of)


def also_on(calendar: PlanCalendar, told: Weekdays) -> Found:
    """Work lies on these days of the week too."""
    there = {each.start.weekday() for each in _during(calendar, told).work}
    return set(told.weekdays) <= there, f"work lies on {len(there)} days of the week", CALENDAR


def _during(calendar: PlanCalendar, told: Weekdays) -> PlanCalendar:
    """The part of the calendar in which days of the week are ruled."""
    first, last = told.since or date.min, told.until or date.max
    return PlanCalendar(tuple(each for each in calendar.entries if first <= each.start.date() <= last), calendar.digest)


def free(calendar: PlanCalendar, told: Free) -> Found:
    """No work touches these days.

    Raises:
        NotMeasurable: no entry is named after what is meant, so none shows whether it was kept.
    """
    if told.of and calendar.work and not calendar.named(told.of):
        if _no_work(calendar, lambda day: told.first <= day <= told.last)[0]:
            return True, "nothing at all lies there", CALENDAR
        raise NotMeasurable(f"nothing is called {' '.join(told.of)}")
    return _no_work(calendar, lambda day: told.first <= day <= told.last, told.of)


def gone(calendar: PlanCalendar, told: Gone) -> Found:
    """No entry of this name begins on the day or later, and there is other work."""
    left = [each for each in calendar.work if each.day >= told.since and _are_named(each, told.of)]
    value = f"still there: {_shown(left[0])}" if left else f"none of {len(calendar.work)} entries"
    return bool(calendar.work) and not left, value, CALENDAR


def assigned(calendar: PlanCalendar, told: Assigned) -> Found:
    """Each item has an entry, and each entry of it names who does it."""
    held = {" ".join(item): calendar.named(item) for item in told.items}
    lacking = [name for name, found in held.items() if not found]
    others = [each for found in held.values() for each in found if not has_word(each.title, told.who)]
    value = f"not in any title: {', '.join(lacking)}" if lacking else f"{sum(map(len, held.values()))} entries"
    return not lacking and not others, f"without {told.who}: {_shown(others[0])}" if others else value, CALENDAR


def does_only(calendar: PlanCalendar, told: DoesOnly) -> Found:
    """No entry that names somebody is about anything else."""
    others = [
        each
        for each in calendar.work
        if has_word(each.title, told.who) and not any(_are_named(each, item) for item in told.items)
    ]
    value = f"also {_shown(others[0])}" if others else f"nothing else names {told.who}"
    return bool(calendar.work) and not others, value, CALENDAR


def sitting(calendar: PlanCalendar, told: Sitting) -> Found:
    """How long the sessions are: every entry of the titles that come again."""
    seen = Counter(each.title for each in calendar.work)
    again = [each for each in calendar.work if seen[each.title] > 1 and _are_named(each, told.of)] or calendar.work
    if not again:
        return False, "nothing in the calendar", CALENDAR
    lengths = sorted({round(each.hours * 60) for each in again})
    wrong = {
        "at_most": lengths[-1] > told.minutes,
        "at_least": lengths[0] < told.minutes,
    }.get(told.relation, lengths[0] < told.minutes - ABOUT_MINUTES or lengths[-1] > told.minutes + ABOUT_MINUTES)
    return not wrong, f"{lengths[0]} to {lengths[-1]} minutes each", CALENDAR


def daily(calendar: PlanCalendar, told: Daily) -> Found:
    """No day between the first and the last one is without work, but for the weekdays on which there is none at all."""
    work = [each for each in calendar.work if _are_named(each, told.of)]
    if not work:
        return False, "nothing in the calendar", CALENDAR
    held = {each.day for each in work}
    span = [min(held) + timedelta(days=step) for step in range((max(held) - min(held)).days + 1)]
    due = [day for day in span if not any(first <= day <= last for first, last in told.gone)]
    lacking = [day for day in due if day not in held and day.weekday() not in told.weekdays]
    return not lacking, f"{len(held)} of {len(span)} days have work", CALENDAR


def _are_named(entry: Entry, words: tuple[str, ...]) -> bool:
    return all(has_word(entry.title, word) for word in words)


def together(calendar: PlanCalendar, told: Together) -> Found:
    """Each of several things that one statement says."""
    claims = [Claim(check=name, arguments=arguments) for part in told.parts for name, arguments in part.items()]
    found = [look_at(calendar, claim) for claim in claims]
    lacking = [value for holds, value, _ in found if not holds]
    return not lacking, "; ".join(lacking or [value for _, value, _ in found]), CALENDAR


def within(calendar: PlanCalendar, told: Within) -> Found:
    """All work lies between these hours of its day."""
    if told.also:
        held = [
            each
            for each in calendar.work
            if (on := told.on(each.start.weekday())) and on[0] <= each.start.time() < on[1]
        ]
        return bool(held), f"{len(held)} entries lie in these hours", CALENDAR
    begins, ends = told.begins or date.min, told.ends or date.max
    named = [each for each in calendar.work if _are_named(each, told.of)]
    meant = [each for each in named if begins <= each.day <= ends]
    if not meant and not (named and told.ends):  # nothing lies in that time at all
        return False, f"nothing in the calendar{' is called ' + ' '.join(told.of) if told.of else ''}", CALENDAR
    if told.weeks is not None:
        meant = [each for each in meant if each.day.isocalendar().week % 2 == (told.weeks == "odd")]
    first = min((each.start.time() for each in meant), default=time())
    wrong = [each for each in meant if not _fits(each, told)]
    value = f"outside: {_shown(wrong[0])}" if wrong else f"{len(meant)} entries, the first at {first:%H:%M}"
    return not wrong, value, CALENDAR


def _fits(entry: Entry, told: Within) -> bool:
    """Whether an entry lies in its hours, or beside hours that are taken."""
    hours = told.on(entry.day.weekday())
    if not told.outside:
        return _lies_in(entry, hours)
    at = entry.start
    return hours is None or entry.end <= datetime.combine(entry.day, hours[0], at.tzinfo) or at.time() >= hours[1]


def each_of(calendar: PlanCalendar, told: EachOf) -> Found:
    """Each of the things has its steps, and none begins before all of the one before it is over."""
    for number in range(1, told.count + 1):
        over = datetime.min.replace(tzinfo=UTC)
        for step in told.steps:
            held = [each for each in calendar.named((told.item, *step)) if not each.whole_day]
            held = [each for each in held if numbered(told.item, number).search(each.title)]
            if not held:
                return False, _lacking((told.item, str(number), *step)), CALENDAR
            if held[0].start < over:
                return False, f"too early: {_shown(held[0])}", CALENDAR
            over = max(each.end for each in held)
            if told.by is not None and held[-1].last_day > told.by:
                return False, f"too late: {_shown(held[-1])}", CALENDAR
            minutes = round(sum(each.hours for each in held) * 60)
            if told.minutes is not None and not FILLED * told.minutes <= minutes <= told.minutes / FILLED:
                return False, f"{minutes} minutes: {_shown(held[0])}", CALENDAR
    return True, f"{told.count} × {len(told.steps)} steps", CALENDAR


def not_in_a_row(calendar: PlanCalendar, told: NotInARow) -> Found:
    """Behind each day with work comes one without."""
    days = sorted({each.day for each in calendar.work if _are_named(each, told.of)})
    close = [day for day, after in itertools.pairwise(days) if (after - day).days == 1]
    return bool(days) and not close, f"both {close[0]} and the day after" if close else f"{len(days)} days", CALENDAR


def task(calendar: PlanCalendar, told: Task) -> Found:
    """Some work is named so."""
    held = tuple(each for each in calendar.doing(told.of) if not each.whole_day)
    return bool(held), named_in(calendar, held) if held else _lacking(told.of), CALENDAR


def _lies_in(entry: Entry, hours: tuple[time, time] | None) -> bool:
    if hours is None or entry.start.time() < hours[0]:
        return False
    return entry.end <= entry.start.replace(hour=hours[1].hour, minute=hours[1].minute)


def gap(calendar: PlanCalendar, told: Apart) -> Found:
    """All of the one is over so many days before the first of the other begins, or before its day."""
    if told.day is not None:
        named = calendar.doing(told.before)
        if not named:
            return False, _lacking(told.before), CALENDAR
        end = max(named, key=lambda each: each.end)
        return (told.day - end.last_day).days >= told.days, f"{_shown(end)}, then {told.day}", CALENDAR
    first, then = calendar.doing(told.before), calendar.doing(told.after)
    then = tuple(each for each in then if each not in first)
    for found, words in ((first, told.before), (then, told.after)):
        if not found:
            return False, _lacking(words), CALENDAR
    last, begins = max(first, key=lambda each: each.end), min(then, key=lambda each: each.start)
    value = f"{_shown(last)}, then {_shown(begins)}"
    return last.end <= begins.start and (begins.day - last.day).days >= told.days, value, CALENDAR


def total(calendar: PlanCalendar, told: Total) -> Found:
    """The hours of all work."""
    by = told.by or date.max
    hours = sum(each.hours for each in calendar.work if _are_named(each, told.of) and each.last_day <= by)
    if told.of and not hours:
        return False, _lacking(told.of), CALENDAR
    holds = {
        "at_most": hours <= told.hours + SLACK_HOURS,
        "at_least": hours >= told.hours - SLACK_HOURS,
    }.get(told.relation, FILLED * told.hours <= hours <= told.hours / FILLED)
    return holds and bool(calendar.work), f"{hours:g} h in all", CALENDAR


def ends_by(calendar: PlanCalendar, told: EndsBy) -> Found:
    """There is work, and the last of it is over on that day.

    Raises:
        NotMeasurable: what may be meant is over by then, and other work is not.
    """
    if not calendar.work:
        return False, "nothing in the calendar", CALENDAR
    last = max(each.last_day for each in calendar.work)
    holds = last <= told.date and (told.not_before is None or last >= told.not_before)
    if told.title and not calendar.doing(told.title):
        return False, _lacking(told.title), CALENDAR
    meant = calendar.doing(told.of) if told.of and last > told.date else ()
    if meant and max(each.last_day for each in meant) <= told.date:
        raise NotMeasurable(f"{_shown(meant[-1])}, and the last work is on {last}: which is meant is not known")
    return holds, f"the last work is on {last}", CALENDAR


def starts(calendar: PlanCalendar, told: Starts) -> Found:
    """There is work, and none of it lies before that day."""
    meant = [each for each in calendar.work if _are_named(each, told.of)]
    if not meant:
        return False, _lacking(told.of) if told.of else "nothing in the calendar", CALENDAR
    first = meant[0].day
    return first >= told.date, f"the first work is on {first}", CALENDAR


def titled(calendar: PlanCalendar, told: Titled) -> Found:
    """Some entry says it whole, or half of all hours are about it; that a title names it alone is not enough."""
    done, about = calendar.doing(told.title), calendar.doing(told.subject)
    if not about:
        return False, _lacking(told.subject), CALENDAR
    return bool(done) or calendar.share_of(about) >= HALF, named_in(calendar, done or about), CALENDAR


def named_in(calendar: PlanCalendar, found: tuple[Entry, ...]) -> str:
    """How much of a plan has the words in its titles."""
    share = f"{len(found)} of {len(calendar.entries)} entries ({calendar.share_of(found):.0%} of the hours)"
    return f"in the titles of {share}, first {_shown(found[0])}"


def _lacking(words: tuple[str, ...]) -> str:
    return f"not in any title: {' '.join(words)}"


def _no_work(calendar: PlanCalendar, forbidden: Callable[[date], bool], of: tuple[str, ...] = ()) -> Found:
    work = [each for each in calendar.work if not of or each in calendar.named(of)]
    if not work:
        return False, f"nothing in the calendar{' is called ' + ' '.join(of) if of else ''}", CALENDAR
    touching = [each for each in work if any(map(forbidden, _days_of(each)))]
    value = f"{len(touching)} lie there, the first {_shown(touching[0])}" if touching else "none lies there"
    return not touching, f"of {len(work)} entries {value}", CALENDAR


def _days_of(entry: Entry) -> list[date]:
    return [entry.day + timedelta(days=step) for step in range((entry.last_day - entry.day).days + 1)]


def _amount(entries: list[Entry], unit: str) -> float:
    return round(sum(each.hours for each in entries), 2) if unit == "hours" else len({each.day for each in entries})


def _days(days: list[date]) -> str:
    return ", ".join(map(str, days))


def _shown(entry: Entry) -> str:
    when = f"{entry.start:%Y-%m-%d}" if entry.whole_day else f"{entry.start:%Y-%m-%d %H:%M}"
    return f"{entry.title} ({when})"


LOOKS: dict[str, tuple[type[Arguments], Callable[[PlanCalendar, Any], Found]]] = {}


def look_at(calendar: PlanCalendar, claim: Claim) -> Found:
    """What a claim's check finds in a calendar that is not the user's yet.

    Raises:
        NotMeasurable: it cannot tell.
    """
    arguments, look = LOOKS[claim.check]
    return look(calendar, arguments.model_validate(claim.arguments))


def _check(
    name: str, arguments: type[Arguments], look: Callable[[PlanCalendar, Any], Found], about: tuple[str, ...] = ()
) -> Check:
    LOOKS[name] = (arguments, look)

    async def measure(run: "AgentRun", told: Any) -> Measured:
        calendar = read_calendar(run.output_dir / CALENDAR)
        holds, value, where = look(calendar, told)
        return Measured(holds, value, where, calendar.digest)

    measured: Callable[[AgentRun, Any], Awaitable[Measured]] = measure
    return Check(name, arguments, measured, about)


CHECKS = (
    _check("on_day", OnDay, on_day, ("event",)),
    _check("per_week", PerWeek, per_week, ("unit", "of")),
    _check("per_day", PerDay, per_day, ("relation",)),
    _check("none_on", Weekdays, none_on),
    _check("only_on", Weekdays, only_on),
    _check("also_on", Weekdays, also_on),
    _check("within", Within, within, ("of", "weeks")),
    _check("gap", Apart, gap),
    _check("total", Total, total, ("relation", "of")),
    _check("ends_by", EndsBy, ends_by, ("title",)),
    _check("starts", Starts, starts, ("of",)),
    _check("free", Free, free),
    _check("titled", Titled, titled),
    _check("gone", Gone, gone, ("of",)),
    _check("assigned", Assigned, assigned, ("items",)),
    _check("does_only", DoesOnly, does_only, ("items",)),
    _check("sitting", Sitting, sitting, ("of",)),
    _check("daily", Daily, daily, ("of",)),
    _check("each_of", EachOf, each_of, ("item", "steps")),
    _check("not_in_a_row", NotInARow, not_in_a_row, ("of",)),
    _check("task", Task, task, ("of",)),
    _check("together", Together, together, ("said",)),
)
"""Every check of a plan."""
