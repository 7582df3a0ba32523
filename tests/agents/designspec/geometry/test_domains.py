"""Domains have the bounds and the volume of what they stand for."""

import math

import numpy as np
import pytest

from loopwright.agents.designspec.geometry.domains import build_domain
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.geometry.workpieces import body_of, box, spec_of

CUBE = box((0, 0, 0), (0.01, 0.01, 0.01))
FORMULAS = {
    "box": (box((-0.01, 0, 0.001), (0.02, 0.03, 0.004)), 0.03 * 0.03 * 0.003, (0.03, 0.03, 0.003)),
    "cylinder": (
        {"type": "cylinder", "center": [1e-3, 2e-3, 3e-3], "radius": 5e-3, "height": 2e-3},
        math.pi * 25e-6 * 2e-3,
        (0.01, 0.01, 0.002),
    ),
    "sphere": ({"type": "sphere", "radius": 0.01}, 4 / 3 * math.pi * 1e-6, (0.02,) * 3),
    "ellipsoid": (
        {"type": "ellipsoid", "center": [1, 0, 0], "semi_axes": [0.01, 0.02, 0.005]},
        4 / 3 * math.pi * 1e-6,
        (0.02, 0.04, 0.01),
    ),
    "capsule": (
        {"type": "capsule", "radius": 2e-3, "length": 6e-3, "axis": "x"},
        math.pi * 4e-6 * (6e-3 + 4 / 3 * 2e-3),
        (0.01, 0.004, 0.004),
    ),
    "frustum": (
        {"type": "frustum", "radius_top": 2e-3, "radius_bottom": 4e-3, "height": 6e-3},
        math.pi * 6e-3 / 3 * (4e-6 + 8e-6 + 16e-6),
        (0.008, 0.008, 0.006),
    ),
    "torus": (
        {"type": "implicit", "surface": "torus", "bounds": [1, 1, 1], "major_radius": 0.01, "minor_radius": 0.003},
        2 * math.pi**2 * 0.01 * 9e-6,
        (0.026, 0.026, 0.006),
    ),
    "scaled": (
        {"type": "transform", "base_domain": CUBE, "scale": [1, 2, 3], "translation": [1, 2, 3]},
        6e-6,
        (0.01, 0.02, 0.03),
    ),
    "turned": (
        {"type": "transform", "base_domain": box((0, 0, 0), (0.01, 0.02, 0.03)), "rotation": [90, 0, 0]},
        6e-6,
        (0.01, 0.03, 0.02),
    ),
    "matrix": (
        {
            "type": "transform",
            "base_domain": CUBE,
            "matrix": [[0, -2, 0, 0.5], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        },
        2e-6,
        (0.02, 0.01, 0.01),
    ),
    "difference": (
        {"type": "composite", "operation": "difference", "children": [CUBE, box((0, 0, 0.005), (1, 1, 1))]},
        5e-7,
        (0.01, 0.01, 0.005),
    ),
    "intersection": (
        {"type": "composite", "operation": "intersection", "children": [CUBE, box((0.004, 0, 0), (1, 1, 1))]},
        6e-7,
        (0.006, 0.01, 0.01),
    ),
    "union": (
        {"type": "composite", "operation": "union", "children": [CUBE, box((0.005, 0, 0), (0.02, 0.01, 0.01))]},
        2e-6,
        (0.02, 0.01, 0.01),
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("sections", [16, 128])
def test_bounds_and_volume_are_those_of_the_formula(name, sections):
    domain, volume, size = FORMULAS[name]
    body = body_of(domain, domain_meshing={"primitive_policy": {"sections_radial": sections}})
    low, high = np.array(body.bounding_box()).reshape(2, 3)
    assert high - low == pytest.approx(size, rel=1e-9)
    assert body.volume() == pytest.approx(volume, rel=1e-9)
    assert len(body.decompose()) == 1
    assert body.genus() == (1 if name == "torus" else 0)


def test_boxes_have_exactly_the_corners_of_the_document():
    assert body_of(box((0.1, 0.2, 0.3), (0.7, 0.8, 0.9))).bounding_box() == (0.1, 0.2, 0.3, 0.7, 0.8, 0.9)


@pytest.mark.parametrize("surface", ["gyroid", "schwarz_p", "diamond"])
def test_sheets_are_closed_and_as_thick_as_asked(surface):
    domain = {"type": "implicit", "surface": surface, "bounds": [0.01] * 3, "period": 0.01, "thickness": 8e-4}
    body = body_of(domain)
    assert np.array(body.bounding_box()) == pytest.approx([-0.005] * 3 + [0.005] * 3, rel=1e-9)
    assert len(body.decompose()) == 1
    areas = {"gyroid": 3.0915, "schwarz_p": 2.3451, "diamond": 3.8378}  # of the minimal surface in a unit cell
    # A sheet's volume is its area times its thickness, less the third order for its curvature.
    assert body.volume() == pytest.approx(areas[surface] * 1e-4 * 8e-4, rel=0.06)


def test_a_superellipsoid_lies_between_the_ellipsoid_and_its_box():
    body = body_of({"type": "implicit", "surface": "superellipsoid", "bounds": [0.03, 0.02, 0.01], "exponent": 4})
    low, high = np.array(body.bounding_box()).reshape(2, 3)
    assert high - low == pytest.approx([0.03, 0.02, 0.01])
    assert math.pi / 6 * 6e-6 < body.volume() < 6e-6


def test_domains_may_be_made_of_named_ones():
    spec = spec_of(
        {
            "block": CUBE,
            "moved": {"type": "transform", "base_domain": "block", "translation": [0.005, 0, 0]},
            "both": {"type": "composite", "operation": "union", "children": ["block", "moved"]},
        }
    )
    assert build_domain(spec, "both", None).volume() == pytest.approx(1.5e-6)


def refused(domains, name="it"):
    with pytest.raises(InvalidInput) as caught:
        build_domain(spec_of(domains), name, None)
    return str(caught.value)


def test_what_cannot_be_built_names_the_culprit():
    flat = {**CUBE, "z_max": 0.0}
    assert refused({"it": flat}).startswith("/domains/it/z_max")
    assert refused({"it": CUBE}, "other").startswith("/domains")
    loop = {"type": "transform", "base_domain": "it"}
    assert "/domains/it/base_domain" in refused({"it": loop})
    unknown = {"type": "composite", "operation": "union", "children": [CUBE, "gone"]}
    assert refused({"it": unknown}).startswith("/domains/it/children/1")
    apart = {"type": "composite", "operation": "intersection", "children": [CUBE, box((1, 1, 1), (2, 2, 2))]}
    assert "volume is zero" in refused({"it": apart})
    flattening = {"type": "transform", "base_domain": CUBE, "matrix": [[1, 0, 0, 0]] * 3 + [[0, 0, 0, 1]]}
    assert refused({"it": flattening}).startswith("/domains/it/matrix")
    bare = {"type": "implicit", "surface": "gyroid", "bounds": [1, 1, 1], "period": 0.1}
    assert refused({"it": bare}).startswith("/domains/it/thickness")
    thin = {**bare, "thickness": 1e-6}
    assert refused({"it": thin}).startswith("/domains/it/thickness")
