"""The designspec agent as data: stages, table, limits, prompts (spec 001)."""

from loopwright.agents.designspec.account import ACCOUNT
from loopwright.agents.designspec.context import (
    build_stage_prompt,
    build_state_block,
    build_system_prompt,
)
from loopwright.agents.designspec.directive import (
    CONTEXT,
    DONE,
    PATCHES,
    QUESTIONS,
    RUN,
    parse_expanded,
    parse_first,
)
from loopwright.agents.designspec.pipeline.reports import RunPlan
from loopwright.agents.designspec.tools import all_tools
from loopwright.agents.designspec.workflow.review import REVISE, read_by_rules, review_patches
from loopwright.agents.designspec.workflow.runs import (
    APPROVED,
    REPORT,
    approve_run,
    asks_no_more_than_enough,
    close_turn,
    patches_fit,
    run_the_pipeline,
    spec_can_run,
)
from loopwright.agents.designspec.workflow.trace import ANSWERED, absorb_directive, ask_questions, finish, form_of
from loopwright.kernel.compaction import AU2
from loopwright.kernel.policy import COMPLETE, Transition
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Limits, Stage

PROCESSING, EXPANDED = "processing", "processing_expanded"
WAITING_PATCH, WAITING_RUN, RUNNING, WAITING_ANSWERS = (
    "waiting_patch_approval",
    "waiting_run_approval",
    "running",
    "waiting_answers",
)
REPORTED, CLOSING = "processing_report", "closing"
"""The model answers to the report of its run; then the turn ends with what was measured, in the controller's words."""


async def choose_stage(run: AgentRun) -> str:
    """A message is for the model; a run that the user asked for by itself needs no model, and no yes but that."""
    plan = run.state.options.get("run_plan")
    if not plan:
        return PROCESSING
    RunPlan.model_validate(plan)
    return WAITING_RUN if run.state.options.get("confirm") else RUNNING


def _thinking(source: str, done: str) -> tuple[Transition, ...]:
    """What a directive may lead to; a turn in which something was run closes with what the run measured."""
    return (
        Transition(source, PATCHES, WAITING_PATCH, patches_fit),
        Transition(source, RUN, WAITING_RUN, spec_can_run),
        Transition(source, QUESTIONS, WAITING_ANSWERS, asks_no_more_than_enough),
        Transition(source, DONE, done),
    )


AGENT = AgentSpec(
    name="designspec",
    title="DesignSpec",
    description="Builds a geometry spec by conversation and approved patches, and runs it to printable meshes.",
    prompts="loopwright.agents.designspec",
    stages=(
        Stage(PROCESSING, tier="powerful", max_tokens=8_192, parser=parse_first, answer=form_of, rules=read_by_rules),
        Stage(EXPANDED, tier="powerful", max_tokens=8_192, parser=parse_expanded, answer=form_of),
        Stage(REPORTED, tier="powerful", max_tokens=8_192, parser=parse_expanded, answer=form_of),
        Stage(CLOSING, action=close_turn),
        Stage(WAITING_PATCH, action=review_patches),
        Stage(WAITING_RUN, action=approve_run),
        Stage(RUNNING, action=run_the_pipeline),
        Stage(WAITING_ANSWERS, action=ask_questions),
    ),
    transitions=(
        Transition(PROCESSING, CONTEXT, EXPANDED),
        *_thinking(PROCESSING, COMPLETE),
        *_thinking(EXPANDED, COMPLETE),
        *_thinking(REPORTED, CLOSING),
        Transition(CLOSING, DONE, COMPLETE),
        Transition(WAITING_PATCH, REVISE, PROCESSING),
        Transition(WAITING_PATCH, RUN, WAITING_RUN),
        Transition(WAITING_PATCH, QUESTIONS, WAITING_ANSWERS, asks_no_more_than_enough),
        Transition(WAITING_PATCH, DONE, COMPLETE),
        Transition(WAITING_RUN, APPROVED, RUNNING),
        Transition(WAITING_RUN, REVISE, PROCESSING),
        Transition(WAITING_RUN, QUESTIONS, WAITING_ANSWERS, asks_no_more_than_enough),
        Transition(WAITING_RUN, DONE, COMPLETE),
        Transition(RUNNING, REPORT, REPORTED),
        Transition(RUNNING, QUESTIONS, WAITING_ANSWERS, asks_no_more_than_enough),
        Transition(RUNNING, DONE, COMPLETE),
        Transition(WAITING_ANSWERS, ANSWERED, PROCESSING),
        Transition(WAITING_ANSWERS, DONE, COMPLETE),
    ),
    tools=all_tools(),
    entry=choose_stage,
    entries=(PROCESSING, WAITING_RUN, RUNNING),
    system_prompt=build_system_prompt,
    stage_prompt=build_stage_prompt,
    state_block=build_state_block,
    account=ACCOUNT,
    absorb=absorb_directive,
    finish=finish,
    limits=Limits(max_steps=20, refusals=3, wall_seconds=7_200.0),
    compaction=AU2(),
    offline_fallback=True,
)
