"""Use cases: what a human does with a run that exists (answer its gate, cancel it, resume it), and allows for good."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.kernel.client_tools import check_result
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import Conflict, Misconfigured, NotFound, StaleOwner
from loopwright.kernel.events import GateAnswered, GateOpened, RunResumed
from loopwright.kernel.files import exclusive_lock, write_whole
from loopwright.kernel.gates import Gate, read_answer
from loopwright.kernel.loop import tell_of_end
from loopwright.kernel.ports import RunClaim, RunRecord, RunUpdate
from loopwright.kernel.state import TERMINAL, RunState

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


FILE = "permissions.json"


class LastingPermissions:
    """The book of permissions: agent → folder → what is allowed there. The calls block on the disk."""

    def __init__(self, home: Path) -> None:
        """Keep the place; the file is made with the first permission."""
        self._file = home / FILE

    def of(self, agent: str, folder: Path) -> list[str]:
        """What is allowed in this folder.

        Raises:
            Misconfigured: the file is broken.
        """
        return self._read().get(agent, {}).get(str(folder.resolve()), [])

    def all_of(self, agent: str) -> dict[str, list[str]]:
        """What is allowed, by folder; raises as `of`."""
        return self._read().get(agent, {})

    def allow(self, agent: str, folder: Path, permission: str) -> None:
        """Allow it from now on; raises as `of`."""
        with self._changed() as book:
            allowed = book.setdefault(agent, {}).setdefault(str(folder.resolve()), [])
            if permission not in allowed:
                allowed.append(permission)

    def revoke(self, agent: str, folder: Path, permission: str | None = None) -> list[str]:
        """Take back one permission or all of a folder; gives what was taken back.

        Raises:
            NotFound: it was not given.
            Misconfigured: the file is broken.
        """
        name = str(folder.resolve())
        with self._changed() as book:
            allowed = book.get(agent, {}).get(name, [])
            taken = [each for each in allowed if permission in (None, each)]
            if not taken:
                raise NotFound(
                    f"Nothing of that kind is allowed for good in {name}.",
                    hint=f"`loopwright {agent} permissions list` shows what is.",
                )
            kept = [each for each in allowed if each not in taken]
            book[agent].pop(name)
            if kept:
                book[agent][name] = kept
        return taken

    @contextmanager
    def _changed(self) -> Iterator[dict[str, dict[str, list[str]]]]:
        """The book, to be changed; written whole at the end, one process after the other."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with exclusive_lock(self._file.with_suffix(".lock")):
            book = self._read()
            yield book
            write_whole(self._file, (json.dumps(book, indent=2, ensure_ascii=False) + "\n").encode())

    def _read(self) -> dict[str, dict[str, list[str]]]:
        if not self._file.exists():
            return {}
        try:
            book: Any = json.loads(self._file.read_text(encoding="utf-8"))
            return {
                str(agent): {str(folder): [str(each) for each in allowed] for folder, allowed in folders.items()}
                for agent, folders in book.items()
            }
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise Misconfigured(
                f"{self._file} cannot be read: {error}.", hint="Correct it, or delete it to be asked again."
            ) from error


async def remember(application: Loopwright, state: RunState, gate: Gate, answer: Mapping[str, Any]) -> None:
    """Keep what was just allowed for good: the rules that the gate has shown.

    Raises:
        Misconfigured: the file is broken.
    """
    lasting = gate.kind == "permission" and answer.get("decision") == "approve" and answer.get("scope") == "always"
    rules = gate.details.get("allows") or ()
    if not lasting or not rules:
        return
    folder = Path((await application.stores.sessions.get(state.session_id)).output_dir)
    book = LastingPermissions(application.settings.home)
    for rule in rules:
        await asyncio.to_thread(book.allow, state.agent, folder, rule)


# Use cases: what a human does with a run that exists: answer its gate, cancel it, resume it.

RESUME_POLL_SECONDS = 0.5
ANSWER_PAUSE_SECONDS = 0.05
INBOX = 500
"""Gates that are told of at a time."""
HTTP, CLI, TIMEOUT = "http", "cli", "timeout"
"""The ways that answers come, as the journal names them."""


@dataclass(frozen=True)
class OpenGate:
    """A pending gate, the run that waits at it, and the place of the question in the run's journal, and its time."""

    run: RunRecord
    gate: Gate
    seq: int
    opened_at: datetime


async def load_state(application: Loopwright, run_id: str) -> RunState:
    """The run's state, folded from its journal.

    Raises:
        NotFound: there is no such run.
    """
    await application.stores.runs.get(run_id)
    return RunState.fold(run_id, await application.stores.journal.read(run_id))


async def open_gates(application: Loopwright, session_id: str | None = None) -> list[OpenGate]:
    """The inbox: every pending gate of every agent, or of one session, newest run first."""
    waiting = await application.stores.runs.waiting(session_id=session_id, limit=INBOX)
    return [
        OpenGate(run, GateOpened.model_validate(opened.payload).gate, opened.seq, opened.at) for run, opened in waiting
    ]


async def find_gate(application: Loopwright, gate_id: str) -> Gate:
    """A gate by its id, open or not.

    Raises:
        NotFound: there is no such gate.
    """
    try:
        return (await load_state(application, run_of(gate_id))).gates[gate_id]
    except (NotFound, KeyError) as error:
        raise NotFound(f"There is no gate {gate_id!r}.", hint="`loopwright runs list` shows what waits.") from error


ANYWAY = "resumed by the user though it was parked"


def run_of(gate_id: str) -> str:
    """The id of the run whose gate this is."""
    return gate_id.rpartition(".")[0]


