"""The solid of an exported mesh file, measured: its outside, its channels, and where they open. All lengths in mm."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from manifold3d import Manifold, Mesh
from numpy.typing import NDArray

from loopwright.kernel.account import NothingThereYet, NotMeasurable

Floats = NDArray[np.float64]

SHRUNK = 1e-4
"""By this share the outside is drawn in before the solid is taken from it, so that rounding leaves nothing."""
LEAST_VOLUME = 1e-8
"""Of the outside's volume; a smaller hollow is rounding."""
FLAT = 0.9
"""Cosine from which an opening lies on the face of an axis."""
MM_PER_UNIT = {"m": 1e3, "cm": 10.0, "mm": 1.0, "um": 1e-3}
FACES = {"right": (0, 1), "left": (0, -1), "back": (1, 1), "front": (1, -1), "top": (2, 1), "bottom": (2, -1)}


@dataclass(frozen=True)
class ChannelMouth:
    """Where a channel meets the outside: its middle, its area (mm²), its face (nothing on a slanting or round side)."""

    centre: tuple[float, float, float]
    area: float
    face: str

    @property
    def diameter(self) -> float:
        """The diameter of the circle of this area."""
        return float(2 * np.sqrt(self.area / np.pi))


@dataclass(frozen=True)
class Channel:
    """A hollow that hangs together, with its openings."""

    body: Manifold = field(repr=False)
    openings: tuple[ChannelMouth, ...]

    @cached_property
    def line(self) -> tuple[Floats, Floats]:
        """Start and end of a straight channel: between its openings, or from its only one to its far end.

        Raises:
            NotMeasurable: it is not straight, or has no one line.
        """
        if not 1 <= len(self.openings) <= 2:
            raise NotMeasurable(f"a channel with {len(self.openings)} openings has no single line")
        start = np.array(self.openings[0].centre)
        if len(self.openings) == 2:
            end = np.array(self.openings[1].centre)
        else:
            points = _points(self.body)
            axis = int(np.argmax(np.ptp(points, axis=0)))
            ends = points[:, axis].min(), points[:, axis].max()
            end = start.copy()
            end[axis] = max(ends, key=lambda value: abs(value - start[axis]))
        if np.linalg.norm(end - start) <= 0:
            raise NotMeasurable("a channel whose openings lie in one place has no line")
        return start, end

    @property
    def axis(self) -> str:
        """`x`, `y` or `z` where its line runs along an axis; else nothing.

        Raises:
            NotMeasurable: it has no one line.
        """
        start, end = self.line
        way = np.abs(end - start) / np.linalg.norm(end - start)
        return "xyz"[int(np.argmax(way))] if way.max() > 0.999 else ""

    @cached_property
    def widths(self) -> tuple[float, ...]:
        """Diameters (mm) of the circles of equal area at a quarter, half and three quarters of its line.

        Raises:
            NotMeasurable: it is not straight, or not round.
        """
        start, end = self.line
        return tuple(self._width(start, end, share) for share in (0.25, 0.5, 0.75))

    @property
    def length(self) -> float:
        """The length of its line (mm).

        Raises:
            NotMeasurable: it has no one line.
        """
        start, end = self.line
        return float(np.linalg.norm(end - start))

    @property
    def through(self) -> bool:
        """Whether it opens on two sides or more."""
        return len(self.openings) >= 2

    def _width(self, start: Floats, end: Floats, share: float) -> float:
        away, length = end - start, float(np.linalg.norm(end - start))
        turned = self.body.translate((-start).tolist()).transform(_upright(away / length))
        cut = turned.slice(share * length)
        outlines = cut.to_polygons()
        if len(outlines) != 1:
            raise NotMeasurable(f"a cut across the channel meets it {len(outlines)} times: it is not one straight bore")
        outline = np.asarray(outlines[0], dtype=float)
        middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
        radii = np.linalg.norm(outline - middle, axis=1)
        if np.linalg.norm(middle) > 0.2 * radii.max() or radii.min() < 0.8 * radii.max():
            raise NotMeasurable("a cut across the channel is not a circle about the line between its ends")
        return float(2 * np.sqrt(cut.area() / np.pi))


