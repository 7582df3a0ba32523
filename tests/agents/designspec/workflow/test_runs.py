"""Runs of the pipeline: behind their gate, bound to the document, taken up after a crash, stopped on request."""

import asyncio
import json

import pytest

from loopwright.agents.designspec.spec import AGENT
from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import Cancelled, Finished, Waiting
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.testing import Death, MortalJournal, resume_run, start_run
from tests.agents.designspec.workflow.support import ADD_BOX, APPROVE, REJECT, Talk, say, talk

PORT = {"name": "top", "position": [0.01, 0.03, 0.03], "direction": [0, 0, -1], "radius": 0.001}
CHANNEL = {
    "op": "add",
    "path": "/components/-",
    "value": {
        "id": "channel",
        "domain_ref": "body",
        "ports": {"inlets": [PORT], "outlets": []},
        "build": {"type": "primitive_channels"},
    },
}
RUN = {"run_request": {"run": True, "run_until": "compile_domains", "reason": "to see", "expected_signal": "a body"}}
SEED = {"op": "replace", "path": "/meta/seed", "value": 7}


@pytest.fixture(autouse=True)
def nothing_stays_armed():
    yield
    disarm()


@pytest.fixture
async def part(tmp_path):
    """A project whose document can run."""
    talking = await talk(tmp_path / "part", say("A part.", ADD_BOX, CHANNEL))
    await talking.answer(APPROVE)
    return tmp_path / "part"


def change_seed(project):
    document = project.document()
    changed = document | {"meta": document["meta"] | {"seed": 7}}
    project.save(changed, author="user", operations=[SEED], proposal_id=None, expected_hash=project.document_hash)


async def test_a_run_waits_for_a_yes_and_then_runs(part):
    talking = await talk(part, say("I run it.", requires_approval=False, **RUN), say("It holds."))
    gate = talking.gate
    assert gate.kind == "run"
    assert gate.details["spec_hash"] == talking.project.document_hash
    assert gate.details["stages"] == ["compile_policies", "compile_domains"]
    assert gate.details["expected_signal"] == "a body"
    assert gate.details["estimate"]["seconds"] >= 0
    assert not list((part / "artifacts").iterdir())
    outcome = await talking.answer(APPROVE)
    assert isinstance(outcome, Finished)
    assert "The run succeeded" in outcome.text
    assert outcome.text.startswith("It holds.")
    told = talking.model.requests[-1].messages[-2]
    assert (told.role, told.content[:18]) == ("user", "The run has ended.")
    assert "The run succeeded" in told.content
    assert talking.stored("pipeline_started")[0]["expected_signal"] == "a body"
    assert [event["stage"] for event in talking.stored("pipeline_stage_finished")] == gate.details["stages"]
    result = talking.stored("run_completed")[0]["result"]
    assert (result["success"], result["stages"]) == (True, gate.details["stages"])
    index = json.loads((part / "reports/artifact_index.json").read_text())
    assert len(index if isinstance(index, list) else index["runs"]) == 1
    assert json.loads((part / "logs/agent_turns.jsonl").read_text().splitlines()[-1])["run_executed"] is True


async def test_a_no_runs_nothing(part):
    talking = await talk(part, say("I run it.", **RUN))
    outcome = await talking.answer(REJECT)
    assert isinstance(outcome, Finished)
    assert "Nothing was run" in outcome.text
    assert not list((part / "artifacts").iterdir())


async def test_patches_are_asked_for_first_and_the_run_is_kept_pending(part):
    talking = await talk(part, say("Both.", SEED, **RUN), say("It holds."))
    assert talking.gate.kind == "patch"
    await talking.answer(APPROVE)
    assert talking.gate.kind == "run"
    assert talking.gate.details["spec_hash"] == talking.project.document_hash
    assert isinstance(await talking.answer(APPROVE), Finished)
    assert len(talking.stored("pipeline_finished")) == 1


