"""Patterns, outlines and the memory of the session."""

import json

from loopwright.agents.planner.tools import PlannerTool, all_tools
from tests.agents.planner.tools.session import Session, website


async def test_a_proposed_subtype_waits_for_a_human(session: Session) -> None:
    session.start("a daily health protocol")
    data = await session.data("pattern_selector", subtype="proposed:daily_health_protocol_v2")
    state = session.state
    assert data["rfc_required"]
    assert state.pattern_rfc_required
    assert "daily_health_protocol_v2" in state.pattern_rfc_text
    asked = await session.data("approval_handler", step="rfc")
    assert asked["outcome"] == "no_response"
    assert session.state.planning_status == "needs_clarification"
    await session.data("approval_handler", step="rfc", feedback="approve")
    assert session.state.pattern_rfc_decision == "approved"
    await session.data("pattern_selector", subtype="proposed:daily_health_protocol_v2")
    assert session.state.pattern_rfc_decision == "approved"


async def test_new_subtypes_can_be_switched_off(session: Session) -> None:
    session.settings = {"allow_new_subtype_proposals": False}
    session.start("a daily health protocol")
    data = await session.data("pattern_selector", subtype="proposed:daily_health_protocol_v2")
    assert not data["rfc_required"]
    assert data["pattern"]["subtype"] == "protocol_routine"


async def test_what_the_user_set_wins_over_what_the_model_understood(session: Session) -> None:
    session.start("learn to juggle", hours_per_week=4)
    await session.data("pattern_selector", facts={"hours_per_week": 9, "hours": "weekday evenings"})
    assert session.state.goal.hours_per_week == 4
    assert session.state.goal.hours == "weekday evenings"
    result = await session.call("context_elicitor", facts={"hours": "when the moon is full"})
    assert not result.success


async def test_the_pattern_is_mirrored_down_to_the_roadmap(session: Session) -> None:
    session.start("launch my website by May")
    await session.data("pattern_selector")
    await session.data("node_generator", outline=website())
    await session.data("dependency_resolver")
    await session.data("roadmap_builder")
    state = session.state
    pattern = state.selected_pattern
    assert pattern == state.plan_outline.pattern == state.plan_outline.plan_context.pattern
    assert pattern == state.roadmap.pattern == state.roadmap.roadmap_context.pattern


async def test_the_same_call_is_answered_from_memory(session: Session) -> None:
    session.start("launch my website")
    await session.data("pattern_selector")
    first = await session.call("node_generator", outline=website())
    session.change(plan_outline=None)
    assert (await session.call("node_generator", outline=website())).output == first.output
    assert session.state.plan_outline is not None
    keys = set(session.state.tool_cache)
    policy = session.state.interaction_policy.model_copy(update={"talkativeness": 0.9})
    session.change(interaction_policy=policy)
    await session.call("node_generator", outline=website())
    assert len(set(session.state.tool_cache) - keys) == 1
    session.model = "another"
    await session.call("node_generator", outline=website())
    assert len(set(session.state.tool_cache) - keys) == 2
    assert all(len(key) == 64 for key in session.state.tool_cache)


async def test_a_redrafted_outline_is_logged_and_what_stood_on_it_falls(session: Session) -> None:
    session.start("launch my website")
    await session.data("pattern_selector")
    await session.data("node_generator", outline=website())
    await session.data("dependency_resolver")
    await session.data("roadmap_builder")
    other = website()
    del other["nodes"][-1]
    other["nodes"].pop()
    await session.data("node_generator", outline=other)
    state = session.state
    assert state.roadmap is None
    assert not state.dependencies_resolved
    assert [entry.action for entry in state.adaptation_log] == ["redraft_outline"]
    assert "2 gone" in state.adaptation_log[0].reason


async def test_flaws_are_told_and_repaired(session: Session) -> None:
    session.start("launch my website")
    await session.data("pattern_selector")
    broken = website()
    del broken["nodes"][2]["estimated_minutes"]
    data = await session.data("node_generator", outline=broken)
    assert data["rules"] == ["leaf_without_estimate"]
    told = await session.data("grammar_validator")
    assert told["outcome"] == "invalid_retryable"
    result = await session.call("dependency_resolver")
    assert not result.success
    repaired = await session.data("grammar_validator", apply_fixes=True)
    assert repaired["valid"]
    assert session.state.adaptation_log[-1].action == "repair_outline"
    assert session.state.validation["outline"]["valid"]


async def test_dependencies_are_added_inferred_and_reduced(session: Session) -> None:
    session.start("launch my website")
    await session.data("pattern_selector")
    await session.data("node_generator", outline=website())
    wish = {"node": "deploy", "depends_on": "Do tests", "type": "finish_to_start", "lag_lead_minutes": 1440}
    data = await session.data("dependency_resolver", dependencies=[wish])
    assert {"node": "Do deploy", "after": "Do tests", "type": "finish_to_start", "lag_lead_minutes": 1440} in data[
        "nodes_with_dependencies"
    ]
    order = data["order"]
    assert order.index("Do sketch") < order.index("Do colours") < order.index("Do pages") < order.index("Do deploy")
    loop = {"node": "sketch", "depends_on": "deploy"}
    result = await session.call("dependency_resolver", dependencies=[loop])
    assert not result.success
    assert "wait for each other" in result.output


def test_every_tool_says_what_it_needs_and_makes() -> None:
    tools = all_tools()
    assert len(tools) == 19
    made = {artifact for tool in tools if isinstance(tool, PlannerTool) for artifact in tool.produces}
    for tool in tools:
        assert isinstance(tool, PlannerTool)
        assert set(tool.prerequisites) <= made
        schema = tool.get_openai_schema()
        assert len(schema["function"]["description"]) > 20
        json.dumps(schema)
