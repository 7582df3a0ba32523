"""How a drafting stage ends: by the composite confidence in its draft (spec 004, 6), never by the model's word alone.

From 0.70 the plan goes on. Between 0.40 and 0.70 the suggested fixes are applied, the model is sent back once with a
narrower task, then the stage before has another go, and then the user is asked; below 0.40 the user is asked at once.
`Limits.retries_per_stage` bounds the rounds.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

from loopwright.agents.planner.confidence import verdict
from loopwright.agents.planner.contracts.plan import AdaptationLogEntry
from loopwright.agents.planner.contracts.state import Judgement, PlanningState, TraceEntry
from loopwright.agents.planner.events import StageJudged
from loopwright.agents.planner.grammar import repair_outline, validate_grammar
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.agents.planner.scoring import confidence_in
from loopwright.agents.planner.states import CLARIFY, INFEASIBLE, LOW_CONFIDENCE, SUCCESS, SUFFICIENT
from loopwright.agents.planner.workflow.asking import LEAVE_IT
from loopwright.agents.planner.workflow.offering import offered_ideas
from loopwright.kernel.controller import Refusal
from loopwright.kernel.run import AgentRun

Draft = Literal["outline", "roadmap", "schedule"]
GO_ON_ANYWAY = "Go on with it"
SIMPLIFY = "Simplify it"
LACKING: dict[Draft, tuple[Callable[[PlanningState], bool], str]] = {
    "outline": (lambda state: state.plan_outline is None, "There is no outline yet: call node_generator."),
    "roadmap": (lambda state: state.roadmap is None, "There is no roadmap yet: call roadmap_builder."),
    "schedule": (
        lambda state: state.schedule is None or state.needs_new_schedule,
        "There is no schedule yet: call schedule_generator.",
    ),
}


async def judge_context(run: AgentRun) -> str | Refusal:
    """The goal is known well enough once it has a pattern; what is open was asked as far as the user likes that."""
    state = await load_planning(run.services, run.state.session_id)
    if state.selected_pattern is None:
        return Refusal("Choose the plan's pattern first: call pattern_selector.")
    return SUFFICIENT


async def judge_outline(run: AgentRun) -> str | Refusal:
    """Whether the outline is good enough to be validated."""
    return await _judge(run, "outline")


async def judge_roadmap(run: AgentRun) -> str | Refusal:
    """Whether the roadmap is good enough to be validated."""
    return await _judge(run, "roadmap")


async def judge_schedule(run: AgentRun) -> str | Refusal:
    """Whether the schedule is good enough to be checked; the proof that there is none is an end as well."""
    state = await load_planning(run.services, run.state.session_id)
    return INFEASIBLE if state.cause is not None else await _judge(run, "schedule")


async def _judge(run: AgentRun, draft: Draft) -> str | Refusal:
    state = await load_planning(run.services, run.state.session_id)
    lacks, told = LACKING[draft]
    if lacks(state):
        return Refusal(told)
    judged = state.judgements.get(draft)
    if judged is None or judged.key != run.key:  # after a crash the same answer is judged as it was
        judged = _judged(run, state, draft)
        await save_planning(run.services, run.state.session_id, state, f"{run.key}:judged")
    run.defer(StageJudged(stage=run.state.stage, **judged.model_dump(exclude={"key"})))
    return judged.signal if judged.signal is not None else Refusal(await _narrowed(run, draft, judged))


def _judged(run: AgentRun, state: PlanningState, draft: Draft) -> Judgement:
    """Judge, and write into the state what follows."""
    sure, settings = confidence_in(state, draft), run.state.options
    if verdict(sure.composite, settings) == "retry" and _mended(state, draft):
        sure = confidence_in(state, draft)
    judged = verdict(sure.composite, settings)
    rounds, limit = state.doubts.get(draft, 0), run.spec.limits.retries_per_stage
    signal: str | None
    reason = ""
    if judged == "continue" or draft in state.accepted:
        signal = SUCCESS
    elif judged == "escalate" or rounds >= limit:
        signal, reason = CLARIFY, f"I am only {sure.composite:.0%} sure of the {draft}: {sure.weakest}."
        state.pending_questions, state.escalate_reason, state.doubted = [_question(reason)], reason, draft
    elif rounds:
        signal, reason = LOW_CONFIDENCE, f"The {draft} stays doubtful ({sure.composite:.0%}): {sure.weakest}."
    else:
        signal, reason = None, sure.weakest
    if signal != SUCCESS:
        state.doubts = state.doubts | {draft: rounds + 1}
    judgement = Judgement(
        key=run.key,
        confidence=sure.composite,
        self_score=sure.self_score,
        validator=sure.validator,
        heuristics=sure.heuristics,
        verdict=judged,
        signal=signal,
        reason=reason,
        cost_delta=round(run.state.usd - state.usd_traced.get(run.state.run_id, 0.0), 6),
    )
    _trace(run, state, draft, judgement)
    return judgement


def _trace(run: AgentRun, state: PlanningState, draft: Draft, judgement: Judgement) -> None:
    state.judgements = state.judgements | {draft: judgement}
    state.confidence = state.confidence | {run.state.stage: judgement.confidence}
    state.usd_traced = {run.state.run_id: run.state.usd}
    step = TraceEntry(
        stage=run.state.stage, tool="controller", confidence=judgement.confidence, cost_delta=judgement.cost_delta
    )
    state.planning_trace = [*state.planning_trace, step][-2_000:]


def _mended(state: PlanningState, draft: Draft) -> bool:
    """Apply the suggested fixes, where there are any; says whether the draft has changed."""
    field = {"outline": "plan_outline", "roadmap": "roadmap"}.get(draft)
    found = getattr(state, field) if field is not None else None
    if field is None or found is None or validate_grammar(found, state.selected_pattern).valid:
        return False
    mended, fixes = repair_outline(found, state.selected_pattern)
    if not fixes:
        return False
    setattr(state, field, mended)
    state.adaptation_log = [
        *state.adaptation_log,
        AdaptationLogEntry(
            timestamp=datetime.now(UTC),
            node_ids=[],
            action=f"mended the {draft}",
            reason=f"{len(fixes)} suggested fixes were applied",
            origin="system",
        ),
    ]
    return True


async def _narrowed(run: AgentRun, draft: Draft, judged: Judgement) -> str:
    """What the model is sent back with: the one point to mend, and ideas where the user likes them."""
    state = await load_planning(run.services, run.state.session_id)
    ideas = await offered_ideas(run, state, judged.confidence)
    text = run.toolbox.prompts.render(
        "planner/narrow-draft",
        draft=draft,
        confidence=f"{judged.confidence:.0%}",
        weakest=judged.reason,
        ideas="\n".join(f"- {idea}" for idea in ideas) or "- none",
    )
    return text.partition("\n")[2]


def _question(reason: str) -> dict[str, object]:
    return {
        "question": f"{reason} What shall I do?",
        "type": "radio",
        "options": [GO_ON_ANYWAY, SIMPLIFY, LEAVE_IT],
        "default": GO_ON_ANYWAY,
        "context": "Your own words are welcome too.",
    }
