"""Ways to carry out an outline: when each part of it is done, with what that costs, and which one is taken.

A part is a child of the root. Its window says when its recurring work is due; its other work may lie anywhere that
dependencies allow, so windows bind loosely.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

from loopwright.agents.planner.contracts.plan import Outline, PlanNode, StrategyProfile
from loopwright.agents.planner.dependencies import recurs
from loopwright.agents.planner.grammar.waiting import Tree
from loopwright.agents.planner.schedule.calendar import free_minutes
from loopwright.agents.planner.terms import Terms

OVERLAP = 0.35
"""How far a phase reaches into the one before it, where phases overlap: a share of its own length."""
FILL = {"as_written": 0.8, "front_loaded": 0.95, "even": 0.8, "relaxed": 0.6, "overlapping": 0.8}
WORDS = {
    "as_written": "As written: each part in the days that the outline gives it.",
    "front_loaded": "Front-loaded: as early as the hours allow, with the slack at the end.",
    "even": "Even: the same load every week until the deadline.",
    "relaxed": "Relaxed: light weeks, with time for what comes between.",
    "overlapping": "Overlapping: each phase begins before the one before it ends.",
}
PER_WEEK = {"daily": 7.0, "weekly": 1.0, "monthly": 12 / 52, "quarterly": 4 / 52, "yearly": 1 / 52}
LONGEST_DAYS = 3 * 366
SHORTEST_DAYS = 7
LOOSE_DAYS = 13
"""So much may lie between the last week of what is done weekly and the deadline."""
USUAL_RECURRING_DAYS = 84


@dataclass(frozen=True)
class Window:
    """From the first day of a part to the day after its last one."""

    first: date
    after: date


@dataclass(frozen=True)
class Option:
    """One way. `peak_minutes` is the heaviest week's load; `slack_days` lie between its end and the deadline."""

    key: str
    windows: Mapping[UUID, Window]
    end: date
    peak_minutes: int
    mean_minutes: int
    slack_days: int | None
    score: float

    def told(self, chosen: str) -> dict[str, object]:
        """The option for people and for the roadmap's record."""
        return {
            "option": self.key,
            "summary": WORDS[self.key],
            "ends_on": (self.end - timedelta(days=1)).isoformat(),
            "peak_minutes_per_week": self.peak_minutes,
            "mean_minutes_per_week": self.mean_minutes,
            "slack_days": self.slack_days,
            "score": self.score,
            "chosen": self.key == chosen,
        }


def enumerate_options(outline: Outline, terms: Terms, strategy: StrategyProfile) -> list[Option]:
    """Two or three ways, the best by the user's strategy first."""
    tree = Tree(outline.root_id, outline.nodes)
    parts = _parts(tree)
    ordered = sum(1 for part in parts if part.dependencies) > 0
    keys = ["front_loaded", "even", "overlapping"] if ordered else ["front_loaded", "even", "relaxed"]
    written = all(_written(part) is not None for part in parts) and bool(parts)
    if written:
        keys = ["as_written", *(key for key in keys if key != "even")]
    options = [_option(key, tree, parts, terms, strategy) for key in keys]
    most, weekly = minutes_in_a_week(terms), any(recurs(part) for part in parts)
    # One that keeps the week's limit comes before any that does not; then the days that the outline names, since they
    # were weighed with the work in them; then what is done every week goes on until the deadline.
    return sorted(
        options,
        key=lambda one: (
            one.peak_minutes > most,
            one.key != "as_written",
            weekly and (one.slack_days or 0) > LOOSE_DAYS,
            -one.score,
            keys.index(one.key),
        ),
    )


def _written(part: PlanNode) -> Window | None:
    window = part.metadata.get("window")
    if not isinstance(window, Mapping):
        return None
    try:
        found = Window(date.fromisoformat(str(window.get("first"))), date.fromisoformat(str(window.get("after"))))
    except ValueError:
        return None
    return found if found.first < found.after else None


