"""What has been done of a plan when it is changed: the past stays as it was, and only what lies ahead moves."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from loopwright.agents.planner.contracts.plan import PlanNode, ScheduleBlock
from loopwright.agents.planner.schedule.problem import Link, Span, Task

DONE_TAG = "done"
"""Marks the blocks of work that was begun before a change and goes on after it."""
DONE_PART = "~"
"""Ends the id of a task that holds such blocks, or blocks that no task of the changed plan has space for."""
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class History:
    """The blocks that were worked on before `since`; nothing that is left is planned before it.

    `finished` names the tasks of which nothing lay ahead then: they stay done, however long they are thought to take.
    """

    blocks: Sequence[ScheduleBlock]
    since: datetime
    finished: frozenset[str] = frozenset()


def kept_blocks(blocks: Iterable[ScheduleBlock], since: datetime, lost: Iterable[date]) -> list[ScheduleBlock]:
    """The blocks that had begun by then, without those of the days that were lost."""
    gone = set(lost)
    return [block for block in blocks if block.start.astimezone(UTC) < since and block.start.date() not in gone]


def task_id_of(block: ScheduleBlock, occurrence_tag: str) -> str:
    """The task that a block belongs to: its node, its occurrence where it recurs, and whether that part is done."""
    number = next((tag.removeprefix(occurrence_tag) for tag in block.tags if tag.startswith(occurrence_tag)), None)
    name = str(block.plan_node_id) if number is None else f"{block.plan_node_id}#{number}"
    return name + DONE_PART if DONE_TAG in block.tags else name


def finished_tasks(blocks: Iterable[ScheduleBlock], kept: Sequence[ScheduleBlock], occurrence_tag: str) -> list[str]:
    """The tasks all of whose blocks were kept."""
    done = {id(block) for block in kept}
    state: dict[str, bool] = {}
    for block in blocks:
        name = task_id_of(block, occurrence_tag).removesuffix(DONE_PART)
        state[name] = state.get(name, True) and id(block) in done
    return sorted(name for name, finished in state.items() if finished)


def with_history(
    tasks: Sequence[Task], history: History, done: Mapping[str, Sequence[Span]], nodes: Mapping[UUID, PlanNode]
) -> tuple[list[Task], list[str]]:
    """The tasks as they stand at a moment.

    What is done is locked where it was; of what was begun the rest is left; what was not begun starts at the moment or
    later. What should have been done by then, and was not, can only be left out.

    Args:
        tasks: all the work, as if nothing had happened.
        history: the moment, and what was finished by then.
        done: where work was done, by task id.
        nodes: by id, for done work that is no longer a task.

    Returns:
        The tasks, and what a person should know.
    """
    found: list[Task] = []
    notes: list[str] = []
    since, known = history.since, {task.id for task in tasks}
    for task in tasks:
        spans = tuple(done.get(task.id, ()))
        spent = sum((span.end - span.start) // MINUTE for span in spans)
        if spent >= task.minutes or (spans and task.id in history.finished):
            found.append(replace(task, locked=spans))
            continue
        if task.latest is not None and task.latest <= since:
            notes.append(f"{task.title}: the time for one of its occurrences has passed.")
            known.discard(task.id)
            continue
        ahead = tuple(span for span in task.previous if span.start >= since)
        earliest = since if task.earliest is None else max(task.earliest, since)
        left = task.minutes - spent
        piece = min(task.min_block_minutes, left)
        found.append(replace(task, minutes=left, min_block_minutes=piece, earliest=earliest, previous=ahead))
        known.discard(task.id)
    for name, spent_on in done.items():
        if name not in known:
            node = nodes[UUID(name.partition("#")[0])]
            minutes = sum((span.end - span.start) // MINUTE for span in spent_on)
            found.append(Task(name + DONE_PART, node.title, max(1, minutes), locked=tuple(spent_on)))
    return found, notes


def spans_of(history: History, nodes: Mapping[UUID, PlanNode], occurrence_tag: str) -> dict[str, list[Span]]:
    """Where work was done, by task id; nodes that the plan no longer has are left out."""
    found: dict[str, list[Span]] = defaultdict(list)
    for block in history.blocks:
        if block.plan_node_id in nodes:
            name = task_id_of(block, occurrence_tag).removesuffix(DONE_PART)
            found[name].append(Span(block.start, block.end))
    return found


def open_links(links: Iterable[Link], tasks: Sequence[Task], done: Mapping[str, Sequence[Span]]) -> list[Link]:
    """The links that can still be kept: what is done has not waited for what is not."""
    ids = {task.id for task in tasks}
    over = {task.id for task in tasks if task.locked and task.id in done}
    return [link for link in links if link.after not in over and {link.before, link.after} <= ids]
