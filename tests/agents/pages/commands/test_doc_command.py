"""`loopwright pages doc`: what the agent remembers, and a user's edits of it."""

import json

from tests.support.command_line import CommandLine
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
    assert "(controller, " in changed.out
    assert "- Title: " in record["facts"]["pages.index"]["content"]
    patches = json.loads(loopwright_command("pages", "doc", session, "--history", "--json").out)["patches"]
    assert [(p["author"], p["op"], p["section"]) for p in patches if p["op"] != "facts"] == [
        ("user", "remove", "overview"),
        ("user", "set", "audience"),
        ("llm", "set", "overview"),
    ]
    lines = loopwright_command("pages", "doc", session, "--history").out.splitlines()
    assert len(lines) == len(patches)
    assert any("controller  facts " in line for line in lines)


def test_a_user_merges_sections(loopwright_command: CommandLine) -> None:
    session = built(loopwright_command)
    (loopwright_command.folder / "people.md").write_text("Early birds.", encoding="utf-8")
    loopwright_command("pages", "doc", session, "--set", "audience=people.md", "--set", "guests=people.md")
    merged = loopwright_command("pages", "doc", session, "--merge", "audience=guests, overview")
    assert "## guests" not in merged.out
    assert "Early birds.\n\nEarly birds.\n\nOne page." in merged.out
    assert "merge   guests into audience" in loopwright_command("pages", "doc", session, "--history").out
    for wrong in ("audience", "audience=", "audience=audience", "../x=guests"):
        assert loopwright_command("pages", "doc", session, "--merge", wrong, code=2).err.strip()


def test_what_cannot_be_edited_is_said(loopwright_command: CommandLine) -> None:
    session = built(loopwright_command)
    for arguments in (["--set", "audience"], ["--set", "audience=none.md"], ["--remove", "../x"]):
        refused = loopwright_command("pages", "doc", session, *arguments, code=2)
        assert refused.err.strip()
    loopwright_command("pages", "doc", "nobody", code=2)
