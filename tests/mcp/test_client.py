"""Tools of MCP servers in a run: under the policy, the gates and the journal, whatever the server does."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopwright.app.answering import answer_and_go_on, cancel_run, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, start_run
from loopwright.app.tool_servers import read_servers
from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.testing import check_journal
from loopwright.kernel.tool_servers import ToolServer
from tests.engine.toys import TOY
from tests.mcp.support import app_with, finished, results, shop_entry
from tests.support.application import journal_of, until

YES, NO = {"decision": "approve"}, {"decision": "reject"}


async def answered(app: Loopwright, run: RunRecord, payload: dict[str, Any]) -> RunRecord:
    """The run after the answer to its gate."""
    await answer_and_go_on(app, run.run_id, payload)
    await app.dispatcher.wait(run.run_id)
    return await app.stores.runs.get(run.run_id)


def book_of(folder: Path) -> list[str]:
    book = folder / "book"
    return book.read_text(encoding="utf-8").splitlines() if book.exists() else []


async def test_a_reading_tool_runs_at_once_and_what_it_says_is_data(tmp_path: Path) -> None:
    script = [[("shop__look", {"thing": "tea"})], "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path)}, script) as (app, model):
        run = await finished(app)
        (result,) = await results(app, run)
        offered = {tool["function"]["name"]: tool["function"] for tool in model.requests[0].tools.schemas}
        check_journal(await app.stores.journal.read(run.run_id))
    assert run.status == "completed"
    assert result["output"].startswith('<data source="mcp:shop/look">\ntea: 3 €')
    assert "<system>" not in result["output"]
    assert result["output"].count("</data>") == 1
    assert "look" in offered  # its own tool is still there
    assert offered["shop__look"]["parameters"]["properties"]["thing"]["maxLength"] == 10
    assert "</data>" not in offered["shop__look"]["description"]


async def test_what_breaks_the_servers_schema_never_reaches_it(tmp_path: Path) -> None:
    script = [[("shop__look", {"thing": "a very long thing"})], "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path)}, script) as (app, _):
        (result,) = await results(app, await finished(app))
    assert not result["success"]
    assert "Invalid arguments for shop__look" in result["output"]


async def test_any_other_tool_asks_first(tmp_path: Path) -> None:
    calls = [[("shop__send", {"thing": "tea"})], [("shop__send", {"thing": "milk"})], "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path)}, calls) as (app, _):
        run = await finished(app)
        assert run.status == "waiting_input"
        assert book_of(tmp_path) == []
        run = await answered(app, run, YES)
        assert run.status == "waiting_input"
        run = await answered(app, run, NO)
        assert [each["success"] for each in await results(app, run)] == [True, False]
    assert book_of(tmp_path) == ["send tea"]


@pytest.mark.parametrize("more", [{"trust": True}, {"alwaysAllow": ["send"]}])
async def test_the_user_may_trust_a_server_or_a_tool(tmp_path: Path, more: dict[str, Any]) -> None:
    script = [[("shop__send", {"thing": "tea"})], "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path, **more)}, script) as (app, _):
        assert (await finished(app)).status == "completed"


async def test_what_the_server_asks_is_a_gate_and_the_call_goes_on_with_the_answer(tmp_path: Path) -> None:
    script = [[("shop__order", {"thing": "tea"})], "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path, trust=True)}, script) as (app, _):
        run = await finished(app)
        gate = (await load_state(app, run.run_id)).open_gate
        assert gate is not None
        assert (gate.kind, gate.title) == ("questions", "The MCP server shop asks: How large shall it be?")
        assert [(q.question, q.type, q.options, q.default) for q in gate.questions] == [
            ("Which size? (size)", "radio", ["small", "large"], None),
            ("Cups (cups)", "text", None, "1"),
        ]
        run = await answered(app, run, {"0": "large", "1": "2"})
        (result,) = await results(app, run)
        check_journal(await app.stores.journal.read(run.run_id))
    assert "2 large tea" in result["output"]
    assert book_of(tmp_path) == ["order tea"]


async def test_a_question_that_is_not_answered_is_declined(tmp_path: Path) -> None:
    script = [[("shop__order", {"thing": "tea"})], "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path, trust=True)}, script) as (app, _):
        run = await answered(app, await finished(app), {"answers": {}})
        (result,) = await results(app, run)
    assert not result["success"]
    assert book_of(tmp_path) == []


async def test_the_tools_of_a_run_are_those_in_its_journal(tmp_path: Path) -> None:
    """A run that waits goes on with its tools, though the user has changed what the server offers since."""
    script = [[("shop__send", {"thing": "tea"})]]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path)}, script) as (app, _):
        run = await finished(app)
    fewer = shop_entry(tmp_path, includeTools=["look"])
    async with app_with(tmp_path, {"shop": fewer}, ["Done.", "Done."]) as (app, model):
        run = await answered(app, run, YES)
        assert run.status == "completed"
        assert "shop__send" in model.requests[0].tools.names
        await finished(app)
        assert model.requests[1].tools.names == ("look", "shop__look")
        (listed,) = await journal_of(app, run.run_id, "server_tools_listed")
        assert {tool["tool"] for tool in listed.payload["tools"]} > {"look", "send"}


async def test_a_server_that_dies_is_started_again_once_for_a_call_that_may_be_repeated(tmp_path: Path) -> None:
    script = [[("shop__put", {"thing": "tea"})], [("shop__die", {"thing": "tea"})], [("shop__much", {"characters": 3})]]
    servers = {"shop": shop_entry(tmp_path, trust=True)}
    async with app_with(tmp_path, servers, [*script, "Done."]) as (app, _):
        put, died, much = await results(app, await finished(app))
    assert put["success"]
    assert book_of(tmp_path) == ["put tea"] * 2
    assert not died["success"]
    assert "started again" in died["output"]
    assert "the shop is on fire" in died["output"]
    assert "xxx" in much["output"]  # the next call has a server again


async def test_a_call_that_must_not_be_repeated_is_not(tmp_path: Path) -> None:
    script = [[("shop__die_once", {"thing": "tea"})], "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path, trust=True)}, script) as (app, _):
        (result,) = await results(app, await finished(app))
    assert book_of(tmp_path) == ["die tea"]
    assert "outcome is unknown" in result["output"]


async def test_a_picture_becomes_a_file_and_a_long_result_too(tmp_path: Path) -> None:
    script = [[("shop__picture", {}), ("shop__much", {"characters": 40_000}), ("shop__fail", {})], "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path)}, script) as (app, _):
        picture, much, failed = await results(app, await finished(app))
    (kept,) = picture["artifacts"]["files"]
    assert (await asyncio.to_thread(Path(kept["path"]).read_bytes)).startswith(b"\x89PNG")
    assert "a pixel" in picture["output"]
    assert kept["path"] in picture["output"]
    assert len(much["output"]) < 31_000
    assert await asyncio.to_thread(os.path.getsize, much["artifacts"]["files"][0]["path"]) == 40_000
    assert not failed["success"]
    assert "sold out" in failed["error"]


async def test_a_server_sees_nothing_of_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("SHOP_TOKEN", "for the shop")
    entry = shop_entry(tmp_path, env={"TOKEN": "${SHOP_TOKEN}", "MODE": "${SHOP_MODE:-quiet}"})
    async with app_with(tmp_path, {"shop": entry}, [[("shop__environment", {})], "Done."]) as (app, _):
        (result,) = await results(app, await finished(app))
    seen = result["artifacts"]["structured"]
    seen = seen.get("result", seen)
    assert "OPENAI_API_KEY" not in seen
    assert (seen["TOKEN"], seen["MODE"]) == ("for the shop", "quiet")


async def test_progress_is_shown(tmp_path: Path) -> None:
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path)}, [[("shop__count", {})], "Done."]) as (app, _):
        shown: list[Any] = []
        real = app.broadcast.__class__.__call__

        def spy(self: Any, run_id: str, kind: str, data: Any) -> None:
            shown.append((kind, data.get("message"), data.get("done"), data.get("total")))
            real(self, run_id, kind, data)

        app.broadcast.__class__.__call__ = spy  # type: ignore[method-assign]
        try:
            await finished(app)
        finally:
            app.broadcast.__class__.__call__ = real  # type: ignore[method-assign]
    assert ("progress", "counted 3", 3, 3) in shown


async def test_a_cancelled_run_stops_the_servers_work(tmp_path: Path) -> None:
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path)}, [[("shop__wait", {})]]) as (app, _):
        run = await start_run(app, NewRun("Go.", agent="toy"))

        async def noted(line: str) -> bool:
            return line in book_of(tmp_path)

        await until(lambda: noted("waiting"))
        await cancel_run(app, run.run_id)
        await app.dispatcher.wait(run.run_id)
        await until(lambda: noted("stopped"))
        assert (await app.stores.runs.get(run.run_id)).status == "cancelled"


async def test_a_call_has_the_servers_time(tmp_path: Path) -> None:
    script = [[("shop__wait", {})], "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path, timeout=0.3)}, script) as (app, _):
        (result,) = await results(app, await finished(app))
    assert "did not finish within 0.3 seconds" in result["output"]


async def test_a_server_that_cannot_be_had_is_left_out_and_said_to_be(tmp_path: Path) -> None:
    servers = {
        "gone": {"command": "/bin/false"},
        "nowhere": {"command": "no-such-program-anywhere"},
        "off": {"command": "/bin/false", "disabled": True},
        "others": {"command": "/bin/false", "agents": ["pages"]},
    }
    async with app_with(tmp_path, servers, ["Done."]) as (app, _):
        run = await finished(app)
        (listed,) = await journal_of(app, run.run_id, "server_tools_listed")
    assert run.status == "completed"
    assert set(listed.payload["left_out"]) == {"gone", "nowhere"}


async def test_an_agents_definition_may_name_servers_and_the_users_file_wins(tmp_path: Path) -> None:
    own = ToolServer.model_validate({"name": "shop", **shop_entry(tmp_path)})
    spec = replace(TOY, servers=(own,))
    async with app_with(tmp_path, {}, ["Done."], spec) as (app, model):
        await finished(app)
        assert "shop__send" in model.requests[0].tools.names
    async with app_with(tmp_path, {"shop": {"command": "x", "disabled": True}}, ["Done."], spec) as (app, model):
        await finished(app)
        assert model.requests[0].tools.names == ("look",)


async def test_runs_share_a_server(tmp_path: Path) -> None:
    script = [[("shop__look", {"thing": "tea"})], [("shop__look", {"thing": "tea"})], "Done.", "Done."]
    async with app_with(tmp_path, {"shop": shop_entry(tmp_path)}, script) as (app, _):
        runs = await asyncio.gather(finished(app), finished(app))
    assert {run.status for run in runs} == {"completed"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "JSONDecodeError"),
        ('{"servers": {}}', "KeyError"),
        ('{"mcpServers": {"a b": {"command": "x"}}}', "a server's name"),
        ('{"mcpServers": {"a": {"command": "x", "url": "http://h"}}}', "either a command or a url"),
        ('{"mcpServers": {"a": {"url": "ftp://h"}}}', "must begin with http"),
        ('{"mcpServers": {"a": {"command": "${NO_SUCH_VARIABLE}"}}}', "NO_SUCH_VARIABLE, which is not set"),
    ],
)
def test_a_broken_file_is_told(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Misconfigured, match=complaint):
        read_servers(file)
