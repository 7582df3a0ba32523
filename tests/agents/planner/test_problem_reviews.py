"""Reviews come after what they look back on, in every schedule; single work fits beside what comes back."""

from collections import defaultdict
from datetime import date, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.contracts import Roadmap
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.problem_building import build_problem
from loopwright.agents.planner.problem_reviews import LEAST_SPACE, SPACE
from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Block, Problem, Task
from loopwright.agents.planner.schedule.solver import solve
from loopwright.agents.planner.terms import read_terms
from tests.agents.planner.grammar.outlines import node, outline, uid

GOAL = node("goal", None, "goal", 1)
PHASES = (("one", "2027-01-04", "2027-02-15"), ("two", "2027-02-15", "2027-04-05"))


def built(data: dict[str, Any], **given_facts: Any) -> Problem:
    usual = {"today": date(2027, 1, 4), "timezone": "Europe/Berlin", "deadline": date(2027, 4, 4)}
    facts = GoalFacts.model_validate(usual | given_facts)
    return build_problem(Roadmap.model_validate(data), read_terms(facts)).problem


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    """Two phases one after the other: single work, some of it linked, work that comes back, and a review somewhere."""
    nodes = [GOAL]
    for phase, first, after in PHASES:
        window = {"window": {"first": first, "after": after}}
        nodes.append(node(phase, "goal", "phase", 2, metadata=window, after=["one"] if phase == "two" else []))
        names = [f"{phase}{number}" for number in range(draw(st.integers(1, 4)))]
        for number, name in enumerate(names):
            minutes = {
                "estimated_minutes": draw(st.sampled_from([30, 60, 120, 240])),
                "priority": draw(st.integers(1, 5)),
            }
            waits = [names[number - 1]] if number and draw(st.booleans()) else []
            nodes.append(node(name, phase, "task", 3, metadata=minutes, after=waits))
        for number in range(draw(st.integers(0, 2))):
            rule = {"rrule": draw(st.sampled_from(["FREQ=WEEKLY", "FREQ=DAILY;INTERVAL=3"])), "estimated_minutes": 15}
            nodes.append(node(f"{phase}again{number}", phase, "task", 3, metadata=rule))
        tagged = draw(st.booleans())
        fields = {"tags": ["reflection"]} if tagged else {"title": "Review: what went well?"}
        at = len(nodes) - draw(st.integers(0, len(names)))
        nodes.insert(at, node(f"{phase}review", phase, "task", 3, metadata={"estimated_minutes": 30}, **fields))
    return outline(*nodes)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plans(), st.sampled_from(["push", "relax"]))
def test_a_review_comes_after_the_work_of_its_phase(data: dict[str, Any], mode: str) -> None:
    problem = built(data, facts={"mode": mode}, hours_per_week=10)
    # Whoever finds none at once gets all the time that it takes.
    answer = solve(problem, seconds=0.2)
    answer = answer if answer.blocks else solve(problem, seconds=60.0)
    assert answer.blocks, answer
    assert check_schedule(problem, answer.blocks) == []
    begins, ends = outer_times(answer.blocks)
    phases = {item["id"]: item["parent_id"] for item in data["nodes"]}
    for phase, _, _ in PHASES:
        review = begins[uid(f"{phase}review")]
        series: dict[str, list[Task]] = defaultdict(list)
        for task in problem.tasks:
            leaf = task.id.partition("#")[0]
            if phases[leaf] == uid(phase) and task.id != uid(f"{phase}review"):
                series[leaf].append(task)
        for tasks in series.values():
            for task in tasks:
                if "#" not in task.id or early(task, tasks):
                    assert ends[task.id] <= review, task.title


def early(task: Task, series: list[Task]) -> bool:
    """Whether an occurrence is due well before its series ends."""
    first = min(item.earliest for item in series if item.earliest is not None)
    last = max(item.latest for item in series if item.latest is not None)
    return task.latest is not None and task.latest <= last - max(LEAST_SPACE, SPACE * (last - first))


def outer_times(blocks: tuple[Block, ...]) -> tuple[dict[str, datetime], dict[str, datetime]]:
    begins: dict[str, datetime] = {}
    ends: dict[str, datetime] = {}
    for block in blocks:
        begins[block.task_id] = min(begins.get(block.task_id, block.start), block.start)
        ends[block.task_id] = max(ends.get(block.task_id, block.end), block.end)
    return begins, ends


def test_what_waits_for_a_review_is_not_waited_for() -> None:
    """Else the two would wait for each other."""
    data = outline(
        GOAL,
        node("p", "goal", "phase", 2),
        node("draft", "p", "task", 3),
        node("look", "p", "task", 3, title="Review: is the draft good?"),
        node("final", "p", "task", 3, after=["look"]),
    )
    found = {(link.before, link.after) for link in built(data).links}
    assert found == {(uid("draft"), uid("look")), (uid("look"), uid("final"))}


def test_to_review_something_is_work_like_any_other() -> None:
    data = outline(
        GOAL,
        node("p", "goal", "phase", 2),
        node("a", "p", "task", 3, title="Review the contract with a lawyer"),
        node("b", "p", "task", 3),
    )
    assert built(data).links == ()


def test_single_work_is_done_in_pieces_beside_daily_work() -> None:
    """Of 45 minutes a day a daily half hour leaves a quarter: an hour at once would never find a day."""
    daily = {"estimated_minutes": 30, "rrule": "FREQ=DAILY"}
    data = outline(
        GOAL,
        node("again", "goal", "task", 2, metadata=daily),
        node("once", "goal", "task", 2, metadata={"estimated_minutes": 60}),
    )
    problem = built(data, facts={"minutes_per_day": 45})
    (once,) = (task for task in problem.tasks if task.id == uid("once"))
    assert (once.splittable, once.min_block_minutes) == (True, 15)
    answer = solve(problem, seconds=0.3)
    assert check_schedule(problem, answer.blocks) == []
    pieces = [block for block in answer.blocks if block.task_id == uid("once")]
    assert [block.end - block.start for block in pieces] == [timedelta(minutes=15)] * 4


def test_pieces_are_no_longer_than_a_day_takes() -> None:
    """Twenty minutes a day: a lesson of half an hour takes two days, a quarter of an hour each."""
    data = outline(GOAL, node("a", "goal", "task", 2, metadata={"estimated_minutes": 30}))
    (task,) = built(data, facts={"minutes_per_day": 20}).tasks
    assert (task.splittable, task.min_block_minutes) == (True, 15)
