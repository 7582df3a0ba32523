"""The offline model as an ASGI application: plain, so that the commands that use it start without a web framework."""

import logging
from collections.abc import Sequence
from typing import Final

from loopwright.kernel.offline import Playbook
from loopwright.models import exchange
from loopwright.models.client import OpenAIClient
from loopwright.models.offline.wire import (
    MODELS,
    BadRequest,
    Completion,
    PlaybookRouter,
    error_body,
    model_list,
    read_request,
)
from loopwright.models.settings import ModelSettings
from loopwright.models.transport.asgi import ASGIApp, AsgiTransport, Receive, Scope, Send

logger = logging.getLogger("loopwright.models.offline")

LARGEST_BODY: Final = 64 * 1024 * 1024
"""The largest request that is read: a long conversation with images is a few megabytes."""

TASK_HEADER: Final = exchange.TASK_HEADER.lower().encode()

JSON: Final = (b"content-type", b"application/json")


def create_offline_app(playbooks: Sequence[Playbook]) -> ASGIApp:
    """An application that serves `POST /v1/chat/completions` and `GET /v1/models` by these playbooks."""
    router = PlaybookRouter(playbooks)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        route = (scope.get("method"), scope["path"].rstrip("/"))
        if route == ("POST", "/v1/chat/completions"):
            await _chat(router, scope, receive, send)
        elif route == ("GET", "/v1/models"):
            await _respond(send, 200, model_list())
        else:
            told = error_body(f"There is no {route[0]} {route[1]} here.", "invalid_request_error")
            await _respond(send, 404, told)

    return app


async def _chat(router: PlaybookRouter, scope: Scope, receive: Receive, send: Send) -> None:
    task = next((value.decode() for name, value in scope["headers"] if name == TASK_HEADER), "")
    try:
        request = read_request(await _read(receive), task)
    except BadRequest as error:
        await _respond(send, 400, error_body(error.message, "invalid_request_error", error.param))
        return
    try:
        completion = Completion(request, router.answer(request.offline))
    except (
        Exception
    ) as error:  # a playbook is an agent's code: its defect is told to the caller, and no more tried again
        logger.exception("The playbook failed at %s", request.offline.task)
        told = error_body(f"The playbook failed at {request.offline.task}: {error!r}", "server_error", code="playbook")
        await _respond(send, 500, told, (b"x-should-retry", b"false"))
        return
    if not request.stream:
        await _respond(send, 200, completion.whole())
        return
    headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for piece in completion.pieces():
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _read(receive: Receive) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequest("The client went away in the middle of its request.")
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > LARGEST_BODY:
            raise BadRequest(f"The request is larger than {LARGEST_BODY // 1024 // 1024} MB.")
        if not message.get("more_body", False):
            return b"".join(pieces)


async def _respond(send: Send, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    fields = [JSON, (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _lifespan(receive: Receive, send: Send) -> None:
    """Take part in a server's start and end, with nothing to do in either."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


# --------------------------------------------------------------------------------------------------------------------
# The offline model in this very process, behind the same client as every other model.
# --------------------------------------------------------------------------------------------------------------------


def create_offline_client(playbooks: Sequence[Playbook]) -> OpenAIClient:
    """A client whose every request is answered by these playbooks; nothing leaves the process."""
    fast, standard, powerful = MODELS
    settings = ModelSettings(
        base_url="http://offline.invalid/v1",
        models={"fast": fast, "standard": standard, "powerful": powerful},
        tools="native",
        free=True,
    )
    return OpenAIClient(settings, AsgiTransport(create_offline_app(playbooks)))
