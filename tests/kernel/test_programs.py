"""Programs are looked up outside of what is worked on, and only where nobody else can put one."""

import os
from pathlib import Path

import pytest

from loopwright.kernel.programs import find_program, program_environment, trusted_folders


def program(folder: Path, name: str = "helper") -> Path:
    """A program that does nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / name
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)
    return place


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder of the user's own."""
    program(tmp_path / "tools")
    return tmp_path / "tools"


def on_the_path(patch: pytest.MonkeyPatch, *folders: Path | str) -> None:
    patch.setenv("PATH", os.pathsep.join(map(str, folders)))


def test_a_program_of_the_users_own_is_found(monkeypatch, project, tools):
    on_the_path(monkeypatch, tools)
    assert find_program("helper", outside=project) == tools / "helper"
    assert find_program("helper", outside=None) == tools / "helper"
    assert find_program(str(tools / "helper"), outside=project) == tools / "helper"
    assert find_program("no-such-program", outside=project) is None


@pytest.mark.parametrize("entry", ["", ".", "bin", "./node_modules/.bin", "../project/bin"])
def test_relative_entries_are_passed_over(entry, monkeypatch, project, tools):
    for folder in (".", "bin", "node_modules/.bin"):
        program(project / folder)
    monkeypatch.chdir(project)
    on_the_path(monkeypatch, entry, tools)
    assert find_program("helper", outside=project) == tools / "helper"
    assert not any(str(project) in folder for folder in program_environment(project)["PATH"].split(os.pathsep))


def test_nothing_in_the_project_is_found_by_whatever_name(monkeypatch, project, tools, tmp_path):
    inside = program(project / "bin")
    (tmp_path / "alias").symlink_to(project / "bin")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "helper").symlink_to(inside)
    (project / "out").symlink_to(tools)
    for entry in (project, project / "bin", tmp_path / "alias", tmp_path / "links", f"{tools}/../project/bin"):
        on_the_path(monkeypatch, entry, tools)
        assert find_program("helper", outside=project) == tools / "helper", entry
        assert find_program(f"{entry}/helper", outside=project) is None, entry
    (tmp_path / "project-link").symlink_to(project)
    on_the_path(monkeypatch, project / "bin")
    assert find_program("helper", outside=tmp_path / "project-link") is None


@pytest.mark.parametrize("name", ["", ".", "..", "./helper", "bin/helper", "../tools/helper"])
def test_names_with_folders_are_none(name, monkeypatch, project, tools):
    on_the_path(monkeypatch, tools)
    monkeypatch.chdir(project)
    assert find_program(name, outside=project) is None


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o757])
def test_a_folder_that_others_write_is_passed_over(mode, monkeypatch, project, tools):
    tools.chmod(mode)
    on_the_path(monkeypatch, tools)
    assert find_program("helper", outside=project) is None


def test_a_program_that_others_write_is_passed_over(monkeypatch, project, tools):
    (tools / "helper").chmod(0o757)
    on_the_path(monkeypatch, tools)
    assert find_program("helper", outside=project) is None


def test_a_folder_below_one_that_others_write_is_passed_over(monkeypatch, project, tmp_path):
    deep = program(tmp_path / "open" / "bin")
    (tmp_path / "open").chmod(0o777)
    on_the_path(monkeypatch, deep.parent)
    assert find_program("helper", outside=project) is None
    (tmp_path / "open").chmod(0o1777)  # as /tmp: what is the user's own there cannot be replaced by others
    assert find_program("helper", outside=project) == deep


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_what_belongs_to_others_is_passed_over(monkeypatch, project, tools):
    on_the_path(monkeypatch, tools)
    os.chown(tools, 12_345, -1)
    assert find_program("helper", outside=project) is None
    os.chown(tools, 0, 12_345)
    tools.chmod(0o775)
    assert find_program("helper", outside=project) is None
    tools.chmod(0o755)
    os.chown(tools / "helper", 12_345, -1)
    assert find_program("helper", outside=project) is None


def test_what_cannot_be_run_is_passed_over(monkeypatch, project, tools, tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "helper").write_text("no program")
    (tmp_path / "folder" / "helper").mkdir(parents=True)
    on_the_path(monkeypatch, tmp_path / "broken", tmp_path / "folder", tmp_path / "missing", tools)
    assert find_program("helper", outside=project) == tools / "helper"


def test_the_environment_is_clean(monkeypatch, project, tools):
    on_the_path(monkeypatch, project, tools)
    monkeypatch.setenv("LD_PRELOAD", "x.so")
    monkeypatch.setenv("GIT_DIR", "elsewhere")
    found = program_environment(project)
    assert set(found) == {"PATH", "LC_ALL"}
    assert found["PATH"].split(os.pathsep) == [str(folder) for folder in trusted_folders(project)]
    assert str(tools) in found["PATH"]
