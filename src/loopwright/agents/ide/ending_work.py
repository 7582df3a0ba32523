"""The end of the work: what is measured before an answer is taken, and whether anybody is asked once more."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from loopwright.agents.ide.account import KIT
from loopwright.agents.ide.account.runners import (
    CallSeen,
    calls_of_run,
    files_of,
    places_that_are_there,
    test_runs,
    texts_of,
)
from loopwright.agents.ide.context import ASKS_FOR_FILES, FORCE_TOOLS, NO_USER_INPUT, PROMISES, correction
from loopwright.agents.ide.contracts import DeliveryCheck, DeliveryState, IdeOptions, QAReport, Reasoning
from loopwright.agents.ide.events import AnswerSealed, DeliveryChecked
from loopwright.agents.ide.project import FILES_HEAD
from loopwright.agents.ide.reasoning import (
    SEAL,
    Call,
    answer_so_far,
    calls_of,
    digest_of_answer,
    read_macro,
    read_micro,
    without_reasoning,
)
from loopwright.agents.ide.tools.tool import COMMANDS, WORKERS, WRITERS
from loopwright.kernel.account import NotMeasurable, Statement
from loopwright.kernel.account.reading import asks_for_work, hard_tokens
from loopwright.kernel.events import ControllerMessage, Pinned
from loopwright.kernel.messages import Message
from loopwright.kernel.policy import MORE_TOOLS, Refusal
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Parsed
from loopwright.kernel.think import TEXT, parse

# What the run has done so far, by its journal: files that were changed, commands that were run, tests that passed.


@dataclass(frozen=True)
class WorkDone:
    """The calls of the run that have a result, oldest first."""

    calls: Sequence[CallSeen]

    @property
    def changed(self) -> Sequence[str]:
        """The files that calls have changed, in the order of their first change."""
        written = (call for call in self.calls if call.success or call.artifacts.get("exit_code") is not None)
        return list(dict.fromkeys(path for call in written for path in call.written))

    @property
    def acted(self) -> bool:
        """Whether something was done beyond reading: a file changed or proposed, a command run."""
        return any(call.name in WORKERS and (call.success or "exit_code" in call.artifacts) for call in self.calls)

    @property
    def tests_passed(self) -> str:
        """What the tests showed that passed after the last change; empty where none did, or one failed."""
        found = test_runs(self.calls, after_changes=True)
        passed = bool(found) and found[-1].passes and not any(each.failed for each in found)
        return found[-1].told if passed else ""


async def work_done(run: AgentRun) -> WorkDone:
    """What the run has done."""
    return WorkDone(await calls_of_run(run))


def worked_on_message(run: AgentRun) -> tuple[int, bool]:
    """How many calls followed the user's newest message, and whether one was meant to change or run something."""
    calls = calls_of(since_newest_user(run))
    return len(calls), any(call.name in WORKERS for call in calls)


def since_newest_user(run: AgentRun) -> Sequence[Message]:
    """The dialogue from the user's newest message on; all of it where that was folded away."""
    messages, newest = run.state.context.messages, run.state.context.newest_user
    place = next((at for at in range(len(messages) - 1, -1, -1) if messages[at] is newest), 0)
    return messages[place:]


SEALED, SEALED_WITHOUT_QA = "sealed", "sealed_without_qa"
NOTHING_CHANGED = "No file was changed and nothing was run in this run."
ANSWERS = frozenset({"quoted", "explained", "defined_at", "used_at"})
"""Checks of what an answer quotes: where they do not hold, more work on the files would not help."""
CHECKS = {check.name: check for check in KIT.checks}


@dataclass(frozen=True)
class EndingCheck:
    """What the controller has seen itself: DONE or what is missing; none of both where it cannot tell.

    `forbidden`: the user has said no to a call, so that nobody is told to try again.
    """

    done: str = ""
    missing: Sequence[str] = ()
    forbidden: bool = False


async def verdict(run: AgentRun, answer: str) -> EndingCheck:
    """Look at the tree, the journal and the account; of the answer only the places count that it quotes."""
    done, (held, broken) = await work_done(run), await measured(run)
    small = run.profile == "small"
    forbidden = any(
        gate.kind == "permission" and gate.status == "answered" and not gate.approved
        for gate in run.state.gates.values()
    )
    broken = [*broken, *(unwritten(run, done) if done.changed else ())]
    if broken:
        return EndingCheck(missing=broken, forbidden=forbidden)
    newest = run.state.context.newest_user
    if not done.acted and newest is not None and asks_for_work(newest.content):
        return EndingCheck(missing=[NOTHING_CHANGED], forbidden=forbidden)
    if not done.acted:
        places = places_that_are_there(run.output_dir, answer)
        told = f"It quotes {len(places)} places that are there." if places else "It quotes no place in the files."
        return EndingCheck(done=f"The request was answered. {told}") if places or small else EndingCheck()
    if held and len(held) == len(run.state.account.open):
        return EndingCheck(done=f"Measured at the end: {'; '.join(held)}.")
    if done.tests_passed:
        return EndingCheck(done=f"Tests after the last change: {done.tests_passed}.")
    if small:
        changed = ", ".join(done.changed) or "no file"
        return EndingCheck(done=f"Changed: {changed}. No test has passed after the last change.")
    return EndingCheck()


