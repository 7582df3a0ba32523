"""The first half of a step: ask the model, and take its answer in."""

import re
from typing import Any, TypeVar

from loopwright.kernel.account.fold import UNKEPT
from loopwright.kernel.account.settling import failing, kit_of
from loopwright.kernel.answer_form import Misfit, read_answer
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
    StageTold,
)
from loopwright.kernel.gates import Cancelled, Failed, Outcome, RunAgain
from loopwright.kernel.messages import ToolCall, told_messages
from loopwright.kernel.policy import COMPLETE, TERMINAL_STAGES, Refusal
from loopwright.kernel.ports import ModelClient, ModelRequest
from loopwright.kernel.prompts import split_task
from loopwright.kernel.requests import answer_form, check_request, stage_request
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Parsed, Stage, plain_text

T = TypeVar("T")

TEXT = "text"
"""The signal of an answer without tool calls, when the stage's parser names no other."""
FATAL = "fatal_error"
"""The signal of a model that was sent back too often; where the table has no row for it, the run fails."""
STRONGER_MODEL = "A stronger model may do better (MODEL_STANDARD), or MODEL_TOOLS=schema for a small local one."
RULES = "rules"
"""The model's name in answers that a stage's rules gave."""
EMPTY = "empty answer"
UNUSABLE = "unusable answer"
MISFIT = "answer not of its form"
NOT_ACCEPTED = "refused end of the stage"
BESIDE_CALLS = "unusable part beside tool calls"
"""Reasons for which a model is sent back or told something, as `AgentSpec.phrase` hears them."""


def parse(run: AgentRun, response: ModelResponse) -> Parsed:
    """What the stage's parser makes of a model's text; reasoning that the user wants has a parser of its own.

    Where the stage's answer has a form, the parser gets the answer's JSON, and what is none of this form a complaint
    instead. Words beside tool calls are no answer yet.
    """
    stage, text, form = run.stage, response.text, answer_form(run)
    if form is not None and response.tool_calls:
        return plain_text(_words(stage, text))
    if form is not None and text.strip():
        try:
            return stage.parser(read_answer(form, text, run.toolbox.repair))
        except Misfit as misfit:
            return Parsed(visible="", kept=_words(stage, text), complaint=str(misfit), misfit=True)
    wanted = run.decision.reasoning != "none" and stage.reasoning_parser is not None
    parser = stage.reasoning_parser if wanted and stage.reasoning_parser is not None else stage.parser
    return parser(text)


def _words(stage: Stage, text: str) -> str:
    """What of a text without the wanted form may travel on: no reasoning, where the stage knows such a thing."""
    return stage.parser(text).kept if stage.reasoning_parser is not None else text


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
    by_rules = await run.stage.rules(run) if run.stage.rules is not None else None
    if by_rules is not None:
        run.defer(_told(run, ModelResponse(text=by_rules, model=RULES)))
        run.budget.steps += 1
        return RunAgain()
    state = (await run.spec.state_block(run)).strip() if run.spec.state_block is not None else ""
    request = stage_request(run, told_messages(run.state.context.build_messages(), state))
    check_request(run, request)
    with run.paying(run.state.context.estimate_tokens(), request):
        response = await run.interruptibly(_ask_or_fall_back(run, request))
    response = _with_unique_calls(run, response)
    response = _told(run, response, sent=_with_tools(run, response.sent, request), state=state)
    run.defer(response, run.budget.charge(response.usage, response.cost_usd, steps=1))
    crash_point("model.answered")
    return RunAgain()


def _told(run: AgentRun, response: ModelResponse, **told: Any) -> ModelResponse:
    """The answer as it is journalled: with its stage, and with what the user reads and later requests show of it."""
    parsed = parse(run, response)
    told["stage"] = run.state.stage
    if parsed.visible != response.text or parsed.kept != response.text:
        told |= {"visible": parsed.visible, "kept": parsed.kept}
    return response.model_copy(update=told)


def _with_tools(run: AgentRun, sent: SentRequest | None, request: ModelRequest) -> SentRequest | None:
    """What was sent, with the tools where they are others than before: they are long, and seldom change."""
    tools = request.tools.wire.decode()
    return sent if sent is None or tools == run.state.tools else sent.model_copy(update={"tools": tools})


