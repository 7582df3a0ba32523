"""State that lies in a folder is not looked into unasked; what is taken over is what cannot act by itself."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import loopwright.agents.jobs.store.tables  # noqa: F401 – tables that the imported database has never had
from tests.support.application import Turn
from tests.support.pages_model import call

ASK = ("ide", "--mode", "chat", "What is it?", "--json")


@pytest.fixture
def old(loopwright_command, tmp_path, monkeypatch):
    """A project with the state of an older version: a finished run, one that waits, a memory, a permission."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "greet.py").write_text("x = 1\n")
    monkeypatch.setenv("LOOPWRIGHT_HOME", str(tmp_path / "before"))
    loopwright_command(*ASK, "--root", str(root), script=[Turn("It greets.")])
    change = [call("write_file", path="a.txt", content="a")]
    loopwright_command("ide", "Change it.", "--root", str(root), "--json", script=change, code=3)
    loopwright_command("ide", "memory", "add", "Tests run with make check.", "--root", str(root))
    loopwright_command("ide", "permissions", "allow", "write", "--root", str(root))
    shutil.move(tmp_path / "before", root / ".loopwright")
    [state] = (root / ".loopwright" / "projects").iterdir()
    shutil.move(state, root / ".loopwright" / "ide")
    monkeypatch.setenv("LOOPWRIGHT_HOME", str(tmp_path / "home"))
    return root


def runs(loopwright_command) -> list[str]:
    return [each["status"] for each in loopwright_command("runs", "list", "--json").lines]


def test_a_folder_with_old_state_is_told_of_and_left_alone(old, loopwright_command, tmp_path, monkeypatch):
    before = {path: path.read_bytes() for path in old.rglob("*") if path.is_file()}
    monkeypatch.chdir(old)
    listed = loopwright_command("runs", "list", "--json")
    assert listed.lines == []
    assert "loopwright import" in listed.err
    assert len(listed.err.splitlines()) == 1
    assert loopwright_command("ide", "permissions", "list", "--json").lines == []
    assert loopwright_command("ide", "memory", "list", "--json").lines == []
    change = [call("write_file", path="a.txt", content="a")]
    waited = loopwright_command("ide", "Change it.", "--json", script=change, code=3)
    assert waited.last["type"] == "waiting"
    assert {path: path.read_bytes() for path in old.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("named", ["", ".loopwright"])
def test_what_is_over_is_taken_over(named, old, loopwright_command):
    done = loopwright_command("import", str(old / named), "--json")
    assert (done.last["sessions"], done.last["runs"], done.last["unfinished"], done.last["memories"]) == (2, 1, 1, 0)
    assert runs(loopwright_command) == ["completed"]
    [run] = loopwright_command("runs", "list", "--json").lines
    events = loopwright_command("runs", "events", run["run_id"], "--json").lines
    assert events[0]["type"] == "run_created"
    assert events[-1]["type"] == "run_completed"
    assert loopwright_command("ide", "permissions", "list", "--json").lines == []
    assert loopwright_command("ide", "memory", "list", "--root", str(old), "--json").lines == []
    again = loopwright_command("import", str(old), "--json")
    assert (again.last["sessions"], again.last["runs"]) == (0, 0)


def test_memories_come_when_the_user_says_so(old, loopwright_command):
    assert loopwright_command("import", str(old), "--memories", "--json").last["memories"] == 1
    [memory] = loopwright_command("ide", "memory", "list", "--root", str(old), "--json").lines
    assert memory["content"] == "Tests run with make check."


def test_an_id_that_is_taken_is_refused_whole(old, loopwright_command):
    loopwright_command("import", str(old))
    with closing(sqlite3.connect(old / ".loopwright" / "loopwright.db")) as database, database:
        for table in ("sessions", "runs"):
            database.execute(f"UPDATE {table} SET session_id = 'other' || substr(session_id, 1, 20)")
    done = loopwright_command("import", str(old), "--json")
    assert len(done.last["refused"]) == 1
    assert runs(loopwright_command) == ["completed"]


@pytest.mark.parametrize("kind", ["nothing", "link", "pipe", "folder", "garbage", "moment"])
def test_what_is_no_database_is_told(kind, old, loopwright_command):
    place = old / ".loopwright" / "loopwright.db"
    if kind == "moment":
        with closing(sqlite3.connect(place)) as database, database:
            database.execute("UPDATE runs SET created_at = 'once upon a time'")
    else:
        content = place.rename(old / "kept.db")
        match kind:
            case "nothing":
                shutil.rmtree(old / ".loopwright")
            case "link":
                place.symlink_to(content)
            case "pipe":
                os.mkfifo(place)
            case "folder":
                place.mkdir()
            case "garbage":
                place.write_bytes(b"no database" * 500)
    done = loopwright_command("import", str(old), "--json", code=2)
    assert done.last["type"] == "error", json.dumps(done.last)
    assert runs(loopwright_command) == []


def test_a_home_inside_the_project_is_refused_before_anything_is_stored(loopwright_command, tmp_path, monkeypatch):
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.setenv("LOOPWRIGHT_HOME", str(root / ".loopwright"))
    done = loopwright_command(*ASK, "--root", str(root), code=2)
    assert done.last["code"] == "invalid_input"
    assert "LOOPWRIGHT_HOME" in done.last["message"]
    assert runs(loopwright_command) == []


def test_the_home_is_the_users_alone(loopwright_command, tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    loopwright_command("runs", "list")
    assert home.stat().st_mode & 0o777 == 0o700
