"""A proposed fix is a patch on the document that really repairs what was found."""

import copy
from pathlib import Path
from typing import Any

import pytest
import trimesh

from loopwright.agents.designspec.patches import apply_patch
from loopwright.agents.designspec.validity.checking import check_design
from loopwright.agents.designspec.validity.report import Check
from tests.agents.designspec.validity.foundry import found
from tests.agents.designspec.validity.workshop import failed


def port(name: str, position: list[float], radius: float = 0.4, **more: Any) -> dict[str, Any]:
    return {"name": name, "position": position, "direction": [0, 0, -1], "radius": radius, **more}


def drilled(holes: list[dict[str, Any]], channels: dict[str, Any] | None = None, /, **policies: Any) -> dict[str, Any]:
    """Channels of 4 mm from the top of a block of 10 × 10 × 10 mm, in millimetres."""
    return {
        "schema": {"name": "aog_designspec", "version": "1.0.0"},
        "meta": {"name": "drilled", "seed": 1, "input_units": "mm"},
        "policies": {
            "resolution": {"min_channel_diameter": 0.3},
            "collision": {"collision_clearance": 0.2},
            "channels": {"length_mode": "explicit", "length": 4.0, **(channels or {})},
            **policies,
        },
        "domains": {
            "block": {"type": "box", "x_min": -5, "x_max": 5, "y_min": -5, "y_max": 5, "z_min": -5, "z_max": 5}
        },
        "components": [
            {
                "id": "holes",
                "domain_ref": "block",
                "ports": {"inlets": holes, "outlets": []},
                "build": {"type": "primitive_channels"},
            }
        ],
    }


def grown(growth: dict[str, Any], /, **policies: Any) -> dict[str, Any]:
    """A tree of eight ends in the same block."""
    document = drilled([port("in", [0, 0, 5], 0.8)], growth={"target_terminals": 8, **growth}, **policies)
    document["components"][0]["build"] = {"type": "backend_network", "backend": "scaffold_topdown"}
    return document


def check_of(document: dict[str, Any]) -> dict[str, Check]:
    return failed(check_design(found(document)))


