"""What a command did is read from its layer, of both kinds: each kind of change arrives, and is undone to the byte."""

import os
import shlex
import shutil
import socket
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.agents.ide.sandbox import isolation as found_isolation
from loopwright.agents.ide.sandbox.isolation import Isolation
from tests.agents.ide.acting import project_at
from tests.agents.ide.commanding import command, confined
from tests.agents.ide.editing.trees import snapshot

pytestmark = confined
LAID_OUT = """
mkdir -p full/deep void other; echo a > full/a; echo b > full/deep/b; echo file > file; echo two > other/two
ln -s file link; ln -s full folder-link; printf '#!/bin/sh\\n' > run; chmod 755 run
"""
CHANGES: dict[str, tuple[str, set[str]]] = {
    "append": ("echo more >> file", {"file"}),
    "the same size": ("printf elif\\\\n > file", {"file"}),
    "delete a file": ("rm file", {"file"}),
    "delete a folder": ("rm -r full", {"full/a", "full/deep/b"}),
    "delete an empty folder": ("rmdir void", {"void"}),
    "make an empty folder": ("mkdir -p made/in", {"made/in"}),
    "make files in new folders": ("mkdir -p x/y; echo 1 > x/y/z; echo 2 > x/w", {"x/y/z", "x/w"}),
    "empty a folder": ("rm -r full/* ", {"full/a", "full/deep/b"}),
    "make a folder anew": ("rm -r full; mkdir full; echo new > full/new", {"full/a", "full/deep/b", "full/new"}),
    "make a folder anew with the same": ("rm -r full; mkdir full; echo a > full/a", {"full/deep/b"}),
    "rename a file": ("mv file moved", {"file", "moved"}),
    "rename a folder": ("mv full moved", {"full/a", "full/deep/b", "moved/a", "moved/deep/b"}),
    "swap two files": ("mv file x; mv other/two file; mv x other/two", {"file", "other/two"}),
    "a file becomes a folder": ("rm file; mkdir file; echo in > file/in", {"file", "file/in"}),
    "a file becomes an empty folder": ("rm file; mkdir file", {"file"}),
    "a folder becomes a file": ("rm -r full; echo now > full", {"full", "full/a", "full/deep/b"}),
    "an empty folder becomes a file": ("rmdir void; echo now > void", {"void"}),
    "a file becomes a link": ("ln -sf other/two file", {"file"}),
    "a link becomes a file": ("rm link; echo now > link", {"link"}),
    "a link becomes a folder": (
        "rm folder-link; mkdir folder-link; echo 1 > folder-link/a", {"folder-link", "folder-link/a"},
    ),
    "a folder becomes a link": ("rm -r full; ln -s other full", {"full", "full/a", "full/deep/b"}),
    "a link leads elsewhere": ("ln -sfn other folder-link", {"folder-link"}),
    "made executable": ("chmod +x file; chmod -x run", {"file", "run"}),
    "make a hard link": ("ln other/two other/three", {"other/three"}),
    "many files": ("mkdir m; for n in $(seq 300); do echo $n > m/$n; done", {f"m/{n}" for n in range(1, 301)}),
    "strange names": (
        ("mkdir ' a'; echo 1 > ' a/b  '; echo 2 > './-n'; echo 3 > 'q\"uo'\\''te'; echo 4 > 'new\nline';"
        "echo 5 > 'größe☃'"),
        {" a/b  ", "-n", "q\"uo'te", "new\nline", "größe☃"},
    ),
    "come and gone": ("echo 1 > temporary; rm temporary; mkdir x; rmdir x", set()),
    "touched alone": ("touch file full; chmod 700 full; cat file > x; cat x > file; rm x", set()),
    "set-user-id": ("cp run setuid; chmod 6755 setuid", {"setuid"}),
}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["/bin/sh", "-ec", LAID_OUT], cwd=root, check=True)
    return root.resolve()


@pytest.fixture(params=["overlay", "copy"])
def how(root: Path, request: pytest.FixtureRequest) -> Isolation:
    found = found_isolation(root, project_at(root).state_folder)
    assert found is not None
    if request.param == "overlay" and found.layer != "overlay":
        pytest.skip("this machine makes no overlays for users")
    return replace(found, layer=request.param)


