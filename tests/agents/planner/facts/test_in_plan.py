"""Facts in an outline that somebody else has written: events, an order, last days, absences, counted sessions."""

import itertools
from collections import Counter
from datetime import date, timedelta
from typing import Any

import pytest

from loopwright.agents.planner.contracts.plan import PatternSpec, PlanOutline, Roadmap
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.in_plan import outline_with_facts
from loopwright.agents.planner.facts.sessions import roadmap_with_sessions
from loopwright.agents.planner.facts.shown import fact_lines, facts_of
from loopwright.agents.planner.grammar import load_outline
from loopwright.agents.planner.stated import with_stated

TODAY = date(2026, 11, 22)


def stated(text: str) -> GoalFacts:
    return with_stated(GoalFacts(text=text, today=TODAY, timezone="Europe/Berlin"), TODAY)


def outline(*tasks: tuple[str, dict[str, Any]], window: tuple[str, str] | None = None) -> PlanOutline:
    nodes: list[dict[str, Any]] = [{"id": "g", "node_type": "goal", "level": 1, "title": "The goal"}]
    part: dict[str, Any] = {"id": "p", "parent_id": "g", "node_type": "phase", "level": 2, "title": "Part"}
    nodes.append(part | ({"window": {"start": window[0], "end": window[1]}} if window else {}))
    for number, (title, more) in enumerate(tasks):
        nodes.append(
            {"id": f"t{number}", "parent_id": "p", "node_type": "task", "title": title, "estimated_minutes": 60} | more
        )
    return load_outline(
        {"root_id": "g", "nodes": nodes}, plan="p", pattern=PatternSpec(pattern_type="milestone_project")
    )


def titled(found: PlanOutline) -> dict[str, Any]:
    return {node.title: node for node in found.nodes}


def test_the_event_is_no_work_before_its_day() -> None:
    goal = stated("pass the bar exam on February 23 2027")
    found, _ = outline_with_facts(outline(("Study", {}), ("Milestone: bar exam", {}), ("Register for it", {})), goal)
    assert {"Study", "Register for it"} <= titled(found).keys()
    assert "Milestone: bar exam" not in titled(found)


def test_each_of_several_events_has_work_that_is_over_before_it() -> None:
    goal = stated("biology on January 18 2027, physics on February 2 2027")
    found, _ = outline_with_facts(outline(("Study", {}), ("Mock", {})), goal)
    latest = {title: node.metadata.get("latest") for title, node in titled(found).items() if "–" in title}
    assert latest == {"Study – biology": "2027-01-17", "Mock – physics": "2027-02-01"}


def test_an_order_binds_what_is_there_and_adds_what_is_not() -> None:
    goal = stated("move by January 31 2027; the lease must be cancelled before we order the movers")
    found, _ = outline_with_facts(outline(("Get quotes of movers", {}), ("Pack", {})), goal)
    nodes = titled(found)
    lease = nodes["Lease must be cancelled"]
    for title in ("Order the movers", "Get quotes of movers"):
        assert [each.node_id for each in nodes[title].dependencies] == [lease.id]


def test_a_last_day_binds_the_task_that_it_names() -> None:
    goal = stated("write my memoir by 1 October 2027, chapter 1 before Christmas")
    assert goal.deadline == date(2027, 10, 1)
    found, _ = outline_with_facts(outline(("Draft chapter 1", {}), ("Draft chapter 2", {})), goal)
    assert titled(found)["Draft chapter 1"].metadata["latest"] == "2026-12-24"
    assert "latest" not in titled(found)["Draft chapter 2"].metadata


def test_counted_sessions_are_counted_exactly_and_the_placed_one_has_its_day() -> None:
    goal = stated("run a marathon on April 25 2027, 4 runs a week, long run on Sundays")
    weekly = {"recurrence": "weekly"}
    draft = outline(("Easy run", weekly), ("Long run", weekly), ("Test run", {}), ("Strength", weekly))
    found, notes = outline_with_facts(draft, goal)
    days: Counter[str] = Counter()
    for title, node in titled(found).items():
        if "run" in title:
            days.update({title: len(node.metadata["rrule"].split("BYDAY=")[1].split(","))})
    assert sum(days.values()) == 4
    assert titled(found)["Long run"].metadata["rrule"] == "FREQ=WEEKLY;BYDAY=SU"
    assert "Test run" not in titled(found)
    assert any("Test run" in note for note in notes)


def test_doing_it_again_changes_nothing() -> None:
    goal = stated("move by January 31 2027; the lease must be cancelled before we order the movers")
    once, _ = outline_with_facts(outline(("Pack", {})), goal)
    assert outline_with_facts(once, goal)[0].nodes == once.nodes


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("minutes", [30, 45, 90])
def test_every_week_has_as_many_sessions_as_were_stated(count: int, minutes: int) -> None:
    goal = stated(f"learn to knit by February 28 2027, {count} sessions a week of {minutes} minutes")
    draft = outline(("Read", {}), ("Practise", {"recurrence": "weekly"}), window=("2026-11-22", "2027-02-28"))
    roadmap = Roadmap(root_id=draft.root_id, nodes=draft.nodes)
    found, _ = roadmap_with_sessions(roadmap, goal)
    sessions = [node for node in found.nodes if node.metadata.get("session")]
    assert {node.metadata["estimated_minutes"] for node in sessions} == {minutes}
    weeks = Counter(_monday(node.metadata["earliest"]) for node in sessions)
    inner = sorted(weeks)[1:-1]
    assert len(inner) >= 12
    assert {weeks[monday] for monday in inner} == {count}
    assert {(later - earlier).days for earlier, later in itertools.pairwise(inner)} == {7}


def _monday(text: str) -> date:
    day = date.fromisoformat(text)
    return day - timedelta(days=day.weekday())


def test_every_fact_is_shown_with_its_constraint_or_as_not_used() -> None:
    goal = stated("plan our wedding on August 21 2027 for 80 guests, we only have Saturdays")
    lines = list(fact_lines(facts_of(PlanningState(goal=goal))))
    assert any("work only on Sat" in line for line in lines)
    assert any("wedding on 2027-08-21" in line for line in lines)
    assert any("80 guests" in line and line.endswith("not used") for line in lines)
