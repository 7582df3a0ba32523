"""The index of all runs and of what they have made."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.project.artifacts import ARTIFACTS, RUN_PREFIX, run_names
from loopwright.agents.designspec.project.files import ProjectFiles
from loopwright.agents.designspec.project.index_entry import IndexEntry, figures_of
from loopwright.agents.designspec.project.reports import MAX_REPORT_BYTES, read_report, write_report
from loopwright.agents.designspec.project.stamps import is_stamp, time_of
from loopwright.kernel.errors import InvalidInput

INDEX_VERSION = 1
RUN_REPORT = "run_report.json"
UNFINISHED = f"There is no {RUN_REPORT}: the run has not finished, or was cut off."


class HasFiles(Protocol):
    """What the indexer needs of a project."""

    files: ProjectFiles


class ArtifactIndexer:
    """Keeps `reports/artifact_index.json` from the runs' folders. A broken run is listed as failed, never left out."""

    def __init__(self, project: HasFiles) -> None:
        self.files = project.files

    def refresh(self) -> list[IndexEntry]:
        """Bring the index up to date and answer its entries, newest first. Only what has changed is read."""
        known = self._known()
        entries = [self._entry(name, known.get(f"{ARTIFACTS}/{name}")) for name in run_names(self.files)]
        entries.sort(key=lambda entry: (entry.timestamp_unix, entry.folder), reverse=True)
        if {entry.folder: entry for entry in entries} != known:
            runs = [entry.model_dump(mode="json") for entry in entries]
            write_report(self.files, "artifact_index", {"version": INDEX_VERSION, "runs": runs})
        return entries

    def select_relevant_runs(self, last: int = 3) -> list[dict[str, Any]]:
        """The newest runs, and the newest successful one where it is older; newest first, as JSON."""
        entries = self.refresh()
        chosen = entries[:last]
        if not any(entry.success for entry in chosen):
            chosen += [entry for entry in entries[last:] if entry.success][:1]
        return [entry.model_dump(mode="json") for entry in chosen]

    def _known(self) -> dict[str, IndexEntry]:
        try:
            stored = read_report(self.files, "artifact_index")
            if stored is None or stored.get("version") != INDEX_VERSION:
                return {}
            return {entry.folder: entry for entry in map(IndexEntry.model_validate, stored["runs"])}
        except (InvalidInput, ValidationError, KeyError, TypeError):
            return {}  # the index is made again from the runs themselves

    def _entry(self, name: str, known: IndexEntry | None) -> IndexEntry:
        folder = f"{ARTIFACTS}/{name}"
        path = self.files.inside(folder)
        files = dict(sorted(inventory(path).items()))
        fingerprint = _fingerprint(path / RUN_REPORT)
        sizes = {"files": files, "total_size_bytes": sum(files.values())}
        if known is not None and fingerprint and known.fingerprint == fingerprint:
            return known.model_copy(update=sizes)
        moment = _moment(name, path)
        base = {
            "run_id": name,
            "folder": folder,
            "timestamp": moment.isoformat(),
            "timestamp_unix": moment.timestamp(),
            "success": False,
            "fingerprint": fingerprint,
            **sizes,
        }
        if not fingerprint:
            return IndexEntry(**base, errors=[UNFINISHED])
        try:
            text = self.files.read(f"{folder}/{RUN_REPORT}", MAX_REPORT_BYTES)
            return IndexEntry.model_validate(base | figures_of(RunReport.model_validate(json.loads(text))))
        except (InvalidInput, ValueError, TypeError, IndexError, KeyError, RecursionError) as error:
            reason = " ".join(str(error).split())[:300]
            return IndexEntry(**base, errors=[f"{RUN_REPORT} cannot be read: {reason}"])


def inventory(folder: Path) -> dict[str, int]:
    """The sizes of all files below a folder, by their paths relative to it. Links are not followed and not listed."""
    sizes: dict[str, int] = {}
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    sizes[Path(entry.path).relative_to(folder).as_posix()] = entry.stat(follow_symlinks=False).st_size
    return sizes


def _fingerprint(report: Path) -> str:
    if not report.is_file() or report.is_symlink():
        return ""
    found = report.stat()
    return f"{found.st_size}:{found.st_mtime_ns}"


def _moment(name: str, path: Path) -> datetime:
    """When the run began: by its name, or else by its folder's time."""
    stamp = name.removeprefix(RUN_PREFIX)
    return time_of(stamp) if is_stamp(stamp) else datetime.fromtimestamp(path.stat().st_mtime, UTC)
