"""kill -9 at every named crash point, then resume: a whole journal, nothing run twice, the same pages."""

import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loopwright.kernel.crash import CRASH_POINTS
from loopwright.kernel.events import Event
from loopwright.kernel.testing.conformance import check_journal
from tests.support.commands import Finished, Installation

BRIEF = "make me a coffee shop app with 2 pages"
"""Vague on purpose: the run asks questions, so that gates are part of the way. Two pages: there are many deaths."""

HITS = {"tool.executed": 4, "calls.started": 3, "result.recorded": 5, "model.answered": 3, "tool.model_answered": 3}
"""Where a point is passed many times, the interesting pass is one in the middle of the work."""

UNREACHED = {"compaction.done", "action.started", "action.effect", "calls.nested"}
"""A five-page app takes fewer messages than a compaction needs, which the kernel's own crash matrix covers; its agent
has no actions, which `test_kill_designspec.py` tries, and no tools that call tools, which `test_code_mode.py` does."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What comes out when nothing dies."""
    place = Installation(tmp_path_factory.mktemp("undisturbed"))
    done = place.run("pages", BRIEF, "--yes", "--json")
    assert done.code == 0, done.err
    return files_of(done.last)


def files_of(last: dict[str, Any]) -> dict[str, bytes]:
    """The session's files by their name."""
    folder = Path(last["session_dir"])
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def carry_on(place: Installation, run: dict[str, Any]) -> Finished:
    """What a user does after a crash: resume the run, or answer it when it waits."""
    verb = "answer" if run["status"] == "waiting_input" else "resume"
    return place.run("runs", verb, run["run_id"], "--yes", "--json")


@pytest.mark.parametrize("point", [point for point in CRASH_POINTS if point not in UNREACHED])
def test_a_killed_run_comes_to_the_same_end(point: str, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    """Whatever the moment of death, resuming gives the pages of the undisturbed run."""
    place = Installation(tmp_path)
    killed = place.run("pages", BRIEF, "--yes", "--json", LOOPWRIGHT_CRASH_AT=f"{point}:{HITS.get(point, 1)}")
    assert killed.code == -signal.SIGKILL, (killed.code, killed.out[-500:], killed.err[-500:])
    run = place.newest_run()
    run_id = run["run_id"]
    if run["status"] != "completed":
        resumed = carry_on(place, run)
        assert resumed.code == 0, (resumed.out[-800:], resumed.err[-800:])
    events = place.events(run_id)
    check_journal([Event.model_validate(event) for event in events])
    finished = Counter(event["payload"]["call_id"] for event in events if event["type"] == "tool_result")
    assert set(finished.values()) == {1}
    session = events[0]["payload"]["session_id"]
    assert files_of({"session_dir": str(place.out / session)}) == undisturbed


def test_every_point_is_tried_or_excused() -> None:
    """A new crash point must be reached by the scenario or be named as out of its reach."""
    assert set(CRASH_POINTS) >= UNREACHED | set(HITS)