async def take_in(run: AgentRun) -> Outcome:
    """Settle the last response: store its records, then answer its text; after a crash this is done again."""
    response = run.state.last_response
    if response is None or run.state.absorbed:
        return RunAgain()
    parsed = parse(run, response)
    cut = response.finish_reason == "length" and not response.tool_calls
    records = () if cut else parsed.records  # the model says it again: what it had said of it may be half
    if records:
        await run.append()  # the answer is paid for: it is stored before anything is done with it
        payloads = await run.spec.absorb(run, records)
        run.defer(*payloads)
    run.defer(ResponseAbsorbed(records=len(records)))
    if response.tool_calls and parsed.complaint is not None:
        text = run.spec.phrase(run, BESIDE_CALLS, parsed.complaint)
        run.defer(ControllerMessage(text=text, reason=BESIDE_CALLS))
    crash_point("records.absorbed")
    return RunAgain() if response.tool_calls else await _answer_text(run, response, parsed)


async def _answer_text(run: AgentRun, response: ModelResponse, parsed: Parsed) -> Outcome:
    if response.finish_reason == "length" and (parsed.complaint is None or parsed.misfit):
        return await _send_back(run, "Your answer was cut off at the length limit. Go on in smaller pieces.", "length")
    if parsed.complaint is not None:
        return await _send_back(run, parsed.complaint, MISFIT if parsed.misfit else UNUSABLE)
    if not response.text.strip():
        return await _send_back(run, "Your answer was empty. Call a tool, or tell the user what you did.", EMPTY)
    if run.stage.judge is None:
        return await signal(run, parsed.signal or TEXT)
    judged = await run.stage.judge(run)
    if isinstance(judged, Refusal):
        return await _send_back(run, judged.reason, NOT_ACCEPTED)
    return await signal(run, judged)


async def signal(run: AgentRun, name: str) -> Outcome:
    """Put a signal to the controller: move on, end, or send the model back with the reason."""
    move = await run.toolbox.controller.decide(run.state.stage, name, run)
    if isinstance(move, Refusal):
        return await _send_back(run, move.reason, "refused transition")
    if move.target == COMPLETE and (unkept := await _unkept(run)):
        return await _send_back(run, unkept, UNKEPT)
    await change_stage(run, move.target, name)
    return RunAgain()


async def _unkept(run: AgentRun) -> str:
    """What the model that wants to end is told of claims that do not hold; nothing once it was told often enough."""
    kit = kit_of(run)
    if kit is None or run.state.account.sent_back >= kit.sends_back:
        return ""
    lines = "\n".join(f"- {each}" for each in await failing(run))
    return lines and f"The user asked for this, and a check of the result says that it is not so yet:\n{lines}"


async def change_stage(run: AgentRun, target: str, reason: str) -> None:
    """Enter a stage and render its prompt; stored with the next append.

    An agent with stage prompts keeps its system prompt for the whole run, others get one for each stage.
    Entering a terminal stage is journalled too, so that a run that dies before its last event knows how it ended.
    """
    run.defer(StageChanged(source=run.state.stage, target=target, reason=reason))
    if target in TERMINAL_STAGES or run.stage.action is not None:
        return
    if run.spec.stage_prompt is None or not run.state.context.system:
        run.defer(PromptSet(stage=target, text=await run.spec.system_prompt(run)))
    told = await stage_told(run)
    if told is not None:
        run.defer(told)


async def stage_told(run: AgentRun) -> StageTold | None:
    """What the model is told of the stage, as a message behind what was said before; None for agents without that."""
    if run.spec.stage_prompt is None:
        return None
    task, text = split_task(await run.spec.stage_prompt(run))
    return StageTold(stage=run.state.stage, text=text.strip(), task=task)


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
    """The model's answer, or its fallback's once the model could not be reached: journalled and shown, never silent."""
    if run.fallback is not None and run.state.fell_back:
        return await ask(run, run.fallback, request)
    try:
        return await ask(run, run.model, request)
    except ModelUnavailable as error:
        if run.fallback is None:
            raise
        run.defer(ModelFellBack(reason=error.message))
        return await ask(run, run.fallback, request)


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
        ToolCall(id=_unique_id(run, index, call.id), name=call.name, arguments=call.arguments)
        for index, call in enumerate(response.tool_calls, 1)
    ]
    if not calls:
        return response
    opaque, renamed = response.opaque, {old.id: new.id for old, new in zip(response.tool_calls, calls, strict=True)}
    if opaque is not None:
        signed = {renamed[name]: parts for name, parts in opaque.calls.items() if name in renamed}
        opaque = opaque.model_copy(update={"calls": signed})
    return response.model_copy(update={"tool_calls": calls, "opaque": opaque})


def _unique_id(run: AgentRun, index: int, given: str) -> str:
    """An id that every endpoint but those with a form of their own takes back: 40 letters, digits, `_` and `-`."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", f"s{run.state.steps + 1}c{index}-{given}")[:40]
