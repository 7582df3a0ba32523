"""What each growth backend can be told in `backend_params`.

Every length is in `meta.input_units` like all others of the document, also where the field's name ends in `_m`.
Fields of older documents are understood under their older names.
"""

from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

# Numbers with a dimension: what a change of units multiplies, and what it leaves alone.
#
# The names of a body's faces.

Face = Literal["top", "bottom", "left", "right", "front", "back", "+x", "-x", "+y", "-y", "+z", "-z"]
"""`top` is +z, `right` +x, `back` +y."""


WHAT_IT_MEASURES = {1: "length", 2: "area", 3: "volume"}


@dataclass(frozen=True)
class Dimension:
    """Marks a number as a power of a length: 1 for lengths, 3 for volumes."""

    power: int

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Tell readers of the published schema that the number is in `meta.input_units`."""
        return {**handler(schema), "x-dimension": WHAT_IT_MEASURES[self.power]}


@dataclass(frozen=True)
class Shaped:
    """Marks a dict that has the fields of a model: checked, scaled and published as that, and kept as a dict."""

    model: type[BaseModel]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate as the model, so that errors carry the place, and keep only what was given."""
        return core_schema.no_info_after_validator_function(
            _as_given,
            handler.generate_schema(self.model),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Publish the model's schema."""
        return handler(schema["schema"])


@dataclass(frozen=True)
class NamedIn:
    """Marks a dict whose entries are known by their names, whichever of the models it will turn out to be."""

    models: tuple[type[BaseModel], ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate as the plain dict that it is; which model it is is not known yet."""
        return handler(source)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Publish the models as alternatives."""
        return {"type": "object", "anyOf": [handler(model.__pydantic_core_schema__) for model in self.models]}


def _as_given(part: Any) -> dict[str, Any]:
    return dict(part.model_dump(exclude_unset=True, by_alias=True)) if isinstance(part, BaseModel) else dict(part)


def _confined(path: str) -> str:
    """Refuse what could leave the folder that paths are relative to, on any system."""
    posix, windows = PurePosixPath(path), PureWindowsPath(path)
    if posix.is_absolute() or windows.drive or windows.root or path.startswith("~"):
        raise PydanticCustomError("ABSOLUTE_PATH", "The path must be relative to the project's or the run's folder.")
    if ".." in windows.parts:
        raise PydanticCustomError("ESCAPING_PATH", "The path must not lead out of its folder ('..').")
    if any(ord(letter) < 32 or letter in '<>:"|?*\\' for letter in path):
        raise PydanticCustomError("UNSAFE_PATH", "The path has characters that no file name should have.")
    return path


def _not_zero(vector: tuple[float, float, float]) -> tuple[float, float, float]:
    if not any(abs(part) > 1e-12 for part in vector):
        raise PydanticCustomError("ZERO_DIRECTION", "A direction must not be zero.")
    return vector


Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

Length = Annotated[float, Field(ge=0, allow_inf_nan=False), Dimension(1)]
"""A length that may be zero, in `meta.input_units` before normalisation and in metres after it."""
PositiveLength = Annotated[float, Field(gt=0, allow_inf_nan=False), Dimension(1)]
Coordinate = Annotated[float, Field(allow_inf_nan=False), Dimension(1)]
Volume = Annotated[float, Field(ge=0, allow_inf_nan=False), Dimension(3)]

Point = tuple[Coordinate, Coordinate, Coordinate]
"""A place, x y z."""
Vector = tuple[Finite, Finite, Finite]
"""A direction or angles, x y z; it has no unit."""
Direction = Annotated[Vector, AfterValidator(_not_zero)]
"""A direction, x y z, of any length but zero; it has no unit."""
RelativePath = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_confined)]
"""A path below the project's or the run's folder."""


class SpecPart(BaseModel):
    """A piece of the document. Unknown fields are kept and reported as warnings; they never pass unseen."""

    model_config = ConfigDict(extra="allow", frozen=True, protected_namespaces=())

    @property
    def unknown_fields(self) -> dict[str, Any]:
        """What the document says here that the pipeline does not know."""
        return dict(self.model_extra or {})


# Where the tissue is that wants to be reached.


class ExcludedSphere(SpecPart):
    """A ball without tissue."""

    center: Point
    radius: PositiveLength


class DepthReference(SpecPart):
    """From where depth counts: from a face, or from the nearest boundary."""

    mode: Literal["face", "boundary"] = "face"
    face: Face = "top"


