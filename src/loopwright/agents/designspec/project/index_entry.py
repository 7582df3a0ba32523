"""What the index tells of one run."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.designspec.pipeline.reports import RunReport

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
