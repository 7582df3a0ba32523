"""`loopwright pages link`: the address of a preview that opens without the token."""

import re
from datetime import UTC, datetime

import pytest

from loopwright.agents.pages.usecases.live_pages import sign
from tests.support.command_line import CommandLine
from tests.support.scripts import VAGUE, one_page

TOKEN = "s3cret-token"


def test_the_command_prints_an_address(loopwright_command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPWRIGHT_TOKEN", TOKEN)
    session = loopwright_command("pages", VAGUE, "--yes", "--json", script=one_page()).last["session_id"]
    base = "http://192.168.0.7:8700"
    shown = loopwright_command("pages", "link", session, "--base", base, "--minutes", "10")
    found = re.fullmatch(rf"{re.escape(base)}/previews/{session}/([0-9]+)-([0-9a-f]{{64}})/index/preview\n", shown.out)
    assert found
    assert 500 < int(found[1]) - datetime.now(UTC).timestamp() <= 600
    assert sign(TOKEN, session, datetime.fromtimestamp(int(found[1]), UTC)).endswith(found[2])
    assert TOKEN not in shown.out + shown.err
    assert loopwright_command("pages", "link", session, "nope", code=2).err.strip()
