"""A run takes what is kept, makes what is not, and tells the truth about both."""

import asyncio
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.designspec.pipeline.reports import PipelineJob, PipelineProgress, RunReport, WorkerLimits
from loopwright.agents.designspec.pipeline.runner import run_pipeline
from tests.agents.designspec.pipeline.documents import two_channels
from tests.agents.designspec.pipeline.test_runner import gone

TRIAL = (str(Path(__file__).with_name("trial_worker.py")),)


def job_of(folder: Path, document: dict[str, Any], limits: WorkerLimits | None = None, **plan: Any) -> PipelineJob:
    """A job in a run's folder of its own."""
    number = len(list(folder.glob("artifacts/*")))
    return PipelineJob.model_validate(
        {
            "run_id": f"run_{number}",
            "document": document,
            "project_dir": folder,
            "run_dir": folder / "artifacts" / f"run_{number}",
            "plan": plan,
            "limits": limits or WorkerLimits(),
        }
    )


async def run(folder: Path, document: dict[str, Any], limits: WorkerLimits | None = None, **plan: Any) -> RunReport:
    """Run it with the trial stages."""
    return await run_pipeline(job_of(folder, document, limits, **plan), lambda progress: None, command=TRIAL)


def remade(report: RunReport) -> list[str]:
    """The stages that were not taken from earlier runs."""
    return [stage.stage for stage in report.stage_reports if not stage.cached]


async def test_an_edit_reruns_only_what_it_changes(tmp_path: Path) -> None:
    """Each edit on top of the same first run."""
    first = await run(tmp_path, two_channels())
    assert first.success
    assert len(remade(first)) == 14
    assert remade(await run(tmp_path, two_channels())) == ["export"]

    renamed = two_channels()
    renamed["meta"] |= {"name": "other", "description": "…", "tags": ["x"]}
    assert remade(await run(tmp_path, renamed)) == ["export"]

    ridged = two_channels()
    ridged["policies"]["ridge"]["height"] = 2
    after_ridge = ["compile_policies", "mesh_domain", "embed", "port_recarve", "validity", "export"]
    assert remade(await run(tmp_path, ridged)) == after_ridge

    wider = two_channels()
    wider["components"][1]["ports"]["inlets"][0]["radius"] = 0.7
    remade_by_port = remade(await run(tmp_path, wider))
    assert "component_build:drill" in remade_by_port
    assert not {"compile_domains", "component_ports:tree", "mesh_domain"} & set(remade_by_port)

    # The seed is no matter of the ports, and the spare domain none of the components.
    seeded = two_channels()
    seeded["meta"]["seed"] = 7
    seeded["domains"]["spare"]["radius"] = 4
    remade_by_seed = remade(await run(tmp_path, seeded))
    assert "compile_domains" in remade_by_seed
    assert "component_ports:tree" not in remade_by_seed
    assert "component_build:tree" in remade_by_seed
    assert "mesh_domain" not in remade_by_seed


async def test_a_broken_entry_is_made_again(tmp_path: Path) -> None:
    """Every kept file is cut short; the run notices and succeeds."""
    await run(tmp_path, two_channels())
    for entry in (tmp_path / "cache").iterdir():
        entry.write_bytes(entry.read_bytes()[:-3])
    report = await run(tmp_path, two_channels())
    assert report.success
    assert len(remade(report)) == 14


async def test_run_only_takes_the_rest_from_earlier_runs(tmp_path: Path) -> None:
    """Or says which stage must run first."""
    refused = await run(tmp_path, two_channels(), run_only=["embed"])
    assert not refused.success
    assert "embed needs the result of mesh_domain" in refused.errors[0]
    assert "Run mesh_domain first" in refused.errors[0]
    await run(tmp_path, two_channels(), run_until="union_voids")
    await run(tmp_path, two_channels(), run_only=["mesh_domain"])
    report = await run(tmp_path, two_channels(), run_only=["embed"])
    assert report.success
    assert report.stages_completed == ["embed"]


