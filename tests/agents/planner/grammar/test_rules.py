"""Every rule of the grammar finds what it is for, and its mend mends it."""

from typing import Any

import pytest

from loopwright.agents.planner.contracts import PlanOutline
from loopwright.agents.planner.grammar import apply_fix, repair_outline, validate_grammar
from tests.agents.planner.grammar.outlines import node, outline, two_phases, uid

GOAL = node("goal", None, "goal", 1)


def after(*names: str, **fields: Any) -> dict[str, Any]:
    return {"dependencies": [{"node_id": uid(name), **fields} for name in names]}


BROKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "root gone": ("root_id_not_found", two_phases() | {"root_id": uid("nobody")}),
    "root below": ("root_parent_must_be_null", two_phases(goal={"parent_id": uid("one")})),
    "root deep": ("root_level_must_be_1", two_phases(goal={"level": 2})),
    "root is a phase": ("root_type_must_be_goal", two_phases(goal={"node_type": "phase"})),
    "second root": ("several_roots", two_phases(two={"node_type": "goal", "parent_id": None})),
    "no parent": ("node_missing_parent", two_phases(b={"parent_id": None})),
    "parent gone": ("parent_not_found", two_phases(b={"parent_id": uid("nobody")})),
    "flat": ("level_too_low", two_phases(b={"level": 2})),
    "same id": ("duplicate_node_ids", two_phases(b={"id": uid("a"), "dependencies": []})),
    "own parent": ("parent_cycle", two_phases(one={"parent_id": uid("one")})),
    "parents in a ring": ("parent_cycle", two_phases(one={"parent_id": uid("two")}, two={"parent_id": uid("one")})),
    "cut off": ("unreachable_task", two_phases(one={"parent_id": uid("nobody")})),
    "waits for nobody": ("dependency_not_found", two_phases(b=after("nobody"))),
    "waits for itself": ("dependency_on_self", two_phases(b=after("b"))),
    "waits for its phase": ("dependency_on_ancestor", two_phases(b=after("one"))),
    "waits for its task": ("dependency_on_descendant", two_phases(one=after("b"))),
    "waits twice": ("dependency_doubled", two_phases(b=after("a", "a"))),
    "ring": ("dependency_cycle", two_phases(a=after("b"))),
    "ring through phases": ("dependency_cycle", two_phases(a=after("d"))),
    "task below a task": ("type_order", two_phases(b={"parent_id": uid("a"), "level": 4, "dependencies": []})),
    "empty phase": ("phase_without_task", outline(GOAL, node("p", "goal", "phase", 2), node("t", "goal", "task", 2))),
    "empty goal": ("goal_without_task", outline(GOAL)),
    "no estimate": ("leaf_without_estimate", two_phases(b={"metadata": {}})),
    "estimate of nothing": ("leaf_without_estimate", two_phases(b={"metadata": {"estimated_minutes": -5}})),
    "same titles": ("sibling_titles_equal", two_phases(b={"title": "the  A"})),
    "cycle that does not recur": ("cycle_without_recurrence", two_phases(one={"node_type": "cycle"})),
    "phase that recurs": ("recurrence_misplaced", two_phases(one={"recurrence": "weekly"})),
    "unknown field": ("schema_invalid", two_phases(b={"colour": "red"})),
    "bad level": ("schema_invalid", two_phases(b={"level": -3})),
    "bad progress": ("schema_invalid", two_phases(b={"progress": 7})),
}


@pytest.mark.parametrize(("rule", "data"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_rule_is_found_and_repaired(rule: str, data: dict[str, Any]) -> None:
    report = validate_grammar(data)
    assert rule in {violation.rule for violation in report.violations}
    assert not report.valid
    assert report.score < 1
    repaired, fixes = repair_outline(data)
    assert fixes
    assert validate_grammar(repaired).valid
    PlanOutline.model_validate(repaired)


def test_a_right_outline_is_valid_and_needs_no_fix() -> None:
    data = two_phases()
    report = validate_grammar(PlanOutline.model_validate(data))
    assert report.valid
    assert report.score == 1
    assert not report.violations
    assert repair_outline(data) == (data, [])


def test_a_loop_is_told_with_its_path() -> None:
    data = two_phases(a=after("d"))
    loops = [violation for violation in validate_grammar(data).violations if violation.rule == "dependency_cycle"]
    assert len(loops) == 1
    assert all(f"'The {name}'" in loops[0].message for name in ("a", "one", "two", "d"))


def test_only_the_closing_dependency_is_taken_out() -> None:
    data = two_phases(a=after("b"), d=after("a"))
    repaired, fixes = repair_outline(data)
    assert [fix["op"] for fix in fixes] == ["remove_dependency"]
    kept = sum(len(item["dependencies"]) for item in repaired["nodes"])
    assert kept == sum(len(item["dependencies"]) for item in data["nodes"]) - 1


def test_starting_together_both_ways_is_a_loop_too() -> None:
    both = two_phases(
        a=after("c", type="start_to_start"), c=after("a", type="start_to_start"), two={"dependencies": []}
    )
    assert "dependency_cycle" in {violation.rule for violation in validate_grammar(both).violations}


def test_a_fix_leaves_the_given_outline_alone_and_keeps_its_kind() -> None:
    given = PlanOutline.model_validate(two_phases(b={"metadata": {}}))
    before = given.model_dump_json()
    (fix,) = validate_grammar(given).suggested_fixes
    repaired = apply_fix(given, fix)
    assert given.model_dump_json() == before
    assert isinstance(repaired, PlanOutline)
    assert validate_grammar(repaired).valid


@pytest.mark.parametrize("micro_parent", ["goal", "one", "a"])
def test_micro_goals_stand_anywhere(micro_parent: str) -> None:
    data = two_phases()
    data["nodes"].append(node("m", micro_parent, "micro_goal", 4, metadata={"estimated_minutes": 15}))
    assert validate_grammar(data).valid


def test_what_nobody_can_choose_is_fatal() -> None:
    nameless = two_phases(b={"title": "?"})
    for data in (nameless, {"nodes": []}, {"root_id": uid("goal"), "nodes": [{}]}, [], None, two_phases(b={"id": 7})):
        report = validate_grammar(data)
        assert report.fatal
        assert report.score == 0


def test_too_deep_and_too_many_are_fatal() -> None:
    chain = [GOAL] + [node(f"p{i}", f"p{i - 1}" if i else "goal", "phase", min(32, i + 2)) for i in range(40)]
    assert validate_grammar(outline(*chain)).fatal
    assert validate_grammar(outline(*[GOAL] * 5_001)).fatal


def test_five_thousand_tasks_in_one_chain_are_judged() -> None:
    tasks = [node(f"t{i}", "goal", "task", 2, after=[f"t{i + 1}"] if i < 4_000 else []) for i in range(4_001)]
    assert validate_grammar(outline(GOAL, *tasks)).valid
    tasks[-1]["dependencies"] = [{"node_id": uid("t0")}]
    report = validate_grammar(outline(GOAL, *tasks))
    assert [violation.rule for violation in report.violations] == ["dependency_cycle"]
