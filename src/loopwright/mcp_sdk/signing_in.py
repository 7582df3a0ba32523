"""Signing in to MCP servers by OAuth: the user agrees in a browser once, and runs have the token from then on.

What a sign-in gave lies in a file of its own for each server, in a folder and with a mode that leave it to the user
alone. A run never opens a browser: where a token is missing or refused, it says which command signs in.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import OAuthContext
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl

from loopwright.kernel.errors import LoopwrightError, Misconfigured
from loopwright.kernel.files import make_private_folder, write_whole
from loopwright.kernel.tool_servers import ToolServer
from loopwright.mcp_sdk.client import Connection, SignInNeeded

FOLDER = "mcp-sign-ins"
"""In the folder of the installation; a file for each server."""
PRIVATE_FILE = 0o600
WAIT_SECONDS = 300.0
"""How long the user has for agreeing."""
LONGEST_REQUEST = 16_384
"""Bytes of the request that the browser comes back with."""
NO_REDIRECT = "http://127.0.0.1/callback"
"""Where a run's requests would come back to; they never ask for it."""


@dataclass
class SignInFile:
    """The SDK's `TokenStorage`: what a sign-in to one server gave, as JSON."""

    path: Path
    url: str
    """The address that the file's content is for; that of another address is not used, nor sent there."""
    context: OAuthContext | None = None
    """Of the provider that uses this storage: what it has found out is stored along, since a refresh needs it."""
    _found: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, server: ToolServer, home: Path) -> "SignInFile":
        """What is stored for a server at an address; nothing where it has moved.

        Raises:
            Misconfigured: the file is damaged.
        """
        storage = cls(home / FOLDER / f"{server.name}.json", server.url or "")
        if storage.path.exists():
            try:
                found = json.loads(storage.path.read_text(encoding="utf-8"))
                storage._found = found if found["url"] == storage.url else {}
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise Misconfigured(
                    f"{storage.path} cannot be used: {error}.", hint=f"Call `loopwright mcp login {server.name}`."
                ) from error
        return storage

    @property
    def signed_in(self) -> bool:
        """Whether there is a token, valid or not."""
        return "tokens" in self._found

    async def get_tokens(self) -> OAuthToken | None:
        """The stored tokens."""
        found = self._found.get("tokens")
        return None if found is None else OAuthToken.model_validate(found)

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store tokens, when they end, and where new ones are had."""
        expires_at = None if tokens.expires_in is None else time.time() + tokens.expires_in
        self._keep(tokens=tokens.model_dump(mode="json", exclude_none=True), expires_at=expires_at)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """As what this program is known to the authorization server."""
        found = self._found.get("client")
        return None if found is None else OAuthClientInformationFull.model_validate(found)

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store it."""
        self._keep(client=client_info.model_dump(mode="json", exclude_none=True))

    def restore(self, context: OAuthContext) -> None:
        """Tell a new provider what an earlier one has found out, and keep what it finds out."""
        self.context = context
        context.token_expiry_time = self._found.get("expires_at")
        if "authorization_server" in self._found:
            context.oauth_metadata = OAuthMetadata.model_validate(self._found["authorization_server"])
        if "resource" in self._found:
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(self._found["resource"])

    def forget(self) -> None:
        """Delete what is stored."""
        self._found = {}
        self.path.unlink(missing_ok=True)

    def _keep(self, **more: Any) -> None:
        self._found = {**self._found, "url": self.url, **more}
        if self.context is not None:
            for name, about in (
                ("authorization_server", self.context.oauth_metadata),
                ("resource", self.context.protected_resource_metadata),
            ):
                if about is not None:
                    self._found[name] = about.model_dump(mode="json", exclude_none=True)
        make_private_folder(self.path.parent)
        write_whole(self.path, json.dumps(self._found, indent=1).encode(), mode=PRIVATE_FILE)


class Signing(OAuthClientProvider):
    """The SDK's provider, which keeps why it could not sign: the SDK's transport loses it on the way."""

    trouble: LoopwrightError | None = None

    def refuse(self, error: LoopwrightError) -> LoopwrightError:
        """Keep an error, and give it back to be raised."""
        self.trouble = error
        return error


