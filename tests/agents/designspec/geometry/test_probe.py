"""Probes: formulas and meshes agree, and both are true."""

import numpy as np
import pytest

from loopwright.agents.designspec.geometry.domains import build_domain
from loopwright.agents.designspec.geometry.probe import FormulaProbe, MeshProbe, make_probe
from tests.agents.designspec.geometry.workpieces import box, spec_of

FORMULAS = {
    "box": box((-1, -2, -3), (2, 2, 1)),
    "cylinder": {"type": "cylinder", "center": [1, 2, 3], "radius": 2, "height": 3},
    "sphere": {"type": "sphere", "center": [1, 2, 3], "radius": 2},
    "ellipsoid": {"type": "ellipsoid", "center": [1, 2, 3], "semi_axes": [1, 2, 3]},
    "capsule": {"type": "capsule", "center": [1, 2, 3], "radius": 1, "length": 3, "axis": "y"},
    "frustum": {"type": "frustum", "center": [1, 2, 3], "radius_top": 1, "radius_bottom": 2.5, "height": 2},
}


def probes(name):
    spec = spec_of({"it": FORMULAS[name]}, domain_meshing={"primitive_policy": {"sections_radial": 256}})
    body = build_domain(spec, "it", None)
    return make_probe(spec, "it", body), MeshProbe(body)


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_agree_with_the_mesh(name):
    formula, mesh = probes(name)
    assert isinstance(formula, FormulaProbe)
    assert formula.bounds == pytest.approx(mesh.bounds, abs=1e-9)
    size = mesh.bounds[1] - mesh.bounds[0]
    points = np.random.default_rng(1).uniform(mesh.bounds[0] - size / 3, mesh.bounds[1] + size / 3, (3000, 3))
    # The mesh's facets lie up to 3e-4 of the radius from the round surface.
    assert np.abs(formula.depth(points) - mesh.depth(points)).max() < 2e-3
    clear = np.abs(formula.depth(points)) > 2e-3
    assert (formula.inside(points) == mesh.inside(points))[clear].all()


@pytest.mark.parametrize("name", FORMULAS)
def test_points_in_the_middle_and_on_the_axes_have_their_depth(name):
    formula, mesh = probes(name)
    middle = mesh.bounds.mean(axis=0)[None]
    assert formula.depth(middle) == pytest.approx(mesh.depth(middle), abs=2e-3)
    assert formula.inside(middle).all()
    assert not formula.inside(mesh.bounds + np.array([[-1e-3], [1e-3]])).any()


@pytest.mark.parametrize("name", ["box", "frustum"])
@pytest.mark.parametrize("number", [0, 1])
def test_samples_lie_evenly_inside(name, number):
    probe = probes(name)[number]
    points = probe.sample(20_000, np.random.default_rng(2))
    assert points.shape == (20_000, 3)
    assert probe.inside(points).all()
    # Half of the volume has half of the points.
    if name == "box":
        assert np.mean(points, axis=0) == pytest.approx(probe.bounds.mean(axis=0), abs=0.05)
    again = probe.sample(20_000, np.random.default_rng(2))
    assert (points == again).all()


def test_points_on_the_boundary_count_as_inside():
    formula, mesh = probes("box")
    on = np.array([[2, 0, 0], [-1, -2, -3], [0.5, 2, 0]], dtype=float)
    assert formula.inside(on).all()
    assert mesh.inside(on).all()
    assert formula.inside(np.zeros((0, 3))).shape == mesh.depth(np.zeros((0, 3))).shape == (0,)


def test_domains_without_a_formula_are_probed_by_their_mesh():
    spec = spec_of({"it": {"type": "transform", "base_domain": FORMULAS["box"], "rotation": [0, 0, 45]}})
    body = build_domain(spec, "it", None)
    probe = make_probe(spec, "it", body)
    turned = np.array([[np.sqrt(0.5), np.sqrt(0.5), 0.0]])  # was (1, 0, 0) before the turn
    assert probe.depth(turned) == pytest.approx([1.0])
