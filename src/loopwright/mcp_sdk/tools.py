"""Tools of MCP servers as tools of the kernel: under the same policy, gates, effects and journal as an agent's own.

A server is not trusted: what it says of its tools and what its tools give back is data, and what it claims of their
effects counts as far as the user's configuration says.
"""

import base64
import binascii
import hashlib
import logging
import mimetypes
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import mcp_types as mcp
from jsonschema.exceptions import SchemaError, best_match
from jsonschema.validators import Draft202012Validator, validator_for
from pydantic import RootModel, TypeAdapter, ValidationError, create_model
from referencing import Registry

from loopwright.kernel.errors import LoopwrightError
from loopwright.kernel.events import Effect, ServerTool
from loopwright.kernel.files import make_private_folder
from loopwright.kernel.prompts import as_data, inert
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.tool_servers import ToolServer
from loopwright.kernel.tools import AnyTool, BaseTool, GateRequest, ToolContext, ToolResult
from loopwright.mcp_sdk.client import Connections, ServerGone
from loopwright.mcp_sdk.forms import gate_of_form, result_of_answer

log = logging.getLogger(__name__)

MAX_TOOLS = 64
"""Tools that are taken of one server: endpoints take 128 in all."""
MAX_NAME = 64
MAX_DESCRIPTION = 2_000
MAX_SCHEMA = 20_000
"""Characters of a tool's schema."""
MAX_OUTPUT = 30_000
"""Characters of a result that the model reads; the rest is in a file."""
MAX_FILE = 20_000_000
"""Bytes of an image or another file that a result may hold."""
MIDDLE = "mcp"
"""The part of a gate's details that a call needs to go on."""

_REQUEST: TypeAdapter[mcp.InputRequest] = TypeAdapter(mcp.InputRequest)
_UNSENT_KEYWORDS = frozenset({"$schema", "$id", "$comment", "examples", "x-mcp-header"})
_NAMED_SCHEMAS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")


