"""The server that the public conformance suite wants to see, on Loopwright's own server layer and behind its guards.

`python -m bench.conformance.server PORT` serves it at http://127.0.0.1:PORT/mcp.
"""

import json
import re
import sys
import warnings
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as mcp
import uvicorn
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPDeprecationWarning
from starlette.applications import Starlette
from starlette.routing import Route

from bench.conformance.tools import PNG, embedded, form, image, tools
from loopwright.mcp_sdk.server import AskFirst, Caller, HttpEndpoint, tool_server
from loopwright.server.guards import Authentication

Context = ServerRequestContext[Any, Any]
RESOURCES = [
    mcp.Resource(uri="test://static-text", name="text", description="A text.", mime_type="text/plain"),
    mcp.Resource(uri="test://static-binary", name="picture", description="A picture.", mime_type="image/png"),
    mcp.Resource(uri="test://watched-resource", name="watched", description="May change.", mime_type="text/plain"),
]
TEMPLATE = re.compile(r"test://template/([^/]+)/data")


async def list_resources(context: Context, params: Any) -> mcp.ListResourcesResult:
    """The resources."""
    return mcp.ListResourcesResult(resources=RESOURCES)


async def list_templates(context: Context, params: Any) -> mcp.ListResourceTemplatesResult:
    """The templates of resources."""
    template = mcp.ResourceTemplate(
        uri_template="test://template/{id}/data", name="data", description="Data by id.", mime_type="application/json"
    )
    return mcp.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(context: Context, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
    """A resource.

    Raises:
        MCPError: there is none of this name.
    """
    uri = str(params.uri)
    if uri == "test://static-binary":
        return mcp.ReadResourceResult(contents=[mcp.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)])
    found = TEMPLATE.fullmatch(uri)
    data = {"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"} if found else None
    known = {
        "test://static-text": "This is the content of the static text resource.",
        "test://watched-resource": "Nothing new.",
    }
    words = json.dumps(data) if data else known.get(uri)
    if words is None:
        raise MCPError(mcp.INVALID_PARAMS, "Resource not found", {"uri": uri})
    mime = "application/json" if data else "text/plain"
    return mcp.ReadResourceResult(contents=[mcp.TextResourceContents(uri=uri, mime_type=mime, text=words)])


def argument(name: str, description: str) -> mcp.PromptArgument:
    """A prompt's argument."""
    return mcp.PromptArgument(name=name, description=description, required=True)


PROMPTS = [
    mcp.Prompt(name="test_simple_prompt", description="Simple."),
    mcp.Prompt(
        name="test_prompt_with_arguments",
        description="With arguments.",
        arguments=[argument("arg1", "First test argument"), argument("arg2", "Second test argument")],
    ),
    mcp.Prompt(
        name="test_prompt_with_embedded_resource",
        description="With a resource.",
        arguments=[argument("resourceUri", "URI of the resource to embed")],
    ),
    mcp.Prompt(name="test_prompt_with_image", description="With a picture."),
    mcp.Prompt(name="test_input_required_result_prompt", description="Asks the user."),
]


async def list_prompts(context: Context, params: Any) -> mcp.ListPromptsResult:
    """The prompts."""
    return mcp.ListPromptsResult(prompts=PROMPTS)


async def get_prompt(
    context: Context, params: mcp.GetPromptRequestParams
) -> mcp.GetPromptResult | mcp.InputRequiredResult:
    """A prompt.

    Raises:
        MCPError: there is none of this name.
    """
    given = params.arguments or {}
    words: list[mcp.ContentBlock]
    match params.name:
        case "test_simple_prompt":
            words = [mcp.TextContent(type="text", text="This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            said = f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
            words = [mcp.TextContent(type="text", text=said)]
        case "test_prompt_with_embedded_resource":
            resource = embedded(given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing.")
            words = [resource, mcp.TextContent(type="text", text="Please process the embedded resource above.")]
        case "test_prompt_with_image":
            words = [image(), mcp.TextContent(type="text", text="Please analyze the image above.")]
        case "test_input_required_result_prompt":
            asked = form("What context should the prompt use?", ("context",), context={"type": "string"})
            try:
                answer = (await Caller(context, params).ask({"user_context": asked}))["user_context"]
            except AskFirst as first:
                return first.result
            words = [mcp.TextContent(type="text", text=f"Context: {(answer.content or {}).get('context')}")]
        case _:
            raise MCPError(mcp.INVALID_PARAMS, f"Unknown prompt: {params.name}")
    return mcp.GetPromptResult(messages=[mcp.PromptMessage(role="user", content=each) for each in words])


async def complete(context: Context, params: mcp.CompleteRequestParams) -> mcp.CompleteResult:
    """What a word may become."""
    known = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
    return mcp.CompleteResult(completion=mcp.Completion(values=known, total=len(known), has_more=False))


async def nothing(context: Context, params: Any) -> mcp.EmptyResult:
    """An answer that says nothing more."""
    return mcp.EmptyResult()


def application() -> Starlette:
    """The server behind the guards that `loopwright serve` has."""
    methods = ("tools/list", "server/discover", "prompts/list", "resources/list", "resources/templates/list")
    hint = CacheHint(ttl_ms=60_000, scope="private")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        server = tool_server(
            "loopwright-conformance",
            tools,
            cache_hints=dict.fromkeys((*methods, "resources/read"), hint),
            on_list_resources=list_resources,
            on_list_resource_templates=list_templates,
            on_read_resource=read_resource,
            on_subscribe_resource=nothing,
            on_unsubscribe_resource=nothing,
            on_list_prompts=list_prompts,
            on_get_prompt=get_prompt,
            on_completion=complete,
            on_set_logging_level=nothing,
        )
    endpoint = HttpEndpoint(server, max_body_bytes=4_000_000)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> Any:
        async with endpoint.running():
            yield

    app = Starlette(routes=[Route("/mcp", endpoint.app)], lifespan=lifespan)
    app.add_middleware(Authentication, token=None, loopback=True)
    return app


if __name__ == "__main__":
    uvicorn.run(application(), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
