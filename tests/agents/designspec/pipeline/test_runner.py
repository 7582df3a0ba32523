"""The worker process is followed, limited and ended, whatever it does."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loopwright.agents.designspec.pipeline.reports import PipelineJob, PipelineProgress, WorkerLimits
from loopwright.agents.designspec.pipeline.runner import run_pipeline
from tests.agents.designspec.pipeline.documents import two_channels

SAY = """
import json, os, subprocess, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
job = json.loads(sys.stdin.readline())
say(progress={"kind": "stage_started", "stage": "compile_policies"})
say(progress={"kind": "stage_finished", "stage": "compile_policies",
              "report": {"stage": "compile_policies", "success": True}})
say(progress={"kind": "stage_started", "stage": "embed"})
"""


def job_in(folder: Path, **limits: float) -> PipelineJob:
    """A job of an almost empty document."""
    return PipelineJob(
        run_id="run_1",
        document={"meta": {"name": "trial"}},
        project_dir=folder,
        run_dir=folder / "artifacts" / "run_1",
        limits=WorkerLimits.model_validate(limits),
    )


def gone(process: int) -> bool:
    """Whether the process has ended (or only waits for its parent to notice)."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


async def until_gone(process: int) -> None:
    """Wait for it."""
    for _ in range(500):
        if gone(process):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"process {process} lives on")


async def test_the_last_line_is_the_report(tmp_path: Path) -> None:
    """Progress is passed on; the child's surroundings hold no secrets of ours."""
    os.environ["OPENAI_API_KEY"] = "secret"
    script = SAY + (
        "print('to the log', file=sys.stderr)\n"
        "say(progress={'kind': 'progress', 'stage': 'embed', 'share': 0.5, 'message': str(sorted(os.environ))})\n"
        "say(result={'run_id': job['run_id'], 'success': True, 'spec_hash': 'abc'})\n"
    )
    seen: list[PipelineProgress] = []
    try:
        report = await run_pipeline(job_in(tmp_path), seen.append, command=("-c", script))
    finally:
        del os.environ["OPENAI_API_KEY"]
    assert report.success
    assert report.spec_hash == "abc"
    assert [progress.kind for progress in seen] == ["stage_started", "stage_finished", "stage_started", "progress"]
    assert "OPENAI_API_KEY" not in seen[-1].message
    assert "OPENBLAS_NUM_THREADS" in seen[-1].message
    assert (tmp_path / "artifacts/run_1/worker.log").read_text(encoding="utf-8") == "to the log\n"


@pytest.mark.parametrize(
    ("death", "said"),
    [
        ("os.kill(os.getpid(), 9)", "killed by SIGKILL; it may have needed more memory"),
        ("os.abort()", "killed by SIGABRT"),
        (
            "raise SystemExit('the disk is full')",
            "ended with code 1 before it was done. Its last words: the disk is full",
        ),
        ("sys.stdout.write('{\"resu'); sys.stdout.flush(); os._exit(3)", "ended with code 3"),
    ],
)
async def test_a_worker_that_dies_gives_a_failed_report(death: str, said: str, tmp_path: Path) -> None:
    """It says what happened and how far the run came, on disk as well."""
    report = await run_pipeline(job_in(tmp_path), lambda progress: None, command=("-c", SAY + death))
    assert not report.success
    assert said in report.errors[0]
    assert report.stages_completed == ["compile_policies"]
    assert report.stage_failed == "embed"
    assert json.loads((tmp_path / "artifacts/run_1/run_report.json").read_bytes())["errors"] == report.errors


async def test_a_stage_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    """The limit counts from the stage's start."""
    job = job_in(tmp_path, stage_seconds=0.6)
    began = time.monotonic()
    report = await run_pipeline(job, lambda progress: None, command=("-c", SAY + "time.sleep(60)"))
    assert time.monotonic() - began < 30
    assert report.errors == ["Stage embed took longer than 0.6 s and was stopped."]


async def test_cancelling_ends_the_worker_and_its_children(tmp_path: Path) -> None:
    """Before the cancellation goes on, no process is left."""
    script = SAY + (
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "say(progress={'kind': 'progress', 'stage': 'embed', 'message': f'{os.getpid()} {child.pid}'})\n"
        "time.sleep(60)\n"
    )
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def listen(progress: PipelineProgress) -> None:
        if progress.message:
            told.set_result(progress.message)

    running = asyncio.create_task(run_pipeline(job_in(tmp_path), listen, command=("-c", script)))
    worker, child = map(int, (await told).split())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert gone(worker)
    await until_gone(child)
    report = json.loads((tmp_path / "artifacts/run_1/run_report.json").read_bytes())
    assert report["errors"] == ["The run was cancelled."]
    assert report["stages_completed"] == ["compile_policies"]


def test_a_dead_parent_takes_the_worker_with_it(tmp_path: Path) -> None:
    """Killed outright, the parent has no chance to tell its worker anything."""
    trial = Path(__file__).with_name("trial_worker.py")
    job = job_in(tmp_path)
    job.document = two_channels(embed="sleep")
    parent = (
        "import asyncio, sys\n"
        "from loopwright.agents.designspec.pipeline.reports import PipelineJob\n"
        "from loopwright.agents.designspec.pipeline.runner import run_pipeline\n"
        "job = PipelineJob.model_validate_json(sys.stdin.readline())\n"
        "def listen(progress):\n"
        "    if progress.message:\n        print(progress.message, flush=True)\n"
        f"asyncio.run(run_pipeline(job, listen, command=({str(trial)!r},)))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(job.model_dump_json() + "\n")
        process.stdin.flush()
        worker = int(process.stdout.readline())
        assert not gone(worker)
        process.kill()
        asyncio.run(until_gone(worker))
