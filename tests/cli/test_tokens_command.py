"""`loopwright pages tokens` and `token`: looked at, measured, changed after a yes, taken back."""

import json
from pathlib import Path

from tests.support.command_line import CommandLine
from tests.support.scripts import VAGUE, one_page


def designed(command: CommandLine) -> tuple[str, Path, str]:
    """A session, its style sheet's file, and the name of a colour token of it."""
    made = command("pages", VAGUE, "--json", script=one_page()).last
    session = made["session_id"]
    data = json.loads(command("pages", "tokens", session, "--json").out)
    token = next(each["name"] for each in data["tokens"] if each["kind"] == "colour")
    return session, Path(made["session_dir"]) / "design-system.css", token


def test_tokens_are_listed_changed_and_taken_back(loopwright_command: CommandLine) -> None:
    session, file, token = designed(loopwright_command)
    before = file.read_text(encoding="utf-8")
    listed = loopwright_command("pages", "tokens", session).out
    assert token in listed
    assert "Drift of the pages" in listed
    assert "index" in listed

    shown = loopwright_command("pages", "token", session, f"{token}=#abc123", code=3).out
    assert f"{token}: " in shown
    assert "Touches " in shown
    assert "say --yes" in shown
    dry = json.loads(loopwright_command("pages", "token", session, token, "#abc123", "--json", code=3).out)
    assert dry["applied"] is False
    assert dry["impact"]["changes"][0]["after"] == "#abc123"
    assert file.read_text(encoding="utf-8") == before

    done = loopwright_command("pages", "token", session, f"{token}=#abc123", "--yes").out
    assert "Saved as version" in done
    assert "#abc123" in file.read_text(encoding="utf-8")
    listed = loopwright_command("pages", "tokens", session, "--versions").out
    assert "tokens" in listed.splitlines()[0]
    assert loopwright_command("pages", "token", session, "--undo").out.startswith("Version ")
    assert file.read_text(encoding="utf-8") == before
    records = json.loads(loopwright_command("pages", "tokens", session, "--versions", "--json").out)["versions"]
    assert [each["source"] for each in records[:2]] == ["restore", "tokens"]


def test_bad_token_commands(loopwright_command: CommandLine) -> None:
    session, file, token = designed(loopwright_command)
    before = file.read_text(encoding="utf-8")
    for arguments, said in (
        ((session, "--no-such=red"), "has no token --no-such"),
        ((session, f"{token}=12px"), "is no colour"),
        ((session, f"{token}=red", "--scheme", "sepia"), "is no scheme"),
        ((session,), "Say one session"),
        ((session, token), "Say one session"),
        ((session, f"{token}=red", "--undo"), "Say one session"),
        (("nowhere", f"{token}=red"), "nowhere"),
    ):
        assert said in loopwright_command("pages", "token", *arguments, code=2).err
    assert file.read_text(encoding="utf-8") == before
