"""What space colonisation is told, with lengths that suit the size of the domain where the document says nothing."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.document.backends import SpaceColonizationParams
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.tissue import TissueSamplingPolicy
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.probe import DomainProbe

INFLUENCE_SHARE, KILL_SHARE = 1 / 10, 1 / 30
"""Influence and kill radius as shares of the domain's scale, the cube root of its bounds' volume."""
SPACING_KILL_SHARE = 0.3
"""A branch must not use up the tissue of the ends beside it: share of the ends' usual distance."""
SMALLEST_FORK_DEG = 50.0
"""Branches that leave a node closer together than this stay within each other's clearance for too long."""


@dataclass(frozen=True)
class ColonySettings:
    """How colonies grow; lengths in metres, angles in degrees.

    `attractors` is how many points of tissue are wanted at most; `target` and `tolerance` are those of the terminals.
    """

    attractors: int
    influence: float
    influence_told: bool
    kill: float
    step: float
    clearance: float
    iterations: int
    stall_steps: int
    bias: float
    axis: Floats | None
    deviation_deg: float
    upward_forbidden: bool
    bifurcate: bool
    bifurcation_probability: float
    bifurcation_attractions: int
    bifurcation_deg: float
    children: int
    branch_after: float
    branch_every: float
    mode: str
    blend: float
    merge_distance: float
    round_robin: bool
    target: int | None
    tolerance: float
    longest: float
    shortest: float
    tissue: TissueSamplingPolicy


def colony_settings(policies: Policies, probe: DomainProbe) -> ColonySettings:
    """Read the growth policy and its `backend_params`."""
    growth = policies.growth
    params = SpaceColonizationParams.model_validate(growth.backend_params)
    told = params.model_fields_set
    low, high = probe.bounds
    scale = float(np.prod(np.maximum(high - low, 1e-12)) ** (1 / 3))
    influence = params.influence_radius if "influence_radius" in told else scale * INFLUENCE_SHARE
    kill = min(scale * KILL_SHARE, influence / 2)
    if growth.target_terminals is not None:
        kill = min(kill, SPACING_KILL_SHARE * scale / growth.target_terminals ** (1 / 3))
    kill = params.kill_radius if "kill_radius" in told else kill
    step = params.step_size or (growth.step_size if "step_size" in growth.model_fields_set else kill / 2)
    tissue = params.tissue_sampling or policies.tissue_sampling
    return ColonySettings(
        attractors=min(params.num_attraction_points, tissue.n_points)
        if tissue.enabled
        else params.num_attraction_points,
        influence=max(influence, kill),
        influence_told="influence_radius" in told,
        kill=kill,
        # a longer step would jump over what it is meant to reach
        step=min(step, kill),
        clearance=policies.collision.collision_clearance if policies.collision.enabled else 0.0,
        iterations=growth.max_iterations,
        stall_steps=params.stall_steps_per_inlet,
        bias=params.directional_bias,
        axis=None if params.primary_axis is None else _unit(np.asarray(params.primary_axis)),
        deviation_deg=params.max_deviation_deg,
        upward_forbidden=params.upward_forbidden,
        bifurcate=params.encourage_bifurcation or "encourage_bifurcation" not in told,
        bifurcation_probability=params.bifurcation_probability,
        bifurcation_attractions=params.min_attractions_for_bifurcation,
        bifurcation_deg=params.bifurcation_angle_threshold_deg,
        children=params.max_children_per_node,
        branch_after=params.branch_enable_after_distance,
        branch_every=params.min_branch_segment_length,
        mode=params.multi_inlet_mode,
        blend=params.multi_inlet_blend_sigma or scale / 6,
        merge_distance=params.collision_merge_distance,
        round_robin=params.interleaving_strategy == "round_robin",
        target=growth.target_terminals,
        tolerance=growth.terminal_tolerance,
        longest=growth.max_segment_length,
        shortest=growth.min_segment_length,
        tissue=tissue if tissue.enabled else TissueSamplingPolicy(enabled=True),
    )


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-30))
