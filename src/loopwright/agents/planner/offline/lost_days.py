"""Days that were lost or will be: "I lost Tuesday", "I am ill this week", "December 24 is off"."""

import re
from datetime import date, timedelta

from loopwright.agents.planner.offline.change import Change
from loopwright.agents.planner.offline.horizon import read_horizon, spelled_day
from loopwright.agents.planner.offline.told import Told, phrases

MOST_DAYS = 366


def read_lost(told: Told) -> Change | None:
    """Days on which nothing was, or can be, done; a task that was missed is done later."""
    if not told.search("lost"):
        return None
    days = named_dates(told)
    if days:
        return Change("lost_days", told.text, days=days)
    found = told.mention(told.reading.left)
    if found.ids:
        return Change("move", told.text, node_ids=found.ids, until=told.today)
    return Change("lost_days", told.text, question="Which days do you mean?")


def named_dates(told: Told) -> tuple[date, ...]:
    """The days that the words name. A weekday is the last such day for what has been, else the next one."""
    words, today = told.reading.left, told.today
    past = re.search(phrases()["past"], words) is not None
    spans = read_horizon(told.again(f"away {told.text}" if "away" not in words else told.text), today).away
    if spans:
        return tuple(
            start + timedelta(days=step)
            for start, end in spans
            for step in range(min(MOST_DAYS, (end - start).days + 1))
        )
    week = re.search(phrases()["week"], words)
    if week is not None:
        shift = {"last": -7, "next": 7}.get(week[0].split()[0], 0)
        monday = today - timedelta(days=today.weekday()) + timedelta(days=shift)
        days = [monday + timedelta(days=step) for step in range(7)]
        # Who is ill this week has worked on the days before.
        return tuple(day for day in days if past or day >= today)
    for word, ahead in (("yesterday", -1), ("tomorrow", 1), ("today", 0)):
        if re.search(rf"\b{word}\b", words):
            return (today + timedelta(days=ahead),)
    return _calendar_days(told) or _weekdays(told, past)


def _calendar_days(told: Told) -> tuple[date, ...]:
    found, months = [], told.reading.language.table("months")
    for match in list(told.reading.language.pattern("{date:day}").finditer(told.reading.left))[:20]:
        # A month alone names no day: "I lost May" is asked about.
        day = None if match["day"] in months else spelled_day(told.again(), match["day"], told.today)
        found += [day] if day is not None else []
    return tuple(dict.fromkeys(found))


def _weekdays(told: Told, past: bool) -> tuple[date, ...]:
    table = told.reading.language.table("weekdays")
    found = []
    for match in re.finditer(told.reading.language.expand("{weekdays}"), told.reading.left):
        ahead = (table[match[0]] - told.today.weekday()) % 7
        found.append(told.today + timedelta(days=ahead - 7 if past and ahead else ahead))
    return tuple(dict.fromkeys(found))
