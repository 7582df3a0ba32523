"""What can be said about a domain without a geometry library: its extents, its faces, and places on them.

Everything is in the document's own units. `top` is +z, `right` +x and `back` +y.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from loopwright.agents.designspec.offline.text import NUMBER, Length, UnusableQuantity, lengths, number

# Changes of a size: `20 % taller`, `twice as wide`, `10 mm longer`, `to 25 mm`, `half the radius`.

_LESS = r"smaller|shorter|narrower|thinner|lower|less|slimmer|flatter|finer|decrease|reduce|shrink|shorten|lower"
_PERCENT = re.compile(rf"(?<![\w.])([-+]?{NUMBER})\s?(?:%|percent|per cent)", re.I)
_TIMES = re.compile(
    rf"(?<![\w.])({NUMBER})\s?(?:x\b(?!\s*[-=\d])|times|fold|-fold)|\b(?:scale|"
    rf"multiply)\b.*?\bby (?:a )?(?:factor (?:of )?)?({NUMBER})(?!\s*(?:%|[a-zµ]))",
    re.I,
)
_WORDS = {
    r"twice|double[ds]?|doubling": 2.0,
    r"thrice|tripled?|triples": 3.0,
    r"quadrupled?": 4.0,
    r"half|halved?|halves": 0.5,
    r"a third": 1 / 3,
    r"a quarter": 0.25,
}


@dataclass(frozen=True)
class Amount:
    """How a size changes: times a factor, by metres more (or less), or to metres."""

    kind: Literal["factor", "delta", "absolute"]
    value: float
    unit_given: bool = True

    def of(self, old: float, metres_per_unit: float) -> float:
        """The new size, in the units of the old one.

        Raises:
            UnusableQuantity: nothing would be left.
        """
        scaled = self.value / metres_per_unit
        new = {"factor": old * self.value, "delta": old + scaled, "absolute": scaled}[self.kind]
        if new <= 0:
            raise UnusableQuantity("Nothing would be left of it.")
        return new


def is_less(clause: str) -> bool:
    """Whether a clause speaks of making something smaller."""
    return re.search(rf"\b(?:{_LESS})\b", clause, re.I) is not None


def read_amount(clause: str) -> Amount | None:
    """The change that a clause speaks of; None when it gives no amount.

    Raises:
        UnusableQuantity: a number cannot be used.
    """
    less = is_less(clause)
    percent = _PERCENT.search(clause)
    if percent:
        share = number(percent[1]) / 100
        if re.search(r"\b(?:to|of)\s*$", clause[: percent.start()], re.I):
            return Amount("factor", share)
        return Amount("factor", 1 - abs(share) if less else 1 + share)
    for words, factor in _WORDS.items():
        if re.search(rf"\b(?:{words})\b", clause, re.I):
            return Amount("factor", factor)
    times = _TIMES.search(clause)
    if times:
        return Amount("factor", 1 / _nonzero(number(times[1] or times[2])) if less else number(times[1] or times[2]))
    found = lengths(clause)
    return _by_length(clause, found[0], less) if found else None


def _by_length(clause: str, length: Length, less: bool) -> Amount:
    comparative = re.search(
        r"\b(?:taller|higher|wider|longer|thicker|bigger|larger|deeper|broader|more|smaller|"
        r"shorter|narrower|thinner|less|"
        r"slimmer|flatter|finer)\b(?! than)|\bby\s*$",
        clause if re.search(r"er\b|more|less", clause, re.I) else clause[: length.start],
        re.I,
    )
    if comparative and not re.search(r"\bto\s*$", clause[: length.start], re.I):
        return Amount("delta", -abs(length.metres) if less else length.metres, length.unit_given)
    return Amount("absolute", length.metres, length.unit_given)


def _nonzero(value: float) -> float:
    if value == 0:
        raise UnusableQuantity("Nothing can be zero times as large.")
    return value


# Lengths with what they are of: `radius 3 mm`, `5 mm thick`, `1 mm in diameter`.

LABELS: Mapping[str, str] = {
    "radius_top": r"(?:top|upper) radius|radius (?:at|on) (?:the )?top",
    "radius_bottom": r"(?:bottom|base|lower) radius|radius (?:at|on) (?:the )?(?:bottom|base)",
    "diameter_top": r"(?:top|upper) diameter|diameter (?:at|on) (?:the )?top",
    "diameter_bottom": r"(?:bottom|base|lower) diameter|diameter (?:at|on) (?:the )?(?:bottom|base)",
    "inner_radius": r"(?:inner|inside) radius",
    "inner_diameter": r"(?:inner|inside) diameter|bore|id",
    "wall": r"(?:thick )?walls?(?: thickness)?(?: thick)?|shell(?: thickness)?",
    "radius": r"(?:outer )?radius|radii|rad|r",
    "diameter": r"(?:outer )?diameters?|diam|dia|d|od|across|bore",
    "height": r"height|high|tall|thickness|thick|z",
    "width": r"width|wide|broad|x",
    "length": r"(?:total |overall )?length|long",
    "depth": r"depth|deep|y",
}
"""What a length may be of, by the words that say so; earlier ones win over later ones."""

_BEFORE = {
    name: re.compile(rf"\b(?:{words})(?: is| are)?\s*(?:of|=|:|to|is|about)?\s*$", re.I)
    for name, words in LABELS.items()
}
_AFTER = {name: re.compile(rf"\s*-?(?:in |of )?(?:{words})\b", re.I) for name, words in LABELS.items()}


def of_one(text: str) -> list[tuple[str, Length]]:
    """The lengths of a text about a single radius: what is “diameter on top” of a cone is a diameter here.

    Raises:
        UnusableQuantity: a length cannot be used.
    """
    return [(re.sub(r"_(?:top|bottom)$", "", label), length) for label, length in labelled(text)]


def labelled(text: str) -> list[tuple[str, Length]]:
    """The lengths of the text with their labels, `""` where there is none.

    A label before its length wins over one behind it, and no label serves two lengths: so both `radius 3 mm height
    5 mm` and `3 mm radius 5 mm height` are read as they are meant.

    Raises:
        UnusableQuantity: a length cannot be used.
    """
    found = []
    used = 0
    for length in lengths(text):
        before = text[used : length.start]
        name = next((label for label, pattern in _BEFORE.items() if pattern.search(before)), "")
        used = length.end
        if not name:
            after = [(label, match) for label, pattern in _AFTER.items() if (match := pattern.match(text, length.end))]
            if after:
                name, match = max(after, key=lambda pair: pair[1].end())
                used = match.end()
        found.append((name, length))
    return found


Place = tuple[float, float, float]
Corners = tuple[Place, Place]

FACES: Mapping[str, tuple[int, int]] = {
    "top": (2, 1), "bottom": (2, -1), "right": (0, 1), "left": (0, -1), "back": (1, 1), "front": (1, -1),
}  # fmt: skip
"""The axis and the side of each face."""
OPPOSITE = {"top": "bottom", "bottom": "top", "left": "right", "right": "left", "front": "back", "back": "front"}
ALIASES = {"+z": "top", "-z": "bottom", "+x": "right", "-x": "left", "+y": "back", "-y": "front"}


@dataclass(frozen=True)
class Outline:
    """The space for ports on a face: a disc of `width` across, or a rectangle; its axes are `axes` of the domain."""

    round: bool
    width: float
    depth: float
    axes: tuple[int, int]


@dataclass(frozen=True)
class Body:
    """A domain of the document with the others that it may name."""

    domain: Mapping[str, Any]
    others: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """The domain's type."""
        return str(self.domain.get("type", ""))

    @property
    def plain(self) -> "Body | None":
        """The body whose outer faces this one has: itself, or the first child of a difference; None when unknown."""
        if self.kind == "composite" and self.domain.get("operation") == "difference":
            first = self._named(self.domain["children"][0])
            return Body(first, self.others).plain if first else None
        if self.kind in _CORNERS:
            return self
        return None

    @property
    def corners(self) -> Corners | None:
        """The lowest and the highest corner; None when only the geometry stage can tell."""
        plain = self.plain
        return _CORNERS[plain.kind](plain.domain) if plain else None

    @property
    def extents(self) -> Place | None:
        """The lengths along x, y and z."""
        corners = self.corners
        return _extents(*corners) if corners else None

    @property
    def scale(self) -> float | None:
        """The shortest extent, or the thinnest wall of a hollow body: by it policies are scaled."""
        extents = self.extents
        return min([*extents, *self._walls]) if extents else None

    @property
    def reach(self) -> Place | None:
        """How far a network may reach along x, y and z: the extents, and no more than a hollow body's wall."""
        extents, walls = self.extents, self._walls
        if not extents or not walls:
            return extents
        return (min(extents[0], *walls), min(extents[1], *walls), min(extents[2], *walls))

    @property
    def _walls(self) -> list[float]:
        """What a difference leaves of its first child beside the others, along the axes."""
        if self.kind != "composite" or self.plain is None or not self.corners:
            return []
        holes = [
            Body(named, self.others).corners for child in self.domain["children"][1:] if (named := self._named(child))
        ]
        gaps = [
            gap
            for hole in holes
            if hole
            for axis in range(3)
            for gap in (hole[0][axis] - self.corners[0][axis], self.corners[1][axis] - hole[1][axis])
        ]
        return [gap for gap in gaps if gap > 0]

    @property
    def volume(self) -> float | None:
        """The volume, near enough for spacing: that of the extents times what the kind fills of them."""
        extents, plain = self.extents, self.plain
        if not extents or not plain:
            return None
        share = {"cylinder": 0.785, "sphere": 0.524, "ellipsoid": 0.524, "capsule": 0.65, "frustum": 0.6}
        return math.prod(extents) * share.get(plain.kind, 1.0)

    def outline(self, face: str) -> Outline | None:
        """The space on a face; of curved faces only their middle."""
        extents, plain = self.extents, self.plain
        if not extents or not plain:
            return None
        axis = FACES[face][0]
        first, second = [other for other in range(3) if other != axis]
        width, depth = extents[first], extents[second]
        if plain.kind == "box":
            return Outline(False, width, depth, (first, second))
        if plain.kind in ("cylinder", "frustum"):
            if axis == 2:
                across = 2 * plain.face_radius(face)
                return Outline(True, across, across, (first, second))
            return Outline(False, 0.6 * width, depth, (first, second))
        across = 0.7 * min(width, depth)
        return Outline(True, across, across, (first, second))

    def face_radius(self, face: str) -> float:
        """The radius of a cylinder's or frustum's flat face."""
        named = self.domain.get("radius_top" if face == "top" else "radius_bottom", self.domain.get("radius", 0.0))
        return float(named)

    def place(self, face: str, first: float, second: float) -> tuple[Place, Place] | None:
        """The place on a face at two coordinates measured from the face's middle, and the direction into the body."""
        corners, plain = self.corners, self.plain
        if not corners or not plain:
            return None
        axis, side = FACES[face]
        middle = [(low + high) / 2 for low, high in zip(*corners, strict=True)]
        half = [extent / 2 for extent in _extents(*corners)]
        across = [other for other in range(3) if other != axis]
        point = list(middle)
        point[across[0]] += first
        point[across[1]] += second
        inward = [0.0, 0.0, 0.0]
        inward[axis] = float(-side)
        point[axis] += side * _reach(plain, face, half, first, second)
        return (point[0], point[1], point[2]), (inward[0], inward[1], inward[2])

    def _named(self, child: Any) -> Mapping[str, Any] | None:
        found = self.others.get(child) if isinstance(child, str) else child
        return found if isinstance(found, Mapping) else None


