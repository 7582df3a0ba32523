"""The wired application in this process, with a model that plays a script."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.kernel.events import Event, ModelResponse
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile
from loopwright.kernel.testing.runs import as_response
from loopwright.server.application import create_app
from tests.agents.pages.studio import material_of, nested, task_of
from tests.support.pages_model import NESTED, Turn, edit_blocks

Line = Turn | Callable[[ModelRequest], Awaitable[Turn]]


@dataclass
class Dialogue:
    """A `ModelClient`: the dialogue plays the script, what tools ask is answered by its task."""

    script: Sequence[Line] = ()
    asked: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """The next line of the script, or a usable answer to a tool."""
        task = task_of(request)
        if task in NESTED:
            return as_response(edit_blocks(material_of(request)) if task == "pages/edit-page" else nested(request))
        self.asked.append(request)
        if len(self.asked) > len(self.script):
            raise AssertionError(f"the script has {len(self.script)} lines; {request.messages[-1].content[:200]!r}")
        line = self.script[len(self.asked) - 1]
        turn = line if isinstance(line, Turn) else await line(request)
        response = as_response(list(turn.calls) if turn.calls else turn.words, len(self.asked))
        if on_delta is not None and turn.words:
            on_delta(turn.words)
        return response.model_copy(update={"text": turn.words})

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Free."""
        return 0.0

    def profile(self, tier: str = "standard", model: str | None = None) -> Profile:
        """A frontier model."""
        return "frontier"

    def context_tokens(self, tier: str = "standard", model: str | None = None) -> int | None:
        """Unknown."""
        return None

    def assert_done(self) -> None:
        """Fail when lines were left over."""
        assert len(self.asked) == len(self.script), f"{len(self.asked)} of {len(self.script)} lines were asked for"


@dataclass
class Held:
    """A line that is kept back until `release` is set; `came` tells that it was asked for."""

    turn: Turn
    came: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, request: ModelRequest) -> Turn:
        self.came.set()
        await self.release.wait()
        return self.turn


def settings_in(folder: Path, **settings: Any) -> Settings:
    """Settings with everything in this folder; a busy machine is no reason to ask the user about a turn."""
    return Settings(home=folder / "home", output_dir=folder / "out", **{"turn_seconds": 3_600.0, **settings})


@asynccontextmanager
async def opened(folder: Path, *script: Line, **settings: Any) -> AsyncIterator[tuple[Loopwright, Dialogue]]:
    """The application and its model, whose script must be used up."""
    dialogue = Dialogue(script)
    async with Loopwright.open(settings_in(folder, **settings)) as application:
        application.model = dialogue
        yield application, dialogue
    dialogue.assert_done()


@asynccontextmanager
async def in_process(folder: Path, *script: Line, **settings: Any) -> AsyncIterator[tuple[httpx.AsyncClient, Dialogue]]:
    """The HTTP API without a socket; an answer is whole before it is given, so streams must end by themselves."""
    dialogue = Dialogue(script)
    app = create_app(settings_in(folder, **settings))
    async with app.router.lifespan_context(app):
        app.state.application.model = dialogue
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            yield client, dialogue
    dialogue.assert_done()


async def journal_of(application: Loopwright, run_id: str, kind: str | None = None) -> list[Event]:
    """The run's stored events, or those of one type."""
    return [event for event in await application.stores.journal.read(run_id) if kind in (None, event.type)]


async def until(holds: Callable[[], Awaitable[bool]], seconds: float = 60.0) -> None:
    """Wait until the condition holds."""
    async with asyncio.timeout(seconds):
        while not await holds():  # noqa: ASYNC110 - the state is elsewhere; there is nothing to wait on
            await asyncio.sleep(0.01)


__all__ = ["Dialogue", "Held", "Line", "in_process", "journal_of", "opened", "settings_in", "until"]
