"""The public specs run through `full` unchanged, and who knows nothing of us finds their results sound."""

import asyncio
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from loopwright.agents.designspec.document.loading import load_text
from loopwright.agents.designspec.pipeline.reports import PipelineJob, RunReport
from loopwright.agents.designspec.pipeline.runner import run_pipeline

SPECS = Path(__file__).parents[5] / "shared" / "data" / "designspec"
UNITS = {"m": 1.0, "mm": 1e3}
DISK = [[-0.005, -0.005, -0.001], [0.005, 0.005, 0.0015]]
"""The public disks of 10 mm with their ridge, in metres."""
BOXES = {
    "malaria_venule_control_ridge_only.json": DISK,
    "malaria_venule_vertical_channels.json": DISK,
    "golden_example_v1.json": [[-0.015, -0.015, -0.01], [0.015, 0.015, 0.01]],
    "malaria_venule_bifurcating_tree.json": DISK,
    "malaria_venule_space_colonization.json": DISK,
    "cylinder_bifurcating_tree_mm.yaml": [[-0.01, -0.01, 0.0], [0.01, 0.01, 0.05]],
}
QUICK = list(BOXES)[:3]

pytestmark = [
    pytest.mark.skipif(not SPECS.is_dir(), reason="the public specs are not on this machine"),
    pytest.mark.usefixtures("real_code"),
]


def run_spec(name: str, folder: Path, run_id: str = "run_1", **plan: Any) -> RunReport:
    """Run one of the public specs in the real worker."""
    document = load_text((SPECS / name).read_text(encoding="utf-8"), name)
    run_dir = folder / "artifacts" / run_id
    job = PipelineJob.model_validate(
        {"run_id": run_id, "document": document, "project_dir": folder, "run_dir": run_dir, "plan": plan}
    )
    return asyncio.run(run_pipeline(job, lambda progress: None))


def named_files(name: str) -> set[str]:
    """The files that the document itself asks for; there is no verdict where it wants none."""
    text = (SPECS / name).read_text(encoding="utf-8")
    unwanted = {"validity_report.json"} if not load_text(text, name).get("validity", {}).get("enable", True) else set()
    return set(re.findall(r'"([\w/.]+\.(?:stl|json))"', text)) - unwanted


def check_mesh(path: Path) -> trimesh.Trimesh:
    """Closed and oriented, as trimesh and admesh see it.

    Raises:
        AssertionError: it is not.
    """
    mesh = trimesh.load_mesh(path)
    assert mesh.is_watertight, path.name
    assert mesh.is_winding_consistent, path.name
    if shutil.which("admesh"):
        told = subprocess.run(["admesh", str(path)], capture_output=True, text=True, timeout=60, check=True).stdout
        for fault in ("Total disconnected facets", "Backwards edges", "Facets removed", "Facets added"):
            assert re.search(rf"{fault}\s*:\s*0(?:\s+0)?\s", told), f"{path.name}: {told}"
    return mesh


def check_run(name: str, report: RunReport) -> None:
    """Everything that is promised of a run through `full`.

    Raises:
        AssertionError: something is not kept.
    """
    assert report.errors == []
    assert report.success
    folder = Path(report.output_dir)
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert named_files(name) <= files
    assert {"solid.stl", "solid.3mf", "solid.glb", "preview.png", "mesh_stats.json"} <= files
    assert set(report.artifacts.values()) <= files
    manifest = json.loads((folder / "artifact_manifest.json").read_bytes())
    for file in manifest["files"]:
        assert hashlib.sha256((folder / file["path"]).read_bytes()).hexdigest() == file["sha256"]
    scale = UNITS[report.stage_reports[-1].metadata["units"]]
    meshes = {path: check_mesh(folder / path) for path in sorted(files) if path.endswith(".stl")}
    box = np.array(BOXES[name]) * scale
    size = float((box[1] - box[0]).max())
    np.testing.assert_allclose(meshes["solid.stl"].bounds, box, atol=1e-3 * size)
    if "void.stl" in meshes:
        whole, left, void = (meshes[f"{kind}.stl"].volume for kind in ("domain", "solid", "void"))
        assert left + void == pytest.approx(whole, rel=1e-3)
    assert report.peak_memory_mb < 1_024


@pytest.mark.parametrize("name", QUICK)
def test_a_public_spec_runs_unchanged(name: str, tmp_path: Path) -> None:
    """All that it names is written; every body is closed and has the size that was asked for."""
    check_run(name, run_spec(name, tmp_path))


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in BOXES if name not in QUICK and name.endswith("json")])
def test_the_large_ones_run_unchanged(name: str, tmp_path: Path) -> None:
    """As the quick ones; and their channels are in as many pieces as they have inlets."""
    report = run_spec(name, tmp_path)
    check_run(name, report)
    union = next(stage for stage in report.stage_reports if stage.stage == "union_voids")
    assert union.metadata["mesh"]["components"] == 5


def test_vertical_channels_are_as_drawn(tmp_path: Path) -> None:
    """Nine separate cones, each with the volume of the formula; and the same bytes in another project."""
    name = "malaria_venule_vertical_channels.json"
    report = run_spec(name, tmp_path / "one")
    folder = Path(report.output_dir)
    void = trimesh.load_mesh(folder / "void.stl")
    assert void.body_count == 9
    cone = np.pi * 0.001 / 3 * (0.0005**2 + 0.0005 * 0.0001 + 0.0001**2)
    assert void.volume == pytest.approx(9 * cone, rel=1e-3)
    again = run_spec(name, tmp_path / "two")
    for path in ("solid.stl", "void.stl", "solid.3mf", "solid.glb", "networks/vertical_channels_9x.json"):
        assert (folder / path).read_bytes() == (Path(again.output_dir) / path).read_bytes(), path
    kept = run_spec(name, tmp_path / "one", "run_2")
    assert [stage.stage for stage in kept.stage_reports if not stage.cached] == ["export"]
    assert (folder / "solid.stl").read_bytes() == (Path(kept.output_dir) / "solid.stl").read_bytes()


@pytest.mark.soak
@pytest.mark.parametrize("name", ["golden_example_v1.json", "malaria_venule_bifurcating_tree.json"])
def test_grown_networks_are_the_same_bytes_twice(name: str, tmp_path: Path) -> None:
    """Same spec, same seed, same files."""
    reports = [run_spec(name, tmp_path / folder) for folder in ("one", "two")]
    assert [report.errors for report in reports] == [[], []]
    one, two = (Path(report.output_dir) for report in reports)
    for path in sorted(file.relative_to(one) for file in one.rglob("*.stl")):
        assert (one / path).read_bytes() == (two / path).read_bytes(), path


def test_a_run_that_stops_early_leaves_what_it_made(tmp_path: Path) -> None:
    """The void is there to be looked at, and no solid yet."""
    report = run_spec("malaria_venule_vertical_channels.json", tmp_path, run_until="union_voids")
    assert report.success
    assert report.stages_completed[-1] == "union_voids"
    folder = Path(report.output_dir)
    check_mesh(folder / report.artifacts["component_void:vertical_channels_9x"])
    check_mesh(folder / report.artifacts["void_stl"])
    assert "solid_stl" not in report.artifacts
    assert not (folder / "solid.stl").exists()