async def measured(run: AgentRun) -> tuple[Sequence[str], Sequence[str]]:
    """The open statements whose claims hold now, and those whose claims do not; some have no claim."""
    held: list[str] = []
    broken: list[str] = []
    for statement in run.state.account.open:
        check = CHECKS.get(statement.claim.check) if statement.claim is not None else None
        if check is None or statement.claim is None:
            continue
        try:
            found = await check.measure(run, check.arguments.model_validate(statement.claim.arguments))
        except (NotMeasurable, OSError):
            continue  # it is settled as not verified in the end
        if found.holds or statement.claim.check not in ANSWERS:
            (held if found.holds else broken).append(_told(statement, found.value, found.where))
    return held, broken


def unwritten(run: AgentRun, done: WorkDone) -> Sequence[str]:
    """Values that the user gave and that stand in no file of the project, though nothing measures their statements.

    That one stands there proves nothing; that it stands nowhere, and was not taken away by this run either, says that
    something was left out.
    """
    asked = [each for each in run.state.account.open if each.claim is None and each.kind != "question"]
    wanted = [
        (statement.text, token.text)
        for statement in asked
        for token in hard_tokens(statement.text)
        if token.kind in ("literal", "symbol") or (token.kind in ("number", "colour") and _is_written_so(token.text))
    ]
    if not wanted:
        return []
    texts = [text for path, text in texts_of(run.output_dir)] + list(files_of(run.output_dir))
    texts += [str(call.artifacts.get("diff", "")) for call in done.calls]
    return [
        f"“{said}”: {value} stands in no file"
        for said, value in wanted
        if "/" not in value and not any(_plain(value) in text for text in texts)
    ]


def _plain(value: str) -> str:
    """The last part of a dotted name, as it stands where the thing is defined; any other value as it is."""
    value = value.strip("()`")
    return value.rpartition(".")[2] if re.fullmatch(r"[A-Za-z_][\w.]*", value) else value


def _is_written_so(value: str) -> bool:
    """Whether a value is code rather than a word of the sentence: digits with letters or a sign, such as 8px."""
    return re.fullmatch(r"#?\w*\d\w*", value) is not None and not value.isdigit()


def record_verdict(run: AgentRun, found: EndingCheck) -> None:
    """Tell what the controller has decided without asking the model."""
    state: DeliveryState = "NEEDS_WORK" if found.missing else "DONE"
    checked = DeliveryChecked(state=state, missing=list(found.missing), reason=found.done)
    run.defer(checked, Pinned(key="delivery", text=state))


def seal(run: AgentRun, text: str, done: WorkDone) -> str:
    """Seal the answer before anybody reviews it; gives the signal, by whether it will be reviewed."""
    digest = digest_of_answer(text)
    run.defer(AnswerSealed(sha256=digest), Pinned(key=SEAL, text=digest))
    wanted = IdeOptions.model_validate(run.state.options).qa
    if wanted is None:
        wanted = run.profile == "frontier" and bool(done.changed) and not done.tests_passed
    return SEALED if wanted else SEALED_WITHOUT_QA


def _told(statement: Statement, value: str, where: str) -> str:
    return f"“{statement.text}”: {value}{f' ({where})' if where else ''}"


# What the calls of an answer have come to: guidance after failures, and an end to loops (spec 002, 10.3).

FOLLOW_UP = "follow_up"
STALLED = "stalled"
FAILURE = "conversation_flow/corrections/tool_failure_recovery"
REPEATED = "conversation_flow/corrections/repeated_failure"
ENDED = re.compile(r"Error: \[exit code (?!12[67],)")
MOST_BLIND = 4
"""Calls after which a small model may read, though the files are in sight and it has changed nothing."""
MOST_REPEATS = 3
"""The same call with the same result so often is a loop."""


async def review_first_calls(run: AgentRun) -> str | None:
    """After the first calls of `act` the run follows up on their results."""
    return await review_calls(run) or FOLLOW_UP


