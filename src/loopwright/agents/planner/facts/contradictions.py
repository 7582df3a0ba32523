"""Terms that cannot hold together, found by arithmetic before any search, with what would resolve them."""

from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.schedule.calendar import free_minutes
from loopwright.agents.planner.stated import DAY_NAMES, TOTAL
from loopwright.agents.planner.terms import DAY, Terms, read_terms
from loopwright.kernel.errors import InvalidInput

ENOUGH = 0.9
"""A rate is there when the days give so much of it."""
WEEKS = 2


def weekly_capacity(terms: Terms) -> float:
    """Hours that the days and the limit of a day give in a usual week, whatever is wanted of it."""
    begin = terms.start + DAY
    free = free_minutes(terms.calendar, begin, begin + 7 * WEEKS * DAY)
    most = terms.calendar.minutes_per_day or 24 * 60
    return sum(min(minutes, most) for minutes in free.values()) / WEEKS / 60


def contradiction_of(goal: GoalFacts) -> str:
    """What of the stated terms contradicts itself, with the smallest changes that resolve it; else nothing."""
    try:
        terms = read_terms(goal)
    except InvalidInput:  # whoever uses the terms tells the user about them
        return ""
    there = weekly_capacity(terms)
    wanted = goal.hours_per_week if "hours_per_week" in goal.stated else None
    days = sorted({window.weekday for window in terms.calendar.windows})
    told = ", ".join(DAY_NAMES[day] for day in days) if len(days) < len(DAY_NAMES) else "every day"
    limit = goal.facts.get("minutes_per_day")
    each = f" at {limit / 60:g} h a day" if isinstance(limit, int) else ""
    if wanted is not None and there < ENOUGH * wanted:
        days_needed = -(-wanted * 60 // limit) if isinstance(limit, int) else 0
        ways = [f"{there:g} h a week"]
        if isinstance(limit, int) and days:
            ways.append(f"{wanted / len(days):g} h a day on these days")
        if 0 < days_needed <= len(DAY_NAMES):
            ways.append(f"{days_needed:g} days a week")
        return (
            f"{wanted:g} h a week contradict the days: {told}{each} is {there:g} h. I planned {there:g} h a week. "
            f"Together they would fit as {', or '.join(ways)}."
        )
    total = goal.facts.get(TOTAL)
    if isinstance(total, int | float) and terms.deadline is not None:
        rate = min(there, wanted) if wanted is not None else there
        weeks = (terms.deadline - terms.start) / (7 * DAY)
        if rate * weeks < ENOUGH * total:
            return (
                f"{total:g} h do not fit: {told}{each} gives {rate * weeks:.0f} h until {goal.deadline}. "
                f"They would take {total / weeks:.1f} h a week, or {total / max(rate, 0.1):.0f} weeks."
            )
    return ""
