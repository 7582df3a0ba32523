"""`loopwright pages doc`: what the agent remembers, and a user's edits of it."""

import json

from tests.cli.conftest import CommandLine
from tests.support.scripts import one_page


def built(command: CommandLine) -> str:
    session_id: str = command("pages", "A page that says hello", "--json", script=one_page()).last["session_id"]
    return session_id


def test_a_user_edits_what_the_agent_remembers(loopwright_command: CommandLine) -> None:
    session = built(loopwright_command)
    assert "One page." in loopwright_command("pages", "doc", session).out
    (loopwright_command.folder / "people.md").write_text("Early birds.\x1b[31m", encoding="utf-8")
    changed = loopwright_command("pages", "doc", session, "--set", "audience=people.md", "--remove", "overview")
    assert "## audience" in changed.out
    assert "(user, " in changed.out
    assert "One page." not in changed.out
    assert "\x1b" not in changed.out
    record = json.loads(loopwright_command("pages", "doc", session, "--json").out)
    assert list(record["sections"]) == ["audience"]
    patches = json.loads(loopwright_command("pages", "doc", session, "--history", "--json").out)["patches"]
    assert [(p["author"], p["op"], p["section"]) for p in patches] == [
        ("user", "remove", "overview"),
        ("user", "set", "audience"),
        ("llm", "set", "overview"),
    ]
    lines = loopwright_command("pages", "doc", session, "--history").out.splitlines()
    assert len(lines) == 3


def test_what_cannot_be_edited_is_said(loopwright_command: CommandLine) -> None:
    session = built(loopwright_command)
    for arguments in (["--set", "audience"], ["--set", "audience=none.md"], ["--remove", "../x"]):
        refused = loopwright_command("pages", "doc", session, *arguments, code=2)
        assert refused.err.strip()
    loopwright_command("pages", "doc", "nobody", code=2)
