"""How a drafting stage ends: by the composite score of its draft (spec 004, 6), never by the model's word alone.

The score decides what the controller does; no data says how often a plan with this score is right, so no user is shown
it. From 0.70 the plan goes on. Between 0.40 and 0.70 the suggested fixes are applied, the model is sent back once with
a narrower task, then the stage before has another go, and then the user is asked; below 0.40 the user is asked at once.
`Limits.retries_per_stage` bounds the rounds.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, Literal

from loopwright.agents.planner.confidence import verdict
from loopwright.agents.planner.contracts.plan import AdaptationLogEntry, PlanOutline
from loopwright.agents.planner.contracts.state import Contradiction, GoalFacts, Judgement, PlanningState, TraceEntry
from loopwright.agents.planner.dependencies import recurs
from loopwright.agents.planner.events import StageJudged
from loopwright.agents.planner.facts.changing import apply_answer
from loopwright.agents.planner.facts.contradictions import contradiction_of
from loopwright.agents.planner.facts.in_plan import outline_with_facts
from loopwright.agents.planner.facts.items import STATED
from loopwright.agents.planner.facts.phrases import phrases_for
from loopwright.agents.planner.facts.sessions import roadmap_with_sessions
from loopwright.agents.planner.grammar import repair_outline, validate_grammar
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.agents.planner.outline_of_sketch import outline_of
from loopwright.agents.planner.scoring import confidence_in
from loopwright.agents.planner.sketch_fitting import smaller
from loopwright.agents.planner.states import (
    ANSWERED,
    APPROVED,
    CLARIFY,
    GIVEN_UP,
    INFEASIBLE,
    LOW_CONFIDENCE,
    REDUCED,
    REJECTED,
    SUCCESS,
    SUFFICIENT,
)
from loopwright.agents.planner.tools.options import WAY
from loopwright.agents.planner.workflow.asking import LEAVE_IT, approval_of, offered_ideas, restored, use_tool
from loopwright.agents.planner.workflow.escalating import ended
from loopwright.agents.planner.workflow.ways import is_unproved
from loopwright.kernel.actions import answer_to
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import ControllerMessage
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.policy import Refusal
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

Draft = Literal["outline", "roadmap", "schedule"]
GO_ON_ANYWAY = "Go on with it"
SIMPLIFY = "Simplify it"
MOST_TOLD = 8
LACKING: dict[Draft, tuple[Callable[[PlanningState], bool], str]] = {
    "outline": (lambda state: state.plan_outline is None, "There is no outline yet: write it, then hand it over."),
    "roadmap": (lambda state: state.roadmap is None, "There is no roadmap yet."),
    "schedule": (lambda state: state.schedule is None or state.needs_new_schedule, "There is no schedule yet."),
}


async def judge_context(run: AgentRun) -> str | Refusal:
    """The goal is known well enough once it has a pattern; what is open was asked as far as the user likes that."""
    state = await load_planning(run.services, run.state.session_id)
    if state.selected_pattern is None:
        return Refusal("Choose the plan's pattern: call pattern_selector.")
    return SUFFICIENT


async def review_context(run: AgentRun) -> str | None:
    """A pattern that was chosen ends the stage; no words are needed after it."""
    return SUFFICIENT if _made(run, ("pattern_selector",)) else None


async def judge_outline(run: AgentRun) -> str | Refusal:
    """Whether the outline is good enough to be validated."""
    judgement = await _judge(run, "outline")
    return judgement if isinstance(judgement, Refusal) else str(judgement.signal)


async def review_outline(run: AgentRun) -> str | None:
    """An outline that was handed in is judged at once: it ends the stage, or the model hears what to correct."""
    if not _made(run, ("node_generator", "done")):
        return None
    flaws = await _told_flaws(run)
    if flaws:
        run.defer(ControllerMessage(text=flaws, reason="the outline breaks the grammar"))
        return None
    judgement = await _judge(run, "outline")
    if isinstance(judgement, Refusal):
        run.defer(ControllerMessage(text=judgement.reason, reason="the outline is not good enough"))
        return None
    return judgement.signal


async def judged(run: AgentRun, draft: Draft) -> ActionResult:
    """How the controller's own draft ends its state; there is no model that could be sent back."""
    judgement = await _judge(run, draft, may_send_back=False)
    if isinstance(judgement, Refusal):
        return ActionResult(False, judgement.reason, LOW_CONFIDENCE)
    return ActionResult(judgement.signal == SUCCESS, judgement.reason or f"The {draft} is made.", str(judgement.signal))


