"""The planner as data: states, table, tools, limits, prompts (spec 004)."""

from loopwright.agents.planner import states
from loopwright.agents.planner.context import build_system_prompt
from loopwright.agents.planner.entering import choose_stage
from loopwright.agents.planner.finishing import finish
from loopwright.agents.planner.guards import has_context, has_outline, has_roadmap, has_schedule
from loopwright.agents.planner.tools import all_tools
from loopwright.agents.planner.workflow.adapting import adapt
from loopwright.agents.planner.workflow.approving import seek_approval
from loopwright.agents.planner.workflow.clarifying import clarify
from loopwright.agents.planner.workflow.escalating import escalate
from loopwright.agents.planner.workflow.validators import validate_outline, validate_roadmap, validate_schedule
from loopwright.kernel.budget import BudgetLimits
from loopwright.kernel.compaction import AU2
from loopwright.kernel.controller import Transition
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.spec import AgentSpec, Limits, Stage
from loopwright.kernel.think import TEXT

UTILITIES = frozenset({"summarizer", "brainstormer", "option_crafter"})
TOOLS_BY_STATE = {
    states.COLLECT_CONTEXT: UTILITIES | {"pattern_selector", "context_elicitor", "preference_probe"},
    states.DRAFT_OUTLINE: UTILITIES | {"pattern_selector", "node_generator", "grammar_validator"},
    states.DRAFT_ROADMAP: UTILITIES | {"dependency_resolver", "roadmap_builder", "grammar_validator"},
    states.DRAFT_SCHEDULE: UTILITIES | {"schedule_generator", "portfolio_probe"},
}
"""Tools whose prerequisites hold in a state; a tool outside is refused whatever the model writes."""


def _thinking(name: str) -> Stage:
    return Stage(name, StagePolicy(tools=frozenset(TOOLS_BY_STATE[name])), tier="powerful", max_tokens=8_192)


AGENT = AgentSpec(
    name="planner",
    title="Planner",
    description="Turns a goal into an outline, a roadmap and a schedule that hold, with a calendar file.",
    prompts="loopwright.agents.planner",
    stages=(
        *(_thinking(name) for name in TOOLS_BY_STATE),
        Stage(states.ADAPT, action=adapt),
        Stage(states.CLARIFY_CHANGE, action=clarify),
        Stage(states.VALIDATE_OUTLINE, action=validate_outline),
        Stage(states.VALIDATE_ROADMAP, action=validate_roadmap),
        Stage(states.VALIDATE_SCHEDULE, action=validate_schedule),
        Stage(states.SEEK_APPROVAL, action=seek_approval),
        Stage(states.NEEDS_CLARIFICATION, action=clarify),
        Stage(states.NEEDS_SCHED_ESCALATION, action=escalate),
    ),
    transitions=(
        *states.TRANSITIONS,
        Transition(states.COLLECT_CONTEXT, TEXT, states.DRAFT_OUTLINE, has_context),
        Transition(states.DRAFT_OUTLINE, TEXT, states.VALIDATE_OUTLINE, has_outline),
        Transition(states.DRAFT_ROADMAP, TEXT, states.VALIDATE_ROADMAP, has_roadmap),
        Transition(states.DRAFT_SCHEDULE, TEXT, states.VALIDATE_SCHEDULE, has_schedule),
    ),
    tools=all_tools(),
    entry=choose_stage,
    entries=(states.COLLECT_CONTEXT, states.ADAPT),
    system_prompt=build_system_prompt,
    finish=finish,
    limits=Limits(
        max_steps=60,
        refusals=3,
        wall_seconds=1_800.0,
        budget=BudgetLimits(max_usd_per_run=states.BUDGET_PER_SESSION_USD, max_usd_per_day=states.BUDGET_PER_DAY_USD),
    ),
    compaction=AU2(max_messages=40),
)
