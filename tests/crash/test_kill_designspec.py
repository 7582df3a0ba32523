"""kill -9 between a yes and its effect, then resume: the same document, each patch and each run exactly once."""

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.kernel.events import Event
from loopwright.kernel.testing.conformance import check_journal
from tests.support.commands import Installation

BOX = "Create a box domain 20x60x30mm"
WISH = "add one straight channel from the top, 2 mm in diameter, and run until embed"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation whose project has its box; its path is that at which the tests put their copies."""
    place = Installation(tmp_path_factory.mktemp("begun") / "place")
    place.folder.mkdir()
    assert place.run("designspec", "-p", "part", "-m", BOX, "--approve", "all", "--json").code == 0
    return place.folder.rename(place.folder.with_name("kept"))


@pytest.fixture
def place(begun: Path) -> Iterator[Installation]:
    """A copy of it, at the path where it was made."""
    folder = begun.with_name("place")
    shutil.copytree(begun, folder)
    yield Installation(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def undisturbed(begun: Path) -> dict:
    """The document that comes out when nothing dies."""
    place = Installation(shutil.copytree(begun, begun.with_name("place")))
    done = place.run("designspec", "-p", "part", "-m", WISH, "--approve", "all", "--json")
    assert done.code == 0, done.err
    assert done.last["stages"][-1] == "embed"
    document = json.loads((place.folder / "part/spec.json").read_text())
    shutil.rmtree(place.folder)
    return document


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
def test_a_killed_run_comes_to_the_same_end(point: str, hits: int, undisturbed: dict, place: Installation) -> None:
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
    assert json.loads((place.folder / "part/spec.json").read_text()) == undisturbed
    runs = list((place.folder / "part/artifacts").iterdir())
    assert len(runs) == 1
    assert json.loads((runs[0] / "run_report.json").read_text())["success"] is True
