"""`loopwright serve`, the HTTP API, and `loopwright mcp`: the agents as an MCP server, and the tools of others."""

import sys
from typing import TYPE_CHECKING, Any

import click

from loopwright.cli.running import (
    JSON,
    SHOW_DEFAULTS,
    Group,
    guarded,
    load_settings,
    print_json,
    printable,
    run_in_application,
)

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright
    from loopwright.kernel.events import ServerTool
    from loopwright.kernel.tool_servers import ToolServer


@click.command()
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--host", help="Address to bind. [127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one. [8700]")
def serve(file: str | None, host: str | None, port: int | None) -> None:
    """Serve the HTTP API (docs at /docs).

    Binding beyond loopback needs LOOPWRIGHT_TOKEN, which every request must then carry as a bearer token.

    \b
    Examples:
      loopwright serve
      loopwright serve clerk.py                    # and the agent that this file declares
      LOOPWRIGHT_TOKEN=secret loopwright serve --host 0.0.0.0 --port 8080
    """  # noqa: D301 – Click reads the mark

    def work() -> int:
        import pkgutil

        settings = load_settings()
        if file is not None:
            from loopwright.app.agent_files import adopt
            from loopwright.kernel.files import make_private_folder

            make_private_folder(settings.home.resolve())
            adopt(settings.home, file)
        changes = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
        run_server = pkgutil.resolve_name("loopwright.server.serve:run_server")  # surfaces do not import each other
        run_server(settings.model_copy(update=changes))
        return 0

    sys.exit(guarded(work))


# `loopwright offline-model`: the built-in model as a server of its own.


@click.command(context_settings=SHOW_DEFAULTS)
@click.option("--port", type=click.IntRange(1, 65535), default=8034, help="Port on the loopback address.")
def offline_model(port: int) -> None:
    """Serve the offline model as an OpenAI-compatible endpoint.

    It is rules, not an LLM. Any client of the OpenAI wire can talk to it.

    \b
    Example:
      loopwright offline-model --port 8034
      OPENAI_BASE_URL=http://127.0.0.1:8034/v1 loopwright pages "a coffee shop app" --yes
    """  # noqa: D301 – Click reads the mark

    def work() -> int:
        import uvicorn

        from loopwright.app.models import offline_app

        click.echo(f"offline model on http://127.0.0.1:{port}/v1 (stop with Ctrl-C)")
        uvicorn.run(offline_app(), host="127.0.0.1", port=port, log_level="warning")
        return 0

    sys.exit(guarded(work))


# `loopwright mcp`: the agents as an MCP server, and the tools of the servers that are configured.

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
