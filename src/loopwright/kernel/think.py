"""The first half of a step: ask the model, and take its answer in."""

from typing import Any, TypeVar

from loopwright.kernel.controller import TERMINAL_STAGES, Refusal
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import ModelUnavailable
from loopwright.kernel.events import (
    ActionFinished,
    CallsReviewed,
    ControllerMessage,
    ModelFellBack,
    ModelResponse,
    PromptSet,
    ResponseAbsorbed,
    SentRequest,
    StageChanged,
)
from loopwright.kernel.invariants import check_request
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.outcomes import Cancelled, Failed, Outcome, RunAgain
from loopwright.kernel.ports import ModelClient, ModelRequest
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Parsed

T = TypeVar("T")

TEXT = "text"
"""The signal of an answer without tool calls, when the stage's parser names no other."""
FATAL = "fatal_error"
"""The signal of a model that was sent back too often; where the table has no row for it, the run fails."""
STRONGER_MODEL = "A stronger model may do better (MODEL_STANDARD), or MODEL_TOOLS=schema for a small local one."
EMPTY = "empty answer"
UNUSABLE = "unusable answer"
BESIDE_CALLS = "unusable part beside tool calls"
"""Reasons for which a model is sent back or told something, as `AgentSpec.phrase` hears them."""


def parse(run: AgentRun, text: str) -> Parsed:
    """What the stage's parser makes of a model's text; reasoning that the user wants has a parser of its own."""
    stage = run.stage
    wanted = run.decision.reasoning != "none" and stage.reasoning_parser is not None
    parser = stage.reasoning_parser if wanted and stage.reasoning_parser is not None else stage.parser
    return parser(text)


async def review(run: AgentRun) -> Outcome | None:
    """Let the stage look at what the last answer's calls came to; None when there is nothing to look at."""
    response = run.state.last_response
    if run.stage.review is None or response is None or run.state.reviewed or not response.tool_calls:
        return None
    named = await run.stage.review(run)
    run.defer(CallsReviewed(signal=named))
    return await signal(run, named) if named is not None else RunAgain()


async def think(run: AgentRun) -> Outcome:
    """Ask the model once; its answer is in the state then, to be taken in.

    Raises:
        ModelError: the model gave no usable answer.
        BudgetExceeded: the call would pass a hard cap.
        Interrupted: the user has cancelled the run.
    """
    if run.cancelled:
        return Cancelled()
    request = run.request(run.state.context.build_messages())
    check_request(run, request)
    with run.paying(run.state.context.estimate_tokens(), request):
        response = await run.interruptibly(_ask_or_fall_back(run, request))
    response = _with_unique_calls(run, response)
    parsed = parse(run, response.text)
    told: dict[str, Any] = {"stage": run.state.stage, "sent": _with_tools(run, response.sent, request)}
    if parsed.visible != response.text or parsed.kept != response.text:
        told |= {"visible": parsed.visible, "kept": parsed.kept}
    response = response.model_copy(update=told)
    run.defer(response, run.budget.charge(response.usage, response.cost_usd))
    crash_point("model.answered")
    return RunAgain()


def _with_tools(run: AgentRun, sent: SentRequest | None, request: ModelRequest) -> SentRequest | None:
    """What was sent, with the tools where they are others than before: they are long, and seldom change."""
    tools = request.tools.wire.decode()
    return sent if sent is None or tools == run.state.tools else sent.model_copy(update={"tools": tools})


async def take_in(run: AgentRun) -> Outcome:
    """Settle the last response: store its records, then answer its text; after a crash this is done again."""
    response = run.state.last_response
    if response is None or run.state.absorbed:
        return RunAgain()
    parsed = parse(run, response.text)
    if parsed.records:
        await run.append()  # the answer is paid for: it is stored before anything is done with it
        payloads = await run.spec.absorb(run, parsed.records)
        run.defer(*payloads)
    run.defer(ResponseAbsorbed(records=len(parsed.records)))
    if response.tool_calls and parsed.complaint is not None:
        text = run.spec.phrase(run, BESIDE_CALLS, parsed.complaint)
        run.defer(ControllerMessage(text=text, reason=BESIDE_CALLS))
    crash_point("records.absorbed")
    return RunAgain() if response.tool_calls else await _answer_text(run, response, parsed)