class Solid:
    """The solid of a mesh file."""

    def __init__(self, body: Manifold) -> None:
        """Take a closed body in mm.

        Raises:
            NotMeasurable: the body is empty.
        """
        if body.is_empty():
            raise NotMeasurable("the mesh file holds no closed body")
        self.body = body
        self.hull = body.hull()

    @classmethod
    def read(cls, path: Path) -> "Solid":
        """The solid in a binary STL file that names its unit, as the exported ones do.

        Raises:
            NotMeasurable: it is not closed, or the file names no unit.
            OSError: the file cannot be read.
        """
        header = path.read_bytes()[:80].decode("latin-1")
        unit = header.partition("units ")[2].strip()
        if unit not in MM_PER_UNIT:
            raise NotMeasurable(f"{path.name} does not say in which unit it is")
        loaded: Any = trimesh.load_mesh(path, process=True)
        mesh = Mesh(
            vert_properties=np.asarray(loaded.vertices, dtype=np.float32),
            tri_verts=np.asarray(loaded.faces, dtype=np.uint32),
        )
        mesh.merge()
        return cls(Manifold(mesh).scale([MM_PER_UNIT[unit]] * 3))

    @property
    def extents(self) -> tuple[float, float, float]:
        """Its size along x, y and z."""
        box = self.body.bounding_box()
        return (box[3] - box[0], box[4] - box[1], box[5] - box[2])

    @property
    def shape(self) -> str:
        """The outside's shape: `box`, `cylinder` (along z), `sphere`, or nothing of these."""
        x, y, z = self.extents
        filled = self.hull.volume() / (x * y * z)
        if abs(filled - 1) < 2e-3:
            return "box"
        if abs(x - y) < 5e-3 * x and abs(filled - np.pi / 4) < 8e-3:
            return "cylinder"
        if abs(x - y) < 5e-3 * x and abs(x - z) < 5e-3 * x and abs(filled - np.pi / 6) < 1e-2:
            return "sphere"
        return ""

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """The hollows between the outside (its convex hull) and the material, from left to right, front to back, up."""
        low, high = np.array(self.body.bounding_box()[:3]), np.array(self.body.bounding_box()[3:])
        middle = (low + high) / 2
        outside = self.hull.translate((-middle).tolist()).scale([1 - SHRUNK] * 3).translate(middle.tolist())
        parts = [part for part in (outside - self.body).decompose() if part.volume() > LEAST_VOLUME * outside.volume()]
        planes = _planes(outside)
        found = [Channel(part, tuple(_openings(part, planes))) for part in parts]
        return tuple(sorted(found, key=lambda each: [round(float(v), 4) for v in _points(each.body).min(axis=0)]))

    @property
    def genus(self) -> int:
        """How many handles its surface has: n separate channels through a body give n."""
        return int(self.body.genus())

    def walls(self) -> list[tuple[float, str]]:
        """The exact thickness (mm) of the material around each straight channel, with what lies beyond it.

        To the outside: the least distance from the channel to the planes of the outside that it does not open on. To
        another channel: the least gap between the two.

        Raises:
            NothingThereYet: there is no channel.
            NotMeasurable: one branches or bends: its own walls cannot be told apart.
        """
        if not self.channels:
            raise NothingThereYet("there is no channel, so no wall beside one")
        found = []
        for number, channel in enumerate(self.channels):
            _ = channel.widths  # a channel that is not straight is not measured in this way
            points = _points(channel.body)
            for normal, offset in _unique_planes(self.hull):
                if any(
                    abs(float(normal @ np.array(o.centre)) - offset) < 2e-3 * max(self.extents)
                    for o in channel.openings
                ):
                    continue
                found.append((float((offset - points @ normal).min()), f"from channel {number + 1} to the outside"))
            for other in range(number):
                gap = channel.body.min_gap(self.channels[other].body, max(self.extents))
                found.append((float(gap), f"between channels {other + 1} and {number + 1}"))
        return found

    def holds(self, places: Floats) -> NDArray[np.bool_]:
        """Which of the places (n, 3) lie in the material."""
        mesh = self.body.to_mesh()
        looked: Any = trimesh.Trimesh(
            np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts), process=False
        )
        inside: NDArray[np.bool_] = np.asarray(looked.contains(places), dtype=bool)
        return inside


def _points(body: Manifold) -> Floats:
    return np.asarray(body.to_mesh().vert_properties, dtype=float)[:, :3]


def _upright(way: Floats) -> list[list[float]]:
    """The turn (3 × 4) that brings a direction to z."""
    side = np.cross(way, [1.0, 0.0, 0.0] if abs(way[0]) < 0.9 else [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side)
    turn = np.stack([side, np.cross(way, side), way])
    return np.hstack([turn, np.zeros((3, 1))]).tolist()  # type: ignore[no-any-return]


def _planes(body: Manifold) -> tuple[Floats, Floats]:
    """The outward normals (n, 3) and offsets (n,) of a body's triangles."""
    mesh = body.to_mesh()
    corners = np.asarray(mesh.vert_properties, dtype=float)[:, :3][np.asarray(mesh.tri_verts)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    kept = sizes > 1e-12
    normals = normals[kept] / sizes[kept, None]
    return normals, np.einsum("ij,ij->i", normals, corners[kept, 0])


def _unique_planes(body: Manifold) -> list[tuple[Floats, float]]:
    normals, offsets = _planes(body)
    rounded = np.round(np.column_stack([normals, offsets]), 4)
    _, first = np.unique(rounded, axis=0, return_index=True)
    return [(normals[row], float(offsets[row])) for row in first]


def _openings(part: Manifold, planes: tuple[Floats, Floats]) -> list[ChannelMouth]:
    """The patches of a hollow's surface that lie on the outside."""
    mesh = part.to_mesh()
    points = np.asarray(mesh.vert_properties, dtype=float)[:, :3]
    faces = np.asarray(mesh.tri_verts)
    normals, offsets = planes
    near = 1e-5 * max(float(np.ptp(points, axis=0).max()), float(np.abs(offsets).max()))
    outer = np.array(
        [bool((np.abs(normals @ points[face].T - offsets[:, None]).max(axis=1) < near).any()) for face in faces]
    )
    rows = np.flatnonzero(outer)
    looked: Any = trimesh.Trimesh(points, faces, process=False)
    edges = [pair for pair in looked.face_adjacency if outer[pair[0]] and outer[pair[1]]]
    groups = trimesh.graph.connected_components(np.array(edges).reshape(-1, 2), nodes=rows)
    return [_opening(points[faces[np.asarray(group)]]) for group in groups if len(group)]


def _opening(corners: Floats) -> ChannelMouth:
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    areas = np.linalg.norm(across, axis=1)
    total = float(areas.sum())
    centre = (corners.mean(axis=1) * areas[:, None]).sum(axis=0) / total
    normal = across.sum(axis=0) / max(float(np.linalg.norm(across.sum(axis=0))), 1e-30)
    face = next((name for name, (axis, side) in FACES.items() if normal[axis] * side > FLAT), "")
    return ChannelMouth((float(centre[0]), float(centre[1]), float(centre[2])), total, face)
