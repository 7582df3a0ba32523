"""From a goal and its family to an outline in the schema that a model would answer in."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from typing import Any

from loopwright.agents.planner.facts.items import GENERAL_TAG, USUAL_TAG
from loopwright.agents.planner.offline.goal import Goal, horizon_of
from loopwright.agents.planner.offline.scaling import FILL, Capacity, Space, capacity_of, fit
from loopwright.agents.planner.offline.work import GRID, SHORTEST, Family, Stretch, Work, families, rrule_of, works_of

# The hours in which a goal is worked on, in the words that the calendar reads.

NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
AFTER_WORK = (time(17, 0), time(21, 30))
WEEKEND = (time(9, 0), time(18, 0))
OFFICE = (time(9, 0), time(17, 0))
FULL_TIME_MINUTES = 20 * 60
"""From twenty hours a week on, a goal is work for the day and not for the evening."""


def window_of(goal: Goal, weekday: int) -> tuple[time, time]:
    """From when to when on a weekday; what the goal leaves open is evening on workdays and day at weekends."""
    by_day = (goal.minutes_per_week or 0) >= FULL_TIME_MINUTES or (goal.minutes_per_day or 0) > 240
    if weekday in goal.windows:
        return goal.windows[weekday]
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


# A family's phases and cycles laid out over the days that there are.


@dataclass
class Part:
    """A phase or a cycle. `share` is its part of all effort, `begin` and `end` its place in the horizon, 0 to 1.

    `links` are (key of the other part, type, lag as a part of the other one's length); `number` counts repetitions.
    """

    key: str
    raw: dict[str, Any]
    share: float
    links: list[tuple[str, str, float]] = field(default_factory=list)
    parts: list["Part"] = field(default_factory=list)
    number: int | None = None
    begin: float = 0.0
    end: float = 1.0

    @property
    def works(self) -> bool:
        """Whether tasks lie in it, and not only other parts."""
        return bool(self.raw.get("tasks") or self.raw.get("sub_goals"))

    def days(self, first: date, last: date) -> tuple[date, date]:
        """First and last day of the part in a horizon; at least one day."""
        total = (last - first).days + 1
        begin = min(round(self.begin * total), total - 1)
        end = max(begin, min(round(self.end * total), total) - 1)
        return first + timedelta(days=begin), first + timedelta(days=end)


def lay_out(raws: Iterable[dict[str, Any]], weeks: float) -> list[Part]:
    """The parts of a family, repeated where they repeat, with their places in the horizon."""
    parts = _expanded(list(raws), weeks, "")
    _place(parts, 0.0, 1.0)
    return parts


def walk(parts: Iterable[Part]) -> Iterable[Part]:
    """All parts, each one before what lies in it."""
    for part in parts:
        yield part
        yield from walk(part.parts)


def _expanded(raws: list[dict[str, Any]], weeks: float, prefix: str) -> list[Part]:
    total = sum(raw.get("share", 1.0) for raw in raws) or 1.0
    found: list[Part] = []
    last_of: dict[str, str] = {}
    for raw in raws:
        share = raw.get("share", 1.0) / total
        count = _count(raw.get("repeat"), weeks * share)
        for number in range(1, count + 1):
            key = f"{prefix}{raw['key']}" + (f"_{number}" if raw.get("repeat") else "")
            part = Part(key, raw, share / count, number=number if raw.get("repeat") else None)
            if number > 1:
                part.links = [(found[-1].key, "finish_to_start", 0.0)]
            else:
                part.links = [_link(link, last_of) for link in raw.get("after", ())]
            part.parts = _expanded(list(raw.get("parts", ())), weeks * part.share, f"{key}_")
            found.append(part)
            last_of[raw["key"]] = key
    return found


def _link(link: str | dict[str, Any], last_of: dict[str, str]) -> tuple[str, str, float]:
    if isinstance(link, str):
        return last_of[link], "finish_to_start", 0.0
    return last_of[link["key"]], link.get("type", "finish_to_start"), float(link.get("lag_share", 0.0))


def _count(repeat: dict[str, Any] | None, weeks: float) -> int:
    if repeat is None:
        return 1
    least, most = int(repeat["min"]), int(repeat["max"])
    return max(least, min(most, round(weeks / float(repeat["per_weeks"]))))


def _place(parts: list[Part], begin: float, end: float) -> None:
    """Forward pass over the links, then stretched so that the last part ends with the horizon."""
    spans: dict[str, tuple[float, float]] = {}
    for part in parts:
        start = 0.0
        for other, kind, lag in part.links:
            first, last = spans[other]
            edge = first if kind.startswith("start") else last
            anchor = edge + lag * (last - first)
            start = max(start, anchor if kind.endswith("to_start") else anchor - part.share)
        spans[part.key] = (start, start + part.share)
    length = max((last for _, last in spans.values()), default=1.0) or 1.0
    for part in parts:
        first, last = spans[part.key]
        part.begin = begin + (end - begin) * first / length
        part.end = begin + (end - begin) * last / length
        _place(part.parts, part.begin, part.end)


def scaled_shares(parts: list[Part], whole: float = 1.0) -> list[Part]:
    """The parts with tasks, their shares being of all the effort."""
    found = []
    for part in parts:
        share = part.share * whole
        inner = part.parts
        if part.works:
            own = 0.0 if not inner else 0.15
            found.append(replace(part, share=share * (own or 1.0)))
            share *= 1.0 - own
        found += scaled_shares(inner, share)
    return found


# Titles of nodes: a family's words with the goal's facts in them.

SLOT = re.compile(r"\{([a-z_]+)\}")
MOST_TITLE, LEAST_TITLE = 160, 2


def facts_of(goal: Goal, family: Family) -> dict[str, str]:
    """What may stand in braces in a family's titles; an unknown fact leaves a title that reads well without it."""
    target = goal.target or (str(goal.sum) if goal.sum else "")
    return {
        "title": (goal.title if family.language == "en" else first_clause(goal.text)) or family.title,
        "subject": goal.subject or family.subject,
        "to_level": _to_level(goal.level),
        "in_target": (f" {target}" if target.startswith(("under", "from")) else f": {target}") if target else "",
        "distance": goal.distance or family.facts.get("distance", family.subject),
        "in_place": f" in {goal.place}" if goal.place and goal.place[0].isupper() else "",
        "to_place": f" to {goal.place}" if goal.place and goal.place[0].isupper() else "",
        "sum": str(goal.sum) if goal.sum else family.facts.get("sum", "the sum"),
        "within_budget": f" within {goal.budget}" if goal.budget else "",
        "sections": _sections(goal.text, family),
    }


def _sections(text: str, family: Family) -> str:
    """The parts of an exam that a family knows by its name, one behind the other; nothing where it knows none."""
    return next(("|".join(names) for cue, names in family.facts.get("sections", ()) if re.search(cue, text, re.I)), "")


def first_clause(text: str) -> str:
    """The words of a goal up to its first mark."""
    return re.split(r"[,;，；。]", text.strip(), maxsplit=1)[0].strip()[:80]


def _to_level(level: str | None) -> str:
    """` to B1`, ` to fluency`."""
    spoken = {"fluent": "fluency", "conversational": "a conversational level"}
    return f" to {spoken.get(level, level)}" if level else ""


def worded(template: str, facts: dict[str, str], number: int | None = None) -> str:
    """The title of a node: facts filled in once (what they contain is not looked at again), of a legal length."""
    names = [name for name in facts.get("sections", "").split("|") if name]
    section = f" – {names[(number - 1) % len(names)]}" if names and number is not None else ""
    values = {**facts, "n": "" if number is None else str(number), "section": section}
    text = SLOT.sub(lambda match: values.get(match[1], match[0]), template)
    text = " ".join(text.split())
    text = text[:1].upper() + text[1:]
    if len(text) > MOST_TITLE:
        text = text[: MOST_TITLE - 1].rstrip() + "…"
    return text if len(text) >= LEAST_TITLE else "Goal"


MOST_NODES = 120
MUST_MINUTES = 60
PROJECT = "milestone_project"
"""The pattern of what is done once; what is learnt or trained has a plan of its own beside what the user names."""
GENERAL = "generic_"
"""How the keys of families begin that fit any goal."""
MINUTES_A_DAY = 24 * 60


def make_outline(goal: Goal, family: Family | None = None) -> dict[str, Any]:
    """The outline: nodes with string ids, the pattern, and notes on how the effort fits the time.

    `effort_minutes` is all work, `available_minutes` all time from start to deadline; `notes` say so where they differ
    by more than a fifth, and what was assumed.
    """
    family = family or families()[goal.family]
    first, last = horizon_of(goal)
    capacity = capacity_of(goal, family)
    weeks = ((last - first).days + 1) / 7
    parts = lay_out(family.parts, weeks)
    works: dict[str, list[Work]] = {}
    for part in scaled_shares(parts):
        works[part.key] = _fitted(part, goal, family, capacity, first, last)
    _add_musts(goal, works)
    facts = facts_of(goal, family)
    nodes = [_root(goal, family, facts)]
    for part in parts:
        _add_part(part, "goal", 2, works, nodes, facts, family, (first, last))
    tag = GENERAL_TAG if family.key.startswith(GENERAL) else USUAL_TAG if family.pattern == PROJECT else None
    nodes = [
        {**each, "tags": [*each.get("tags", ()), tag]} if tag and each["type"] == "task" else each for each in nodes
    ]
    nodes = _limited([_eased(node, 8 - len(goal.allowed_days)) for node in nodes])
    effort = sum(node.get("estimated_minutes", 0) * node.get("occurrences", 1) for node in nodes)
    return {
        "root_id": "goal",
        "nodes": nodes,
        "pattern": _pattern(family, goal),
        "effort_minutes": effort,
        "available_minutes": capacity.total,
        "notes": [
            *goal.notes,
            *goal.problems,
            *family.assumptions,
            *_assumed(goal, family),
            *capacity.notes,
            *_verdict(effort, capacity, weeks),
        ],
    }


def _fitted(part: Part, goal: Goal, family: Family, capacity: Capacity, first: date, last: date) -> list[Work]:
    begin, end = part.days(first, last)
    stretch = Stretch(begin, end, goal.allowed_days, goal.away)
    # A part that lies where the user is away has less time than its share.
    there = capacity.on_days(len(stretch.dates(goal.allowed_days)))
    space = Space(
        minutes=min(capacity.plannable * part.share * float(part.raw.get("load", 1.0)), there),
        stretch=stretch,
        minutes_per_day=capacity.minutes_per_day,
        session_minutes=goal.session_minutes,
        longest=longest_session(goal),
        stated=capacity.stated,
    )
    raw = {key: value for key, value in part.raw.items() if key != "parts"}
    distance = family.facts.get("kilometres", {}).get(goal.distance or "")
    works = works_of(part.key, raw, space.minutes / 60, distance)
    works = [_gathered(_as_often(work, goal), goal) for work in works]
    # Who looks back does so at the end: a review has nothing to say on the first day.
    dates = stretch.dates(goal.allowed_days)
    late = dates[len(dates) * 3 // 4] if dates else begin
    return [replace(work, first=late if work.review else work.first or begin) for work in fit(works, space)]


def _as_often(work: Work, goal: Goal) -> Work:
    """The habit itself comes as often as the user says; what goes with it as the family has it."""
    wanted = goal.times_per_week
    if goal.pattern != "recurring_cycle" or wanted is None or work.priority > 1 or not 1 <= work.times < wanted <= 7:
        return work
    # How often is stated, how long each time is not: a habit may be short, else it would have to come more rarely.
    return replace(work, times=wanted, most_times=max(wanted, work.most_times), low=GRID, counted=True)


def _gathered(work: Work, goal: Goal) -> Work:
    """Sessions of less than half an hour become fewer and longer, of as much a week; those of a habit stay short."""
    if not work.times or work.counted or work.low >= SHORTEST or goal.pattern == "recurring_cycle":
        return work
    base = max(work.base, SHORTEST)
    times = max(min(1.0, work.times), float(round(work.times * work.base / base)))
    return replace(work, base=base, times=times, low=SHORTEST, high=max(work.high, SHORTEST))


def _root(goal: Goal, family: Family, facts: dict[str, str]) -> dict[str, Any]:
    return {"id": "goal", "level": 1, "type": "goal", "title": worded(family.root, facts), "parent": None}


def _pattern(family: Family, goal: Goal) -> dict[str, Any]:
    return {
        "pattern_type": family.pattern,
        "subtype": family.subtype,
        "confidence": goal.confidence,
        "introduced_by": "system",
    }


def _add_part(
    part: Part,
    parent: str,
    level: int,
    works: dict[str, list[Work]],
    nodes: list[dict[str, Any]],
    facts: dict[str, str],
    family: Family,
    horizon: tuple[date, date],
) -> None:
    """The node of a part and of all that lies in it; a sub-goal whose tasks are all gone goes too."""
    node: dict[str, Any] = {
        "id": part.key,
        "level": level,
        "type": part.raw["type"],
        "title": worded(part.raw["title"], facts, part.number),
        "parent": parent,
    }
    if part.links:
        node["dependencies"] = [_part_link(link, nodes, horizon) for link in part.links]
    if part.raw["type"] == "cycle":
        node["recurrence"] = part.raw.get("cadence", "weekly")
    begin, end = part.days(*horizon)
    node["window"] = {"start": begin.isoformat(), "end": end.isoformat()}
    nodes.append(node)
    own = works.get(part.key, [])
    nodes += [_task(work, level + 1, facts) for work in own if work.holder == part.key]
    for sub_goal in part.raw.get("sub_goals", ()):
        key = f"{part.key}_{sub_goal['key']}"
        held = [work for work in own if work.holder == key]
        if held:
            nodes.append(_sub_goal(key, part.key, level + 1, sub_goal, facts))
            nodes += [_task(work, level + 2, facts) for work in held]
    for inner in part.parts:
        _add_part(inner, part.key, level + 1, works, nodes, facts, family, horizon)


def _part_link(link: tuple[str, str, float], nodes: list[dict[str, Any]], horizon: tuple[date, date]) -> dict[str, Any]:
    other, kind, lag_share = link
    window = next(node["window"] for node in nodes if node["id"] == other)
    span = date.fromisoformat(window["end"]) - date.fromisoformat(window["start"]) + timedelta(days=1)
    days = min(60, round(span.days * lag_share))
    return {"node": other, "type": kind, "lag_minutes": days * MINUTES_A_DAY}


def _eased(node: dict[str, Any], days: int) -> dict[str, Any]:
    """The part with shorter waits behind a beginning: the first day of work may be a late one."""
    links = [
        {**link, "lag_minutes": max(0, link["lag_minutes"] - days * MINUTES_A_DAY)}
        if link["type"] == "start_to_start"
        else link
        for link in node.get("dependencies", ())
    ]
    return {**node, "dependencies": links} if links else node


def _sub_goal(key: str, parent: str, level: int, raw: dict[str, Any], facts: dict[str, str]) -> dict[str, Any]:
    title = worded(raw["title"], facts)
    node = {"id": key, "level": level, "type": "sub_goal", "title": title, "parent": parent}
    if raw.get("stream"):
        node["stream"] = raw["stream"]
    return node


def _task(work: Work, level: int, facts: dict[str, str]) -> dict[str, Any]:
    node: dict[str, Any] = {
        "id": work.key,
        "level": level,
        "type": "task",
        "title": worded(work.template, facts, work.number),
        "parent": work.holder,
        "estimated_minutes": work.minutes,
        "priority": work.priority,
    }
    if not work.times:
        # Without it, what lies in a cycle is taken to come again with the cycle.
        node["occurrences"] = 1
    if work.review and work.first is not None:
        node["earliest"] = work.first.isoformat()
    if work.times:
        node["recurrence"], node["rrule"] = work.recurrence, rrule_of(work)
        node["occurrences"] = work.occurrences
        node["earliest"] = work.first.isoformat() if work.first else None
    elif work.splittable and work.minutes > GRID:
        node["splittable"] = True
    if work.after:
        node["dependencies"] = [{"node": key, "type": "finish_to_start", "lag_minutes": 0} for key in work.after]
    if work.stream:
        node["stream"] = work.stream
    if work.tags:
        node["tags"] = list(work.tags)
    return node


def _add_musts(goal: Goal, works: dict[str, list[Work]]) -> None:
    """What the user insists on becomes a task of the largest part."""
    if not goal.must_haves or not works:
        return
    largest = max(works, key=lambda key: sum(work.total for work in works[key]))
    holder = works[largest][0].holder
    works[largest] += [
        Work(
            key=f"{largest}_must_{number}",
            template=f"{words[:1].upper()}{words[1:]}".replace("{", "(").replace("}", ")"),
            holder=holder,
            base=MUST_MINUTES,
            low=MUST_MINUTES,
            high=MUST_MINUTES,
            minutes=MUST_MINUTES,
            priority=1,
            tags=("must_have",),
        )
        for number, words in enumerate(goal.must_haves, start=1)
    ]


def _limited(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most as many nodes as the schema takes: the least important leaves go first, with what names them."""
    while len(nodes) > MOST_NODES:
        parents = [node["parent"] for node in nodes]
        spare = [n for n in nodes if n["type"] == "task" and parents.count(n["parent"]) > 1]
        gone = max(spare, key=lambda node: (node["priority"], node["id"]))
        nodes = [node for node in nodes if node is not gone]
        for node in nodes:
            if "dependencies" in node:
                node["dependencies"] = [link for link in node["dependencies"] if link["node"] != gone["id"]]
    return nodes


def _assumed(goal: Goal, family: Family) -> list[str]:
    found: list[str] = []
    if goal.deadline is None:
        found.append(f"No deadline was named: I planned {family.weeks} weeks.")
    if goal.minutes_per_week is None and goal.minutes_per_day is None and goal.total_minutes is None:
        found.append(f"No amount of time was named: I planned {family.hours_per_week:g} hours a week.")
    return found


def _verdict(effort: int, capacity: Capacity, weeks: float) -> list[str]:
    """What is to be said when effort and time differ by more than a fifth."""
    have, need = capacity.total / 60, effort / 60
    if effort > capacity.total:
        longer = math.ceil(weeks * effort / max(capacity.total, 1) / FILL)
        hourly = math.ceil(need / FILL / max(weeks, 0.15))
        told = (
            f"This does not fit: even the shortest sensible plan takes {need:.1f} hours, and there are {have:.1f}. "
            f"It would fit with about {hourly} hours a week, or in about {longer} weeks."
        )
        return [told]
    if effort < 0.8 * capacity.total:
        told = (
            f"The plan needs about {need:.0f} of your {have:.0f} hours: more sessions would not help much, "
            "so the rest stays free, for rest or for a second goal."
        )
        return [told]
    return []