async def answer_run(
    application: Loopwright,
    run_id: str,
    payload: Any,
    *,
    idempotency_key: str | None = None,
    gate_id: str | None = None,
    by: str = "",
) -> RunClaim | None:
    """Store an answer to the run's open gate, exactly once, and take the run over.

    `by` tells the journal which way it came. Gives the claim with which the run is to be carried on, or None when this
    very answer (by its idempotency key) was stored before. Of several answers at once one is stored; the others meet
    it, and with its key they agree with it.

    Raises:
        InvalidInput: the answer does not fit the gate.
        Conflict: the gate is answered already, or the run waits for nothing.
        NotFound: there is no such run, or its agent cannot be found.
    """
    while True:
        try:
            return await _answer_once(application, run_id, payload, idempotency_key, gate_id, by)
        except StaleOwner:  # another answer came between: the next look at the journal shows it, or the way is free
            await asyncio.sleep(random.uniform(0, ANSWER_PAUSE_SECONDS))


async def _answer_once(
    application: Loopwright, run_id: str, payload: Any, idempotency_key: str | None, gate_id: str | None, by: str
) -> RunClaim | None:
    state = await load_state(application, run_id)
    if idempotency_key and any(_is_repetition(event, idempotency_key) for event in await _answers(application, run_id)):
        return None
    gate = state.open_gate
    if gate is None or (gate_id is not None and gate.gate_id != gate_id):
        raise Conflict(
            f"Gate {gate_id or 'of run ' + run_id} waits for no answer (the run is {state.status}).",
            hint="An answer is taken once. `loopwright runs show` tells where the run stands.",
        )
    answer = read_answer(gate, payload)
    toolbox = application.tailored(state)  # an agent that cannot be found is told before the answer is stored
    if gate.kind == "client":
        check_result(toolbox.registry.get(gate.details["tool"]), answer)
    try:
        claim = await application.stores.runs.claim(run_id, application.owner)
    except Conflict as error:
        raise StaleOwner(f"Run {run_id} has just gone on.") from error
    answered = GateAnswered(gate_id=gate.gate_id, answer=answer, idempotency_key=idempotency_key, by=by)
    resumed = RunResumed(owner=application.owner, reason="answered")
    await application.stores.journal.append(claim, state.seq, [answered, resumed], RunUpdate(status="running"))
    await remember(application, state, gate, answer)
    crash_point("gate.answered")
    return claim


async def answer_and_go_on(
    application: Loopwright,
    run_id: str,
    payload: Any,
    *,
    idempotency_key: str | None = None,
    gate_id: str | None = None,
    by: str = "",
) -> None:
    """Answer the run's gate and let the run go on in the background; a repeated answer changes nothing.

    Raises:
        InvalidInput, Conflict, NotFound: as `answer_run` does.
    """
    claim = await answer_run(application, run_id, payload, idempotency_key=idempotency_key, gate_id=gate_id, by=by)
    if claim is not None:
        application.dispatcher.dispatch(run_id, claim, "answered")


async def _answers(application: Loopwright, run_id: str) -> list[GateAnswered]:
    events = await application.stores.journal.read(run_id)
    return [GateAnswered.model_validate(event.payload) for event in events if event.type == GateAnswered.type]


def _is_repetition(answered: GateAnswered, idempotency_key: str) -> bool:
    return answered.idempotency_key == idempotency_key


async def cancel_run(application: Loopwright, run_id: str) -> RunRecord:
    """Cancel the run: at once when it rests, within seconds when it works; a run that is over stays as it is."""
    before = await application.stores.runs.get(run_id)
    record = await application.stores.runs.request_cancel(run_id)
    application.dispatcher.cancel(run_id)
    if record.status in TERMINAL and before.status not in TERMINAL:  # it rested: no loop is there to see its end
        run = await application.assemble(
            await load_state(application, run_id), RunClaim(run_id, record.epoch, application.owner)
        )
        await tell_of_end(run)
    return record


async def claim_for_resume(
    application: Loopwright, run_id: str, *, anyway: bool = False, patience_seconds: float = 60.0
) -> RunClaim:
    """Take over a run whose process is gone: at once when it is dead, else when its heartbeat has expired.

    A parked run is taken only `anyway`; it may then try once more.

    Raises:
        Conflict: the run is over, waits for an answer, is parked, or its owner still lives after `patience_seconds`.
        NotFound: there is no such run, or its agent cannot be found.
    """
    deadline = asyncio.get_running_loop().time() + patience_seconds
    while True:
        record = await application.stores.runs.get(run_id)
        if record.status in TERMINAL:
            raise Conflict(f"Run {run_id} is {record.status}.", hint="Start a new run in the same session.")
        if record.status == "waiting_input":
            raise Conflict(f"Run {run_id} waits for an answer.", hint=f"loopwright runs answer {run_id} --answers FILE")
        if anyway or record.status != "parked":  # a parked run is refused for that, whoever its agent is
            application.toolbox(record.agent)
        try:
            return await application.stores.runs.claim(run_id, application.owner, anyway=anyway)
        except Conflict:
            if record.status == "parked" or asyncio.get_running_loop().time() >= deadline:
                raise
        await asyncio.sleep(RESUME_POLL_SECONDS)


async def try_again(application: Loopwright, run_id: str) -> None:
    """Let a parked run try once more, in the background.

    Raises:
        Conflict: the run is not parked.
        NotFound: there is no such run.
    """
    record = await application.stores.runs.get(run_id)
    if record.status != "parked":
        raise Conflict(f"Run {run_id} is {record.status}, not parked.")
    claim = await application.stores.runs.claim(run_id, application.owner, anyway=True)
    resumed = RunResumed(owner=application.owner, reason=ANYWAY)
    await application.stores.journal.append(claim, record.seq, [resumed], RunUpdate(status="running"))
    application.dispatcher.dispatch(run_id, claim, ANYWAY)
