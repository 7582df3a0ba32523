"""The agents as tools for MCP clients, in both eras of the protocol: in this process, over HTTP, over stdio."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult, TextContent

from loopwright.app.loopwright import Loopwright
from loopwright.app.mcp_agents import AgentServing
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.spec import Stage
from loopwright.kernel.tools import GateRequest, ToolContext, ToolResult
from loopwright.server.application import create_app
from tests.engine.toys import TOY, Look, Nothing
from tests.mcp.support import app_with, shop_entry
from tests.support.application import settings_in, until
from tests.support.commands import COMMAND

ERAS = pytest.mark.parametrize("mode", ["auto", "legacy"])


class Ask(Look):
    name = "ask"

    def gate(self, params: Nothing) -> GateRequest:
        colour = QuestionItem(question="Which colour?", type="radio", options=["red", "blue"])
        sizes = QuestionItem(question="Which sizes?", type="checkbox", options=["S", "L"], default=["S"])
        return GateRequest("questions", "Two questions", (colour, sizes))

    async def execute(self, params: Nothing, ctx: ToolContext[Any]) -> ToolResult:
        return ToolResult(success=True, output=json.dumps((ctx.answer or {})["answers"]))


class Pay(Look):
    name, effect = "pay", "once"

    async def execute(self, params: Nothing, ctx: ToolContext[Any]) -> ToolResult:
        ctx.event_emitter.progress("paying")
        return ToolResult(success=True, output="paid")


class Nap(Look):
    name = "nap"

    async def execute(self, params: Nothing, ctx: ToolContext[Any]) -> ToolResult:
        (ctx.output_dir / "began").touch()
        await asyncio.sleep(600)
        raise AssertionError("nobody woke it")


POLICY = StagePolicy(frozenset({"look", "ask", "pay", "nap"}), permission=frozenset({"pay"}))
CLERK = replace(TOY, name="clerk", tools=(Look(), Ask(), Pay(), Nap()), stages=(Stage("work", POLICY),))


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


class User:
    """Answers forms in turn, and keeps what it was shown."""

    def __init__(self, *answers: ElicitResult) -> None:
        self.answers = list(answers)
        self.shown: list[ElicitRequestFormParams] = []

    async def __call__(self, context: ClientRequestContext, params: Any) -> ElicitResult:
        self.shown.append(params)
        return self.answers.pop(0)


@asynccontextmanager
async def client_of(app: Loopwright, mode: str, user: User | None = None) -> AsyncIterator[Client]:
    async with Client(AgentServing(app).server(), mode=mode, elicitation_callback=user) as client:
        yield client


@ERAS
async def test_every_agent_is_a_tool_that_a_message_begins(tmp_path: Path, mode: str) -> None:
    async with app_with(tmp_path, {}, [[("look", {})], "All clear."], CLERK) as (app, model):
        heard: list[tuple[float, str | None]] = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            heard.append((progress, message))

        async with client_of(app, mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            result = await client.call_tool("clerk", {"message": "Look round."}, progress_callback=hear)
            again = await client.call_tool("result", {"run_id": result.structured_content["run_id"]})
            listed = await client.call_tool("runs", {"agent": "clerk"})
    assert {"pages", "planner", "designspec", "ide", "clerk", "answer", "result", "runs", "cancel"} <= set(tools)
    assert "jobs" not in tools
    assert tools["result"].annotations is not None
    assert tools["result"].annotations.read_only_hint
    assert text_of(result).startswith("All clear.")
    assert again.structured_content == result.structured_content
    assert result.structured_content["run_id"] in text_of(listed)
    assert [number for number, _ in heard] == sorted({number for number, _ in heard})
    assert "calls look" in [message for _, message in heard]
    assert model.requests[0].messages[-1].content == "Look round."


@ERAS
async def test_what_a_run_asks_is_put_to_the_clients_user(tmp_path: Path, mode: str) -> None:
    script = [[("ask", {})], [("pay", {})], "Done."]
    user = User(
        ElicitResult(action="accept", content={"0": "blue"}),
        ElicitResult(action="accept", content={"decision": "approve"}),
    )
    async with app_with(tmp_path, {}, script, CLERK) as (app, model):
        async with client_of(app, mode, user) as client:
            result = await client.call_tool("clerk", {"message": "Go."})
        runs = await app.stores.runs.find(agent="clerk")
    assert text_of(result).startswith("Done.")
    assert len(runs) == 1
    answers = json.loads(model.requests[1].messages[-1].content)
    assert answers == {"Which colour?": "blue", "Which sizes?": ["S"]}
    assert user.shown[0].requested_schema["properties"]["0"]["enum"] == ["red", "blue"]
    assert user.shown[1].message.startswith("Allow pay?")
    assert model.requests[2].messages[-1].content == "paid"


@ERAS
async def test_a_no_is_a_no_and_a_put_off_question_waits(tmp_path: Path, mode: str) -> None:
    script = [[("pay", {})], "Not paid.", [("ask", {})]]
    user = User(ElicitResult(action="decline"), ElicitResult(action="cancel"))
    async with app_with(tmp_path, {}, script, CLERK) as (app, model):
        async with client_of(app, mode, user) as client:
            refused = await client.call_tool("clerk", {"message": "Pay."})
            waiting = await client.call_tool("clerk", {"message": "Ask."})
        record = await app.stores.runs.get(waiting.structured_content["run_id"])
    assert text_of(refused).startswith("Not paid.")
    assert "did not allow pay" in model.requests[1].messages[-1].content
    assert record.status == "waiting_input"
    assert "then call `answer`" in text_of(waiting)


@ERAS
async def test_where_nobody_can_be_asked_the_result_says_so_and_answer_goes_on(tmp_path: Path, mode: str) -> None:
    async with app_with(tmp_path, {}, [[("ask", {})], "Done."], CLERK) as (app, _), client_of(app, mode) as client:
        waiting = await client.call_tool("clerk", {"message": "Go."})
        assert waiting.structured_content["type"] == "waiting"
        run_id = waiting.structured_content["run_id"]
        wrong = await client.call_tool("answer", {"run_id": run_id, "answers": {"7": "red"}})
        assert wrong.is_error
        done = await client.call_tool("answer", {"run_id": run_id, "answers": {"0": "red"}})
        assert text_of(done).startswith("Done.")
        late = await client.call_tool("answer", {"run_id": run_id, "answers": {"0": "red"}})
        assert late.is_error
        unknown = await client.call_tool("result", {"run_id": "none"})
        assert unknown.is_error


@ERAS
async def test_a_client_that_cancels_its_call_cancels_the_run(tmp_path: Path, mode: str) -> None:
    async with app_with(tmp_path, {}, [[("nap", {})]], CLERK) as (app, _), client_of(app, mode) as client:
        call = asyncio.create_task(client.call_tool("clerk", {"message": "Sleep."}))
        await until(lambda: _napping(app))
        call.cancel()
        await asyncio.wait({call})
        await until(lambda: _has_status(app, "cancelled"))


async def test_a_server_that_ends_leaves_its_runs_alone(tmp_path: Path) -> None:
    async with app_with(tmp_path, {}, [[("nap", {})]], CLERK) as (app, _):
        serving = AgentServing(app)
        async with Client(serving.server()) as client:
            call = asyncio.create_task(client.call_tool("clerk", {"message": "Sleep."}))
            await until(lambda: _napping(app))
            serving.close()
            call.cancel()
            await asyncio.wait({call})
        (run,) = await app.stores.runs.find(agent="clerk")
        assert run.status == "running"
        assert not run.cancel_requested


@ERAS
async def test_wrong_arguments_are_told(tmp_path: Path, mode: str) -> None:
    async with app_with(tmp_path, {}, [], CLERK) as (app, _), client_of(app, mode) as client:
        for arguments in ({}, {"message": ""}, {"message": "x", "more": 1}):
            result = await client.call_tool("clerk", arguments)
            assert result.is_error
            assert "Invalid arguments for clerk" in text_of(result)
        assert await app.stores.runs.find(agent="clerk") == []


async def test_an_agent_uses_another_installations_agent_and_its_questions_reach_our_user(tmp_path: Path) -> None:
    """Both ways at once: the shop's form becomes our gate, and our gate becomes the client's form."""
    script = [[("shop__order", {"thing": "tea"})], "Ordered."]
    user = User(ElicitResult(action="accept", content={"0": "large", "1": "2"}))
    servers = {"shop": shop_entry(tmp_path, trust=True)}
    async with app_with(tmp_path, servers, script, CLERK) as (app, model), client_of(app, "auto", user) as client:
        result = await client.call_tool("clerk", {"message": "Tea."})
    assert text_of(result).startswith("Ordered.")
    assert "2 large tea" in model.requests[1].messages[-1].content


def http_client(app: Any, **headers: str) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)


@ERAS
async def test_the_http_server_has_it_at_mcp_behind_the_same_token(tmp_path: Path, mode: str) -> None:
    app = create_app(settings_in(tmp_path, token="secret"))
    async with app.router.lifespan_context(app):
        async with http_client(app) as outside:
            refused = await outside.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert refused.status_code == 401
        session = http_client(app, Authorization="Bearer secret")
        transport = streamable_http_client("http://127.0.0.1/mcp", http_client=session)
        async with session, Client(transport, mode=mode) as client:
            assert "pages" in {tool.name for tool in (await client.list_tools()).tools}
            assert text_of(await client.call_tool("runs", {})) == "No runs."


async def test_foreign_pages_are_kept_out_of_mcp_too(tmp_path: Path) -> None:
    app = create_app(settings_in(tmp_path))
    async with app.router.lifespan_context(app), http_client(app) as client:
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            response = await client.post("/mcp", json={}, headers=headers)
            assert response.status_code in (403, 421)


async def test_without_the_extra_the_route_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Missing:
        def find_spec(self, name: str, *more: Any) -> None:
            if name == "loopwright.app.mcp_agents":
                raise ModuleNotFoundError("No module named 'mcp'", name="mcp")

    monkeypatch.delitem(sys.modules, "loopwright.app.mcp_agents")
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    app = create_app(settings_in(tmp_path))
    async with app.router.lifespan_context(app), http_client(app) as client:
        response = await client.post("/mcp", json={})
    assert response.status_code == 501
    assert "pip install 'loopwright[mcp]'" in response.text


@ERAS
async def test_the_command_serves_over_stdio(tmp_path: Path, mode: str) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    environment = {"LOOPWRIGHT_HOME": str(tmp_path / "home"), "LOOPWRIGHT_OUT": str(tmp_path / "out")}
    program, *words = [*COMMAND, "mcp"]
    command = StdioServerParameters(command=program, args=words, env=environment, cwd=tmp_path)
    async with Client(command, mode=mode) as client:
        result = await client.call_tool("planner", {"message": "Write a report of 4 hours by Friday"})
        runs = await client.call_tool("runs", {})
    assert result.structured_content["agent"] == "planner"
    assert "planner" in text_of(runs)


async def _napping(app: Loopwright) -> bool:
    runs = await app.stores.runs.find(agent="clerk")
    if not runs:
        return False
    session = await app.stores.sessions.get(runs[0].session_id)
    return (Path(session.output_dir) / "began").exists()


async def _has_status(app: Loopwright, status: str) -> bool:
    return [run.status for run in await app.stores.runs.find(agent="clerk")] == [status]
