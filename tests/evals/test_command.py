"""`loopwright eval` as a program: exit codes, what it prints, and what a kill leaves."""

import json
import signal
from pathlib import Path

import pytest

from loopwright.kernel.events import Event
from loopwright.kernel.testing.conformance import check_journal
from tests.support.commands import Finished, Installation

CASES = """
defaults: {agent: ide, files: {README.md: "# Tides", tide.py: "def tide(): return 1"}, checks: [completed]}
cases:
  - {id: what, message: "What does this project do?", tags: [quick], checks: [completed, tool: index_list_files]}
  - {id: where, message: "Where is tide defined?"}
  - {id: which, message: "How are the tests run?", checks: [completed, {text: {contains: pytest -n 7}}]}
"""


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    (tmp_path / "cases.yaml").write_text(CASES)
    return Installation(tmp_path)


def evaluated(place: Installation, *arguments: str, **settings: str) -> Finished:
    return place.run("eval", "cases.yaml", "--model", "offline", "--jobs", "1", *arguments, **settings)


def test_rates_and_exit_codes(place: Installation) -> None:
    """A failed case is no failure of the command; a rate below the threshold is: exit code 1."""
    done = evaluated(place, "--out", "e")
    assert done.code == 0, done.err
    assert "✗   3/3  which  offline" in done.err
    assert "2/3" in done.out.splitlines()[2]
    assert f"Report: {Path('e') / 'report.html'}" in done.out
    again = evaluated(place, "--out", "e", "--fail-under", "0.9", "--json")
    assert again.code == 1
    assert "offline reaches 67%, less than 90%" in again.err
    (last,) = again.lines  # nothing was run again, so that no trial is told
    assert (last["type"], last["trials"], last["models"][0]["passed"]) == ("evaluation", 3, 2)
    assert last["models"][0]["false_done"] == 1
    assert evaluated(place, "--out", "e", "--fail-under", "0.6").code == 0
    tagged = evaluated(place, "--tag", "quick", "--fail-under", "1", "--json")
    assert (tagged.code, [line["type"] for line in tagged.lines]) == (0, ["trial", "evaluation"])
    assert (place.folder / "loopwright-evals" / "1" / "report.html").is_file()


def test_bad_input(place: Installation) -> None:
    """Exit 2 with what is wrong and where."""
    (place.folder / "cases.yaml").write_text(CASES.replace("message:", "mesage:", 1))
    refused = evaluated(place)
    assert (refused.code, "cases.yaml:4: case what" in refused.err) == (2, True)
    (place.folder / "cases.yaml").write_text(CASES)
    assert "a tag of slow" in evaluated(place, "--tag", "slow").err
    unreachable = place.run("eval", "cases.yaml", "--model", "big")
    assert (unreachable.code, "No endpoint is set" in unreachable.err) == (2, True)
    shown = place.run("eval", "--help")
    assert all(word in shown.out for word in ("--model", "--fail-under", "record", "loopwright eval cases/"))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["nowhere.yaml"], "loopwright eval"),
        (["cases.yaml", "--repeat", "x"], "loopwright eval"),
        (["run", "nowhere.yaml"], "loopwright eval run"),
        (["record"], "loopwright eval record"),
    ],
)
def test_a_wrong_word_is_told_with_the_command_that_was_typed(
    place: Installation, words: list[str], named: str
) -> None:
    done = place.run("eval", *words)
    assert done.code == 2
    named = named.replace("loopwright", "-c")  # how the test calls the program
    assert done.err.startswith(f"Usage: {named} [OPTIONS] ")
    assert f"'{named} --help'" in done.err


def test_an_endpoint_that_is_away_is_an_error_of_no_model(place: Installation) -> None:
    """Exit 4; the other model's results are kept."""
    away = "some@http://127.0.0.1:9/v1"
    done = place.run(
        *("eval", "cases.yaml", "--tag", "quick", "--model", "offline", "--model", away, "--json"), MODEL_RETRIES="0"
    )
    assert done.code == 4, done.err
    offline, other = done.last["models"]
    assert (offline["passed"], other["trials"], other["errors"]) == (1, 0, 1)


@pytest.mark.parametrize("point", ["tool.executed:4", "run.created:2", "run.finished:2", "model.answered:7"])
def test_a_killed_evaluation_goes_on_where_it_was(point: str, place: Installation) -> None:
    """What was over stays as it is, byte for byte; the run that was under way is carried on, and none is run twice."""
    results, own = place.folder / "e" / "results.jsonl", Installation(place.folder / "e")
    killed = evaluated(place, "--out", "e", LOOPWRIGHT_CRASH_AT=point)
    assert killed.code == -signal.SIGKILL, (killed.code, killed.err)
    before = results.read_bytes()
    under_way = own.newest_run()["run_id"]
    assert len(before.splitlines()) == 1
    done = evaluated(place, "--out", "e")
    assert done.code == 0, done.err
    assert results.read_bytes().startswith(before)
    told = [json.loads(line) for line in results.read_text().splitlines()]
    assert [each["case"] for each in told] == ["what", "where", "which"]
    assert told[1]["runs"] == [under_way]
    runs = [run for each in told for run in each["runs"]]
    assert len(set(runs)) == 3
    for run in runs:
        check_journal([Event.model_validate(event) for event in own.events(run)])


def test_an_interrupted_evaluation_says_how_to_go_on(place: Installation) -> None:
    """Ctrl-C: exit 5; what is over is kept, and the same command does the rest."""
    process = place.start("eval", "cases.yaml", "--model", "offline", "--jobs", "1", "--out", "e")
    assert process.stdout is not None
    heard = process.stdout.readline() + process.stdout.readline()
    assert "1/3" in heard, heard
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=60)[0]
    assert (process.returncode, "Give the same command again to go on." in rest) == (5, True), rest
    done = evaluated(place, "--out", "e", "--json")
    assert (done.code, len(done.lines) < 4, done.last["models"][0]["trials"]) == (0, True, 3)


def test_a_recorded_run_is_a_case_of_its_own(place: Installation) -> None:
    """From a run of the user's to a regression test without a model."""
    (place.folder / "project").mkdir()
    (place.folder / "project" / "README.md").write_text("# Tides")
    run = place.run("ide", "What is in README.md?", "--root", "project", "--json").last["run_id"]
    made = place.run("eval", "record", run, "--out", "rec/readme.yaml")
    assert (made.code, "loopwright eval rec/readme.yaml --model recorded" in made.out) == (0, True), made.err
    assert (place.folder / "rec" / "readme.files" / "README.md").read_text() == "# Tides"
    done = place.run("eval", "rec", "--model", "recorded", "--fail-under", "1", "--json")
    assert done.code == 0, (done.out, done.err)
    again = place.run("eval", "record", run, "--out", "rec/readme.yaml", "--json")
    assert (again.code, "exists" in again.last["message"]) == (2, True)
    assert place.run("eval", "record", "nonsense").code == 2
