"""The planner as data: states, table, tools, limits, prompts (spec 004)."""

from loopwright.agents.planner import states
from loopwright.agents.planner.context import build_system_prompt
from loopwright.agents.planner.entering import choose_stage
from loopwright.agents.planner.finishing import finish
from loopwright.agents.planner.tools import all_tools
from loopwright.agents.planner.workflow.adapting import adapt
from loopwright.agents.planner.workflow.approving import seek_approval
from loopwright.agents.planner.workflow.clarifying import clarify
from loopwright.agents.planner.workflow.ending import once
from loopwright.agents.planner.workflow.escalating import escalate
from loopwright.agents.planner.workflow.judging import judge_context, judge_outline, judge_roadmap, judge_schedule
from loopwright.agents.planner.workflow.pausing import pause
from loopwright.agents.planner.workflow.validators import validate_outline, validate_roadmap, validate_schedule
from loopwright.kernel.budget import BudgetLimits
from loopwright.kernel.compaction import AU2
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.spec import Action, AgentSpec, Judge, Limits, Stage

UTILITIES = frozenset({"summarizer", "brainstormer", "option_crafter"})
TOOLS_BY_STATE = {
    states.COLLECT_CONTEXT: UTILITIES | {"pattern_selector", "context_elicitor", "preference_probe"},
    states.DRAFT_OUTLINE: UTILITIES | {"pattern_selector", "node_generator", "grammar_validator"},
    states.DRAFT_ROADMAP: UTILITIES | {"dependency_resolver", "roadmap_builder", "grammar_validator"},
    states.DRAFT_SCHEDULE: UTILITIES | {"schedule_generator", "portfolio_probe"},
    states.VALIDATE_OUTLINE: {"approval_handler", "brainstormer"},
    states.VALIDATE_ROADMAP: {"approval_handler", "brainstormer", "option_crafter"},
    states.SEEK_APPROVAL: {"approval_handler", "brainstormer", "option_crafter", "summarizer"},
    states.NEEDS_CLARIFICATION: {"approval_handler"},
}
"""Tools whose prerequisites hold in a state: the model's where it drafts, elsewhere the controller's own."""
LIMITS = Limits(
    max_steps=60,
    refusals=3,
    retries_per_stage=2,
    max_turns=10,
    turn_seconds=45.0,
    wall_seconds=1_800.0,
    budget=BudgetLimits(max_usd_per_session=2.0, max_usd_per_day=5.0, soft_usd_per_turn=0.30),
)
"""The caps of spec 004, 2 and 7; each has a setting, since a slow local model needs other ones."""


def _policy(name: str) -> StagePolicy:
    return StagePolicy(tools=frozenset(TOOLS_BY_STATE.get(name, ())))


def _drafting(name: str, judge: Judge) -> Stage:
    return Stage(name, _policy(name), tier="powerful", max_tokens=8_192, judge=judge)


def _acting(name: str, action: Action) -> Stage:
    return Stage(name, _policy(name), action=once(action))


AGENT = AgentSpec(
    name="planner",
    title="Planner",
    description="Turns a goal into an outline, a roadmap and a schedule that hold, with a calendar file.",
    prompts="loopwright.agents.planner",
    stages=(
        _drafting(states.COLLECT_CONTEXT, judge_context),
        _drafting(states.DRAFT_OUTLINE, judge_outline),
        _drafting(states.DRAFT_ROADMAP, judge_roadmap),
        _drafting(states.DRAFT_SCHEDULE, judge_schedule),
        _acting(states.ADAPT, adapt),
        _acting(states.CLARIFY_CHANGE, clarify),
        _acting(states.VALIDATE_OUTLINE, validate_outline),
        _acting(states.VALIDATE_ROADMAP, validate_roadmap),
        _acting(states.VALIDATE_SCHEDULE, validate_schedule),
        _acting(states.SEEK_APPROVAL, seek_approval),
        _acting(states.NEEDS_CLARIFICATION, clarify),
        _acting(states.NEEDS_SCHED_ESCALATION, escalate),
    ),
    transitions=states.TRANSITIONS,
    tools=all_tools(),
    entry=choose_stage,
    entries=(states.COLLECT_CONTEXT, states.ADAPT),
    system_prompt=build_system_prompt,
    finish=finish,
    limits=LIMITS,
    pause=pause,
    compaction=AU2(max_messages=40),
)