def _reach(plain: Body, face: str, half: list[float], first: float, second: float) -> float:
    """How far the surface lies from the middle along the face's axis, at two coordinates across it."""
    axis = FACES[face][0]
    across = [other for other in range(3) if other != axis]
    if plain.kind in ("sphere", "ellipsoid"):
        rest = 1 - (first / half[across[0]]) ** 2 - (second / half[across[1]]) ** 2
        return half[axis] * math.sqrt(max(rest, 0.0))
    if plain.kind in ("cylinder", "frustum") and axis != 2:
        share = (second / half[2] + 1) / 2
        radius = plain.face_radius("bottom") + share * (plain.face_radius("top") - plain.face_radius("bottom"))
        return math.sqrt(max(radius**2 - first**2, 0.0))
    if plain.kind == "capsule":
        return _capsule_reach(plain, axis, across, (first, second))
    return half[axis]


def _capsule_reach(plain: Body, axis: int, across: list[int], offsets: tuple[float, float]) -> float:
    radius, half = float(plain.domain["radius"]), float(plain.domain["length"]) / 2
    along = "xyz".index(plain.domain.get("axis", "z"))
    if axis == along:
        return half + math.sqrt(max(radius**2 - offsets[0] ** 2 - offsets[1] ** 2, 0.0))
    on_axis = offsets[across.index(along)]
    beyond = max(abs(on_axis) - half, 0.0)
    sideways = offsets[1 - across.index(along)]
    return math.sqrt(max(radius**2 - beyond**2 - sideways**2, 0.0))


