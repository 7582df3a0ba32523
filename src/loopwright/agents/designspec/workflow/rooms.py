"""What a run finds in its project, and leaves there."""

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.project.hashing import document_hash
from loopwright.kernel.run import AgentRun

RUN_REPORT = "run_report.json"


def open_project(run: AgentRun) -> ProjectFolder:
    """The project of the run's session; a new folder becomes a project with a minimal document.

    Raises:
        InvalidInput: the folder cannot be used, or its `spec.json` cannot be read.
    """
    return ProjectFolder.create_or_open(run.output_dir)


def report_of(project: ProjectFolder, folder: str) -> RunReport | None:
    """The report that a run left in its folder (relative to the project), or None when it left none."""
    path = project.path / folder / RUN_REPORT
    return RunReport.model_validate_json(path.read_bytes()) if path.is_file() else None


def keep_validation(project: ProjectFolder) -> None:
    """Write down what the check of the stored document says."""
    document = project.document()
    checked = check_document(document).model_dump(mode="json")
    project.write_report("last_validation", {"document_hash": document_hash(document), **checked})
