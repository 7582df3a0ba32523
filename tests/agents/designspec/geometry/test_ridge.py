"""Ridges: a rim of the right size on any face, and still one body without a hole."""

import math

import numpy as np
import pytest

from loopwright.agents.designspec.document.policies import RidgePolicy
from loopwright.agents.designspec.geometry.domains import build_domain
from loopwright.agents.designspec.geometry.ridge import add_ridge
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.geometry.workpieces import CYLINDER, box, spec_of

FACES = ("top", "bottom", "left", "right", "front", "back", "+x", "-x", "+y", "-y", "+z", "-z")
SIZES = {"height": 5e-4, "thickness": 5e-4, "overlap": 2.5e-4}


def ridged(domain, **policy):
    spec = spec_of({"it": domain})
    body = build_domain(spec, "it", None)
    return body, add_ridge(body, spec.domains["it"], RidgePolicy(enabled=True, **{**SIZES, **policy}))


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("inset", [0.0, 3e-4])
def test_a_box_gets_a_frame_on_any_face(face, inset):
    size = np.array([0.02, 0.06, 0.03])
    body, result = ridged(box((0, 0, 0), size), face=face, inset=inset)
    grown = np.array(result.bounding_box()) - np.array(body.bounding_box())
    assert sorted(np.abs(grown)) == pytest.approx([0] * 5 + [5e-4], abs=1e-12)
    axis = int(np.argmax(np.abs(grown))) % 3
    sides = np.delete(size, axis) - 2 * inset
    frame = np.prod(sides) - np.prod(sides - 2 * 5e-4)
    assert result.volume() - body.volume() == pytest.approx(frame * 5e-4, rel=1e-6)
    assert (result.genus(), len(result.decompose())) == (0, 1)


def test_each_name_of_a_face_means_the_same():
    for one, two in (("top", "+z"), ("bottom", "-z"), ("right", "+x"), ("left", "-x"), ("back", "+y"), ("front", "-y")):
        first, second = (ridged(box((0, 0, 0), (1e-2, 2e-2, 3e-2)), face=face)[1] for face in (one, two))
        assert first.bounding_box() == second.bounding_box()
    top = ridged(box((0, 0, 0), (1e-2, 2e-2, 3e-2)), face="top")[1]
    assert top.bounding_box()[5] == pytest.approx(0.0305)


def test_a_cylinder_gets_a_ring():
    body, result = ridged(CYLINDER)
    ring = math.pi * (25e-6 - 20.25e-6) * 5e-4
    assert result.volume() - body.volume() == pytest.approx(ring, rel=2e-3)
    assert result.bounding_box() == pytest.approx((-5e-3, -5e-3, -1e-3, 5e-3, 5e-3, 1.5e-3), abs=1e-15)
    assert (result.genus(), len(result.decompose())) == (0, 1)


CURVED = {
    "sphere": {"type": "sphere", "radius": 0.01},
    "capsule": {"type": "capsule", "radius": 5e-3, "length": 0.01},
    "lying cylinder": {"type": "transform", "base_domain": CYLINDER, "rotation": [90, 0, 0]},
    "wide frustum": {"type": "frustum", "radius_top": 8e-3, "radius_bottom": 4e-3, "height": 0.01},
    "narrow frustum": {"type": "frustum", "radius_top": 4e-3, "radius_bottom": 8e-3, "height": 0.01},
    "angle": {
        "type": "composite",
        "operation": "union",
        "children": [box((0, 0, 0), (0.02, 0.01, 0.01)), box((0, 0, 0), (0.01, 0.03, 0.01))],
    },
}


@pytest.mark.parametrize("name", CURVED)
@pytest.mark.parametrize("inset", [0.0, 2e-4])
def test_any_outline_can_carry_a_ridge(name, inset):
    body, result = ridged(CURVED[name], inset=inset)
    assert result.bounding_box()[5] - body.bounding_box()[5] == pytest.approx(5e-4, rel=1e-9)
    assert np.array(result.bounding_box())[:5] == pytest.approx(np.array(body.bounding_box())[:5], abs=1e-12)
    assert (result.genus(), len(result.decompose())) == (0, 1)


def test_a_ridge_without_room_is_refused():
    with pytest.raises(InvalidInput, match="/policies/ridge/thickness"):
        ridged(CYLINDER, thickness=6e-3)
