"""No schedule exists: the user hears why, and what would help; each way out was tried before it is offered."""

from datetime import UTC, datetime
from functools import wraps
from typing import Any

from loopwright.agents.planner.contracts.plan import AdaptationLogEntry
from loopwright.agents.planner.contracts.state import EndedWork, PlanningState
from loopwright.agents.planner.facts.phrases import phrases_for
from loopwright.agents.planner.grammar import repair_outline, validate_grammar
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.agents.planner.states import (
    ANSWERED,
    GIVEN_UP,
    INFEASIBLE,
    INVALID,
    REJECTED,
    RELAXED,
    RETRYABLE,
    VALID,
)
from loopwright.agents.planner.workflow.asking import (
    LEAVE_IT,
    approval_of,
    offered_ideas,
    offered_variants,
    outline_lines,
    restored,
    wants_approval,
)
from loopwright.agents.planner.workflow.ways import cause_of, is_unproved, takes_back, ways_of
from loopwright.kernel.actions import answer_to
from loopwright.kernel.events import UserMessage
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Action, ActionResult
from loopwright.kernel.tools import GateRequest

# How the controller's own work ends: what it changed is saved together with what it came to.


def once(action: Action) -> Action:
    """The action, whose end is taken from the planning state where it has ended already in this visit of its state."""

    @wraps(action)
    async def acted(run: AgentRun) -> ActionResult | GateRequest:
        done = (await load_planning(run.services, run.state.session_id)).ended
        return _told(run, done) if done is not None and done.key == _visit(run) else await action(run)

    return acted


async def ended(run: AgentRun, state: PlanningState, result: ActionResult, message: str = "") -> ActionResult:
    """Save the state with the result; `message` is what the model hears as the user's words."""
    state.ended = EndedWork(
        key=_visit(run),
        success=result.success,
        output=result.output,
        signal=result.signal,
        text=result.text,
        message=message,
    )
    await save_planning(run.services, run.state.session_id, state, f"{state.ended.key}:ended")
    return _told(run, state.ended)


def _told(run: AgentRun, done: EndedWork) -> ActionResult:
    if done.message:
        run.defer(UserMessage(text=done.message, composed=True))
    return ActionResult(done.success, done.output, done.signal, text=done.text)


def _visit(run: AgentRun) -> str:
    state = run.state
    return f"{state.run_id}:{state.stage}:{state.stage_entries.get(state.stage, 1)}:{state.refusals}"


# The gates between drafts: nothing goes on that its validator has not passed.


async def validate_outline(run: AgentRun) -> ActionResult | GateRequest:
    """The grammar of plans on the outline; small flaws are repaired by the suggested fixes, once, and said so."""
    return await _validate(run, "outline")


async def validate_roadmap(run: AgentRun) -> ActionResult | GateRequest:
    """The grammar of plans on the roadmap, with its dependencies."""
    return await _validate(run, "roadmap")


async def _validate(run: AgentRun, step: str) -> ActionResult | GateRequest:
    state = await load_planning(run.services, run.state.session_id)
    field = "plan_outline" if step == "outline" else "roadmap"
    draft: Any = getattr(state, field)
    if draft is None:
        return await _sent_back(run, state, step, [f"There is no {step} yet."])
    if state.pattern_rfc_required and state.pattern_rfc_decision is None:
        return ActionResult(True, "A new subtype waits for a decision.", INVALID)
    report = validate_grammar(draft, state.selected_pattern)
    if not report.valid and not report.fatal:
        draft, fixes = repair_outline(draft, state.selected_pattern)
        report = validate_grammar(draft, state.selected_pattern)
        if fixes and report.valid:
            setattr(state, field, draft)
            state.adaptation_log.append(_entry(f"repaired the {step}", f"{len(fixes)} suggested fixes were applied"))
    state.validation[step] = report.model_dump(mode="json")
    if not report.valid:
        return await _sent_back(run, state, step, [violation.message for violation in report.violations], report.fatal)
    await save_planning(run.services, run.state.session_id, state, f"{run.key}:{step}:valid")
    return await _approved(run, state, step)


async def _approved(run: AgentRun, state: PlanningState, step: str) -> ActionResult | GateRequest:
    if getattr(state, f"{step}_approved") or not wants_approval(state.interaction_policy, step):
        return ActionResult(True, f"The {step} is valid.", VALID)
    details: dict[str, Any] = {"lines": outline_lines(state), "ideas": await offered_ideas(run, state)}
    if step == "roadmap":
        details["variants"] = await offered_variants(run, state)
    given = await approval_of(run, step, f"Is this {step} right?", details)
    if isinstance(given, GateRequest):
        return given
    if given.outcome != REJECTED:
        return ActionResult(True, f"The user has approved the {step}.", VALID)
    return await reject(run, given.comment, f"the {step}")


