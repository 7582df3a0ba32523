"""Projects that are hard to put under a layer: odd names, links, mounts, folders that nobody may enter."""

import dataclasses
import os
import stat
import subprocess
from pathlib import Path

import pytest

from loopwright.agents.ide.editing.checkpoints import CommandReport
from loopwright.agents.ide.sandbox import isolation, layers
from loopwright.kernel.programs import find_program
from tests.agents.ide.acting import project_at
from tests.agents.ide.commanding import command, confined

pytestmark = confined
NAMES = (
    "we,ird:na\\me s",
    "new\nline",
    "tab\tq\"uote'",
    os.fsdecode(b"non\xffutf"),
    "-dash",
    "\\040",
    "caf\u00e9 \u202e",
    "a\rb\x0cc",
)


@pytest.fixture(params=["overlay", "copy"])
def layer(request: pytest.FixtureRequest) -> str:
    """Which kind of layer is tried."""
    return str(request.param)


async def run(root: Path, line: str, layer: str) -> CommandReport:
    """Run a command on this kind of layer."""
    project = project_at(root)
    found = isolation(project.root, project.state_folder)
    assert found is not None
    return await command(root, line, isolation=dataclasses.replace(found, layer=layer))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
async def test_names_of_projects_and_secrets_are_taken_as_they_are(tmp_path: Path, name: str, layer: str) -> None:
    root = tmp_path / name
    (root / name).mkdir(parents=True)
    for secret in (f"{name}.pem", f"{name}/id_rsa", ".env"):
        (root / secret).write_text("canary")
    (root / "a.txt").write_text("a\n")
    report = await run(root, "cat a.txt; find . -name '*.pem' -o -name id_rsa -o -name .env; echo b > b.txt", layer)
    assert report.outcome is not None
    assert report.outcome.output == "a\n"
    assert list(report.paths) == ["b.txt"]
    assert (root / "b.txt").read_text() == "b\n"


async def test_a_root_that_is_a_link(tmp_path: Path, layer: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    report = await run(tmp_path / "link", "echo b > b.txt", layer)
    assert list(report.paths) == ["b.txt"]
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "b.txt").exists()


async def test_a_secret_behind_a_link_is_hidden_and_the_link_is_not(tmp_path: Path, layer: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / ".env").write_text("canary")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "shown.txt").symlink_to("real/.env")
    report = await run(tmp_path, "cat link/.env shown.txt; echo b > link/b.txt; ls -l", layer)
    assert report.outcome is not None
    assert "canary" not in report.outcome.output
    assert "link -> real" in report.outcome.output
    assert list(report.paths) == ["real/b.txt"]


async def test_a_folder_that_nobody_may_enter_stays(tmp_path: Path, layer: str) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "shut" / "in.txt").touch()
    (tmp_path / "shut").chmod(0)
    try:
        report = await run(tmp_path, "ls shut; echo x > shut/x; rm -rf shut/in.txt; echo b > b.txt", layer)
        assert list(report.paths) == ["b.txt"]
        assert stat.S_IMODE((tmp_path / "shut").stat().st_mode) == 0
    finally:
        (tmp_path / "shut").chmod(0o700)
    assert (tmp_path / "shut" / "in.txt").exists()


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_mounts_below_a_project_are_found_by_any_name(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the kernel itself writes of such a mount, made in a namespace of its own."""
    place = tmp_path / name / f"below {name}"
    place.mkdir(parents=True)
    programs = [find_program(each, outside=None) for each in ("unshare", "mount")]
    assert None not in programs
    script = '"$1" -t tmpfs none "$2" && exec cat /proc/self/mountinfo'
    line = [programs[0], "-Urm", "/bin/sh", "-c", script, "sh", programs[1], place]
    told = subprocess.run([str(each) for each in line], capture_output=True, check=True).stdout
    (tmp_path / "mountinfo").write_bytes(told)
    monkeypatch.setattr(layers, "MOUNTS", tmp_path / "mountinfo")
    assert layers.mounts_below(tmp_path / name)
    assert not layers.mounts_below(place)
    (tmp_path / "other").mkdir()
    assert not layers.mounts_below(tmp_path / "other")