def _extents(low: Place, high: Place) -> Place:
    return (high[0] - low[0], high[1] - low[1], high[2] - low[2])


def _about(domain: Mapping[str, Any], half: Place) -> Corners:
    x, y, z = (float(value) for value in domain.get("center", (0.0, 0.0, 0.0)))
    return (x - half[0], y - half[1], z - half[2]), (x + half[0], y + half[1], z + half[2])


def _box(domain: Mapping[str, Any]) -> Corners:
    low, high = (tuple(float(domain[f"{axis}_{end}"]) for axis in "xyz") for end in ("min", "max"))
    return (low[0], low[1], low[2]), (high[0], high[1], high[2])


def _cylinder(domain: Mapping[str, Any]) -> Corners:
    radius = float(domain["radius"])
    return _about(domain, (radius, radius, domain["height"] / 2))


def _sphere(domain: Mapping[str, Any]) -> Corners:
    return _about(domain, (domain["radius"],) * 3)


def _ellipsoid(domain: Mapping[str, Any]) -> Corners:
    a, b, c = domain["semi_axes"]
    return _about(domain, (a, b, c))


def _capsule(domain: Mapping[str, Any]) -> Corners:
    half = [float(domain["radius"])] * 3
    half["xyz".index(domain.get("axis", "z"))] += domain["length"] / 2
    return _about(domain, (half[0], half[1], half[2]))


