"""The TypeScript client: it is what the generator gives today, its types hold, and it works against a real server."""

import asyncio
import importlib.util
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import uvicorn

from loopwright.kernel.testing import ScriptedModel
from loopwright.server.application import create_app
from tests.shape.source import ROOT
from tests.shape.test_readme import blocks
from tests.support.application import settings_in
from tests.support.commands import Installation
from tests.support.editor_agent import add_editor
from tests.support.service import free_port, served

FOLDER = ROOT / "clients" / "typescript"
SCENARIOS = Path(__file__).with_name("session.mjs")
NODE = shutil.which("node")
TSC = FOLDER / "node_modules" / ".bin" / "tsc"

needs_node = pytest.mark.skipif(NODE is None, reason="there is no node")


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_typescript", ROOT / "clients" / "generate_typescript.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_checked_in_client_is_what_the_generator_gives():
    made = generator()
    assert made.generate() == made.TARGET.read_text(encoding="utf-8"), "run `make client`"


def test_a_schema_becomes_the_type_that_it_describes():
    made = generator()
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "b-c": {"type": "array", "items": {"enum": ["x", "y"]}},
            "d": {"type": "object", "additionalProperties": {"$ref": "#/types/Gate"}},
            "e": {},
        },
    }
    told = '{ a: number | null; "b-c"?: ("x" | "y")[]; d?: { [key: string]: Gate }; e?: Json }'
    assert made.flat(schema, {}) == told


@needs_node
@pytest.mark.skipif(not TSC.exists(), reason="tsc is not installed (npm install in clients/typescript)")
def test_the_types_hold():
    done = subprocess.run(
        [str(TSC), "--project", str(FOLDER)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout


@needs_node
@pytest.mark.skipif(not TSC.exists(), reason="tsc is not installed (npm install in clients/typescript)")
def test_the_document_shows_what_the_types_allow(tmp_path: Path):
    (shown,) = blocks((ROOT / "docs" / "client-tools.md").read_text(encoding="utf-8"), "typescript")
    (tmp_path / "shown.ts").write_text(shown, encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    options = json.loads((FOLDER / "tsconfig.json").read_text(encoding="utf-8"))["compilerOptions"]
    options["paths"] = {"loopwright": [str(FOLDER / "src" / "client.d.ts")]}
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["shown.ts"]}))
    done = subprocess.run(
        [str(TSC), "--project", str(tmp_path)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout


async def play(address: str, scenario: str, *more: str) -> dict[str, Any]:
    """What the scenario saw."""
    assert NODE is not None
    process = await asyncio.create_subprocess_exec(
        NODE, str(SCENARIOS), address, scenario, *more, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), 100)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, err.decode()
    told: dict[str, Any] = json.loads(out)
    return told


@asynccontextmanager
async def editor_server(folder: Path, model: ScriptedModel) -> AsyncIterator[str]:
    """A server of this process whose agent has client tools; gives its address."""
    app = create_app(settings_in(folder))
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning"))
    serving = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(30):
            while not server.started:  # noqa: ASYNC110 - the server has no event for it
                await asyncio.sleep(0.01)
        app.state.application.model = model
        add_editor(app.state.application)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await serving


@needs_node
async def test_registered_functions_answer_the_calls_of_client_tools(tmp_path: Path):
    model = ScriptedModel(
        [
            [("get_selection", {"file": "a.py"})],
            [("get_selection", {"file": "b.py"}), ("open_file", {"file": "c.py"})],
            [("ask_colour", {})],
            "Done.",
        ]
    )
    async with editor_server(tmp_path, model) as address:
        told = await play(address, "tools")
    model.assert_done()
    assert told["calls"] == [["get_selection", "a.py", 60], ["get_selection", "b.py", 60]]
    assert (told["asked"], told["refused"]) == ("questions", 409)
    assert [seq for _, seq, _ in told["seen"]] == list(range(1, len(told["seen"]) + 1)), "no gap, no repetition"
    assert told["seen"][-1][2] == "run_completed"
    results = [message.content for message in model.requests[-1].messages if message.role == "tool"]
    assert results[0] == '{"text": "x = 1", "line": 3}'
    assert "the result was refused: This is no result of get_selection" in results[1]
    assert "open_file gave no result: no such file" in results[2]
    assert results[3] == "Red"


@needs_node
async def test_a_session_leaves_the_tools_that_it_does_not_have(tmp_path: Path):
    model = ScriptedModel([[("get_selection", {"file": "a.py"})], "Done."])
    async with editor_server(tmp_path, model) as address:
        told = await play(address, "onlooker")
    assert told["seen"][-1][2] == "run_completed"
    assert "not available here" in model.requests[-1].messages[-1].content


@needs_node
async def test_two_turns_with_the_service_as_users_start_it(tmp_path: Path):
    """`loopwright serve` with the offline model and a token, over connections that break."""
    place = Installation(tmp_path)
    headers = {"Authorization": "Bearer s3cret-token-of-a-test"}
    async with served(place, headers=headers, LOOPWRIGHT_TOKEN="s3cret-token-of-a-test") as service:
        told = await play(str(service.client.base_url), "pages", "s3cret-token-of-a-test")
    runs: dict[str, list[Any]] = {}
    for run_id, seq, kind in told["seen"]:
        runs.setdefault(run_id, []).append((seq, kind))
    assert len(runs) == 2
    for events in runs.values():
        assert [seq for seq, _ in events] == list(range(1, len(events) + 1)), "no gap, no repetition"
        assert events[-1][1] == "run_completed"
    assert any("gate_answered" in {kind for _, kind in events} for events in runs.values())
