"""Bad input on the command line: exit code 2 and a clear message each, and nothing comes of it."""

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine
from tests.support.commands import Installation

BAD_COMMANDS: dict[str, list[str]] = {
    "empty brief": ["pages", "  "],
    "1 MB brief": ["pages", "@big"],
    "unknown session": ["pages", "x", "--session", "nope"],
    "no such image": ["pages", "x", "--image", "nope.png"],
    "broken image": ["pages", "x", "--image", "broken.png"],
    "no such answers": ["pages", "x", "--answers", "nope.json"],
    "broken answers": ["pages", "x", "--answers", "broken.json"],
    "unknown run": ["runs", "show", "nope"],
    "answer of an unknown run": ["runs", "answer", "nope", "--yes"],
    "resume of an unknown run": ["runs", "resume", "nope"],
    "cancel of an unknown run": ["runs", "cancel", "nope"],
    "unknown agent": ["agents", "show", "nope"],
    "unknown option": ["pages", "x", "--nope"],
    "path as session": ["pages", "x", "--session", "../../etc/passwd"],
}


@pytest.mark.parametrize("as_json", [False, True], ids=["for people", "as JSON"])
@pytest.mark.parametrize("name", BAD_COMMANDS)
def test_bad_commands_exit_2_with_a_message(name: str, as_json: bool, loopwright_command: CommandLine) -> None:
    """Words on stderr, or one JSON line where lines were asked for; no run, no session."""
    Path("broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnot really")
    Path("broken.json").write_text("{")
    arguments = ["x" * 1_000_000 if a == "@big" else a for a in BAD_COMMANDS[name]]
    done = loopwright_command(*arguments, *(["--json"] if as_json else []), code=2)
    if as_json and name != "unknown option":
        assert (done.last["type"], bool(done.last["message"])) == ("error", True)
        assert len(done.lines) == 1
    else:
        assert done.err.strip()
    assert "Traceback" not in done.out + done.err
    assert loopwright_command("runs", "list", "--json").lines == []


def test_the_real_command_does_the_same(tmp_path: Path) -> None:
    """A process of its own ends with this code and these words."""
    done = Installation(tmp_path).run("pages", "x", "--session", "../../etc/passwd")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert done.out == ""
