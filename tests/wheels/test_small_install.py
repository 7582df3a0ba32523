"""`pip install loopwright`, without an extra: small, and all that is everybody's works."""

import asyncio
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.support import model_server as server
from tests.support.model_server import ModelServer
from tests.wheels.conftest import REPOSITORY, Environment

pytestmark = [pytest.mark.wheels, pytest.mark.timeout(1_800)]

MOST_DISTRIBUTIONS, MOST_BYTES = 20, 40_000_000
AGENTS = ("designspec", "ide", "jobs", "pages", "planner")

INSTALLED = """
import json
from importlib.metadata import distributions
sizes = {}
for each in distributions():
    paths = [each.locate_file(file) for file in each.files or ()]
    sizes[each.name] = sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc")
print(json.dumps(sizes))
"""


def test_it_is_small(small: Environment) -> None:
    """Distributions, and the bytes of their files without byte code."""
    sizes = json.loads(small.run_python("-c", INSTALLED))
    assert len(sizes) <= MOST_DISTRIBUTIONS, sorted(sizes)
    assert sum(sizes.values()) <= MOST_BYTES, sorted(sizes.items(), key=lambda each: -each[1])


def test_the_commands_of_every_installation_work(small: Environment, tmp_path: Path) -> None:
    assert "offline-model" in small.run("--help").stdout
    assert small.run("runs", "list", "--json", LOOPWRIGHT_HOME=str(tmp_path / "home")).stdout == ""
    assert "offline model answers" in small.run("models").stdout
    assert small.run("account", "read", "Use the red one.").stdout
    small.run("runs", "show", "nope", code=2)
    small.run("models", "use", "nope", "--nope", code=2)


def test_agents_that_lack_something_are_listed_with_what_to_install(small: Environment) -> None:
    told = {line["name"]: line for line in map(json.loads, small.run("agents", "list", "--json").stdout.splitlines())}
    assert tuple(told) == AGENTS
    assert {line["problem"] for line in told.values()} == {
        f'Install it: pip install "loopwright[{name}]"' for name in AGENTS
    }
    shown = small.run("agents", "list").stdout.splitlines()
    assert len(shown) == 2 * len(AGENTS)


@pytest.mark.parametrize(
    ("command", "agent"),
    [
        (["plan", "learn Spanish"], "planner"),
        (["plan", "--help"], "planner"),
        (["pages", "a shop"], "pages"),
        (["ide", "why?"], "ide"),
        (["jobs", "list"], "jobs"),
        (["designspec", "schema"], "designspec"),
        (["agents", "show", "ide"], "ide"),
    ],
    ids=" ".join,
)
def test_an_agent_without_its_extra_is_one_line_of_advice(command: list[str], agent: str, small: Environment) -> None:
    done = small.run(*command, code=2)
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == f'hint: Install it: pip install "loopwright[{agent}]"'
    assert len(done.stderr.splitlines()) == 2


def test_the_server_answers(small: Environment) -> None:
    """The core's routes, and their description; the agents' are left out."""
    serving = subprocess.Popen(
        [str(small.folder / "venv" / "bin" / "loopwright"), "serve", "--port", "0"],
        cwd=small.work,
        env=small.variables(),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert serving.stderr is not None
        line = next(line for line in serving.stderr if "running on" in line)
        address = line.split("running on ")[1].split()[0]
        for path in ("/healthz", "/api/runs", "/openapi.json", "/docs"):
            with urllib.request.urlopen(f"{address}{path}", timeout=30) as answer:
                assert answer.status == 200
    finally:
        serving.terminate()
        serving.communicate(timeout=30)


async def test_the_example_of_the_documents_runs_and_is_listed(small: Environment) -> None:
    """It sees nothing but what was installed; its model is an endpoint."""
    script = small.work / "letters.py"
    script.write_text((REPOSITORY / "docs" / "examples" / "letters.py").read_text())
    count = server.calls(("count_letters", {"word": "strawberry", "letter": "r"}))
    async with ModelServer([count, server.text("There are 3.")]) as there:
        model = {"OPENAI_BASE_URL": there.base_url, "OPENAI_API_KEY": "k", "MODEL_STANDARD": "scripted"}
        said = await asyncio.to_thread(small.run_python, str(script), **model)
    assert said == "There are 3.\n"
    assert small.last("runs", "list")["agent"] == "letters"


ENDPOINT = """
import asyncio, sys, tempfile
from pathlib import Path
from loopwright.kernel.events import RunCreated
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.models.client import OpenAIClient
from loopwright.models.settings import ModelSettings
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns

async def main():
    async with OpenAIClient(ModelSettings(base_url=sys.argv[1], api_key="none")) as client:
        said = (await client.complete(ModelRequest([Message.user("hello")]))).text
    async with await Database.open(None, Path("state")) as database:
        run = await SqlRuns(database).create("s", "a", said, [RunCreated(session_id="s", agent="a")])
        print(said, len(await SqlJournal(database).read(run.run_id)))

asyncio.run(main())
"""


async def test_a_real_endpoint_and_the_journal_on_sqlite(small: Environment) -> None:
    """Over HTTP; and what is told once where no prices are installed."""
    async with ModelServer([server.text("hello from afar")]) as there:
        command = [str(small.python), "-c", ENDPOINT, there.base_url]
        done = await server.asyncio.to_thread(
            subprocess.run, command, cwd=small.work, env=small.variables(), capture_output=True, text=True, timeout=60
        )
    assert done.stdout == "hello from afar 1\n", done.stderr


def test_the_offline_model_answers_over_http(small: Environment) -> None:
    """The program that serves it is everybody's; an agent asks it, or any client does."""
    code = """
import asyncio
from loopwright.models.client import OpenAIClient
from loopwright.app.models import open_offline_model
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
async def main():
    async with open_offline_model() as client:
        print((await client.complete(ModelRequest([Message.user("hello")]))).text[:40])
asyncio.run(main())
"""
    assert small.run_python("-c", code).strip()


def test_the_interpreter_is_the_one_that_was_asked_for(small: Environment) -> None:
    """Nothing of the environment that runs the tests can be imported: else the other tests would prove nothing."""
    seen = small.run_python("-c", "import sys, loopwright; print(sys.prefix, loopwright.__file__)")
    assert str(small.folder) in seen
    assert sys.prefix not in seen
