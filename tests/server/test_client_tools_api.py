"""Client tools over HTTP: the stream tells of the call, the answer route takes the result, a server ends late ones."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from loopwright.app.client_tools import end_overdue_calls
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.testing import ScriptedModel
from loopwright.server.application import create_app
from tests.support.application import settings_in, until
from tests.support.editor_agent import add_editor

SELECTED = {"text": "x = 1", "line": 3}


@pytest.fixture
async def waiting(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, Loopwright, dict[str, Any]]]:
    """A client, the installation, and the gate of a call of `get_selection`."""
    app = create_app(settings_in(tmp_path))
    async with app.router.lifespan_context(app):
        app.state.application.model = ScriptedModel([[("get_selection", {"file": "a.py"})], "Done."])
        add_editor(app.state.application)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            run = (await client.post("/api/runs", json={"message": "Look.", "agent": "editor"})).json()
            await until(lambda: status_is(client, run["run_id"], "waiting_input"))
            (gate,) = (await client.get("/api/gates")).json()["gates"]
            yield client, app.state.application, gate


async def status_is(client: httpx.AsyncClient, run_id: str, status: str) -> bool:
    now = (await client.get(f"/api/runs/{run_id}")).json()["status"]
    assert now != "failed"
    return bool(now == status)


async def events(client: httpx.AsyncClient, gate: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    page = (await client.get(f"/api/runs/{gate['run_id']}/events?limit=1000")).json()
    return [event["payload"] for event in page["events"] if event["type"] == kind]


async def test_a_result_goes_to_the_model_and_the_journal_says_who_gave_it(waiting):
    client, _, gate = waiting
    assert (gate["kind"], gate["details"]["arguments"]) == ("client", {"file": "a.py"})
    answered = await client.post(f"/api/gates/{gate['gate_id']}", json={"result": SELECTED, "client": "editor 7"})
    assert answered.status_code == 200
    await until(lambda: status_is(client, gate["run_id"], "completed"))
    (told,) = await events(client, gate, "gate_answered")
    assert (told["by"], told["answer"]["client"]) == ("http", "editor 7")
    assert [result["artifacts"] for result in await events(client, gate, "tool_result")] == [SELECTED]
    assert (await client.post(f"/api/gates/{gate['gate_id']}", json={"result": SELECTED})).status_code == 409


async def test_a_result_that_does_not_fit_is_refused_and_the_gate_stays_open(waiting):
    client, _, gate = waiting
    refused = await client.post(f"/api/gates/{gate['gate_id']}", json={"result": {"text": "x", "line": 0}})
    assert refused.status_code in (400, 422)
    assert "line: Input should be greater than or equal to 1" in refused.text
    assert (await client.get(f"/api/gates/{gate['gate_id']}")).json()["status"] == "open"
    assert (await client.post(f"/api/gates/{gate['gate_id']}", json={"error": "closed"})).status_code == 200
    await until(lambda: status_is(client, gate["run_id"], "completed"))


async def test_a_call_that_nobody_answers_fails_when_its_time_has_run_out(waiting):
    client, application, gate = waiting
    assert await end_overdue_calls(application) == 0
    assert await end_overdue_calls(application, datetime.now(UTC) + timedelta(seconds=61)) == 1
    await until(lambda: status_is(client, gate["run_id"], "completed"))
    assert [told["by"] for told in await events(client, gate, "gate_answered")] == ["timeout"]
    (result,) = await events(client, gate, "tool_result")
    assert not result["success"]
    assert "the client did not answer within 60 seconds" in result["output"]