async def test_a_yes_to_another_document_is_refused_with_the_difference(part):
    talking = await talk(part, say("I run it.", **RUN), say("It holds."))
    first = talking.gate
    change_seed(talking.project)
    assert isinstance(await talking.answer(APPROVE), Waiting)
    assert talking.gate.gate_id != first.gate_id
    assert talking.gate.details["spec_hash"] == talking.project.document_hash
    assert any("seed" in line for line in talking.gate.details["stale"])
    assert not talking.stored("pipeline_started")
    await talking.answer(APPROVE)
    assert talking.stored("pipeline_started")[0]["spec_hash"] == talking.project.document_hash


async def test_a_document_that_cannot_run_is_never_put_to_the_user(tmp_path):
    talking = await talk(tmp_path / "part", say("I run it.", **RUN), say("It has no domain yet."))
    assert talking.outcome == Finished("It has no domain yet.")
    assert "cannot be run yet" in talking.model.requests[-1].messages[-2].content
    assert not talking.stored("gate_opened")


async def test_the_users_own_run_needs_no_model(part):
    plan = {"run_plan": {"run_until": "compile_domains"}}
    talking = await talk(part, options=plan)
    assert isinstance(talking.outcome, Finished)
    assert talking.stored("pipeline_finished")[0]["success"] is True
    confirmed = await talk(part, options=plan | {"confirm": True})
    assert confirmed.gate.kind == "run"
    await confirmed.answer(APPROVE)
    assert all(event["cached"] for event in confirmed.stored("pipeline_stage_finished")[1:])


async def test_a_failed_run_says_why(part):
    imported = {"type": "import_void_mesh", "mesh_path": "missing.stl"}
    patch = {"op": "replace", "path": "/components/channel/build", "value": imported}
    talking = await talk(part, say("Another void.", patch))
    await talking.answer(APPROVE)
    talking = await talk(part, options={"run_plan": {"run_until": "component_build"}})
    assert isinstance(talking.outcome, Finished)
    assert "The run failed" in talking.outcome.text
    assert "missing.stl" in talking.outcome.text
    assert talking.stored("run_completed")[0]["result"]["success"] is False


@pytest.mark.parametrize(
    ("point", "hits"),
    [("gate.opened", 1), ("gate.opened", 2), ("action.started", 2), ("action.effect", 1), ("action.effect", 2)],
)
async def test_a_process_that_dies_is_followed_by_one_that_does_nothing_twice(part, point, hits):
    journal = MortalJournal()
    run = start_run(
        AGENT, Talk(part, [say("Both.", SEED, **RUN), say("It holds.")]).scripted(), output_dir=part, journal=journal
    )
    arm(point, journal.die, hits)
    deaths, outcome = 0, None
    await run.enter("started")
    for _ in range(12):
        try:
            outcome = await run_agentic_loop(run)
        except Death:
            deaths += 1
            disarm()
            run = resume_run(run)
            await run.enter("resumed")
            continue
        if not isinstance(outcome, Waiting):
            break
        answered = GateAnswered(gate_id=outcome.gate.gate_id, answer=APPROVE)
        run = resume_run(run, payloads=[answered])
        await run.enter("answered")
    assert deaths == 1
    assert isinstance(outcome, Finished)
    stored = [event.type for event in journal.events[run.state.run_id]]
    assert stored.count("patch_applied") == 1
    assert stored.count("pipeline_started") == 1
    assert stored.count("pipeline_finished") == 1
    folders = list((part / "artifacts").iterdir())
    assert len(folders) == 1


async def test_a_cancelled_run_stops_its_worker(part, monkeypatch):
    started = asyncio.Event()
    ended = []

    async def endless(job, on_progress):
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    monkeypatch.setattr("loopwright.agents.designspec.workflow.runs.run_pipeline", endless)
    talking = Talk(part, [], options={"run_plan": {"run_until": "full"}})
    playing = asyncio.ensure_future(talking.begin())
    await started.wait()
    talking.run.cancel()
    assert isinstance(await playing, Cancelled)
    assert ended == [True]
