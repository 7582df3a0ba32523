"""MCP servers as data: how one is reached, and how far the user trusts it. The client is `loopwright.mcp_sdk`."""

import re
import shlex
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")


class ToolServer(BaseModel):
    """An MCP server: a program that is started and spoken to over its stdin and stdout, or an address.

    The fields are spelled as in the `mcp.json` of other tools. A started program gets the variables of `env` and a
    minimal base (`PATH`, `HOME`, …), nothing else of this process's environment.
    """

    model_config = ConfigDict(
        frozen=True, extra="ignore", validate_by_name=True, validate_by_alias=True, defer_build=True
    )

    name: str = Field(exclude=True)
    """Names of the server's tools begin with it."""
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict, repr=False)
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    disabled: bool = False
    timeout: float = Field(default=60.0, gt=0)
    """Seconds that one call may take."""
    trust: bool = False
    """What the server says of its tools is believed, and none of them asks before it is run."""
    always_allow: frozenset[str] = Field(default=frozenset(), alias="alwaysAllow")
    """Tools (the server's names) that do not ask, though they may change something."""
    include_tools: frozenset[str] | None = Field(default=None, alias="includeTools")
    """The only tools that are taken; None takes all."""
    exclude_tools: frozenset[str] = Field(default=frozenset(), alias="excludeTools")
    agents: frozenset[str] | None = None
    """Agents that get the tools; None stands for all of them."""

    @model_validator(mode="after")
    def _one_way_to_reach_it(self) -> Self:
        if not NAME.fullmatch(self.name) or "__" in self.name:
            raise ValueError(
                f"a server's name has 1 to 32 letters, digits, single underscores and hyphens; {self.name!r} does not"
            )
        if (self.command is None) == (self.url is None):
            raise ValueError("a server has either a command or a url")
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            raise ValueError(f"the url must begin with http:// or https://; {self.url!r} does not")
        return self

    def takes(self, tool: str) -> bool:
        """Whether the user wants this tool (the server's name for it)."""
        return tool not in self.exclude_tools and (self.include_tools is None or tool in self.include_tools)

    def serves(self, agent: str) -> bool:
        """Whether this agent gets the server's tools."""
        return not self.disabled and (self.agents is None or agent in self.agents)


def mcp(target: str, *, name: str | None = None, **settings: Any) -> ToolServer:
    """An MCP server as an agent's definition names it: `mcp("npx -y @scope/server-memory", trust=True)`.

    Args:
        target: the command line of a program, or an address that begins with `http`.
        name: what names of its tools begin with; without it, what the program or the host is called.
        settings: further fields of `ToolServer`.

    Raises:
        ValueError: the target is empty, or a field does not fit.
    """
    if target.startswith(("http://", "https://")):
        host = urlsplit(target).hostname or ""
        return ToolServer(name=name or _plain(host.removeprefix("mcp.").partition(".")[0]), url=target, **settings)
    command, *args = shlex.split(target) or [""]
    if not command:
        raise ValueError("an MCP server needs a command or an address")
    named = next((word for word in reversed([command, *args]) if not word.startswith("-")), command)
    return ToolServer(name=name or _plain(named), command=command, args=tuple(args), **settings)


def _plain(named: str) -> str:
    """`memory` for `@scope/mcp-server-memory@1.2` and `/usr/bin/server-memory.py`."""
    last = re.split(r"[@=~<>]", named.rstrip("/").rpartition("/")[2].lstrip("@"))[0]
    last = re.sub(r"\.(?:py|js|exe)$", "", last)
    plain = re.sub(r"[^A-Za-z0-9-]+", "-", re.sub(r"^(?:mcp-)?(?:server-)?", "", last)).strip("-")
    return (plain or "server")[:32]
