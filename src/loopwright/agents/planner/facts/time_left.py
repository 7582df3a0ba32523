"""What fits into the time that a change of a settled plan leaves: shorter estimates, and parts on other days."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.contracts.plan import PlanNode
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.facts.items import STATED
from loopwright.agents.planner.grammar.waiting import Tree
from loopwright.agents.planner.problem_tasks import SLOT, WINDOW
from loopwright.agents.planner.roadmap_options import rate_of, recurring_source
from loopwright.agents.planner.schedule.calendar import first_instant, free_minutes
from loopwright.agents.planner.stated import NOT_BEFORE
from loopwright.agents.planner.terms import read_terms

DAY = timedelta(days=1)
LEAST, QUARTER = 30, 15
MUCH = 0.8
"""A part that keeps less than this share of its time is moved on."""
SPARE = 0.85
"""So much of the time that is left may be taken by what is open: sessions have to fit into days."""


def space(state: PlanningState, today: date) -> int | None:
    """The minutes that can be worked from today to the last day; None where there is none."""
    terms = read_terms(state.goal)
    if terms.deadline is None:
        return None
    weeks: dict[tuple[int, int], int] = {}
    for day, minutes in free(state, today).items():
        week = day.isocalendar()[:2]
        weeks[week] = weeks.get(week, 0) + minutes
    most = terms.calendar.minutes_per_week
    return sum(minutes if most is None else min(minutes, most) for minutes in weeks.values())


def free(state: PlanningState, today: date) -> dict[date, int]:
    """The minutes that there are on each day from today to the last one."""
    terms = read_terms(state.goal)
    begin = max(terms.start, first_instant(today, terms.zone))
    return free_minutes(terms.calendar, begin, terms.deadline) if terms.deadline is not None else {}


def fit(
    state: PlanningState, before: int | None, today: date, *, rate: float | None = None, more: bool = False
) -> None:
    """With less time, or `more` to do, estimates of what is open are shorter: the rest still fits before the end.

    They are nobody's words, and a limit is; what the user has given hours to stays as long. What is no single task and
    has a day of its own is not touched.
    """
    after, goal = space(state, today), state.goal
    if before is None or after is None or (after >= before and not more) or state.roadmap is None:
        return
    tree = Tree(state.roadmap.root_id, state.roadmap.nodes)
    leaves = [leaf for leaf in tree.leaves(tree.nodes[state.roadmap.root_id]) if leaf.status not in ("done", "dropped")]
    once = [leaf for leaf in leaves if recurring_source(tree, leaf) is None]
    if after < before:
        _pull_back(state, once)
    # What comes again keeps its time, unless there are fewer hours in every week.
    week = rate is not None and goal.hours_per_week is not None and goal.hours_per_week < rate
    last = goal.deadline or today
    again = sum((_minutes(each) or 0) * (rate_of(tree, each) or 0) * _weeks(tree, each, today, last) for each in leaves)
    again = 0 if week else again
    needed, left = sum(_minutes(leaf) or 0 for leaf in once), max(LEAST, after - again)
    if needed <= left * SPARE and not week:
        return
    share = after / before if week else left * SPARE / needed
    for leaf in leaves if week else once:
        minutes = _minutes(leaf)
        if minutes is not None and minutes > LEAST and not leaf.metadata.get(STATED) and not leaf.metadata.get(SLOT):
            leaf.metadata["estimated_minutes"] = max(LEAST, round(minutes * share / QUARTER) * QUARTER)


def _weeks(tree: Tree, leaf: PlanNode, today: date, last: date) -> float:
    """For how many weeks a task may still come again: those of its part, where that has days."""
    held = (node.metadata.get(WINDOW) for node in (leaf, *tree.ancestors(leaf)))
    window = next((each for each in held if isinstance(each, dict)), {})
    first, after = (str(window.get(name) or "")[:10] for name in ("first", "after"))
    begin = max(today, date.fromisoformat(first)) if first else today
    end = min(last, date.fromisoformat(after) - DAY) if after else last
    return max(0, (end - begin).days) / 7


def _pull_back(state: PlanningState, once: Sequence[PlanNode]) -> None:
    """Single work may begin earlier where too little time is left from its first day to the last one of the plan.

    The first days of single work spread it over its part; those that the user has named stay.
    """
    terms = read_terms(state.goal)
    if terms.deadline is None:
        return
    named = [words for words, _ in state.goal.facts.get(NOT_BEFORE, [])]
    free = free_minutes(terms.calendar, terms.start, terms.deadline)
    held = [leaf for leaf in once if leaf.metadata.get("earliest") and not leaf.metadata.get(SLOT)]
    held = [leaf for leaf in held if not any(all(has_word(leaf.title, word) for word in words) for words in named)]
    needed = 0
    for leaf in sorted(held, key=lambda each: str(each.metadata["earliest"]), reverse=True):
        needed += _minutes(leaf) or 0
        day = date.fromisoformat(str(leaf.metadata["earliest"])[:10])
        first = min(free, default=day)
        while day > first and sum(minutes for at, minutes in free.items() if at >= day) * SPARE < needed:
            day -= DAY
        leaf.metadata["earliest"] = day.isoformat()


def _minutes(leaf: PlanNode) -> int | None:
    minutes = leaf.metadata.get("estimated_minutes")
    return minutes if isinstance(minutes, int) else None


def move_parts(state: PlanningState, moved: Callable[[str], str]) -> None:
    """Other days for all parts, and for the first days of single work in them."""
    for node in state.roadmap.nodes if state.roadmap is not None else []:
        window = node.metadata.get(WINDOW)
        if isinstance(window, dict):
            node.metadata[WINDOW] = {name: moved(str(value)) for name, value in window.items()}
        if node.metadata.get("earliest") and not node.metadata.get(SLOT):
            node.metadata["earliest"] = moved(str(node.metadata["earliest"]))


def share_out(state: PlanningState, before: Mapping[date, int], today: date) -> None:
    """Where days are gone that were much of a part, all parts share what is left, as they shared what there was."""
    after = free(state, today)
    windows = [node.metadata.get(WINDOW) for node in (state.roadmap.nodes if state.roadmap is not None else [])]
    held = [(str(each["first"])[:10], str(each["after"])[:10]) for each in windows if isinstance(each, dict)]
    spans = [{day for day in before if first <= day.isoformat() < end} for first, end in held]
    gone = any(sum(after.get(day, 0) for day in each) < MUCH * sum(before[day] for day in each) for each in spans)
    if not gone or not after:
        return
    whole, left = sum(before.values()), sum(after.values())

    def moved(text: str) -> str:
        passed = sum(minutes for day, minutes in before.items() if day.isoformat() < text[:10])
        there = 0
        for day, minutes in sorted(after.items()):
            if not passed or there >= round(left * passed / whole):
                return text if not passed else max(day, today).isoformat()
            there += minutes
        return text

    move_parts(state, moved)
