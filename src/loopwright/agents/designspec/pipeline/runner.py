"""Runs the pipeline in a process of its own: geometry never holds up the event loop and can always be stopped."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.pipeline.reports import (
    WORKER_LOG,
    PipelineJob,
    PipelineProgress,
    RunReport,
    StageReport,
    WorkerMessage,
    write_run_report,
)

WORKER_COMMAND = ("-m", "loopwright.agents.designspec.pipeline.worker")
LONGEST_LINE = 32 * 2**20
"""Bytes. A stage's report with every failed place of a large network stays far below."""

OnProgress = Callable[[PipelineProgress], None]

WORKER_ENVIRONMENT = {
    "PATH": os.defpath,
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_TRIM_THRESHOLD_": "1000000",
    "MESA_SHADER_CACHE_DISABLE": "true",
}
"""All that the worker sees of the surroundings: no key and no setting of this process reaches code that reads a
user's files. With few arenas and early trimming, large solids that are done with do not stay in the way of the next."""


@dataclass
class _Watch:
    """What the worker has told so far."""

    started: float = field(default_factory=monotonic)
    stage: str | None = None
    stage_started: float = field(default_factory=monotonic)
    reports: list[StageReport] = field(default_factory=list)
    result: RunReport | None = None

    def note(self, message: WorkerMessage, on_progress: OnProgress) -> None:
        """Keep what the message says and pass progress on."""
        self.result = message.result or self.result
        if message.progress is None:
            return
        progress = message.progress
        if progress.kind == "stage_started":
            self.stage, self.stage_started = progress.stage, monotonic()
        if progress.kind == "stage_finished" and progress.report is not None:
            self.stage, self.stage_started = None, monotonic()
            self.reports.append(progress.report)
        on_progress(progress)

    def broken_off(self, job: PipelineJob, reason: str) -> RunReport:
        """The report of a run whose worker did not live to write its own."""
        failed = self.stage or "worker"
        return RunReport(
            run_id=job.run_id,
            success=False,
            spec_hash=check_document(job.document).spec_hash,
            spec_name=_name(job),
            plan=job.plan,
            stages_completed=[report.stage for report in self.reports if report.success],
            stage_failed=failed,
            stage_reports=[*self.reports, StageReport(stage=failed, success=False, errors=[reason])],
            errors=[reason],
            total_duration_s=monotonic() - self.started,
            output_dir=str(job.run_dir),
        )


async def run_pipeline(
    job: PipelineJob, on_progress: OnProgress, *, command: Sequence[str] = WORKER_COMMAND
) -> RunReport:
    """Run the job in a worker process and answer its report, which lies in `run_dir/run_report.json` too.

    Cancelling ends the worker and all that it started before the cancellation goes on. A worker that crashes, runs out
    of memory or of time gives a failed report that says so. The worker's error output is kept in `run_dir/worker.log`.

    Args:
        job: what to run.
        on_progress: told of every stage; must not block.
        command: the interpreter's arguments that start a worker.
    """
    job.run_dir.mkdir(parents=True, exist_ok=True)
    watch = _Watch()
    with (job.run_dir / WORKER_LOG).open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-s",
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env=WORKER_ENVIRONMENT,
            cwd=job.run_dir,
            start_new_session=True,
            limit=LONGEST_LINE,
        )
    try:
        reason = await _follow(process, job, watch, on_progress)
    except asyncio.CancelledError:
        await _end(process)
        write_run_report(job.run_dir, watch.broken_off(job, "The run was cancelled."))
        raise
    finally:
        await _end(process)
    if watch.result is not None:
        return watch.result
    report = watch.broken_off(job, reason or _why_it_died(process.returncode, job))
    write_run_report(job.run_dir, report)
    return report


async def _follow(
    process: asyncio.subprocess.Process, job: PipelineJob, watch: _Watch, on_progress: OnProgress
) -> str | None:
    """Read what the worker says until it ends; answer why it had to be stopped, if it had."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the worker was started without pipes")
    # The pipe stays open: its end is how a worker notices that nobody waits for it any more.
    with contextlib.suppress(ConnectionError):
        process.stdin.write(job.model_dump_json().encode() + b"\n")
        await process.stdin.drain()
    while True:
        left = watch.stage_started + job.limits.stage_seconds - monotonic()
        try:
            line = await asyncio.wait_for(process.stdout.readline(), max(left, 0.0))
        except TimeoutError:
            return f"Stage {watch.stage or 'start'} took longer than {job.limits.stage_seconds:g} s and was stopped."
        if not line.endswith(b"\n"):
            await process.wait()
            return None
        watch.note(WorkerMessage.model_validate_json(line), on_progress)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the worker's whole process group, at once, and wait for it."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    await asyncio.shield(process.wait())


def _why_it_died(code: int | None, job: PipelineJob) -> str:
    last = _last_words(job.run_dir / WORKER_LOG)
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        why = f"The geometry worker was killed by {name}"
        if -code in (signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV):
            why += f"; it may have needed more memory than there was (its limit is {job.limits.memory_mb} MB)"
    else:
        why = f"The geometry worker ended with code {code} before it was done"
    return f"{why}. Its last words: {last}" if last else f"{why}."


def _last_words(log: Path) -> str:
    text = log.read_bytes()[-4_000:].decode("utf-8", errors="replace").strip()
    return text.splitlines()[-1][:500] if text else ""


def _name(job: PipelineJob) -> str:
    meta = job.document.get("meta")
    name = meta.get("name") if isinstance(meta, dict) else None
    return name if isinstance(name, str) else ""
