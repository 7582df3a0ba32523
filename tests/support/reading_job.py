"""A job that reads documents sentence by sentence, with a model that answers about each sentence by a function."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from loopwright.agents.jobs.configs import load_config
from loopwright.agents.jobs.usecases.documents import GivenDocument, job_run
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import create_run
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.ports import DeltaSink, ModelRequest
from loopwright.kernel.testing.runs import Reply, ScriptedModel, as_response
from tests.support.application import settings_in
from tests.support.jobs import Played, look

STANDARD = """1.1. Scope

This text tells how lamps are switched.
It was written for engineers who know lamps.

2.1. Switching

The server MUST switch the lamp on within one second.
A client SHOULD NOT ask twice in the same minute.
Lamps are devices that give light to a room.
The operator has to keep the log for a year.

3.1. Logging

An endpoint MAY write a line for each lamp.
Nobody must change the log by hand.
"""
"""A document with three sections; four sentences have a word of RFC 2119 in capitals or demand something without."""


class SentenceModel(ScriptedModel):
    """Answers each request by a function of the sentence that it is asked about."""

    def __init__(self, answer: Callable[[str], Reply]) -> None:
        """Ask this function."""
        super().__init__([])
        self._answer = answer

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """The function's answer."""
        self.requests.append(request)
        return as_response(self._answer(request.messages[-1].content))


def demands(*words: str) -> Callable[[str], Reply]:
    """A model that reads a demand in every sentence with one of these words."""
    return lambda sentence: json.dumps({"kind": "demand" if any(word in sentence for word in words) else "information"})


@asynccontextmanager
async def read(
    folder: Path,
    documents: Mapping[str, str],
    answer: Callable[[str], Reply],
    *,
    prompt: str = "Find all requirements.",
    kind: str = "small",
    **config: Any,
) -> AsyncIterator[tuple[Loopwright, Played]]:
    """Play a Creator's job on these documents to its end, and look at it while the installation is open."""
    settled = load_config("creator", language="en").model_copy(update=config)
    given = [GivenDocument(name, text.encode()) for name, text in documents.items()]
    async with Loopwright.open(settings_in(folder)) as application:
        model = SentenceModel(answer)
        model.kind = "small" if kind == "small" else "frontier"
        application.model = model
        new = await job_run(application, settled, documents=given, prompt=prompt, workspace=folder / "workspace")
        record = await create_run(application, new)
        await application.dispatcher.drive(record.run_id)
        yield application, await look(application, model, record.run_id)