async def _told_flaws(run: AgentRun) -> str:
    """What the grammar finds in the first outline that is handed in; a later one has its suggested fixes applied."""
    state = await load_planning(run.services, run.state.session_id)
    key = f"{run.key}:flaws"
    if state.plan_outline is None or state.flaws_told not in (None, key):
        return ""
    found = [each.message for each in validate_grammar(state.plan_outline, state.selected_pattern).violations]
    if found and state.flaws_told is None:
        state.flaws_told = key
        await save_planning(run.services, run.state.session_id, state, key)
    return "Correct this and hand the outline in again: " + " ".join(found[:MOST_TOLD]) if found else ""


def _made(run: AgentRun, tools: tuple[str, ...]) -> bool:
    """Whether one of these tools has done its work in the model's last answer."""
    response = run.state.last_response
    ids = {call.id for call in response.tool_calls if call.name in tools} if response is not None else set()
    results = (message for message in reversed(run.state.context.messages) if message.tool_call_id in ids)
    return any('"ok":true' in message.content for message in results)


async def _judge(run: AgentRun, draft: Draft, *, may_send_back: bool = True) -> Judgement | Refusal:
    state = await load_planning(run.services, run.state.session_id)
    lacks, told = LACKING[draft]
    if lacks(state):
        return Refusal(told)
    judged = state.judgements.get(draft)
    key = run.key if may_send_back else f"{run.key}:{run.state.stage}:{run.state.stage_entries.get(run.state.stage, 1)}"
    if judged is None or judged.key != key:  # after a crash the same draft is judged as it was
        judged = _judged(run, state, draft, key, may_send_back)
        await save_planning(run.services, run.state.session_id, state, f"{key}:judged")
    run.defer(StageJudged(stage=run.state.stage, **judged.model_dump(exclude={"key"})))
    return judged if judged.signal is not None else Refusal(await _narrowed(run, draft, judged))


