"""What can be said about a domain without a geometry library: its extents, its faces, and places on them.

Everything is in the document's own units. `top` is +z, `right` +x and `back` +y.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    """The room for ports on a face: a disc of `width` across, or a rectangle; its axes are `axes` of the domain."""

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
    def room(self) -> Place | None:
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
        """The room on a face; of curved faces only their middle."""
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