async def reject(run: AgentRun, comment: str, what: str) -> ActionResult:
    """Take a no to heart: what the user said goes to the model, and the outline is drafted anew."""
    state = await load_planning(run.services, run.state.session_id)
    comment = comment or "I do not want it like this."
    state.adaptation_log.append(_entry(f"rejected {what}", comment, "user_feedback"))
    state.goal.facts["feedback"] = [*state.goal.facts.get("feedback", []), comment]
    state.plan_outline = state.roadmap = state.schedule = None
    state.outline_approved = state.roadmap_approved = False
    told = ActionResult(True, f"The user has rejected {what}.", REJECTED)
    return await ended(run, state, told, f"I do not agree with {what}: {comment}")


async def validate_schedule(run: AgentRun) -> ActionResult:
    """The independent checker on the schedule; no one sees a schedule that it has not passed."""
    from loopwright.agents.planner.problem_building import problem_of
    from loopwright.agents.planner.schedule.checker import check_schedule
    from loopwright.agents.planner.schedule.problem import Block

    state = await load_planning(run.services, run.state.session_id)
    if state.schedule is None:
        if state.cause is not None:
            return ActionResult(True, "There is no schedule.", INFEASIBLE)
        return await _sent_back(run, state, "schedule", ["There is no schedule yet."])
    problem, tasks = problem_of(state)
    blocks = [Block(tasks[index], block.start, block.end) for index, block in enumerate(state.schedule.blocks)]
    violations = check_schedule(problem, blocks)
    state.validation["schedule"] = {"valid": not violations, "violations": [each.text for each in violations[:50]]}
    if violations:
        state.schedule = None
        return await _sent_back(run, state, "schedule", [each.text for each in violations])
    await save_planning(run.services, run.state.session_id, state, f"{run.key}:schedule:valid")
    return ActionResult(True, f"The checker has passed {len(blocks)} blocks.", VALID)


async def _sent_back(
    run: AgentRun, state: PlanningState, step: str, reasons: list[str], fatal: bool = False
) -> ActionResult:
    """The draft goes back while retries are left; then a human is asked."""
    state.retries[step] = state.retries.get(step, 0) + 1
    state.escalate_reason = f"The {step} is not valid: " + "; ".join(reasons[:5])
    spent = state.retries[step] > run.spec.limits.retries_per_stage
    signal = INVALID if fatal or spent else RETRYABLE
    return await ended(run, state, ActionResult(False, state.escalate_reason, signal))


def _entry(action: str, reason: str, origin: Any = "system") -> AdaptationLogEntry:
    return AdaptationLogEntry(timestamp=datetime.now(UTC), node_ids=[], action=action, reason=reason, origin=origin)


STATUS = "needs_scheduling_escalation"


async def escalate(run: AgentRun) -> ActionResult | GateRequest:
    """Ask which of the ways out the user takes."""
    state = await load_planning(run.services, run.state.session_id)
    cause = cause_of(state)
    request = _request(state, cause)
    answer = answer_to(run, request)
    if answer is None:
        return request
    said = str(next(iter(answer["answers"].values()), "")).strip()
    chosen = ways_of(state).get(said)
    if chosen is not None:
        state.chosen_relaxations.append(chosen | {"text": said})
        state.cause, state.relaxations, state.schedule = None, [], None
        return await ended(run, state, ActionResult(True, f"The user chose: {said}", RELAXED), f"Do this: {said}")
    if not said or said == LEAVE_IT:
        return await _stop(run, state, cause)
    state.goal.answers[cause] = said
    state.cause, state.relaxations = None, []
    return await ended(run, state, ActionResult(True, "The user has answered.", ANSWERED), said)


def _request(state: PlanningState, cause: str) -> GateRequest:
    ways, say = ways_of(state), phrases_for(state.goal)
    question = QuestionItem(
        question=say.text("what_may_change"),
        type="radio",
        options=[*ways, LEAVE_IT],
        context=cause[:1_000],
        default=next((text for text, way in ways.items() if not takes_back(way.get("change"), state.goal)), LEAVE_IT),
    )
    line = {
        "planning_status": STATUS,
        "escalate_reason": cause,
        "response_text": f"{cause} {question.question}",
        "relaxations": list(ways.values()),
    }
    details = {"cause": state.cause, "relaxations": list(ways.values()), "last_line": line}
    title = say.text("not_found" if is_unproved(state) else "does_not_fit")
    return GateRequest("questions", title, questions=(question,), details=details)


async def _stop(run: AgentRun, state: PlanningState, cause: str) -> ActionResult:
    ways, say = "; ".join([*ways_of(state)][:3]), phrases_for(state.goal)
    name = "unchanged" if state.settled is not None else "not_done" if ways else "nothing_fits"
    told = say.text(name, why=cause, ways=ways)
    state.planning_status, state.response_text = "aborted", told
    return await ended(run, restored(state), ActionResult(False, told, GIVEN_UP, text=told))