async def review_calls(run: AgentRun) -> str | None:
    """Guide the model after failures; name `stalled` when it goes round in circles."""
    calls = calls_of(since_newest_user(run))
    count = len(run.state.last_response.tool_calls) if run.state.last_response is not None else 0
    newest = calls[-count:] if count else []
    if newest and all(_times(call, calls) >= MOST_REPEATS for call in newest):
        record_verdict(run, EndingCheck(missing=[f"{newest[-1].name} gave the same again and again."]))
        return STALLED
    # A command that ran to its end has not failed: that tests fail is what was to be known.
    failed = [call for call in newest if call.failed and not (call.name in COMMANDS and ENDED.match(call.result))]
    if failed:
        again = any(_times(call, calls) > 1 for call in failed)
        run.defer(ControllerMessage(text=correction(run, REPEATED if again else FAILURE), reason="tool failure"))
    return None


def resting(run: AgentRun) -> frozenset[str]:
    """What a small model leaves alone now: it would read and search again and again instead of changing anything.

    The tool that has failed twice, or given the same, rests until another is called; more tools, until one was tried;
    and where a change is asked for and files are in sight, what reads, until the first change or a few steps.
    """
    if run.profile != "small":
        return frozenset()
    calls, newest = calls_of(since_newest_user(run)), run.state.context.newest_user
    failing = len(calls) > 1 and all(call.failed for call in calls[-2:]) and calls[-1].name == calls[-2].name
    same = {calls[-1].name} if calls and (failing or _times(calls[-1], calls) > 1) else set()
    in_sight = FILES_HEAD in run.state.context.system
    changed = any(call.name in WRITERS and not call.failed for call in calls)
    if not in_sight or changed or len(calls) >= MOST_BLIND or newest is None or not asks_for_work(newest.content):
        return frozenset(same if calls else {MORE_TOOLS})
    return frozenset({*same, MORE_TOOLS, *(name for name in run.decision.offered if name.startswith("index_"))})


def _times(call: Call, calls: list[Call]) -> int:
    """How often the same call gave the same since files were last changed."""
    changes = [at for at, each in enumerate(calls) if each.name in WRITERS and not each.failed]
    since = calls[changes[-1] :] if changes and calls[changes[-1]].key != call.key else calls
    return Counter(each.key for each in since)[call.key]


# How stages end: the model's last word is heard, and the controller decides.
#
# What the stages read out of answers: reasoning is taken out always, and demanded where the user wants it.

DELIVERY_SCHEMA = "agent/delivery_gate"
REPORT_SCHEMA = "qa/report_schema"
"""The prompts that a model is shown again whose answer has not the shape that they ask for."""

Parser = Callable[[str], Parsed]


def plain(text: str) -> Parsed:
    """An answer of which nothing is demanded: reasoning that nobody asked for is dropped."""
    rest = without_reasoning(text)
    return Parsed(visible=rest, kept=rest)


def with_macro(text: str) -> Parsed:
    """An answer that needs a macro block."""
    return _reasoned(text, read_macro)


def with_micro(text: str) -> Parsed:
    """An answer that needs a micro block."""
    return _reasoned(text, read_micro)


def delivery(text: str) -> Parsed:
    """The delivery check, a small JSON object."""
    return _structured(plain(text), DeliveryCheck, DELIVERY_SCHEMA)


def delivery_with_micro(text: str) -> Parsed:
    """The delivery check behind a micro block."""
    return _structured(with_micro(text), DeliveryCheck, DELIVERY_SCHEMA)


def report(text: str) -> Parsed:
    """The QA report; one that cannot be read is dealt with by the stage's judge, since QA may not stop a run."""
    return _without_complaint(_structured(plain(text), QAReport, REPORT_SCHEMA))


def report_with_micro(text: str) -> Parsed:
    """The QA report behind a micro block."""
    return _without_complaint(_structured(with_micro(text), QAReport, REPORT_SCHEMA))


