"""The snippets of `docs/mcp.md` do what it says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.api.building import build
from loopwright.app.tool_servers import IGNORED, read_servers
from loopwright.kernel.tool_servers import ToolServer
from tests.shape.source import ROOT

TEXT = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_file_shown_is_read(tmp_path: Path) -> None:
    (shown,) = blocks("json")
    file = tmp_path / "mcp.json"
    file.write_text(shown, encoding="utf-8")
    servers = read_servers(file)
    assert set(servers) == {"time", "git", "memory", "tickets"}
    assert servers["tickets"].headers == {"Authorization": "Bearer none"}
    assert servers["git"].agents == {"ide"}


def test_every_key_is_told() -> None:
    told = {name for row in re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert told == {field.alias or name for name, field in ToolServer.model_fields.items()} - {"name"}
    assert not told & IGNORED


def test_the_definition_shown_is_python() -> None:
    definition, _ = blocks("python")
    names: dict[str, Any] = {}
    exec(definition, names)
    servers = build(names["clerk"]).spec.servers
    assert [each.name for each in servers] == ["time", "memory", "desk"]
    assert servers[1].trust
    assert servers[2].always_allow == {"add_comment"}


def test_the_client_shown_runs(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    program = tmp_path / "loopwright"
    program.write_text(f"#!{sys.executable}\nfrom loopwright.cli.main import main\nmain()\n", encoding="utf-8")
    program.chmod(0o755)
    client = blocks("python")[1].replace(
        'args=["mcp"]', f'args=["mcp"], env={json.dumps({"LOOPWRIGHT_HOME": str(tmp_path / "home")})}'
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-c", client],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if done.returncode:
        pytest.fail(done.stderr[-2_000:])
    tools, _, said = done.stdout.partition("\n")
    assert "planner" in tools.split(", ")
    assert said.strip()
