"""A whole job with answers that were written by hand as one script: played again, with what its requests cost."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from rig.prefix import cached_share, kept_share, prompt_size

from loopwright.agents.jobs.configs import load_config
from loopwright.agents.jobs.services import jobs_stores
from loopwright.agents.jobs.usecases.documents import GivenDocument, job_run
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import create_run
from loopwright.kernel.testing.runs import Reply, ScriptedModel
from tests.support.application import settings_in
from tests.support.jobs import Played, look
from tests.support.prompts_told import body_of
from tests.support.reading_job import STANDARD

RECORDING = Path(__file__).parent / "frontier" / "requirements_of_two_sections.yaml"
MOST_CALLS = 6
MOST_PROMPT_TOKENS = 20_000


async def played(folder: Path) -> tuple[Played, ScriptedModel, list[str]]:
    """The job, its model, and the texts of the stored requirements."""
    recorded: dict[str, Any] = yaml.safe_load(RECORDING.read_text(encoding="utf-8"))
    script: list[Reply] = [
        [(name, given) for call in answer for name, given in call.items()] for answer in recorded["answers"]
    ]
    async with Loopwright.open(settings_in(folder)) as application:
        model = ScriptedModel(script)
        application.model = model
        document = GivenDocument("lamps.txt", STANDARD.encode())
        new = await job_run(
            application, load_config("creator"), documents=[document], prompt=recorded["order"], workspace=folder / "w"
        )
        record = await create_run(application, new)
        await application.dispatcher.drive(record.run_id)
        found = await look(application, model, record.run_id)
        rows = await (await jobs_stores(application)).requirements.find(job_id=found.job_id)
        return found, model, [row.text for row in rows]


async def test_the_job_ends_with_what_was_asked_for(tmp_path: Path) -> None:
    job, model, texts = await played(tmp_path)
    assert job.state.status == "completed", job.events[-1].payload
    refused = [e.payload["output"] for e in job.events if e.type == "tool_result" and not e.payload["success"]]
    assert not refused, "no call meets an obstacle"
    assert len(texts) == 5
    assert len(model.requests) <= MOST_CALLS
    assert (
        "Measured: 5 requirements of this job are stored; 1 of 1 named files are there."
        in job.events[-1].payload["text"]
    )


async def test_what_the_requests_cost(tmp_path: Path) -> None:
    _, model, _ = await played(tmp_path)
    bodies = [body_of(request) for request in model.requests]
    tokens = [prompt_size(body) for body in bodies]
    assert sum(tokens) <= MOST_PROMPT_TOKENS, tokens
    assert tokens[0] <= 2_500, "the first request of a frontier model"
    stages = [request.labels.stage for request in model.requests]
    within = [share for share, (one, other) in zip(kept_share(bodies), pairwise(stages), strict=True) if one == other]
    assert min(within) >= 0.99, "within a phase a request begins with all of the one before"
    began = cached_share([bodies[stages.index("strategic")], bodies[-1]])
    assert began[0] >= 0.8, "a phase of planning begins like the one before: tools, rules and instructions"