def without_layer(root: Path, line: str) -> None:
    """Run a line in a folder as it is."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(["/bin/sh", "-ec", line], cwd=root, check=True, env=environment)


def contents(root: Path) -> dict[Path, bytes]:
    """All files, the repositories' own ones too."""
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", CHANGES)
async def test_each_kind_of_change_arrives_and_is_undone(root: Path, how: Isolation, kind: str, tmp_path: Path) -> None:
    line, paths = CHANGES[kind]
    plain = tmp_path / "plain"
    shutil.copytree(root, plain, symlinks=True)
    without_layer(plain, line)
    before = snapshot(root)
    report = await command(root, line, isolation=how)
    assert report.outcome is not None
    assert report.outcome.exit_code == 0, report.outcome.output
    assert (report.landing.conflicts, report.landing.left_out, report.held) == ({}, {}, None)
    assert set(report.paths) == paths
    assert snapshot(root) == snapshot(plain), "as without a layer"
    checkpoints = project_at(root).checkpoints
    assert len(await checkpoints.list()) == (1 if paths else 0)
    if paths:
        await checkpoints.undo()
        assert snapshot(root) == before


async def test_pipes_and_sockets_are_left_out_and_rights_are_plain(root: Path, how: Isolation) -> None:
    socket_line = "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'"
    report = await command(root, f"mkfifo pipe; {socket_line}; cp run s; chmod 6755 s; echo 1 > file", isolation=how)
    assert set(report.landing.left_out) == {"pipe", "sock"}, report
    assert set(report.paths) == {"file", "s"}
    assert not (root / "pipe").exists()
    assert stat.S_IMODE((root / "s").stat().st_mode) == 0o755


async def test_what_lies_there_and_is_no_file_is_left_alone(
    root: Path, how: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(root)  # a socket's path may not be long
        listening.bind("sock")
        report = await command(root, "echo 1 > file", isolation=how)
    assert report.paths == ["file"]
    assert stat.S_ISFIFO((root / "pipe").stat().st_mode)


async def test_large_files_arrive(root: Path, how: Isolation) -> None:
    (root / "large").write_bytes(b"x" * 6_000_000)
    line = "head -c 7000000 /dev/zero > zeros; echo end >> large; TZ=UTC touch -d 2020-01-01 zeros"
    report = await command(root, line, isolation=how)
    assert set(report.paths) == {"zeros", "large"}
    assert (root / "large").read_bytes() == b"x" * 6_000_000 + b"end\n"
    assert (root / "zeros").stat().st_size == 7_000_000
    assert (root / "zeros").stat().st_mtime == 1_577_836_800, "builds go by the time"


async def test_ignored_files_nested_repositories_and_an_edited_gitignore_are_undone(root: Path, how: Isolation) -> None:
    """What git does not see of a command is in its change set all the same."""
    line = """git init -q .; echo 'ignored/' > .gitignore; mkdir ignored; echo 1 > ignored/one; echo s > seen.log
        git add -A; mkdir nested; echo n > nested/file; git -C nested init -q"""
    without_layer(root, line)
    everything = contents(root)
    line = "echo '*.log' >> .gitignore; echo 2 > ignored/one; echo 3 > ignored/two; echo t >> seen.log; rm nested/file"
    report = await command(root, line, isolation=how)
    assert set(report.paths) == {".gitignore", "ignored/one", "ignored/two", "seen.log", "nested/file"}
    await project_at(root).checkpoints.undo()
    assert contents(root) == everything


async def test_another_name_of_a_file_keeps_its_content_on_an_overlay(root: Path, how: Isolation) -> None:
    """The kernel gives the name that is written a file of its own; a copy keeps both names together."""
    (root / "hard").hardlink_to(root / "file")
    report = await command(root, "echo more >> file", isolation=how)
    assert set(report.paths) == ({"file"} if how.layer == "overlay" else {"file", "hard"})
    await project_at(root).checkpoints.undo()
    assert {(root / name).read_text() for name in ("file", "hard")} == {"file\n"}


async def test_nothing_of_a_layer_stays(root: Path, how: Isolation) -> None:
    await command(root, f"mkdir -p d/e; chmod 0 d/e; echo {shlex.quote('x')} > f", isolation=how)
    await command(root, "sleep 60", isolation=how, seconds=0.5)
    assert list((project_at(root).state_folder / "layers").iterdir()) == []
