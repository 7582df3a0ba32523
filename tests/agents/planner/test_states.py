"""The table of states, checked as a model: reachable, ending, and never past a validator."""

from collections import deque
from pathlib import Path

import pytest

from loopwright.agents.planner import states
from loopwright.agents.planner.spec import AGENT, TOOLS_BY_STATE
from loopwright.kernel.actions import OUT_OF_TURNS
from loopwright.kernel.policy import ABORTED, COMPLETE, TERMINAL_STAGES
from loopwright.kernel.think import FATAL

ROWS = AGENT.transitions
EDGES = {(row.source, row.target) for row in ROWS}
STAGES = [stage.name for stage in AGENT.stages]


def reachable(start: str, without: str | None = None) -> set[str]:
    """Everything that can be reached, as if one state did not exist."""
    seen, queue = {start}, deque([start])
    while queue:
        here = queue.popleft()
        for source, target in EDGES:
            if source == here and target not in seen and target != without:
                seen.add(target)
                queue.append(target)
    return seen


def test_every_state_can_be_reached():
    assert reachable(states.COLLECT_CONTEXT) | reachable(states.ADAPT) == {*STAGES, *TERMINAL_STAGES}


def test_only_the_correction_of_a_change_leads_to_the_states_of_a_change():
    """A correction is given only where a change waits for a yes: a no to a new plan is `rejected`."""
    changing = {states.ADAPT, states.CLARIFY_CHANGE}
    ways_in = {(row.source, row.signal) for row in ROWS if row.target in changing and row.source not in changing}
    assert ways_in == {(states.SEEK_APPROVAL, states.CORRECTED)}


@pytest.mark.parametrize("stage", STAGES)
def test_every_state_leads_to_an_end(stage):
    assert reachable(stage) & TERMINAL_STAGES


@pytest.mark.parametrize(
    ("validator", "beyond"),
    [
        (states.VALIDATE_OUTLINE, states.DRAFT_ROADMAP),
        (states.VALIDATE_ROADMAP, states.DRAFT_SCHEDULE),
        (states.VALIDATE_SCHEDULE, states.SEEK_APPROVAL),
        (states.SEEK_APPROVAL, COMPLETE),
    ],
)
def test_no_way_leads_past_a_validator(validator, beyond):
    assert beyond not in reachable(states.COLLECT_CONTEXT, without=validator)


def test_every_validator_and_draft_has_all_its_exits():
    for step in ("OUTLINE", "ROADMAP", "SCHEDULE"):
        signals = {row.signal for row in ROWS if row.source == f"VALIDATE_{step}"}
        assert {states.VALID, states.RETRYABLE, states.INVALID} <= signals
        drafts = {row.signal for row in ROWS if row.source == f"DRAFT_{step}"}
        assert {states.SUCCESS, states.LOW_CONFIDENCE, FATAL} <= drafts


def test_the_table_of_the_spec_is_part_of_ours():
    """Spec 004, 3: the example rows, as they stand there."""
    table = {(row.source, row.signal): row.target for row in ROWS}
    for source, signal, target in (
        ("COLLECT_CONTEXT", "sufficient_context", "DRAFT_OUTLINE"),
        ("COLLECT_CONTEXT", "needs_clarification", "NEEDS_CLARIFICATION"),
        ("DRAFT_OUTLINE", "success", "VALIDATE_OUTLINE"),
        ("DRAFT_OUTLINE", "low_confidence", "COLLECT_CONTEXT"),
        ("DRAFT_OUTLINE", "fatal_error", ABORTED),
        ("VALIDATE_OUTLINE", "valid", "DRAFT_ROADMAP"),
        ("VALIDATE_OUTLINE", "invalid_retryable", "DRAFT_OUTLINE"),
        ("VALIDATE_OUTLINE", "invalid_fatal", "NEEDS_CLARIFICATION"),
        ("VALIDATE_SCHEDULE", "valid", "SEEK_APPROVAL"),
        ("VALIDATE_SCHEDULE", "infeasible", "NEEDS_SCHED_ESCALATION"),
        ("SEEK_APPROVAL", "approved", COMPLETE),
        ("SEEK_APPROVAL", "rejected", "DRAFT_OUTLINE"),
        ("SEEK_APPROVAL", "no_response", "NEEDS_CLARIFICATION"),
    ):
        assert table[source, signal] == target


