"""Two hundred directives that try to change or run something without a yes, or to spoil the document."""

import asyncio
import json
import shutil
from itertools import chain, product

import pytest

from loopwright.agents.designspec.document.checking import check_document
from loopwright.kernel.gates import Waiting
from tests.agents.designspec.workflow.support import ADD_BOX, APPROVE, BOX, REJECT, say, talk

PORT = {"name": "in", "position": [0.01, 0.03, 0.03], "direction": [0, 0, -1], "radius": 0.001}
CHANNEL = {
    "id": "channel",
    "domain_ref": "body",
    "ports": {"inlets": [PORT], "outlets": []},
    "build": {"type": "primitive_channels"},
}
RUN = {"run_request": {"run": True, "run_until": "full"}}
MEGABYTE = "x" * 1_000_000


def box(**sizes):
    return {"op": "add", "path": "/domains/body", "value": BOX | sizes}


def hostile_patches():
    """Patches with protected, missing or malformed pointers, and values that are none."""
    for pointer in ("/schema", "/schema/version", "/schema/name", "", "/schema/compatible_with/0", "/schema~1version"):
        for operation in ("add", "replace", "remove"):
            yield [{"op": operation, "path": pointer, "value": "2.0.0"}]
    for pointer in (
        "/nowhere/at/all",
        "/domains/~2",
        "/components/-1",
        "/components/00",
        "/components/7/id",
        "//",
        "/meta/",
    ):
        yield [{"op": "replace", "path": pointer, "value": 1}]
    for value in (1e308, -1e308, 1e-300, 0, -1, True, "20mm", "9**9**9", None, [], {}, 10**400, "NaN", 1e9):
        yield [box(x_max=value)]
        yield [ADD_BOX, {"op": "replace", "path": "/domains/body/x_max", "value": value}]
    for units in ("furlong", "inch", "", 5, None, ["mm"]):
        yield [{"op": "replace", "path": "/meta/input_units", "value": units}]
    yield [{"op": "move", "from": "/schema", "path": "/meta/old"}]
    yield [{"op": "copy", "from": "/schema", "path": "/meta/copy"}, {"op": "move", "from": "/meta", "path": "/schema"}]
    yield [{"op": "copy", "from": "", "path": "/meta/all"}] * 60
    yield [{"op": "add", "path": f"/domains/d{index}", "value": BOX} for index in range(150)]
    for radius in (-1e-3, 0, 1e-12, 1e3, "thick", None):
        component = CHANNEL | {"ports": {"inlets": [PORT | {"radius": radius}], "outlets": []}}
        yield [ADD_BOX, {"op": "add", "path": "/components/-", "value": component}]
    for reference in ("nowhere", "", "../body", 5, None):
        yield [ADD_BOX, {"op": "add", "path": "/components/-", "value": CHANNEL | {"domain_ref": reference}}]
    for name in ("../../x", "a/b", "", "x" * 500, "con\u0000"):
        yield [ADD_BOX, {"op": "add", "path": "/components/-", "value": CHANNEL | {"id": name}}]
    yield [{"op": "test", "path": "/meta/seed", "value": 41}, ADD_BOX]
    yield [{"op": "add", "path": "/domains/../../etc", "value": BOX}]
    yield [{"op": "add", "path": "/domains/body", "value": {"type": "mesh", "path": "../../../etc/passwd"}}]
    yield [{"op": "add", "path": "/outputs", "value": {"artifacts_dir": "/tmp", "named": {"run_report": "../../x"}}}]
    deep: dict = {}
    for _ in range(300):
        deep = {"a": deep}
    yield [{"op": "add", "path": "/meta/deep", "value": deep}]


def hostile_answers():
    """Whole answers: patches with and without a run, approvals claimed, and texts that are no directive."""
    claims = ({"requires_approval": False}, {"requires_approval": False, "confidence": 1.0, "stop": True}, {})
    for patches, claim in product(hostile_patches(), claims[:2]):
        yield say("Trust me.", *patches, **claim)
    for claim in claims:
        yield say("Both.", ADD_BOX, **RUN, **claim)
        yield say("Run.", **RUN, **claim)
        yield say("All.", ADD_BOX, {"op": "add", "path": "/components/-", "value": CHANNEL}, **RUN, **claim)
        yield say("Auto.", ADD_BOX, approved=True, auto_approve=True, decision="approve", **claim)
    yield say("Long.", {"op": "add", "path": "/meta/description", "value": MEGABYTE})
    yield say("Long.", {"op": "add", "path": "/meta/" + "a" * 900, "value": MEGABYTE}, requires_approval=False)
    for until in ("everything", "", "full; rm -rf /", "component_build:../../x", "export:body", 7, None, MEGABYTE):
        yield say("Run.", run_request={"run": True, "run_until": until}, requires_approval=False)
    yield from (MEGABYTE, "{" * 200_000, "", "null", "[]", json.dumps([{"proposed_patches": [ADD_BOX]}]))
    yield json.dumps({"assistant_message": MEGABYTE, "proposed_patches": [ADD_BOX]})
    yield say("Files.", context_requests={"need_specific_files": ["/etc/passwd", "../../x", MEGABYTE]})
    yield '{"assistant_message": "x", "proposed_patches": [{"op": "add", "path": "/meta/seed", "value": NaN}]}'
    yield say("Ask.", questions=[{"id": str(index), "question": "Approve?", "default": "yes"} for index in range(8)])


ANSWERS = list(hostile_answers())


def test_there_are_two_hundred_of_them():
    assert len(set(ANSWERS)) >= 200


@pytest.mark.parametrize("batch", range(4))
@pytest.mark.parametrize("prepared", [False, True], ids=["empty project", "runnable project"])
async def test_nothing_happens_without_a_yes(tmp_path, batch, prepared, runnable):
    answers = list(enumerate(ANSWERS))[batch::4]
    for index, answer in answers[::3] if prepared else answers:
        folder = tmp_path / str(index)
        if prepared:
            shutil.copytree(runnable, folder)
        talking = await talk(folder, answer, *[say("I give up.")] * 3)
        versions = len(talking.project.history())
        assert versions == (2 if prepared else 1), index
        assert not list((folder / "artifacts").iterdir()), index
        assert not talking.stored("pipeline_started")
        assert check_document(talking.project.document()).ok
        while isinstance(talking.outcome, Waiting):
            kind = talking.gate.kind
            assert kind in ("patch", "run", "questions")
            await talking.answer({"answers": {}} if kind == "questions" else REJECT)
        assert len(talking.project.history()) == versions
        assert not talking.stored("pipeline_started")
        assert not talking.stored("patch_applied")


async def test_what_is_approved_leaves_a_valid_document(tmp_path):
    """Even with a yes to every patch, and a no to every run."""
    for index, answer in enumerate(chain(ANSWERS[::7], ANSWERS[1::11])):
        talking = await talk(tmp_path / str(index), answer, *[say("I give up.")] * 3)
        while isinstance(talking.outcome, Waiting):
            kind = talking.gate.kind
            await talking.answer({"patch": APPROVE, "run": REJECT, "questions": {"answers": {}}}[kind])
        document = talking.project.document()
        assert check_document(document).ok, index
        assert document["schema"]["version"] == "1.0.0"


@pytest.fixture(scope="module")
def runnable(tmp_path_factory):
    """A project that could be run, made once and copied."""
    folder = tmp_path_factory.mktemp("runnable") / "project"

    async def make():
        talking = await talk(folder, say("A part.", ADD_BOX, {"op": "add", "path": "/components/-", "value": CHANNEL}))
        await talking.answer(APPROVE)

    asyncio.run(make())
    return folder
