"""The files that every run leaves, and how they are written: whole or not at all."""

import os
from pathlib import Path

from loopwright.agents.designspec.pipeline.reports import RunReport

RUN_REPORT = "run_report.json"
WORKER_LOG = "worker.log"


def write_whole(path: Path, content: bytes) -> None:
    """Write the file so that a reader sees the old content or the new one, never half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def write_run_report(run_dir: Path, report: RunReport) -> None:
    """Write `run_report.json` into the run's folder."""
    write_whole(run_dir / RUN_REPORT, report.model_dump_json(indent=2).encode() + b"\n")