def test_a_stage_has_only_tools_that_exist():
    names = {tool.name for tool in AGENT.tools}
    assert names >= CORE | UTILITY
    for tools in TOOLS_BY_STATE.values():
        assert tools <= names


def test_the_table_is_drawn():
    drawn = AGENT.controller().mermaid(AGENT.entries)
    assert drawn.startswith("stateDiagram-v2")
    assert "SEEK_APPROVAL --> complete : approved" in drawn


ORDER = (
    states.COLLECT_CONTEXT,
    states.DRAFT_OUTLINE,
    states.VALIDATE_OUTLINE,
    states.DRAFT_ROADMAP,
    states.VALIDATE_ROADMAP,
    states.DRAFT_SCHEDULE,
    states.SEEK_APPROVAL,
    states.NEEDS_CLARIFICATION,
)
CORE = {
    "pattern_selector",
    "node_generator",
    "grammar_validator",
    "context_elicitor",
    "dependency_resolver",
    "roadmap_builder",
    "schedule_generator",
}
UTILITY = {
    "portfolio_probe",
    "approval_handler",
    "summarizer",
    "brainstormer",
    "option_crafter",
    "preference_probe",
}


SMALL = {"set_parts", "add_tasks", "add_sessions", "add_event", "done", "choose_way"}


def test_all_seven_core_and_six_utility_tools_are_there_beside_the_small_ones():
    assert {tool.name for tool in AGENT.tools} == CORE | UTILITY | SMALL
    policy = AGENT.policy()
    for state, tools in TOOLS_BY_STATE.items():
        assert policy.decide(state).tools == tools


def test_a_small_model_is_offered_few_tools_that_say_one_thing_each():
    decision = AGENT.policy().decide(states.DRAFT_OUTLINE).for_small(frozenset())
    assert decision.offered == decision.tools == {"set_parts", "add_tasks", "add_sessions", "done"}


CONTROLLERS = {
    states.DRAFT_ROADMAP: ("dependency_resolver", "roadmap_builder"),
    states.DRAFT_SCHEDULE: ("schedule_generator", "portfolio_probe"),
    states.SEEK_APPROVAL: ("approval_handler", "option_crafter", "summarizer"),
}
"""What the controller uses by itself."""


def test_what_a_tool_needs_is_made_in_its_state_or_before_it():
    """Spec 004, 5: prerequisites and produces, in the order of the states; the goal itself is there from the start."""
    by_name = {tool.name: tool for tool in AGENT.tools}
    made = {"context"}
    for state in ORDER:
        tools = [by_name[name] for name in TOOLS_BY_STATE.get(state, CONTROLLERS.get(state, ()))]
        made |= {artifact for tool in tools for artifact in tool.produces}
        for tool in tools:
            assert set(tool.prerequisites) <= made, f"{tool.name} in {state}"
    assert made == {"context", "pattern", "outline", "dependencies", "roadmap", "schedule", "approval"}


def test_the_document_draws_the_table_as_it_is():
    text = (Path(__file__).parents[3] / "docs" / "planner.md").read_text(encoding="utf-8")
    drawn = AGENT.controller().mermaid(AGENT.entries).splitlines()
    expected = [line for line in drawn if not line.endswith(f": {OUT_OF_TURNS}")]
    assert text.split("```mermaid\n")[1].split("\n```")[0].splitlines() == expected
    assert len(drawn) - len(expected) == len(STAGES), "the row that is left out leads from every state to the same end"
