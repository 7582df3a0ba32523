"""The MCP servers of an installation: `mcp.json` in its folder, and what its runs have of them."""

import json
import logging
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from loopwright.app.settings import variable
from loopwright.kernel.errors import Misconfigured, NotFound
from loopwright.kernel.events import ServerTool, ServerToolsListed
from loopwright.kernel.spec import AgentSpec
from loopwright.kernel.tool_servers import ToolServer

if TYPE_CHECKING:
    from loopwright.mcp_sdk.client import Connections

log = logging.getLogger(__name__)

FILE = "mcp.json"
RESULTS = "mcp"
"""The folder of images and files that servers' tools have given back, by run."""
IGNORED = frozenset({"type", "transport", "description", "name"})
"""Keys of other programs' files that say nothing that the rest does not say."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


@dataclass
class ToolServers:
    """The configured servers and their connections, which are made when a run first needs one."""

    home: Path
    configured: Mapping[str, ToolServer]
    _connections: "Connections | None" = field(default=None, init=False)

    @classmethod
    @asynccontextmanager
    async def open(cls, home: Path) -> AsyncIterator["ToolServers"]:
        """Read the file; what was connected is closed at the end.

        Raises:
            Misconfigured: the file is broken.
        """
        servers = cls(home, read_servers(home / FILE))
        try:
            yield servers
        finally:
            if servers._connections is not None:
                await servers._connections.close()

    def named(self, name: str) -> ToolServer:
        """The configured server of this name.

        Raises:
            NotFound: there is none.
        """
        if name not in self.configured:
            names = ", ".join(self.configured) or "none"
            raise NotFound(f"No MCP server is named {name!r}.", hint=f"{self.home / FILE} names: {names}.")
        return self.configured[name]

    def serving(self, spec: AgentSpec) -> list[ToolServer]:
        """The servers whose tools the agent gets: its own, and the user's, which win where a name is the same."""
        if spec.servers is None:
            named = [each.name for each in self.configured.values() if each.agents and spec.name in each.agents]
            if named:
                log.warning("the agent %s takes tools of no MCP server: %s", spec.name, ", ".join(named))
            return []
        servers = {each.name: each for each in spec.servers} | dict(self.configured)
        return [each for each in servers.values() if each.serves(spec.name)]

    async def listed(self, spec: AgentSpec) -> ServerToolsListed | None:
        """What a new run of the agent has of its servers, for its journal; None where it has no server.

        Raises:
            Misconfigured: a server is wanted, and the extra `mcp` is not installed.
        """
        servers = self.serving(spec)
        if not servers:
            return None
        connections = self.connections(spec)
        from loopwright.mcp_sdk.tools import list_tools

        listing = await list_tools(connections, servers)
        return ServerToolsListed(tools=list(listing.tools), left_out=dict(listing.left_out))

    def widen(self, spec: AgentSpec, listed: Sequence[ServerTool]) -> AgentSpec:
        """The agent with the tools that the run's journal names.

        Raises:
            Misconfigured: there are such, and the extra `mcp` is not installed.
        """
        if not listed:
            return spec
        connections = self.connections(spec)
        from loopwright.mcp_sdk.tools import with_server_tools

        return with_server_tools(spec, listed, connections, self.home / RESULTS)

    def connections(self, spec: AgentSpec | None = None) -> "Connections":
        """The connections of the installation, with the servers that this agent's definition names.

        Raises:
            Misconfigured: the extra `mcp` is not installed.
        """
        if self._connections is None:
            try:
                from loopwright.mcp_sdk.client import Connections
                from loopwright.mcp_sdk.signing_in import stored_sign_in
            except ModuleNotFoundError as error:
                raise Misconfigured(
                    f"MCP servers are used, and {error.name} is not installed.",
                    hint="pip install 'loopwright[mcp]'",
                ) from error
            self._connections = Connections(self.configured, partial(stored_sign_in, home=self.home))
        for server in (spec.servers or ()) if spec is not None else ():
            self._connections.add(server)
        return self._connections


def read_servers(file: Path) -> dict[str, ToolServer]:
    """The servers that a file in the format of other programs names: `{"mcpServers": {name: …}}`.

    `${NAME}` and `${NAME:-default}` in texts stand for variables of the environment.

    Raises:
        Misconfigured: the file is broken, or names a variable that is not set.
    """
    if not file.exists():
        return {}
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]
        return {str(name): _server(file, str(name), dict(entry)) for name, entry in dict(entries).items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        told = error.errors()[0]["msg"] if isinstance(error, ValidationError) else f"{type(error).__name__}: {error}"
        raise Misconfigured(
            f"{file} cannot be used: {told}.",
            hint='It looks like {"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}.',
        ) from error


def _server(file: Path, name: str, entry: dict[str, Any]) -> ToolServer:
    known = {info.alias or key for key, info in ToolServer.model_fields.items()} - {"name"}
    unknown = sorted(set(entry) - known - IGNORED)
    if unknown:
        log.warning("%s: server %s: nothing is done with %s", file.name, name, ", ".join(unknown))
    texts = {key: _with_variables(file, value) for key, value in entry.items() if key in known}
    return ToolServer.model_validate({**texts, "name": name})


def _with_variables(file: Path, value: Any) -> Any:
    if isinstance(value, list):
        return [_with_variables(file, each) for each in value]
    if isinstance(value, dict):
        return {key: _with_variables(file, each) for key, each in value.items()}
    return _VARIABLE.sub(lambda match: _variable(file, match), value) if isinstance(value, str) else value


def _variable(file: Path, match: re.Match[str]) -> str:
    value = variable(match[1]) or match[2]
    if value is None:
        raise Misconfigured(f"{file} names the variable {match[1]}, which is not set.", hint=f"Set {match[1]}.")
    return value
