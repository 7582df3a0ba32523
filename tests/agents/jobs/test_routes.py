"""Jobs over HTTP, and bad input of each kind."""

import base64
from pathlib import Path
from typing import Any

import httpx

from tests.support.application import in_process, until
from tests.support.pages_model import Turn, call

END = call("job_complete", summary="All is read.", deliverables=[], notes="")
GIVES_UP = [Turn(words="I am done.")] * 6


def upload(name: str, text: str) -> dict[str, str]:
    return {"name": name, "data": base64.b64encode(text.encode()).decode()}


async def ended(client: httpx.AsyncClient, job_id: str) -> dict[str, Any]:
    """The job, once its run is over."""

    async def over() -> bool:
        return (await client.get(f"/api/jobs/{job_id}")).json()["status"] in ("completed", "failed", "cancelled")

    await until(over)
    shown: dict[str, Any] = (await client.get(f"/api/jobs/{job_id}")).json()
    return shown


async def test_a_job_is_begun_and_looked_at(tmp_path: Path) -> None:
    async with in_process(tmp_path, END) as (client, _):
        body = {"config": "creator", "prompt": "Read it.", "language": "de", "documents": [upload("../a.md", "Text")]}
        answer = await client.post("/api/jobs", json=body)
        assert answer.status_code == 201
        job_id = answer.json()["job_id"]
        assert answer.json()["run"]["agent"] == "jobs"
        shown = await ended(client, job_id)
        assert (shown["status"], shown["documents"], shown["language"]) == ("completed", ["documents/a.md"], "de")
        assert (Path(shown["workspace"]) / "documents" / "a.md").read_text() == "Text"
        assert (await client.get("/api/jobs")).json()["jobs"][0]["job_id"] == job_id
        assert (await client.get(f"/api/jobs/{job_id}/requirements")).json() == {"requirements": []}
        table = await client.get(f"/api/jobs/{job_id}/requirements", params={"format": "csv"})
        assert table.text.startswith("requirement_id,name,text")
        assert table.headers["content-type"].startswith("text/csv")
        assert (await client.post(f"/api/jobs/{job_id}/resume")).status_code == 409
        assert (await client.post(f"/api/jobs/{job_id}/cancel")).status_code == 200
        back = await client.post(f"/api/jobs/{job_id}/rewind", json={"to_phase": 1})
        assert (back.status_code, back.json()["status"]) == (200, "rewound")
        assert (await client.post(f"/api/jobs/{job_id}/rewind", json={"to_phase": 7})).status_code == 400
        assert (await client.post(f"/api/jobs/{job_id}/rewind", json={"to_phase": 0})).status_code == 422
        assert "phase_settings" in (await client.get("/api/jobs/schema")).json()["properties"]


async def test_a_failed_job_goes_on(tmp_path: Path) -> None:
    config = {"$extends": "creator", "job_type": "narrow", "phase_settings": {"max_todos": 7}, "langage": "de"}
    async with in_process(tmp_path, *GIVES_UP, END) as (client, _):
        begun = (await client.post("/api/jobs", json={"config": config})).json()
        assert begun["config_remarks"] == ["request.json: /langage: nothing reads this field. Did you mean 'language'?"]
        job_id = begun["job_id"]
        failed = await ended(client, job_id)
        assert (failed["status"], failed["job_type"]) == ("failed", "narrow")
        again = await client.post(f"/api/jobs/{job_id}/resume")
        assert again.status_code == 201
        assert again.json()["run"]["run_id"] != failed["run_id"]
        assert (await ended(client, job_id))["status"] == "completed"


BAD_BODIES: dict[str, tuple[Any, int, str]] = {
    "unknown config": ({"config": "nope"}, 404, "no config 'nope'"),
    "a file of the server": ({"config": "/etc/passwd"}, 404, "no config"),
    "a parent on the server's disk": ({"config": {"$extends": "/etc/passwd"}}, 400, "outside"),
    "a parent above": ({"config": {"$extends": "../../config"}}, 400, "outside"),
    "commands": ({"config": {"witness_commands": ["rm -rf x"]}}, 400, "witness_commands"),
    "commands by old names": ({"config": {"witness_commands": {"a": 1}}}, 400, "witness_commands"),
    "wrong config": ({"config": {"language": "fr"}}, 400, "/language"),
    "unknown field": ({"config": "creator", "workspace": "/etc"}, 422, "workspace"),
    "unknown language": ({"config": "creator", "language": "fr"}, 422, "language"),
    "broken base64": ({"config": "creator", "documents": [{"name": "a", "data": "%"}]}, 400, "base64"),
    "empty document": ({"config": "creator", "documents": [{"name": "a", "data": ""}]}, 400, "is empty"),
    "many documents": ({"config": "creator", "documents": [{"name": "a", "data": "YQ=="}] * 101}, 422, "documents"),
    "long prompt": ({"config": "creator", "prompt": "x" * 100_001}, 400, "100,000"),
}


async def test_bad_requests_begin_nothing(tmp_path: Path) -> None:
    """One application for all: nothing comes of any of them."""
    async with in_process(tmp_path) as (client, _):
        for name, (body, status, told) in BAD_BODIES.items():
            answer = await client.post("/api/jobs", json=body)
            assert (name, answer.status_code) == (name, status), answer.text
            assert told in answer.json()["error"]["message"], name
        for method, path in (("GET", ""), ("GET", "/requirements"), ("POST", "/resume"), ("POST", "/cancel")):
            answer = await client.request(method, f"/api/jobs/nope{path}")
            assert answer.status_code == 404
            assert "no job 'nope'" in answer.json()["error"]["message"]
        assert (await client.get("/api/jobs")).json() == {"jobs": []}
        assert not (tmp_path / "out").exists()


async def test_jobs_have_a_door_of_their_own(tmp_path: Path) -> None:
    """A config that was not checked, and commands in it, do not come in as options of a run or by chat."""
    options = {"config": {"job_type": "x", "witness_commands": ["true"]}}
    async with in_process(tmp_path) as (client, _):
        for path, body in (("/api/runs", {"options": options}), ("/api/chat", {})):
            answer = await client.post(path, json={"agent": "jobs", "message": "Do it.", **body})
            assert answer.status_code == 400
            assert "POST /api/jobs" in answer.json()["error"]["hint"]
