"""What is said in plain English runs through the pipeline and is valid at the first try."""

import pytest

from loopwright.agents.designspec.pipeline.reports import PipelineJob, RunPlan
from loopwright.agents.designspec.pipeline.runner import run_pipeline
from tests.agents.designspec.offline.dialogue import Dialogue

DESIGNS = [
    ("Create a box domain 20x60x30mm", "add two inlets on top and grow a tree with 64 tips"),
    ("a 30 mm disc 5 mm thick with 9 straight channels",),
    ("a cube of 25 mm with one inlet on top and one outlet at the bottom and a space colonization network",),
    ("serpentine channel in a 40x20x5 mm plate",),
]
MORE = [
    ("box 10x10x10 mm", "grow a tree with 256 tips"),
    ("box 20x20x20 mm", "4 inlets on top and grow a tree with 32 tips"),
    ("a cylinder 30 mm diameter 10 mm high", "3 inlets on top", "tree with 48 tips"),
    ("a sphere of 30 mm", "an inlet on top", "tree with 32 tips"),
    ("a 30 mm disc 5 mm thick", "5 inlets on top, 1 mm diameter", "space colonization network with 100 tips"),
    ("box 40x40x10 mm", "an inlet on the left and an outlet on the right", "space colonization network with 40 tips"),
    ("cube of 5 mm", "tree with 8 tips"),
    ("an ellipsoid 20x30x40 mm", "an inlet on top and an outlet at the bottom", "space colonization with 50 tips"),
    ("a frustum bottom diameter 30 mm top diameter 20 mm height 20 mm", "an inlet on top", "tree with 32 tips"),
    ("box 30x30x30 mm", "trifurcating tree with 4 levels"),
    ("a 40 mm disc 8 mm thick", "9 straight channels, 2 mm diameter, all the way through"),
    ("a 40 mm disc 8 mm thick", "12 channels 1.5 mm wide, tapered, stop 2 mm before the bottom"),
    ("a tube of 30 mm, 5 mm walls, 20 mm long", "an inlet on the right and a tree with 8 tips"),
    ("a 60 mm disc 6 mm thick", "serpentine", "add a 1 mm ridge around the top"),
    ("box 20x60x30 mm", "two inlets on top and a tree with 64 tips", "make it 20 % taller", "double the inlet radius"),
]


async def runs_validly(intents, tmp_path, until):
    talk = Dialogue(*intents)
    request = talk.say("run it").run_request
    assert request is not None
    job = PipelineJob(run_id="r1", document=talk.document, project_dir=tmp_path, run_dir=tmp_path / "run_1")
    job = job.model_copy(update={"plan": RunPlan(run_until=until)})
    report = await run_pipeline(job, lambda progress: None)
    assert report.success, report.errors
    assert report.validity is not None
    failed = [check.name for check in report.validity.checks if not check.passed and not check.skipped]
    assert set(failed) <= {"min_feature"}, failed
    return [path for path in report.artifacts.values() if path.endswith(".stl")]


@pytest.mark.parametrize("intents", DESIGNS, ids=range(len(DESIGNS)))
async def test_a_typical_design_is_valid_at_its_first_run(intents, tmp_path):
    await runs_validly(intents, tmp_path, "validity")


@pytest.mark.soak
@pytest.mark.parametrize("intents", [*DESIGNS, *MORE], ids=range(len(DESIGNS + MORE)))
async def test_many_designs_are_valid_at_their_first_run(intents, tmp_path):
    assert await runs_validly(intents, tmp_path, "full")