def _frustum(domain: Mapping[str, Any]) -> Corners:
    radius = max(domain["radius_top"], domain["radius_bottom"])
    return _about(domain, (radius, radius, domain["height"] / 2))


_CORNERS = {
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    "capsule": _capsule,
    "frustum": _frustum,
}


# Patterns of places on a face, as coordinates from its middle.

Spot = tuple[float, float]
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
"""Turning by it from point to point fills a disc evenly (Vogel 1979)."""


def spread(outline: Outline, count: int, pattern: str = "") -> list[Spot]:
    """So many places, evenly over the face, or in a `circle`, `grid`, `row`, `column` or the `corners`."""
    width, depth = (
        (0.7 * side for side in (outline.width, outline.depth)) if outline.round else (outline.width, outline.depth)
    )
    if pattern == "corners":
        return [(0.3 * sx * width * 1.1, 0.3 * sy * depth * 1.1) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))][
            :count
        ]
    if pattern == "row":
        return [((k + 0.5) / count * width - width / 2, 0.0) for k in range(count)]
    if pattern == "column":
        return [(0.0, (k + 0.5) / count * depth - depth / 2) for k in range(count)]
    if pattern == "circle":
        return ring(count, 0.3 * min(outline.width, outline.depth))
    if pattern == "grid" or not outline.round:
        return grid(count, width, depth)
    return _disc(count, outline.width / 2)


def ring(count: int, radius: float) -> list[Spot]:
    """Places on a circle about the middle, the first one on the first axis."""
    angles = [2 * math.pi * k / count for k in range(count)]
    return [(radius * round(math.cos(angle), 12), radius * round(math.sin(angle), 12)) for angle in angles]


def grid(count: int, width: float, depth: float) -> list[Spot]:
    """Rows of places in the middles of equal cells as square as they can be; an unfinished last row is centred."""
    columns = max(1, min(count, round(math.sqrt(count * width / depth))))
    rows = math.ceil(count / columns)
    columns = math.ceil(count / rows)
    spots = []
    for row in range(rows):
        here = min(columns, count - row * columns)
        spots += [((k + 0.5 - here / 2) * width / columns, (row + 0.5) / rows * depth - depth / 2) for k in range(here)]
    return spots


def _disc(count: int, radius: float) -> list[Spot]:
    if count == 1:
        return [(0.0, 0.0)]
    if count <= 4:
        return ring(count, 0.5 * radius)
    if count <= 10:
        return [(0.0, 0.0), *ring(count - 1, 0.62 * radius)]
    places = [(0.85 * radius * math.sqrt((k + 0.5) / count), k * GOLDEN_ANGLE) for k in range(count)]
    return [(r * math.cos(angle), r * math.sin(angle)) for r, angle in places]


def nearest(spots: list[Spot]) -> float:
    """The smallest distance between two of the places; infinite for less than two."""
    return min((math.dist(a, b) for i, a in enumerate(spots) for b in spots[:i]), default=math.inf)


def farthest_from(candidates: list[Spot], taken: list[Spot], count: int) -> list[Spot]:
    """So many of the candidates, each as far as possible from those taken and those chosen before it."""
    chosen: list[Spot] = []
    rest = list(candidates)
    while rest and len(chosen) < count:
        best = max(
            rest, key=lambda spot: min((math.dist(spot, other) for other in [*taken, *chosen]), default=math.inf)
        )
        rest.remove(best)
        chosen.append(best)
    return chosen