def once_minutes(tree: Tree, node: PlanNode) -> int:
    """The work below a node that is done once."""
    return sum(_minutes(leaf) for leaf in tree.leaves(node) if rate_of(tree, leaf) is None)


def weekly_minutes(tree: Tree, node: PlanNode) -> float:
    """The work below a node that comes again, in a usual week."""
    return sum(_minutes(leaf) * (rate_of(tree, leaf) or 0.0) for leaf in tree.leaves(node))


def rate_of(tree: Tree, leaf: PlanNode) -> float | None:
    """How often a leaf is done in a week, or None where it is done once."""
    source = recurring_source(tree, leaf)
    if source is None:
        return None
    rule = str(source.metadata.get("rrule") or "")
    if not rule:
        return PER_WEEK[source.recurrence]
    parts = dict(item.split("=", 1) for item in rule.upper().removeprefix("RRULE:").split(";") if "=" in item)
    interval = int(parts["INTERVAL"]) if parts.get("INTERVAL", "").isdigit() else 1
    each = len(parts["BYDAY"].split(",")) if parts.get("BYDAY") else 1
    frequency = parts.get("FREQ", "WEEKLY").lower()
    if frequency == "daily":
        return float(each if "BYDAY" in parts else 7) / max(1, interval)
    return PER_WEEK.get(frequency, 1.0) * each / max(1, interval)


def recurring_source(tree: Tree, leaf: PlanNode) -> PlanNode | None:
    """The nearest node, from the leaf upwards, that says how often it recurs.

    A leaf that recurs by no word of its own and has one occurrence (`occurrences: 1`) is done once, in a cycle too.
    """
    if not recurs(leaf) and leaf.metadata.get("occurrences") == 1:
        return None
    return next((node for node in (leaf, *tree.ancestors(leaf)) if recurs(node)), None)


def _minutes(leaf: PlanNode) -> int:
    minutes = leaf.metadata.get("estimated_minutes")
    return minutes if isinstance(minutes, int) and leaf.status not in ("done", "dropped") else 0


def _parts(tree: Tree) -> list[PlanNode]:
    return list(tree.children.get(tree.root.id, [])) if tree.root is not None else []


def _option(key: str, tree: Tree, parts: Sequence[PlanNode], terms: Terms, strategy: StrategyProfile) -> Option:
    first = terms.start.astimezone(terms.zone).date()
    deadline = None if terms.deadline is None else terms.deadline.astimezone(terms.zone).date()
    lengths = {part.id: _days_needed(tree, part, terms, FILL[key]) for part in parts}
    windows = _sequence(parts, lengths, first, OVERLAP if key == "overlapping" else 0.0)
    if key == "as_written":
        windows |= {part.id: window for part in parts if (window := _written(part)) is not None}
    end = max((window.after for window in windows.values()), default=first + timedelta(days=SHORTEST_DAYS))
    if deadline is not None and (end > deadline or key not in ("front_loaded", "as_written")):
        windows, end = _fit(windows, first, end, deadline), deadline
    loads = _weekly_loads(tree, parts, windows, first, end)
    peak, mean = max(loads), sum(loads) / len(loads)
    slack = None if deadline is None else (deadline - end).days
    score = _score(strategy, peak, mean, end, first, deadline)
    return Option(key, windows, end, round(peak), round(mean), slack, score)


def _days_needed(tree: Tree, part: PlanNode, terms: Terms, fill: float) -> int:
    """Days until the part's work is done when `fill` of the time that recurring work leaves is used."""
    stated = part.metadata.get("weeks")
    if isinstance(stated, int | float) and not isinstance(stated, bool) and 0 < stated <= 150:
        return max(1, round(stated * 7))
    once, weekly = once_minutes(tree, part), weekly_minutes(tree, part)
    per_week = minutes_in_a_week(terms)
    left = max(0.1 * per_week, per_week * fill - weekly)
    days = round(7 * once / left) + 1 if once else 0
    return min(LONGEST_DAYS, max(days, SHORTEST_DAYS if once else USUAL_RECURRING_DAYS if weekly else SHORTEST_DAYS))


