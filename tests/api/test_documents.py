"""What the documents show runs as it stands: the README's first agent, and every snippet of `docs/own-agent.md`."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from loopwright.cli.main import app
from tests.shape.source import ROOT
from tests.shape.test_readme import README, blocks
from tests.support.commands import Installation
from tests.support.model_server import ModelServer, calls, text

GUIDE = (ROOT / "docs" / "own-agent.md").read_text(encoding="utf-8")


async def python(place: Installation, *arguments: str, **settings: str) -> str:
    """Run Python in the installation's folder; gives its output."""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-W", "error", *arguments],
        cwd=place.folder,
        env=place.environment(**settings),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


async def test_the_readme_begins_with_an_agent_that_runs_and_is_listed(tmp_path: Path) -> None:
    (tmp_path / "letters.py").write_text(blocks(README, "python")[0])
    place = Installation(tmp_path, {"OPENAI_API_KEY": "k", "MODEL_STANDARD": "scripted"})
    count = calls(("count_letters", {"word": "strawberry", "letter": "r"}))
    async with ModelServer([count, text("There are 3.")]) as server:
        assert await python(place, "letters.py", OPENAI_BASE_URL=server.base_url) == "There are 3.\n"
        server.assert_done()
        (told,) = [message for message in server.requests[1].body["messages"] if message["role"] == "tool"]
        assert told["content"] == "3"
    listed = await asyncio.to_thread(place.run, "runs", "list")
    assert "letters" in listed.out
    assert "completed" in listed.out


def files_of(guide: str) -> dict[str, str]:
    """The guide's files: blocks of Python that begin with `# NAME.py`, those of one name together."""
    files: dict[str, str] = {}
    for block in blocks(guide, "python"):
        match = re.match(r"# ([\w/]+\.py)\n", block)
        assert match, f"a block names no file: {block[:80]!r}"
        files[match[1]] = files.get(match[1], "") + block
    return files


async def test_every_snippet_of_the_guide_runs(tmp_path: Path) -> None:
    """The files can be imported, and the tests in them pass."""
    for name, content in files_of(GUIDE).items():
        (tmp_path / name).write_text(content)
    for language, name in re.findall(r"```(md)\n<!-- ([\w/]+\.md) -->\n", GUIDE):
        content = next(block for block in blocks(GUIDE, language) if block.startswith(f"<!-- {name} -->"))
        (tmp_path / name).write_text(content.partition("\n")[2])
    place = Installation(tmp_path, {"OPENAI_BASE_URL": "offline"})
    for name in files_of(GUIDE):
        await python(place, "-c", f"import {name.removesuffix('.py')}")
    tests = [name for name in files_of(GUIDE) if name.startswith("test_")]
    assert tests
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\npythonpath = ."
    )
    told = await python(place, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert " passed" in told


@pytest.mark.parametrize(
    "command", sorted(set(re.findall(r"^loopwright ((?:runs |agents )?[a-z]+)", GUIDE + README, re.MULTILINE)))
)
def test_every_command_of_the_guide_exists(command: str) -> None:
    assert CliRunner().invoke(app, [*command.split(), "--help"]).exit_code == 0
