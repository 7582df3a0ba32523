"""The client that the public conformance suite drives, on Loopwright's own client layer.

The suite appends the server's address to the command, and names the scenario in the environment.
"""

import asyncio
import json
import os
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import mcp_types as mcp
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from loopwright.kernel.errors import LoopwrightError
from loopwright.kernel.tool_servers import ToolServer
from loopwright.mcp_sdk.client import Connection
from loopwright.mcp_sdk.forms import defaults_of

SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
CONTEXT: dict[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
REVISION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2026-07-28")
REDIRECT = "http://localhost:3030/callback"
METADATA_URL = "https://conformance-test.local/client-metadata.json"


class Storage:
    """Tokens and registration in memory."""

    def __init__(self, client: OAuthClientInformationFull | None) -> None:
        """Begin with a registration that was made before, if there is one."""
        self.tokens: OAuthToken | None = None
        self.client = client

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep them."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """The registration."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep it."""
        self.client = client_info


class Consent:
    """A user who agrees at once: the suite's authorization server redirects without asking."""

    def __init__(self) -> None:
        """Nothing was agreed to yet."""
        self.result: AuthorizationCodeResult | None = None

    async def redirect(self, url: str) -> None:
        """Follow the authorization request to its redirect."""
        async with httpx2.AsyncClient(timeout=60) as client:  # the suite runs all scenarios at once
            response = await client.get(url, follow_redirects=False)
        query = parse_qs(urlsplit(response.headers["location"]).query)
        first = {name: values[0] for name, values in query.items()}
        self.result = AuthorizationCodeResult(code=first["code"], state=first.get("state"), iss=first.get("iss"))

    async def callback(self) -> AuthorizationCodeResult:
        """What the redirect brought."""
        assert self.result is not None, "the user was sent away and did not come back"
        return self.result


def oauth(url: str) -> OAuthClientProvider:
    """Sign in as the scenario wants it."""
    registered = None
    if "client_id" in CONTEXT:
        registered = OAuthClientInformationFull(
            client_id=CONTEXT["client_id"],
            client_secret=CONTEXT.get("client_secret"),
            redirect_uris=[REDIRECT],  # type: ignore[list-item]
            token_endpoint_auth_method="client_secret_basic",
        )
    consent = Consent()
    return OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="loopwright",
            redirect_uris=[REDIRECT],  # type: ignore[list-item]
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
        ),
        storage=Storage(registered),
        redirect_handler=consent.redirect,
        callback_handler=consent.callback,
        client_metadata_url=METADATA_URL,
    )


async def agree(params: mcp.ElicitRequestParams) -> mcp.ElicitResult:
    """Accept a form with its defaults, and something in every other field."""
    assert isinstance(params, mcp.ElicitRequestFormParams)
    made_up = {"string": "x", "integer": 1, "number": 1.0, "boolean": True}
    fields = params.requested_schema.get("properties", {})
    filled = {name: made_up.get(field.get("type"), "x") for name, field in fields.items() if "default" not in field}
    return mcp.ElicitResult(action="accept", content=filled | defaults_of(params.requested_schema))


async def call(connection: Connection, tool: str, arguments: dict[str, Any]) -> None:
    """Call a tool, and answer what the server asks before it goes on."""
    responses, state = None, None
    while True:
        result = await connection.call(tool, arguments, responses=responses, state=state)
        if isinstance(result, mcp.CallToolResult):
            print(tool, result.content)
            return
        responses, state = {}, result.request_state
        for key, request in (result.input_requests or {}).items():
            assert isinstance(request, mcp.ElicitRequest)
            responses[key] = await agree(request.params)


ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}


async def main(url: str) -> None:
    """List the server's tools and call what the scenario wants to be called: all of them, if it names none."""
    connection = Connection(
        ToolServer(name="conformance", url=url),
        elicit=agree,
        auth=oauth(url) if SCENARIO.startswith("auth/") else None,
        mode="legacy" if REVISION < "2026" else "auto",
    )
    try:
        tools = await connection.tools()
        if "toolCalls" in CONTEXT:
            for each in CONTEXT["toolCalls"]:
                await call(connection, each["name"], each["arguments"])
            return
        if SCENARIO == "json-schema-2020-12-preservation":
            focal = next(tool for tool in tools if "$defs" in tool.input_schema)
            echo = next(tool for tool in tools if tool is not focal)
            await call(connection, echo.name, {"schema": focal.input_schema})
            return
        names = [tool.name for tool in tools]
        if SCENARIO == "sep-2322-client-request-state":
            await asyncio.gather(*(call(connection, name, {}) for name in names))
            return
        for name in names:
            await call(connection, name, ARGUMENTS.get(name, {}))
    finally:
        await connection.close()


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[-1]))
    except LoopwrightError as error:
        sys.exit(f"{type(error).__name__}: {error.message}")
