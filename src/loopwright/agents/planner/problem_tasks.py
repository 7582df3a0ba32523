"""Leaves of a roadmap as pieces of work: once, or once for each time they are due."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID

from loopwright.agents.planner.contracts.plan import PlanNode
from loopwright.agents.planner.grammar.waiting import Tree
from loopwright.agents.planner.history import DONE_PART
from loopwright.agents.planner.roadmap_options import recurring_source
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Span, Task
from loopwright.agents.planner.schedule.recurrence_rule import occurrences, with_space
from loopwright.agents.planner.terms import Terms, read_moment
from loopwright.kernel.errors import InvalidInput

USUAL_MINUTES = 60
SPLIT_ABOVE = 120
"""Work longer than two hours is done in pieces, unless its node says otherwise."""
SMALLEST_PIECE = 45
SLOT = "session"
"""Metadata of a task that is one session on a day of its own."""
ABSENT = "absent"
"""Metadata of a task: pairs of first and last days on which it cannot be done."""
HOURS = "own_hours"
"""Metadata of a task: the times at which alone it can be done, each a day of the week, a first and a last hour."""
WINDOW = "window"
"""Metadata of a roadmap's parts: `{"first": date, "after": date}`."""


@dataclass(frozen=True)
class LeafWork:
    """The tasks of one leaf in the order of time, and the node whose recurrence made them."""

    leaf: PlanNode
    tasks: tuple[Task, ...]
    source: PlanNode | None = None
    notes: tuple[str, ...] = ()


