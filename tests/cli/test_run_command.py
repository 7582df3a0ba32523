"""`loopwright run FILE`: what it finds in a file, and what it says where it finds nothing."""

import json

import pytest

from tests.support.command_line import CommandLine
from tests.support.pages_model import Turn

CLERK = 'from loopwright import Agent\nclerk = Agent("note-clerk", "Write letters.")\n'


@pytest.mark.parametrize(
    ("content", "target", "message"),
    [
        (None, "gone.py", "There is no file gone.py."),
        ("x = 1", "clerk.py", "clerk.py declares no agent."),
        ("1 / 0", "clerk.py", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("def", "clerk.py", "cannot be loaded: SyntaxError"),
        (CLERK, "clerk.py:clark", "clerk.py has no agent 'clark'."),
        (CLERK + 'other = Agent("other", "…")', "clerk.py", "clerk.py declares several agents: clerk, other."),
        (CLERK.replace("note-clerk", "pages"), "clerk.py", "There is an installed agent named 'pages'."),
    ],
)
def test_what_cannot_be_run_is_told_in_two_lines(
    loopwright_command: CommandLine, content: str | None, target: str, message: str
) -> None:
    if content is not None:
        (loopwright_command.folder / "clerk.py").write_text(content)
    done = loopwright_command("run", target, "Hello.", code=2)
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 2, done.err


def test_a_module_of_a_package_is_loaded_as_one(loopwright_command: CommandLine) -> None:
    package = loopwright_command.folder / "sold_here"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "words.py").write_text('TEXT = "You sell."')
    (package / "seller.py").write_text(
        "from loopwright import Agent\nfrom sold_here.words import TEXT\nseller = Agent('seller', TEXT)"
    )
    done = loopwright_command("run", "sold_here/seller.py", "Hello.", "--json", script=[Turn(words="Good day.")])
    assert done.last["message"] == "Good day."
    kept = json.loads((loopwright_command.folder / "home" / "agents.json").read_text())
    assert kept["seller"] == {"file": str(package / "seller.py"), "variable": "seller"}


def test_a_conversation_goes_on(loopwright_command: CommandLine) -> None:
    (loopwright_command.folder / "clerk.py").write_text(CLERK)
    first = loopwright_command("run", "clerk.py", "Hello.", "--json", script=[Turn(words="Good day.")]).last
    again = ("run", "clerk.py", "And now?", "--session", first["session_id"], "--json")
    second = loopwright_command(*again, script=[Turn(words="Still.")]).last
    assert (second["session_id"], second["message"]) == (first["session_id"], "Still.")
