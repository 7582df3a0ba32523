"""One prompt: a run that is followed to its end, its questions put to the editor's user."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any, Literal

from acp import RequestError
from acp.helpers import update_agent_message_text
from acp.interfaces import Client
from acp.schema import PermissionOption, ToolCallUpdate

from loopwright.agents.ide.permissions.rules import offered
from loopwright.app.answering import answer_run, cancel_run, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.watching import is_terminal, watch_run
from loopwright.cli.ide.acp.tool_calls import differences_of, kind_of, locations_of, title_of
from loopwright.cli.ide.acp.translating import Translator
from loopwright.kernel.errors import Conflict
from loopwright.kernel.events import Event
from loopwright.kernel.gates import Gate
from loopwright.kernel.ports import RunRecord

StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
FAILURES: dict[str, StopReason] = {"max_steps": "max_turn_requests", "budget_exceeded": "max_tokens"}
"""Failures for which the protocol has a word; the others are errors of the prompt."""
INTERNAL_ERROR = -32603
ANSWERS: dict[str, dict[str, Any]] = {
    "allow_once": {"decision": "approve", "scope": "once"},
    "allow_run": {"decision": "approve", "scope": "run"},
    "allow_always": {"decision": "approve", "scope": "always"},
    "reject_once": {"decision": "reject"},
}


class Turn:
    """A run in the hands of an editor."""

    def __init__(self, house: Loopwright, client: Client, record: RunRecord, root: Path) -> None:
        """Nothing happens before `carry_out`."""
        self._house = house
        self._client = client
        self._session_id = record.session_id
        self._run_id = record.run_id
        self._root = root
        self._translator = Translator(root)
        self._since = 0
        self._final: Event | None = None
        self._cancelled = asyncio.Event()

    async def carry_out(self) -> StopReason:
        """Follow the run to its end; what it does and says goes to the client as it comes.

        Raises:
            RequestError: the run failed.
        """
        begin = partial(self._house.dispatcher.dispatch, self._run_id, None, "started")
        while True:
            await self._show(begin)
            gate = (await load_state(self._house, self._run_id)).open_gate
            if gate is None:
                break
            payload = await self._ask(gate)
            if payload is None:
                await cancel_run(self._house, self._run_id)
                await self._show()
                break
            claim = await answer_run(self._house, self._run_id, payload, gate_id=gate.gate_id)
            begin = partial(self._house.dispatcher.dispatch, self._run_id, claim, "answered")
        await self._house.dispatcher.wait(self._run_id)
        return await self._end()

    async def cancel(self) -> None:
        """Stop the run, and the question if one stands open."""
        self._cancelled.set()
        await cancel_run(self._house, self._run_id)

    async def _show(self, begin: Callable[[], None] | None = None) -> None:
        """Show the run until it rests; `begin` lets it go on."""
        watching = watch_run(self._house, self._run_id, self._since, until_pause=True, begin=begin)
        async with aclosing(watching) as pieces:
            async for piece in pieces:
                for update in self._translator.updates(piece):
                    await self._client.session_update(self._session_id, update)
                if isinstance(piece, Event):
                    self._since = piece.seq
                    self._final = piece if is_terminal(piece) else None

    async def _ask(self, gate: Gate) -> dict[str, Any] | None:
        """The user's answer; None when they cancel instead."""
        asking = asyncio.ensure_future(
            self._client.request_permission(self._session_id, self._question(gate), _options(gate))
        )
        cancelling = asyncio.ensure_future(self._cancelled.wait())
        try:
            await asyncio.wait({asking, cancelling}, return_when=asyncio.FIRST_COMPLETED)
            if self._cancelled.is_set():
                return None
            outcome = asking.result().outcome
        finally:
            for task in (asking, cancelling):
                task.cancel()
            await asyncio.gather(asking, cancelling, return_exceptions=True)
        if outcome.outcome != "selected":
            return None
        if outcome.option_id not in {option.option_id for option in _options(gate)}:
            raise Conflict(f"There is no option {outcome.option_id!r}.", hint="Choose one of those that were offered.")
        return ANSWERS[outcome.option_id]

    def _question(self, gate: Gate) -> ToolCallUpdate:
        details = gate.details
        arguments = details.get("arguments") or {}
        tool = str(details.get("tool", gate.kind))
        own = gate.title if details.get("leaves_sandbox") or details.get("network") else ""
        return ToolCallUpdate(
            tool_call_id=gate.call_id or gate.gate_id,
            title=own or title_of(tool, arguments),
            kind=kind_of(tool),
            status="pending",
            content=differences_of(self._root, str(details.get("diff", ""))) or None,
            locations=locations_of(self._root, arguments) or None,
            raw_input=arguments,
        )

    async def _end(self) -> StopReason:
        if self._final is None:
            raise RequestError(INTERNAL_ERROR, f"Run {self._run_id} stopped before its end.", {"runId": self._run_id})
        if self._final.type == "run_completed":
            return "end_turn"
        if self._final.type == "run_cancelled":
            return "cancelled"
        failure = self._final.payload
        stop = FAILURES.get(failure["code"])
        if stop is None:
            raise RequestError(INTERNAL_ERROR, failure["message"], {"code": failure["code"], "hint": failure["hint"]})
        said = update_agent_message_text(f"\n{failure['message']} {failure['hint']}".rstrip())
        await self._client.session_update(self._session_id, said)
        return stop


def _options(gate: Gate) -> list[PermissionOption]:
    """A yes may reach further than this call where the gate says what it would allow then."""
    once = PermissionOption(option_id="allow_once", name="Allow once", kind="allow_once")
    reject = PermissionOption(option_id="reject_once", name="Reject", kind="reject_once")
    further = offered(gate.details)
    if not further:
        return [once, reject]
    run = PermissionOption(option_id="allow_run", name=f"Allow for this run: {further}", kind="allow_always")
    always = PermissionOption(
        option_id="allow_always", name=f"Always allow in this project: {further}", kind="allow_always"
    )
    return [once, run, always, reject]
