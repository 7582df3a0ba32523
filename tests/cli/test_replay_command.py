"""`loopwright runs replay`: the requests of a run, one of them, and why it says what it says."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from loopwright.cli.main import app
from tests.support.command_line import CommandLine
from tests.support.commands import Finished


def loopwright(*arguments: str) -> Finished:
    """A command that must succeed; the offline model answers."""
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, (done.stdout[-2_000:], done.stderr[-2_000:], done.exception)
    return Finished(done.exit_code, done.stdout, done.stderr)


def test_a_run_of_the_offline_model_is_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request is listed as identical; its body has the journalled settings; its messages have their sources."""
    monkeypatch.setenv("LOOPWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOOPWRIGHT_OUT", str(tmp_path / "out"))
    run_id = loopwright("pages", "a coffee shop app, 2 pages", "--json", "--yes").last["run_id"]
    listed = loopwright("runs", "replay", run_id, "--json").lines
    assert listed
    assert all(line["identical"] for line in listed)
    steps = [line["step"] for line in listed if line["step"] is not None]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) < len(listed)  # tools have asked as well
    events = {event["seq"]: event for event in loopwright("runs", "events", run_id, "--json").lines}
    body = loopwright("runs", "replay", run_id, "--step", "2").out.removesuffix("\n").encode()
    answered = next(line["event"] for line in listed if line["step"] == 2)
    messages = json.loads(body)["messages"]
    assert json.loads(body).items() >= json.loads(events[answered]["payload"]["sent"]["settings"]).items()
    whole = loopwright("runs", "replay", run_id, "--event", str(answered), "--json").last
    assert (whole["identical"], whole["body"]["messages"]) == (True, messages)
    why = loopwright("runs", "replay", run_id, "--step", "2", "--why", "--json").lines
    told = [line["content"] for line in why]
    assert told[0]["content"].startswith("[task: pages/")
    told[0]["content"] = told[0]["content"].partition("\n")[2]  # the task goes beside the messages
    sent = "\n\n".join(message["content"] or "" for message in messages)  # neighbours of one role are sent as one
    assert all(message["content"] in sent for message in told)
    assert {message["role"] for message in told} == {message["role"] for message in messages}
    assert [events[line["sources"][0]["event"]]["type"] for line in why] == [line["sources"][0]["type"] for line in why]
    shown = loopwright("runs", "replay", run_id, "--step", "2", "--why").out
    assert "user_message: message" in shown
    assert "identical" in loopwright("runs", "replay", run_id).out


def test_what_cannot_be_shown_is_said(loopwright_command: CommandLine) -> None:
    """No such run or step, options that exclude each other: an error with what to do."""
    assert "no run" in loopwright_command("runs", "replay", "nobody", code=2).err
    loopwright_command("runs", "replay", "nobody", "--why", code=2)
    loopwright_command("runs", "replay", "nobody", "--step", "1", "--event", "2", code=2)