class TissueSamplingPolicy(SpecPart):
    """Where the tissue is that wants to be reached. The fields of the chosen strategy apply."""

    enabled: bool = False
    strategy: Literal["uniform", "depth_biased", "radial_biased", "boundary_shell", "gaussian", "mixture"] = "uniform"
    n_points: int = Field(default=1_000, ge=1, le=1_000_000)
    seed: int | None = Field(default=None, ge=0)
    depth_reference: Annotated[dict[str, Any], Shaped(DepthReference)] | None = None
    depth_distribution: Literal["linear", "power", "exponential"] = "power"
    depth_min: Length = 0.0
    depth_max: PositiveLength | None = None
    depth_power: Positive = 2.0
    depth_lambda: Positive | None = None
    radial_distribution: Literal["center_heavy", "edge_heavy", "ring"] = "center_heavy"
    r_min: Length = 0.0
    r_max: PositiveLength | None = None
    radial_power: Positive = 2.0
    shell_thickness: PositiveLength = 1e-3
    gaussian_mean: Point | None = None
    gaussian_sigma: tuple[PositiveLength, PositiveLength, PositiveLength] | None = None
    min_distance_to_ports: Length = 0.0
    exclude_spheres: list[Annotated[dict[str, Any], Shaped(ExcludedSphere)]] = Field(
        default_factory=list, max_length=10_000
    )
    mixture_components: list["MixtureComponent"] = Field(default_factory=list, max_length=64)


class Mixed(SpecPart):
    """One part of a mixture: a sampling of its own, and its share of the points."""

    weight: Positive = 1.0
    policy: TissueSamplingPolicy


MixtureComponent = Annotated[dict[str, Any], Shaped(Mixed)]
TissueSamplingPolicy.model_rebuild()


# The steps of the `programmatic` backend: a network written down piece by piece.

PlaceName = Annotated[str, Field(min_length=1, max_length=64)]
PathAlgorithm = Literal["straight", "astar", "bezier"]


class AddNode(SpecPart):
    """Put a node at a position, joined to `from` by a straight segment where that is given."""

    op: Literal["add_node"]
    id: PlaceName
    position: Point
    radius: PositiveLength | None = None
    from_: PlaceName | None = Field(default=None, alias="from")


class Route(SpecPart):
    """Lead a channel from one place to another or to a position, through `via` in their order."""

    op: Literal["route"]
    from_: PlaceName = Field(alias="from")
    to: PlaceName | Point
    id: PlaceName | None = None
    via: list[Point] = Field(default_factory=list, max_length=1_000)
    algorithm: PathAlgorithm | None = None
    radius: PositiveLength | None = None
    radius_end: PositiveLength | None = None
    clearance: Length | None = None


class Turn(SpecPart):
    """Go on from a place for a length: into a direction, or turned by an angle about an axis."""

    op: Literal["turn"]
    from_: PlaceName = Field(alias="from")
    id: PlaceName
    length: PositiveLength
    direction: Direction | None = None
    angle_deg: Annotated[float, Field(ge=-180, le=180)] = 0.0
    axis: Direction | None = None
    bend_radius: PositiveLength | None = None
    radius: PositiveLength | None = None


class Bifurcate(SpecPart):
    """Split a place into branches that spread by `angle_deg` from its direction, in the plane across `axis`."""

    op: Literal["bifurcate"]
    from_: PlaceName = Field(alias="from")
    ids: list[PlaceName] = Field(min_length=2, max_length=16)
    length: PositiveLength
    angle_deg: Annotated[float, Field(ge=0, le=180)] = 35.0
    axis: Direction | None = None
    radius: PositiveLength | None = None
    ratio: Fraction | None = None


class Merge(SpecPart):
    """Bring places together in one node, at a position or in their middle."""

    op: Literal["merge"]
    from_: list[PlaceName] = Field(alias="from", min_length=2, max_length=64)
    id: PlaceName
    position: Point | None = None
    algorithm: PathAlgorithm | None = None
    radius: PositiveLength | None = None


class ConnectToOutlet(SpecPart):
    """Lead a place to an outlet."""

    op: Literal["connect_to_outlet"]
    from_: PlaceName = Field(alias="from")
    outlet: PlaceName
    via: list[Point] = Field(default_factory=list, max_length=1_000)
    algorithm: PathAlgorithm | None = None
    radius: PositiveLength | None = None
    clearance: Length | None = None


ProgramStep = Annotated[
    AddNode | Route | Turn | Bifurcate | Merge | ConnectToOutlet,
    Field(discriminator="op"),
]


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
