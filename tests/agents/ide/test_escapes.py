"""Ways out of the project, tried at the agent's own doors: each is refused with words, and nothing outside changes."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.ide.sandbox import can_confine
from loopwright.kernel.gates import Failed, Finished
from tests.agents.ide.acting import ENDING, act, project_at

SECRET = "CANARY-secret-91b2"
READ, WRITE = "index_read_file", "write_file"
LEAD_OUT = {
    "../outside.txt": "climbs up",
    "src/../../outside.txt": "climbs up",
    "/etc/passwd": "absolute path",
    "linked.txt": "symbolic link",
    "linked/outside.txt": "link",
    "hard.txt": "hard link",
    ".git/config": "git itself",
    ".GIT/hooks/pre-commit": "git itself",
    ".git/hooks/pre-commit": "git itself",
    "src/.git/config": "git itself",
    ".env": "secrets",
    "deploy/id_rsa": "secrets",
    ".aws/credentials": "secrets",
    ".loopwright/ide/index.db": "keeps for itself",
    "src/main.py\u202etxt": "character",
    "file:stream": "character",
    "src\\..\\..\\outside.txt": "character",
}
"""Paths that a tool is given, and a word of its answer."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with secrets in it, and links that lead out of it."""
    root = tmp_path / "project"
    for name in ("src", "deploy", ".git/hooks", ".aws"):
        (root / name).mkdir(parents=True)
    (tmp_path / "outside.txt").write_text(SECRET)
    (root / "src" / "main.py").write_text("def greet():\n    return 'hello'\n")
    for name in (".env", "deploy/id_rsa", ".aws/credentials", ".git/config"):
        (root / name).write_text(SECRET)
    (root / "linked.txt").symlink_to("../outside.txt")
    (root / "linked").symlink_to("..")
    os.link(tmp_path / "outside.txt", root / "hard.txt")
    return root.resolve()


def everything(folder: Path) -> dict[str, bytes | str]:
    """Every file and link below a folder, but those of the agent's own folder and git's bookkeeping of its own."""
    found: dict[str, bytes | str] = {}
    for place in sorted(folder.rglob("*")):
        name = place.relative_to(folder).as_posix()
        if ".loopwright" in place.relative_to(folder).parts:
            continue
        if place.is_symlink():
            found[name] = os.readlink(place)
        elif place.is_file():
            found[name] = place.read_bytes()
    return found


async def refused(root: Path, tool: str, arguments: list[dict[str, Any]], words: list[str]) -> None:
    """Each of the calls fails with its word; nothing changes, and no secret is seen."""
    before = everything(root.parent)
    account = await act(root, [(tool, each) for each in arguments], *ENDING)
    results = account.results(tool)
    assert isinstance(account.outcome, Finished), account.outcome
    assert len(results) == len(arguments)
    for given, result, word in zip(arguments, results, words, strict=True):
        assert not result["success"], (given, result["output"])
        assert word in result["output"], (given, result["output"])
    assert SECRET not in account.shown
    assert everything(root.parent) == before


async def test_no_file_outside_or_secret_is_read(root: Path) -> None:
    await refused(root, READ, [{"path": path} for path in LEAD_OUT], list(LEAD_OUT.values()))


WRITERS: dict[str, dict[str, Any]] = {
    "write_file": {"content": "taken over"},
    "create_file": {"content": "taken over"},
    "delete_file": {},
    "replace_in_file": {"search": SECRET, "replace": "taken over"},
}


@pytest.mark.parametrize("tool", WRITERS)
async def test_no_file_outside_or_secret_is_written(tool: str, root: Path) -> None:
    given = [{"path": path, **WRITERS[tool]} for path in LEAD_OUT]
    await refused(root, tool, given, list(LEAD_OUT.values()))


async def test_no_patch_leads_out(root: Path) -> None:
    paths = {path: word for path, word in LEAD_OUT.items() if "\\" not in path}
    patches = [{"diff": f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+taken over\n"} for path in paths]
    await refused(root, "apply_patch", patches, list(paths.values()))


async def test_folders_outside_are_not_listed(root: Path) -> None:
    outside = {"..": "climbs up", "/etc": "absolute path", "linked": "link", ".git": "git itself"}
    await refused(root, "index_list_files", [{"folder": folder} for folder in outside], list(outside.values()))


async def test_searches_see_no_secret_and_follow_no_link(root: Path) -> None:
    account = await act(
        root,
        [
            ("index_search_text", {"query": "CANARY"}),
            ("index_search_regex", {"pattern": "CANARY", "glob": "**/.env"}),
            ("index_search_regex", {"pattern": "CANARY", "glob": "../*"}),
            ("index_find_files", {"pattern": "outside"}),
            ("index_find_files", {"pattern": "**/.env"}),
            ("index_search_symbols", {"query": "greet"}),
        ],
        *ENDING,
    )
    *searched, symbols = account.results()
    assert SECRET not in account.shown
    assert not any(result["artifacts"].get("hits") or result["artifacts"].get("files") for result in searched)
    assert "src/main.py:1" in symbols["output"]


@pytest.mark.sandbox
@pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing, or may not make its namespaces")
async def test_commands_see_no_key_and_leave_no_hook(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "LOOPWRIGHT_API_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK"):
        monkeypatch.setenv(name, SECRET)
    before = everything(root.parent)
    commands = [
        "env; cat /proc/self/environ /proc/1/environ; cat /proc/*/environ",
        "cat ../outside.txt linked.txt linked/outside.txt",
        "echo taken > .git/hooks/post-checkout",
        "printf '[core]\\n\\tfsmonitor = ./taken\\n' > .git/config",
        "ln ../outside.txt again.txt",
        "echo taken > linked.txt && cat ../outside.txt",
    ]
    account = await act(root, *([("run_command", {"command": command})] for command in commands), *ENDING)
    results = account.results("run_command")
    assert isinstance(account.outcome, Finished), account.outcome
    assert SECRET not in account.shown
    held = [result["artifacts"]["held"] for result in results]
    assert [bool(each) for each in held] == [False, False, True, True, False, False], results
    assert [results[place]["success"] for place in (1, 4)] == [False] * 2, results
    assert everything(root.parent) == before


@pytest.mark.parametrize("name", ["memory.db", "changes.db"])
async def test_a_broken_state_is_told_and_the_file_is_left_alone(name: str, root: Path) -> None:
    broken = project_at(root).state_folder / name
    broken.parent.mkdir(parents=True)
    broken.write_text("no database")
    script = [[("write_file", {"path": "new.txt", "content": "new"})], *ENDING] if name == "changes.db" else []
    account = await act(root, *script)
    assert isinstance(account.outcome, Failed)
    assert name in account.outcome.message
    assert "Move the file away" in account.outcome.hint
    assert broken.read_text() == "no database"


async def test_memories_of_another_make_are_told(root: Path) -> None:
    other = project_at(root).state_folder / "memory.db"
    other.parent.mkdir(parents=True)
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE memories (memory_id, tier, content_class, category, content, created_at)")
        connection.execute("INSERT INTO memories VALUES ('m', 'eternal', 'order', 'x', 'Obey.', 'yesterday')")
    account = await act(root)
    assert isinstance(account.outcome, Failed)
    assert "memory.db cannot be used" in account.outcome.message
