"""The files that every run leaves."""

from pathlib import Path

from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.kernel.whole_files import write_whole

RUN_REPORT = "run_report.json"
WORKER_LOG = "worker.log"


def write_run_report(run_dir: Path, report: RunReport) -> None:
    """Write `run_report.json` into the run's folder."""
    write_whole(run_dir / RUN_REPORT, report.model_dump_json(indent=2).encode() + b"\n")
