"""Runs that kill the process that carries them on, among healthy ones; and a worker that serves them."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from loopwright.app.isolated import take_and_drive
from loopwright.app.loopwright import Loopwright
from loopwright.engine.ownership import Isolation
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.ports import DeltaSink, ModelRequest
from loopwright.kernel.testing.runs import as_response
from loopwright.kernel.tools import ToolContext, ToolResult
from tests.engine.toys import Look as Base
from tests.engine.toys import LookingModel, Nothing, toy_with
from tests.support.agents import introduce
from tests.support.application import settings_in


class Act(Base):
    """Works for a moment; where the user asked for poison, kills the process in one of three ways."""

    name = "act"

    async def execute(self, params: Nothing, ctx: ToolContext[Any]) -> ToolResult:
        await asyncio.sleep(0.02)
        if ctx.user_message.startswith("poison"):
            await self.kill(int(ctx.user_message.split()[1]))
        return ToolResult(success=True, output="seen")

    async def kill(self, number: int) -> None:
        """With SIGKILL, with `_exit`, or by a fault."""
        if number % 3 == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        elif number % 3 == 1:
            os._exit(7)
        os.kill(os.getpid(), signal.SIGSEGV)


class OnceAct(Act):
    """The same with effect `once`: after each death the model is told, and calls it again."""

    effect = "once"


class ActingModel(LookingModel):
    """Acts twice in each run, then says so; one that hears of an unknown outcome tries again."""

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """By what the journal has brought about so far."""
        done = sum(message.role == "tool" and message.content == "seen" for message in request.messages)
        before = sum(message.role == "assistant" for message in request.messages)
        return as_response([("act", {})] if done < 2 else "done", before)


@asynccontextmanager
async def acting_application(folder: Path, *, worker: bool) -> AsyncIterator[Loopwright]:
    """An application for both kinds of runs; a worker's takes runs over and isolates suspects."""
    settings = settings_in(folder, heartbeat_seconds=0.5, runs_at_once=16)
    isolate = Isolation(carry_on, folder) if worker else None
    async with Loopwright.open(settings, isolate=isolate) as application:
        application.model = ActingModel()
        for name, tool in (("toy", Act()), ("toyonce", OnceAct())):
            introduce(application, name, toy_with(tool))
        yield application


def carry_on(folder: Path, run_id: str, reason: str) -> None:
    """The entry of a child that carries one suspect on."""

    async def work() -> None:
        async with acting_application(folder, worker=False) as application:
            await take_and_drive(application, run_id, reason)

    asyncio.run(work())
