"""The reports of the last validation, compilation and run, and the index of artifacts."""

import json
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError

from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.project.files import ProjectFiles
from loopwright.kernel.errors import InvalidInput, NotFound

ReportName = Literal["last_validation", "compile_report", "last_runner_result", "artifact_index"]
REPORT_NAMES: tuple[ReportName, ...] = get_args(ReportName)
MAX_REPORT_BYTES = 64_000_000
COMPILING = "compile_"
"""How the names of the stages begin that check the document before anything is built."""
REMOVE = "Remove it; the next run writes it again."


def write_report(files: ProjectFiles, name: ReportName, report: dict[str, Any]) -> None:
    """Keep a report in the place of the one before; the runs' own folders hold the older ones."""
    files.folder("reports")
    files.replace(report_path(name), json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_report(files: ProjectFiles, name: ReportName) -> dict[str, Any] | None:
    """The report, or None when there is none yet.

    Raises:
        NotFound: there is no report of this name.
        InvalidInput: the file is no report.
    """
    path = report_path(name)
    try:
        report = json.loads(files.read(path, MAX_REPORT_BYTES))
    except NotFound:
        return None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{report_path(name)} is no JSON: {error}.", hint="Remove it; the next run writes it."
        ) from error
    if not isinstance(report, dict):
        raise InvalidInput(f"{path} must hold an object.", hint=REMOVE)
    return report


def last_run(files: ProjectFiles) -> RunReport | None:
    """The report of the last run, or None before the first one.

    Raises:
        InvalidInput: the file is no report of a run.
    """
    stored = read_report(files, "last_runner_result")
    if stored is None:
        return None
    try:
        return RunReport.model_validate(stored)
    except ValidationError as error:
        path = report_path("last_runner_result")
        raise InvalidInput(f"{path} is no report of a run: {error.errors()[0]['msg']}.", hint=REMOVE) from error


def keep_run(files: ProjectFiles, report: RunReport) -> None:
    """Make a run's reports the last ones: the whole, what it compiled, and its validity where it got so far."""
    stages = [stage for stage in report.stage_reports if stage.stage.startswith(COMPILING)]
    if stages:
        compiled = {
            "run_id": report.run_id,
            "spec_hash": report.spec_hash,
            "success": all(stage.success for stage in stages),
            "stage_reports": [as_json(stage) for stage in stages],
        }
        write_report(files, "compile_report", compiled)
    if report.validity is not None:
        validity = {"run_id": report.run_id, "spec_hash": report.spec_hash, **as_json(report.validity)}
        write_report(files, "last_validation", validity)
    write_report(files, "last_runner_result", as_json(report))


def as_json(model: BaseModel) -> dict[str, Any]:
    """The model as JSON has it: a number that is not finite becomes null."""
    content: dict[str, Any] = json.loads(model.model_dump_json())
    return content


def report_path(name: ReportName) -> str:
    """Where a report is kept, relative to the project folder.

    Raises:
        NotFound: there is no report of this name.
    """
    if name not in REPORT_NAMES:
        raise NotFound(f"There is no report {name!r}.", hint=f"The reports are: {', '.join(REPORT_NAMES)}.")
    return f"reports/{name}.json"
