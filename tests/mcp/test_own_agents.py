"""MCP servers in the definition of an agent of one's own: `Agent(tools=[mcp(…)])`."""

import subprocess
import sys
from pathlib import Path

import pytest

from loopwright import Agent, Done, LoopwrightError, Stage, Waiting, mcp, resume, tool
from loopwright.api.driving import opened
from loopwright.kernel.testing import check_journal
from loopwright.testing import ScriptedModel, call, say
from tests.mcp.support import SHOP


def shop_in(folder: Path) -> str:
    return f"{sys.executable} -P {SHOP} {folder / 'book'}"


@tool(effect="pure")
def near(place: str) -> str:
    """Say which shops are near a place."""
    return "the shop"


async def test_its_tools_are_the_agents_and_what_changes_something_asks_first(tmp_path: Path) -> None:
    clerk = Agent("clerk", "Shop.", tools=[near, mcp(shop_in(tmp_path), name="shop", exclude_tools=["order"])])
    model = ScriptedModel(call("shop__look", thing="tea"), call("shop__send", thing="tea"), say("It is sent."))
    waiting = await clerk.run("Send tea.", model=model, home=tmp_path / "home")
    assert isinstance(waiting, Waiting), waiting
    assert not (tmp_path / "book").exists()
    offered = model.requests[0].tools.wire.decode()
    assert '"near"' in offered
    assert '"shop__look"' in offered
    assert "shop__order" not in offered
    result = await resume(waiting, approve=True, model=model)
    assert isinstance(result, Done), result
    assert [made.name for made in result.calls] == ["shop__look", "shop__send"]
    assert (tmp_path / "book").read_text() == "send tea\n"
    async with opened(None, tmp_path / "home", None) as driver:
        journal = await driver.app.stores.journal.read(result.run_id)
    check_journal(journal)
    (listed,) = [event for event in journal if event.type == "server_tools_listed"]
    assert {each["server"] for each in listed.payload["tools"]} == {"shop"}


async def test_a_trusted_server_does_not_ask(tmp_path: Path) -> None:
    clerk = Agent("clerk", "Shop.", tools=[mcp(shop_in(tmp_path), name="shop", trust=True)])
    model = ScriptedModel(call("shop__send", thing="tea"), say("It is sent."))
    result = await clerk.run("Send tea.", model=model, home=tmp_path / "home")
    assert isinstance(result, Done), result


async def test_a_sub_agent_has_its_own_servers(tmp_path: Path) -> None:
    buyer = Agent("buyer", "Buy.", tools=[mcp(shop_in(tmp_path), name="shop")], description="Buys.")
    boss = Agent("boss", "Have it bought.", tools=[buyer.as_tool()])
    model = ScriptedModel(
        call("buyer", message="What is tea?"), call("shop__look", thing="tea"), say("3 €"), say("It is 3 €.")
    )
    result = await boss.run("Go.", model=model, home=tmp_path / "home")
    assert result.text == "It is 3 €."
    assert "shop__look" not in model.requests[0].tools.wire.decode()


async def test_an_agent_has_its_own_servers_though_another_had_its_name(tmp_path: Path) -> None:
    """Programs declare agents as requests come; the installation stays open meanwhile."""
    home = tmp_path / "home"
    async with opened(None, home, None):
        for servers in ([], [mcp(shop_in(tmp_path), name="shop")]):
            model = ScriptedModel(say("Hello."))
            await Agent("clerk", "Shop.", tools=servers).run("Hi", model=model, home=home)
            assert ("shop__look" in model.requests[0].tools.wire.decode()) == bool(servers)


def test_what_cannot_be_used_is_told_with_the_agents_name() -> None:
    with pytest.raises(LoopwrightError, match="no command and no address"):
        mcp(" ")
    with pytest.raises(LoopwrightError, match=r"'clerk' has the MCP server 'x', which cannot be used: .* name"):
        Agent("clerk", "…", tools=[mcp("x", name="a__b")]).spec()
    with pytest.raises(LoopwrightError, match="two MCP servers named 'time'"):
        Agent("clerk", "…", tools=[mcp("uvx time"), mcp("npx time")]).spec()
    with pytest.raises(LoopwrightError, match="A stage of agent 'clerk' has the MCP server"):
        Agent("clerk", "…", stages=[Stage("one", tools=[mcp("x")])])  # type: ignore[list-item]


PROBE = """
import asyncio, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcp", "mcp_types"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from loopwright import Agent, LoopwrightError, mcp, run
from loopwright.testing import ScriptedModel, say
print(run(Agent("plain", "."), "Hi", model=ScriptedModel(say("Hello."))).text)
try:
    run(Agent("clerk", ".", tools=[mcp("uvx time")]), "Hi", model=ScriptedModel(say("Hello.")))
except LoopwrightError as error:
    print(error.message, error.hint)
"""


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    environment = {"LOOPWRIGHT_HOME": str(tmp_path / "home"), "PATH": ""}
    told = subprocess.check_output([sys.executable, "-c", PROBE], text=True, env=environment).splitlines()
    assert told == ["Hello.", "MCP servers are used, and mcp is not installed. pip install 'loopwright[mcp]'"]
