"""The tools that the public conformance suite calls by their names: each shows one thing of the protocol."""

import asyncio
import base64
import json
import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as mcp
from mcp.shared.exceptions import MCPDeprecationWarning

from loopwright.kernel.tools import ToolResult
from loopwright.mcp_sdk.server import Caller, Content, ServedTool

PNG = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f0005"
        "0001ff8a5d1c7d0000000049454e44ae426082"
    )
).decode()
WAV = base64.b64encode(b"RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" + bytes(18)).decode()
PAUSE = 0.05
NOTHING = {"type": "object", "properties": {}}
DIALECT = "https://json-schema.org/draft/2020-12/schema"
RICH_SCHEMA = {
    "$schema": DIALECT,
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADER_SCHEMA = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "query": {"type": "string"}},
    "required": ["region"],
}

Call = Callable[[Mapping[str, Any], Caller], Awaitable[Content]]
tools: list[ServedTool] = []


def tool(schema: Mapping[str, Any] = NOTHING) -> Callable[[Call], Call]:
    """Serve a function under its own name; its docstring is what clients read."""

    def add(call: Call) -> Call:
        tools.append(ServedTool(call.__name__, call.__doc__ or "", schema, call))
        return call

    return add


def blocks(*content: mcp.ContentBlock) -> mcp.CallToolResult:
    """A result of these pieces."""
    return mcp.CallToolResult(content=list(content))


def text(words: str) -> ToolResult:
    """A result of one text."""
    return ToolResult(success=True, output=words)


def form(message: str, required: tuple[str, ...] = (), **fields: Any) -> mcp.ElicitRequest:
    """A form with these fields."""
    schema: dict[str, Any] = {"type": "object", "properties": fields, "required": list(required)}
    return mcp.ElicitRequest(params=mcp.ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(words: str, most: int) -> mcp.CreateMessageRequest:
    """What the client's model is to answer."""
    said = mcp.SamplingMessage(role="user", content=mcp.TextContent(type="text", text=words))
    return mcp.CreateMessageRequest(params=mcp.CreateMessageRequestParams(messages=[said], max_tokens=most))


def image() -> mcp.ImageContent:
    """A picture of one pixel."""
    return mcp.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri: str, mime: str, words: str) -> mcp.EmbeddedResource:
    """A resource inside of a result."""
    return mcp.EmbeddedResource(type="resource", resource=mcp.TextResourceContents(uri=uri, mime_type=mime, text=words))


