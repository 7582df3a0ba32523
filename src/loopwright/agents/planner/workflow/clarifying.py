"""What the planner asks the user: open questions, the RFC of a new subtype, what an invalid draft needs."""

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.agents.planner.states import ANSWERED, APPROVED, GIVEN_UP
from loopwright.agents.planner.workflow.asking import approval_request, out_of_turns
from loopwright.kernel.asking import answer_to
from loopwright.kernel.events import UserMessage
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

STATUS = "needs_clarification"


async def clarify(run: AgentRun) -> ActionResult | GateRequest:
    """Ask what stands in the way, and go on with the answer."""
    state = await load_planning(run.services, run.state.session_id)
    if out_of_turns(run):
        return await _give_up(run, state)
    if state.pattern_rfc_required and state.pattern_rfc_decision is None:
        return await _decide_rfc(run, state)
    return await _ask(run, state)


async def _decide_rfc(run: AgentRun, state: PlanningState) -> ActionResult | GateRequest:
    pattern = state.selected_pattern
    subtype = pattern.subtype if pattern is not None else None
    request = approval_request(
        "rfc",
        f"May the new subtype {subtype} be used?",
        {"rfc": state.pattern_rfc_text, "pattern": pattern.model_dump(mode="json") if pattern else None},
    )
    answer = answer_to(run, request)
    if answer is None:
        return request
    state.pattern_rfc_decision = "approved" if answer["decision"] == "approve" else "rejected"
    if state.pattern_rfc_decision == "rejected" and pattern is not None:
        state.selected_pattern = pattern.model_copy(update={"subtype": None, "rfc": None})
        state.pattern_rfc_required = False
    await save_planning(run.services, run.state.session_id, state, f"{run.key}:rfc")
    run.defer(
        UserMessage(text=f"The new subtype is {state.pattern_rfc_decision}. {answer.get('comment') or ''}".strip())
    )
    return ActionResult(True, f"The new subtype is {state.pattern_rfc_decision}.", APPROVED)


async def _ask(run: AgentRun, state: PlanningState) -> ActionResult | GateRequest:
    items = tuple(QuestionItem.model_validate(item) for item in state.pending_questions)
    if not items:
        reason = state.escalate_reason or "More is needed to go on."
        items = (QuestionItem(question=f"{reason} What should be different?", type="text", default="Simplify it."),)
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
    state.pending_questions, state.escalate_reason = [], None
    state.retries = {}
    await save_planning(run.services, run.state.session_id, state, f"{run.key}:answered:{len(state.questions_asked)}")
    run.defer(UserMessage(text="\n".join(f"{question} – {said or '(no answer)'}" for question, said in given.items())))
    return ActionResult(True, "The user has answered.", ANSWERED)


async def _give_up(run: AgentRun, state: PlanningState) -> ActionResult:
    state.planning_status, state.response_text = "aborted", "The plan took more turns than it may."
    await save_planning(run.services, run.state.session_id, state, f"{run.key}:aborted")
    return ActionResult(False, state.response_text, GIVEN_UP, text=state.response_text)