def stored_sign_in(server: ToolServer, home: Path) -> Signing | None:
    """What signs the requests of runs; None where the user has not signed in to this server.

    Raises:
        Misconfigured: the file is damaged.
    """
    storage = SignInFile.of(server, home)
    if not storage.signed_in:
        return None

    async def redirect(_url: str) -> None:
        raise provider.refuse(SignInNeeded(server.name))

    provider = Signing(
        server_url=storage.url,
        client_metadata=_about_us(NO_REDIRECT),
        storage=storage,
        redirect_handler=redirect,
        callback_handler=_never_back,
    )
    storage.restore(provider.context)
    return provider


async def _never_back() -> AuthorizationCodeResult:
    raise AssertionError("nobody was sent to agree")


async def sign_in(server: ToolServer, home: Path, show: Callable[[str], None]) -> int:
    """Let the user agree in a browser, and store what comes of it.

    Args:
        server: one at an address.
        home: the folder of the installation.
        show: gets the address that the user is to open.

    Returns:
        How many tools the server has for who has signed in.

    Raises:
        Misconfigured: the server is a program that is started.
        LoopwrightError: the server cannot be reached, the user has not agreed, or took too long.
    """
    if server.url is None:
        raise Misconfigured(f"MCP server {server.name} is a program; only servers at an address have a sign-in.")
    storage = SignInFile(home / FOLDER / f"{server.name}.json", server.url)  # registered anew: the port is another one

    async def redirect(url: str) -> None:
        show(url)

    async with _coming_back() as (address, answer):

        async def callback() -> AuthorizationCodeResult:
            try:
                return await answer
            except LoopwrightError as error:
                raise provider.refuse(error) from error

        provider = Signing(
            server_url=server.url,
            client_metadata=_about_us(address),
            storage=storage,
            redirect_handler=redirect,
            callback_handler=callback,
        )
        storage.restore(provider.context)
        connection = Connection(server, auth=provider, start_seconds=WAIT_SECONDS)
        try:
            tools = await connection.tools()
        finally:
            await connection.close()
    if not storage.signed_in:
        raise Misconfigured(f"MCP server {server.name} asks for no sign-in; its {len(tools)} tools can be used.")
    return len(tools)


def _about_us(redirect: str) -> OAuthClientMetadata:
    return OAuthClientMetadata(
        client_name="loopwright",
        redirect_uris=[AnyUrl(redirect)],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",  # noqa: S106 – a public client has none
    )


@asynccontextmanager
async def _coming_back() -> AsyncGenerator[tuple[str, "asyncio.Future[AuthorizationCodeResult]"], None]:
    """An address on this machine to which the browser comes back, and what it brings."""
    answer: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            status, text = _answered(head.split(b" ")[1].decode("ascii", "replace"), answer)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, IndexError):
            status, text = HTTPStatus.BAD_REQUEST, "This is no answer to a sign-in."
        body = text.encode()
        head_lines = (
            f"HTTP/1.1 {status.value} {status.phrase}",
            "Content-Type: text/plain; charset=utf-8",
            f"Content-Length: {len(body)}",
            "Connection: close",
        )
        writer.write("\r\n".join(head_lines).encode() + b"\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0, limit=LONGEST_REQUEST)
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/callback", answer
    finally:
        listening.close()
        answer.cancel()


def _answered(target: str, answer: "asyncio.Future[AuthorizationCodeResult]") -> tuple[HTTPStatus, str]:
    """The status and the text that the browser gets; what it brings goes to `answer`, once."""
    asked = urlsplit(target)
    brought = {name: values[0] for name, values in parse_qs(asked.query).items()}
    if asked.path != "/callback" or not brought.keys() & {"code", "error"}:
        return HTTPStatus.NOT_FOUND, "There is nothing here."
    if answer.done():
        return HTTPStatus.CONFLICT, "This sign-in is over."
    if "code" not in brought:
        answer.set_exception(LoopwrightError(f"The sign-in was refused: {brought['error']}."))
        return HTTPStatus.OK, "The sign-in was refused. You can close this page."
    answer.set_result(AuthorizationCodeResult(code=brought["code"], state=brought.get("state"), iss=brought.get("iss")))
    return HTTPStatus.OK, "You are signed in. You can close this page."