async def _answer_text(run: AgentRun, response: ModelResponse, parsed: Parsed) -> Outcome:
    if response.finish_reason == "length" and parsed.complaint is None:
        return await _send_back(run, "Your answer was cut off at the length limit. Go on in smaller pieces.", "length")
    if parsed.complaint is not None:
        return await _send_back(run, parsed.complaint, UNUSABLE)
    if not response.text.strip():
        return await _send_back(run, "Your answer was empty. Call a tool, or tell the user what you did.", EMPTY)
    if run.stage.judge is None:
        return await signal(run, parsed.signal or TEXT)
    judged = await run.stage.judge(run)
    if isinstance(judged, Refusal):
        return await _send_back(run, judged.reason, "refused end of the stage")
    return await signal(run, judged)


async def signal(run: AgentRun, name: str) -> Outcome:
    """Put a signal to the controller: move on, end, or send the model back with the reason."""
    move = await run.toolbox.controller.decide(run.state.stage, name, run)
    if isinstance(move, Refusal):
        return await _send_back(run, move.reason, "refused transition")
    await change_stage(run, move.target, name)
    return RunAgain()


async def change_stage(run: AgentRun, target: str, reason: str) -> None:
    """Enter a stage and render its prompt; stored with the next append.

    Entering a terminal stage is journalled too, so that a run that dies before its last event knows how it ended.
    """
    run.defer(StageChanged(source=run.state.stage, target=target, reason=reason))
    if target not in TERMINAL_STAGES and run.stage.action is None:
        run.defer(PromptSet(stage=target, text=await run.spec.system_prompt(run)))


async def _send_back(run: AgentRun, text: str, reason: str) -> Outcome:
    text = run.spec.phrase(run, reason, text)
    if run.state.refusals < run.spec.limits.refusals:
        await run.append(ControllerMessage(text=text, reason=reason))
        return RunAgain()
    stage = run.state.stage
    told = f"The model was sent back {run.state.refusals} times in stage {stage!r}; the last reason: {text}"
    row = run.toolbox.controller.row(stage, FATAL)
    if row is None:
        return Failed("no_usable_answer", told, STRONGER_MODEL)
    run.defer(
        ActionFinished(key=f"{run.key}:fatal", stage=stage, success=False, output=told, text=f"{told} {STRONGER_MODEL}")
    )
    await change_stage(run, row.target, FATAL)
    return RunAgain()


async def _ask_or_fall_back(run: AgentRun, request: ModelRequest) -> ModelResponse:
    """The model's answer, or its rescue's once the model could not be reached: journalled and shown, never silent."""
    if run.rescue is not None and run.state.fell_back:
        return await ask(run, run.rescue, request)
    try:
        return await ask(run, run.model, request)
    except ModelUnavailable as error:
        if run.rescue is None:
            raise
        run.defer(ModelFellBack(reason=error.message))
        return await ask(run, run.rescue, request)


async def ask(run: AgentRun, model: ModelClient, request: ModelRequest) -> ModelResponse:
    """One model call, its text shown as it comes."""
    if not run.streaming:
        return await model.complete(request)
    return await model.complete(request, ShownAnswer(run))


class ShownAnswer:
    """Shows an answer to whoever watches now, as it comes: its text, and the arguments of its calls."""

    def __init__(self, run: AgentRun) -> None:
        """Show the answer of the run's next step."""
        self._run = run
        self._place = {"stage": run.state.stage, "step": run.state.steps + 1}

    def __call__(self, text: str) -> None:
        """Show a piece of the text; an empty one voids what was shown."""
        self._run.sink(self._run.state.run_id, "delta", {"text": text, **self._place})

    def arguments(self, index: int, name: str, text: str) -> None:
        """Show a piece of a call that is being written."""
        piece = {"index": index, "name": name, "text": text, **self._place}
        self._run.sink(self._run.state.run_id, "arguments", piece)


def _with_unique_calls(run: AgentRun, response: ModelResponse) -> ModelResponse:
    """Give every call an id that no other call of the run has: some endpoints send none, or the same one again."""
    calls = [
        ToolCall(id=f"s{run.state.steps + 1}c{index}-{call.id}"[:60], name=call.name, arguments=call.arguments)
        for index, call in enumerate(response.tool_calls, 1)
    ]
    return response.model_copy(update={"tool_calls": calls}) if calls else response
