"""A client that talks to a scripted server, with a clock that does not wait."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import pytest

from loopwright.kernel.messages import Message, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.models.client import OpenAIClient
from loopwright.models.retry import Clock
from loopwright.models.settings import ModelSettings
from tests.support.model_server import ModelServer, Reply

LOOKUP = ToolSchemas(
    (
        {
            "type": "function",
            "function": {
                "name": "lookup",
                "description": "Look a key up.",
                "parameters": {
                    "type": "object",
                    "properties": {"key": {"type": "string"}, "deep": {"type": "boolean"}},
                    "required": ["key"],
                },
            },
        },
    )
)

KEY = "sk-test-0123456789abcdef"


@dataclass
class PatientClock:
    """Time that passes only while somebody sleeps; `waits` tells how long they slept."""

    time: float = 1_000.0
    waits: list[float] = field(default_factory=list)

    def clock(self, jitter: float = 1.0) -> Clock:
        """The clock for a client; with jitter 1 every wait is as long as it may be."""

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)
            self.time += seconds

        return Clock(now=lambda: self.time, sleep=sleep, jitter=lambda: jitter)


@dataclass
class Talk:
    """A client, the server that it talks to, and the clock between them."""

    client: OpenAIClient
    server: ModelServer
    clock: PatientClock


@asynccontextmanager
async def talking(script: Sequence[Reply], **settings: object) -> AsyncIterator[Talk]:
    """A client of a server with this script; at the end every reply must have been asked for."""
    clock = PatientClock()
    options = {"api_key": KEY, "models": {"standard": "gpt-4.1", "fast": "gpt-4.1-mini"}, **settings}
    async with ModelServer(script) as server:
        client = OpenAIClient(ModelSettings(base_url=server.base_url, **options), clock=clock.clock())  # type: ignore[arg-type]
        async with client:
            yield Talk(client, server, clock)
        server.assert_done()


@pytest.fixture
def talk() -> Callable[..., AbstractAsyncContextManager[Talk]]:
    """Makes a client and its server, as an asynchronous context: `talk([replies], setting=value)`."""
    return talking


@pytest.fixture
def request_() -> ModelRequest:
    """A small request with a tool."""
    return ModelRequest([Message.system("You help."), Message.user("Look a up.")], LOOKUP)
