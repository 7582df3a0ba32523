"""The golden messages of the protocol's Python SDK, as its source distribution has them, sent to the real server."""

import asyncio
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import COMMAND, Installation
from tests.support.sdists import fetch_sdist

pytestmark = pytest.mark.soak


class Wire:
    """JSON-RPC by lines; what the server asks meanwhile is answered with the SDK's golden answer."""

    def __init__(self, process: asyncio.subprocess.Process, golden: Path) -> None:
        self._process, self._golden, self._last = process, golden, 0
        self.seen: set[str] = set()

    def golden(self, name: str, **changes: Any) -> dict[str, Any]:
        """A golden message, with what depends on this machine put right."""
        return json.loads((self._golden / f"{name}.json").read_text()) | changes

    def write(self, message: dict[str, Any]) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and read up to its answer."""
        assert self._process.stdout is not None
        self._last += 1
        self.write({"id": self._last, "method": method, "params": params})
        while True:
            line = json.loads(await self._process.stdout.readline())
            if line.get("id") == self._last and "method" not in line:
                return line
            self.seen.add(line["method"])
            if line["method"] == "session/request_permission":
                answer = self.golden("request_permission_response_selected")
                answer["outcome"]["optionId"] = next(
                    o["optionId"] for o in line["params"]["options"] if o["kind"] == "allow_once"
                )
                self.write({"id": line["id"], "result": answer})


async def test_the_sdks_golden_messages_are_accepted(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    source = fetch_sdist(pytestconfig, f"agent-client-protocol=={version('agent-client-protocol')}", tmp_path)
    place = Installation(tmp_path)
    root = tmp_path / "project"
    root.mkdir()
    (root / "main.py").write_text("def greet():\n    return 'hi'\n")
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "ide", "--acp", cwd=root, env=place.environment(), stdin=-1, stdout=-1, stderr=sys.stderr
    )
    wire = Wire(process, source / "tests" / "golden")
    begun = await wire.ask("initialize", wire.golden("initialize_request"))
    assert begun["result"]["protocolVersion"] == 1
    elsewhere = await wire.ask("session/new", wire.golden("new_session_request"))
    assert "is not a folder" in elsewhere["error"]["message"]
    session = (await wire.ask("session/new", wire.golden("new_session_request", cwd=str(root))))["result"]["sessionId"]
    answered = await wire.ask("session/prompt", wire.golden("prompt_request", sessionId=session))
    assert answered["result"]["stopReason"] == "end_turn"
    rename = [{"type": "text", "text": "rename greet to welcome"}]
    renamed = await wire.ask("session/prompt", wire.golden("prompt_request", sessionId=session, prompt=rename))
    assert renamed["result"]["stopReason"] == "end_turn"
    assert "def welcome" in (root / "main.py").read_text()
    assert wire.seen == {"session/update", "session/request_permission"}
    wire.write({"method": "session/cancel", "params": wire.golden("cancel_notification", sessionId=session)})
    assert process.stdin is not None
    process.stdin.close()
    assert await process.wait() == 0
