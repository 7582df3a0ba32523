"""How networks grow, how they keep clear of each other, and how thick they are."""

from typing import Annotated, Any, Literal

from pydantic import Field

from loopwright.agents.designspec.document.backends import (
    BACKEND_PARAMETERS,
    Fraction,
    Length,
    NamedIn,
    Positive,
    PositiveLength,
    SpecPart,
    TissueSamplingPolicy,
)

__all__ = [
    "CollisionPolicy",
    "GrowthBackend",
    "GrowthPolicy",
    "NetworkCleanupPolicy",
    "PathfindingPolicy",
    "RadiusPolicy",
    "TissueSamplingPolicy",
    "UnifiedCollisionPolicy",
]

GrowthBackend = Literal["scaffold_topdown", "space_colonization", "programmatic"]


class GrowthPolicy(SpecPart):
    """How a network grows; `backend_params` are those of the backend (`document/backends.py`)."""

    enabled: bool = True
    backend: str = "scaffold_topdown"
    target_terminals: int | None = Field(default=None, ge=1, le=100_000)
    terminal_tolerance: Fraction = 0.1
    max_iterations: int = Field(default=500, ge=0, le=1_000_000)
    min_segment_length: PositiveLength = 2e-4
    max_segment_length: PositiveLength = 2e-3
    min_radius: PositiveLength = 1e-4
    max_radius: PositiveLength | None = None
    step_size: PositiveLength = 3e-4
    backend_params: Annotated[dict[str, Any], NamedIn(tuple(BACKEND_PARAMETERS.values()))] = Field(default_factory=dict)


class RadiusPolicy(SpecPart):
    """Radii: Murray's law (the parent's radius to the exponent is the sum of its children's), a taper, or constant."""

    mode: Literal["murray", "taper", "constant"] = "murray"
    murray_exponent: float = Field(default=3.0, gt=1, le=6)
    taper_factor: float = Field(default=0.8, gt=0, le=1)
    min_radius: PositiveLength | None = None
    max_radius: PositiveLength | None = None
    terminal_radius: PositiveLength | None = None


class CollisionPolicy(SpecPart):
    """The clearance between branches that are not neighbours."""

    enabled: bool = True
    check_collisions: bool = True
    collision_clearance: Length = 1e-4


class UnifiedCollisionPolicy(SpecPart):
    """What is done about a collision, in this order."""

    enabled: bool = True
    strategy_order: tuple[Literal["reroute", "shrink", "terminate"], ...] = ("reroute", "shrink", "terminate")
    min_clearance: Length = 1e-4
    shrink_factor: float = Field(default=0.9, gt=0, lt=1)
    shrink_max_iterations: int = Field(default=5, ge=0, le=100)
    reroute_max_attempts: int = Field(default=3, ge=0, le=100)


class NetworkCleanupPolicy(SpecPart):
    """Tidying a grown network: joining near nodes, cutting short ends, merging doubled nodes."""

    enable_snap: bool = False
    snap_tol: Length = 1e-5
    enable_prune: bool = False
    min_segment_length: Length = 1e-4
    enable_merge: bool = False
    merge_tol: Length = 1e-5


class PathfindingPolicy(SpecPart):
    """How routes are found between two points."""

    use_resolution_policy: bool = True
    coarse_pitch_factor: Positive = 4.0
    corridor_radius_factor: Positive = 2.0
    max_voxels_coarse: int = Field(default=2_000_000, ge=1)
    max_voxels_fine: int = Field(default=2_000_000, ge=1)
    clearance: Length = 2e-4
    local_radius: Length = 2e-4
    inflation_mode: Literal["none", "clearance", "clearance_plus_local_radius"] = "clearance_plus_local_radius"
    allow_skip_waypoints: bool = True
    max_skip_count: int = Field(default=2, ge=0)
