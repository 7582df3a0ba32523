"""`loopwright mcp`: the agents as an MCP server, and the tools of the servers that are configured."""

from typing import TYPE_CHECKING, Any

import click

from loopwright.cli.printable import printable
from loopwright.cli.running import JSON, Group, print_json, run_in_application

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright
    from loopwright.kernel.events import ServerTool
    from loopwright.kernel.tool_servers import ToolServer

HELP = """Serve the agents to an MCP client over stdin and stdout, each as a tool; or list the tools of other servers.

A client starts this command itself. `loopwright serve` has the same at http://127.0.0.1:8700/mcp.

\b
Examples:
  claude mcp add loopwright -- loopwright mcp
  {"mcpServers": {"loopwright": {"command": "loopwright", "args": ["mcp"]}}}
  loopwright mcp tools
"""
TOOLS_HELP = """List the tools of the servers in mcp.json (in LOOPWRIGHT_HOME): effect, and whether a call asks first.

\b
Examples:
  loopwright mcp tools
  loopwright mcp tools --server time --json
"""
LOGIN_HELP = """Sign in to a server at an address by OAuth: a browser opens, you agree there, and runs have the token.

It is kept in LOOPWRIGHT_HOME, for you alone. A server that wants a sign-in is left out of runs until then.

\b
Examples:
  loopwright mcp login tickets
  loopwright mcp login tickets --no-browser
  loopwright mcp logout tickets
"""


@click.group("mcp", cls=Group, invoke_without_command=True, help=HELP)
@click.pass_context
def app(context: click.Context) -> None:
    """Serve over stdin and stdout until the client closes its end."""
    if context.invoked_subcommand is not None:
        return

    async def work(opened: "Loopwright") -> int:
        agents, serve_stdio = _agents_of(opened)
        await serve_stdio(agents.server(), agents.close)
        return 0

    run_in_application(work)


@app.command(help=TOOLS_HELP)
@click.option("--server", help="Only this server's.")
@JSON
def tools(server: str | None, as_json: bool) -> None:
    """List the configured servers' tools."""

    async def work(opened: "Loopwright") -> int:
        from loopwright.app.tool_servers import FILE

        servers = opened.tool_servers
        wanted = list(servers.configured.values()) if server is None else [servers.named(server)]
        if not wanted and not as_json:
            click.echo(f"Name MCP servers in {opened.settings.home / FILE}, for example:")
            click.echo('  {"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}')
        failed = False
        for each in wanted:
            failed |= not await _show(opened, each, as_json=as_json)
        return 4 if failed else 0

    run_in_application(work, as_json=as_json)


@app.command(help=LOGIN_HELP)
@click.argument("server")
@click.option("--no-browser", is_flag=True, help="Print the address only, to be opened by hand.")
def login(server: str, no_browser: bool) -> None:
    """Sign in to a server at an address."""

    def show(url: str) -> None:
        click.echo(f"Open this address to agree:\n  {printable(url)}")
        if not no_browser:
            click.launch(url)

    async def work(opened: "Loopwright") -> int:
        opened.tool_servers.connections()  # says what to install where the extra is missing
        from loopwright.mcp_sdk.signing_in import sign_in

        tools = await sign_in(opened.tool_servers.named(server), opened.settings.home, show)
        click.echo(f"Signed in to {server}: {tools} tools.")
        return 0

    run_in_application(work)


@app.command(help="Forget a sign-in; the server's own list of agreements is not changed.")
@click.argument("server")
def logout(server: str) -> None:
    """Delete what a sign-in gave."""

    async def work(opened: "Loopwright") -> int:
        opened.tool_servers.connections()
        from loopwright.mcp_sdk.signing_in import SignInFile

        SignInFile.of(opened.tool_servers.named(server), opened.settings.home).forget()
        click.echo(f"The sign-in to {server} is forgotten.")
        return 0

    run_in_application(work)


async def _show(opened: "Loopwright", server: "ToolServer", *, as_json: bool) -> bool:
    """Print a server's tools; gives whether all of it could be had."""
    connections = opened.tool_servers.connections()
    from loopwright.mcp_sdk.tools import list_tools

    listing = await list_tools(connections, [] if server.disabled else [server])
    agents = ", ".join(sorted(server.agents)) if server.agents is not None else "all agents"
    state = "disabled" if server.disabled else f"for {agents}"
    if not as_json:
        click.echo(f"{server.name}  ({state})")
    for tool in listing.tools:
        _print_tool(tool, server, as_json=as_json)
    for name, why in listing.left_out.items():
        if as_json:
            print_json({"type": "left_out", "server": server.name, "name": name, "why": why})
        else:
            click.echo(f"  ! {printable(name)}: {printable(why)}")
    return not listing.left_out


def _print_tool(tool: "ServerTool", server: "ToolServer", *, as_json: bool) -> None:
    from loopwright.mcp_sdk.tools import asks_first, effect_of

    told: dict[str, Any] = {"effect": effect_of(tool, server), "asks": asks_first(tool, server)}
    if as_json:
        print_json({"type": "tool", **tool.model_dump(mode="json"), **told})
        return
    description = printable(" ".join(tool.description.split()))[:80]
    asks = "asks" if told["asks"] else ""
    click.echo(f"  {tool.name:<36} {told['effect']:<10} {asks:<4}  {description}")


def _agents_of(opened: "Loopwright") -> Any:
    """What serves the agents.

    Raises:
        Misconfigured: the extra is not installed.
    """
    from loopwright.kernel.errors import Misconfigured

    try:
        from loopwright.app.mcp_agents import AgentServing
        from loopwright.mcp_sdk.server import serve_stdio
    except ModuleNotFoundError as error:
        raise Misconfigured(f"{error.name} is not installed.", hint="pip install 'loopwright[mcp]'") from error
    return AgentServing(opened), serve_stdio
