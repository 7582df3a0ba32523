"""Bad input over the wire and on the command line: a clear refusal each, and nothing lost."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Installation
from tests.support.service import Service, served

VAGUE = "make me a coffee shop app"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    """A server on the offline model."""
    async with served(Installation(tmp_path)) as running:
        yield running


BAD_CHATS: dict[str, tuple[dict[str, Any], int]] = {
    "empty message": ({"message": ""}, 400),
    "blank message": ({"message": "  \n"}, 400),
    "1 MB message": ({"message": "x" * 1_000_000}, 400),
    "unknown session": ({"message": "hi", "session_id": "nope"}, 404),
    "unknown agent": ({"message": "hi", "agent": "nope"}, 404),
    "unknown field": ({"message": "hi", "mesage": "hi"}, 422),
    "broken image": ({"message": "hi", "images": ["data:image/png;base64,AAAA"]}, 400),
    "no image at all": ({"message": "hi", "images": ["file:///etc/passwd"]}, 400),
    "four images": ({"message": "hi", "images": ["data:image/png;base64,AAAA"] * 4}, 422),
    "malformed resume": ({"resume": "yes"}, 422),
    "resume of nothing": ({"session_id": "nope", "resume": {"answers": {}}}, 409),
    "widget answers that cannot be read": ({"message": "<INTERVIEW_ANSWERS>{</INTERVIEW_ANSWERS>"}, 400),
}


async def test_bad_chat_requests_are_refused_and_leave_nothing(service: Service) -> None:
    """Each is a 4xx with a message; no run, no session comes of it."""
    for name, (body, status) in BAD_CHATS.items():
        for path in ("/api/chat", "/api/chat/stream"):
            response = await service.client.post(path, json=body)
            assert response.status_code == status, (name, path, response.text)
            assert response.json()["error"]["message"], name
    assert (await service.get("/api/runs"))["runs"] == []
    assert (await service.get("/api/sessions"))["sessions"] == []


async def test_not_json_and_not_there(service: Service) -> None:
    """A body that is no JSON, paths that lead nowhere or out."""
    broken = await service.client.post("/api/chat", content=b"{", headers={"content-type": "application/json"})
    assert broken.status_code == 422
    for path in (
        "/api/nope",
        "/api/runs/nope",
        "/api/runs/nope/events",
        "/api/gates/nope",
        "/api/sessions/nope",
        "/api/sessions/nope/pages/..%2F..%2Fetc%2Fpasswd",
        "/api/sessions/nope/pages/..%2F..%2F..%2Fetc%2Fpasswd/preview",
    ):
        response = await service.client.get(path)
        assert response.status_code == 404, path
        assert response.json()["error"]["code"] == "not_found"


async def test_a_gate_is_answered_once(service: Service) -> None:
    """A malformed answer keeps the gate open; a second one is a 409; the same key gets the same reply."""
    run = (await service.client.post("/api/runs", json={"message": VAGUE})).json()
    run = await service.until_over(run["run_id"])
    assert run["status"] == "waiting_input"
    gate_id = run["gate"]["gate_id"]
    inbox = (await service.get("/api/gates"))["gates"]
    assert [gate["gate_id"] for gate in inbox] == [gate_id]
    url = f"/api/runs/{run['run_id']}/resume"
    for malformed in ({"resume_payload": {"answers": {"no such question": "x"}}}, {"resume_payload": {"answers": 3}}):
        response = await service.client.post(url, json=malformed)
        assert response.status_code == 400, response.text
    assert (await service.client.post(url, json={})).status_code == 422
    assert (await service.client.post(url, json={"resume_payload": [1]})).status_code == 422
    second = await service.client.post("/api/chat", json={"message": "and?", "session_id": run["session_id"]})
    assert second.status_code == 409
    assert (await service.get(f"/api/runs/{run['run_id']}"))["status"] == "waiting_input"
    key = {"Idempotency-Key": "k1"}
    answers = await asyncio.gather(
        *(service.client.post(url, json={"resume_payload": {"answers": {}}}, headers=key) for _ in range(3))
    )
    assert 200 in {response.status_code for response in answers}
    assert {response.status_code for response in answers} <= {200, 409}
    again = await service.client.post(url, json={"resume_payload": {"answers": {}}}, headers=key)
    assert again.status_code == 200
    late = await service.client.post(f"/api/gates/{gate_id}", json={"answers": {}})
    assert late.status_code == 409
    done = await service.until_over(run["run_id"])
    assert done["status"] == "completed"
    events = (await service.get(f"/api/runs/{run['run_id']}/events?limit=1000"))["events"]
    assert sum(event["type"] == "gate_answered" for event in events) == 1
    assert (await service.client.post(f"/api/runs/{run['run_id']}/cancel")).status_code == 200


async def test_a_slug_never_leads_out_of_the_session(service: Service) -> None:
    """Slugs are names, not paths; what is asked for outside is not found."""
    run = (await service.client.post("/api/runs", json={"message": VAGUE, "options": {"generate_now": True}})).json()
    run = await service.until_over(run["run_id"])
    base = f"/api/sessions/{run['session_id']}"
    for slug in ("..%2F..%2Fetc%2Fpasswd", "%2e%2e", "index%00", "INDEX"):
        assert (await service.client.get(f"{base}/pages/{slug}")).status_code in (400, 404), slug
        assert (await service.client.get(f"{base}/pages/{slug}/preview")).status_code in (400, 404), slug
