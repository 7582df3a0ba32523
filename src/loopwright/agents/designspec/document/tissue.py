"""Where the tissue is that wants to be reached."""

from typing import Annotated, Any, Literal

from pydantic import Field

from loopwright.agents.designspec.document.faces import Face
from loopwright.agents.designspec.document.quantities import Length, Point, Positive, PositiveLength, Shaped, SpecPart


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
