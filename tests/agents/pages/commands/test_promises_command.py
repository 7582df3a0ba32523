"""`loopwright pages promises` and `withdraw`: the ledger on a terminal and as JSON, with exit codes."""

import json
from pathlib import Path

from tests.support.command_line import CommandLine
from tests.support.pages_model import call
from tests.support.scripts import VAGUE, closing, one_page

ASKED = "Good morning, neighbours"


def edited(command: CommandLine) -> tuple[str, Path]:
    """A session with one promise, and its home page's file."""
    made = command("pages", VAGUE, "--json", script=one_page()).last
    session = made["session_id"]
    edit = call("edit_page", slug="index", edit_instructions=ASKED)
    command("pages", "--session", session, f'change the heading to "{ASKED}"', script=[edit, closing("Done.")])
    return session, Path(made["session_dir"]) / "pages" / "index.html"


def test_the_record_is_shown_replayed_and_withdrawn(loopwright_command: CommandLine) -> None:
    session, file = edited(loopwright_command)
    shown = loopwright_command("pages", "promises", session).out
    assert f'“change the heading to "{ASKED}"”' in shown
    assert f"expects h1 with the words '{ASKED}' on index" in shown

    checked = loopwright_command("pages", "promises", session, "--check").out
    assert "✓ P1" in checked
    assert "1 checks hold, 0 do not" in checked

    file.write_text(file.read_text(encoding="utf-8").replace(ASKED, "Hello"), encoding="utf-8")
    broken = loopwright_command("pages", "promises", session, "--check", code=4).out
    assert "✗ P1" in broken
    assert "found 1 × h1 with other words: Hello" in broken
    data = json.loads(loopwright_command("pages", "promises", session, "--check", "--json", code=4).out)
    assert data["promises"][0]["state"] == "broken"
    assert data["summary"]["broken"][0]["promise_id"] == "P1"

    gone = loopwright_command("pages", "withdraw", session, "P1", "--reason", "another heading after all").out
    assert gone.startswith("P1 is withdrawn:")
    assert "the record is empty" in loopwright_command("pages", "promises", session).out
    everything = json.loads(loopwright_command("pages", "promises", session, "--all", "--json").out)
    assert everything["promises"][0]["reason"] == "another heading after all"
    assert json.loads((file.parent.parent / "promises.json").read_text(encoding="utf-8")) == []


def test_a_single_check_is_given_up(loopwright_command: CommandLine) -> None:
    session, _ = edited(loopwright_command)
    assert " 1 expects h1" in loopwright_command("pages", "promises", session).out
    assert "no check 9" in loopwright_command("pages", "withdraw", session, "P1", "--check", "9", code=2).err
    told = loopwright_command("pages", "withdraw", session, "P1", "--check", "1", "--reason", "not that").out
    assert told.startswith("Check 1 of P1 is withdrawn:")
    everything = loopwright_command("pages", "promises", session, "--all").out
    assert "(withdrawn “not that”)" in everything
    assert "withdrawn already" in loopwright_command("pages", "withdraw", session, "P1", "--check", "1", code=2).err


def test_what_cannot_be_withdrawn(loopwright_command: CommandLine) -> None:
    session, _ = edited(loopwright_command)
    assert "has no promise P9" in loopwright_command("pages", "withdraw", session, "P9", code=2).err
    assert "names no promise" in loopwright_command("pages", "withdraw", session, "hearts", code=2).err
    loopwright_command("pages", "withdraw", session, "p1")
    assert "withdrawn already" in loopwright_command("pages", "withdraw", session, "P1", code=2).err
    assert "no session" in loopwright_command("pages", "promises", "nowhere", code=2).err
