import json
import os
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.designspec.pipeline.reports import RunReport, StageReport
from loopwright.agents.designspec.project import index
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.project.index import ArtifactIndexer
from loopwright.agents.designspec.validity.report import Check, ValidityReport
from loopwright.kernel.errors import InvalidInput, NotFound


@pytest.fixture
def project(tmp_path: Path) -> ProjectFolder:
    return ProjectFolder.create_or_open(tmp_path, "liver")


MALFORMED_FIGURES = """{"run_id": "x", "success": true, "spec_hash": "", "stage_reports":
[{"stage": "embed", "success": true, "metadata": {"network": {"bbox": 5, "nodes": 1}}}]}"""


def mesh(faces: int) -> dict[str, Any]:
    box = [[0, 0, 0], [1, 1, 1]]
    return {"mesh": {"faces": faces, "vertices": faces // 2, "watertight": True, "bbox": box, "volume": 0.5}}


def network(nodes: int, low: float, high: float) -> dict[str, Any]:
    return {"network": {"nodes": nodes, "segments": nodes - 1, "bbox": [[low, 0, 0], [high, 1, 1]], "radius_min": 1e-4}}


def report_of(run_id: str, success: bool = True) -> RunReport:
    stages = [
        StageReport(stage="compile_policies", success=True),
        StageReport(stage="component_build:net_1", success=True, metadata=network(10, 0, 1)),
        StageReport(stage="component_build:net_2", success=True, metadata=network(5, -1, 0.5)),
        StageReport(stage="component_mesh:net_1", success=True, metadata=mesh(100)),
        StageReport(
            stage="embed", success=success, metadata=mesh(300) if success else {}, errors=[] if success else ["no"]
        ),
    ]
    checks = [
        Check(name="void_watertight", passed=False, message="3 open edges"),
        Check(name="open_port_in1", passed=False, skipped=True, message="switched off"),
        Check(name="clearance", passed=True, message="fine", measured=float("inf")),
    ]
    return RunReport(
        run_id=run_id,
        success=success,
        spec_hash="0" * 16,
        stages_completed=[stage.stage for stage in stages if stage.success],
        stage_failed=None if success else "embed",
        stage_reports=stages,
        validity=ValidityReport(success=False, status="fail", checks=checks) if success else None,
    )


def add_run(project: ProjectFolder, success: bool = True, text: str | None = None) -> str:
    folder = project.new_run_folder()
    path = project.path / folder
    (path / "meshes" / "deep").mkdir(parents=True)
    (path / "meshes" / "deep" / "solid.stl").write_bytes(b"x" * 1_000)
    if text is None:
        text = report_of(path.name, success).model_dump_json()
    if text:
        (path / "run_report.json").write_text(text, encoding="utf-8")
    return folder


def entries(project: ProjectFolder) -> list[dict[str, Any]]:
    ArtifactIndexer(project).refresh()
    stored = project.read_report("artifact_index")
    assert stored is not None
    runs: list[dict[str, Any]] = stored["runs"]
    return runs


def test_a_run_in_the_index(project: ProjectFolder) -> None:
    folder = add_run(project)
    (project.path / folder / "way_out").symlink_to("/etc")
    (entry,) = entries(project)
    assert entry["run_id"] == folder.rpartition("/")[2]
    assert entry["folder"] == folder
    assert entry["success"] is True
    assert entry["timestamp"].endswith("+00:00")
    assert list(entry["files"]) == ["meshes/deep/solid.stl", "run_report.json"]
    assert entry["files"]["meshes/deep/solid.stl"] == 1_000
    assert entry["total_size_bytes"] == sum(entry["files"].values())
    assert entry["last_stage"] == "embed"
    assert [entry[f"mesh_{name}"] for name in ("faces", "vertices", "watertight", "volume")] == [300, 150, True, 0.5]
    assert [entry["network_nodes"], entry["network_segments"]] == [15, 13]
    assert entry["network_bbox"] == [[-1, 0, 0], [1, 1, 1]]
    assert entry["validity_passed"] is False
    assert entry["validity_errors"] == ["void_watertight: 3 open edges"]


def test_a_failed_run(project: ProjectFolder) -> None:
    add_run(project, success=False)
    (entry,) = entries(project)
    assert [entry["success"], entry["stages_failed"], entry["errors"]] == [False, ["embed"], ["no"]]
    assert [entry["mesh_faces"], entry["validity_passed"]] == [100, None]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the run has not finished"),
        ('{"run_id": "x", "succ', "cannot be read"),
        ("[]", "cannot be read"),
        ('{"run_id": 1}', "cannot be read"),
        ("\udcff", "not UTF-8"),
        ("[" * 100_000, "cannot be read"),
        (MALFORMED_FIGURES, "cannot be read"),
    ],
)
def test_a_broken_run_is_listed_as_failed_with_the_reason(project: ProjectFolder, text: str, reason: str) -> None:
    good = add_run(project)
    folder = add_run(project, text="?")
    path = project.path / folder / "run_report.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    if not text:
        path.unlink()
    broken, fine = entries(project)
    assert [broken["folder"], fine["folder"]] == [folder, good]
    assert broken["success"] is False
    assert reason in broken["errors"][0]
    assert broken["files"]["meshes/deep/solid.stl"] == 1_000
    assert fine["success"] is True


