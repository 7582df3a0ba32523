"""kill -9 between a yes and its effect, then resume: the same document, each patch and each run exactly once."""

import json
import signal
from pathlib import Path

import pytest

from loopwright.kernel.events import Event
from loopwright.kernel.testing.conformance import check_journal
from tests.support.commands import Installation

BOX = "Create a box domain 20x60x30mm"
WISH = "add one straight channel from the top, 2 mm in diameter, and run until embed"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """The document that comes out when nothing dies."""
    place = Installation(tmp_path_factory.mktemp("undisturbed"))
    done = place.run("designspec", "-p", "part", "-m", BOX, "-m", WISH, "--approve", "all", "--json")
    assert done.code == 0, done.err
    assert done.last["stages"][-1] == "embed"
    return json.loads((place.folder / "part/spec.json").read_text())


@pytest.mark.parametrize(
    ("point", "hits"),
    [
        ("gate.opened", 1),
        ("gate.answered", 1),
        ("gate.answered", 2),
        ("records.absorbed", 1),
        ("action.started", 3),
        ("action.effect", 1),
        ("action.effect", 2),
        ("run.finishing", 1),
    ],
)
def test_a_killed_run_comes_to_the_same_end(point: str, hits: int, tmp_path: Path, undisturbed: dict) -> None:
    place = Installation(tmp_path)
    assert place.run("designspec", "-p", "part", "-m", BOX, "--approve", "all", "--json").code == 0
    arguments = ("designspec", "-p", "part", "-m", WISH, "--approve", "all", "--json")
    killed = place.run(*arguments, LOOPWRIGHT_CRASH_AT=f"{point}:{hits}")
    assert killed.code == -signal.SIGKILL, (killed.code, killed.out[-500:], killed.err[-500:])
    run = place.newest_run()
    verb = "answer" if run["status"] == "waiting_input" else "resume"
    resumed = place.run("runs", verb, run["run_id"], "--yes", "--json")
    assert resumed.code == 0, (resumed.out[-800:], resumed.err[-800:])
    assert resumed.last["success"] is True
    events = place.events(run["run_id"])
    check_journal([Event.model_validate(event) for event in events])
    kinds = [event["type"] for event in events]
    for once in ("patch_proposed", "patch_applied", "pipeline_started", "pipeline_finished", "run_completed"):
        assert kinds.count(once) == 1, (once, kinds)
    assert json.loads((tmp_path / "part/spec.json").read_text()) == undisturbed
    runs = list((tmp_path / "part/artifacts").iterdir())
    assert len(runs) == 1
    assert json.loads((runs[0] / "run_report.json").read_text())["success"] is True
