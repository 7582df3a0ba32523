"""The domains: the bodies in which channels are grown and out of which they are carved."""

from typing import Annotated, Literal

from pydantic import Field

from loopwright.agents.designspec.document.quantities import (
    Coordinate,
    Finite,
    Point,
    Positive,
    PositiveLength,
    RelativePath,
    SpecPart,
    Vector,
)

Axis = Literal["x", "y", "z"]
ORIGIN = (0.0, 0.0, 0.0)
Row = tuple[Finite, Finite, Finite, Coordinate]
LastRow = tuple[Finite, Finite, Finite, Finite]


class BoxDomain(SpecPart):
    """An axis-parallel box."""

    type: Literal["box"]
    x_min: Coordinate
    x_max: Coordinate
    y_min: Coordinate
    y_max: Coordinate
    z_min: Coordinate
    z_max: Coordinate


class CylinderDomain(SpecPart):
    """A cylinder along z; `center` is the middle of its height."""

    type: Literal["cylinder"]
    center: Point = ORIGIN
    radius: PositiveLength
    height: PositiveLength


class SphereDomain(SpecPart):
    """A sphere."""

    type: Literal["sphere"]
    center: Point = ORIGIN
    radius: PositiveLength


class EllipsoidDomain(SpecPart):
    """An ellipsoid along the axes."""

    type: Literal["ellipsoid"]
    center: Point = ORIGIN
    semi_axes: tuple[PositiveLength, PositiveLength, PositiveLength]


class CapsuleDomain(SpecPart):
    """A cylinder with half-spheres at its ends; `length` is that of the cylindrical part."""

    type: Literal["capsule"]
    center: Point = ORIGIN
    radius: PositiveLength
    length: PositiveLength
    axis: Axis = "z"


class FrustumDomain(SpecPart):
    """A truncated cone along z; `center` is the middle of its height."""

    type: Literal["frustum"]
    center: Point = ORIGIN
    radius_top: PositiveLength
    radius_bottom: PositiveLength
    height: PositiveLength


class MeshDomain(SpecPart):
    """A closed surface out of a file (STL, OBJ, PLY, 3MF, GLB), a path relative to the project folder."""

    type: Literal["mesh"]
    path: RelativePath
    scale: Positive = 1.0


class TransformDomain(SpecPart):
    """Another domain moved: scaled, then turned about x, y and z (degrees), then shifted; or by a 4×4 matrix.

    `base_domain` is a domain's name or a domain written here. The last column of `matrix` is the shift, a length; its
    last row is 0 0 0 1.
    """

    type: Literal["transform"]
    base_domain: "str | Domain"
    translation: Point = ORIGIN
    rotation: Vector = (0.0, 0.0, 0.0)
    scale: Positive | tuple[Positive, Positive, Positive] = 1.0
    matrix: tuple[Row, Row, Row, LastRow] | None = None


class CompositeDomain(SpecPart):
    """Domains combined; a difference takes all others from the first. Children are names or domains written here."""

    type: Literal["composite"]
    operation: Literal["union", "intersection", "difference"]
    children: list["str | Domain"] = Field(min_length=1, max_length=64)


class ImplicitDomain(SpecPart):
    """Where `f(x, y, z) <= 0` within the bounds, for one of the named surfaces (no formula of the user's is run).

    `gyroid`, `schwarz_p` and `diamond` are sheets of `thickness` with the given `period`; `torus` and `superellipsoid`
    are bodies.
    """

    type: Literal["implicit"]
    surface: Literal["gyroid", "schwarz_p", "diamond", "torus", "superellipsoid"]
    center: Point = ORIGIN
    bounds: tuple[PositiveLength, PositiveLength, PositiveLength]
    period: PositiveLength | None = None
    thickness: PositiveLength | None = None
    major_radius: PositiveLength | None = None
    minor_radius: PositiveLength | None = None
    exponent: Positive = 4.0
    pitch: PositiveLength | None = None


Domain = Annotated[
    BoxDomain
    | CylinderDomain
    | SphereDomain
    | EllipsoidDomain
    | CapsuleDomain
    | FrustumDomain
    | MeshDomain
    | TransformDomain
    | CompositeDomain
    | ImplicitDomain,
    Field(discriminator="type"),
]

TransformDomain.model_rebuild()
CompositeDomain.model_rebuild()
