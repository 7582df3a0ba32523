"""A project on disk: one spec, every version of it, and what runs have made."""

from pathlib import Path
from typing import Any

from loopwright.agents.designspec.document.minimal import minimal_document
from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.project import artifacts, reports
from loopwright.agents.designspec.project.changing import SPEC
from loopwright.agents.designspec.project.index import ArtifactIndexer
from loopwright.agents.designspec.project.lock import folder_lock
from loopwright.agents.designspec.project.record import CREATED
from loopwright.agents.designspec.project.stored_spec import StoredSpec
from loopwright.agents.designspec.project.turns import TurnLog
from loopwright.kernel.errors import InvalidInput, NotFound

ROOMS = ("spec_history", "patches", "reports", "artifacts", "logs")


class ProjectFolder(StoredSpec):
    """The project in a folder. Its calls block on files: in an event loop, run them in a thread where that counts."""

    @classmethod
    def create_or_open(
        cls, path: Path, name: str = "", *, document: dict[str, Any] | None = None, **options: Any
    ) -> "ProjectFolder":
        """Open the project, or make one.

        Args:
            path: its folder.
            name: what a new project's minimal spec is called; the folder's name, when none is given.
            document: what a new project starts with in the place of a minimal spec.
            options: as for `StoredSpec`.

        Raises:
            InvalidInput: the path is no folder, cannot be written, or its `spec.json` cannot be read.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            project = cls(path, **options)
            for room in ROOMS:
                project.files.folder(room)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be a project folder: {error.strerror}.") from error
        with folder_lock(project.path, project.wait_s):
            project._changer.recover()
            if not project.files.exists(SPEC) and project._ledger.newest() is None:
                first = document or minimal_document(name or project.path.name or "design")
                project._change(first, CREATED, [], [], note="a new project")
            project._settle()
        return project

    @classmethod
    def open(cls, path: Path, **options: Any) -> "ProjectFolder":
        """Open a project that is there.

        Raises:
            NotFound: there is no project at the path.
            InvalidInput: its `spec.json` cannot be read.
        """
        if not (path / SPEC).exists() and not (path / "patches").is_dir():
            raise NotFound(f"There is no project at {path}: it has no {SPEC}.")
        return cls.create_or_open(path, **options)

    def write_report(self, name: reports.ReportName, report: dict[str, Any]) -> None:
        """Keep a report in the place of the one before."""
        reports.write_report(self.files, name, report)

    def read_report(self, name: reports.ReportName) -> dict[str, Any] | None:
        """The report, or None when there is none yet."""
        return reports.read_report(self.files, name)

    def last_report(self) -> RunReport | None:
        """The report of the last run, or None before the first one."""
        return reports.last_run(self.files)

    def keep_run(self, report: RunReport) -> None:
        """Make a finished run the last one: its reports, and its place in the index of artifacts."""
        reports.keep_run(self.files, report)
        ArtifactIndexer(self).refresh()

    def new_run_folder(self) -> str:
        """A new folder for a run, relative to the project's: `artifacts/run_{stamp}`."""
        return artifacts.new_run_folder(self.files)

    def resolve_artifact(self, relative: str) -> Path:
        """Where a path relative to the project leads, whether there is a file or not.

        Raises:
            InvalidInput: it is absolute, climbs up, or leaves the project by a link.
        """
        return self.files.inside(relative)

    @property
    def turns(self) -> TurnLog:
        """The log of the agent's turns."""
        return TurnLog(self.files)
