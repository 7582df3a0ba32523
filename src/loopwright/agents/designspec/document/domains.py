"""The domains: the bodies in which channels are grown and out of which they are carved."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import Field

from loopwright.agents.designspec.document.backends import (
    BACKEND_PARAMETERS,
    Coordinate,
    Direction,
    Finite,
    NamedIn,
    Point,
    Positive,
    PositiveLength,
    RelativePath,
    Shaped,
    SpecPart,
    Vector,
)
from loopwright.agents.designspec.document.policies import Policies

# Whether something is plain JSON of a reasonable size, before anything else looks at it.
#
# JSON pointers (RFC 6901).


def escape(token: str | int) -> str:
    """The token as it stands between two slashes."""
    return str(token).replace("~", "~0").replace("/", "~1")


def join(pointer: str, *tokens: str | int) -> str:
    """The pointer, and deeper along the tokens."""
    return pointer + "".join("/" + escape(token) for token in tokens)


def tokens_of(pointer: str) -> list[str]:
    """The tokens of a pointer, unescaped."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def parents_of(pointer: str) -> list[str]:
    """The pointers of all that the place is in, from the outermost, the document itself, on."""
    tokens = pointer.split("/")
    return ["/".join(tokens[:count]) for count in range(1, len(tokens))]


def lookup(document: Any, pointer: str, default: Any = None) -> Any:
    """What the document has at the pointer, or the default."""
    for token in tokens_of(pointer):
        if isinstance(document, dict) and token in document:
            document = document[token]
        elif isinstance(document, list) and token.isdecimal() and int(token) < len(document):
            document = document[int(token)]
        else:
            return default
    return document


def pointer_of(document: Any, location: Sequence[str | int], *, missing: bool = False) -> str:
    """The pointer of a validation error's location, less the names of types that stand between.

    Args:
        document: what was validated.
        location: as Pydantic gives it.
        missing: whether the last token names a field that is not there.
    """
    pointer = ""
    for place, token in enumerate(location):
        if _has(document, token):
            document = document[token]
        elif not (missing and place == len(location) - 1):
            continue
        pointer = join(pointer, token)
    return pointer


def _has(document: Any, token: str | int) -> bool:
    if isinstance(document, list):
        return isinstance(token, int) and 0 <= token < len(document)
    return isinstance(document, dict) and token in document


MOST_CHARACTERS = 2_000_000
MOST_VALUES = 100_000
DEEPEST = 64
LARGEST_NUMBER = 1e18
"""Far above every length and count that makes sense, and exact in calculations with 28 digits."""


@dataclass(frozen=True)
class Flaw:
    """Why it is not; `pointer` leads to the culprit."""

    code: str
    pointer: str
    message: str


