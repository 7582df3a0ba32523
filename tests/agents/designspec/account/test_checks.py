"""Each check holds on a result that is so, and is false on every result that its generator makes wrong."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from loopwright.agents.designspec.account import CHECKS
from loopwright.kernel.account import NothingThereYet, NotMeasurable
from tests.agents.designspec.account.parts import Hole, Part, drilled, placed, port

BY_NAME = {check.name: check for check in CHECKS}
BORE: Hole = ("x", 1.0, 0.0, (0.0, 0.0))
LEFT_RIGHT = drilled(port("in", "left", 1.0), outlets=(port("out", "right", 1.0),))
TREE = Part(holes=(("z", 1.0, 0.0, (0.0, 0.0)),), tips=((2.0, 2.0, 2.0), (-2.0, 2.0, 2.0), (2.0, -2.0, 2.0)))


@dataclass(frozen=True)
class Case:
    """A claim, a result in which it is so, and results in which it is not."""

    check: str
    arguments: dict[str, Any]
    true: Part
    false: tuple[Part, ...]


def thick(*holes: Hole) -> Part:
    return Part(size=(10, 10, 10), holes=holes)


def cases() -> Iterator[Case]:
    box = Part(document=LEFT_RIGHT)
    wrong_sizes = tuple(replace(box, size=size) for size in ((10, 30, 20), (20, 10, 30), (10.2, 20, 30), (10, 20, 15)))
    yield Case("box", {"x_mm": 10, "y_mm": 20, "z_mm": 30}, box, wrong_sizes)
    yield Case("box", {"x_mm": 10, "y_mm": 10, "z_mm": 10}, thick(), (Part((10, 10, 10), "cylinder", ()),))
    disc = Part((30, 30, 5), "cylinder", ())
    flat = (replace(disc, size=(30, 30, 4)), replace(disc, shape="box"), replace(disc, size=(29, 29, 5)))
    yield Case("round_body", {"shape": "cylinder", "diameter_mm": 30, "height_mm": 5}, disc, flat)
    yield Case(
        "round_body", {"shape": "sphere", "radius_mm": 5}, Part((10, 10, 10), "sphere", ()), (thick(), replace(disc))
    )
    two = replace(box, holes=(BORE, ("x", 1.0, 0.0, (3.0, 3.0))))
    blind: Hole = ("x", 1.0, 5.0, (0.0, 0.0))
    wide, along_y = ("x", 1.1, 0.0, (0.0, 0.0)), ("y", 1.0, 0.0, (0.0, 0.0))
    other = tuple(replace(box, holes=holes) for holes in ((), (wide,), (along_y,), (blind,), two.holes))
    full = {"count": 1, "diameter_mm": 1.0, "axis": "x", "through": True, "straight": True}
    yield Case("channels", full, box, other)
    yield Case("channels", {"from_face": "left", "to_face": "right"}, box, other[2:4])
    yield Case("channels", {"count": 2, "parallel": True}, two, (box, replace(box, holes=(BORE, ("z", 1, 0, (3, 3))))))
    yield Case("channels", {"at": "centre"}, box, (replace(box, holes=(("x", 1.0, 0.0, (3.0, 3.0)),)),))
    yield Case("channels", {"axis": "long side"}, replace(box, holes=(("z", 1.0, 0.0, (0, 0)),)), (box,))
    yield Case(
        "channels", {"depth_mm": 5.0}, replace(box, holes=(blind,)), (box, replace(box, holes=(("x", 1, 6, (0, 0)),)))
    )
    yield Case("channels", {"radius_mm": 0.5}, box, (replace(box, holes=(wide,)),))
    other_way = replace(box, holes=(("y", 1.0, 0.0, (0.0, 0.0)), ("x", 1.1, 0.0, (4.0, 8.0))))
    one = {"diameter_mm": 1.0, "one": True, "of": {"axis": "x"}}
    yield Case("channels", one, replace(box, holes=(*other_way.holes, ("x", 1.0, 0.0, (3.0, 3.0)))), (other_way,))
    fewer = (
        replace(box, document=drilled(port("in", "right", 1.0))),
        replace(box, document=drilled(port("in", "left", 2.0))),
        replace(box, document=drilled(port("in", "left", 1.0), port("in2", "left", 1.0))),
        replace(box, holes=()),
        replace(box, holes=(along_y,)),
    )
    yield Case("ports", {"kind": "inlets", "count": 1, "face": "left", "diameter_mm": 1.0}, box, fewer)
    filled = replace(TREE, tips=(*TREE.tips[:2], (2.0, -2.0, 2.0)))
    yield Case("tips", {"count": 3}, TREE, (replace(TREE, tips=TREE.tips[:2]), replace(TREE, tips=())))
    yield Case("tips", {"diameter_mm": 0.4}, filled, (replace(TREE, tip_diameter=0.5),))
    apart = replace(box, holes=(("x", 1.0, 4.0, (0, 0)), along_y))
    yield Case("reaches", {"inlet": "left", "outlet": "right"}, box, (apart, replace(box, holes=(along_y,))))
    thin = thick(("x", 1.0, 0.0, (4.2, 0.0)))
    near = thick(BORE, ("x", 1.0, 0.0, (1.4, 0.0)))
    yield Case("wall", {"at_least_mm": 0.5}, thick(BORE), (thin, near))
    narrow = thick(("x", 0.8, 0.0, (0.0, 0.0)))
    less = {"measure": "channel diameter", "percent": 20, "relation": "less", "expected_mm": 0.8}
    yield Case("scaled", less, narrow, (thick(BORE), thick(), thick(("x", 0.64, 0.0, (0.0, 0.0)))))
    taller = {"measure": "z", "percent": 20, "relation": "more", "expected_mm": 12.0}
    yield Case("scaled", taller, replace(narrow, size=(10, 10, 12)), (narrow, replace(narrow, size=(12, 10, 10))))
    yield Case("absent", {"absent": "channels"}, thick(), (box, replace(thick(BORE), document={"components": []})))
    yield Case("absent", {"absent": "inlets"}, thick(), (box,))
    yield Case("built", {}, box, (replace(box, built=False),))
    yield Case("written", {"format": "3mf"}, replace(box, files=("solid.3mf",)), (box, replace(box, files=("a.glb",))))


def told_in_words() -> Iterator[Case]:
    """Sides by their names, channels along a side or apart, several things at once."""
    box = Part(document=LEFT_RIGHT)
    two = replace(box, holes=(BORE, ("x", 1.0, 0.0, (3.0, 3.0))))
    along_y: Hole = ("y", 1.0, 0.0, (0.0, 0.0))
    named = {"long_mm": 20, "wide_mm": 10, "of": {"thick_mm": 30}}
    yield Case("box", named, box, (replace(box, size=(10, 20, 29)), replace(box, size=(30, 20, 10))))
    parallel = {"apart_mm": 6.0, "every": True, "of": {"axis": "x"}}
    spread = replace(box, holes=(("x", 1.0, 0.0, (3.0, 0.0)), ("x", 1.0, 0.0, (-3.0, 0.0))))
    nearer = (replace(spread, holes=(spread.holes[0], BORE)), replace(spread, holes=(spread.holes[0], along_y)))
    yield Case("channels", parallel, spread, (*nearer, box))
    yield Case("channels", {"axis": "length"}, replace(box, holes=(("z", 1.0, 0.0, (0, 0)),)), (box,))
    yield Case("channels", {"axis": "height"}, replace(box, holes=(("z", 1.0, 0.0, (0, 0)),)), (box,))
    yield Case("channels", {"axis": "thickness"}, box, (replace(box, holes=(along_y,)),))
    both = [{"check": "box", "arguments": {"shape": "box"}}, {"check": "channels", "arguments": {"count": 1}}]
    yield Case("together", {"every": both}, box, (two, Part((30, 30, 5), "cylinder", holes=(("z", 1.0, 0.0, (0, 0)),))))


ALL = [*cases(), *told_in_words()]


def running(folder: Path, *, begun: bool = True) -> Any:
    """What a check sees of a run in this folder."""
    return SimpleNamespace(output_dir=folder, state=SimpleNamespace(last_response=begun or None, actions={}))


async def measured(name: str, arguments: dict[str, Any], part: Part, folder: Path) -> Any:
    check = BY_NAME[name]
    run: Any = running(part.write(folder))
    return await check.measure(run, check.arguments.model_validate(arguments))


@pytest.mark.parametrize("case", ALL, ids=[f"{case.check}{number}" for number, case in enumerate(ALL)])
async def test_a_check_holds_where_it_is_so_and_nowhere_else(case, tmp_path):
    found = await measured(case.check, case.arguments, case.true, tmp_path / "true")
    assert found.holds, found
    assert found.where.endswith("solid.stl")
    assert len(found.digest) == 64
    for number, part in enumerate(case.false):
        try:
            wrong = await measured(case.check, case.arguments, part, tmp_path / f"false{number}")
        except NotMeasurable:
            continue  # nothing is claimed of what cannot be measured
        assert not wrong.holds, (number, wrong)


def test_every_check_is_falsified():
    assert {case.check for case in ALL if case.false} == set(BY_NAME)


async def test_sizes_are_read_in_the_approved_document_until_it_is_built_and_this_is_said(tmp_path):
    part = Part(document=LEFT_RIGHT, built=False)
    found = await measured("box", {"x_mm": 10, "y_mm": 20, "z_mm": 30}, part, tmp_path)
    assert (found.holds, found.where) == (True, "spec.json as approved; not built yet")
    assert (await measured("ports", {"kind": "inlets", "count": 1, "face": "left"}, part, tmp_path)).holds


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("channels", {"count": 1}),
        ("reaches", {"inlet": "left", "outlet": "right"}),
        ("wall", {"at_least_mm": 0.1}),
        ("written", {"format": "stl"}),
    ],
)
async def test_what_only_a_mesh_can_show_is_not_measured_without_one(name, arguments, tmp_path):
    with pytest.raises(NotMeasurable):
        await measured(name, arguments, Part(document=LEFT_RIGHT, built=False), tmp_path)


async def test_a_solid_of_another_version_of_the_document_is_no_evidence(tmp_path):
    folder = Part(document=LEFT_RIGHT).write(tmp_path)
    text = (folder / "spec.json").read_text()
    (folder / "spec.json").write_text(text.replace('"x_max": 5.0', '"x_max": 6.0'))
    check = BY_NAME["channels"]
    said = check.arguments.model_validate({"count": 1})
    with pytest.raises(NotMeasurable, match="has not been built"):
        await check.measure(running(folder), said)
    assert (await check.measure(running(folder, begun=False), said)).holds, "before the work it is what the user has"


async def test_before_anything_was_built_nothing_holds(tmp_path):
    folder = Part(document=LEFT_RIGHT, built=False).write(tmp_path)
    for name, arguments in (("channels", {"count": 1}), ("wall", {"at_least_mm": 0.1}), ("written", {"format": "stl"})):
        check = BY_NAME[name]
        with pytest.raises(NothingThereYet):
            await check.measure(running(folder, begun=False), check.arguments.model_validate(arguments))


async def test_walls_are_exact_and_a_branching_hollow_is_not_measured(tmp_path):
    found = await measured("wall", {"at_least_mm": 4.49}, thick(BORE), tmp_path / "a")
    assert found.value.startswith("least 4.5 mm")
    crossing = thick(BORE, ("y", 1.0, 0.0, (0.0, 0.0)))
    with pytest.raises(NotMeasurable, match="openings"):
        await measured("wall", {"at_least_mm": 0.1}, crossing, tmp_path / "b")


DRILLED = drilled(placed("in", "left", 1.0), outlets=(placed("out", "right", 1.0),))
BENT = {"type": "backend_network", "backend": "programmatic"}


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        ({"count": 1, "diameter_mm": 1.0, "axis": "x", "through": True, "from_face": "left", "at": "centre"}, True),
        ({"count": 2}, False),
        ({"diameter_mm": 1.1}, False),
        ({"axis": "z"}, False),
        ({"from_face": "top"}, False),
        ({"depth_mm": 5.0}, False),
    ],
)
async def test_straight_channels_are_read_in_the_approved_document_and_this_is_said(arguments, holds, tmp_path):
    found = await measured("channels", arguments, Part(document=DRILLED, built=False), tmp_path)
    assert (found.holds, found.where) == (holds, "spec.json as approved; not built yet")


def crossing() -> dict[str, Any]:
    over = drilled(placed("a", "front", 1.0), outlets=(placed("b", "back", 1.0),))["components"]
    return {"components": [*DRILLED["components"], *over]}


@pytest.mark.parametrize(
    "document",
    [
        crossing(),
        {"components": [DRILLED["components"][0] | {"build": {"type": "backend_network", "backend": "grown"}}]},
        drilled(placed("in", "left", 1.0) | {"position": [0.0, 0.0, 0.0]}, outlets=(placed("out", "right", 1.0),)),
    ],
)
async def test_what_only_building_decides_is_not_read_in_a_document(document, tmp_path):
    with pytest.raises(NotMeasurable):
        await measured("channels", {"count": 1}, Part(document=document, built=False), tmp_path)


async def test_ports_that_a_program_joins_are_one_hollow_before_it_is_built(tmp_path):
    steps: list[dict[str, Any]] = [
        {"op": "route", "from": "in", "to": [0, 0, 0], "id": "middle", "algorithm": "straight"},
        {"op": "connect_to_outlet", "from": "middle", "outlet": "out", "algorithm": "straight"},
    ]
    ports = DRILLED["components"][0]
    for drawn, holds in ((steps, True), (steps[:1], False)):
        component = ports | {"build": BENT | {"backend_params": {"steps": drawn}}}
        part = Part(document={"components": [component]}, built=False)
        found = await measured("reaches", {"inlet": "left", "outlet": "right"}, part, tmp_path / str(holds))
        assert found.holds is holds


async def test_the_number_of_ends_is_only_refuted_by_a_document(tmp_path):
    grown = {"components": [{"build": {"type": "backend_network"}}], "policies": {"growth": {"target_terminals": 6}}}
    with pytest.raises(NotMeasurable):
        await measured("tips", {"count": 6}, Part(document=grown, built=False), tmp_path / "a")
    assert not (await measured("tips", {"count": 8}, Part(document=grown, built=False), tmp_path / "b")).holds
    assert not (await measured("tips", {"count": 6}, Part(document=DRILLED, built=False), tmp_path / "c")).holds
