"""A run's events and live pieces as session updates."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any, Literal

from acp import RequestError
from acp.helpers import (
    ToolCallContentVariant,
    plan_entry,
    start_tool_call,
    text_block,
    tool_content,
    tool_diff_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
    update_user_message_text,
)
from acp.interfaces import Client
from acp.schema import PermissionOption, ToolCallLocation, ToolCallUpdate, ToolKind

from loopwright.agents.ide.editing.patches import read_patch
from loopwright.agents.ide.permissions import offered
from loopwright.agents.ide.reasoning import Piece, Transcript
from loopwright.app.answering import answer_run, cancel_run, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.watching import account_lines, is_terminal, watch_run
from loopwright.engine.drafts import Live
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.kernel.events import Event
from loopwright.kernel.gates import Gate
from loopwright.kernel.ports import RunRecord

# Tool calls as an editor shows them: kind, title, places, differences.

KINDS: dict[str, tuple[ToolKind, str]] = {
    "index_find_files": ("search", "Find files"),
    "index_list_files": ("search", "List files"),
    "index_search_text": ("search", "Search"),
    "index_search_regex": ("search", "Search"),
    "index_search_symbols": ("search", "Search symbols"),
    "index_find_uses": ("search", "Find uses of"),
    "index_search_semantic": ("search", "Search by meaning"),
    "index_read_file": ("read", "Read"),
    "index_read_lines": ("read", "Read"),
    "index_list_memories": ("read", "Recall"),
    "index_add_memory": ("other", "Remember"),
    "index_delete_memory": ("other", "Forget"),
    "write_file": ("edit", "Write"),
    "create_file": ("edit", "Create"),
    "append_to_file": ("edit", "Add to"),
    "write_code": ("edit", "Write"),
    "replace_in_file": ("edit", "Edit"),
    "replace_all_in_file": ("edit", "Edit"),
    "rename_symbol": ("edit", "Rename"),
    "rename_symbol_in": ("edit", "Rename"),
    "rename_symbol_everywhere": ("edit", "Rename"),
    "apply_patch": ("edit", "Apply a patch"),
    "patchset_list": ("read", "List staged changes"),
    "patchset_propose": ("edit", "Stage changes"),
    "patchset_show": ("read", "Show staged changes"),
    "patchset_apply": ("edit", "Apply staged changes"),
    "patchset_discard": ("other", "Discard staged changes"),
    "checkpoint_list": ("read", "List checkpoints"),
    "checkpoint_show": ("read", "Show a checkpoint"),
    "checkpoint_restore": ("edit", "Restore a checkpoint"),
    "delete_file": ("delete", "Delete"),
    "run_command": ("execute", "Run"),
    "run_command_with_network": ("execute", "Run with the network"),
    "run_command_unsandboxed": ("execute", "Run outside the sandbox"),
    "planner": ("think", "Plan"),
    "conversation_fold": ("think", "Look back"),
}
SUBJECTS = ("path", "command", "query", "pattern", "name", "old", "content", "folder")
LONGEST_TITLE = 120
LONGEST_OUTPUT = 20_000


def kind_of(name: str) -> ToolKind:
    """What an editor's icon for the tool is chosen by."""
    return KINDS.get(name, ("other", name))[0]


def title_of(name: str, arguments: Mapping[str, Any]) -> str:
    """A line that says what the call does."""
    verb = KINDS.get(name, ("other", name))[1]
    subject = next((str(arguments[key]) for key in SUBJECTS if arguments.get(key)), "")
    title = f"{verb} {' '.join(subject.split())}".strip()
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"


def locations_of(root: Path, arguments: Mapping[str, Any]) -> list[ToolCallLocation]:
    """The place that a call is about, so that an editor can follow."""
    path = arguments.get("path")
    if not isinstance(path, str) or not path:
        return []
    line = arguments.get("start_line")
    return [ToolCallLocation(path=str(root / path), line=line if isinstance(line, int) and line > 0 else None)]


def output_of(text: str) -> list[ToolCallContentVariant]:
    """What a call gave, as text."""
    shown = text if len(text) <= LONGEST_OUTPUT else text[:LONGEST_OUTPUT] + "\n…"
    return [tool_content(text_block(shown))] if shown.strip() else []


def differences_of(root: Path, diff: str) -> list[ToolCallContentVariant]:
    """A diff as changes of files, of each hunk the lines before and after; as text where it cannot be read so."""
    try:
        patches = read_patch(diff) if diff else []
    except InvalidInput:  # it was cut off, or is of a file that is not text
        return output_of(diff)
    return [
        tool_diff_content(
            str(root / (patch.new or patch.old or "")),
            "".join(hunk.new),
            "".join(hunk.old) if patch.old is not None else None,
        )
        for patch in patches
        for hunk in patch.hunks
    ] or output_of(diff)


PLAN_STATUS: Mapping[str, Any] = {"pending": "pending", "in_progress": "in_progress", "done": "completed"}
TAIL = 4_000
"""Characters of a running command's output that are shown."""
OUTPUT_SECONDS = 0.25
"""How often a running command's output is shown anew."""


