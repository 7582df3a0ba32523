"""The steps of the `programmatic` backend: a network written down piece by piece.

Places are ports by their name or nodes by the `id` that an earlier step gave them. A step without a radius goes on with
the radius of the place it starts from.
"""

from typing import Annotated, Literal

from pydantic import Field

from loopwright.agents.designspec.document.quantities import (
    Direction,
    Fraction,
    Length,
    Point,
    PositiveLength,
    SpecPart,
)

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
