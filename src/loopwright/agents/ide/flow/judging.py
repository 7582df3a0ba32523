"""How stages end: the model's last word is heard, and the controller decides."""

from loopwright.agents.ide.contracts.delivery import DeliveryCheck
from loopwright.agents.ide.contracts.options import IdeOptions
from loopwright.agents.ide.contracts.qa import QAReport
from loopwright.agents.ide.events import AnswerSealed
from loopwright.agents.ide.flow.reading import DELIVERY_SCHEMA, REPORT_SCHEMA
from loopwright.agents.ide.flow.sealing import SEAL, digest_of_answer
from loopwright.agents.ide.flow.words import ASKS_FOR_FILES, FORCE_TOOLS, NO_USER_INPUT, PROMISES, correction
from loopwright.kernel.controller import Refusal
from loopwright.kernel.events import ControllerMessage, Pinned
from loopwright.kernel.run import AgentRun
from loopwright.kernel.think import TEXT, parse

NO_ANSWER = "conversation_flow/delivery_gate/reasoning_only_no_answer"
ENFORCE = "conversation_flow/delivery_gate/enforce_delivery_completion"
DELIVERED, NEEDS_WORK, OUT_OF_ROUNDS = "delivered", "needs_work", "out_of_rounds"
SEALED, SEALED_WITHOUT_QA = "sealed", "sealed_without_qa"
REPORTED, NO_REPORT = "reported", "no_report"
MOST_ROUNDS = 3
"""Delivery checks of a run: after the last one the answer says what is missing, instead of trying on and on."""
MOST_CORRECTIONS = 2
MOST_REPORTS = 2


async def judge_words(run: AgentRun) -> str | Refusal:
    """Words in `warmup`: the user must be told something beside the reasoning."""
    return TEXT if _visible(run) else Refusal(correction(run, NO_ANSWER))


async def judge_end_of_work(run: AgentRun) -> str | Refusal:
    """Words in `act` and `tool_followup` end the work, unless they promise it or ask the user to do it."""
    text = _visible(run)
    if not text:
        return Refusal(correction(run, NO_ANSWER))
    if run.state.refusals < MOST_CORRECTIONS:
        if ASKS_FOR_FILES.search(text):
            return Refusal(correction(run, NO_USER_INPUT))
        if PROMISES.search(text.splitlines()[-1]) or (len(text) < 400 and PROMISES.search(text)):
            return Refusal(correction(run, FORCE_TOOLS))
    return TEXT


async def judge_delivery(run: AgentRun) -> str | Refusal:
    """The delivery check decides; what is missing is pinned, and sent back to work as long as there are rounds."""
    check = next((r for r in _records(run) if isinstance(r, DeliveryCheck)), None)
    if check is None:
        return Refusal(correction(run, DELIVERY_SCHEMA))
    run.defer(Pinned(key="delivery", text=check.state))
    run.defer(Pinned(key="open issues", text="\n".join(f"- {line}" for line in check.missing) or "none"))
    if check.state == "DONE":
        return DELIVERED
    if run.state.stage_entries.get("delivery_check", 1) >= MOST_ROUNDS:
        return OUT_OF_ROUNDS
    missing = "\n".join(f"- {line}" for line in check.missing) or check.reason or "- (not said)"
    run.defer(ControllerMessage(text=f"{correction(run, ENFORCE)}\n{missing}", reason="delivery needs work"))
    return NEEDS_WORK


async def judge_final(run: AgentRun) -> str | Refusal:
    """The answer is sealed before anybody reviews it."""
    text = _visible(run)
    if not text:
        return Refusal(correction(run, NO_ANSWER))
    digest = digest_of_answer(text)
    run.defer(AnswerSealed(sha256=digest), Pinned(key=SEAL, text=digest))
    return SEALED if IdeOptions.model_validate(run.state.options).qa else SEALED_WITHOUT_QA


async def judge_report(run: AgentRun) -> str | Refusal:
    """QA ends with its report; a reviewer that cannot write one does not hold up the answer."""
    if any(isinstance(record, QAReport) for record in _records(run)):
        return REPORTED
    return Refusal(correction(run, REPORT_SCHEMA)) if run.state.refusals < MOST_REPORTS else NO_REPORT


def _visible(run: AgentRun) -> str:
    response = run.state.last_response
    return response.visible_text.strip() if response is not None else ""


def _records(run: AgentRun) -> tuple[object, ...]:
    response = run.state.last_response
    return tuple(parse(run, response.text).records) if response is not None else ()
