"""From a sentence to an STL that a slicer takes: over the CLI and over HTTP, offline and with a scripted server."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Installation
from tests.support.meshes import assert_clean_for_admesh, assert_printable
from tests.support.model_server import ModelServer, text
from tests.support.service import Service, served

BOX = "Create a box domain 20x60x30mm"
TREE = "add two inlets on top and grow a tree with 64 tips"
RUN = "run it"

PORTS = [
    {"name": f"in_{side}", "position": [x, 0.0, 0.015], "direction": [0, 0, -1], "radius": 0.001}
    for side, x in (("left", -0.005), ("right", 0.005))
]
SCRIPT = [
    {
        "assistant_message": "A box of 20 × 60 × 30 mm.",
        "proposed_patches": [
            {
                "op": "add",
                "path": "/domains/body",
                "value": {
                    "type": "box",
                    **{f"{axis}_{end}": sign * size for axis, size in zip("xyz", (0.01, 0.03, 0.015), strict=True)
                       for end, sign in (("min", -1), ("max", 1))},
                },
            }
        ],
        "requires_approval": False,
    },
    {
        "assistant_message": "Two channels from the top.",
        "proposed_patches": [
            {
                "op": "add",
                "path": "/components/-",
                "value": {
                    "id": "channels",
                    "domain_ref": "body",
                    "ports": {"inlets": PORTS, "outlets": []},
                    "build": {"type": "primitive_channels"},
                },
            }
        ],
    },
    {"assistant_message": "I run it.", "run_request": {"run": True, "run_until": "full", "reason": "asked"}},
]  # fmt: skip


def replies() -> list[Any]:
    """The script as a model server plays it."""
    return [text(f"```json\n{json.dumps(directive)}\n```") for directive in SCRIPT]


def check_result(line: dict[str, Any], folder: Path) -> None:
    """The last line of a run, and the files that it names."""
    assert line["type"] == "complete"
    assert line["success"] is True, line["errors"]
    assert line["stages"][0] == "compile_policies"
    assert line["stages"][-1] == "export"
    assert line["validity"]["status"] in ("ok", "warnings")
    assert all(
        check["passed"] or check.get("skipped")
        for check in line["validity"]["checks"]
        if check["name"] != "min_feature"
    )
    assert line["duration_s"] > 0
    output = Path(line["output_dir"])
    assert str(folder) in str(output)
    solid = next(path for name, path in line["artifacts"].items() if path.endswith(".stl") and "solid" in path + name)
    mesh = assert_printable(output / solid)
    assert mesh.extents.tolist() == pytest.approx([20, 60, 30], rel=1e-3)
    assert_clean_for_admesh(output / solid)


def test_three_sentences_on_the_command_line_offline(tmp_path: Path) -> None:
    place = Installation(tmp_path)
    first = place.run("designspec", "--project-dir", "part", "--message", BOX, "--json")
    assert (first.code, first.last["type"]) == (3, "waiting")
    assert first.last["gate"]["kind"] == "patch"
    assert len(first.last["gate"]["details"]["operations"]) == 1
    answered = place.run("runs", "answer", first.last["run_id"], "--approve", "--json")
    assert (answered.code, answered.last["type"]) == (0, "complete")
    assert answered.last["patches"]["applied"]
    second = place.run("designspec", "-p", "part", "-m", TREE, "--approve", "patches", "--json")
    assert second.code == 0, second.err
    third = place.run("designspec", "-p", "part", "-m", RUN, "--approve", "patches", "--json")
    assert (third.code, third.last["gate"]["kind"]) == (3, "run")
    done = place.run("runs", "answer", third.last["run_id"], "--approve", "--json")
    check_result(done.last, tmp_path / "part")
    kinds = [line["type"] for line in done.lines]
    assert kinds.count("pipeline_stage_finished") == len(done.last["stages"])
    assert kinds.index("pipeline_started") < kinds.index("pipeline_finished")


def test_three_sentences_in_one_command_and_back_again(tmp_path: Path) -> None:
    place = Installation(tmp_path)
    done = place.run(
        "designspec", "-p", "part", "-m", BOX, "-m", "add 3 straight channels from the top, 1 mm wide", "-m", RUN,
        "--approve", "all", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    check_result(done.last, tmp_path / "part")
    history = place.run("designspec", "history", "-p", "part", "--json")
    assert [line["author"] for line in history.lines] == ["llm", "llm", "create"]
    again = place.run("designspec", "-p", "part", "-m", RUN, "--run-until", "embed", "--approve", "all", "--json")
    stages = [line["payload"] for line in again.lines if line["type"] == "pipeline_stage_finished"]
    assert [stage["stage"] for stage in stages][-1] == "embed"
    assert all(stage["cached"] for stage in stages if stage["stage"] not in ("compile_policies", "compile_domains"))
    assert place.run("designspec", "undo", "-p", "part", "--json").code == 0
    assert json.loads((tmp_path / "part/spec.json").read_text())["components"] == []
    nothing = place.run("designspec", "-p", "part", "-m", "hello", "--run-until", "embed", "--approve", "all", "--json")
    assert nothing.last["success"] is False
    assert "/components" in nothing.last["message"]


async def test_the_command_line_with_a_scripted_server(tmp_path: Path) -> None:
    place = Installation(tmp_path)
    async with ModelServer(replies()) as server:
        done = await asyncio.to_thread(
            place.run, "designspec", "-p", "part", "-m", BOX, "-m", TREE, "-m", RUN, "--approve", "all", "--json",
            "--provider", server.base_url, "--model", "scripted-1", "--api-key", "sk-secret-key",
        )  # fmt: skip
        assert done.code == 0, done.err
        check_result(done.last, tmp_path / "part")
        assert done.last["model"] == "scripted"  # as the server calls itself
        server.assert_done()
        assert all(request.headers["authorization"] == "Bearer sk-secret-key" for request in server.requests)
    assert not files_with(tmp_path, b"sk-secret-key"), "the key is kept nowhere"


def files_with(folder: Path, secret: bytes) -> list[Path]:
    """The files below a folder that hold this."""
    return [path for path in folder.rglob("*") if path.is_file() and secret in path.read_bytes()]


@pytest.mark.parametrize("offline", [True, False], ids=["offline", "scripted"])
async def test_three_messages_over_http(tmp_path: Path, offline: bool) -> None:
    if offline:
        async with served(Installation(tmp_path)) as service:
            await converse(service, tmp_path)
        return
    async with (
        ModelServer(replies()) as server,
        served(Installation(tmp_path), OPENAI_BASE_URL=server.base_url) as service,
    ):
        await converse(service, tmp_path)
        server.assert_done()


async def converse(service: Service, folder: Path) -> None:
    """Box, tree, run; each answered at the inbox of gates; then the project is looked at."""
    session: str | None = None
    run: dict[str, Any] = {}
    for message, kind in ((BOX, "patch"), (TREE, "patch"), (RUN, "run")):
        body = {"agent": "designspec", "message": message, "session_id": session}
        run = (await service.client.post("/api/runs", json=body)).json()
        session = run["session_id"]
        run = await service.until_over(run["run_id"])
        assert run["status"] == "waiting_input"
        [gate] = (await service.get("/api/gates"))["gates"]
        assert gate["kind"] == kind
        if kind == "patch":
            assert (await service.get(f"/api/designspec/{session}/patches"))["pending"][0]["gate_id"] == gate["gate_id"]
        answer = await service.client.post(f"/api/gates/{gate['gate_id']}", json={"decision": "approve"})
        assert answer.status_code < 300, answer.text
        again = await service.client.post(f"/api/gates/{gate['gate_id']}", json={"decision": "reject"})
        assert again.status_code == 409
        run = await service.until_over(run["run_id"])
        assert run["status"] == "completed", run
    project = f"/api/designspec/{session}"
    events = (await service.get(f"/api/runs/{run['run_id']}/events"))["events"]
    finished = next(event for event in events if event["type"] == "run_completed")["payload"]["result"]
    check_result({"type": "complete", **finished}, folder)
    spec = await service.get(f"{project}/spec")
    assert spec["valid"] is True
    [entry] = (await service.get(f"{project}/runs"))["runs"]
    assert entry["success"] is True
    report = await service.get(f"{project}/reports/last_runner_result")
    assert report["report"]["success"] is True
    name = next(path for path in finished["artifacts"].values() if path.endswith(".stl"))
    file = await service.client.get(f"{project}/artifacts/{Path(finished['output_dir']).name}/{name}")
    assert file.status_code == 200
    assert len(file.content) > 84
    for outside in ("../spec.json", "..%2F..%2Fspec.json", "%2Fetc%2Fpasswd", "nothing.stl"):
        assert (await service.client.get(f"{project}/artifacts/{outside}")).status_code in (400, 404, 422), outside
    await the_users_own_hands(service, project, spec["document_hash"])


async def the_users_own_hands(service: Service, project: str, base_hash: str) -> None:
    """A patch of the user's own, a stale one, undo, a run that they ask for outright."""
    patch = {"operations": [{"op": "replace", "path": "/meta/seed", "value": 7}], "base_hash": base_hash}
    assert (await service.client.post(f"{project}/patches", json=patch)).status_code == 201
    assert (await service.client.post(f"{project}/patches", json=patch)).status_code == 409
    bad = {"operations": [{"op": "remove", "path": "/schema"}], "base_hash": base_hash}
    assert (await service.client.post(f"{project}/patches", json=bad)).status_code in (400, 409, 422)
    assert (await service.client.post(f"{project}/undo")).status_code == 201
    assert (await service.get(f"{project}/spec"))["document_hash"] == base_hash
    unknown = await service.client.post(f"{project}/runs", json={"run_until": "everything"})
    assert unknown.status_code in (400, 422)
    assert "compile_policies" in unknown.text
    started = await service.client.post(f"{project}/runs", json={"run_until": "compile_domains"})
    assert started.status_code == 201
    run = await service.until_over(started.json()["run_id"])
    assert run["status"] == "completed"
    assert len((await service.get(f"{project}/runs"))["runs"]) == 2
    assert (await service.get("/api/designspec/schema"))["properties"]["domains"]
    checked = await service.client.post(
        "/api/designspec/validate", json={"schema": {"name": "aog_designspec", "version": "2.0.0"}}
    )
    assert checked.json()["valid"] is False


def test_an_endpoint_that_cannot_be_reached_is_replaced_by_the_rules_and_said_so(tmp_path: Path) -> None:
    place = Installation(tmp_path, {"MODEL_RETRIES": "0"})
    done = place.run(
        "designspec", "-p", "part", "-m", BOX, "--approve", "all", "--json", "--provider", "http://127.0.0.1:9/v1",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert [line["type"] for line in done.lines].count("model_fell_back") == 1
    assert json.loads((tmp_path / "part/spec.json").read_text())["domains"]


def test_the_legacy_agent_never_asks_an_endpoint(tmp_path: Path) -> None:
    place = Installation(tmp_path, {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "MODEL_RETRIES": "0"})
    done = place.run("designspec", "-p", "part", "-m", BOX, "--approve", "all", "--json", "--legacy-agent")
    assert done.code == 0, done.err
    assert "model_fell_back" not in [line["type"] for line in done.lines]
