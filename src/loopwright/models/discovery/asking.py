"""Asks an endpoint what it is and what it serves: a handful of small questions, each within its time and size."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pydantic_core import from_json, to_json

from loopwright import __version__
from loopwright.kernel.errors import ModelRejected, ModelUnavailable
from loopwright.models.discovery.endpoint import Endpoint, ServedModel
from loopwright.models.discovery.reading import (
    at,
    items,
    kind_of,
    left_out,
    ollama_models,
    openai_models,
    studio_models,
    text,
    why_unlisted,
    with_props,
)
from loopwright.models.exchange import address_of
from loopwright.models.retry import AttemptFailed, redact
from loopwright.models.transport import ReadingTransport, Reply

QUESTION_SECONDS: Final = 5.0
"""How long one question may take, a whole list of models included."""
ANSWER_BYTES: Final = 4 * 1024 * 1024
"""The largest answer that is read; the longest list of models seen has a seventh of it."""
SHOWN_MODELS: Final = 12
"""How many of Ollama's models are asked for one by one."""


def shown_address(base_url: str) -> str:
    """The address without user, password and query, and without a slash at its end: what it is known by.

    Raises:
        Misconfigured: it is no http or https address.
    """
    parts = address_of(base_url)
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2].lower(), query="", fragment="")
    return bare.geturl().rstrip("/")


class Questioner:
    """Asks one endpoint; an answer that is none of JSON is None."""

    def __init__(self, base_url: str, api_key: str | None, transport: ReadingTransport, seconds: float) -> None:
        """Ask nothing yet.

        Raises:
            Misconfigured: the base URL is none.
        """
        parts = address_of(base_url)
        self.base = parts._replace(path=parts.path.rstrip("/"), query="", fragment="").geturl()
        self.root = self.base.removesuffix("/v1")
        self._transport = transport
        self._key = api_key
        self._seconds = seconds
        self._headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"loopwright/{__version__}",
        }
        if api_key and parts.username is None:  # a user in the address is the other way to be let in
            self._headers["Authorization"] = f"Bearer {api_key.strip()}"

    async def ask(self, url: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """The HTTP status and the JSON of the answer.

        Raises:
            ModelUnavailable: nobody answered in time.
        """
        try:
            async with asyncio.timeout(self._seconds):
                if body is None:
                    reply = await self._transport.get(url, self._headers)
                else:
                    reply = await self._transport.post(
                        url, to_json(body), self._headers | {"Content-Type": "application/json"}
                    )
                try:
                    return reply.status, _json(await _whole(reply))
                finally:
                    await reply.close()
        except TimeoutError as error:
            raise ModelUnavailable(f"{self.base}: no answer within {self._seconds:g} s") from error
        except AttemptFailed as error:
            raise ModelUnavailable(redact(error.reason, self._key)) from error

    async def known(self, url: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON of an answer with status 200; None for any other, and where nobody answers."""
        try:
            status, data = await self.ask(url, body)
        except (ModelUnavailable, ModelRejected):
            return None
        return data if status == 200 else None


async def discover(
    base_url: str, api_key: str | None, transport: ReadingTransport, *, seconds: float = QUESTION_SECONDS
) -> Endpoint:
    """What the endpoint says of itself; what it does not tell stays open.

    Args:
        base_url: where `/chat/completions` begins.
        api_key: goes with every question, to this endpoint alone.
        transport: redirects are not followed.
        seconds: bound of each question.

    Raises:
        ModelUnavailable: nobody answers there.
        ModelRejected: the key is refused.
        Misconfigured: the address is none.
    """
    asker = Questioner(base_url, api_key, transport, seconds)
    status, models = await asker.ask(f"{asker.base}/models")
    if status in (401, 403):
        raise ModelRejected(
            f"{shown_address(base_url)} answered {status} when it was asked for its models.", hint="Set OPENAI_API_KEY."
        )
    if status >= 500:
        raise ModelUnavailable(f"{shown_address(base_url)} answered {status} when it was asked for its models.")
    props, tags, studio = await asyncio.gather(
        asker.known(f"{asker.root}/props"),
        asker.known(f"{asker.root}/api/tags"),
        asker.known(f"{asker.root}/api/v1/models"),
    )
    kind = kind_of(models if status == 200 else None, props, tags, studio)
    served: tuple[ServedModel, ...] = openai_models(models if status == 200 else None)
    if kind == "llama.cpp":
        served = with_props(served, props)
    elif kind == "lm-studio":
        served = studio_models(studio)
    elif kind == "ollama":
        served = await _ollama(asker, tags)
    elif kind == "vllm":
        served = tuple(model.model_copy(update={"json_schema": True, "loaded": True}) for model in served)
    why = why_unlisted(status, models) if kind == "other" else ""
    return Endpoint(
        base_url=shown_address(base_url),
        kind=kind,
        models=served,
        more=left_out(at(models, "data")) if status == 200 else 0,
        unlisted=f"{shown_address(base_url)}/models gave no list of models: {why}." if why else "",
        asked_at=datetime.now(UTC),
    )


async def _ollama(asker: Questioner, tags: Any) -> tuple[ServedModel, ...]:
    running = await asker.known(f"{asker.root}/api/ps")
    in_memory = {text(item.get("name")) for item in items(at(running, "models"))}
    names = [name for item in items(at(tags, "models")) if (name := text(item.get("name")))]
    names.sort(key=lambda name: name not in in_memory)
    names = names[:SHOWN_MODELS]
    shown = await asyncio.gather(*(asker.known(f"{asker.root}/api/show", {"model": name}) for name in names))
    return ollama_models(tags, running, dict(zip(names, shown, strict=True)))


async def _whole(reply: Reply) -> bytes:
    pieces, size = [], 0
    while piece := await reply.next_chunk():
        size += len(piece)
        if size > ANSWER_BYTES:
            return b""
        pieces.append(piece)
    return b"".join(pieces)


def _json(data: bytes) -> Any:
    try:
        return from_json(data)
    except ValueError:
        return None
