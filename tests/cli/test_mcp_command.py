"""`loopwright mcp tools`: what the configured servers offer, and what cannot be had of them."""

import json

from tests.mcp.support import shop_entry
from tests.support.command_line import CommandLine


def configure(command: CommandLine, **servers: object) -> None:
    home = command.folder / "home"
    home.mkdir(mode=0o700)
    (home / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


def test_tools_are_listed_with_what_they_may_do(loopwright_command: CommandLine) -> None:
    configure(loopwright_command, shop=shop_entry(loopwright_command.folder, alwaysAllow=["put"], agents=["pages"]))
    shown = loopwright_command("mcp", "tools").out.splitlines()
    assert shown[0] == "shop  (for pages)"
    told = {line.split()[0]: line.split()[1:3] for line in shown[1:]}
    assert told["shop__look"] == ["pure", "Say"]
    assert told["shop__send"] == ["once", "asks"]
    assert told["shop__put"][0] == "once"
    assert told["shop__put"][1] != "asks"


def test_tools_are_listed_for_programs(loopwright_command: CommandLine) -> None:
    configure(
        loopwright_command,
        shop=shop_entry(loopwright_command.folder, trust=True),
        off={"url": "http://127.0.0.1:1/mcp", "disabled": True},
    )
    lines = {line["name"]: line for line in loopwright_command("mcp", "tools", "--json").lines}
    assert (lines["shop__put"]["effect"], lines["shop__put"]["asks"]) == ("idempotent", False)
    assert lines["shop__order"]["parameters"]["required"] == ["thing"]


def test_what_cannot_be_had_is_told_and_is_the_exit_code(loopwright_command: CommandLine) -> None:
    configure(loopwright_command, gone={"command": "/bin/false"})
    shown = loopwright_command("mcp", "tools", code=4)
    assert "! gone: MCP server gone cannot be reached" in shown.out
    assert loopwright_command("mcp", "tools", "--json", code=4).last["type"] == "left_out"
    assert "named 'no'" in loopwright_command("mcp", "tools", "--server", "no", code=2).err


def test_without_servers_an_example_is_shown(loopwright_command: CommandLine) -> None:
    assert "mcpServers" in loopwright_command("mcp", "tools").out
    assert "claude mcp add" in loopwright_command("mcp", "--help").out
