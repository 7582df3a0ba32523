"""`loopwright pages history`, `diff`, `undo`, `redo`, `restore`."""

from tests.support.command_line import CommandLine
from tests.support.pages_model import call
from tests.support.scripts import VAGUE, closing, one_page


def test_what_changed_and_the_ways_back(loopwright_command: CommandLine) -> None:
    session = loopwright_command("pages", VAGUE, "--json", script=one_page()).last["session_id"]
    edit = [call("edit_page", slug="index", edit_instructions="Freshly roasted"), closing("Done.")]
    loopwright_command("pages", "--session", session, "another heading", "--json", script=edit)
    told = loopwright_command("pages", "history", session).out
    assert "undo leads here" in told
    diff = loopwright_command("pages", "diff", session, "index").out
    assert "1 changed" in diff
    assert "“Freshly roasted”" in diff
    assert loopwright_command("pages", "diff", session, "--json").lines[0]["counts"]["changed"] == 1
    undone = loopwright_command("pages", "undo", session, "--json").last
    assert undone["versions"][0]["source"] == "undo"
    assert "version 2 again" in loopwright_command("pages", "redo", session).out
    wrong = loopwright_command("pages", "diff", session, "--from", "1", code=2)
    assert "name the page" in wrong.err
    missing = loopwright_command("pages", "restore", session, "index", "--version", "9", code=2)
    assert "no version 9" in missing.err


def test_a_page_is_deleted_by_command(loopwright_command: CommandLine) -> None:
    session = loopwright_command("pages", VAGUE, "--json", script=one_page()).last["session_id"]
    only = loopwright_command("pages", "delete", session, "index", code=2)
    assert "only page" in only.err
    assert "no page 'cart'" in loopwright_command("pages", "delete", session, "cart", code=2).err
