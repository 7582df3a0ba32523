"""Who waits for whom."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.contracts import PlanOutline
from loopwright.agents.planner.dependencies import Requested, resolve_dependencies, work_order
from loopwright.agents.planner.grammar import validate_grammar
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.grammar.outlines import node, outline, two_phases, uid

GOAL = node("goal", None, "goal", 1)


def plan(*nodes: dict[str, Any]) -> PlanOutline:
    return PlanOutline.model_validate(outline(GOAL, *nodes))


def pairs(nodes: list) -> set[tuple[str, str]]:
    return {(str(each.id), str(item.node_id)) for each in nodes for item in each.dependencies}


def test_what_follows_from_the_rest_is_left_out() -> None:
    tasks = [node(name, "goal", "task", 2, after=after) for name, after in [("a", ""), ("b", "a"), ("c", "ab")]]
    resolved = resolve_dependencies(plan(*tasks))
    assert pairs(resolved.nodes) == {(uid("b"), uid("a")), (uid("c"), uid("b"))}
    assert [(str(one), str(other)) for one, other in resolved.dropped] == [(uid("c"), uid("a"))]


def test_a_lag_or_another_type_does_not_follow() -> None:
    lag = {"node_id": "a", "lag_lead_minutes": 600}
    together = {"node_id": "a", "type": "start_to_start"}
    tasks = [
        node("a", "goal", "task", 2),
        node("b", "goal", "task", 2, after=["a"]),
        node("c", "goal", "task", 2, after=["b", lag]),
        node("d", "goal", "task", 2, after=["b", together]),
    ]
    assert resolve_dependencies(plan(*tasks)).dropped == []


def test_a_lead_carries_nothing_on() -> None:
    lead = {"node_id": "a", "lag_lead_minutes": -600}
    tasks = [
        node("a", "goal", "task", 2),
        node("b", "goal", "task", 2, after=[lead]),
        node("c", "goal", "task", 2, after=["b", "a"]),
    ]
    assert resolve_dependencies(plan(*tasks)).dropped == []


def test_the_written_order_is_taken_where_none_is_said() -> None:
    resolved = resolve_dependencies(plan(*(node(name, "goal", "task", 2) for name in "abc")))
    assert pairs(resolved.nodes) == {(uid("b"), uid("a")), (uid("c"), uid("b"))}
    alone = resolve_dependencies(plan(*(node(name, "goal", "task", 2) for name in "abc")), infer=False)
    assert pairs(alone.nodes) == set()


def test_streams_recurring_work_and_what_is_parallel_stay_apart() -> None:
    minutes = {"estimated_minutes": 60}
    tasks = [
        node("a", "goal", "task", 2, metadata=minutes | {"stream": "x"}),
        node("b", "goal", "task", 2, metadata=minutes | {"stream": "y"}),
        node("c", "goal", "task", 2, recurrence="weekly"),
        node("d", "goal", "task", 2, metadata=minutes | {"parallel": True}),
        node("e", "goal", "task", 2, metadata=minutes | {"stream": "x"}),
    ]
    assert pairs(resolve_dependencies(plan(*tasks)).nodes) == {(uid("e"), uid("a"))}


def test_where_an_order_is_said_nothing_is_inferred() -> None:
    given_order = plan(node("a", "goal", "task", 2, after=["b"]), node("b", "goal", "task", 2))
    assert pairs(resolve_dependencies(given_order).nodes) == {(uid("a"), uid("b"))}


def test_an_inference_never_closes_a_loop_through_other_parts() -> None:
    crossed = plan(
        node("p", "goal", "phase", 2),
        node("q", "goal", "phase", 2),
        node("a", "p", "task", 3, after=["d"]),
        node("b", "q", "task", 3),
        node("d", "q", "task", 3),
    )
    resolved = resolve_dependencies(crossed)
    assert validate_grammar(crossed.model_copy(update={"nodes": resolved.nodes})).valid


@pytest.mark.parametrize("name", ["nobody", "The a"])
def test_a_wish_has_to_name_one_node(name: str) -> None:
    twins = plan(node("a", "goal", "task", 2), node("b", "goal", "task", 2, title="The a"))
    with pytest.raises(InvalidInput, match="node"):
        resolve_dependencies(twins, [Requested(uid("a"), name)])


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=16))
@settings(max_examples=80, deadline=None)
def test_reduction_keeps_every_order(edges: list[tuple[int, int]]) -> None:
    after: dict[int, set[str]] = {}
    for one, other in edges:
        if one < other:
            after.setdefault(other, set()).add(f"t{one}")
    tasks = [node(f"t{i}", "goal", "task", 2, after=sorted(after.get(i, ()))) for i in range(8)]
    before = plan(*tasks)
    resolved = resolve_dependencies(before, infer=False)
    assert closure(pairs(before.nodes)) == closure(pairs(resolved.nodes))
    places = {str(node_id): place for place, node_id in enumerate(resolved.order)}
    assert all(places[other] < places[one] for one, other in pairs(before.nodes))


def closure(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    found = set(edges)
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return found


def test_work_comes_in_an_order_in_which_it_can_be_done() -> None:
    data = PlanOutline.model_validate(two_phases(a={"dependencies": [{"node_id": uid("b")}]}, b={"dependencies": []}))
    assert [str(each) for each in work_order(data.root_id, data.nodes)] == [uid(name) for name in "bacd"]


def test_five_thousand_tasks_are_put_in_order() -> None:
    phases = [node(f"p{i}", "goal", "phase", 2) for i in range(40)]
    tasks = [node(f"t{i}", f"p{i % 40}", "task", 3) for i in range(4_900)]
    resolved = resolve_dependencies(plan(*phases, *tasks))
    assert len(resolved.inferred) == 39 + 4_860
    assert len(resolved.order) == 4_900
