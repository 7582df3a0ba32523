"""An editor made of the protocol SDK's own client, and the command that it starts."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from acp import RequestError, spawn_agent_process
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

from tests.support.commands import COMMAND, Installation

Choose = Callable[[Any, list[Any]], str | None]


@dataclass
class Editor:
    """An `acp.Client` that keeps what it is told; `choose` answers permission requests by an option's id or None."""

    choose: Choose = lambda tool_call, options: "allow_once"
    updates: list[Any] = field(default_factory=list)
    asked: list[tuple[Any, list[Any]]] = field(default_factory=list)
    was_asked: asyncio.Event = field(default_factory=asyncio.Event)

    def on_connect(self, conn: Any) -> None:
        """Nothing to keep."""

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        self.updates.append(update)

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **kwargs: Any
    ) -> RequestPermissionResponse:
        self.asked.append((tool_call, options))
        self.was_asked.set()
        chosen = self.choose(tool_call, options)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Nothing is expected."""

    def of(self, kind: str) -> list[Any]:
        """The updates of one kind."""
        return [update for update in self.updates if update.session_update == kind]

    def said(self, kind: str = "agent_message_chunk") -> str:
        """The text of all chunks of one kind."""
        return "".join(update.content.text for update in self.of(kind))


@asynccontextmanager
async def editing(place: Installation, editor: Editor, *options: str, **settings: str) -> AsyncIterator[Any]:
    """The SDK's connection to `loopwright ide --acp` in a process of its own."""
    command, *arguments = [*COMMAND, "ide", "--acp", *options]
    environment = place.environment(**settings)
    patience = {"shutdown_timeout": 60.0}  # a busy machine is no reason to kill it
    async with spawn_agent_process(
        editor, command, *arguments, env=environment, cwd=place.folder, transport_kwargs=patience
    ) as (connection, _):
        yield connection
