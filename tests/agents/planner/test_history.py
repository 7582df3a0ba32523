"""What has been done stays when a plan changes; what is left lies ahead."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.planner.contracts import PlanNode, ScheduleBlock
from loopwright.agents.planner.history import (
    DONE_PART,
    DONE_TAG,
    History,
    finished_tasks,
    kept_blocks,
    open_links,
    spans_of,
    task_id_of,
    with_history,
)
from loopwright.agents.planner.schedule.problem import Link, Span, Task

MONDAY = datetime(2027, 3, 1, 9, tzinfo=UTC)
NOW = MONDAY + timedelta(days=2)
HOUR = timedelta(hours=1)
TAG = "occurrence:"


def node(title: str = "Write") -> PlanNode:
    return PlanNode(id=uuid4(), node_type="task", level=2, title=title, metadata={"estimated_minutes": 120})


def block(of: PlanNode, start: datetime, hours: int = 1, *tags: str) -> ScheduleBlock:
    return ScheduleBlock(plan_node_id=of.id, title=of.title, start=start, end=start + hours * HOUR, tags=list(tags))


def after(tasks: list[Task], blocks: list[ScheduleBlock], nodes: list[PlanNode]) -> dict[str, Task]:
    """The tasks as they stand on Wednesday, by id."""
    kept = kept_blocks(blocks, NOW, ())
    history = History(kept, NOW, frozenset(finished_tasks(blocks, kept, TAG)))
    by_id: dict[UUID, PlanNode] = {each.id: each for each in nodes}
    found, _ = with_history(tasks, history, spans_of(history, by_id, TAG), by_id)
    return {task.id: task for task in found}


def test_what_is_done_is_locked_and_of_what_was_begun_the_rest_is_left() -> None:
    whole, begun, ahead = node("Whole"), node("Begun"), node("Ahead")
    tasks = [Task(str(each.id), each.title, 120, splittable=True) for each in (whole, begun, ahead)]
    found = after(
        tasks,
        [
            block(whole, MONDAY, 2),
            block(begun, MONDAY + 3 * HOUR),
            block(begun, NOW + 5 * HOUR),
            block(ahead, NOW + HOUR),
        ],
        [whole, begun, ahead],
    )
    assert found[str(whole.id)].locked == (Span(MONDAY, MONDAY + 2 * HOUR),)
    assert (found[str(begun.id)].minutes, found[str(begun.id)].earliest) == (60, NOW)
    assert found[f"{begun.id}{DONE_PART}"].locked == (Span(MONDAY + 3 * HOUR, MONDAY + 4 * HOUR),)
    assert (found[str(ahead.id)].minutes, found[str(ahead.id)].earliest, found[str(ahead.id)].locked) == (120, NOW, ())


def test_a_lost_day_is_not_history_and_what_can_no_longer_be_done_is_left_out() -> None:
    daily = node()
    blocks = [block(daily, MONDAY, 1, f"{TAG}1"), block(daily, MONDAY + timedelta(days=1), 1, f"{TAG}2")]
    kept = kept_blocks(blocks, NOW, [MONDAY.date() + timedelta(days=1)])
    assert kept == blocks[:1]
    tasks = [Task(f"{daily.id}#{number}", "Write", 60, latest=MONDAY + timedelta(days=number)) for number in (1, 2, 3)]
    history = History(kept, NOW, frozenset(finished_tasks(blocks, kept, TAG)))
    found, notes = with_history(tasks, history, spans_of(history, {daily.id: daily}, TAG), {daily.id: daily})
    assert [task.id for task in found] == [f"{daily.id}#1", f"{daily.id}#3"]
    assert len(notes) == 1


def test_what_took_longer_than_thought_is_over_all_the_same() -> None:
    done = node()
    found = after([Task(str(done.id), "Write", 240, splittable=True)], [block(done, MONDAY, 2)], [done])
    assert list(found) == [str(done.id)]
    assert found[str(done.id)].locked


def test_what_is_no_task_any_more_keeps_its_past() -> None:
    dropped = node()
    found = after([], [block(dropped, MONDAY, 1, f"{TAG}1"), block(dropped, NOW + HOUR, 1, f"{TAG}2")], [dropped])
    assert {name: task.locked for name, task in found.items()} == {
        f"{dropped.id}#1{DONE_PART}": (Span(MONDAY, MONDAY + HOUR),)
    }


def test_what_is_done_waits_for_nothing() -> None:
    tasks = [Task("a", "A", 60), Task("b", "B", 60, locked=(Span(MONDAY, MONDAY + HOUR),)), Task("c", "C", 60)]
    links = [Link("a", "b"), Link("b", "c"), Link("a", "gone")]
    assert open_links(links, tasks, {"b": [Span(MONDAY, MONDAY + HOUR)]}) == [Link("b", "c")]


def test_a_block_names_its_task() -> None:
    one = node()
    assert task_id_of(block(one, MONDAY), TAG) == str(one.id)
    assert task_id_of(block(one, MONDAY, 1, f"{TAG}3"), TAG) == f"{one.id}#3"
    assert task_id_of(block(one, MONDAY, 1, f"{TAG}3", DONE_TAG), TAG) == f"{one.id}#3{DONE_PART}"


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(1, 4), st.integers(0, 3)), max_size=12))
def test_no_minute_of_the_past_is_lost_or_invented(places: list[tuple[int, int, int]]) -> None:
    nodes = [node(f"Task {index}") for index in range(4)]
    blocks = [block(nodes[index], MONDAY + start * HOUR, hours) for start, hours, index in places]
    tasks = [Task(str(each.id), each.title, 300, splittable=True) for each in nodes]
    found = after(tasks, blocks, nodes).values()
    locked = sorted((span.start, span.end) for task in found for span in task.locked)
    assert locked == sorted((each.start, each.end) for each in blocks if each.start < NOW)
    assert all(task.earliest == NOW for task in found if not task.locked)
