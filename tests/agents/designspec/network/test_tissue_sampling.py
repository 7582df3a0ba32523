"""Tissue sampling: where the points lie, and that they are honest about what does not fit."""

import numpy as np
import pytest

from loopwright.agents.designspec.document.backends import TissueSamplingPolicy
from loopwright.agents.designspec.network import Opening
from loopwright.agents.designspec.network.space_colonization_tissue import sample_tissue
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.network.analytic_probes import BoxProbe, CylinderProbe

BOX = BoxProbe((0.02, 0.02, 0.01))
DISC = CylinderProbe(0.005, 0.002)
PORT = Opening("in", "c", (0.0, 0.0, 0.005), (0.0, 0.0, -1.0), 0.0003)


def draw(probe=BOX, count=4000, seed=1, openings=(PORT,), **fields):
    policy = TissueSamplingPolicy.model_validate(fields)
    return sample_tissue(probe, policy, openings, count, np.random.default_rng(seed))


EVERY_STRATEGY = [
    {"strategy": "uniform"},
    {"strategy": "depth_biased", "depth_reference": {"mode": "face", "face": "left"}},
    {"strategy": "depth_biased", "depth_reference": {"mode": "boundary"}, "depth_distribution": "linear"},
    {"strategy": "depth_biased", "depth_distribution": "exponential", "depth_lambda": 4.0},
    {"strategy": "radial_biased", "radial_distribution": "center_heavy"},
    {"strategy": "radial_biased", "radial_distribution": "edge_heavy"},
    {"strategy": "radial_biased", "radial_distribution": "ring", "r_min": 0.001, "r_max": 0.004},
    {"strategy": "boundary_shell", "shell_thickness": 0.0004},
    {"strategy": "gaussian", "gaussian_sigma": [0.002, 0.002, 0.002]},
    {"strategy": "mixture", "mixture_components": [{"weight": 3, "policy": {"strategy": "uniform"}}]},
]


@pytest.mark.parametrize("probe", [BOX, DISC], ids=["box", "disc"])
@pytest.mark.parametrize("fields", EVERY_STRATEGY, ids=lambda fields: fields["strategy"])
def test_every_strategy_stays_inside_and_gives_the_count(probe, fields):
    points = draw(probe, **fields)
    assert points.shape == (4000, 3)
    assert probe.inside(points).all()
    assert np.array_equal(points, draw(probe, **fields))


def test_power_bias_follows_its_formula():
    depth = 0.005 - draw(strategy="depth_biased", depth_power=3.0)[:, 2]
    # the density t^3 on [0, 1] has the mean 4/5
    assert np.mean(depth / 0.01) == pytest.approx(0.8, abs=0.02)


def test_depth_range_is_kept():
    depth = 0.005 - draw(strategy="depth_biased", depth_min=0.002, depth_max=0.006)[:, 2]
    assert depth.min() >= 0.002
    assert depth.max() <= 0.006


def test_radial_distributions_differ_as_their_names_say():
    def mean_radius(name):
        points = draw(DISC, strategy="radial_biased", radial_distribution=name)
        return np.linalg.norm(points[:, :2], axis=1).mean()

    assert mean_radius("center_heavy") < mean_radius("ring") < mean_radius("edge_heavy")


def test_shell_hugs_the_boundary():
    assert BOX.depth(draw(strategy="boundary_shell", shell_thickness=0.0005)).max() <= 0.0005


def test_ports_and_excluded_spheres_are_left_free():
    points = draw(min_distance_to_ports=0.003, exclude_spheres=[{"center": [0.005, 0, 0], "radius": 0.002}])
    assert np.linalg.norm(points - np.array(PORT.position), axis=1).min() >= 0.003
    assert np.linalg.norm(points - np.array([0.005, 0, 0]), axis=1).min() >= 0.002


def test_mixture_keeps_its_weights_and_the_outer_limits():
    points = draw(
        strategy="mixture",
        mixture_components=[
            {"weight": 0.75, "policy": {"strategy": "depth_biased", "depth_min": 0.0051}},
            {"weight": 0.25, "policy": {"strategy": "depth_biased", "depth_max": 0.0049}},
        ],
        min_distance_to_ports=0.0005,
    )
    assert np.mean(points[:, 2] < 0) == pytest.approx(0.75, abs=0.01)
    assert np.linalg.norm(points - np.array(PORT.position), axis=1).min() >= 0.0005


def test_what_does_not_fit_is_not_made_up():
    assert len(draw(count=100, min_distance_to_ports=1.0)) == 0
    assert len(draw(count=0)) == 0


def test_own_seed_wins():
    policy = TissueSamplingPolicy(seed=7)
    first, second = (sample_tissue(BOX, policy, (), 50, np.random.default_rng(n)) for n in (1, 2))
    assert np.array_equal(first, second)


def test_empty_and_endless_mixtures_are_refused():
    nested = {"strategy": "uniform"}
    for _ in range(4):
        nested = {"strategy": "mixture", "mixture_components": [{"policy": nested}]}
    with pytest.raises(InvalidInput, match="nest deeper"):
        draw(**nested)
    with pytest.raises(InvalidInput, match="mixture_components"):
        draw(strategy="mixture")
