"""How long the requests of a job begin, by kind of job and stage: what grows shows here first."""

from pathlib import Path

import pytest

from loopwright.agents.jobs.configs import load_config
from loopwright.agents.jobs.usecases.documents import GivenDocument, job_run
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import create_run
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.testing.runs import ScriptedModel
from loopwright.models.prices import count_tokens
from tests.support.application import settings_in
from tests.support.jobs import END, done, strategic, tactical
from tests.support.reading_job import STANDARD, demands, read

MOST = {
    ("defaults", "strategic"): 1_900,
    ("defaults", "tactical"): 2_500,
    ("creator", "strategic"): 1_800,
    ("creator", "tactical"): 2_500,
    ("validator", "strategic"): 1_850,
    ("validator", "tactical"): 2_500,
}
"""Tokens of the first request of each stage, for a frontier model: tools, system message, and the phase's message.

A tactical one tells the tools that its config names as the first ones.
"""
MOST_OF_A_QUESTION = 450
"""Tokens of a request about one sentence, for a small model."""


def tokens(request: ModelRequest) -> int:
    """Of the whole request, counted exactly."""
    tools = count_tokens(request.tools.wire.decode()) if len(request.tools) else 0
    return tools + sum(count_tokens(message.content) for message in request.messages)


@pytest.mark.parametrize("name", ["defaults", "creator", "validator"])
async def test_the_first_request_of_each_stage(tmp_path: Path, name: str) -> None:
    async with Loopwright.open(settings_in(tmp_path)) as application:
        model = ScriptedModel([*strategic(5), *tactical(5), done(1, 2, 3), END])
        application.model = model
        documents = [GivenDocument("lamps.txt", STANDARD.encode())]
        new = await job_run(
            application,
            load_config(name),
            documents=documents,
            prompt="Find all requirements.",
            workspace=tmp_path / "w",
        )
        record = await create_run(application, new)
        await application.dispatcher.drive(record.run_id)
        first: dict[str, int] = {}
        for request in model.requests:
            first.setdefault(request.labels.stage, tokens(request))
    assert set(first) == {"strategic", "tactical"}
    assert {stage: size for stage, size in first.items() if size > MOST[name, stage]} == {}


async def test_a_question_about_a_sentence(tmp_path: Path) -> None:
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to")) as (_, played):
        assert played.model.requests
        assert max(map(tokens, played.model.requests)) <= MOST_OF_A_QUESTION
        heads = {request.messages[0].content + request.messages[1].content for request in played.model.requests}
        assert len(heads) == 1, "the instructions and examples are the same each time, so an endpoint keeps them"