def test_only_what_has_changed_is_read_again(project: ProjectFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [add_run(project) for _ in range(3)]
    before = entries(project)
    read: list[str] = []
    real = index.figures_of

    def counting(report: RunReport) -> dict[str, Any]:
        read.append(report.run_id)
        return real(report)

    monkeypatch.setattr(index, "figures_of", counting)
    written = os.stat(project.path / "reports" / "artifact_index.json").st_mtime_ns
    assert entries(project) == before
    assert read == []
    assert os.stat(project.path / "reports" / "artifact_index.json").st_mtime_ns == written
    (project.path / folders[1] / "later.txt").write_text("late", encoding="utf-8")
    assert "later.txt" in entries(project)[1]["files"]
    assert read == []
    changed = report_of("again", success=False).model_dump_json()
    (project.path / folders[1] / "run_report.json").write_text(changed, encoding="utf-8")
    assert entries(project)[1]["success"] is False
    assert read == ["again"]
    (project.path / "reports" / "artifact_index.json").write_text("broken", encoding="utf-8")
    assert len(entries(project)) == 3
    assert len(read) == 4


def test_the_relevant_runs_are_the_last_ones_and_the_last_that_worked(project: ProjectFolder) -> None:
    indexer = ArtifactIndexer(project)
    assert indexer.select_relevant_runs() == []
    folders = [add_run(project, success) for success in (True, True, False, False, False)]
    chosen = [entry["folder"] for entry in indexer.select_relevant_runs(last=2)]
    assert chosen == [folders[4], folders[3], folders[1]]
    folders.append(add_run(project))
    assert [entry["folder"] for entry in indexer.select_relevant_runs(last=2)] == [folders[5], folders[4]]
    json.dumps(indexer.select_relevant_runs())


def test_the_last_run_is_kept(project: ProjectFolder) -> None:
    assert project.last_report() is None
    folder = add_run(project)
    report = report_of(folder.rpartition("/")[2])
    project.keep_run(report)
    kept = project.last_report()
    assert kept is not None
    assert kept.stages_completed == report.stages_completed
    assert kept.validity is not None
    assert kept.validity.checks[2].measured is None
    validation, compiled = project.read_report("last_validation"), project.read_report("compile_report")
    assert validation is not None
    assert compiled is not None
    assert [validation["status"], validation["run_id"]] == ["fail", report.run_id]
    assert [stage["stage"] for stage in compiled["stage_reports"]] == ["compile_policies"]
    index_report = project.read_report("artifact_index")
    assert index_report is not None
    assert len(index_report["runs"]) == 1


def test_a_damaged_report_is_told(project: ProjectFolder) -> None:
    for text in ("{", "[]", '{"run_id": []}'):
        (project.path / "reports" / "last_runner_result.json").write_text(text, encoding="utf-8")
        with pytest.raises(InvalidInput, match=r"reports/last_runner_result\.json"):
            project.last_report()
    with pytest.raises(NotFound, match="There is no report"):
        project.read_report("../spec")  # type: ignore[arg-type]
