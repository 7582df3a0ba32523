"""The index of all runs and of what they have made."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.project.files import (
    ARTIFACTS,
    MAX_REPORT_BYTES,
    RUN_PREFIX,
    ProjectFiles,
    is_stamp,
    read_report,
    run_names,
    time_of,
    write_report,
)
from loopwright.kernel.errors import InvalidInput

# What the index tells of one run.

Box = list[Any]
"""`[[x, y, z], [x, y, z]]`: the least and the greatest corner, in metres."""


class IndexEntry(BaseModel):
    """One run. Figures of the mesh are those of the last stage that made one; networks are taken together."""

    model_config = ConfigDict(extra="ignore")

    run_id: str
    folder: str
    timestamp: str
    timestamp_unix: float
    success: bool
    stages_completed: list[str] = Field(default_factory=list)
    stages_failed: list[str] = Field(default_factory=list)
    last_stage: str | None = None
    files: dict[str, int] = Field(default_factory=dict)
    """Sizes in bytes, by the path below the run's folder."""
    total_size_bytes: int = 0
    mesh_faces: int | None = None
    mesh_vertices: int | None = None
    mesh_watertight: bool | None = None
    mesh_bbox: Box | None = None
    mesh_volume: float | None = None
    network_nodes: int | None = None
    network_segments: int | None = None
    network_bbox: Box | None = None
    validity_passed: bool | None = None
    validity_errors: list[str] = Field(default_factory=list)
    errors: list[str] = Field(default_factory=list)
    fingerprint: str = ""
    """Size and time of the report that the entry was read from: unchanged, it is not read again."""


def figures_of(report: RunReport) -> dict[str, Any]:
    """The entry's fields that come out of the run's report."""
    failed = [stage.stage for stage in report.stage_reports if not stage.success]
    if report.stage_failed and report.stage_failed not in failed:
        failed.append(report.stage_failed)
    ran = [stage.stage for stage in report.stage_reports] or [*report.stages_completed, *failed]
    return {
        "run_id": report.run_id,
        "success": report.success,
        "stages_completed": report.stages_completed,
        "stages_failed": failed,
        "last_stage": ran[-1] if ran else None,
        "errors": report.errors or [error for stage in report.stage_reports for error in stage.errors],
        **_mesh(report),
        **_network(report),
        **_validity(report),
    }


def _mesh(report: RunReport) -> dict[str, Any]:
    meshes = [found for stage in report.stage_reports if isinstance(found := stage.metadata.get("mesh"), dict)]
    names = ("faces", "vertices", "watertight", "bbox", "volume")
    return {f"mesh_{name}": meshes[-1].get(name) for name in names} if meshes else {}


def _network(report: RunReport) -> dict[str, Any]:
    # A network that is cleaned up or read again stands in several stages of its component: the last one counts.
    networks: dict[str, dict[str, Any]] = {}
    for stage in report.stage_reports:
        found = stage.metadata.get("network")
        if isinstance(found, dict):
            networks[stage.stage.partition(":")[2]] = found
    if not networks:
        return {}
    return {
        "network_nodes": sum(network.get("nodes") or 0 for network in networks.values()),
        "network_segments": sum(network.get("segments") or 0 for network in networks.values()),
        "network_bbox": _around([network["bbox"] for network in networks.values() if network.get("bbox")]),
    }


def _around(boxes: list[Box]) -> Box | None:
    """The box around all boxes."""
    if not boxes:
        return None
    low = [min(values) for values in zip(*(box[0] for box in boxes), strict=True)]
    high = [max(values) for values in zip(*(box[1] for box in boxes), strict=True)]
    return [low, high]


def _validity(report: RunReport) -> dict[str, Any]:
    if report.validity is None:
        return {}
    failed = [check for check in report.validity.checks if not check.passed and not check.skipped]
    return {
        "validity_passed": report.validity.success,
        "validity_errors": [f"{check.name}: {check.message}" for check in failed],
    }


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
