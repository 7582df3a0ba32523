"""`loopwright pages`: exit codes, the last line, answers from files and defaults, refinement, images."""

import json
import shlex
from pathlib import Path

import PIL.Image
import pytest

from tests.support.command_line import CommandLine
from tests.support.pages_model import Turn, call
from tests.support.scripts import QUESTIONS, VAGUE, closing, one_page

ASK = call("ask_user", questions=QUESTIONS)
LAST_LINE = {"type", "session_id", "run_id", "session_dir", "pages", "valid", "steps", "cost_usd", "model"}


def answered(command: CommandLine, answers: object, *more: str, code: int = 0, rest: list[Turn] | None = None) -> dict:
    """The last line of a run that asks, with these answers in a file."""
    (command.folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    script = [ASK, *(one_page() if rest is None else rest)]
    return command("pages", VAGUE, "--answers", "answers.json", "--json", *more, script=script, code=code).last


def given(command: CommandLine, run_id: str) -> dict[str, object]:
    """The stored answers of the run's first gate."""
    events = command("runs", "events", run_id, "--json").lines
    answers: dict[str, object] = next(e for e in events if e["type"] == "gate_answered")["payload"]["answer"]["answers"]
    return answers


def test_json_lines_and_the_last_line(loopwright_command: CommandLine) -> None:
    """The run's events as they are in the journal, then one line with the fields that the issue names."""
    done = loopwright_command("pages", VAGUE, "--json", script=one_page())
    *events, last = done.lines
    assert set(last) >= LAST_LINE
    assert last["type"] == "complete"
    assert (last["pages"], last["valid"], last["steps"], last["model"]) == (["index"], True, 3, "scripted")
    assert isinstance(last["cost_usd"], float)
    assert (Path(last["session_dir"]) / "pages" / "index.html").is_file()
    assert Path(last["session_dir"]).name == last["session_id"]
    assert {event["run_id"] for event in events} == {last["run_id"]}
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert all({"type", "seq", "at", "payload"} <= set(event) for event in events)
    assert (events[0]["type"], events[-1]["type"]) == ("run_created", "run_completed")
    assert done.out.count("\n") == len(done.lines)


def test_waiting_prints_the_commands_that_answer_it(loopwright_command: CommandLine) -> None:
    """Exit 3; the printed file and the printed command, taken as they stand, carry the run to its end."""
    tricky = [{"question": "What's the look?", "type": "radio", "options": ["Don't know", "Warm"]}, QUESTIONS[1]]
    waiting = loopwright_command("pages", VAGUE, script=[call("ask_user", questions=tricky)], code=3)
    written = [line.strip() for line in waiting.out.splitlines()]
    echo = shlex.split(next(line for line in written if line.startswith("echo ")))
    assert echo[2:] == [">", "answers.json"]
    (loopwright_command.folder / "answers.json").write_text(echo[1], encoding="utf-8")
    program, *arguments = shlex.split(next(line for line in written if line.startswith("loopwright runs answer")))
    assert program == "loopwright"
    done = loopwright_command(*arguments, "--json", script=one_page())
    assert done.last["type"] == "complete"
    assert given(loopwright_command, done.last["run_id"]) == {
        "What's the look?": "Don't know",
        "Which pages?": ["Menu"],
    }
    again = loopwright_command(*arguments, code=2)
    assert "waits for no answer" in again.err


def test_waiting_as_json(loopwright_command: CommandLine) -> None:
    """The gate and its questions, with the run that can be answered."""
    last = loopwright_command("pages", VAGUE, "--json", script=[ASK], code=3).last
    assert last["type"] == "waiting"
    assert last["gate"]["gate_id"].startswith(last["run_id"])
    assert [question["index"] for question in last["questions"]] == [0, 1, 2]
    assert last["questions"][0] | {"index": 0} == {"index": 0, **QUESTIONS[0]}
    done = loopwright_command("runs", "answer", last["run_id"], "--yes", "--json", script=one_page())
    assert done.last["run_id"] == last["run_id"]
    assert done.lines[0]["type"] == "gate_answered"


@pytest.mark.parametrize(
    "answers",
    [
        {"Which look?": "Cool", "Which pages?": ["Cart"], "Who is it for?": "Me"},
        {"0": "Cool", "1": ["Cart"], "2": "Me"},
        {"answers": {"0": "Cool", "Which pages?": "Cart", "2": "Me"}},
    ],
    ids=["by text", "by index", "wrapped and mixed"],
)
def test_answers_from_a_file(loopwright_command: CommandLine, answers: dict[str, object]) -> None:
    """By the question's text or by its index; they reach the journal under the question's text."""
    last = answered(loopwright_command, answers)
    stored = given(loopwright_command, last["run_id"])
    assert stored == {"Which look?": "Cool", "Which pages?": ["Cart"], "Who is it for?": "Me"}
    assert "unused_answers" not in last


def test_answers_that_fit_nothing_are_named(loopwright_command: CommandLine) -> None:
    """A misspelt question is not lost silently."""
    last = answered(loopwright_command, {"0": "Cool", "Which lok?": "Warm"})
    assert last["unused_answers"] == ["Which lok?"]
    assert given(loopwright_command, last["run_id"]) == {"Which look?": "Cool"}


def test_a_file_without_a_fitting_answer_leaves_the_run_waiting(loopwright_command: CommandLine) -> None:
    """Nothing is made up: the human is waited for."""
    last = answered(loopwright_command, {"something else": "x"}, rest=[], code=3)
    assert (last["type"], last["unused_answers"]) == ("waiting", ["something else"])


def test_an_answer_of_the_wrong_kind_is_bad_input(loopwright_command: CommandLine) -> None:
    """Exit 2 with the question's name; the gate stays open."""
    last = answered(loopwright_command, {"0": 7}, rest=[], code=2)
    assert (last["type"], last["code"]) == ("error", "invalid_input")
    assert "Which look?" in last["message"]
    assert loopwright_command("runs", "list", "--json").last["status"] == "waiting_input"


def test_yes_takes_the_defaults_and_fills_what_the_file_leaves_open(loopwright_command: CommandLine) -> None:
    """The question's own default, else its first option, else nothing."""
    done = loopwright_command("pages", VAGUE, "--yes", "--json", script=[ASK, *one_page()])
    defaults = {"Which look?": "Warm", "Which pages?": ["Menu"], "Who is it for?": ""}
    assert given(loopwright_command, done.last["run_id"]) == defaults
    last = answered(loopwright_command, {"0": "Cool"}, "--yes")
    assert given(loopwright_command, last["run_id"]) == defaults | {"Which look?": "Cool"}


def test_a_session_is_refined(loopwright_command: CommandLine) -> None:
    """Same folder, new run, the earlier dialogue in mind; the printed hint is such a command."""
    built = loopwright_command("pages", VAGUE, script=one_page())
    opened = next(line for line in built.out.splitlines() if line.startswith("Open"))
    assert Path(opened.split(maxsplit=1)[1]).name == "index.html"
    hint = next(line for line in built.out.splitlines() if line.startswith("Refine"))
    _, program, *arguments = shlex.split(hint)
    assert (program, arguments[:2]) == ("loopwright", ["pages", "--session"])
    script = [call("edit_page", slug="index", edit_instructions="Hello green"), closing("Green now.")]
    done = loopwright_command(*arguments, "--json", script=script)
    assert done.last["session_id"] == arguments[2]
    html = (Path(done.last["session_dir"]) / "pages" / "index.html").read_text(encoding="utf-8")
    assert "<h1>Hello green</h1>" in html
    runs = loopwright_command("runs", "list", "--session", arguments[2], "--json").lines
    assert [run["message"] for run in runs] == ["make the header green", VAGUE]


def test_a_session_that_waits_is_not_written_over(loopwright_command: CommandLine) -> None:
    """Exit 2 and the way on; after a cancellation the session goes on."""
    waiting = loopwright_command("pages", VAGUE, "--json", script=[ASK], code=3).last
    refused = loopwright_command("pages", "more", "--session", waiting["session_id"], code=2)
    assert f"loopwright runs answer {waiting['run_id']}" in refused.err
    loopwright_command("runs", "cancel", waiting["run_id"])
    loopwright_command("pages", "more", "--session", waiting["session_id"], script=one_page())


def test_pictures_come_into_the_session(loopwright_command: CommandLine) -> None:
    """The picture is kept with the session and named in the run's options."""
    PIL.Image.new("RGB", (8, 8), "#8b5a2b").save("look.png")
    done = loopwright_command("pages", VAGUE, "--image", "look.png", "--json", script=one_page())
    [name] = done.lines[0]["payload"]["options"]["images"]
    assert (Path(done.last["session_dir"]) / name).read_bytes() == Path("look.png").read_bytes()
    refused = loopwright_command("pages", VAGUE, *["--image", "look.png"] * 4, "--json", code=2)
    assert "at most 3" in refused.last["message"]


def test_out_chooses_the_folder(loopwright_command: CommandLine, tmp_path: Path) -> None:
    """A folder for the session's own folder; one that cannot be made is bad input."""
    done = loopwright_command("pages", VAGUE, "--out", "here", "--json", script=one_page())
    assert Path(done.last["session_dir"]).parent == tmp_path / "here"
    Path("file").write_text("in the way")
    assert "cannot be used" in loopwright_command("pages", VAGUE, "--out", "file", code=2).err


def test_two_dashes_force_a_message(loopwright_command: CommandLine) -> None:
    """What looks like an option is a message after `--`."""
    done = loopwright_command("pages", "--json", "--", "--help me with a page", script=one_page())
    run = loopwright_command("runs", "show", done.last["run_id"], "--json").last
    assert run["message"] == "--help me with a page"


def test_a_failed_run_exits_4(loopwright_command: CommandLine) -> None:
    """For people: what happened, what to do next, and where the work is."""
    nothing = [Turn("") for _ in range(9)]
    done = loopwright_command("pages", VAGUE, script=nothing, code=4)
    assert "Failed (no_usable_answer)" in done.out
    assert "Next: " in done.out
    assert "Session " in done.out
