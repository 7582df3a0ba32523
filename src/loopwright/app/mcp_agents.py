"""Agents as tools of an MCP server: a call starts a run and follows it; what it asks is put to the client's user."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import mcp_types as mcp

from loopwright.app.agents import packages
from loopwright.app.answering import answer_and_go_on, cancel_run, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import MAX_MESSAGE, NewRun, start_run
from loopwright.app.watching import describe_gate, last_line, watch_run
from loopwright.engine.drafts import Live
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import Event
from loopwright.kernel.gates import Gate
from loopwright.kernel.spec import AgentSpec
from loopwright.kernel.state import TERMINAL
from loopwright.kernel.tools import ToolResult
from loopwright.mcp_sdk.forms import answer_of_form, form_of_gate
from loopwright.mcp_sdk.server import Caller, ServedTool, tool_server

if TYPE_CHECKING:
    from mcp.server import Server

MOST_RUNS = 50
INSTRUCTIONS = (
    "A tool named after an agent takes a message, and may take minutes over it. A result that says "
    "that the run waits names a run_id: give it to `answer` with what the user decides. `runs` and `result` look at "
    "what there is; the same session_id goes on in a conversation."
)
RUN = {"type": "string", "description": "The run's id"}


@dataclass
class AgentServing:
    """The agents of an installation, for MCP clients.

    Once `closing` is set, calls that are cancelled leave their runs alone: this process ends, the runs do not.
    """

    app: Loopwright
    closing: bool = field(default=False, init=False)

    def server(self) -> "Server[Any]":
        """The MCP server of the agents."""
        specs = [self.app.toolbox(name).spec for name in self.names()]
        own = [self._answer_tool(), self._result_tool(), self._runs_tool(), self._cancel_tool()]
        agents = [self._agent_tool(spec) for spec in specs if spec.name not in {tool.name for tool in own}]
        return tool_server("loopwright", [*agents, *own], instructions=INSTRUCTIONS)

    def names(self) -> list[str]:
        """The agents whose runs a message begins, and that lack nothing here."""
        return sorted(each.name for each in packages() if not each.entry and not each.missing())

    def close(self) -> None:
        """The server ends."""
        self.closing = True

    def _agent_tool(self, spec: AgentSpec) -> ServedTool:
        async def call(arguments: Mapping[str, Any], caller: Caller) -> ToolResult:
            if caller.state is not None:
                return await self._follow(caller.state, caller)
            new = NewRun(arguments["message"], agent=spec.name, session_id=arguments.get("session_id"))
            return await self._follow((await start_run(self.app, new)).run_id, caller)

        message = {"type": "string", "minLength": 1, "maxLength": MAX_MESSAGE, "description": "What the user wants"}
        session = {"type": "string", "description": "Goes on in this session, as an earlier result names it"}
        return ServedTool(
            spec.name,
            f"{spec.title}: {spec.description}",
            _schema({"message": message, "session_id": session}, "message"),
            call,
        )

    def _answer_tool(self) -> ServedTool:
        async def call(arguments: Mapping[str, Any], caller: Caller) -> ToolResult:
            run_id = arguments["run_id"]
            if caller.state is None:
                answer = {name: arguments[name] for name in ("answers", "decision", "comment") if name in arguments}
                await answer_and_go_on(self.app, run_id, answer)
            return await self._follow(run_id, caller)

        answers = {
            "type": "object",
            "description": "To questions: number (from 0) or text of the question → answer, a list where several fit",
            "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        }
        fields = {
            "run_id": RUN,
            "answers": answers,
            "decision": {"type": "string", "enum": ["approve", "reject"], "description": "The user's, to all else"},
            "comment": {"type": "string", "description": "The user's words with a decision"},
        }
        text = "Answer what a run waits for, as the user decides, and carry it on. The decision is the user's."
        return ServedTool("answer", text, _schema(fields, "run_id"), call)

    def _result_tool(self) -> ServedTool:
        async def call(arguments: Mapping[str, Any], caller: Caller) -> ToolResult:
            return await self._state_of(arguments["run_id"])

        text = "Say where a run stands: what came of it, what it waits for, or what it is doing."
        return ServedTool("result", text, _schema({"run_id": RUN}, "run_id"), call, read_only=True)

    def _runs_tool(self) -> ServedTool:
        async def call(arguments: Mapping[str, Any], caller: Caller) -> ToolResult:
            found = await self.app.stores.runs.find(
                agent=arguments.get("agent"), status=arguments.get("status"), limit=arguments.get("limit", 20)
            )
            wanted = {"run_id", "session_id", "agent", "status", "created_at", "steps", "message"}
            runs = [record.model_dump(mode="json", include=wanted) for record in found]
            lines = [f"{run['run_id']} {run['agent']} {run['status']}: {run['message'][:80]}" for run in runs]
            return ToolResult(success=True, output="\n".join(lines) or "No runs.", artifacts={"runs": runs})

        fields = {
            "agent": {"type": "string", "description": "Only this agent's"},
            "status": {"type": "string", "description": "Only with this status, such as waiting_input"},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST_RUNS},
        }
        return ServedTool("runs", "List runs, newest first.", _schema(fields), call, read_only=True)

    def _cancel_tool(self) -> ServedTool:
        async def call(arguments: Mapping[str, Any], caller: Caller) -> ToolResult:
            record = await cancel_run(self.app, arguments["run_id"])
            return ToolResult(success=True, output=f"Run {record.run_id} is {record.status}.")

        text = "Cancel a run; what it has changed is not taken back."
        return ServedTool("cancel", text, _schema({"run_id": RUN}, "run_id"), call, repeatable=True)

    async def _follow(self, run_id: str, caller: Caller) -> ToolResult:
        """Follow the run to its end, or to a question that this client cannot be asked, or puts off."""
        try:
            since = max(0, (await self.app.stores.runs.get(run_id)).seq - 1) if caller.state is not None else 0
            while True:
                since = await self._watch(run_id, since, caller)
                state = await load_state(self.app, run_id)
                gate = state.open_gate
                if gate is None or not caller.can("elicitation"):
                    return await self._state_of(run_id)
                form = mcp.ElicitRequest(params=form_of_gate(gate))
                asked = await caller.ask({gate.gate_id: form}, state=run_id)
                if not await self._answered(gate, asked[gate.gate_id]):
                    return await self._state_of(run_id)
        except asyncio.CancelledError:
            if not self.closing:  # the client wants it no more
                await asyncio.shield(cancel_run(self.app, run_id))
            raise

    async def _answered(self, gate: Gate, result: mcp.ElicitResult) -> bool:
        answer = answer_of_form(gate, result)
        if answer is None:
            return False
        run_id = gate.gate_id.rpartition(".")[0]
        try:
            await answer_and_go_on(self.app, run_id, answer, idempotency_key=gate.gate_id, gate_id=gate.gate_id)
        except InvalidInput as error:
            raise InvalidInput(error.message, hint=f"The run {run_id} still waits: use `answer`.") from error
        return True

    async def _watch(self, run_id: str, since: int, caller: Caller) -> int:
        """Tell of the run's progress until it rests; gives the last event's seq."""
        async with aclosing(watch_run(self.app, run_id, since, until_pause=True)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Event):
                    since = piece.seq
                told = _told(piece)
                if told:
                    await caller.progress(told)
        return since

    async def _state_of(self, run_id: str) -> ToolResult:
        record = await self.app.stores.runs.get(run_id)
        state = await load_state(self.app, run_id)
        gate = state.open_gate
        if gate is None and record.status not in TERMINAL and record.status != "parked":
            text = f"Run {run_id} is {record.status}: stage {state.stage or '(none yet)'}, {state.steps} steps."
            return ToolResult(success=True, output=text, artifacts={"run_id": run_id, "status": record.status})
        events = await self.app.stores.journal.read(run_id, max(0, state.seq - 1)) if gate is None else []
        line = last_line(record, state, events[-1].payload if events and record.status in TERMINAL else None)
        if gate is not None:
            return ToolResult(success=True, output=_waiting(run_id, gate), artifacts=line)
        if line["type"] == "error":
            hint = f"\n{line['hint']}" if line.get("hint") else ""
            output = f"The run {run_id} failed ({line['code']}): {line['message']}{hint}"
            return ToolResult(success=False, output=output, error=line["message"], artifacts=line)
        if line["type"] == "cancelled":
            return ToolResult(success=False, output=line["message"], error="cancelled", artifacts=line)
        return ToolResult(success=True, output=f"{line['message'].strip()}\n\n{_place(line)}", artifacts=line)


def _place(line: Mapping[str, Any]) -> str:
    return f"(session_id {line['session_id']}, run_id {line['run_id']})"


def _waiting(run_id: str, gate: Gate) -> str:
    """What the client's model is told of a run that waits."""
    told = describe_gate(gate)
    lines = [f"The run {run_id} waits for the user: {gate.title or gate.kind}"]
    for question in told["questions"]:
        options = f" [{', '.join(question['options'])}]" if question.get("options") else ""
        lines.append(f"{question['index']}. {question['question']}{options}")
    how = "answers" if gate.kind == "questions" else 'decision: "approve" or "reject"'
    lines.append(f"Ask the user, then call `answer` with run_id {run_id} and {how}.")
    return "\n".join(lines)


def _told(piece: Event | Live) -> str | None:
    """A line of progress for what is worth one."""
    if isinstance(piece, Live):
        return str(piece.data.get("message"))[:500] if piece.kind in ("progress", "warning") else None
    if piece.type == "stage_changed":
        return f"stage {piece.payload['to']}"
    if piece.type == "tool_call":
        return f"calls {piece.payload['name']}"
    return None


def _schema(fields: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(required),
        "additionalProperties": False,
    }
