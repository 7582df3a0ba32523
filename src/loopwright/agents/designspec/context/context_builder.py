"""Assembles what the model is shown: compact by default, more when the last run failed or the model asks."""

from typing import Any

from pydantic_core import to_json

from loopwright.agents.designspec.context.artifacts import read_artifact
from loopwright.agents.designspec.context.pack import ContextPack
from loopwright.agents.designspec.context.summaries import (
    has_trouble,
    summarise_details,
    summarise_document,
    summarise_run,
)
from loopwright.agents.designspec.contracts import ContextRequest
from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.project.hashing import document_hash
from loopwright.agents.designspec.project.index import ArtifactIndexer

WHOLE_SPEC = 12_000
"""Characters up to which the whole document stands in a compact pack."""
HISTORY, MORE_HISTORY = 5, 50
RECENT_RUNS = 3
MAX_ISSUES = 20


class ContextBuilder:
    """Packs the context of one project: the document, its last runs, its history."""

    def __init__(self, project: ProjectFolder) -> None:
        """Keep the project; nothing is read before a pack is built."""
        self._project = project

    def build_compact(self) -> ContextPack:
        """The default pack; `debug_compact` by itself when the last run failed or a check of it did."""
        report = self._project.last_report()
        data = self._base(report)
        trouble = has_trouble(report)
        if report is not None and trouble:
            data["last_run_details"] = summarise_details(report)
        return ContextPack("debug_compact" if trouble else "compact", data, self._units(data))

    def build_full(self, request: ContextRequest) -> ContextPack:
        """The pack with what the model asked for; what cannot be shown says why."""
        report = self._project.last_report()
        data = self._base(report)
        granted = []
        if request.need_full_spec:
            granted.append("full_spec")
            data["spec"] = self._project.document()
        if report is not None and has_trouble(report):
            data["last_run_details"] = summarise_details(report)
        if request.need_last_run_report:
            granted.append("last_run_report")
            data["last_run_report"] = report.model_dump(mode="json", exclude={"validity"}) if report else None
        if request.need_validity_report:
            granted.append("validity_report")
            validity = report.validity if report else None
            data["validity_report"] = validity.model_dump(mode="json") if validity else None
        if request.need_more_history:
            granted.append("more_history")
            data["history"] = self._history(MORE_HISTORY)
        files = list(request.need_specific_files)
        if request.need_network_artifact:
            granted.append("network_artifact")
            files += [path for name, path in (report.artifacts if report else {}).items() if "network" in name][:1]
        if files:
            granted.append("files")
            data["files"] = {name: read_artifact(self._project, report, name) for name in dict.fromkeys(files)}
        return ContextPack("full", data, self._units(data), granted)

    def _base(self, report: RunReport | None) -> dict[str, Any]:
        document = self._project.document()
        checked = check_document(document)
        return {
            "spec": document if len(to_json(document)) <= WHOLE_SPEC else None,
            "spec_summary": summarise_document(document),
            "spec_hash": document_hash(document),
            "issues": [issue.model_dump(mode="json") for issue in checked.issues[:MAX_ISSUES]],
            "last_run": summarise_run(report) if report is not None else None,
            "runs": ArtifactIndexer(self._project).select_relevant_runs(RECENT_RUNS),
            "history": self._history(HISTORY),
        }

    def _history(self, limit: int) -> list[dict[str, Any]]:
        return [
            {
                "author": record.author,
                "at": record.timestamp,
                "summary": record.note,
                "patches": record.patches,
                "inverse": record.inverse,
            }
            for record in self._project.history()[:limit]
        ]

    def _units(self, data: dict[str, Any]) -> str:
        meta = data["spec_summary"]["meta"]
        return str(meta.get("input_units") or "m") if isinstance(meta, dict) else "m"