async def test_a_skipped_stage_that_others_need(tmp_path: Path) -> None:
    """Its kept result serves; without one the run does not begin. Validity and export make do without."""
    refused = await run(tmp_path, two_channels(), skip=["union_voids"])
    assert "embed needs the result of union_voids" in refused.errors[0]
    assert refused.stages_completed == []
    less = await run(tmp_path, two_channels(), skip=["union_voids", "embed", "port_recarve"])
    assert less.success
    assert less.stages_skipped == ["union_voids", "embed", "port_recarve"]
    whole = await run(tmp_path, two_channels())
    assert {"validity", "embed"} <= set(remade(whole)), "a verdict on less is no verdict on the whole"
    assert (await run(tmp_path, two_channels(), skip=["union_voids"])).errors == []


async def test_a_subset_is_a_smaller_design(tmp_path: Path) -> None:
    """The run says what it lacks."""
    report = await run(tmp_path, two_channels(), components_subset=["drill"])
    assert report.success
    assert "component_build:tree" not in report.stages_completed
    assert report.warnings == ["The components tree are left out of this run."]
    assert "component_build:tree" in report.stages_skipped


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("refuse", "/components/0/ports: no. Try others."),
        ("break_down", "union_voids broke down: ZeroDivisionError: of the program"),
        ("allocate", "union_voids needs more memory than the 300 MB that it may have."),
    ],
)
async def test_the_first_failed_stage_stops_the_run(deed: str, said: str, tmp_path: Path) -> None:
    """Expected failures, defects and want of memory alike."""
    report = await run(tmp_path, two_channels(union_voids=deed), WorkerLimits(memory_mb=300))
    assert not report.success
    assert report.stage_failed == "union_voids"
    assert report.errors == [said]
    assert report.stage_reports[-1].stage == "union_voids"
    assert not report.stage_reports[-1].success


async def test_a_bad_verdict_fails_the_run_but_not_its_export(tmp_path: Path) -> None:
    """What is printed by libraries disturbs nobody; the verdict is kept like any other result."""
    for _ in range(2):
        report = await run(tmp_path, two_channels(validity="scribble"))
        assert not report.success
        assert report.stage_failed == "validity"
        assert report.errors == ["judged"]
        assert report.stages_completed[-1] == "export"
        assert report.validity is not None
        assert report.validity.status == "fail"


async def test_every_run_leaves_its_reports_and_a_manifest(tmp_path: Path) -> None:
    """Whatever became of it; each file by its path, size and hash."""
    for document in (two_channels(), two_channels(union_voids="refuse"), {"schema": 1}):
        report = await run(tmp_path, document)
        folder = Path(report.output_dir)
        manifest = json.loads((folder / report.artifacts["artifact_manifest"]).read_bytes())
        files = {file["path"]: file for file in manifest["files"]}
        assert {"run_report.json", "mesh_stats.json", "network_stats.json"} <= set(files)
        for path, file in files.items():
            content = (folder / path).read_bytes()
            assert (file["size"], file["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
        assert RunReport.model_validate_json((folder / "run_report.json").read_bytes()) == report


@pytest.mark.parametrize(
    ("document", "plan", "pointer"),
    [
        ({"schema": 1}, {}, "/"),
        (two_channels() | {"domains": {"block": {"type": "sphere", "radius": -1}}}, {}, "/domains/block/radius"),
        (two_channels(), {"run_until": "embd"}, "no pipeline stage 'embd'"),
        (two_channels(), {"components_subset": ["x"]}, "no component 'x'"),
    ],
)
async def test_what_cannot_begin_says_why(
    document: dict[str, Any], plan: dict[str, Any], pointer: str, tmp_path: Path
) -> None:
    """A bad document and a bad plan fail the first stage."""
    report = await run_pipeline(job_of(tmp_path, document, **plan), lambda progress: None, command=TRIAL)
    assert not report.success
    assert report.stage_failed == "compile_policies"
    assert pointer in report.errors[0]


async def test_cancelling_ends_even_native_code(tmp_path: Path) -> None:
    """The interpreter's lock is held by a call that would last a minute."""
    told: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def listen(progress: PipelineProgress) -> None:
        if progress.message:
            told.set_result(int(progress.message))

    job = job_of(tmp_path, two_channels(embed="sleep"))
    running = asyncio.create_task(run_pipeline(job, listen, command=TRIAL))
    worker = await told
    began = time.monotonic()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert gone(worker)
    assert time.monotonic() - began < 30
