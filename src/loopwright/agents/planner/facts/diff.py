"""What a change of a plan moves, takes out and brings in, by name: shown before the yes, kept in the log after it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from pydantic import Field

from loopwright.agents.planner.contracts.plan import Contract, ScheduleBlock
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.phrases import COMMA, DAYS, language_for, say
from loopwright.agents.planner.history import DONE_PART, task_id_of
from loopwright.agents.planner.stated import HOURS_LATER

OCCURRENCE_TAG = "occurrence:"
SHOWN = 40
TERMS = (
    "deadline", "start", "hours", "hours_per_week", "days", "minutes_per_day", "days_off", "hours_from", "absent",
    "sessions", "sitting", HOURS_LATER,
)  # fmt: skip
"""Terms of a goal whose changes are told."""


class Place(Contract):
    """A block of work with its title."""

    title: str
    start: datetime
    end: datetime


class Moved(Contract):
    """A task whose blocks lie elsewhere after a change."""

    title: str
    before: list[tuple[datetime, datetime]]
    after: list[tuple[datetime, datetime]]


class PlanDiff(Contract):
    """A change of a settled plan.

    `gives` are limits that had to give way, `terms` the terms that have changed, `tasks` what is said of single tasks.
    """

    moved: list[Moved] = Field(default_factory=list)
    gone: list[Place] = Field(default_factory=list)
    added: list[Place] = Field(default_factory=list)
    done: list[str] = Field(default_factory=list)
    dropped: list[str] = Field(default_factory=list)
    renamed: list[str] = Field(default_factory=list)
    tasks: list[str] = Field(default_factory=list)
    terms: list[str] = Field(default_factory=list)
    gives: list[str] = Field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is different."""
        return not any(getattr(self, name) for name in type(self).model_fields)

    def lines(self) -> Iterator[str]:
        """The change for people, the most important first."""
        yield from (f"limit that gives way: {text}" for text in self.gives)
        yield from self.terms
        yield from self.tasks
        yield from self.renamed
        yield from (f"done: {title}" for title in self.done)
        yield from (f"left out: {title}" for title in self.dropped)
        for each in self.moved[:SHOWN]:
            yield f"moves: {each.title}: {_times(each.before)} → {_times(each.after)}"
        yield from (f"goes: {each.title} ({_time(each.start)})" for each in self.gone[:SHOWN])
        yield from (f"comes: {each.title} ({_time(each.start)})" for each in self.added[:SHOWN])
        left = sum(max(0, len(names) - SHOWN) for names in (self.moved, self.gone, self.added))
        if left:
            yield f"and {left} more blocks"

    def summary(self, language: str = "en") -> str:
        """The change in a sentence, in `en`, `de` or `zh`."""
        counts: dict[str, Sequence[object]] = {"moved": self.moved, "gone": self.gone, "added": self.added}
        told = [say(name, language, n=len(held)) for name, held in counts.items() if held]
        first = say("compared", language, names=", ".join(told)) if told else say("same", language)
        ended = {"task_done": self.done, "task_left_out": self.dropped}
        named = [say(name, language, names=", ".join(dict.fromkeys(held))) for name, held in ended.items() if held]
        return " ".join(
            [
                *(f"{text}." for text in (*named, *self.tasks, *self.renamed)[:6]),
                first,
                *(f"{text.rstrip('.')}." for text in (*self.terms, *self.gives)[:6]),
            ]
        )


def diff_between(before: PlanningState, after: PlanningState) -> PlanDiff:
    """What differs between a settled plan and the same plan after a change."""
    old, new = _places(_blocks(before)), _places(_blocks(after))
    titles = {name: block.title for block in (*_blocks(before), *_blocks(after)) for name in [_name(block)]}
    moved = [
        Moved(title=titles[name], before=sorted(old[name]), after=sorted(new[name]))
        for name in old
        if name in new and old[name] != new[name]
    ]
    gone = [_place(block) for block in _blocks(before) if _name(block) not in new]
    added = [_place(block) for block in _blocks(after) if _name(block) not in old]
    states = {node.id: node.status for node in (before.roadmap.nodes if before.roadmap is not None else [])}
    nodes = after.roadmap.nodes if after.roadmap is not None else []
    names = {node.id: node.title for node in (before.roadmap.nodes if before.roadmap is not None else [])}
    changed = [node for node in nodes if states.get(node.id, node.status) != node.status]
    gives = [str(each["text"]) for each in after.chosen_relaxations[len(before.chosen_relaxations) :]]
    return PlanDiff(
        moved=sorted(moved, key=lambda each: each.before[0]),
        gone=gone,
        added=added,
        done=[node.title for node in changed if node.status == "done"],
        dropped=[node.title for node in changed if node.status == "dropped"],
        renamed=[f"{names[n.id]} → {n.title}" for n in nodes if names.get(n.id, n.title) != n.title],
        tasks=list(_tasks(before, after)),
        terms=list(_terms(before.goal, after.goal)),
        gives=gives,
    )


