"""Terms that cannot hold together, found by arithmetic before any draft, with the smallest changes that resolve them.

A way out is a statement in the user's language that the grammar of changes reads: what is offered and what the user
says instead go the same way.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from loopwright.agents.planner.contracts.state import Contradiction, GoalFacts
from loopwright.agents.planner.facts.phrases import Phrases, phrases_for
from loopwright.agents.planner.stated import (
    DAILY,
    EACH,
    HOURS_OF,
    LEAST_HOURS,
    MINUTES_EACH,
    PLACED,
    SESSIONS,
    SITTING,
    TOTAL,
)
from loopwright.agents.planner.terms import Terms, read_terms
from loopwright.kernel.errors import InvalidInput

ENOUGH = 0.9
"""A rate is there when the days give so much of it."""
WEEK, QUARTER = 7, 15


def contradiction_of(goal: GoalFacts) -> Contradiction | None:
    """The first contradiction among the stated terms; None where they can hold together."""
    try:
        terms = read_terms(goal)
    except InvalidInput:  # whoever uses the terms tells the user about them
        return None
    week = _Week.of(goal, terms)
    return next((found for look in LOOKS for found in look(week)), None)


@dataclass(frozen=True)
class _Week:
    """A usual week of the goal: the days with time, what each gives, and what is wanted of it. Hours throughout."""

    goal: GoalFacts
    say: Phrases
    days: tuple[int, ...]
    given: dict[int, float]
    longest: float
    weeks: float | None
    wanted: float | None
    least: float | None
    daily_limit: float | None
    bound: bool

    @classmethod
    def of(cls, goal: GoalFacts, terms: Terms) -> "_Week":
        limit = goal.facts.get("minutes_per_day")
        most = limit / 60 if isinstance(limit, int) else None
        given: dict[int, float] = {}
        for window in terms.calendar.windows:
            length = (window.end.hour * 60 + window.end.minute - window.start.hour * 60 - window.start.minute) / 60
            given[window.weekday] = given.get(window.weekday, 0.0) + (length if length > 0 else length + 24)
        stated = set(goal.stated)
        if not stated & {"hours", "days", PLACED}:  # days that nobody has named are no limit
            given = dict.fromkeys(range(WEEK), max(given.values(), default=0.0))
        longest = min(given.values(), default=0.0)
        given = {day: min(hours, most) if most is not None else hours for day, hours in given.items()}
        span = terms.deadline - terms.start if terms.deadline is not None else None
        return cls(
            goal,
            phrases_for(goal),
            tuple(sorted(given)),
            given,
            longest,
            span / timedelta(days=WEEK) if span is not None else None,
            goal.hours_per_week if "hours_per_week" in stated else None,
            goal.facts.get(LEAST_HOURS),
            most,
            bool(stated & {"hours", "days", "minutes_per_day", PLACED}),
        )

    @property
    def there(self) -> float:
        """Hours that the days give."""
        return sum(self.given.values())

    @property
    def told(self) -> str:
        """The days and what each gives, in words."""
        return self.say.days_with(self.days, self.daily_limit)

    def more_days(self, count: int) -> tuple[int, ...]:
        """So many days of the week: those that there are, and those that lie next to them."""
        days = list(self.days)
        for step in range(1, WEEK):
            for day in (*((each + step) % WEEK for each in self.days), *((each - step) % WEEK for each in self.days)):
                if len(days) < count and day not in days:
                    days.append(day)
        return tuple(sorted(days))


def _rate(week: _Week) -> Iterator[Contradiction]:
    """Hours a week that the days, the hours of the day or the limit of a day do not give."""
    wanted = week.least or week.wanted
    if wanted is None or not week.bound or not week.days or week.there >= ENOUGH * wanted:
        return
    say = week.say
    ways = [say.weekly(week.there)]
    each = wanted / len(week.days)
    if week.daily_limit is not None and each <= week.longest:
        ways.append(say.daily(each))
    if week.daily_limit is not None and (count := -(-wanted // week.daily_limit)) <= WEEK and count > len(week.days):
        ways.append(say.only_on(week.more_days(int(count))))
    text = say.contradict(say.weekly(wanted), f"{week.told} = {say.hours(week.there)}")
    yield _told(text, tuple(ways), ways[0] if week.least is None else None)


def _bounds(week: _Week) -> Iterator[Contradiction]:
    """At least so many hours a week, and at most fewer."""
    if week.least is not None and week.wanted is not None and week.wanted < week.least:
        say = week.say
        ways = (say.weekly(week.least), say.least(week.wanted))
        yield _told(say.contradict(say.least(week.least), say.weekly(week.wanted)), ways)


def _counts(week: _Week) -> Iterator[Contradiction]:
    """More sessions a week than there are days for them."""
    for name, count in week.goal.facts.get(SESSIONS, []):
        if week.bound and 0 < len(week.days) < count:
            say, some = week.say, len(week.days)
            ways = (say.times(some, name), say.only_on(week.more_days(count)))
            yield _told(say.contradict(say.times(count, name), f"{week.told} = {some}"), ways)


def _sittings(week: _Week) -> Iterator[Contradiction]:
    """Sessions longer than a day allows, or together longer than a week does."""
    say, facts = week.say, week.goal.facts
    sitting = (facts.get(SITTING) or 0) / 60
    if week.daily_limit is not None and sitting > week.daily_limit:
        ways = (say.sitting(week.daily_limit), say.daily(sitting))
        yield _told(say.contradict(say.sitting(sitting), say.daily(week.daily_limit)), ways, ways[0])
    if week.wanted is None:
        return
    for name, count in facts.get(SESSIONS, []):
        if sitting and sitting * count * ENOUGH > week.wanted:
            told = f"{say.times(count, name)}, {say.sitting(sitting)} = {say.hours(sitting * count)}"
            each = round(week.wanted * 60 / count) / 60
            fewer = (say.times(int(week.wanted // sitting), name),) if week.wanted >= sitting else ()
            ways = (say.weekly(sitting * count), say.sitting(each), *fewer)
            yield _told(say.contradict(told, say.weekly(week.wanted)), ways)
    each_day = sitting or week.daily_limit
    if facts.get(DAILY) and each_day and each_day * len(week.days) * ENOUGH > week.wanted:
        whole = each_day * len(week.days)
        told = f"{say.every_day(each_day)} = {say.hours(whole)}"
        yield _told(say.contradict(told, say.weekly(week.wanted)), (say.weekly(whole),))


def _places(week: _Week) -> Iterator[Contradiction]:
    """Something on a day on which there may be nothing."""
    for words, days in week.goal.facts.get(PLACED, []):
        closed = [day for day in days if day not in week.days]
        if closed and week.bound and week.days:
            say = week.say
            ways = (say.only_on(tuple(sorted({*week.days, *closed}))), say.on(words, week.days[-1:]))
            yield _told(say.contradict(say.on(words, closed), week.told), ways)


def _total(week: _Week) -> Iterator[Contradiction]:
    """Hours in all that are not there until the last day."""
    stated = week.goal.facts.get(TOTAL)
    total = stated if isinstance(stated, int | float) else _named_hours(week.goal)
    if not total or not week.weeks or week.weeks <= 0:
        return
    rate = min(week.there, week.wanted) if week.wanted is not None else week.there
    if rate * week.weeks >= ENOUGH * total:
        return
    say, deadline = week.say, week.goal.deadline or date.max
    there = round(rate * week.weeks)
    ways = [say.total(there)] if stated else []
    later = (week.goal.today or deadline) + timedelta(days=round(total / max(rate, 0.1) * WEEK) + WEEK)
    if rate and not any(deadline < event.date <= later for event in week.goal.appointments):
        ways.append(say.by(later))  # what is for an event is of no use after it
    each = -(-total * 60 // (week.weeks * len(week.days) * QUARTER)) * QUARTER / 60 if week.days else 0.0
    if week.wanted is None and week.daily_limit is not None and week.daily_limit < each <= week.longest:
        ways.insert(0, say.daily(each))
    if week.wanted is not None and total / week.weeks <= week.there:
        ways.insert(0, say.most(-(-total // week.weeks)))
    pace = say.weekly(rate) if rate == week.wanted else week.told
    given = f"{pace}, {say.by(deadline)}"
    yield _told(say.contradict(say.total(total), f"{given} = {say.hours(there)}"), tuple(ways))


def _named_hours(goal: GoalFacts) -> float:
    """The hours of all that is said to take some: "8 modules, each needs 5 hours", "10 hours for the writing"."""
    lengths = dict(goal.facts.get(MINUTES_EACH, []))
    things = sum(count * lengths.get(item, 0) / 60 for item, count, _ in goal.facts.get(EACH, []))
    return float(things + sum(hours for _, hours in goal.facts.get(HOURS_OF, [])))


def _told(text: str, ways: Sequence[str], safe: str | None = None) -> Contradiction:
    return Contradiction(text=text, ways=list(ways), safe=safe)


LOOKS: Sequence[Callable[[_Week], Iterator[Contradiction]]] = (_bounds, _rate, _counts, _sittings, _places, _total)
