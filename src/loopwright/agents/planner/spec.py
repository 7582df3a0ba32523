"""The planner as data: states, table, tools, limits, prompts (spec 004)."""

from collections.abc import Callable

from loopwright.agents.planner import states
from loopwright.agents.planner.account import ACCOUNT
from loopwright.agents.planner.context import stage_prompt, state_block, system_prompt
from loopwright.agents.planner.entering import choose_stage
from loopwright.agents.planner.finishing import finish
from loopwright.agents.planner.tools import all_tools
from loopwright.agents.planner.workflow.adapting import adapt
from loopwright.agents.planner.workflow.approving import seek_approval
from loopwright.agents.planner.workflow.asking import pause
from loopwright.agents.planner.workflow.escalating import (
    escalate,
    once,
    validate_outline,
    validate_roadmap,
    validate_schedule,
)
from loopwright.agents.planner.workflow.judging import (
    clarify,
    draft_roadmap,
    draft_schedule,
    judge_context,
    judge_outline,
    resting,
    review_context,
    review_outline,
)
from loopwright.kernel.budget import BudgetLimits
from loopwright.kernel.compaction import AU2
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Action, AgentSpec, Judge, Limits, Review, Stage

SMALL_TOOLS = frozenset({"set_parts", "add_tasks", "add_sessions", "done"})
TOOLS_BY_STATE = {
    states.COLLECT_CONTEXT: frozenset({"pattern_selector", "context_elicitor", "preference_probe"}),
    states.DRAFT_OUTLINE: SMALL_TOOLS | {"add_event", "node_generator", "grammar_validator", "choose_way"},
}
"""What a model is offered where it drafts. The other tools are the controller's, which knows when they are due."""
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
    tools = TOOLS_BY_STATE.get(name, frozenset())
    return StagePolicy(tools=tools, frontier_only=tools - SMALL_TOOLS, small_only=tools & SMALL_TOOLS)


def _drafting(name: str, judge: Judge, review: Review, may_answer: Callable[[AgentRun], bool]) -> Stage:
    return Stage(
        name,
        _policy(name),
        tier="powerful",
        max_tokens=8_192,
        judge=judge,
        review=review,
        may_answer=may_answer,
        resting=resting,
    )


def _never(run: AgentRun) -> bool:
    """Words end no stage: a tool's result does."""
    return False


def _acting(name: str, action: Action) -> Stage:
    return Stage(name, _policy(name), action=once(action))


AGENT = AgentSpec(
    name="planner",
    title="Planner",
    description="Turns a goal into an outline, a roadmap and a schedule that hold, with a calendar file.",
    prompts="loopwright.agents.planner",
    stages=(
        _drafting(states.COLLECT_CONTEXT, judge_context, review_context, _never),
        _drafting(states.DRAFT_OUTLINE, judge_outline, review_outline, _never),
        _acting(states.DRAFT_ROADMAP, draft_roadmap),
        _acting(states.DRAFT_SCHEDULE, draft_schedule),
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
    entries=(states.COLLECT_CONTEXT, states.DRAFT_OUTLINE, states.NEEDS_CLARIFICATION, states.ADAPT),
    system_prompt=system_prompt,
    stage_prompt=stage_prompt,
    state_block=state_block,
    finish=finish,
    account=ACCOUNT,
    limits=LIMITS,
    pause=pause,
    compaction=AU2(),
)
