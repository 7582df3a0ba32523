"""What is said of single things, in an outline and in its problem: daily work, first things, days of somebody."""

from datetime import date
from typing import Any

from loopwright.agents.planner.account.calendar_file import one_of
from loopwright.agents.planner.contracts.plan import PatternSpec, PlanOutline
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.facts.in_plan import outline_with_facts
from loopwright.agents.planner.grammar import load_outline
from loopwright.agents.planner.stated import with_stated
from loopwright.agents.planner.terms import read_terms

TODAY = date(2026, 11, 22)


def stated(text: str) -> GoalFacts:
    return with_stated(GoalFacts(text=text, today=TODAY, timezone="Europe/Berlin"), TODAY)


def planned(goal: GoalFacts, *tasks: str) -> dict[str, Any]:
    """The nodes by their titles after the facts were written into an outline of these tasks, twice."""
    nodes: list[dict[str, Any]] = [
        {"id": "g", "node_type": "goal", "level": 1, "title": "The goal"},
        {"id": "p", "parent_id": "g", "node_type": "phase", "level": 2, "title": "Part"},
    ]
    for number, title in enumerate(tasks):
        nodes.append(
            {"id": f"t{number}", "parent_id": "p", "node_type": "task", "title": title, "estimated_minutes": 60}
        )
    first: PlanOutline = load_outline(
        {"root_id": "g", "nodes": nodes}, plan="p", pattern=PatternSpec(pattern_type="milestone_project")
    )
    once, _ = outline_with_facts(first, goal)
    again, _ = outline_with_facts(once, goal)
    assert {node.title for node in again.nodes} == {node.title for node in once.nodes}
    return {node.title: node for node in again.nodes}


def test_one_thing_of_every_day_is_a_series_beside_the_rest() -> None:
    goal = stated("a kayak by June 1 2027: glue the seams, fill the gaps, 20 minutes of rowing drills every day")
    nodes = planned(goal, "Plan it")
    drills = nodes["Rowing drills"]
    assert (drills.recurrence, drills.metadata["estimated_minutes"]) == ("weekly", 20)
    assert nodes["Glue the seams"].recurrence == "none"
    assert "minutes_per_day" not in goal.facts


def test_what_is_painted_is_what_has_to_dry() -> None:
    goal = stated(
        "a hut by May 1 2027. First clear the site, then paint the shutters; "
        "the paint must dry for 3 days before I hang the door"
    )
    nodes = planned(goal, "Look around")
    assert not {"Paint"} & nodes.keys()
    door = nodes["Hang the door"]
    assert [(each.node_id, each.lag_lead_minutes > 0) for each in door.dependencies] == [
        (nodes["Paint the shutters"].id, True)
    ]


def test_the_first_of_several_things_have_a_last_day_of_their_own() -> None:
    nodes = planned(stated("an album by June 1 2027: record 4 songs, the first 2 songs by February 28"), "Book a room")
    latest = {title: node.metadata.get("latest") for title, node in nodes.items() if "song" in title}
    assert latest == {
        "Record song 1": "2027-02-28",
        "Record song 2": "2027-02-28",
        "Record song 3": None,
        "Record song 4": None,
    }


def test_so_much_of_an_amount_is_over_by_its_day() -> None:
    goal = stated(
        "a book by June 1 2027: 40 letters, 10 letters an hour to transcribe, the first 20 letters by January 31"
    )
    nodes = planned(goal, "Find a printer")
    held = [node for title, node in nodes.items() if "transcribe" in title.lower()]
    early = [node for node in held if node.metadata.get("latest") == "2027-01-31"]
    assert sum(node.metadata["estimated_minutes"] for node in early) >= 120
    assert len(early) < len(held)


def test_whoever_can_on_sundays_has_the_hours_of_sundays() -> None:
    goal = stated("a fair on June 5 2027, Doug does the lights. He is only free on Sundays")
    lights = planned(goal, "Look around")["Lights (Doug)"]
    assert {day for day, _, _ in lights.metadata["own_hours"]} == {6}
    assert 6 in {window.weekday for window in read_terms(goal).calendar.windows}


def test_the_one_with_a_name_takes_the_place_of_one_of_the_series() -> None:
    goal = stated(
        "a revue on April 17 2027: rehearsals on Tuesdays and Thursdays from 7 to 9 pm, "
        "the set must be painted before the technical rehearsal"
    )
    nodes = planned(goal, "Look around")
    technical, series = nodes["Technical rehearsal"], nodes["Rehearsals"]
    assert technical.metadata["earliest"] == technical.metadata["latest"] == "2027-04-15"
    assert ["2027-04-15", "2027-04-15"] in series.metadata["absent"]
    assert not series.dependencies


def test_one_of_several_is_called_by_its_singular() -> None:
    words = ("boxes", "stories", "potatoes", "glasses", "lessons", "bus", "analysis", "Fahrstunden", "Übungen")
    assert [one_of(word) for word in words] == [
        "box", "story", "potato", "glass", "lesson", "bus", "analysis", "Fahrstunde", "Übung",
    ]  # fmt: skip
