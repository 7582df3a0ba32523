"""Facts in an outline that somebody else has written: events, an order, last days, absences, counted sessions."""

import itertools
from collections import Counter
from datetime import date, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from loopwright.agents.planner.contracts.plan import PatternSpec, PlanOutline, Roadmap
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.in_plan import outline_with_facts
from loopwright.agents.planner.facts.sessions import roadmap_with_sessions
from loopwright.agents.planner.facts.shown import fact_lines, facts_of
from loopwright.agents.planner.grammar import load_outline, validate_grammar
from loopwright.agents.planner.problem_building import build_problem
from loopwright.agents.planner.stated import with_stated
from loopwright.agents.planner.terms import read_terms

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
    lease = nodes["Lease cancelled"]
    for title in ("Order the movers", "Get quotes of movers"):
        assert [each.node_id for each in nodes[title].dependencies] == [lease.id]


def test_a_last_day_binds_the_task_that_it_names() -> None:
    goal = stated("write my memoir by 1 October 2027, chapter 1 before Christmas")
    assert goal.deadline == date(2027, 10, 1)
    found, _ = outline_with_facts(outline(("Draft chapter 1", {}), ("Draft chapter 2", {})), goal)
    assert titled(found)["Draft chapter 1"].metadata["latest"] == "2026-12-24"
    assert "latest" not in titled(found)["Draft chapter 2"].metadata


def test_each_thing_has_its_steps_one_after_the_other() -> None:
    goal = stated("exam on 12 February 2027, two units, each unit is read, then practised")
    found, _ = outline_with_facts(outline(("Study", {}), ("Read unit 1", {}), ("Read unit 3", {})), goal)
    nodes = titled(found)
    assert "Read unit 3" not in nodes
    chain = [nodes[name] for name in ("Read unit 1", "Unit 1: practised", "Unit 2: read", "Unit 2: practised")]
    for first, then in itertools.pairwise(chain):
        assert [each.node_id for each in then.dependencies] == [first.id]


def test_hours_for_one_thing_are_its_own_and_others_give_the_time() -> None:
    goal = stated("pass the exam on 13 March 2027: 5 hours for the writing, 3 hours a week")
    found, _ = outline_with_facts(outline(("Study", {"estimated_minutes": 600}), ("Enter", {})), goal)
    minutes = {title: node.metadata.get("estimated_minutes") for title, node in titled(found).items()}
    assert sum(value for title, value in minutes.items() if title.startswith("Writing")) == 300
    assert minutes["Study"] < 600
    again, _ = outline_with_facts(found, goal)
    assert sum("Writing" in title for title in titled(again)) == sum("Writing" in title for title in titled(found))


def test_one_thing_waits_for_its_day_and_another_is_done_by_its_day() -> None:
    goal = stated("grow vegetables: sow the peas by 20 March 2027, don't plant the beans before 15 May 2027")
    found, _ = outline_with_facts(outline(("Dig", {}), ("Buy peas", {})), goal)
    nodes = titled(found)
    assert nodes["Plant the beans"].metadata["earliest"] == "2027-05-15"
    assert nodes["Sow the peas"].metadata["latest"] == nodes["Buy peas"].metadata["latest"] == "2027-03-20"
    assert nodes["Sow the peas"].metadata["earliest"] == "2027-02-20"


def test_weeks_of_a_shift_leave_the_hours_beside_it() -> None:
    goal = stated(
        "learn Dutch by 1 February 2027, in odd weeks I work from 6 am to 2 pm, in even weeks from 2 to 10 pm"
    )
    hours = read_terms(goal).calendar.exceptions
    assert hours[date(2026, 12, 1)] == ((time(14), time(22)),)  # week 49
    assert hours[date(2026, 12, 8)] == ((time(8), time(14)),)


def test_whose_mornings_are_named_works_in_the_mornings() -> None:
    goal = stated("move by 27 February 2027, Sue packs the books and can only help on Saturday mornings")
    draft, _ = outline_with_facts(outline(("Pack the books", {"estimated_minutes": 300})), goal)
    problem = build_problem(draft, read_terms(goal)).problem
    (saturday, *rest) = [task for task in problem.tasks if "Sue" in task.title]
    assert saturday.minutes + sum(each.minutes for each in rest) == 300
    for task in (saturday, *rest):
        assert task.earliest is not None
        assert task.latest is not None
        begin, end = (moment.astimezone(ZoneInfo("Europe/Berlin")) for moment in (task.earliest, task.latest))
        assert (begin.weekday(), begin.hour >= 8, end.hour <= 12, begin.date()) == (5, True, True, end.date())


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


def test_a_step_is_called_after_what_is_done_in_it() -> None:
    goal = stated("a boat by May 15 2027: first bend the planks, two weeks later caulk the hull, then paint the deck")
    found, _ = outline_with_facts(outline(("Buy wood", {})), goal)
    assert {"Bend the planks", "Caulk the hull", "Paint the deck"} <= titled(found).keys()


