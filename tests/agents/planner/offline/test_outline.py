"""Every family makes an outline that the grammar accepts and that fits the time, or says why it does not."""

import re
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from loopwright.agents.planner.contracts.plan import PatternSpec
from loopwright.agents.planner.grammar.loading import load_outline
from loopwright.agents.planner.grammar.validating import validate_grammar
from loopwright.agents.planner.offline.goal import Goal, understand_goal
from loopwright.agents.planner.offline.outline_making import make_outline
from loopwright.agents.planner.offline.work import GENERIC, families
from loopwright.agents.planner.schedule.recurrence_rule import parse_rule

TODAY = date(2026, 11, 23)
BERLIN = ZoneInfo("Europe/Berlin")
SIZES = (
    "", ", 4 hours a week in 3 weeks", ", 10 hours a week in 52 weeks", ", 30 minutes a day in 10 weeks",
    ", 1 hour a week in 1 week", ", 40 hours a week in 6 months", ", 3 hours a week by June, only weekends",
    ", 20 minutes a day for 5 years", " tomorrow", ", 90 minutes twice a week for 12 weeks, no Mondays",
)  # fmt: skip


def goal_of(family: str, size: str) -> Goal:
    """A goal of this size that belongs to the family."""
    goal = understand_goal(f"something{size}", TODAY, "Europe/Berlin")
    return replace(goal, family=family, pattern=families()[family].pattern)


@cache
def outline_of(family: str, size: str) -> dict[str, Any]:
    """Its outline, made once for all tests."""
    return make_outline(goal_of(family, size))


def effort(outline: dict[str, Any]) -> int:
    """Minutes over all occurrences."""
    return sum(node.get("estimated_minutes", 0) * node.get("occurrences", 1) for node in outline["nodes"])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("family", sorted(families()))
def test_an_outline_is_valid_and_fits_the_time_or_says_why_not(family: str, size: str) -> None:
    outline = outline_of(family, size)
    nodes = outline["nodes"]
    assert 4 <= len(nodes) <= 120
    assert len({node["id"] for node in nodes}) == len(nodes)
    assert all(2 <= len(node["title"]) <= 160 and "{" not in node["title"] for node in nodes)
    assert outline["effort_minutes"] == effort(outline)
    fill = effort(outline) / outline["available_minutes"]
    told = [note for note in outline["notes"] if "does not fit" in note or "stays free" in note]
    assert bool(told) == (not 0.8 <= fill <= 1.0), (fill, outline["notes"])


@pytest.mark.parametrize("family", sorted(families()))
def test_the_grammar_accepts_every_family(family: str) -> None:
    for size in SIZES:
        outline = outline_of(family, size)
        pattern = PatternSpec.model_validate(outline["pattern"])
        plan = load_outline(outline, pattern=pattern)
        report = validate_grammar(plan, pattern)
        assert report.valid, (size, [violation.message for violation in report.violations][:3])
        assert len(plan.nodes) == len(outline["nodes"])


@pytest.mark.parametrize("family", sorted(families()))
def test_recurring_work_stays_inside_its_days_and_leaves_out_the_days_off(family: str) -> None:
    goal = replace(goal_of(family, ", 6 hours a week in 20 weeks"), excluded_days=(6,))
    outline = make_outline(goal)
    for node in outline["nodes"]:
        if "rrule" in node:
            assert parse_rule(node["rrule"], BERLIN)
            assert "SU" not in node["rrule"]
            assert "FREQ=DAILY" not in node["rrule"]
            assert TODAY.isoformat() <= node["earliest"] <= str(goal.deadline)
        assert node["type"] != "task" or node["estimated_minutes"] % 15 == 0


def test_there_are_many_families_and_an_honest_general_one_for_each_pattern() -> None:
    assert len(families()) >= 30
    assert {families()[key].pattern for key in GENERIC.values()} == set(GENERIC)
    outline = make_outline(understand_goal("zorbing with llamas", TODAY, "UTC"))
    assert any("No family of goals that I know fits" in note for note in outline["notes"])


def test_phases_overlap_where_work_overlaps() -> None:
    outline = make_outline(understand_goal("launch my app in 12 weeks, 8 hours a week", TODAY, "UTC"))
    links = [link for node in outline["nodes"] for link in node.get("dependencies", [])]
    assert any(link["type"] == "start_to_start" and link["lag_minutes"] > 0 for link in links)


def test_musts_and_facts_reach_the_outline() -> None:
    goal = understand_goal("organise a conference in Vienna that must include a poster session", TODAY, "UTC")
    titles = [node["title"] for node in make_outline(goal)["nodes"]]
    assert any("poster session" in title for title in titles)
    assert any("in Vienna" in title for title in titles)


def test_the_same_goal_makes_the_same_outline_whatever_was_made_before() -> None:
    goal = understand_goal("learn Spanish to B1 by June, 5 hours a week", TODAY, "UTC")
    first = make_outline(goal)
    make_outline(goal_of("write_book", ""))
    assert make_outline(goal) == first


def test_more_time_makes_more_plan() -> None:
    small, large = (
        make_outline(understand_goal(f"learn Spanish in 20 weeks, {hours} hours a week", TODAY, "UTC"))
        for hours in (2, 8)
    )
    assert effort(large) > 3 * effort(small)


def test_a_habit_comes_as_often_as_the_user_says() -> None:
    goal = understand_goal("a cold exposure protocol every day for 4 weeks", date(2026, 11, 18), "Europe/Berlin")
    habits = [node for node in make_outline(goal)["nodes"] if "protocol" in node["title"] and node.get("rrule")]
    assert len(habits) == 3
    assert {node["rrule"].partition(";")[0] for node in habits} == {"FREQ=DAILY"}


def test_what_is_run_is_called_a_run_so_that_a_count_or_an_injury_means_it() -> None:
    goal = understand_goal("run a marathon in 26 weeks, 4 times a week", date(2026, 11, 18), "Europe/Berlin")
    nodes = make_outline(goal)["nodes"]
    above = {node["id"]: node for node in nodes}
    tasks = [node for node in nodes if node["type"] == "task" and "reflection" not in node.get("tags", ())]
    tasks = [node for node in tasks if "strength" not in node["title"].lower()]
    runs = [node for node in tasks if node.get("stream", above[node["parent"]].get("stream")) == "running"]
    assert len(runs) >= 6
    assert not [node["title"] for node in runs if not re.search(r"\bruns?\b", node["title"], re.IGNORECASE)]


def test_a_review_comes_late_in_its_part() -> None:
    goal = understand_goal("learn chess in 8 weeks, weekends only", date(2026, 11, 18), "Europe/Berlin")
    nodes = {node["id"]: node for node in make_outline(goal)["nodes"]}
    reviews = [node for node in nodes.values() if "reflection" in node.get("tags", ())]
    assert reviews
    for review in reviews:
        part = nodes[review["parent"]]
        window = (part if "window" in part else nodes[part["parent"]])["window"]
        assert window["start"] < review["earliest"] <= window["end"]