def read_json(text: str, model: type[BaseModel]) -> BaseModel | None:
    """The first JSON object in the text that fits the model; fences and words around it are forgiven."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            found, _ = decoder.raw_decode(text, start)
            return model.model_validate(found)
        except (ValueError, RecursionError, ValidationError):
            start = text.find("{", start + 1)
    return None


def _reasoned(text: str, read: Callable[[str], Reasoning | str]) -> Parsed:
    rest = without_reasoning(text)
    found = read(text)
    if isinstance(found, str):
        return Parsed(visible=rest, kept=rest, complaint=found)
    kept = f"{rest}\n\n{found.outcome.as_text()}".strip()
    return Parsed(visible=rest, kept=kept, records=(found,))


def _structured(parsed: Parsed, model: type[BaseModel], schema: str) -> Parsed:
    found = read_json(parsed.visible, model)
    complaint = parsed.complaint or (schema if found is None else None)
    records: tuple[Any, ...] = (*parsed.records, *([found] if found is not None else []))
    return Parsed(visible=parsed.visible, kept=parsed.kept, records=records, complaint=complaint)


def _without_complaint(parsed: Parsed) -> Parsed:
    return Parsed(visible=parsed.visible, kept=parsed.kept, records=parsed.records)


NO_ANSWER = "conversation_flow/delivery_gate/reasoning_only_no_answer"
ENFORCE = "conversation_flow/delivery_gate/enforce_delivery_completion"
NOT_THERE = "conversation_flow/delivery_gate/not_there"
NEEDS_WORK, OUT_OF_ROUNDS = "needs_work", "out_of_rounds"
REPORTED, NO_REPORT = "reported", "no_report"
MOST_ROUNDS = 3
"""Delivery checks of a run: after the last one the answer says what is missing, instead of trying on and on."""
MOST_CORRECTIONS = 2
MOST_REPORTS = 2
MOST_LOOKS = 6
"""Calls that only read, after which a small model may say that there is nothing to do."""


async def judge_words(run: AgentRun) -> str | Refusal:
    """Words in `warmup`: the user must be told something beside the reasoning."""
    return TEXT if _visible(run) else Refusal(correction(run, NO_ANSWER))


async def judge_end_of_work(run: AgentRun) -> str | Refusal:
    """Words in `act` and `tool_followup` end the work, unless they promise it, or a measurement says otherwise.

    Where the controller can tell by itself what has come of the work, nobody is asked once more: these words are the
    final answer.
    """
    text = _visible(run)
    if not text:
        return Refusal(correction(run, NO_ANSWER))
    found = await verdict(run, text)
    if run.state.refusals < MOST_CORRECTIONS:
        if ASKS_FOR_FILES.search(text):
            return Refusal(correction(run, NO_USER_INPUT))
        if PROMISES.search(text.splitlines()[-1]) or (len(text) < 400 and PROMISES.search(text)):
            return Refusal(correction(run, FORCE_TOOLS))
        if found.missing and not found.forbidden and (run.state.refusals == 0 or run.profile == "small"):
            return Refusal(f"{correction(run, NOT_THERE)}\n{_listed(found.missing)}")
    if not found.done and not found.missing:
        return TEXT
    record_verdict(run, found)
    return seal(run, text, await work_done(run))


async def judge_delivery(run: AgentRun) -> str | Refusal:
    """The delivery check decides; what is missing is pinned, and sent back to work as long as there are rounds."""
    check = next((r for r in _records(run) if isinstance(r, DeliveryCheck)), None)
    if check is None:
        return Refusal(correction(run, DELIVERY_SCHEMA))
    run.defer(Pinned(key="delivery", text=check.state))
    run.defer(Pinned(key="open issues", text=_listed(check.missing) or "none"))
    if check.state == "DONE":
        return seal(run, await answer_so_far(run), await work_done(run))
    if run.state.stage_entries.get("delivery_check", 1) >= MOST_ROUNDS:
        return OUT_OF_ROUNDS
    missing = _listed(check.missing) or check.reason or "- (not said)"
    run.defer(ControllerMessage(text=f"{correction(run, ENFORCE)}\n{missing}", reason="delivery needs work"))
    return NEEDS_WORK


async def judge_final(run: AgentRun) -> str | Refusal:
    """The answer is sealed before anybody reviews it."""
    text = _visible(run)
    if not text:
        return Refusal(correction(run, NO_ANSWER))
    return seal(run, text, await work_done(run))


async def judge_report(run: AgentRun) -> str | Refusal:
    """QA ends with its report; a reviewer that cannot write one does not hold up the answer."""
    if any(isinstance(record, QAReport) for record in _records(run)):
        return REPORTED
    return Refusal(correction(run, REPORT_SCHEMA)) if run.state.refusals < MOST_REPORTS else NO_REPORT


def may_end_work(run: AgentRun) -> bool:
    """Whether words could end the work now: where work is asked for, not before anything was looked at or done.

    A small model that may say that it is done does so at once. It must have tried to change or run something, unless
    so many looks have shown nothing to do; and after an answer that was sent back it calls something first.
    """
    newest = run.state.context.newest_user
    if newest is None or not asks_for_work(newest.content):
        return True
    if run.profile == "small" and run.state.refusals and run.state.context.messages[-1].role != "tool":
        return False
    calls, worked = worked_on_message(run)
    return worked or calls >= (MOST_LOOKS if run.profile == "small" else 1)


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _visible(run: AgentRun) -> str:
    response = run.state.last_response
    return response.visible_text.strip() if response is not None else ""


def _records(run: AgentRun) -> tuple[object, ...]:
    response = run.state.last_response
    return tuple(parse(run, response).records) if response is not None else ()