def test_what_is_named_fits_into_a_plan_of_cycles_alone() -> None:
    nodes: list[dict[str, Any]] = [
        {"id": "g", "node_type": "goal", "level": 1, "title": "The goal"},
        {"id": "c", "parent_id": "g", "node_type": "cycle", "level": 2, "title": "Weekly", "recurrence": "weekly"},
        {"id": "t", "parent_id": "c", "node_type": "task", "title": "Sit", "estimated_minutes": 15},
    ]
    pattern = PatternSpec(pattern_type="recurring_cycle")
    draft = load_outline({"root_id": "g", "nodes": nodes}, plan="p", pattern=pattern)
    found, _ = outline_with_facts(draft, stated("sit every week, first read the guide, then fix a place"))
    assert {"Read the guide", "Fix a place"} <= titled(found).keys()
    assert not [node for node in found.nodes if node.node_type == "phase"], "the pattern has no phases"
    assert validate_grammar(found).valid


def test_named_steps_have_sessions_of_their_own_in_their_order() -> None:
    goal = stated("piano 30 minutes every day until the recital on February 1 2027, first the etude, then the sonata")
    found, _ = outline_with_facts(outline(("Scales", {"recurrence": "daily"})), goal)
    roadmap = Roadmap.model_validate(
        {"root_id": found.root_id, "roadmap_context": {}, "nodes": found.nodes, "pattern": found.pattern}
    )
    planned, _ = roadmap_with_sessions(roadmap, goal)
    days = {name: [str(node.metadata.get("earliest")) for node in planned.nodes if name in node.title.casefold()]
            for name in ("etude", "sonata")}  # fmt: skip
    assert days["etude"]
    assert max(days["etude"]) < min(days["sonata"])


GENERAL = {"tags": ["general"]}
USUAL = {"tags": ["usual"]}


def test_a_general_plan_gives_way_to_the_work_that_was_named() -> None:
    goal = stated("Move aunt Ida on 26 February 2027. Before that: sort her papers, sell the furniture")
    found, notes = outline_with_facts(outline(("Break the work into pieces", GENERAL), ("Work session", GENERAL)), goal)
    assert {node.title for node in found.nodes if node.node_type == "task"} == {"Sort her papers", "Sell the furniture"}
    assert any("120 minutes" in note for note in notes)
    again, _ = outline_with_facts(found, goal)
    assert [node.title for node in again.nodes] == [node.title for node in found.nodes]


def test_a_plan_for_something_known_keeps_its_tasks_beside_those_that_were_named() -> None:
    goal = stated("Move aunt Ida on 26 February 2027. Before that: sort her papers, sell the furniture")
    found, _ = outline_with_facts(outline(("Book the movers", {}), ("Pack", {})), goal)
    assert {"Book the movers", "Pack", "Sort her papers", "Sell the furniture"} <= titled(found).keys()


def test_an_amount_at_a_rate_is_planned_in_sessions_that_take_so_long_together() -> None:
    goal = stated("Translate 240 pages of a manual by 30 April 2027. I manage 4 pages an hour")
    found, _ = outline_with_facts(outline(("Work session", GENERAL)), goal)
    sessions = [node for node in found.nodes if node.title.startswith("Translate 240 pages of a manual")]
    assert sum(node.metadata["estimated_minutes"] for node in sessions) == 60 * 60


def test_each_of_the_things_that_were_counted_takes_as_long_as_was_said() -> None:
    goal = stated("exam on 19 March 2027. There are 8 modules, each needs about 5 hours")
    found, _ = outline_with_facts(outline(("Mock exam", {})), goal)
    for number in range(1, 9):
        own = [node for node in found.nodes if node.title.startswith(f"Module {number} ")]
        assert sum(node.metadata["estimated_minutes"] for node in own) == 5 * 60


def test_what_is_done_for_an_event_is_done_in_the_weeks_before_it() -> None:
    goal = stated("Plan the baby shower on March 13 2027: guest list by February 1 2027, Clara bakes the cake")
    found, _ = outline_with_facts(outline(("Work session", GENERAL)), goal)
    assert titled(found)["Clara bakes the cake"].metadata["earliest"] == "2027-01-30"
    assert titled(found)["Guest list"].metadata["latest"] == "2027-02-01"


def test_what_must_come_before_what_lists_no_work_and_the_usual_plan_stays() -> None:
    goal = stated(
        "move to Graz by June 1 2027; the keys must be copied before we paint, the rugs must be washed after we pack"
    )
    found, _ = outline_with_facts(outline(("Register the address", USUAL), ("Hand over the flat", USUAL)), goal)
    titles = titled(found).keys()
    assert {"Register the address", "Hand over the flat", "Keys copied", "Rugs washed"} <= titles


def test_steps_that_were_told_one_after_the_other_are_the_plan() -> None:
    goal = stated("build a bench by June 1 2027: first saw the boards, then drill the holes, then glue the frame")
    found, _ = outline_with_facts(outline(("Choose a style", USUAL)), goal)
    assert "Choose a style" not in titled(found)


def test_what_somebody_does_and_what_is_to_be_done_is_one_task() -> None:
    """German says "sammelt" of somebody and "sammeln" of what is to be done."""
    goal = stated("Fest am 5. Juni 2027: Holz sammeln, Lampen aufhängen; Oskar sammelt das Holz; 3 Stunden pro Woche")
    found, _ = outline_with_facts(outline(("Anything", GENERAL)), goal)
    assert [title for title in titled(found) if "Holz" in title] == ["Holz sammeln (Oskar)"]