def minutes_in_a_week(terms: Terms) -> float:
    """What may be worked in a usual week: the mean of the first four, at most the week's limit."""
    free = sum(free_minutes(terms.calendar, terms.start, terms.start + timedelta(days=28)).values()) / 4
    most = terms.calendar.minutes_per_week
    return max(1.0, min(free, most) if most is not None else free)


def _sequence(
    parts: Sequence[PlanNode], lengths: Mapping[UUID, int], first: date, overlap: float
) -> dict[UUID, Window]:
    """Each part after those it waits for; what waits for nobody begins at once. What recurs at the top never ends."""
    windows: dict[UUID, Window] = {}
    ids = {part.id for part in parts}
    left = list(parts)
    while left:
        ready = [part for part in left if all(item.node_id not in ids - windows.keys() for item in part.dependencies)]
        # The grammar allows no loops; where there is one all the same, order as written.
        part = ready[0] if ready else left[0]
        left.remove(part)
        before = [windows[item.node_id].after for item in part.dependencies if item.node_id in windows]
        begin = max(before, default=first)
        if before and overlap:
            begin = max(first, begin - timedelta(days=int(overlap * lengths[part.id])))
        windows[part.id] = Window(begin, begin + timedelta(days=lengths[part.id]))
    end = max((window.after for window in windows.values()), default=first)
    for part in parts:
        if recurs(part) and "weeks" not in part.metadata and not _has_follower(part, parts):
            windows[part.id] = Window(windows[part.id].first, end)
    return windows


def _has_follower(part: PlanNode, parts: Sequence[PlanNode]) -> bool:
    return any(item.node_id == part.id for other in parts for item in other.dependencies)


def _fit(windows: Mapping[UUID, Window], first: date, end: date, deadline: date) -> dict[UUID, Window]:
    """The same windows, stretched or pressed so that the last one ends with the deadline."""
    factor = max(1, (deadline - first).days) / max(1, (end - first).days)

    def moved(day: date) -> date:
        return min(deadline, first + timedelta(days=round((day - first).days * factor)))

    fitted = {}
    for node_id, window in windows.items():
        begin = min(moved(window.first), deadline - timedelta(days=1))
        fitted[node_id] = Window(begin, max(moved(window.after), begin + timedelta(days=1)))
    return fitted


def _weekly_loads(
    tree: Tree, parts: Sequence[PlanNode], windows: Mapping[UUID, Window], first: date, end: date
) -> list[float]:
    weeks = max(1, -(-(end - first).days // 7))
    loads = [0.0] * weeks
    for part in parts:
        window = windows[part.id]
        days = max(1, (window.after - window.first).days)
        each_day = once_minutes(tree, part) / days + weekly_minutes(tree, part) / 7
        for week in range(weeks):
            monday = first + timedelta(days=7 * week)
            shared = min(window.after, monday + timedelta(days=7)) - max(window.first, monday)
            loads[week] += each_day * max(0, shared.days)
    return loads


def _score(strategy: StrategyProfile, peak: float, mean: float, end: date, first: date, deadline: date | None) -> float:
    """Achievement likes early ends, wellbeing even weeks, the portfolio light ones; each part is 0 to 1."""
    length = (end - first).days
    most = (deadline - first).days if deadline is not None else 2 * USUAL_RECURRING_DAYS
    early = 1.0 - min(1.0, length / max(1, most) * 0.8)
    evenness = mean / peak if peak else 1.0
    light = 1.0 - min(1.0, mean / 2_400)
    weights = strategy.weights
    favour = {"push": (2.0, 0.5), "relax": (0.5, 2.0)}.get(strategy.mode, (1.0, 1.0))
    parts = (
        (weights.achievement * favour[0], early),
        (weights.wellbeing * favour[1], evenness),
        (weights.portfolio * favour[1], light),
    )
    total = sum(weight for weight, _ in parts) or 1.0
    return round(sum(weight * value for weight, value in parts) / total, 4)
