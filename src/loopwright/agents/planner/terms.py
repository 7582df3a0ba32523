"""On what terms work is scheduled: the goal's facts as a calendar and a horizon."""

from calendar import day_abbr
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, cast, get_args
from zoneinfo import ZoneInfo

from loopwright.agents.planner.contracts.plan import StrategyProfile
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.schedule.calendar import first_instant
from loopwright.agents.planner.schedule.hours import DEFAULT_HOURS, parse_hours
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Aim, Span, Window, WorkingCalendar
from loopwright.agents.planner.schedule.problem_checks import load_zone
from loopwright.kernel.errors import InvalidInput

Mode = Literal["push", "relax", "hybrid", "manual"]
DAY = timedelta(days=1)
USUAL_MINUTES_PER_WEEK = 2_400
WEEK_HOURS = "week_hours"
"""Facts: hours of the weeks with an odd or an even number: which, weekdays, first, last, whether they are taken."""
OPENED = "opened"
"""Facts: hours that the plan has beside its own, for something that has its times: weekday, first, last."""
AHEAD = timedelta(days=400)
LONG_DAY = (time(8), time(22))
"""Between these hours there may be work where a job takes others in turns."""
USUAL_HOURS = "09:00–17:00"
"""The hours of days that were named without any."""


@dataclass(frozen=True)
class Terms:
    """The calendar, the first instant, and the last one where there is a deadline."""

    calendar: WorkingCalendar
    start: datetime
    deadline: datetime | None
    mode: Mode
    aims: tuple[Aim, ...] = ("early",)
    events: tuple[datetime, ...] = ()

    @property
    def zone(self) -> ZoneInfo:
        """The user's zone."""
        return self.calendar.zone


def read_terms(goal: GoalFacts, strategy: StrategyProfile | None = None) -> Terms:
    """The terms that the goal's facts make.

    A plan starts with its first day, but never before the moment at which it was asked for. The deadline is the last
    day on which work may be done. `facts` may set `minutes_per_day`, `tasks_per_day`,
    `break_minutes`, `max_consecutive_minutes` (null takes a limit away), `days` (weekdays that alone count, 0 is
    Monday), `days_off` (ISO dates), `mode` and `aims` (the objective, the most important aim first).

    Raises:
        InvalidInput: the zone, the hours, a date or a number cannot be understood; the deadline lies before the start,
            or nothing is left of its day.
    """
    zone = load_zone(goal.timezone)
    now = goal.now or datetime.now(UTC)
    first = goal.start or goal.today or now.astimezone(zone).date()
    if goal.deadline is not None and goal.deadline < first:
        raise InvalidInput(
            f"The deadline {goal.deadline} lies before the start {first}.",
            hint="Give a later deadline or another start.",
        )
    mode = goal.facts.get("mode") or (strategy.mode if strategy is not None else "hybrid")
    if mode not in get_args(Mode):
        raise InvalidInput(f"There is no mode {str(mode)[:40]!r}.", hint=f"Modes are {', '.join(get_args(Mode))}.")
    deadline = None if goal.deadline is None else first_instant(goal.deadline + DAY, zone)
    start = max(first_instant(first, zone), next_quarter(now)) if goal.now is not None else first_instant(first, zone)
    if deadline is not None and deadline <= start:
        raise InvalidInput(f"Nothing is left of {goal.deadline}, the deadline.", hint="Give a later deadline.")
    events = tuple(sorted(first_instant(each.date, zone) for each in goal.appointments))
    return Terms(_calendar(goal, zone), start, deadline, cast(Mode, mode), _aims(goal, cast(Mode, mode)), events)


def _aims(goal: GoalFacts, mode: Mode) -> tuple[Aim, ...]:
    """The objective in its order: what `facts` say, else what the mode means.

    Weeks are evened out up to a deadline; without one, that would only make the plan longer.
    """
    asked = goal.facts.get("aims")
    if asked is not None:
        if not isinstance(asked, list) or any(each not in get_args(Aim) for each in asked):
            raise InvalidInput(f"aims is a list of {', '.join(get_args(Aim))}.", hint="The most important one first.")
        return tuple(cast(list[Aim], asked))
    if mode == "push":
        return ("whole", "early")
    weeks = goal.deadline is not None or mode == "relax"
    return ("whole", "even_weeks", "even_days", "early") if weeks else ("whole", "even_days", "early")


def next_quarter(moment: datetime) -> datetime:
    """The first quarter of an hour that has not begun before the moment, in UTC.

    The clocks of all zones are set whole quarters of an hour apart, so that it is one on each of them.
    """
    past_the_hour = moment.astimezone(UTC) - moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    grid = timedelta(minutes=GRID_MINUTES)
    return moment.astimezone(UTC) + (-past_the_hour % grid)


