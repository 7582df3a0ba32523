"""Plain English goals as facts: what, how far, by when, how much time, on which days, and what is missing."""

from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from loopwright.agents.planner.intake import EXAMPLE, MOST_READ
from loopwright.agents.planner.offline.availability import Availability, read_availability
from loopwright.agents.planner.offline.effort import Effort, read_effort
from loopwright.agents.planner.offline.family import Family, families, recognise
from loopwright.agents.planner.offline.feasts import country_of, public_holidays, stretches
from loopwright.agents.planner.offline.horizon import Horizon, read_horizon
from loopwright.agents.planner.offline.language import language
from loopwright.agents.planner.offline.questions import Question, questions_for
from loopwright.agents.planner.offline.reading import Reading
from loopwright.agents.planner.offline.subject import read_subject
from loopwright.agents.planner.offline.targets import Money, Targets, read_targets
from loopwright.kernel.errors import InvalidInput

UNKNOWN = 0.4
"""Below it neither a family nor a pattern knows the words."""


@dataclass(frozen=True)
class Goal:
    """A goal as understood. What the text does not say is None or empty; `questions` are worth asking about it.

    `problems` are things that cannot be, told for the user; `notes` how something was read; `confidence` 0 to 1 how
    sure the family is. `own_kind` is what the user calls this kind of plan. `deadline` is the last day of work.
    """

    text: str
    title: str
    subject: str
    family: str
    pattern: str
    subtype: str | None
    start: date
    zone: str
    deadline: date | None = None
    level: str | None = None
    target: str | None = None
    distance: str | None = None
    minutes_per_week: int | None = None
    minutes_per_day: int | None = None
    session_minutes: int | None = None
    total_minutes: int | None = None
    times_per_week: float | None = None
    recurrence: str = "none"
    days: tuple[int, ...] = ()
    excluded_days: tuple[int, ...] = ()
    day_parts: tuple[str, ...] = ()
    after: time | None = None
    before: time | None = None
    away: tuple[tuple[date, date], ...] = ()
    budget: Money | None = None
    sum: Money | None = None
    place: str | None = None
    must_haves: tuple[str, ...] = ()
    facts: dict[str, float] = field(default_factory=dict)
    confidence: float = 0.0
    own_kind: str | None = None
    questions: tuple[Question, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def allowed_days(self) -> tuple[int, ...]:
        """The weekdays on which work may be done, 0 is Monday."""
        days = self.days or tuple(range(7))
        return tuple(day for day in days if day not in self.excluded_days) or tuple(range(7))

    @property
    def weeks(self) -> float | None:
        """From the start to the deadline, both days included, in weeks."""
        return None if self.deadline is None else ((self.deadline - self.start).days + 1) / 7


def understand_goal(text: str, today: date, zone: ZoneInfo | str) -> Goal:
    """What the text asks for, by rules.

    Raises:
        InvalidInput: there is nothing in the text that could be a goal.
    """
    if not any(char.isalpha() for char in text[:MOST_READ]):
        raise InvalidInput("There are no words in this goal.", hint=EXAMPLE)
    country = country_of(str(zone))
    reading = Reading.of(text, language(), month_first=country == "US")
    whole = reading.left
    targets = read_targets(reading)
    effort = read_effort(reading)
    horizon = read_horizon(reading, today)
    availability = read_availability(reading)
    own_kind = reading.take(language().raw["own_kind"])
    wants_holidays = reading.take(language().raw["no_holidays"]) is not None
    subject = read_subject(reading)
    cue = _pattern_cue(reading, whole, horizon, effort)
    family, confidence = recognise(whole, cue)
    if wants_holidays:
        last = horizon.deadline or horizon.start + timedelta(weeks=family.weeks)
        horizon.away = (*horizon.away, *_holidays(reading, country, horizon.start, last))
    known = _known(horizon, effort, targets, subject.place, availability, whole)
    goal = Goal(
        text=reading.text,
        title=subject.title or family.title,
        subject=subject.subject or family.subject,
        family=family.key,
        pattern=family.pattern,
        subtype=family.subtype,
        zone=str(zone),
        start=horizon.start,
        confidence=confidence,
        own_kind=reading.original(own_kind, "name") if own_kind else None,
        place=subject.place,
        must_haves=subject.must_haves,
        questions=questions_for(family, known, unknown=confidence < UNKNOWN),
        problems=tuple(reading.problems),
        notes=tuple(reading.notes),
    )
    return replace(goal, **_facts(horizon, effort, availability, targets))


def _holidays(reading: Reading, country: str | None, first: date, last: date) -> list[tuple[date, date]]:
    """The public holidays of the user's country, told in a note."""
    found = public_holidays(country, first, last) if country is not None else {}
    if country is None:
        reading.problems.append("Your time zone names no country, so I know no public holidays; name the days.")
    elif found:
        names = ", ".join(f"{name} ({day.day} {day:%b %Y})" for day, name in list(found.items())[:6])
        more = f" and {len(found) - 6} more" if len(found) > 6 else ""
        reading.notes.append(f"Public holidays that stay free ({country}): {names}{more}.")
    else:
        reading.notes.append(f"I know no public holiday of {country} from {first} to {last}.")
    return list(stretches(list(found)))


def _facts(horizon: Horizon, effort: Effort, availability: Availability, targets: Targets) -> dict[str, Any]:
    return {
        "deadline": horizon.deadline,
        "away": horizon.away,
        "level": targets.level,
        "target": targets.target,
        "distance": targets.distance,
        "budget": targets.budget,
        "sum": targets.sum,
        "facts": targets.facts,
        "minutes_per_week": effort.minutes_per_week,
        "minutes_per_day": effort.minutes_per_day,
        "session_minutes": effort.session_minutes,
        "total_minutes": effort.total_minutes,
        "times_per_week": effort.times_per_week,
        "recurrence": effort.recurrence,
        "days": availability.days or effort.days,
        "excluded_days": availability.excluded,
        "day_parts": availability.day_parts,
        "after": availability.after,
        "before": availability.before,
    }


def _pattern_cue(reading: Reading, whole: str, horizon: Horizon, effort: Effort) -> str | None:
    """The pattern that the words alone speak for, where no family knows the goal."""
    for pattern, template in reading.language.raw["pattern_cues"]:
        if reading.language.pattern(template).search(whole):
            return str(pattern)
    if horizon.deadline is not None:
        return "milestone_project"
    return "recurring_cycle" if effort.recurrence != "none" else None


def _known(
    horizon: Horizon, effort: Effort, targets: Targets, place: str | None, availability: Availability, text: str
) -> set[str]:
    """Which facts need not be asked for."""
    facts = {
        "deadline": horizon.deadline is not None,
        "hours": effort.minutes_per_week is not None or effort.total_minutes is not None,
        "level": targets.level is not None,
        "target": targets.target is not None or targets.sum is not None or bool(targets.facts),
        "distance": targets.distance is not None,
        "budget": targets.budget is not None or targets.sum is not None,
        "place": place is not None,
        "days": bool(availability.days or availability.excluded or effort.days),
        "experience": any(word in text for word in ("beginner", "from scratch", "never ", "intermediate", "advanced")),
    }
    return {name for name, known in facts.items() if known}


def family_of(goal: Goal) -> Family:
    """The family of a goal."""
    return families()[goal.family]


def horizon_of(goal: Goal) -> tuple[date, date]:
    """First and last day of the plan; without a deadline the family's usual length."""
    if goal.deadline is not None:
        return goal.start, goal.deadline
    return goal.start, goal.start + timedelta(weeks=family_of(goal).weeks) - timedelta(days=1)