MENDED = {
    "a port's radius below the resolution": (
        drilled([port("in", [0, 0, 5], 0.1)]),
        "min_diameter",
        [{"op": "replace", "path": "/components/0/ports/inlets/0/radius", "value": 0.15}],
    ),
    "an end that tapers below the resolution": (
        drilled([port("in", [0, 0, 5])], {"profile": "taper", "taper_factor": 0.2}),
        "min_diameter",
        [{"op": "replace", "path": "/policies/channels/taper_factor", "value": 0.375}],
    ),
    "an end radius below the resolution": (
        drilled([port("in", [0, 0, 5])], {"profile": "taper", "radius_end": 0.05}),
        "min_diameter",
        [{"op": "replace", "path": "/policies/channels/radius_end", "value": 0.15}],
    ),
    "grown branches below the resolution": (
        grown({"min_radius": 0.05}, radius={"terminal_radius": 0.06}),
        "min_diameter",
        [{"op": "replace", "path": "/policies/growth/min_radius", "value": 0.15}],
    ),
    "grown branches by the default smallest radius": (
        grown({}, radius={"terminal_radius": 0.06}),
        "min_diameter",
        [{"op": "add", "path": "/policies/growth/min_radius", "value": 0.15}],
    ),
    "grown branches by the radius policy": (
        grown({"min_radius": 0.2}, radius={"terminal_radius": 0.06, "min_radius": 0.06}),
        "min_diameter",
        [{"op": "replace", "path": "/policies/radius/min_radius", "value": 0.15}],
    ),
    "two channels too near": (
        drilled([port("a", [0, 0, 5]), port("b", [0.9, 0, 5])]),
        "clearance",
        [{"op": "replace", "path": "/components/0/ports/inlets/1/position", "value": [1.002, 0.0, 5.0]}],
    ),
    "a port within the domain": (
        drilled([port("in", [1, 2, 3])], ports={"projection_mode": "none"}),
        "open_port_in",
        [{"op": "replace", "path": "/components/0/ports/inlets/0/position", "value": [1.0, 2.0, 5.0]}],
    ),
    "a port that hangs over the edge": (
        drilled([port("in", [4.8, 0, 5])], {"enforce_effective_radius": False}, ports={"enabled": False}),
        "void_inside_domain",
        None,
    ),
    "an outer one of three that hangs over the edge": (
        drilled(
            [port("a", [0, 0, 5]), port("b", [-2, 0, 5]), port("c", [0, -4.7, 5])],
            {"enforce_effective_radius": False},
            ports={"enabled": False},
        ),
        "void_inside_domain",
        None,
    ),
    "a wall too thin beside a channel": (
        drilled([port("in", [4.4, 1, 5])], resolution={"min_channel_diameter": 0.3}),
        "min_feature",
        None,
    ),
    "a wall too thin between channels": (
        drilled([port("a", [0, 0, 5]), port("b", [1.05, 0, 5])]),
        "min_feature",
        None,
    ),
    "a hook that leaves through the side": (
        drilled(
            [port("in", [3, 0, 5])],
            {
                "profile": "fang_hook",
                "taper_factor": 1.0,
                "length": 6.0,
                "hook_depth": 2.5,
                "hook_strength": 0.8,
                "bend_mode": "angle",
                "enforce_effective_radius": False,
            },
        ),
        "void_inside_domain",
        None,
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_the_fix_repairs_the_design(name: str) -> None:
    document, check_name, expected = MENDED[name]
    bad = check_of(document)
    assert check_name in bad, {check.name: check.message for check in bad.values()}
    fix = bad[check_name].fix
    assert fix is not None, bad[check_name].message
    assert all(operation["op"] in {"add", "replace"} for operation in fix.patch)
    if expected is not None:
        assert fix.patch == expected
    before = copy.deepcopy(document)
    repaired = apply_patch(document, fix.patch)
    assert document == before
    after = check_of(repaired)
    assert set(after) < set(bad)
    assert check_name not in after


def test_a_fix_goes_to_where_the_component_says_it_and_through_null() -> None:
    document = grown({"min_radius": 0.2}, radius={"terminal_radius": 0.06})
    document["components"][0]["policies"] = {"growth": {"min_radius": 0.05}}
    fix = check_of(document)["min_diameter"].fix
    assert fix is not None
    assert fix.patch == [{"op": "replace", "path": "/components/0/policies/growth/min_radius", "value": 0.15}]
    document = grown({}, radius={"terminal_radius": 0.06})
    document["policies"]["growth"] = None
    document["components"][0]["build"]["backend_params"] = {"levels": 2}
    fix = check_of(document)["min_diameter"].fix
    assert fix is not None
    assert fix.patch == [{"op": "add", "path": "/policies/growth", "value": {"min_radius": 0.15}}]
    assert "min_diameter" not in check_of(apply_patch(document, fix.patch))


def test_a_box_grows_where_an_imported_void_stands_out(tmp_path: Path) -> None:
    """The void is 6 mm long and its end lies 0.4 mm beyond the block's side."""
    rod = trimesh.creation.box(extents=(6e-3, 1e-3, 1e-3))
    rod.apply_translation((2.4e-3, 0.0, 0.0))
    rod.export(tmp_path / "rod.stl")
    document = drilled([])
    document["components"][0]["build"] = {"type": "import_void_mesh", "mesh_path": "rod.stl", "mesh_units": "m"}
    bad = failed(check_design(found(document, tmp_path)))
    fix = bad["void_inside_domain"].fix
    assert fix is not None
    assert [operation["path"] for operation in fix.patch] == ["/domains/block/x_max"]
    after = failed(check_design(found(apply_patch(document, fix.patch), tmp_path)))
    assert "void_inside_domain" not in after
    assert "min_feature" not in after


def test_no_fix_is_proposed_where_none_is_certain() -> None:
    """Four holes in a row without any room: moving one brings it near another."""
    crowded = drilled([port(f"p{x}", [x * 0.9 - 4.05, 0, 5]) for x in range(10)])
    assert check_of(crowded)["clearance"].fix is None
