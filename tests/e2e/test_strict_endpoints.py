"""Every agent, every stage, at every strict endpoint, in each form that it knows: no request is refused."""

from pathlib import Path

import pytest

from loopwright.app.agents import agent as agent_named
from loopwright.app.models import open_offline_model
from loopwright.models.client import OpenAIClient
from tests.e2e.record_requests import REQUESTS, recorded
from tests.e2e.strict_jobs import INSTEAD, JOBS, application_with
from tests.support.strict_client import StrictClient
from tests.support.strict_endpoint import PROFILES

pytestmark = pytest.mark.timeout(600)
"""What takes seconds takes minutes where nine other programs run: only a test that hangs is to be ended."""
SAMPLE = {"mistral-native", "gemini-native", "gemma-schema"}
"""The endpoints of the ordinary tests, the most demanding ones; the others are `soak`."""
CASES = [
    pytest.param(name, form, id=f"{name}-{form}", marks=[] if f"{name}-{form}" in SAMPLE else pytest.mark.soak)
    for name, profile in PROFILES.items()
    for form in profile.forms
]


@pytest.mark.parametrize("agent", JOBS)
@pytest.mark.parametrize(("name", "form"), CASES)
async def test_no_request_is_refused(tmp_path: Path, agent: str, name: str, form: str) -> None:
    async with open_offline_model() as offline:
        assert isinstance(offline, OpenAIClient)
        client = StrictClient(PROFILES[name], form, offline, INSTEAD.get(agent, {}))  # type: ignore[arg-type]
        async with application_with(tmp_path, client) as application:
            runs = await JOBS[agent](application, tmp_path)
    assert client.endpoint.refused == []
    assert {run.status for run in runs} == {"completed"}, [run.message for run in runs]
    if form == "native":
        stages = {stage for stage, _ in client.endpoint.bodies}
        assert stages >= set(thinking_stages(agent)), "a stage was not come through"


def thinking_stages(agent: str) -> list[str]:
    """The stages in which the agent's model is asked."""
    return [stage.name for stage in agent_named(agent).stages if stage.action is None]


@pytest.mark.parametrize("agent", JOBS)
async def test_the_recorded_requests_are_those_of_today(tmp_path: Path, agent: str) -> None:
    """What a model is told changes in a visible diff only: `python -m tests.e2e.record_requests` writes it anew."""
    told = (REQUESTS / f"{agent}.txt").read_text(encoding="utf-8")
    assert await recorded(tmp_path, agent) == told
