"""A turn has passed a ceiling: the user hears in short how things stand, and says whether it goes on (spec 004, 7)."""

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.agents.planner.states import GIVEN_UP
from loopwright.agents.planner.workflow.using import use_tool
from loopwright.kernel.actions import GO_ON
from loopwright.kernel.asking import answer_to
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import TurnCeilingPassed, UserMessage
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

CONTINUE, STOP = "Go on", "Stop with what there is"
UNITS = {"usd": "USD", "seconds": "seconds of work"}
SETTINGS = {"usd": "LOOPWRIGHT_SOFT_USD_PER_TURN", "seconds": "LOOPWRIGHT_WALL_TIME_SEC"}
"""Where the ceilings are raised for good; a slow local model needs a higher one."""


async def pause(run: AgentRun) -> ActionResult | GateRequest:
    """Ask whether to go on; the next turn has a ceiling of its own. Words of the user's own go to the model."""
    ceiling = run.state.ceiling
    if ceiling is None:
        raise InvalidInput("No ceiling was passed, so there is nothing to ask.")
    state = await load_planning(run.services, run.state.session_id)
    told = await use_tool(run, "summarizer", text=standing(state, ceiling))
    request = _request(ceiling, str(told["text"]))
    answer = answer_to(run, request)
    if answer is None:
        return request
    said = str(next(iter(answer["answers"].values()), "")).strip()
    if said == STOP:
        state = await load_planning(run.services, run.state.session_id)
        state.planning_status, state.response_text = "aborted", f"You stopped it. {told['text']}"
        await save_planning(run.services, run.state.session_id, state, f"{run.key}:stopped")
        return ActionResult(False, "The user has stopped it.", GIVEN_UP, text=state.response_text)
    if said and said != CONTINUE:
        run.defer(UserMessage(text=said))
    return ActionResult(True, "The user lets it go on.", GO_ON)


def standing(state: PlanningState, ceiling: TurnCeilingPassed) -> str:
    """What the turn has cost, and what there is by now."""
    unit = UNITS[ceiling.ceiling]
    sentences = [f"This took {ceiling.spent:g} {unit}, and {ceiling.limit:g} may pass before you are asked."]
    outline = state.roadmap or state.plan_outline
    if outline is None:
        sentences.append("There is no outline yet.")
    else:
        made = "roadmap" if state.roadmap is not None else "outline"
        sentences.append(f"There is a draft of the {made} with {len(outline.nodes)} parts.")
    if state.schedule is not None:
        sentences.append(f"There is a schedule of {len(state.schedule.blocks)} blocks that you have not approved.")
    return " ".join(sentences)


def _request(ceiling: TurnCeilingPassed, text: str) -> GateRequest:
    question = QuestionItem(
        question="Shall it go on?", type="radio", options=[CONTINUE, STOP], context=text[:1_000], default=CONTINUE
    )
    line = {"planning_status": "needs_clarification", "response_text": f"{text} {question.question}"}
    told = ceiling.model_dump(mode="json") | {"setting": SETTINGS[ceiling.ceiling]}
    details = {"step": "ceiling", "ceiling": told, "last_line": line}
    return GateRequest("questions", "It takes longer than usual.", questions=(question,), details=details)
