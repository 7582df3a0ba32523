"""Radii: Murray's law at every junction, the port's radius at the port, and no child thicker than its parent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network import assign_radii
from tests.agents.designspec.network.shapes import binary_tree, network


def policies(smallest=1e-6, **radius):
    return Policies.model_validate({"radius": {"min_radius": smallest, **radius}})


def random_tree(seed, count):
    random = np.random.default_rng(seed)
    parents = [0, *(int(random.integers(1, k + 1)) for k in range(1, count))]
    return network(random.random((count + 1, 3)), [(parent, k + 1) for k, parent in enumerate(parents)])


def murray_defect(net, exponent):
    worst = 0.0
    for node in range(len(net.positions)):
        into = net.radii[net.segments[:, 1] == node, 1] ** exponent
        out = net.radii[net.segments[:, 0] == node, 0] ** exponent
        if len(into) and len(out):
            worst = max(worst, abs(into.sum() - out.sum()) / into.sum())
    return worst


@given(st.integers(0, 10_000), st.integers(2, 60), st.sampled_from([2.0, 2.7, 3.0]))
@settings(max_examples=40, deadline=None)
def test_murray_holds_at_every_junction_of_any_tree(seed, count, exponent):
    net = assign_radii(random_tree(seed, count), policies(murray_exponent=exponent), port_radii={"in": 0.0004})
    assert murray_defect(net, exponent) < 1e-9
    assert net.radii[0, 0] == pytest.approx(0.0004)
    assert net.radii.max() <= 0.0004 + 1e-12


def test_given_ends_are_kept_and_the_port_tapers_to_what_they_need():
    tree = binary_tree(4)
    net = assign_radii(tree, policies(terminal_radius=2e-5), port_radii={"in": 0.0005})
    ends = [k for k, (_, stop) in enumerate(net.segments) if net.node_types[stop] == "terminal"]
    assert net.radii[ends] == pytest.approx(2e-5)
    assert net.radii[0] == pytest.approx([0.0005, 2e-5 * 16 ** (1 / 3)])
    assert murray_defect(net, 3.0) < 1e-9


def test_ends_never_make_the_root_outgrow_its_port():
    net = assign_radii(binary_tree(6), policies(terminal_radius=2e-4), port_radii={"in": 0.0004})
    assert net.radii[0] == pytest.approx([0.0004, 0.0004])
    assert net.radii.min() == pytest.approx(0.0001)


def test_limits_hold_and_children_stay_thinner_where_they_bind():
    net = assign_radii(
        binary_tree(6), policies(1.5e-4, max_radius=3e-4, terminal_radius=1e-5), port_radii={"in": 0.0004}
    )
    assert net.radii.min() == pytest.approx(1.5e-4)
    assert net.radii[1:].max() <= 3e-4 + 1e-12


def test_taper_and_constant():
    tapered = assign_radii(binary_tree(3), policies(mode="taper", taper_factor=0.5), port_radii={"in": 0.0008})
    assert sorted(set(np.round(tapered.radii[:, 1], 9).tolist())) == pytest.approx([1e-4, 2e-4, 4e-4, 8e-4])
    same = assign_radii(binary_tree(3), policies(mode="constant"), port_radii={"in": 0.0003})
    assert same.radii == pytest.approx(0.0003)


def test_joined_trees_keep_the_law_on_both_sides():
    # two inlets' children meet the outlet's: in → 1 → {2, 3}, out → 6 → {4, 5}, joined 2–4 and 3–5
    segments = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 5), (7, 6), (6, 4), (6, 5)]
    net = network(np.random.default_rng(1).random((8, 3)), segments, ports={"in": 0, "out": 7})
    net = assign_radii(net, policies(), port_radii={"in": 0.0004, "out": 0.0003})
    assert net.radii[0, 0] == pytest.approx(0.0004)
    assert net.radii[5, 0] == pytest.approx(0.0003)
    for parent, children in ((0, (1, 2)), (5, (6, 7))):
        assert net.radii[parent, 1] ** 3 == pytest.approx(sum(net.radii[list(children), 0] ** 3))


def test_segments_that_go_round_in_a_ring_are_followed_from_the_port():
    ring = network([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1), (1, 2), (2, 3), (3, 1)])
    net = assign_radii(ring, policies(), port_radii={"in": 0.0004})
    assert np.isfinite(net.radii).all()
    assert (net.radii > 0).all()
