"""What every run leaves besides its geometry: figures, the verdict, its report, and the list of all its files."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.pipeline.naming import REPORTS, OutputName
from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.pipeline.run_files import RUN_REPORT, WORKER_LOG, write_run_report
from loopwright.kernel.whole_files import write_whole

MANIFEST = "artifact_manifest.json"
VALIDITY_REPORT = "validity_report.json"
MESH_STATS, NETWORK_STATS = "mesh_stats.json", "network_stats.json"
MESH_OF_STAGE = {
    "component_mesh": "component_void",
    "union_voids": "union_void",
    "mesh_domain": "domain",
    "embed": "domain_with_void",
}


def close_run(run_dir: Path, report: RunReport, names: Iterable[OutputName] = ()) -> None:
    """Write the reports of a run that has ended, and at last the manifest of all its files.

    The run's report names every file that it is written beside; the manifest has their sizes and hashes.

    Args:
        run_dir: where to.
        report: of the run; the files that are written here are added to its artifacts.
        names: where the document wants reports besides the usual places.
    """
    usual = {"run_report": RUN_REPORT, "artifact_manifest": MANIFEST}
    elsewhere = [name for name in names if name.kind in REPORTS]
    _write(run_dir, report, "mesh_stats", MESH_STATS, {"units": "m", "meshes": _meshes(report)})
    _write(run_dir, report, "network_stats", NETWORK_STATS, {"units": "m", "networks": _networks(report)})
    if report.validity is not None:
        _write(run_dir, report, "validity_report", VALIDITY_REPORT, report.validity.model_dump(mode="json"))
    report.artifacts |= usual
    write_run_report(run_dir, report)
    for name in elsewhere:
        if name.kind in report.artifacts and name.kind != "artifact_manifest":
            _copy(run_dir / report.artifacts[name.kind], run_dir / name.name)
    labels: dict[str, list[str]] = {}
    for label, place in report.artifacts.items():
        labels.setdefault(place, []).append(label)
    files = [
        {"path": place, "labels": labels.get(place, []), **_described(path)}
        for path in sorted(run_dir.rglob("*"))
        if path.is_file() and (place := path.relative_to(run_dir).as_posix()) not in (MANIFEST, WORKER_LOG)
    ]
    manifest = {"run_id": report.run_id, "spec_hash": report.spec_hash, "files": files}
    write_whole(run_dir / MANIFEST, json.dumps(manifest, indent=2).encode() + b"\n")
    for name in elsewhere:
        if name.kind == "artifact_manifest":
            _copy(run_dir / MANIFEST, run_dir / name.name)


def _copy(source: Path, target: Path) -> None:
    if source != target:
        write_whole(target, source.read_bytes())


def _write(run_dir: Path, report: RunReport, label: str, name: str, content: dict[str, Any]) -> None:
    write_whole(run_dir / name, json.dumps(content, indent=2).encode() + b"\n")
    report.artifacts[label] = name


def _meshes(report: RunReport) -> dict[str, Any]:
    """The figures of each mesh, by what it is and of which component."""
    found: dict[str, Any] = {}
    for stage in report.stage_reports:
        name, _, component = stage.stage.partition(":")
        mesh = stage.metadata.get("mesh")
        if mesh is not None and name in MESH_OF_STAGE:
            label = MESH_OF_STAGE[name]
            found[f"{label}:{component}" if component else label] = mesh
    return found


def _networks(report: RunReport) -> dict[str, Any]:
    """The figures of each network, by its component."""
    return {
        stage.stage.partition(":")[2]: stage.metadata["network"]
        for stage in report.stage_reports
        if "network" in stage.metadata
    }


def _described(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"size": path.stat().st_size, "sha256": digest}
