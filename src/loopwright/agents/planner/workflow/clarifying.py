"""What the planner asks the user: open questions, the RFC of a new subtype, what an invalid draft needs."""

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.memory import load_planning
from loopwright.agents.planner.states import ANSWERED, APPROVED, GIVEN_UP, REJECTED
from loopwright.agents.planner.workflow.asking import LEAVE_IT, approval_of
from loopwright.agents.planner.workflow.ending import ended
from loopwright.agents.planner.workflow.judging import GO_ON_ANYWAY, SIMPLIFY
from loopwright.kernel.asking import answer_to
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

STATUS, RFC = "needs_clarification", "rfc"


async def clarify(run: AgentRun) -> ActionResult | GateRequest:
    """Ask what stands in the way, and go on with the answer."""
    state = await load_planning(run.services, run.state.session_id)
    if state.pattern_rfc_required and (state.pattern_rfc_decision is None or _rfc_answered(run)):
        return await _decide_rfc(run, state)
    return await _ask(run, state)


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
    state.planning_status, state.response_text = "aborted", "You left the plan as it is."
    return await ended(run, state, ActionResult(False, state.response_text, GIVEN_UP, text=state.response_text))
