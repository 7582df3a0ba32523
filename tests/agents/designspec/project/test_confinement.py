from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.project.changes import save_seed


@pytest.fixture
def project(tmp_path: Path) -> ProjectFolder:
    made = ProjectFolder.create_or_open(tmp_path / "project", "liver")
    run = made.new_run_folder()
    (made.path / run / "solid.stl").write_text("solid", encoding="utf-8")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "file").write_text("secret", encoding="utf-8")
    return made


def test_artifacts_are_found_inside(project: ProjectFolder) -> None:
    run = project.new_run_folder()
    assert project.resolve_artifact(run).is_dir()
    assert not project.resolve_artifact(f"{run}/solid.stl").exists()
    assert project.resolve_artifact("spec.json").is_file()
    (project.path / "artifacts" / "latest").symlink_to(project.path / run)
    assert project.resolve_artifact("artifacts/latest") == project.path / run


@pytest.mark.parametrize(
    "relative",
    [
        "",
        "..",
        "../secret/file",
        "artifacts/../../secret/file",
        "/etc/passwd",
        "artifacts\\..\\..\\secret",
        "a\0b",
        "artifacts/out/file",
        "artifacts/out",
        "x" * 300,
        "é" * 200,
        "\ud800",
        "x/" * 600,
        "loop/a",
    ],
)
def test_nothing_outside_is_answered(project: ProjectFolder, relative: str) -> None:
    (project.path / "artifacts" / "out").symlink_to(project.path.parent / "secret")
    (project.path / "loop").symlink_to("loop")
    with pytest.raises(InvalidInput):
        project.resolve_artifact(relative)


def test_run_folders_never_collide(project: ProjectFolder) -> None:
    names = [project.new_run_folder() for _ in range(50)]
    assert names == sorted(set(names))
    assert all((project.path / name).is_dir() for name in names)


@pytest.mark.parametrize("room", ["patches", "spec_history", "reports", "artifacts", "logs"])
def test_a_room_that_leads_out_is_refused(tmp_path: Path, room: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / room).symlink_to(outside)
    with pytest.raises(InvalidInput, match="leaves the project folder"):
        ProjectFolder.create_or_open(tmp_path / "project", "liver")
    assert list(outside.iterdir()) == []


WRITES: dict[str, Callable[[ProjectFolder], Any]] = {
    "spec.json": lambda project: save_seed(project, 7),
    ".lock": lambda project: project.refresh(),
    "reports/artifact_index.json": lambda project: project.write_report("artifact_index", {}),
    "logs/agent_turns.jsonl": lambda project: project.turns.append({}, "k"),
    "patches/.intent.json": lambda project: project.refresh(),
}


@pytest.mark.parametrize("name", list(WRITES))
def test_a_file_that_leads_out_is_never_written_through(tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("{}", encoding="utf-8")
    project = ProjectFolder.create_or_open(tmp_path / "project", "liver")
    (project.path / name).unlink(missing_ok=True)
    (project.path / name).symlink_to(outside)
    with pytest.raises(InvalidInput):
        WRITES[name](project)
    assert outside.read_text(encoding="utf-8") == "{}"


def test_a_project_behind_a_link_is_the_one_it_leads_to(tmp_path: Path) -> None:
    real = ProjectFolder.create_or_open(tmp_path / "real", "liver")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    through = ProjectFolder.open(tmp_path / "link")
    save_seed(through, 7)
    assert real.document()["meta"]["seed"] == 7
    assert through.path == real.path


def test_an_authors_name_is_no_path(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    document = project.document()
    record = project.save(document, author="../../Évil / name", operations=[])
    assert record.author == "../../Évil / name"
    assert record.path == f"patches/{record.stamp}_vil-name.json"
    assert project.history()[0] == record