def _calendar(goal: GoalFacts, zone: ZoneInfo) -> WorkingCalendar:
    days = goal.facts.get("days")
    named = ", ".join(f"{day_abbr[day]} {USUAL_HOURS}" for day in days) if isinstance(days, list) else ""
    # What is done on a Sunday opens the Sunday, where no hours are stated.
    weekend = {int(day) for _, placed in goal.facts.get("placed", ()) for day in placed if int(day) not in range(5)}
    also = "".join(f", {day_abbr[day]} {USUAL_HOURS}" for day in sorted(weekend))
    windows = parse_hours(goal.hours or named or DEFAULT_HOURS + also)
    for day, first, last in goal.facts.get(OPENED, ()):
        windows = (*windows, Window(int(day), time.fromisoformat(first), time.fromisoformat(last)))
    if isinstance(days, list) and days:
        windows = tuple(window for window in windows if window.weekday in days)
        if not windows:
            raise InvalidInput("No working hours lie on the days that are left.", hint="Name other days or hours.")
    weekly = None if goal.hours_per_week is None else max(1, round(goal.hours_per_week * 60))
    return WorkingCalendar(
        zone=zone,
        windows=windows,
        exceptions=_by_week(goal, windows)
        | dict.fromkeys((*map(_date, goal.facts.get("days_off") or ()), *_appointed(goal)), ()),
        blackouts=_spans(goal.blackouts, zone),
        busy=_spans(goal.busy, zone),
        minutes_per_day=_limit(goal, "minutes_per_day", 480),
        minutes_per_week=weekly if weekly is not None else _limit(goal, "minutes_per_week", USUAL_MINUTES_PER_WEEK),
        tasks_per_day=_limit(goal, "tasks_per_day", 10),
        break_minutes=_limit(goal, "break_minutes", 15, least=0) or 0,
        max_consecutive_minutes=_limit(goal, "max_consecutive_minutes", 240),
    )


Hours = tuple[time, time]


def _by_week(goal: GoalFacts, windows: Iterable[Window]) -> dict[date, tuple[Hours, ...]]:
    """The hours of each day of the weeks for which some are stated by their number."""
    rules = goal.facts.get(WEEK_HOURS) or ()
    first = goal.start or goal.today
    if not rules or first is None:
        return {}
    usual: dict[int, list[Hours]] = {}
    for window in windows:
        own = (
            (window.start, time(23, 59) if window.end == time() else window.end) if "hours" in goal.stated else LONG_DAY
        )
        usual.setdefault(window.weekday, [])
        if own not in usual[window.weekday]:
            usual[window.weekday].append(own)
    found: dict[date, tuple[Hours, ...]] = {}
    for step in range(((goal.deadline or first + AHEAD) - first).days + 1):
        day = first + DAY * step
        own_rules = [each for each in rules if _holds(str(each[0]), day)]
        if own_rules:
            hours = usual.get(day.weekday(), [])
            for _, days, begin, end, taken in own_rules:
                hours = _ruled(hours, (time.fromisoformat(begin), time.fromisoformat(end)), day, days, taken=taken)
            found[day] = tuple(sorted(hours))
    return found


def _holds(when: str, day: date) -> bool:
    """Whether a rule holds on a day: in weeks with an odd or even number, or between two days that "/" divides."""
    first, _, last = when.partition("/")
    return first <= day.isoformat() <= last if last else (day.isocalendar().week % 2 == 1) == (when == "odd")


def _ruled(hours: list[Hours], rule: Hours, day: date, days: list[int], *, taken: bool) -> list[Hours]:
    """What a rule leaves of the hours of a day: what lies within it, or beside what it takes."""
    if days and day.weekday() not in days:
        return hours if taken else []
    if taken:
        cut = [(max(one, begin), min(other, end)) for begin, end in hours for one, other in _beside(rule)]
    else:
        cut = [(max(begin, rule[0]), min(end, rule[1])) for begin, end in hours]
    return [(begin, end) for begin, end in cut if begin < end]


def _beside(rule: Hours) -> tuple[Hours, Hours]:
    return (time(), rule[0]), (rule[1], time(23, 59))


def _appointed(goal: GoalFacts) -> list[date]:
    """On the day of an appointment nothing else is done."""
    return [each.date for each in goal.appointments]


def _limit(goal: GoalFacts, name: str, usual: int, *, least: int = 1) -> int | None:
    value: Any = goal.facts.get(name, usual)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InvalidInput(f"{name} must be a whole number from {least}, or null.", hint=f"The usual is {usual}.")
    return value


def _spans(pairs: Iterable[tuple[str, str]], zone: ZoneInfo) -> tuple[Span, ...]:
    spans = [Span(read_moment(start, zone), read_moment(end, zone, end=True)) for start, end in pairs]
    return tuple(span for span in spans if span.start < span.end)


def _date(text: object) -> date:
    try:
        return date.fromisoformat(str(text))
    except ValueError as error:
        raise InvalidInput(f"{str(text)[:40]!r} is no date.", hint="Write dates such as 2027-03-15.") from error


def read_moment(text: str, zone: ZoneInfo, *, end: bool = False) -> datetime:
    """An ISO date or time; a date is its first instant, or with `end` its last; without offset the zone's clock counts.

    Raises:
        InvalidInput: it is neither.
    """
    try:
        if len(text) == 10:
            return first_instant(date.fromisoformat(text) + (DAY if end else timedelta()), zone)
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{text[:40]!r} is no date or time.", hint="Write 2027-03-15 or 2027-03-15T18:00+01:00."
        ) from error
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment
