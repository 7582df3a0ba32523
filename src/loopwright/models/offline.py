"""The offline model: rules that speak the wire of a language model, so that everything works with no account at all."""

import logging
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from loopwright.kernel.messages import Message
from loopwright.kernel.offline import OfflineReply, OfflineRequest, Playbook
from loopwright.kernel.prompts import task_of
from loopwright.models import exchange
from loopwright.models.client import OpenAIClient
from loopwright.models.settings import ModelSettings
from loopwright.models.transport import ASGIApp, AsgiTransport, Receive, Scope, Send

# Its side of `/v1/chat/completions`: requests read, answers written.
#
# Which playbook answers a request: the one of the agent whose prompt it begins with.


class PlaybookRouter:
    """The playbooks by their agents' names."""

    def __init__(self, playbooks: Sequence[Playbook]) -> None:
        """Take them; the order does not matter."""
        self._playbooks: Mapping[str, Playbook] = {playbook.name: playbook for playbook in playbooks}

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """What the task's playbook says, or what the offline model is, when no playbook knows the task."""
        playbook = self._playbooks.get(request.task.partition("/")[0])
        return playbook.answer(request) if playbook is not None else OfflineReply(self._introduction())

    def _introduction(self) -> str:
        known = ", ".join(sorted(self._playbooks)) or "none yet"
        return (
            "I am the offline model of Loopwright. I am not a language model: I follow rules that play the parts of "
            f"Loopwright's own agents ({known}), and I cannot talk about anything else. "
            "Set OPENAI_API_KEY or OPENAI_BASE_URL to have a real model answer."
        )


FINGERPRINT: Final = "loopwright-offline"
MODELS: Final = ("offline-fast", "offline-standard", "offline-powerful")
PIECE: Final = 48
"""Characters in one piece of a streamed answer."""


class BadRequest(Exception):
    """The request cannot be read; told in OpenAI's error format.

    Args:
        message: what is wrong.
        param: the field that is wrong.
    """

    def __init__(self, message: str, param: str | None = None) -> None:
        """Keep both."""
        super().__init__(message)
        self.message = message
        self.param = param


@dataclass(frozen=True)
class ChatRequest:
    """A request as read from the wire. `model` is the one that answers, whichever was asked for."""

    offline: OfflineRequest
    model: str
    stream: bool
    count_in_stream: bool
    prompt_size: int


def read_request(body: bytes, task: str = "") -> ChatRequest:
    """Read a request's body; `task` is what its header names, else the system prompt's first line tells it.

    Any model name is accepted, so that a client with its usual settings can be pointed here; the answer tells who gave
    it.

    Raises:
        BadRequest: it is not a chat request.
    """
    try:
        data = from_json(body)
    except ValueError as error:
        raise BadRequest(f"The body is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise BadRequest("The body must be a JSON object.")
    given = data.get("messages")
    if not isinstance(given, list) or not given:
        raise BadRequest("'messages' must be a list with at least one message.", "messages")
    messages = [_message(item, index) for index, item in enumerate(given)]
    asked = data.get("model")
    if not isinstance(asked, str):
        raise BadRequest("'model' must be a string.", "model")
    return ChatRequest(
        offline=OfflineRequest(
            task=task or task_of(messages),
            messages=messages,
            tools=_tool_names(data.get("tools")),
            response_format=data.get("response_format"),
        ),
        model=asked if asked in MODELS else MODELS[1],
        stream=data.get("stream") is True,
        count_in_stream=bool((data.get("stream_options") or {}).get("include_usage")),
        prompt_size=sum(message.estimated_tokens for message in messages),
    )


def _message(item: Any, index: int) -> Message:
    try:
        return Message.from_dict(item)
    except (ValidationError, KeyError, TypeError, AttributeError) as error:
        raise BadRequest(f"messages[{index}] is not a chat message: {error!r}", f"messages[{index}]") from error


def _tool_names(tools: Any) -> tuple[str, ...]:
    try:
        return tuple(tool["function"]["name"] for tool in tools or ())
    except (KeyError, TypeError) as error:
        raise BadRequest("'tools' must be a list of functions with names.", "tools") from error


class Completion:
    """One answer, whole or in pieces."""

    def __init__(self, request: ChatRequest, reply: OfflineReply) -> None:
        """Name the answer and count it."""
        self._request = request
        self._text = reply.text
        self._calls = [
            {
                "index": index,
                "id": f"call_{uuid.uuid4().hex[:16]}",
                "type": "function",
                "function": {"name": name, "arguments": to_json(arguments).decode()},
            }
            for index, (name, arguments) in enumerate(reply.tool_calls)
        ]
        self._head = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": request.model,
            "system_fingerprint": FINGERPRINT,
        }
        self._reason = "tool_calls" if self._calls else "stop"
        self._written = len(reply.text) + sum(len(to_json(arguments)) for _, arguments in reply.tool_calls)

    def whole(self) -> bytes:
        """The `chat.completion` object."""
        message: dict[str, Any] = {"role": "assistant", "content": self._text or None, "refusal": None}
        if self._calls:
            message["tool_calls"] = [{k: v for k, v in call.items() if k != "index"} for call in self._calls]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._reason}
        return to_json({**self._head, "object": "chat.completion", "choices": [choice], "usage": self._usage()})

    def pieces(self) -> Iterator[bytes]:
        """The `chat.completion.chunk` objects as server-sent events, ended by `[DONE]`."""
        yield self._chunk({"role": "assistant", "content": ""})
        for start in range(0, len(self._text), PIECE):
            yield self._chunk({"content": self._text[start : start + PIECE]})
        for call in self._calls:
            yield self._chunk({"tool_calls": [call]})
        yield self._chunk({}, self._reason)
        if self._request.count_in_stream:
            yield self._event({"choices": [], "usage": self._usage()})
        yield b"data: [DONE]\n\n"

    def _chunk(self, delta: Mapping[str, Any], reason: str | None = None) -> bytes:
        return self._event({"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]})

    def _event(self, fields: Mapping[str, Any]) -> bytes:
        return b"data: " + to_json({**self._head, "object": "chat.completion.chunk", **fields}) + b"\n\n"

    def _usage(self) -> dict[str, int]:
        written = self._written // 3 + 4  # as `Message.estimated_tokens` counts
        prompt = self._request.prompt_size
        return {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}


def error_body(message: str, kind: str, param: str | None = None, code: str | None = None) -> bytes:
    """An error in OpenAI's format."""
    return to_json({"error": {"message": message, "type": kind, "param": param, "code": code}})


def model_list() -> bytes:
    """The answer of `GET /v1/models`: one name, since all are the same model and a client need not choose."""
    model = {"id": MODELS[1], "object": "model", "created": 0, "owned_by": "loopwright"}
    return to_json({"object": "list", "data": [model]})


# The offline model as an ASGI application: plain, so that the commands that use it start without a web framework.

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


# The offline model in this very process, behind the same client as every other model.


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
