"""What each growth backend can be told in `backend_params`.

Every length is in `meta.input_units` like all others of the document, also where the field's name ends in `_m`.
Fields of older documents are understood under their older names.
"""

from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from loopwright.agents.designspec.document.program import ProgramStep
from loopwright.agents.designspec.document.quantities import (
    Direction,
    Finite,
    Fraction,
    Length,
    Positive,
    PositiveLength,
    SpecPart,
)
from loopwright.agents.designspec.document.tissue import TissueSamplingPolicy

Angle = Annotated[float, Field(ge=0, le=180, allow_inf_nan=False)]
"""Degrees."""
Shrinking = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class OnlineCollisions(SpecPart):
    """How a branch that would come too near to another one is avoided while the network grows."""

    enabled: bool = True
    buffer_abs_m: Length = 2e-5
    buffer_rel: Annotated[float, Field(ge=0, le=10)] = 0.05
    cell_size_m: PositiveLength = 5e-4
    rotation_attempts: int = Field(default=14, ge=0, le=1_000)
    reduction_factors: tuple[Shrinking, ...] = (0.6, 0.35)
    max_attempts_per_child: int = Field(default=18, ge=1, le=10_000)
    on_fail: Literal["terminate_branch"] = "terminate_branch"
    merge_on_collision: bool = False
    merge_distance_m: Length = 2e-4
    fail_retry_rounds: int = Field(default=0, ge=0, le=100)
    fail_retry_mode: Literal["none", "shrink", "boost", "both"] = "both"
    fail_retry_shrink_factor: Shrinking = 0.85
    fail_retry_step_boost: Positive = 1.2


class CollisionPostpass(SpecPart):
    """What is done about collisions that are left when the network is grown."""

    enabled: bool = True
    min_clearance_m: Length = 2e-5
    strategy_order: tuple[Literal["shrink", "terminate"], ...] = ("shrink", "terminate")
    shrink_factor: float = Field(default=0.9, gt=0, lt=1)
    shrink_max_iterations: int = Field(default=10, ge=0, le=1_000)


class ScaffoldParams(SpecPart):
    """`scaffold_topdown`: each branch splits into `splits`, `levels` times, about the primary axis.

    `ratio` is the child's radius as a share of its parent's; steps and spread shrink by their decay at each level.
    """

    primary_axis: Direction | None = None
    splits: int = Field(default=3, ge=1, le=16)
    levels: int = Field(default=6, ge=0, le=20, validation_alias=AliasChoices("levels", "depth"))
    ratio: Shrinking = Field(default=0.78, validation_alias=AliasChoices("ratio", "radius_decay"))
    step_length: PositiveLength = 2e-3
    step_decay: Positive = 0.92
    spread: Length = 1.5e-3
    spread_decay: Positive = 0.9
    cone_angle_deg: Angle = Field(default=70.0, validation_alias=AliasChoices("cone_angle_deg", "branching_angle"))
    jitter_deg: Angle = 12.0
    curvature: Annotated[float, Field(ge=0, le=2)] = 0.35
    curve_samples: int = Field(default=7, ge=1, le=100)
    wall_margin_m: Length = 1e-4
    boundary_extra_m: Length = 0.0
    min_radius: PositiveLength | None = None
    clamp_mode: Literal["shrink_step", "project", "terminate"] = "shrink_step"
    depth_adaptive_mode: Literal["none", "uniform", "geometric"] = "none"
    branch_plane_mode: Literal["global", "local"] = "global"
    collision_online: OnlineCollisions = OnlineCollisions()
    collision_postpass: CollisionPostpass = CollisionPostpass()


class SpaceColonizationParams(SpecPart):
    """`space_colonization`: tips grow towards points of tissue, which vanish when they are reached."""

    num_attraction_points: int = Field(
        default=1_000, ge=1, le=5_000_000, validation_alias=AliasChoices("num_attraction_points", "attraction_points")
    )
    influence_radius: PositiveLength = Field(
        default=1e-2, validation_alias=AliasChoices("influence_radius", "influence_distance")
    )
    kill_radius: PositiveLength = Field(default=2e-3, validation_alias=AliasChoices("kill_radius", "kill_distance"))
    step_size: PositiveLength | None = None
    min_radius: PositiveLength | None = None
    branch_enable_after_distance: Length = 0.0
    min_branch_segment_length: Length = 0.0
    directional_bias: Fraction = 0.0
    primary_axis: Direction | None = None
    max_deviation_deg: Angle = 180.0
    upward_forbidden: bool = False
    multi_inlet_mode: Literal["blended", "partitioned_xy", "forest", "forest_with_merge"] = "blended"
    multi_inlet_blend_sigma: Length = 0.0
    collision_merge_distance: Length = 3e-4
    encourage_bifurcation: bool = False
    max_children_per_node: int = Field(default=2, ge=1, le=16)
    bifurcation_probability: Fraction = 0.7
    min_attractions_for_bifurcation: int = Field(default=3, ge=1)
    bifurcation_angle_threshold_deg: Angle = 40.0
    progress: bool = False
    kdtree_rebuild_tip_every: int = Field(default=1, ge=1)
    kdtree_rebuild_all_nodes_every: int = Field(default=10, ge=1)
    kdtree_rebuild_all_nodes_min_new_nodes: int = Field(default=5, ge=0)
    stall_steps_per_inlet: int = Field(default=10, ge=1)
    interleaving_strategy: Literal["round_robin", "sequential"] = "round_robin"
    tissue_sampling: TissueSamplingPolicy | None = None


class ProgrammaticParams(SpecPart):
    """`programmatic`: the network is written down step by step."""

    steps: list[ProgramStep] = Field(default_factory=list, max_length=10_000)
    path_algorithm: Literal["straight", "astar", "bezier"] = "straight"
    default_radius: PositiveLength | None = None
    bend: Finite = 0.25


BACKEND_PARAMETERS: dict[str, type[SpecPart]] = {
    "scaffold_topdown": ScaffoldParams,
    "space_colonization": SpaceColonizationParams,
    "programmatic": ProgrammaticParams,
}
DEPRECATED_BACKENDS = {"kary_tree": "scaffold_topdown"}
"""Backends of older documents, and what is used in their place."""
