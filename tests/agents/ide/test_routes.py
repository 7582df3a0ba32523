"""The ide agent over HTTP."""

import json

import pytest

from tests.support.application import in_process, until
from tests.support.pages_model import Turn, call
from tests.support.service import events_of, sse_data

DONE = Turn(json.dumps({"state": "DONE", "missing": [], "reason": "The file says so."}))
REPORT = Turn(
    json.dumps({"summary": "It is short.", "findings": [], "missing_steps": [], "suggested_next_actions": []})
)
CHANGE = (
    call("replace_in_file", path="greet.py", search="Hello", replace="Hi"),
    Turn("It says Hi now."),
    DONE,
    REPORT,
)


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "greet.py").write_text("def greet(name):\n    return 'Hello ' + name\n")
    return folder


async def test_a_change_from_the_message_to_its_undoing(tmp_path, root):
    before = (root / "greet.py").read_bytes()
    async with in_process(tmp_path, *CHANGE) as (client, _):
        body = {"message": "Say Hi.", "root": str(root), "allowed": ["write"]}
        streamed = await client.post("/api/ide/messages/stream", json=body)
        frames = sse_data(streamed.text)
        last = frames[-2]
        assert (last["type"], last["changed_files"]) == ("complete", ["greet.py"])
        assert last["message"].endswith("It says Hi now.")
        assert "".join(frame["delta"] for frame in frames[:-1] if "delta" in frame) == "It says Hi now."
        assert [event["payload"]["name"] for event in events_of(frames, "tool_call")] == ["replace_in_file"]
        about = f"/api/ide/conversations/{last['session_id']}"
        assert (await client.get("/api/ide/conversations", params={"root": str(root)})).json()["conversations"][0][
            "session_id"
        ] == last["session_id"]
        assert (await client.get(about)).json()["runs"][0]["run_id"] == last["run_id"]
        report = await client.get(f"/api/ide/runs/{last['run_id']}/qa-report")
        assert report.json()["summary"] == "It is short."
        [checkpoint] = (await client.get(about + "/checkpoints")).json()["checkpoints"]
        assert (checkpoint["checkpoint"], checkpoint["paths"]) == (last["run_id"], ["greet.py"])
        shown = (await client.get(about + f"/checkpoints/{last['run_id']}/diff")).json()["diff"]
        assert "+    return 'Hi ' + name" in shown
        undone = await client.post(about + "/checkpoints/undo", json={})
        assert undone.json()["changed_files"] == ["greet.py"]
        assert (root / "greet.py").read_bytes() == before
        again = await client.post(about + "/checkpoints/undo", json={"checkpoint": last["run_id"]})
        assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
        restored = await client.post(about + "/checkpoints/restore", json={"checkpoint": undone.json()["checkpoint"]})
        assert restored.status_code == 200
        assert b"Hi " in (root / "greet.py").read_bytes()


async def test_a_permission_that_is_given_for_good_is_asked_for_once(tmp_path, root):
    async with in_process(tmp_path, *CHANGE, call("delete_file", path="greet.py"), *CHANGE[1:]) as (client, _):
        sent = (await client.post("/api/ide/messages", json={"message": "Say Hi.", "root": str(root)})).json()

        async def waits():
            return (await client.get(f"/api/runs/{sent['run_id']}")).json()["status"] == "waiting_input"

        async def over():
            return (await client.get(f"/api/runs/{sent['run_id']}")).json()["status"] == "completed"

        await until(waits)
        [gate] = (await client.get("/api/gates")).json()["gates"]
        assert "+    return 'Hi ' + name" in gate["details"]["diff"]
        answer = {"decision": "approve", "scope": "always"}
        assert (await client.post(f"/api/gates/{gate['gate_id']}", json=answer)).status_code == 200
        await until(over)
        later = {"message": "Delete it.", "session_id": sent["session_id"]}
        frames = sse_data((await client.post("/api/ide/messages/stream", json=later)).text)
        assert frames[-2]["type"] == "complete"
        assert not (root / "greet.py").exists()
        assert json.loads((tmp_path / "home" / "permissions.json").read_text()) == {"ide": {str(root): ["write"]}}


async def test_a_project_that_holds_the_home_is_refused(tmp_path, root):
    async with in_process(tmp_path) as (client, _):
        for folder in (tmp_path, tmp_path / "home", "/"):
            answer = await client.post("/api/ide/messages", json={"message": "Hello.", "root": str(folder)})
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input"), folder
        assert (await client.get("/api/ide/conversations")).json() == {"conversations": []}


async def test_search_map_and_memory(tmp_path, root):
    script = [Turn("It greets.")]
    async with in_process(tmp_path, *script) as (client, _):
        body = {"message": "What is it?", "root": str(root), "mode": "chat"}
        frames = sse_data((await client.post("/api/ide/messages/stream", json=body)).text)
        about = f"/api/ide/conversations/{frames[-2]['session_id']}"
        symbols = await client.get(about + "/search", params={"query": "greet", "in": "symbols"})
        assert (symbols.json()["found"][0]["path"], symbols.json()["found"][0]["line_start"]) == ("greet.py", 1)
        text = await client.get(about + "/search", params={"query": "Hello"})
        assert text.json()["found"] == [{"path": "greet.py", "line": 2, "text": "    return 'Hello ' + name"}]
        files = await client.get(about + "/search", params={"query": "*.py", "in": "files"})
        assert files.json()["found"] == [{"path": "greet.py"}]
        assert "greet.py: greet" in (await client.get(about + "/map")).json()["map"]
        added = await client.post(about + "/memory", json={"content": "Tests run with pytest.", "category": "build"})
        assert added.status_code == 201
        [known] = (await client.get(about + "/memory")).json()["memories"]
        assert known["content"] == "Tests run with pytest."
        address = about + f"/memory/{known['memory_id']}"
        assert (await client.delete(address)).status_code == 409
        assert (await client.delete(address, params={"confirmed": True})).status_code == 200
        assert (await client.get(about + "/memory")).json()["memories"] == []


async def test_what_cannot_be_used_is_refused_with_a_hint(tmp_path, root):
    async with in_process(tmp_path) as (client, _):
        nothing = await client.post("/api/ide/messages", json={"message": "Hello"})
        assert (nothing.status_code, "session_id" in nothing.json()["error"]["hint"]) == (400, True)
        gone = await client.post("/api/ide/messages", json={"message": "Hello", "root": str(root / "gone")})
        assert (gone.status_code, gone.json()["error"]["code"]) == (400, "invalid_input")
        assert (await client.get("/api/ide/conversations/unknown/map")).status_code == 404
        wrong = await client.post("/api/ide/messages", json={"message": "x", "root": str(root), "allowed": ["sudo"]})
        assert wrong.status_code == 422
