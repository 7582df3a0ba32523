"""An outline is of the pattern that it says it is."""

import pytest

from loopwright.agents.planner.contracts import PATTERN_TYPES
from loopwright.agents.planner.grammar import repair_outline, validate_grammar
from tests.agents.planner.grammar.outlines import node, outline, two_phases, uid

WEEKLY = outline(
    node("goal", None, "goal", 1),
    node("week", "goal", "cycle", 2, recurrence="weekly"),
    node("a", "week", "task", 3),
)


def rules(data: object, pattern: object) -> set[str]:
    return {violation.rule for violation in validate_grammar(data, pattern).violations}


@pytest.mark.parametrize(
    ("pattern", "phases_fit", "cycles_fit"),
    [
        ("milestone_project", True, False),
        ("recurring_cycle", False, True),
        ("progressive_accumulation_arc", True, True),
        ("strategic_transformation", True, False),
    ],
)
def test_phases_and_cycles_by_pattern(pattern: str, phases_fit: bool, cycles_fit: bool) -> None:
    assert ("pattern_type_mismatch" not in rules(two_phases(), pattern)) is phases_fit
    assert ("pattern_type_mismatch" not in rules(WEEKLY, pattern)) is cycles_fit


def test_a_hybrid_needs_a_cycle() -> None:
    assert "pattern_without_cycle" in rules(two_phases(), "hybrid_project_cycle")
    assert "pattern_without_cycle" not in rules(WEEKLY, "hybrid_project_cycle")


@pytest.mark.parametrize("pattern", PATTERN_TYPES)
@pytest.mark.parametrize("data", [two_phases(), WEEKLY], ids=["phases", "weekly"])
def test_mismatches_are_repaired(data: dict, pattern: str) -> None:
    repaired, _ = repair_outline(data, pattern)
    assert validate_grammar(repaired, pattern).valid


def test_one_line_of_work_has_no_streams() -> None:
    streams = two_phases(
        a={"metadata": {"estimated_minutes": 60, "stream": "home"}},
        b={"metadata": {"estimated_minutes": 60, "stream": "work"}},
    )
    assert "pattern_axis_mismatch" in rules(streams, "milestone_project")
    assert "pattern_axis_mismatch" not in rules(streams, "strategic_transformation")
    repaired, _ = repair_outline(streams, "milestone_project")
    assert all("stream" not in item["metadata"] for item in repaired["nodes"])


def test_the_outlines_own_pattern_counts_unless_another_is_asked_for() -> None:
    data = two_phases() | {"pattern": {"pattern_type": "recurring_cycle"}}
    assert "pattern_type_mismatch" in rules(data, None)
    assert "pattern_type_mismatch" not in rules(data, "milestone_project")
    assert validate_grammar(two_phases(), "no_such_pattern").fatal


def test_repaired_ids_stay() -> None:
    repaired, _ = repair_outline(two_phases(), "recurring_cycle")
    assert {uid("one"), uid("a")} <= {item["id"] for item in repaired["nodes"]}
