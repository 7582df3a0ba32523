"""Changes of the terms of a plan: another deadline, other hours a week, other days, other times of day."""

import re

from loopwright.agents.planner.offline.availability import read_availability
from loopwright.agents.planner.offline.change import Change
from loopwright.agents.planner.offline.effort import read_effort
from loopwright.agents.planner.offline.horizon import read_horizon
from loopwright.agents.planner.offline.told import Told


def read_event(told: Told) -> Change | None:
    """`move the exam to June 3`: what the whole plan works towards has another day, so the deadline has."""
    match = told.search("event_moved")
    if match is None:
        return None
    noun = told.reading.language.table("events")[match["moved"] or match["is"]]
    if noun != "deadline" and noun not in told.goal.lower():
        return None
    later = told.again(f"by {told.text[match.end() :].strip()}")
    until = read_horizon(later, told.today).deadline
    if until is None:
        return Change("unclear", told.text, question=" ".join(later.problems) or "To which day?")
    return Change("deadline", told.text, until=until)


def read_deadline(told: Told) -> Change | None:
    """`I need to be done by June 3`, `give me two more weeks`."""
    match = told.search("more_time")
    if match is not None and (match["extra"] or match["way"]) and told.ends is not None:
        amount = told.amount(match)
        if amount is None:
            return Change("unclear", told.text, question="Until which day?")
        sooner = (match["way"] or "").strip() in ("earlier", "sooner")
        until = told.ends - amount if sooner else told.ends + amount
        return Change("deadline", told.text, until=max(until, told.today))
    if not told.search("deadline"):
        return None
    until_day = read_horizon(told.again(), told.today).deadline
    return Change("deadline", told.text, until=until_day) if until_day is not None else None


def read_capacity(told: Told) -> Change | None:
    """`I have only 3 hours a week from now on`."""
    if not told.search("hours") and not re.search(r"\d", told.reading.left):
        return None
    trial = told.again()
    effort = read_effort(trial)
    if trial.problems:
        return Change("unclear", told.text, question=" ".join(trial.problems))
    if effort.minutes_per_week is None:
        return None
    return Change(
        "capacity",
        told.text,
        minutes_per_week=effort.minutes_per_week,
        minutes_per_day=effort.minutes_per_day,
        since=read_horizon(trial, told.today).start,
    )


def read_days(told: Told) -> Change | None:
    """`no Mondays any more`, `only in the evenings`, `after 7pm only`."""
    found = read_availability(told.again())
    if found.excluded or found.days:
        return Change("days", told.text, weekdays=found.days, excluded_weekdays=found.excluded)
    if found.after is not None or found.before is not None:
        return Change("hours", told.text, after=found.after, before=found.before)
    return None