@dataclass(frozen=True)
class Listing:
    """What servers have listed for a new run; `left_out` says by server or tool why something of it is missing."""

    tools: tuple[ServerTool, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


async def list_tools(connections: Connections, servers: Iterable[ToolServer]) -> Listing:
    """What these servers offer now. One that cannot be reached is left out, and said to be."""
    tools: list[ServerTool] = []
    left_out: dict[str, str] = {}
    for server in servers:
        connection = connections.get(server.name)
        if connection is None:
            continue
        try:
            listed = [tool for tool in await connection.tools() if server.takes(tool.name)]
        except LoopwrightError as error:
            left_out[server.name] = error.message
            continue
        if len(listed) > MAX_TOOLS:
            left_out[server.name] = (
                f"it lists {len(listed)} tools, of which the first {MAX_TOOLS} are taken: see includeTools"
            )
        for tool in listed[:MAX_TOOLS]:
            why_not = _unusable(tool)
            if why_not is None:
                tools.append(_described(server, tool, {each.name for each in tools}))
            else:
                left_out[f"{server.name}: {tool.name}"[:200]] = why_not
    for name, why in left_out.items():
        log.warning("MCP server %s is left out: %s", name, why)
    return Listing(tuple(tools), left_out)


def _unusable(tool: mcp.Tool) -> str | None:
    if len(str(tool.input_schema)) > MAX_SCHEMA:
        return f"its schema has more than {MAX_SCHEMA:,} characters"
    if tool.input_schema.get("type") != "object":
        return "its schema is not that of an object"
    try:
        validator_for(tool.input_schema, Draft202012Validator).check_schema(tool.input_schema)
    except SchemaError as error:
        return f"its schema is broken: {error.message[:200]}"
    return None


def _described(server: ToolServer, tool: mcp.Tool, taken: set[str]) -> ServerTool:
    hints = tool.annotations or mcp.ToolAnnotations()
    read_only = bool(hints.read_only_hint)
    return ServerTool(
        name=tool_name(server.name, tool.name, taken),
        server=server.name,
        tool=tool.name,
        description=inert((tool.description or tool.title or "").strip())[:MAX_DESCRIPTION],
        parameters=tool.input_schema,
        read_only=read_only,
        repeatable=read_only or bool(hints.idempotent_hint),
    )


def tool_name(server: str, tool: str, taken: Iterable[str] = ()) -> str:
    """The name by which the model calls a server's tool: one that every endpoint takes, and no other tool has."""
    whole = re.sub(r"[^A-Za-z0-9_-]", "_", f"{server}__{tool}")
    whole = whole if re.match(r"[A-Za-z_]", whole) else f"_{whole}"
    if len(whole) <= MAX_NAME and whole not in taken:
        return whole
    digest = hashlib.sha256(f"{server}\n{tool}".encode()).hexdigest()[:8]
    return f"{whole[: MAX_NAME - 9]}_{digest}"


def sent_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as models are told of it: what many endpoints refuse is left out, or said in other words.

    Arguments are held to the server's own schema all the same.
    """
    sent: dict[str, Any] = {"properties": {}} | _sent(schema)
    return sent


def _sent(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_sent(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    sent: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _UNSENT_KEYWORDS:
            continue
        if key in _NAMED_SCHEMAS and isinstance(value, Mapping):
            sent[key] = {name: _sent(each) for name, each in value.items()}
        elif key == "const":
            sent["enum"] = [value]
        elif key == "oneOf":
            sent["anyOf"] = _sent(value)
        else:
            sent[key] = value if key in ("enum", "default", "required") else _sent(value)
    return sent


class Arguments(RootModel[dict[str, Any]]):
    """Arguments of a server's tool; the subclass of each tool holds them to the server's schema."""

    checker: ClassVar[Any]

    def model_post_init(self, context: Any) -> None:
        """Check them.

        Raises:
            ValueError: they do not fit the schema; pydantic makes a validation error of it.
        """
        error = best_match(self.checker.iter_errors(self.root))
        if error is not None:
            place = ".".join(map(str, error.absolute_path))
            raise ValueError(f"{place + ': ' if place else ''}{error.message[:500]}")


class RemoteTool(BaseTool[Arguments, Any]):
    """A tool that an MCP server executes; made by `remote_tool`."""

    described: ClassVar[ServerTool]
    connections: ClassVar[Connections]
    files: ClassVar[Path]

    @property
    def description(self) -> str:
        """The server's own text, said to be so."""
        return f"Tool of the MCP server {self.described.server!r}, which says of it: {self.described.description}"

    def get_openai_schema(self) -> dict[str, Any]:
        """The tool in the OpenAI function format, with the server's schema."""
        told = {
            "name": self.name,
            "description": self.description,
            "parameters": sent_schema(self.described.parameters),
        }
        return {"type": "function", "function": told}

    async def execute(self, params: Arguments, ctx: ToolContext[Any]) -> ToolResult | GateRequest:
        """Call the tool; where the server asks something in the middle of it, ask the user."""
        connection = self.connections.get(self.described.server)
        if connection is None:
            return ToolResult.failure(f"The MCP server {self.described.server} is not configured (any more).")
        middle: dict[str, Any] | None = (ctx.shown or {}).get(MIDDLE)
        if middle is not None:
            middle = _with_answer(middle, ctx.answer or {})
            if isinstance(pending := _next_question(self.described.server, middle), GateRequest | ToolResult):
                return pending
        responses = middle["responses"] if middle else None
        asked_before = len(connection.declined)

        async def call() -> mcp.CallToolResult | mcp.InputRequiredResult:
            return await connection.call(
                self.described.tool,
                params.root,
                progress=_progress(ctx),
                responses={key: _response(value) for key, value in responses.items()} if responses else None,
                state=middle["state"] if middle else None,
            )

        result = await self._with_one_restart(call)
        if isinstance(result, ToolResult):
            return result
        if isinstance(result, mcp.InputRequiredResult):
            return _asked(self.described.server, result)
        return self._result(result, ctx, list(connection.declined)[asked_before:])

    async def _with_one_restart(
        self, call: Callable[[], Awaitable[mcp.CallToolResult | mcp.InputRequiredResult]]
    ) -> mcp.CallToolResult | mcp.InputRequiredResult | ToolResult:
        """The call's result. A dead server is started once more, where the call may be made again."""
        try:
            return await call()
        except ServerGone as gone:
            if gone.sent and self.effect == "once":
                return ToolResult.failure(
                    f"{gone.message}. It went while {self.name} ran, so the outcome is unknown; it was not repeated.",
                    "Find out what it did before you call it again.",
                )
        try:
            return await call()
        except ServerGone as gone:
            return ToolResult.failure(f"{gone.message}. It was started again, and went again.", "Go on without it.")

    def _result(self, result: mcp.CallToolResult, ctx: ToolContext[Any], declined: Sequence[str]) -> ToolResult:
        files = _Files(self.files / ctx.run_id, ctx.call_id)
        parts = [_text(block, files) for block in result.content]
        text = "\n\n".join(part for part in parts if part)
        if result.structured_content is not None and not any(isinstance(b, mcp.TextContent) for b in result.content):
            text = "\n\n".join(filter(None, (text, mcp_json(result.structured_content))))
        if len(text) > MAX_OUTPUT:
            whole = files.keep(text.encode(), "text/plain")
            text = f"{text[:MAX_OUTPUT]}\n… {len(text) - MAX_OUTPUT:,} characters more, in {whole}"
        output = as_data(text or "(nothing)", f"mcp:{self.described.server}/{self.described.tool}")
        if declined:
            asked = "; ".join(f"“{inert(each)}”" for each in declined)
            output += f"\nThe server asked meanwhile, and was declined, since it cannot wait for people: {asked}"
        artifacts: dict[str, Any] = {"server": self.described.server, "tool": self.described.tool}
        if result.structured_content is not None:
            artifacts["structured"] = result.structured_content
        if files.kept:
            artifacts["files"] = files.kept
        if result.is_error:
            error = (text or "the tool failed").strip()[:500]
            return ToolResult(success=False, output=f"Error: {output}", error=error, artifacts=artifacts)
        return ToolResult(success=True, output=output, artifacts=artifacts)


def remote_tool(described: ServerTool, server: ToolServer | None, connections: Connections, files: Path) -> RemoteTool:
    """The tool as the kernel knows it.

    Args:
        described: what the run's journal says of it.
        server: how far it is trusted; None where it is not configured any more.
        connections: where calls go.
        files: the folder that keeps the images and files of results, by run.
    """
    checker = validator_for(described.parameters, Draft202012Validator)(described.parameters, registry=Registry())
    parameters = create_model("Arguments", __base__=Arguments)
    parameters.checker = checker
    attributes = {
        "name": described.name,
        "parameters_model": parameters,
        "effect": effect_of(described, server),
        "timeout_seconds": server.timeout if server is not None else BaseTool.timeout_seconds,
        "described": described,
        "connections": connections,
        "files": files,
        "__module__": __name__,
    }
    made: type[RemoteTool] = type("RemoteTool", (RemoteTool,), attributes)
    return made()


def effect_of(described: ServerTool, server: ToolServer | None) -> Effect:
    """What a second execution would do, as far as the server's word is taken: reading is believed of every server."""
    if described.read_only:
        return "pure"
    return "idempotent" if server is not None and server.trust and described.repeatable else "once"


def asks_first(described: ServerTool, server: ToolServer | None) -> bool:
    """Whether a call of the tool needs the user's yes: unless it only reads, or the user has said that it need not."""
    return server is None or not (server.trust or described.read_only or described.tool in server.always_allow)


def with_server_tools(
    spec: AgentSpec, listed: Sequence[ServerTool], connections: Connections, files: Path
) -> AgentSpec:
    """The agent with these tools in every stage in which its model has tools.

    In chat mode only those that say they change nothing are there; small models get them by asking, like all that is
    not among a stage's first tools.
    """
    servers = connections.configured
    own = {tool.name for tool in spec.tools}
    taken = [each for each in listed if each.name not in own]
    tools: list[AnyTool] = [remote_tool(each, servers.get(each.server), connections, files) for each in taken]
    names = frozenset(each.name for each in taken)
    reading = frozenset(each.name for each in taken if each.read_only)
    asking = frozenset(each.name for each in taken if asks_first(each, servers.get(each.server)))
    anywhere = any(stage.policy.tools for stage in spec.stages)

    def widened(stage: Stage) -> Stage:
        policy = stage.policy
        if stage.action is not None or (anywhere and not policy.tools):
            return stage
        chat = policy.chat_tools | reading if policy.chat_tools or not anywhere else policy.chat_tools
        permission = policy.permission | asking
        return replace(
            stage, policy=replace(policy, tools=policy.tools | names, chat_tools=chat, permission=permission)
        )

    granted = spec.granted
    return replace(
        spec,
        tools=(*spec.tools, *tools),
        stages=tuple(widened(stage) for stage in spec.stages),
        granted=lambda run, tool, arguments: tool.name not in names and granted(run, tool, arguments),
    )


def _progress(ctx: ToolContext[Any]) -> Any:
    async def tell(progress: float, total: float | None, message: str | None) -> None:
        done = f"{progress:g}" + (f" of {total:g}" if total is not None else "")
        ctx.event_emitter.progress(inert(message or done)[:500], done=progress, total=total)

    return tell


def _asked(server: str, result: mcp.InputRequiredResult) -> ToolResult | GateRequest:
    """The first of the server's questions; what the call needs to go on stands in the gate's details."""
    requests = {
        key: value.model_dump(mode="json", by_alias=True) for key, value in (result.input_requests or {}).items()
    }
    middle = {"server": server, "state": result.request_state, "requests": requests, "responses": {}}
    asked = _next_question(server, middle)
    if asked is None:
        return ToolResult.failure(f"{server} wants the call to be made again later.", "Call it again in a while.")
    return asked


def _next_question(server: str, middle: Mapping[str, Any]) -> GateRequest | ToolResult | None:
    key = next((key for key in middle["requests"] if key not in middle["responses"]), None)
    if key is None:
        return None
    request = _REQUEST.validate_python(middle["requests"][key])
    if not isinstance(request, mcp.ElicitRequest):
        return ToolResult.failure(f"{server} wants {request.method} of this program, which does not offer it.")
    try:
        asked = gate_of_form(f"The MCP server {server}", request.params)
    except (ValueError, ValidationError) as error:
        return ToolResult.failure(f"{server} asks in a form that cannot be put to the user: {error}"[:1_000])
    return replace(asked, details={**asked.details, MIDDLE: dict(middle)})


def _with_answer(middle: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """The middle of the call with the user's answer; one that does not fit its field is asked for again."""
    key = next(key for key in middle["requests"] if key not in middle["responses"])
    request = _REQUEST.validate_python(middle["requests"][key])
    assert isinstance(request, mcp.ElicitRequest), "only forms are put to the user"  # noqa: S101
    result = result_of_answer(request.params, answer)
    if isinstance(result, str):
        return dict(middle)
    return {**middle, "responses": {**middle["responses"], key: result.model_dump(mode="json", by_alias=True)}}


def _response(stored: Mapping[str, Any]) -> mcp.ElicitResult:
    return mcp.ElicitResult.model_validate(stored)


class _Files:
    """The files of one result."""

    def __init__(self, folder: Path, call_id: str) -> None:
        self._folder = folder
        self._call_id = call_id
        self.kept: list[dict[str, Any]] = []

    def keep(self, data: bytes, mime: str) -> Path:
        """Write a file; gives its path."""
        make_private_folder(self._folder.resolve())
        suffix = mimetypes.guess_extension(mime) or ".bin"
        path = self._folder / f"{self._call_id}-{len(self.kept) + 1}{suffix}"
        path.write_bytes(data)
        self.kept.append({"path": str(path), "mime": mime, "bytes": len(data)})
        return path

    def keep_encoded(self, encoded: str, mime: str) -> str:
        """Write what came as base64; gives what the model reads of it."""
        if len(encoded) > MAX_FILE * 4 // 3 + 4:
            return f"[{mime}, left out: larger than {MAX_FILE:,} bytes]"
        try:
            data = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            return f"[{mime}, left out: its base64 is broken]"
        return f"[{mime}, {len(data):,} bytes: {self.keep(data, mime)}]"


def _text(block: mcp.ContentBlock, files: _Files) -> str:
    """What the model reads of a piece of a result."""
    match block:
        case mcp.TextContent():
            return block.text
        case mcp.ImageContent() | mcp.AudioContent():
            return files.keep_encoded(block.data, block.mime_type)
        case mcp.ResourceLink():
            return f"[{block.name}: {block.uri}]"
        case mcp.EmbeddedResource():
            resource, place = block.resource, f"[{block.resource.uri}]"
            if isinstance(resource, mcp.TextResourceContents):
                return f"{place}\n{resource.text}"
            return f"{place} {files.keep_encoded(resource.blob, resource.mime_type or 'application/octet-stream')}"


def mcp_json(value: Any) -> str:
    """A structured result as text."""
    return TypeAdapter(Any).dump_json(value, indent=1).decode()
