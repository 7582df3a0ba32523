"""Public MCP servers, from PyPI and from npm, in runs: `docs/mcp.md` says how to install them.

Those from npm are looked for in the folder that LOOPWRIGHT_TEST_MCP_NODE names (an absolute path), then on the PATH.
Where the variable is set, all of them have to be there: a run that was meant to try them must not pass without them.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.app.answering import answer_and_go_on
from tests.mcp.support import app_with, finished, results
from tests.support.application import journal_of


def program(name: str, *words: str) -> dict[str, Any]:
    """The server as `mcp.json` names it; without it the test is skipped, and fails where a folder of npm is named."""
    node = os.environ.get("LOOPWRIGHT_TEST_MCP_NODE", "")
    folders = [str(Path(sys.executable).parent), str(Path(node, "node_modules", ".bin")) if node else "", os.defpath]
    found = shutil.which(name, path=os.pathsep.join([*folders, os.environ.get("PATH", "")]))
    if found is None:
        (pytest.fail if node else pytest.skip)(f"{name} is not installed: see docs/mcp.md")
    return {"command": found, "args": list(words), "timeout": 60}


def git(*words: str) -> str:
    """What a git command prints; the test is skipped without git."""
    found = shutil.which("git") or pytest.skip("git is not installed")
    return subprocess.run([found, *words], check=True, capture_output=True, text=True).stdout


async def test_time_from_pypi(tmp_path: Path) -> None:
    call = (
        "time__convert_time",
        {"source_timezone": "Europe/Berlin", "time": "16:30", "target_timezone": "Asia/Tokyo"},
    )
    wrong = ("time__convert_time", {"time": "16:30"})
    async with app_with(tmp_path, {"time": program("mcp-server-time")}, [[call, wrong], "Done."]) as (app, _):
        converted, refused = await results(app, await finished(app))
    assert converted["success"]
    assert "16:30:00" in json.dumps(converted["artifacts"]["structured"])
    assert not refused["success"]
    assert "'source_timezone' is a required property" in refused["output"]


async def test_git_from_pypi(tmp_path: Path) -> None:
    repository = tmp_path / "work"
    git("init", "-q", str(repository))
    (repository / "tea.txt").write_text("green", encoding="utf-8")
    at = {"repo_path": str(repository)}
    script = [[("git__git_status", at)], [("git__git_add", {**at, "files": ["tea.txt"]})], "Done."]
    async with app_with(tmp_path, {"git": program("mcp-server-git")}, script) as (app, _):
        run = await finished(app)
        assert run.status == "waiting_input"  # adding changes the index, so the user is asked
        await answer_and_go_on(app, run.run_id, {"decision": "approve"})
        await app.dispatcher.wait(run.run_id)
        status, added = await results(app, run)
    assert "tea.txt" in status["output"]
    assert added["success"]
    assert git("-C", str(repository), "diff", "--cached", "--name-only") == "tea.txt\n"


async def test_everything_from_npm(tmp_path: Path) -> None:
    """A server of the era before, which asks while a call waits: that is declined, and said."""
    script = [
        [("everything__get-sum", {"a": 2, "b": 40}), ("everything__get-tiny-image", {})],
        [("everything__trigger-long-running-operation", {"duration": 1, "steps": 2})],
        [("everything__trigger-elicitation-request", {})],
        "Done.",
    ]
    servers = {
        "everything": program("mcp-server-everything", "stdio") | {"alwaysAllow": ["trigger-elicitation-request"]}
    }
    async with app_with(tmp_path, servers, script) as (app, model):
        run = await finished(app)
        added, image, slow, asked = await results(app, run)
        (listed,) = await journal_of(app, run.run_id, "server_tools_listed")
    assert "42" in added["output"]
    assert image["artifacts"]["files"][0]["mime"] == "image/png"
    assert slow["success"]
    assert "cannot wait for people" in asked["output"]
    assert len(listed.payload["tools"]) >= 12
    assert set(model.requests[0].tools.names) == {"look", *(tool["name"] for tool in listed.payload["tools"])}


async def test_memory_from_npm(tmp_path: Path) -> None:
    entity = {"name": "Ada", "entityType": "person", "observations": ["likes tea"]}
    script = [
        [("memory__create_entities", {"entities": [entity]})],
        [("memory__search_nodes", {"query": "tea"})],
        "Done.",
    ]
    memory = program("mcp-server-memory") | {"env": {"MEMORY_FILE_PATH": str(tmp_path / "memory.json")}, "trust": True}
    async with app_with(tmp_path, {"memory": memory}, script) as (app, _):
        created, found = await results(app, await finished(app))
    assert created["success"]
    assert "Ada" in found["output"]