@tool()
async def test_simple_text(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Gives a text."""
    return text("This is a simple text response for testing.")


@tool()
async def test_image_content(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Gives a picture."""
    return blocks(image())


@tool()
async def test_audio_content(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Gives a sound."""
    return blocks(mcp.AudioContent(type="audio", data=WAV, mime_type="audio/wav"))


@tool()
async def test_embedded_resource(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Gives a resource."""
    return blocks(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))


@tool()
async def test_multiple_content_types(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Gives a text, a picture and a resource."""
    data = json.dumps({"test": "data", "value": 123}, separators=(",", ":"))
    words = mcp.TextContent(type="text", text="Multiple content types test:")
    return blocks(words, image(), embedded("test://mixed-content-resource", "application/json", data))


async def log_three_times(caller: Caller) -> None:
    """Write three lines to the log of the client."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            session, related = caller.context.session, caller.context.request_id
            await session.send_log_message("info", words, related_request_id=related)
            await asyncio.sleep(PAUSE)


@tool()
async def test_tool_with_logging(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Writes to the client's log."""
    await log_three_times(caller)
    return text("Logged.")


@tool()
async def test_logging_tool(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Writes to the client's log, where it wants to have one."""
    await log_three_times(caller)
    return text("Logged.")


@tool()
async def test_error_handling(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Fails."""
    return ToolResult(success=False, output="This tool intentionally returns an error for testing")


@tool()
async def test_tool_with_progress(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Tells how far it is."""
    for done in (0, 50, 100):
        await caller.progress(f"{done} %", done, 100)
        await asyncio.sleep(PAUSE)
    return text("Done.")


@tool({"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]})
async def test_sampling(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Lets the client's model answer."""
    said = (await caller.ask({"answer": sampling(arguments["prompt"], 100)}))["answer"]
    return text(f"LLM response: {said.content.text}")


@tool({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]})
async def test_elicitation(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks the user."""
    fields = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    asked = form(arguments["message"], ("username", "email"), **fields)
    said = (await caller.ask({"user": asked}))["user"]
    return text(f"User response: <action: {said.action}, content: {json.dumps(said.content)}>")


async def elicited(caller: Caller, asked: mcp.ElicitRequest) -> Content:
    """Ask, and tell what was said."""
    said = (await caller.ask({"form": asked}))["form"]
    return text(f"Elicitation completed: action={said.action}, content={json.dumps(said.content)}")


@tool()
async def test_elicitation_sep1034_defaults(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks with defaults."""
    status = {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}
    return await elicited(
        caller,
        form(
            "Please check these.",
            name={"type": "string", "default": "John Doe"},
            age={"type": "integer", "default": 30},
            score={"type": "number", "default": 95.5},
            status=status,
            verified={"type": "boolean", "default": True},
        ),
    )


@tool()
async def test_elicitation_sep1330_enums(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks with choices of every kind."""
    plain = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)
    ]
    choices = [
        {"const": f"value{n}", "title": f"{word} Choice"} for n, word in enumerate(("First", "Second", "Third"), 1)
    ]
    legacy = {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}
    return await elicited(
        caller,
        form(
            "Please choose.",
            untitledSingle={"type": "string", "enum": plain},
            titledSingle={"type": "string", "oneOf": titled},
            legacyEnum={"type": "string", **legacy},
            untitledMulti={"type": "array", "items": {"type": "string", "enum": plain}},
            titledMulti={"type": "array", "items": {"anyOf": choices}},
        ),
    )


@tool(RICH_SCHEMA)
async def json_schema_2020_12_tool(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Has a rich schema."""
    return text("It fits.")


@tool(HEADER_SCHEMA)
async def test_headers(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Has an argument that is a header too."""
    return text(f"Region {arguments['region']}.")


@tool()
async def test_missing_capability(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Needs a client with sampling."""
    await caller.ask({"answer": sampling("Hello", 10)})
    return text("It has it.")


@tool()
async def test_streaming_elicitation(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks the user in the middle of a stream."""
    await caller.progress("asking")
    return await elicited(caller, name_form())


def name_form(message: str = "What is your name?") -> mcp.ElicitRequest:
    """The form that asks for a name."""
    return form(message, ("name",), name={"type": "string"})


@tool()
async def test_input_required_result_elicitation(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks for a name."""
    said = (await caller.ask({"user_name": name_form()}))["user_name"]
    return text(f"Hello, {(said.content or {}).get('name', 'stranger')}!")


@tool()
async def test_input_required_result_sampling(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks the client's model."""
    asked = sampling("What is the capital of France?", 100)
    said = (await caller.ask({"capital_question": asked}))["capital_question"]
    return text(said.content.text)


@tool()
async def test_input_required_result_list_roots(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks for the client's roots."""
    said = (await caller.ask({"client_roots": mcp.ListRootsRequest()}))["client_roots"]
    return text("Roots: " + ", ".join(str(root.uri) for root in said.roots))


def confirm() -> mcp.ElicitRequest:
    """The form that asks for a yes."""
    return form("Please confirm", ("ok",), ok={"type": "boolean"})


@tool()
async def test_input_required_result_request_state(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Keeps a state with the client."""
    await caller.ask({"confirm": confirm()}, state="asked")
    return text("state-ok" if caller.state == "asked" else "the state is lost")


@tool()
async def test_input_required_result_tampered_state(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Keeps a state that must not be changed."""
    await caller.ask({"confirm": confirm()}, state="asked")
    return text("state-ok")


@tool()
async def test_input_required_result_multiple_inputs(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks three things at once."""
    asked = {
        "user_name": name_form(),
        "greeting": sampling("Generate a greeting", 50),
        "client_roots": mcp.ListRootsRequest(),
    }
    await caller.ask(asked, state="all")
    return text("All three are there.")


@tool()
async def test_input_required_result_multi_round(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks twice."""
    if caller.state is None or not caller.state.startswith("step2"):
        first = (await caller.ask({"step1": name_form("Step 1: What is your name?")}, state="step1"))["step1"]
        name = str((first.content or {}).get("name"))
    else:
        name = caller.state.partition(":")[2]
    second = form("Step 2: What is your favorite color?", ("color",), color={"type": "string"})
    said = (await caller.ask({"step2": second}, state=f"step2:{name}"))["step2"]
    return text(f"{name} likes {(said.content or {}).get('color')}.")


@tool()
async def test_input_required_result_capabilities(arguments: Mapping[str, Any], caller: Caller) -> Content:
    """Asks what the client can be asked."""
    possible: dict[str, mcp.InputRequest] = {}
    if caller.can("elicitation"):
        possible["user_name"] = name_form()
    if caller.can("sampling"):
        possible["greeting"] = sampling("Generate a greeting", 50)
    if caller.can("roots"):
        possible["client_roots"] = mcp.ListRootsRequest()
    if possible:
        await caller.ask(possible)
    return text("Done.")