class LeafReader:
    """Turns leaves into tasks."""

    def __init__(self, tree: Tree, terms: Terms, horizon: Span, open_time: list[Span], longest_minutes: int) -> None:
        """Remember what counts for all leaves; `longest_minutes` is the longest stretch that can be worked at once."""
        self._tree, self._terms, self._horizon = tree, terms, horizon
        self._open_time, self._longest = open_time, longest_minutes
        self._given: dict[Span, int] = {}

    def read(self, leaf: PlanNode, previous: Mapping[str, Sequence[Span]]) -> LeafWork:
        """The leaf's tasks; `previous` is where they lay before, by task id."""
        base = self._base(leaf)
        source = recurring_source(self._tree, leaf)
        if source is None:
            base = self._around(base, leaf)
            if leaf.metadata.get(HOURS):
                return LeafWork(leaf, tuple(self._at_its_times(base, leaf, previous)))
            return LeafWork(leaf, (replace(base, previous=tuple(previous.get(base.id, ()))),))
        begin, end = self._series_span(source, leaf)
        begin, end = _later(base.earliest, begin), _sooner(base.latest, end)
        series = occurrences(_rule(source), begin, max(begin, end), self._terms.zone)
        count = source.metadata.get("occurrences")
        series = with_space(series, self._open_time, base.minutes, in_one_piece=not base.splittable)
        due = series.occurrences
        absent = [Span(*_absence(pair, self._terms)) for pair in leaf.metadata.get(ABSENT) or ()]
        due = tuple(each for each in due if not any(_within(each.window, span) for span in absent))
        if isinstance(count, int) and not isinstance(count, bool) and count > 0:
            due = due[:count]
        if leaf.metadata.get(HOURS):
            due = tuple(replace(each, window=span) for each in due if (span := self._first_time(leaf, each.window)))
        locked = _by_occurrence(base.locked, [occurrence.window for occurrence in due])
        tasks = []
        for place, occurrence in enumerate(due):
            # A day off in between must not give later occurrences other names: earlier schedules know them by these.
            name = f"{leaf.id}#{occurrence.index + 1}"
            tasks.append(
                replace(
                    base,
                    id=name,
                    earliest=_later(base.earliest, occurrence.window.start),
                    latest=_sooner(base.latest, occurrence.window.end),
                    locked=locked.get(place, ()),
                    previous=tuple(previous.get(name, ())),
                )
            )
        notes = tuple(f"{leaf.title}: {note}" for note in series.notes)
        if not tasks:
            notes = (*notes, f"{leaf.title}: no occurrence fits into its time.")
        return LeafWork(leaf, tuple(tasks), source, notes)

    def _times(self, leaf: PlanNode, first: datetime, last: datetime) -> Iterator[Span]:
        """The times of a task that has its own, as far as they are open, between two moments."""
        zone = self._terms.zone
        hours = [(int(day), time.fromisoformat(a), time.fromisoformat(b)) for day, a, b in leaf.metadata[HOURS]]
        for span in self._open_time:
            day = span.start.astimezone(zone).date()
            for weekday, opens, closes in hours:
                begin = max(span.start, first, datetime.combine(day, opens, zone))
                end = min(span.end, last, datetime.combine(day, closes, zone))
                if weekday == day.weekday() and end - begin >= timedelta(minutes=GRID_MINUTES):
                    yield Span(begin, end)

    def _first_time(self, leaf: PlanNode, window: Span) -> Span | None:
        return next(self._times(leaf, window.start, window.end), None)

    def _at_its_times(self, base: Task, leaf: PlanNode, previous: Mapping[str, Sequence[Span]]) -> Iterator[Task]:
        """Work in pieces that each lie in one of its times, the first ones first; other work of theirs is counted."""
        first = base.earliest or self._series_span(leaf, leaf)[0]
        left, number = base.minutes, 0
        for span in self._times(leaf, first, _sooner(base.latest, self._horizon.end)):
            free = (span.end - span.start) // timedelta(minutes=1) - self._given.get(span, 0)
            piece = min(left, free // GRID_MINUTES * GRID_MINUTES, self._longest)
            if left <= 0 or piece < min(left, SMALLEST_PIECE):
                continue
            number += 1
            self._given[span] = self._given.get(span, 0) + piece + GRID_MINUTES
            name = base.id if piece == left and number == 1 else f"{base.id}#{number}"
            left -= piece
            lay = tuple(previous.get(name, ()))
            task = replace(base, id=name, minutes=piece, previous=lay, splittable=False)
            yield replace(task, earliest=span.start, latest=span.end)
        if left > 0:
            yield replace(base, id=f"{base.id}#{number + 1}" if number else base.id, minutes=left)

    def _around(self, base: Task, leaf: PlanNode) -> Task:
        """Single work before an absence, or after it where it cannot begin before."""
        for pair in leaf.metadata.get(ABSENT) or ():
            first, after = _absence(pair, self._terms)
            begin, _ = self._series_span(leaf, leaf)
            if max(begin, base.earliest or begin) >= first:
                base = replace(base, earliest=_later(base.earliest, after))
            else:
                base = replace(base, latest=_sooner(base.latest, first))
        return base

    def _base(self, leaf: PlanNode) -> Task:
        metadata = leaf.metadata
        minutes = metadata.get("estimated_minutes", USUAL_MINUTES)
        if not isinstance(minutes, int) or isinstance(minutes, bool) or minutes < 1:
            raise InvalidInput(f"{leaf.title!r} has no right estimate.", hint="Run the grammar validator's fixes.")
        left = max(1, round(minutes * (1 - leaf.progress)))
        asked = metadata.get("splittable")
        splittable = left > SPLIT_ABOVE and asked is not False
        return Task(
            id=str(leaf.id),
            title=leaf.title,
            minutes=left,
            priority=self._priority(leaf),
            earliest=self._bound(leaf, "earliest"),
            latest=self._bound(leaf, "latest"),
            splittable=splittable or left > self._longest,
            min_block_minutes=self._piece(metadata.get("min_block_minutes"), left),
            locked=_locked(metadata.get("locked"), self._terms),
        )

    def _piece(self, asked: Any, left: int) -> int:
        """How long a piece is at least: never longer than what can be worked at once.

        What takes more than the hours of a week shares weeks with other work, so its pieces may be small.
        """
        weekly = self._terms.calendar.minutes_per_week
        usual = SMALLEST_PIECE if weekly is not None and left > weekly else _whole_session(left)
        piece = asked if isinstance(asked, int) and asked >= GRID_MINUTES else usual
        return max(GRID_MINUTES, min(piece, self._longest // GRID_MINUTES * GRID_MINUTES))

    def _priority(self, leaf: PlanNode) -> int:
        for node in (leaf, *self._tree.ancestors(leaf)):
            value = node.metadata.get("priority")
            if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 5:
                return value
        return 3

    def _bound(self, leaf: PlanNode, name: str) -> datetime | None:
        """The tightest `earliest` or `latest` of the leaf and what it is a part of."""
        found: datetime | None = None
        for node in (leaf, *self._tree.ancestors(leaf)):
            text = node.metadata.get(name)
            if text:
                moment = read_moment(str(text), self._terms.zone, end=name == "latest")
                found = _later(found, moment) if name == "earliest" else _sooner(found, moment)
        return found

    def _series_span(self, source: PlanNode, leaf: PlanNode) -> tuple[datetime, datetime]:
        """The window of the part that the recurring node belongs to, within the horizon."""
        for node in (leaf, source, *self._tree.ancestors(source)):
            window = node.metadata.get(WINDOW)
            if isinstance(window, Mapping):
                first = read_moment(str(window.get("first")), self._terms.zone)
                after = read_moment(str(window.get("after")), self._terms.zone)
                begin, end = max(first, self._horizon.start), min(after, self._horizon.end)
                return (begin, end) if begin < end else (begin, begin)
        return self._horizon.start, self._horizon.end


def _whole_session(minutes: int) -> int:
    """How long the pieces of long work are: as equal as quarters of an hour allow, and none longer than a session."""
    count = -(-minutes // SPLIT_ABOVE)
    return max(SMALLEST_PIECE, minutes // count // GRID_MINUTES * GRID_MINUTES) if count > 1 else minutes


def _absence(pair: Sequence[str], terms: Terms) -> tuple[datetime, datetime]:
    return read_moment(str(pair[0]), terms.zone), read_moment(str(pair[1]), terms.zone, end=True)


def _within(window: Span, absence: Span) -> bool:
    return absence.start <= window.start and window.end <= absence.end


def _rule(source: PlanNode) -> str:
    return str(source.metadata.get("rrule") or source.recurrence)


def _locked(value: Any, terms: Terms) -> tuple[Span, ...]:
    if not isinstance(value, list):
        return ()
    spans = []
    for item in value:
        if isinstance(item, Mapping) and "start" in item and "end" in item:
            begin, end = (read_moment(str(item[key]), terms.zone) for key in ("start", "end"))
            spans.append(Span(begin, end))
    return tuple(spans)


def _by_occurrence(locked: Sequence[Span], windows: Sequence[Span]) -> dict[int, tuple[Span, ...]]:
    """Each locked span belongs to the occurrence in whose time it begins."""
    found: dict[int, tuple[Span, ...]] = {}
    for span in locked:
        for index, window in enumerate(windows):
            if window.start <= span.start < window.end:
                found[index] = (*found.get(index, ()), span)
                break
    return found


def _later(one: datetime | None, other: datetime) -> datetime:
    return other if one is None else max(one, other)


def _sooner(one: datetime | None, other: datetime) -> datetime:
    return other if one is None else min(one, other)


def node_id_of(task_id: str) -> UUID:
    """The node that a task belongs to."""
    return UUID(task_id.removesuffix(DONE_PART).partition("#")[0])


def occurrence_of(task_id: str) -> int | None:
    """Which occurrence of recurring work a task is, from 1, or None where the work is done once."""
    number = task_id.removesuffix(DONE_PART).partition("#")[2]
    return int(number) if number else None