def find_flaw(document: Any) -> Flaw | None:
    """The first thing, in the document's order, that a spec document cannot hold."""
    left: list[tuple[Any, str, int]] = [(document, "", 1)]
    values = characters = 0
    while left:
        value, pointer, depth = left.pop()
        values += 1
        if depth > DEEPEST and isinstance(value, dict | list):
            return Flaw("TOO_DEEP", pointer, f"The document is nested deeper than {DEEPEST} levels.")
        flaw = _flaw_of(value)
        if flaw:
            return Flaw(flaw[0], pointer, flaw[1])
        if isinstance(value, str):
            characters += len(value)
        elif isinstance(value, dict):
            bad = next((key for key in value if not isinstance(key, str) or not _is_text(key)), None)
            if bad is not None:
                return Flaw("INVALID_KEY", pointer, f"A name must be text that can be written as UTF-8, not {bad!r}.")
            characters += sum(map(len, value))
            left.extend((item, join(pointer, key), depth + 1) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            left.extend((value[place], join(pointer, place), depth + 1) for place in range(len(value) - 1, -1, -1))
        if characters > MOST_CHARACTERS or values + len(left) > MOST_VALUES:
            return Flaw(
                "TOO_LARGE",
                "",
                f"The document is larger than {MOST_CHARACTERS:,} characters or {MOST_VALUES:,} values.",
            )
    return None


def _flaw_of(value: Any) -> tuple[str, str] | None:
    if value is None or isinstance(value, bool | dict | list):
        return None
    if isinstance(value, str):
        return None if _is_text(value) else ("INVALID_TEXT", "The text cannot be written as UTF-8.")
    if not isinstance(value, int | float):
        return "NOT_JSON", f"A spec document holds JSON values only, not {type(value).__name__}."
    if isinstance(value, float) and not math.isfinite(value):
        return "NOT_FINITE", "A number must be finite: NaN and Infinity are no values."
    if abs(value) > LARGEST_NUMBER:
        return "NUMBER_TOO_LARGE", f"The number is beyond ±{LARGEST_NUMBER:g}."
    return None


def _is_text(text: str) -> bool:
    """Whether UTF-8 can hold it: lone surrogates cannot be stored."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


# The components: what is grown, drilled or imported as a void, and through which ports it opens.

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}$"
"""Names become file names and parts of stages."""

BuildType = Literal["backend_network", "primitive_channels", "import_void_mesh"]
VesselType = Literal["arterial", "venous"]


class Port(SpecPart):
    """An opening. `direction` points into the domain; without a position the ports policy places it."""

    name: str = Field(pattern=NAME)
    position: Point | None = None
    direction: Direction | None = None
    radius: PositiveLength
    vessel_type: VesselType = "arterial"
    is_surface_opening: bool = True


class Ports(SpecPart):
    """The openings of a component."""

    inlets: list[Port] = Field(default_factory=list)
    outlets: list[Port] = Field(default_factory=list)

    @property
    def all(self) -> list[Port]:
        """Inlets, then outlets."""
        return [*self.inlets, *self.outlets]


class Build(SpecPart):
    """How the void is made.

    `backend` and `backend_params` speak for `backend_network` and override the growth policy; `mesh_path` (relative to
    the project folder) and `mesh_units` are those of `import_void_mesh`.
    """

    type: BuildType
    backend: str | None = None
    backend_params: Annotated[dict[str, Any], NamedIn(tuple(BACKEND_PARAMETERS.values()))] = Field(default_factory=dict)
    mesh_path: RelativePath | None = None
    mesh_units: Literal["m", "cm", "mm", "um"] = "m"


class SavedArtifacts(SpecPart):
    """Where the component's own results go, relative to the run's folder."""

    network: RelativePath | None = None
    void_mesh: RelativePath | None = None


class Component(SpecPart):
    """One void. `policies` overrides the document's policies for this component (deep merge, lists replaced)."""

    id: str = Field(pattern=NAME)
    domain_ref: str
    ports: Ports = Ports()
    build: Build
    policies: Annotated[dict[str, Any], Shaped(Policies)] = Field(default_factory=dict)
    save_artifacts: SavedArtifacts = SavedArtifacts()


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


# How large domains are, as far as that follows from the document alone. In metres.

Place = tuple[float, float, float]
Bounds = tuple[Place, Place]
"""The lowest and the highest corner of the box around a body."""


def bounds_of(domains: Mapping[str, Domain], name: str) -> Bounds | None:
    """The box around a domain; None where only a file knows it, or where references lead nowhere or in circles."""
    return _Measuring(domains).of(name)


def extents_of(bounds: Bounds) -> Place:
    """How long the box is along x, y and z."""
    return _place(high - low for low, high in zip(*bounds, strict=True))


def distance_to(bounds: Bounds, place: Place) -> float:
    """How far a place lies outside the box; 0 inside."""
    low, high = bounds
    return math.hypot(*(max(low[axis] - place[axis], 0.0, place[axis] - high[axis]) for axis in range(3)))


class _Measuring:
    """Remembers what it has measured: references to references would otherwise double the work at each level."""

    def __init__(self, domains: Mapping[str, Domain]) -> None:
        self.domains = domains
        self.known: dict[str, Bounds | None] = {}

    def of(self, domain: str | Domain) -> Bounds | None:
        if isinstance(domain, str):
            if domain not in self.known:
                self.known[domain] = None  # whoever refers to itself while it is measured has no bounds
                self.known[domain] = self.of(self.domains[domain]) if domain in self.domains else None
            return self.known[domain]
        if isinstance(domain, TransformDomain):
            base = self.of(domain.base_domain)
            return None if base is None else _moved(base, domain)
        if isinstance(domain, CompositeDomain):
            return self._combined(domain)
        return _primitive(domain)

    def _combined(self, domain: CompositeDomain) -> Bounds | None:
        if domain.operation == "difference":
            return self.of(domain.children[0])
        parts = [bounds for child in domain.children if (bounds := self.of(child)) is not None]
        if len(parts) < len(domain.children):
            return None
        low, high = (min, max) if domain.operation == "union" else (max, min)
        return (
            _place(low(part[0][axis] for part in parts) for axis in range(3)),
            _place(high(part[1][axis] for part in parts) for axis in range(3)),
        )


def _primitive(domain: Domain) -> Bounds | None:
    if isinstance(domain, BoxDomain):
        return (domain.x_min, domain.y_min, domain.z_min), (domain.x_max, domain.y_max, domain.z_max)
    half: Place
    if isinstance(domain, CylinderDomain):
        half = (domain.radius, domain.radius, domain.height / 2)
    elif isinstance(domain, SphereDomain):
        half = (domain.radius, domain.radius, domain.radius)
    elif isinstance(domain, EllipsoidDomain):
        half = domain.semi_axes
    elif isinstance(domain, CapsuleDomain):
        half = _place(domain.radius + (domain.length / 2 if axis == domain.axis else 0.0) for axis in "xyz")
    elif isinstance(domain, FrustumDomain):
        wide = max(domain.radius_top, domain.radius_bottom)
        half = (wide, wide, domain.height / 2)
    elif isinstance(domain, ImplicitDomain):
        half = _place(length / 2 for length in domain.bounds)
    else:
        return None
    center = domain.center
    return (
        _place(center[axis] - half[axis] for axis in range(3)),
        _place(center[axis] + half[axis] for axis in range(3)),
    )


def _moved(base: Bounds, transform: TransformDomain) -> Bounds:
    corners = [_image(transform, corner) for corner in product(*zip(*base, strict=True))]
    return (
        _place(min(corner[axis] for corner in corners) for axis in range(3)),
        _place(max(corner[axis] for corner in corners) for axis in range(3)),
    )


def _image(transform: TransformDomain, corner: tuple[float, ...]) -> Place:
    """Where a point goes: by the matrix, or scaled, turned about x, y and z, and shifted."""
    if transform.matrix is not None:
        return _place(sum(row[axis] * corner[axis] for axis in range(3)) + row[3] for row in transform.matrix[:3])
    scale = transform.scale if isinstance(transform.scale, tuple) else (transform.scale,) * 3
    point = [corner[axis] * scale[axis] for axis in range(3)]
    for axis, degrees in enumerate(transform.rotation):
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        first, second = (axis + 1) % 3, (axis + 2) % 3
        point[first], point[second] = (
            cosine * point[first] - sine * point[second],
            sine * point[first] + cosine * point[second],
        )
    return _place(point[axis] + transform.translation[axis] for axis in range(3))


def _place(numbers: Iterable[float]) -> Place:
    x, y, z = numbers
    return x, y, z
