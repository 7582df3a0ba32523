"""The protocol as bytes: what editors send line by line, and what comes back on stdout."""

import asyncio
import json
from typing import Any

import pytest
from acp.schema import InitializeResponse, NewSessionResponse, PromptResponse, SessionNotification

from tests.support.commands import COMMAND, Installation
from tests.support.model_server import ModelServer, text


class Wire:
    """Lines to and from the command. Every line on its stdout has to be a message of the protocol."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.notifications: list[dict[str, Any]] = []

    async def send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        await self._process.stdin.drain()

    async def ask(self, identifier: int | str, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """A request, and its answer; notifications that come before it are kept."""
        await self.send(json.dumps({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}))
        return await self.answer_to(identifier)

    async def answer_to(self, identifier: int | str | None) -> dict[str, Any]:
        assert self._process.stdout is not None
        while True:
            line = await self._process.stdout.readline()
            assert line, "the agent closed its end"
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if "method" not in message and message["id"] == identifier:
                return message
            self.notifications.append(message)

    async def close(self) -> int:
        """Close stdin, as an editor does that goes away."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return await self._process.wait()


@pytest.fixture
async def server():
    async with ModelServer([text("It is empty.")]) as server:
        yield server


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
async def wire(tmp_path, server):
    place = Installation(tmp_path, {"OPENAI_BASE_URL": server.base_url})
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "ide",
        "--acp",
        env=place.environment(),
        cwd=tmp_path,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    yield Wire(process)
    if process.returncode is None:
        process.kill()
        await process.wait()
    process._transport.close()


HELLO = {
    "protocolVersion": 1,
    "clientCapabilities": {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True, "_meta": {"x": 1}},
    "clientInfo": {"name": "an-editor", "title": "An Editor", "version": "1.2.3"},
}


async def test_a_session_as_an_editor_sends_it(wire, root):
    hello = await wire.ask(0, "initialize", HELLO)
    assert InitializeResponse.model_validate(hello["result"]).protocol_version == 1
    made = await wire.ask("two", "session/new", {"cwd": str(root), "mcpServers": []})
    session_id = NewSessionResponse.model_validate(made["result"]).session_id
    params = {"sessionId": session_id, "modeId": "chat"}
    assert "error" not in await wire.ask(2, "session/set_mode", params)
    blocks = [
        {"type": "text", "text": "What is here?"},
        {"type": "resource_link", "name": "readme", "uri": "file:///readme.md"},
        {"type": "resource", "resource": {"uri": "file:///a.py", "mimeType": "text/x-python", "text": "pass"}},
    ]
    ended = await wire.ask(3, "session/prompt", {"sessionId": session_id, "prompt": blocks})
    assert PromptResponse.model_validate(ended["result"]).stop_reason == "end_turn"
    for each in wire.notifications:
        assert each["method"] == "session/update"
        SessionNotification.model_validate(each["params"])
    chunks = [n["params"]["update"] for n in wire.notifications]
    said = "".join(c["content"]["text"] for c in chunks if c["sessionUpdate"] == "agent_message_chunk")
    assert said[: len("It is empty.")] == "It is empty."
    assert await wire.close() == 0


async def test_what_cannot_be_used_is_answered_and_ends_nothing(wire, root):
    later = await wire.ask(0, "initialize", HELLO | {"protocolVersion": 99})
    assert later["result"]["protocolVersion"] == 1
    assert (await wire.ask(1, "session/levitate", {}))["error"]["code"] == -32601
    assert (await wire.ask(2, "session/new", {"cwd": 7}))["error"]["code"] == -32602
    relative = await wire.ask(3, "session/new", {"cwd": "here", "mcpServers": []})
    assert relative["error"]["code"] == -32602
    assert "absolute path" in relative["error"]["data"]["hint"]
    unknown = await wire.ask(4, "session/load", {"sessionId": "none", "cwd": str(root), "mcpServers": []})
    assert unknown["error"]["code"] == -32002
    await wire.send("this is no JSON")
    await wire.send(json.dumps({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "none"}}))
    made = await wire.ask(5, "session/new", {"cwd": str(root), "mcpServers": []})
    picture = [{"type": "image", "mimeType": "image/png", "data": "AAAA"}]
    refused = await wire.ask(6, "session/prompt", {"sessionId": made["result"]["sessionId"], "prompt": picture})
    assert (refused["error"]["code"], "image" in refused["error"]["message"]) == (-32602, True)
    empty = await wire.ask(7, "session/prompt", {"sessionId": made["result"]["sessionId"], "prompt": []})
    assert empty["error"]["code"] == -32602


def test_without_an_editor_at_the_other_end_it_says_so(tmp_path):
    done = Installation(tmp_path).run("ide", "--acp")  # stdin is /dev/null
    assert (done.code, done.out) == (2, "")
    assert "no editor" in done.err
