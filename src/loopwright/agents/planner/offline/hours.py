"""The hours in which a goal is worked on, in the words that the calendar reads."""

from datetime import time

from loopwright.agents.planner.offline.goal import Goal

NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
AFTER_WORK = (time(17, 0), time(21, 30))
WEEKEND = (time(9, 0), time(18, 0))
OFFICE = (time(9, 0), time(17, 0))
FULL_TIME_MINUTES = 20 * 60
"""From twenty hours a week on, a goal is work for the day and not for the evening."""


def window_of(goal: Goal, weekday: int) -> tuple[time, time]:
    """From when to when on a weekday; what the goal leaves open is evening on workdays and day at weekends."""
    by_day = (goal.minutes_per_week or 0) >= FULL_TIME_MINUTES or (goal.minutes_per_day or 0) > 240
    usual = WEEKEND if weekday >= 5 else OFFICE if by_day else AFTER_WORK
    if goal.after is None and goal.before is None:
        return usual
    if goal.after is None:
        before = goal.before or usual[1]
        return (time(6, 0) if before > time(6, 0) else time(0, 0)), before
    if goal.before is None:
        return goal.after, (time(22, 0) if goal.after < time(21, 0) else time(23, 45))
    return goal.after, goal.before


def hours_words(goal: Goal) -> str:
    """`Mon 18:00–22:00, Tue 18:00–22:00`, the days with the same hours one after the other."""
    parts = []
    for day in goal.allowed_days:
        start, end = window_of(goal, day)
        parts.append(f"{NAMES[day]} {start:%H:%M}–{end:%H:%M}")
    return ", ".join(parts)


def longest_session(goal: Goal) -> int:
    """Minutes that fit in one go on every day, at least a quarter of an hour and at most three hours."""
    lengths = []
    for day in goal.allowed_days:
        start, end = window_of(goal, day)
        lengths.append((end.hour - start.hour) * 60 + end.minute - start.minute)
    return max(15, min(180, *lengths) // 15 * 15)