def _judged(run: AgentRun, state: PlanningState, draft: Draft, key: str, may_send_back: bool) -> Judgement:
    """Judge, and write into the state what follows."""
    sure, settings = confidence_in(state, draft), run.state.options
    if verdict(sure.composite, settings) == "retry" and _repaired(state, draft):
        sure = confidence_in(state, draft)
    judged = verdict(sure.composite, settings)
    rounds, limit = state.doubts.get(draft, 0), run.spec.limits.retries_per_stage
    signal: str | None
    reason = ""
    if judged == "continue" or draft in state.accepted:
        signal = SUCCESS
    elif judged == "escalate" or rounds >= limit:
        signal, reason = CLARIFY, f"The {draft} has a weak point: {sure.weakest}."
        state.pending_questions, state.escalate_reason, state.doubted = [_question(reason)], reason, draft
    elif rounds or not may_send_back:
        signal, reason = LOW_CONFIDENCE, f"The {draft} has a weak point: {sure.weakest}."
    else:
        signal, reason = None, sure.weakest
    if signal != SUCCESS:
        state.doubts = state.doubts | {draft: rounds + 1}
    judgement = Judgement(
        key=key,
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


def _repaired(state: PlanningState, draft: Draft) -> bool:
    """Apply the suggested fixes, where there are any; says whether the draft has changed."""
    field = {"outline": "plan_outline", "roadmap": "roadmap"}.get(draft)
    found = getattr(state, field) if field is not None else None
    if field is None or found is None or validate_grammar(found, state.selected_pattern).valid:
        return False
    repaired, fixes = repair_outline(found, state.selected_pattern)
    if not fixes:
        return False
    setattr(state, field, repaired)
    state.adaptation_log = [
        *state.adaptation_log,
        AdaptationLogEntry(
            timestamp=datetime.now(UTC),
            node_ids=[],
            action=f"repaired the {draft}",
            reason=f"{len(fixes)} suggested fixes were applied",
            origin="system",
        ),
    ]
    return True


async def _narrowed(run: AgentRun, draft: Draft, judged: Judgement) -> str:
    """What the model is sent back with: the one point to repair, and ideas where the user likes them."""
    state = await load_planning(run.services, run.state.session_id)
    ideas = await offered_ideas(run, state, judged.confidence)
    text = run.toolbox.prompts.render(
        "planner/narrow-draft",
        draft=draft,
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


# Roadmap and schedule: what the controller makes of a valid outline by itself, with the tools of the agent.

WRITERS = frozenset({"set_parts", "add_tasks", "add_sessions"})
MOST_REFUSED, MOST_CALLS = 4, 16


def resting(run: AgentRun) -> frozenset[str]:
    """The tools with which a small model that is refused again and again, or writes without end, goes on no more."""
    if run.profile != "small":
        return frozenset()
    results = [message.content for message in run.state.context.messages if message.tool_call_id]
    refused = sum('"ok":false' in text for text in results)
    return WRITERS if refused >= MOST_REFUSED or len(results) >= MOST_CALLS else frozenset()


async def draft_roadmap(run: AgentRun) -> ActionResult:
    """Settle who waits for whom, weigh the ways, and build the roadmap of the one that is taken."""
    state = await load_planning(run.services, run.state.session_id)
    if state.plan_outline is not None and not state.sketch.parts:
        try:
            state.plan_outline, notes = outline_with_facts(state.plan_outline, state.goal)
        except InvalidInput as error:
            return await _asked_about(run, error)
        _note(state, notes)
        await save_planning(run.services, run.state.session_id, state, f"{_visit_of(run)}:facts")
    # Where an outline says nothing of order, the order in which it is written counts.
    silent = not any(node.dependencies for node in state.plan_outline.nodes) if state.plan_outline else True
    try:
        await use_tool(run, "dependency_resolver", infer=silent or bool(state.sketch.parts))
        try:
            await use_tool(run, "roadmap_builder", **_way_of(state))
        except InvalidInput:  # a way that this outline does not have: the best of those that it has
            await use_tool(run, "roadmap_builder")
    except InvalidInput as error:
        return await _asked_about(run, error)
    state = await load_planning(run.services, run.state.session_id)
    if state.roadmap is not None and not state.sketch.parts:
        state.roadmap, notes = roadmap_with_sessions(state.roadmap, state.goal)
        _note(state, notes)
        await save_planning(run.services, run.state.session_id, state, f"{_visit_of(run)}:sessions")
    return await judged(run, "roadmap")


def _visit_of(run: AgentRun) -> str:
    return f"{run.key}:{run.state.stage}:{run.state.stage_entries.get(run.state.stage, 1)}"


def _note(state: PlanningState, notes: list[str]) -> None:
    """What had to be changed of the draft for the user's facts is in the log, and among the plan's assumptions."""
    if notes and state.plan_outline is not None:
        context = state.plan_outline.plan_context
        context.assumptions = [*context.assumptions, *(note for note in notes if note not in context.assumptions)]


def _way_of(state: PlanningState) -> dict[str, Any]:
    hours = state.goal.hours_per_week
    told: dict[str, Any] = {"cadence": f"{hours:g} hours a week"} if hours else {}
    way = state.goal.facts.get(WAY)
    return told | ({"choose": way} if way else {})


async def draft_schedule(run: AgentRun) -> ActionResult:
    """Have the solver place all work; then look at the user's other plans."""
    try:
        await use_tool(run, "schedule_generator")
        state = await load_planning(run.services, run.state.session_id)
        if state.cause is not None or state.schedule is None:
            less = await reduced(state, run)
            return less if less is not None else ActionResult(True, "There is no schedule.", INFEASIBLE)
        if state.schedule.blocks:
            await use_tool(run, "portfolio_probe")
    except InvalidInput as error:
        return await _asked_about(run, error)
    return await judged(run, "schedule")


async def reduced(state: PlanningState, run: AgentRun) -> ActionResult | None:
    """Make less of what a small model proposed, and begin anew; None where no less is left of it.

    A contradiction among the user's own words stays, and is asked about.
    """
    if state.replanned_at is not None or state.selected_pattern is None:
        return None
    sketch = smaller(state.sketch)
    if sketch is not None:
        state.sketch = sketch
        facts = {name: value for name, value in state.goal.facts.items() if name != "minutes_per_week"}
        state.goal = state.goal.model_copy(update={"facts": facts})
        state.plan_outline = outline_of(state, state.selected_pattern, plan=state.plan_id or run.state.session_id)
        none = "No schedule was found in time" if is_unproved(state) else "There was no schedule"
        told = f"{none}: the work may take {sketch.share:.0%} of the time there is."
    elif state.plan_outline is not None and not state.sketch.parts and shortened(state.plan_outline, state.goal):
        share = SHORTER ** int(state.goal.facts[SHORTENED])
        told = f"The estimates of single work are {share:.0%} of the first ones: longer ones found no place."
        context = state.plan_outline.plan_context
        context.assumptions = [each for each in context.assumptions if not each.startswith("The estimates of single")]
        _note(state, [told])
    else:
        return None
    state.roadmap, state.schedule, state.cause, state.relaxations = None, None, None, []
    return await ended(run, state, ActionResult(True, told, REDUCED))


SHORTER = 0.75
LEAST = 30
SHORTENED = "shortened"
MOST_SHORTENED = 3


def shortened(outline: PlanOutline, goal: GoalFacts) -> bool:
    """Make the estimates of single work shorter, a few times; says whether there was any to be made shorter.

    Where the hours or days are the user's own words, the work has to fit them, and not they the work.
    """
    hours = not {"hours_per_week", "minutes_per_day", "days", "hours"}.isdisjoint(goal.stated)
    # With a last day alone, work that does not fit is the user's to decide: hours may be had, or a later day.
    most = MOST_SHORTENED if hours else int("deadline" in goal.stated)
    rounds = int(goal.facts.get(SHORTENED) or 0)
    if rounds >= most:
        return False
    goal.facts[SHORTENED] = rounds + 1
    changed = False
    for node in outline.nodes:
        minutes = node.metadata.get("estimated_minutes")
        if isinstance(minutes, int) and minutes > LEAST and not recurs(node) and not node.metadata.get(STATED):
            node.metadata["estimated_minutes"] = max(LEAST, round(minutes * SHORTER / 15) * 15)
            changed = True
    return changed


async def _asked_about(run: AgentRun, error: InvalidInput) -> ActionResult:
    """What cannot be made of the outline is a question to the user."""
    state = await load_planning(run.services, run.state.session_id)
    state.escalate_reason = f"{error.message} {error.hint}".strip()
    return await ended(run, state, ActionResult(False, state.escalate_reason, CLARIFY))


# What the planner asks the user: open questions, the RFC of a new subtype, what an invalid draft needs.

STATUS, RFC = "needs_clarification", "rfc"


async def clarify(run: AgentRun) -> ActionResult | GateRequest:
    """Ask what stands in the way, and go on with the answer."""
    state = await load_planning(run.services, run.state.session_id)
    if state.contradiction is not None:
        return await _resolve(run, state, state.contradiction)
    if state.pattern_rfc_required and (state.pattern_rfc_decision is None or _rfc_answered(run)):
        return await _decide_rfc(run, state)
    return await _ask(run, state)


async def _resolve(run: AgentRun, state: PlanningState, found: Contradiction) -> ActionResult | GateRequest:
    """Ask which of two statements may change. Without an answer a limit is kept, and where none is, nothing is done."""
    say = phrases_for(state.goal)
    leave = LEAVE_IT
    question = f"{found.text} {say.text('which')}"
    item = QuestionItem(
        question=f"{say.text('unread')} {question}" if found.asked else question,
        type="radio",
        options=[*found.ways, leave],
        default=found.safe or leave,
    )
    line = {"planning_status": STATUS, "response_text": item.question}
    details = {"contradiction": found.text, "asked": found.asked, "last_line": line, "statements": found.ways}
    request = GateRequest("questions", found.text, questions=(item,), details=details)
    answer = answer_to(run, request)
    if answer is None:
        return request
    given = next(iter(answer["answers"].values()), "")
    said = (given if isinstance(given, str) else ", ".join(given)).strip()
    if not said or said == leave:
        told = say.text("not_done", why=found.text, ways="; ".join(found.ways))
        state.planning_status, state.response_text = "aborted", told
        return await ended(run, restored(state), ActionResult(False, told, GIVEN_UP, text=told))
    state.goal.answers[item.question] = said
    read = apply_answer(state, said, state.goal.today or date.min)
    left = contradiction_of(state.goal)
    if not read or (left is not None and left.text == found.text):
        state.contradiction = found.model_copy(update={"asked": found.asked + 1})
    else:
        state.contradiction = left
        if said == found.safe:
            state.resolved = f"{found.text} {say.text('kept_limits', way=said)}"
    if state.contradiction is not None:
        await save_planning(run.services, run.state.session_id, state, f"{_visit_of(run)}:asked:{len(run.state.gates)}")
        return await _resolve(run, state, state.contradiction)
    signal = APPROVED if run.profile == "small" else ANSWERED
    return await ended(run, state, ActionResult(True, "The user has answered.", signal), said)


def _rfc_answered(run: AgentRun) -> bool:
    """Whether the decision on the RFC is the answer that is being heard now."""
    return any(gate.status == "answered" and gate.details.get("step") == RFC for gate in run.state.gates.values())


async def _decide_rfc(run: AgentRun, state: PlanningState) -> ActionResult | GateRequest:
    pattern = state.selected_pattern
    subtype = pattern.subtype if pattern is not None else None
    details = {"rfc": state.pattern_rfc_text, "pattern": pattern.model_dump(mode="json") if pattern else None}
    given = await approval_of(run, RFC, f"May the new subtype {subtype} be used?", details)
    if isinstance(given, GateRequest):
        return given
    state = await load_planning(run.services, run.state.session_id)
    if given.outcome == REJECTED and pattern is not None:
        state.selected_pattern = pattern.model_copy(update={"subtype": None, "rfc": None})
        state.pattern_rfc_decision, state.pattern_rfc_required = "rejected", False
    told = f"The new subtype is {given.outcome}."
    return await ended(run, state, ActionResult(True, told, APPROVED), f"{told} {given.comment}".strip())


async def _ask(run: AgentRun, state: PlanningState) -> ActionResult | GateRequest:
    items = tuple(QuestionItem.model_validate(item) for item in state.pending_questions)
    if not items:
        reason = state.escalate_reason or "More is needed to go on."
        question = f"{reason[:900]} What should be different?"
        if state.goal.answers.get(question) == SIMPLIFY:  # it was made simpler, and the reason is still there
            return await _give_up(run, state)
        items = (QuestionItem(question=question, type="text", default=SIMPLIFY, context=f"{LEAVE_IT!r} ends it."),)
    line = {"planning_status": STATUS, "response_text": items[0].question}
    details = {"escalate_reason": state.escalate_reason, "last_line": line}
    request = GateRequest("questions", "The planner needs to know more.", questions=items, details=details)
    answer = answer_to(run, request)
    if answer is None:
        return request
    given = {
        question: said if isinstance(said, str) else ", ".join(said) for question, said in answer["answers"].items()
    }
    state.goal.answers |= given
    state.questions_asked += [item.question for item in items]
    if LEAVE_IT in given.values():
        return await _give_up(run, state)
    if state.doubted is not None and GO_ON_ANYWAY in given.values():
        state.accepted = [*state.accepted, state.doubted]
    state.pending_questions, state.escalate_reason, state.doubted = [], None, None
    state.retries, state.doubts = {}, {}
    words = "\n".join(f"{question} – {said or '(no answer)'}" for question, said in given.items())
    return await ended(run, state, ActionResult(True, "The user has answered.", ANSWERED), words)


async def _give_up(run: AgentRun, state: PlanningState) -> ActionResult:
    why = " ".join(str(item["question"]) for item in state.pending_questions) or state.escalate_reason or ""
    text = phrases_for(state.goal).text("unchanged", why=why).strip()
    state.planning_status, state.response_text = "aborted", text
    return await ended(run, restored(state), ActionResult(False, text, GIVEN_UP, text=text))
