"""No schedule exists: the user hears why, and what would help; each way out was tried before it is offered."""

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.memory import load_planning
from loopwright.agents.planner.states import ANSWERED, GIVEN_UP, RELAXED
from loopwright.agents.planner.workflow.asking import LEAVE_IT
from loopwright.agents.planner.workflow.ending import ended
from loopwright.kernel.asking import answer_to
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

STATUS = "needs_scheduling_escalation"
SHOWN = 6


async def escalate(run: AgentRun) -> ActionResult | GateRequest:
    """Ask which of the ways out the user takes."""
    state = await load_planning(run.services, run.state.session_id)
    cause = str((state.cause or {}).get("text") or state.escalate_reason or "There is no schedule.")
    request = _request(state, cause)
    answer = answer_to(run, request)
    if answer is None:
        return request
    said = str(next(iter(answer["answers"].values()), "")).strip()
    chosen = next((each for each in state.relaxations if each["text"] == said), None)
    if chosen is not None:
        state.chosen_relaxations.append(chosen)
        state.cause, state.relaxations, state.schedule = None, [], None
        return await ended(run, state, ActionResult(True, f"The user chose: {said}", RELAXED), f"Do this: {said}")
    if not said or said == LEAVE_IT:
        return await _stop(run, state, cause)
    state.goal.answers[cause] = said
    state.cause, state.relaxations = None, []
    return await ended(run, state, ActionResult(True, "The user has answered.", ANSWERED), said)


def _request(state: PlanningState, cause: str) -> GateRequest:
    options = [str(each["text"]) for each in state.relaxations[:SHOWN]]
    question = QuestionItem(
        question="What may change, so that the plan fits?",
        type="radio",
        options=[*options, LEAVE_IT],
        context=cause[:1_000],
        default=options[0] if options else LEAVE_IT,
    )
    line = {
        "planning_status": STATUS,
        "escalate_reason": cause,
        "response_text": f"{cause} What may change?",
        "relaxations": state.relaxations[:SHOWN],
    }
    details = {"cause": state.cause, "relaxations": state.relaxations[:SHOWN], "last_line": line}
    return GateRequest("questions", "The plan does not fit.", questions=(question,), details=details)


async def _stop(run: AgentRun, state: PlanningState, cause: str) -> ActionResult:
    state.planning_status, state.response_text = "aborted", f"There is no schedule: {cause}"
    return await ended(run, state, ActionResult(False, state.response_text, GIVEN_UP, text=state.response_text))
