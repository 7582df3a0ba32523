"""Use cases: the interview of a session, and answers that are changed after they were given."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.interview.plan import InterviewRecord, message_of
from loopwright.app.answering import OpenGate, open_gates
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.kernel.state import TERMINAL

Answers = Mapping[str, str | list[str]]

MOST_CHANGES = 20


@dataclass(frozen=True)
class Change:
    """What is to be done about changed answers: those of a pending question are an answer to it, others a new run."""

    pending: dict[str, Any]
    waiting: OpenGate | None
    run: NewRun | None


async def interview_of(application: Loopwright, session_id: str) -> InterviewRecord:
    """What the session remembers of its interview.

    Raises:
        NotFound: there is no such session.
    """
    session = await application.stores.sessions.get(session_id)
    return InterviewRecord.of(session.metadata)


async def change_answers(application: Loopwright, session_id: str, changes: Answers) -> Change:
    """Take changed answers into the session.

    While a run waits, answers to what it asks are for the caller to submit, and the others reach the model together
    with them. Otherwise they become the message of a new run, which says what of the app they change and that the rest
    stays.

    Raises:
        InvalidInput: no answer, too many, or one that is empty.
        NotFound: there is no such session.
        Conflict: a run of the session is at work.
    """
    changes = _checked(changes)
    session = await application.stores.sessions.get(session_id)
    record = InterviewRecord.of(session.metadata)
    brief = str(session.metadata.get("brief") or session.title or "")
    waiting = await _waiting(application, session_id)
    pending, earlier = _parted(waiting, changes)
    kept = record.with_answers(earlier)
    if waiting is not None:
        kept = kept.model_copy(update={"changed": {**record.changed, **earlier}})
        await application.stores.sessions.update(session_id, metadata=kept.to_metadata())
        return Change(pending, waiting, None)
    message = message_of(brief, record.plain(), earlier)
    await application.stores.sessions.update(session_id, metadata=kept.to_metadata())
    return Change({}, None, NewRun(message=message, session_id=session_id, agent=session.agent))


async def ask_no_more(application: Loopwright, session_id: str) -> None:
    """Let the waiting run of the session go on without more questions ("generate now").

    Raises:
        NotFound: there is no such session.
        Conflict: no run of the session waits.
    """
    session = await application.stores.sessions.get(session_id)
    waiting = await _waiting(application, session_id)
    if waiting is None:
        raise Conflict(f"No run of session {session_id!r} waits for an answer.")
    record = InterviewRecord.of(session.metadata).model_copy(update={"quiet_run": waiting.run.run_id})
    await application.stores.sessions.update(session_id, metadata=record.to_metadata())


async def _waiting(application: Loopwright, session_id: str) -> OpenGate | None:
    for waiting in await open_gates(application, session_id):
        return waiting
    for record in await application.stores.runs.find(session_id=session_id, limit=1):
        if record.status not in TERMINAL:
            raise Conflict(f"Run {record.run_id} of this session is {record.status}.", hint="Wait for its end.")
    return None


def _parted(waiting: OpenGate | None, changes: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The answers to the pending questions, and those to earlier ones."""
    asked = {question.question for question in waiting.gate.questions} if waiting else set()
    pending = {question: answer for question, answer in changes.items() if question in asked}
    return pending, {question: answer for question, answer in changes.items() if question not in asked}


def _checked(changes: Answers) -> dict[str, str | list[str]]:
    if not changes or len(changes) > MOST_CHANGES:
        raise InvalidInput(f"Between one and {MOST_CHANGES} answers can be changed at once; {len(changes)} were given.")
    for question, answer in changes.items():
        texts = answer if isinstance(answer, list) else [answer]
        if not texts or not all(text.strip() for text in texts):
            raise InvalidInput(f"The new answer to {question!r} says nothing.", hint="Send a text or a list of texts.")
    return dict(changes)