def _tasks(before: PlanningState, after: PlanningState) -> Iterator[str]:
    """What a change has said of the tasks that it names: how long, until when, from when, behind what."""
    if before.roadmap is None or after.roadmap is None or not after.adaptation_log:
        return
    language, known = language_for(after.goal), {node.id: node for node in before.roadmap.nodes}
    nodes = {node.id: node for node in after.roadmap.nodes}
    for node in (nodes[key] for key in dict.fromkeys(after.adaptation_log[-1].node_ids) if key in nodes):
        old = known.get(node.id)
        for name, fields in TOLD.items():
            was = old.metadata.get(fields) if old is not None else None
            now = node.metadata.get(fields)
            if old is None and fields == "earliest":
                continue  # where a new task begins is nobody's word
            if now is not None and now != was and node.status not in ("done", "dropped"):
                shown = f"{now / 60:g}" if isinstance(now, int) else str(now)[:10]
                yield say(name, language, title=node.title, n=shown)
        waited = {each.node_id for each in old.dependencies} if old is not None else set()
        for each in node.dependencies:
            if (
                each.node_id not in waited
                and each.node_id in after.adaptation_log[-1].node_ids
                and each.node_id in nodes
            ):
                yield say("task_after", language, title=node.title, n=nodes[each.node_id].title)


TOLD = {"task_takes": "estimated_minutes", "task_by": "latest", "task_from": "earliest"}
"""What is told of a task, by the text for it: a value of its metadata."""


def _terms(before: GoalFacts, after: GoalFacts) -> Iterator[str]:
    language = language_for(after)
    later = before.facts.get(HOURS_LATER) != after.facts.get(HOURS_LATER)
    for name in TERMS:
        if name == "hours" and later:
            continue  # told by the day from which they are others
        old, new = (
            getattr(goal, name) if name in GoalFacts.model_fields else goal.facts.get(name) for goal in (before, after)
        )
        if (old or None) != (new or None):
            yield f"{say(f'field_{name}', language)}: {_shown(old, language)} → {_shown(new, language)}"
    known = {each.title: each.date for each in before.appointments}
    for each in after.appointments:
        if known.get(each.title) != each.date:
            yield f"{each.title}: {known.get(each.title) or say('none', language)} → {each.date}"
    still = {each.title for each in after.appointments}
    yield from (f"{title}: {day} → {say('none', language)}" for title, day in known.items() if title not in still)


def _shown(value: Any, language: str) -> str:
    if value in (None, "", []):
        return say("none", language)
    if isinstance(value, list) and all(isinstance(each, int) for each in value):  # days of the week
        return COMMA[language].join(DAYS[language][each] for each in value)
    if isinstance(value, list):
        return ", ".join(" ".join(map(_plain, each)) if isinstance(each, list) else str(each) for each in value[-6:])
    return str(value)


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _blocks(state: PlanningState) -> Sequence[ScheduleBlock]:
    return state.schedule.blocks if state.schedule is not None else []


def _name(block: ScheduleBlock) -> str:
    return task_id_of(block, OCCURRENCE_TAG).removesuffix(DONE_PART)


def _places(blocks: Iterable[ScheduleBlock]) -> dict[str, set[tuple[datetime, datetime]]]:
    found: dict[str, set[tuple[datetime, datetime]]] = defaultdict(set)
    for block in blocks:
        found[_name(block)].add((block.start, block.end))
    return dict(found)


def _place(block: ScheduleBlock) -> Place:
    return Place(title=block.title, start=block.start, end=block.end)


def _time(moment: datetime) -> str:
    return f"{moment:%a %d %b %H:%M}"


def _times(spans: Iterable[tuple[datetime, datetime]]) -> str:
    return ", ".join(_time(start) for start, _ in spans)
