"""MCP servers as data: how a definition names them."""

import pytest

from loopwright.kernel.tool_servers import mcp


@pytest.mark.parametrize(
    ("target", "name", "reached"),
    [
        (
            "npx -y @modelcontextprotocol/server-memory",
            "memory",
            ("npx", ("-y", "@modelcontextprotocol/server-memory")),
        ),
        ("uvx mcp-server-time==2026.10", "time", ("uvx", ("mcp-server-time==2026.10",))),
        ("/opt/my tools/x.py", "tools-x", None),
        ("'/opt/my tools/notes.py' --stdio", "notes", ("/opt/my tools/notes.py", ("--stdio",))),
        ("https://mcp.tickets.example/v1", "tickets", "https://mcp.tickets.example/v1"),
        ("http://127.0.0.1:8000/mcp", "127", "http://127.0.0.1:8000/mcp"),
    ],
)
def test_a_server_is_named_by_what_it_is(target: str, name: str, reached: object) -> None:
    if reached is None:
        assert mcp(target, name=name).name == name
        return
    server = mcp(target)
    assert server.name == name
    assert reached in (server.url, (server.command, server.args))


@pytest.mark.parametrize("target", ["", "   "])
def test_nothing_is_no_server(target: str) -> None:
    with pytest.raises(ValueError, match="needs a command"):
        mcp(target)


def test_who_gets_what() -> None:
    server = mcp("x", trust=True, alwaysAllow=["a"], excludeTools=["b"], agents=["pages"])
    assert (server.takes("a"), server.takes("b")) == (True, False)
    assert (server.serves("pages"), server.serves("ide")) == (True, False)
    assert "secret" not in repr(mcp("x", env={"KEY": "secret"}))
    with pytest.raises(ValueError, match="either a command or a url"):
        mcp("x", url="http://h")
