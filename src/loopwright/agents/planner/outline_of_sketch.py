"""A sketch as an outline: parts become phases, weekly sessions become cycles, estimates fill the stated hours."""

from collections.abc import Iterator, Sequence
from typing import Any

from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.account.days import clauses_of
from loopwright.agents.planner.contracts.plan import PatternSpec, PlanContext, PlanOutline
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState, Sketch, SketchSessions
from loopwright.agents.planner.grammar import load_outline
from loopwright.agents.planner.sketch_fitting import fitted, space_of
from loopwright.agents.planner.stated import ORDER, PLACED
from loopwright.agents.planner.terms import Terms, read_terms

DAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
LONGEST_TITLE = 120


def outline_of(state: PlanningState, pattern: PatternSpec, plan: str) -> PlanOutline:
    """The outline of a sketch, under the plan's own ids.

    Raises:
        InvalidInput: the goal's terms cannot be used, or the order of the tasks closes a circle.
    """
    (sketch, notes), terms = fitted(state.goal, state.sketch), read_terms(state.goal)
    root = {"id": "g", "node_type": "goal", "level": 1, "title": goal_title(state.goal)}
    nodes = [
        root,
        *_parts(sketch, state.goal.facts.get(ORDER, [])),
        *_sessions(sketch.sessions, state.goal, terms),
    ]
    return load_outline({"nodes": nodes, "notes": notes}, plan=plan, pattern=pattern, context=PlanContext())


def goal_title(goal: GoalFacts) -> str:
    """The first clause of the goal's words."""
    first = next((part.strip() for part in clauses_of(goal.text) if part.strip()), goal.text.strip())
    title = first if len(first) <= LONGEST_TITLE else f"{first[: LONGEST_TITLE - 1]}…"
    return title[:1].upper() + title[1:] if len(title) > 1 else "Goal"


def hours_there(goal: GoalFacts) -> int | None:
    """The hours that can be worked until the deadline; None without one."""
    total = space_of(goal).total
    return None if total is None else round(total / 60)


def _parts(sketch: Sketch, stated: Sequence[Any]) -> Iterator[dict[str, Any]]:
    ids = {
        task.title: f"p{number}t{place}"
        for number, part in enumerate(sketch.parts, 1)
        for place, task in enumerate(part.tasks, 1)
    }
    order = list(dict.fromkeys(_stated_order(sketch, stated)))
    in_order = all(_place(sketch, first) <= _place(sketch, then) for first, then in order)
    for number, part in enumerate(sketch.parts, 1):
        after = [f"p{number - 1}"] if number > 1 and in_order else []
        yield {
            "id": f"p{number}",
            "parent_id": "g",
            "node_type": "phase",
            "level": 2,
            "title": part.title,
            "dependencies": after,
        }
        for task in part.tasks:
            yield {
                "id": ids[task.title],
                "parent_id": f"p{number}",
                "node_type": "task",
                "level": 3,
                "title": task.title,
                "estimated_minutes": task.minutes,
                "latest": task.latest.isoformat() if task.latest is not None else None,
                "dependencies": [ids[first] for first, then in order if then == task.title],
            }


def _stated_order(sketch: Sketch, stated: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Pairs of titles that the user's words put in an order: tasks with the words of the one, before the other's."""
    titles = [task.title for part in sketch.parts for task in part.tasks]
    for before, after, _days in stated:
        first = [title for title in titles if all(has_word(title, word) for word in before)]
        then = [title for title in titles if all(has_word(title, word) for word in after) and title not in first]
        yield from ((one, other) for one in first for other in then)


def _place(sketch: Sketch, title: str) -> int:
    return next(number for number, part in enumerate(sketch.parts) if title in {task.title for task in part.tasks})


def _sessions(series: Sequence[SketchSessions], goal: GoalFacts, terms: Terms) -> Iterator[dict[str, Any]]:
    open_days = sorted({window.weekday for window in terms.calendar.windows})
    placed = [(list(words), [int(day) for day in days]) for words, days in goal.facts.get(PLACED, [])]
    taken: set[int] = set()
    # What the user has put on certain days gets them first.
    days_of: dict[str, list[int]] = {}
    for each in sorted(series, key=lambda one: not _own_days(one.title, placed)):
        wanted = [day for day in _own_days(each.title, placed) if day in open_days] or open_days
        days_of[each.title] = spread(wanted, taken, each.times_per_week)
        taken |= set(days_of[each.title])
    for number, each in enumerate(series, 1):
        rule = f"FREQ=WEEKLY;BYDAY={','.join(DAY_CODES[day] for day in days_of[each.title])}"
        name = f"c{number}"
        title = f"{each.title} ({each.times_per_week}×)"
        yield {
            "id": name,
            "parent_id": "g",
            "node_type": "cycle",
            "level": 2,
            "title": title,
            "recurrence": "weekly",
        }
        yield {
            "id": f"{name}t",
            "parent_id": name,
            "node_type": "task",
            "level": 3,
            "title": each.title,
            "estimated_minutes": each.minutes,
            "rrule": rule,
            "splittable": False,
        }


def _own_days(title: str, placed: Sequence[tuple[list[str], list[int]]]) -> list[int]:
    return next((days for words, days in placed if all(has_word(title, word) for word in words)), [])


def spread(days: Sequence[int], taken: set[int], count: int) -> list[int]:
    """So many of the days, those that nothing else has first, as far from each other as they can be."""
    free = [day for day in days if day not in taken] or list(days)
    pool = free if len(free) >= count else list(days)
    count = min(count, len(pool))
    return sorted({pool[round(step * len(pool) / count) % len(pool)] for step in range(count)})