class Translator:
    """Follows one run. With `history` the user's own messages are told too, as when a session is loaded."""

    def __init__(self, root: Path, *, history: bool = False) -> None:
        """Nothing has been seen yet."""
        self._root = root
        self._history = history
        self._transcript = Transcript()
        self._announced: dict[str, Mapping[str, Any]] = {}
        self._outputs: dict[str, str] = defaultdict(str)
        self._shown_at = 0.0

    def updates(self, piece: Event | Live) -> list[Any]:
        """The session updates that tell of this piece."""
        if isinstance(piece, Event):
            handler = getattr(self, f"_on_{piece.type}", None)
            return handler(piece.payload) if handler is not None else []
        if piece.kind == "delta":
            return _spoken(self._transcript.hear(piece.data))
        return self._on_progress(piece.data) if piece.kind == "progress" else []

    def _on_progress(self, data: Mapping[str, Any]) -> list[Any]:
        call_id = data.get("call_id")
        if call_id not in self._announced:
            return []
        self._outputs[call_id] = (self._outputs[call_id] + data["message"] + "\n")[-TAIL:]
        now = time.monotonic()
        if now - self._shown_at < OUTPUT_SECONDS:
            return []
        self._shown_at = now
        return [update_tool_call(call_id, status="in_progress", content=output_of(self._outputs[call_id]))]

    def _on_user_message(self, payload: dict[str, Any]) -> list[Any]:
        return [update_user_message_text(payload["text"])] if self._history else []

    def _on_model_response(self, payload: dict[str, Any]) -> list[Any]:
        return _spoken(self._transcript.answered(payload))

    def _on_tool_call(self, payload: dict[str, Any]) -> list[Any]:
        call_id = payload["call_id"]
        if call_id in self._announced:
            return [update_tool_call(call_id, status="in_progress")]
        return [self._announce(call_id, payload["name"], payload["arguments"], "in_progress")]

    def _on_gate_opened(self, payload: dict[str, Any]) -> list[Any]:
        call_id, details = payload["call_id"], payload["details"]
        if not call_id or call_id in self._announced:
            return []
        tool = str(details.get("tool", payload["kind"]))
        return [self._announce(call_id, tool, details.get("arguments") or {}, "pending", str(details.get("diff", "")))]

    def _on_tool_result(self, payload: dict[str, Any]) -> list[Any]:
        call_id, found = payload["call_id"], payload["artifacts"] or {}
        updates = []
        if call_id not in self._announced:  # refused before it ran
            updates.append(self._announce(call_id, payload["name"], {}, "pending"))
        diff = str(found.get("diff", "")) if payload["success"] else ""
        updates.append(
            update_tool_call(
                call_id,
                status="completed" if payload["success"] else "failed",
                content=differences_of(self._root, diff) or output_of(payload["output"]),
                raw_output={"output": payload["output"], "error": payload["error"]},
            )
        )
        if payload["name"] == "planner" and payload["success"]:
            steps = found.get("plan") or []
            updates.append(update_plan(plan_entry(s["step"], status=PLAN_STATUS[s["status"]]) for s in steps))
        return updates

    def _on_qa_reported(self, payload: dict[str, Any]) -> list[Any]:
        """QA is advice beside the answer, and no part of it."""
        report = payload["report"]
        lines = [f"QA review (advisory): {report['summary']}"]
        for finding in report["findings"]:
            place = ":".join(str(part) for part in (finding["file"], finding["line"]) if part)
            lines.append(f"- {finding['severity']} {place} {finding['finding']}".replace("  ", " "))
        return [update_agent_thought_text("\n" + "\n".join(lines) + "\n")]

    def _announce(self, call_id: str, name: str, arguments: Mapping[str, Any], status: Any, diff: str = "") -> Any:
        self._announced[call_id] = arguments
        return start_tool_call(
            call_id,
            title_of(name, arguments),
            kind=kind_of(name),
            status=status,
            content=differences_of(self._root, diff),
            locations=locations_of(self._root, arguments),
            raw_input=dict(arguments),
        )


def _spoken(pieces: Iterable[Piece]) -> list[Any]:
    return [
        update_agent_message_text(piece.text) if piece.kind == "message" else update_agent_thought_text(piece.text)
        for piece in pieces
    ]


# One prompt: a run that is followed to its end, its questions put to the editor's user.

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

    def __init__(self, application: Loopwright, client: Client, record: RunRecord, root: Path) -> None:
        """Nothing happens before `carry_out`."""
        self._application = application
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
        begin = partial(self._application.dispatcher.dispatch, self._run_id, None, "started")
        while True:
            await self._show(begin)
            gate = (await load_state(self._application, self._run_id)).open_gate
            if gate is None:
                break
            payload = await self._ask(gate)
            if payload is None:
                await cancel_run(self._application, self._run_id)
                await self._show()
                break
            claim = await answer_run(self._application, self._run_id, payload, gate_id=gate.gate_id, by="acp")
            begin = partial(self._application.dispatcher.dispatch, self._run_id, claim, "answered")
        await self._application.dispatcher.wait(self._run_id)
        return await self._end()

    async def cancel(self) -> None:
        """Stop the run, and the question if one stands open."""
        self._cancelled.set()
        await cancel_run(self._application, self._run_id)

    async def _show(self, begin: Callable[[], None] | None = None) -> None:
        """Show the run until it rests; `begin` lets it go on."""
        watching = watch_run(self._application, self._run_id, self._since, until_pause=True, begin=begin)
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
            await self._tell_account(self._final.payload.get("account") or {})
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

    async def _tell_account(self, account: dict[str, Any]) -> None:
        """What each statement of the user has come to, below the answer."""
        lines = list(account_lines(account, self._run_id))
        if lines:
            said = update_agent_message_text("\n\n" + "\n".join(lines))
            await self._client.session_update(self._session_id, said)


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
