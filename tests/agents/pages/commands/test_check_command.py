"""`loopwright pages check`: findings, exit codes, and the fixes as versions of their own."""

import json
from pathlib import Path

import pytest

from tests.support.browser import find_chromium
from tests.support.command_line import CommandLine
from tests.support.scripts import VAGUE, one_page


def made(command: CommandLine) -> tuple[str, Path]:
    """A session with one page, and that page's file."""
    last = command("pages", VAGUE, "--json", script=one_page()).last
    return last["session_id"], Path(last["session_dir"]) / "pages" / "index.html"


def spoil(file: Path, old: str, new: str) -> str:
    html = file.read_text(encoding="utf-8")
    assert html.count(old) == 1
    file.write_text(html.replace(old, new), encoding="utf-8")
    return html


def test_a_good_page_and_a_bad_one(loopwright_command: CommandLine) -> None:
    session, file = made(loopwright_command)
    assert "✓ index" in loopwright_command("pages", "check", session).out
    spoil(file, "</body>", "<script>let = ;</script></body>")
    out = loopwright_command("pages", "check", session, "index", code=4).out
    assert "✗ index" in out
    assert "error [script-syntax]" in out
    assert "no page 'menu'" in loopwright_command("pages", "check", session, "menu", code=2).err


def test_fixes_are_versions_that_undo_takes_back(loopwright_command: CommandLine) -> None:
    session, file = made(loopwright_command)
    spoil(file, ' lang="en"', "")
    spoil(file, "<p>", '<p style="font-size: 9px">')
    spoiled = file.read_text(encoding="utf-8")
    data = json.loads(loopwright_command("pages", "check", session, "--fix", "--json").out)
    assert data["good"] is True
    assert data["pages"][0]["fixes"] == ["added lang=en", "set font-size: 12px on p"]
    mended = file.read_text(encoding="utf-8")
    assert mended == spoiled.replace("<html>", '<html lang="en">').replace("9px", "9px; font-size: 12px")
    again = json.loads(loopwright_command("pages", "check", session, "--fix", "--json").out)
    assert (again["pages"][0]["fixes"], again["pages"][0]["version"]) == ([], None)
    loopwright_command("pages", "undo", session)
    assert file.read_text(encoding="utf-8") == spoiled


@pytest.mark.browser
def test_the_browser_and_the_act_rules_are_asked(
    loopwright_command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, file = made(loopwright_command)
    monkeypatch.setenv("LOOPWRIGHT_CHROMIUM", find_chromium())
    spoil(file, "</body>", "<script>[].first.name</script></body>")
    out = loopwright_command("pages", "check", session, "--browser", "--act", code=4).out
    assert "error [rendered-script]: A script fails when the page opens." in out
    assert "ACT: " in out


def test_without_a_browser_it_says_so(loopwright_command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = made(loopwright_command)
    monkeypatch.setenv("LOOPWRIGHT_CHROMIUM", "no-such-browser")
    out = loopwright_command("pages", "check", session, "--browser").out
    assert "not rendered: no browser ('no-such-browser' is no program." in out
