"""Sweeping: the closed surface of a ball rolled along a chain, made of rings of equally many corners."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from manifold3d import Manifold, Mesh64

from loopwright.agents.designspec.geometry.circles import area_factor, turned, unit_circle
from loopwright.agents.designspec.network.network import Floats, Ints

MITRE_LIMIT = math.cos(math.radians(15))
"""Bends below 15° get one ring; its outer corner stands out by less than 0.9 % of the radius."""
ARC_STEP = math.radians(30)

Rings = list[tuple[Floats, np.ndarray]]
"""Rings in order: corners (n, 3), and which of them are those of the ring before."""


@dataclass(frozen=True)
class Cap:
    """How a tube ends: a half ball, or flat. `normal` is that of the flat end's plane where it is not upright."""

    kind: Literal["round", "flat"]
    normal: Floats | None = None


def swept(points: Floats, radii: Floats, caps: tuple[Cap, Cap], sections: int) -> Manifold:
    """The tube along `points` (k + 1, 3) with `radii` (k, 2): at the start and the end of each of the k segments.

    At a bend the outer side is rounded and the inner side creased; where the next segment is thinner, the thicker one
    ends in a ball. So the tube is that of a ball rolled along, in one piece; only where a bend and a step meet, up to a
    tenth of the radius is missing in the inner corner of the bend.
    """
    along = np.diff(points, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    corner_radii = radii * area_factor(sections)
    circle = unit_circle(along[0], sections)
    rings: Rings = []
    poles = np.empty((2, 3))
    poles[0] = _begin(rings, points[0], along[0], float(corner_radii[0, 0]), circle, caps[0])
    for i in range(1, len(along)):
        before, after = along[i - 1], along[i]
        thick, thin = float(corner_radii[i - 1, 1]), float(corner_radii[i, 0])
        following = turned(circle, before, after)
        if thick >= thin:
            rings += _joint(points[i], (before, after), (thick, thin), circle)
        else:
            rings += _reversed(_joint(points[i], (-after, -before), (thin, thick), following))
        circle = following / np.linalg.norm(following, axis=1)[:, None]
    poles[1] = _finish(rings, points[-1], along[-1], float(corner_radii[-1, 1]), circle, caps[1])
    return Manifold(_skinned(rings, poles, sections))


def _begin(rings: Rings, place: Floats, along: Floats, radius: float, circle: Floats, cap: Cap) -> Floats:
    """Append the rings of the start; the result is its pole."""
    mirrored: Rings = []
    pole = _finish(mirrored, place, -along, radius, circle, cap)
    rings += mirrored[::-1]
    return pole


def _finish(rings: Rings, place: Floats, along: Floats, radius: float, circle: Floats, cap: Cap) -> Floats:
    fresh = np.zeros(len(circle), dtype=bool)
    if cap.kind == "flat":
        lean = np.zeros(len(circle)) if cap.normal is None else (circle @ cap.normal) / (along @ cap.normal)
        rings.append((place + radius * (circle - np.outer(lean, along)), fresh))
        return place
    steps = max(2, len(circle) // 8)
    for i in range(steps):
        angle = math.pi / 2 * i / steps
        rings.append((place + radius * (math.cos(angle) * circle + math.sin(angle) * along), fresh))
    return np.asarray(place + radius * along)


def _joint(place: Floats, along: tuple[Floats, Floats], radii: tuple[float, float], circle: Floats) -> Rings:
    """The rings of a bend from a thick segment to one that is no thicker."""
    before, after = along
    thick, thin = radii
    cosine = float(np.clip(before @ after, -1.0, 1.0))
    forward = (circle @ after) / (1.0 + cosine)
    fresh = np.zeros(len(circle), dtype=bool)
    following = turned(circle, before, after)
    mitre = place + thick * (circle - np.outer(forward, before))
    if cosine >= MITRE_LIMIT:
        rings: Rings = [(mitre, fresh)]
        inner = forward
    else:
        inner = np.maximum(forward, 0.0)
        creased = forward >= 0.0
        bend = math.acos(cosine)
        steps = math.ceil(bend / ARC_STEP)
        rings = []
        for i in range(steps + 1):
            angle = bend * i / steps
            heading = (math.sin(bend - angle) * before + math.sin(angle) * after) / math.sin(bend)
            arc = place + thick * turned(circle, before, heading)
            rings.append((np.where(creased[:, None], mitre, arc), creased if i else fresh))
    if thin < thick:
        widest = math.acos(thin / thick)
        steps = max(1, math.ceil(widest / ARC_STEP))
        for i in range(1, steps + 1):
            angle = widest * i / steps
            ahead = np.maximum(math.sin(angle), inner)
            rings.append((place + thick * (math.cos(angle) * following + np.outer(ahead, after)), fresh))
    return rings


def _reversed(rings: Rings) -> Rings:
    """The same rings for who comes from the other side; what was shared with the ring before is so with the next."""
    corners = [ring for ring, _ in rings][::-1]
    shared = [same for _, same in rings][::-1]
    return list(zip(corners, [np.zeros_like(shared[0]), *shared[:-1]], strict=True))


def _skinned(rings: Rings, poles: Floats, sections: int) -> Mesh64:
    count = len(rings) * sections
    index = np.arange(count).reshape(len(rings), sections)
    for i, (_, shared) in enumerate(rings):
        index[i, shared] = index[i - 1, shared]
    near, far = index[:-1], index[1:]
    near_next, far_next = np.roll(near, -1, axis=1), np.roll(far, -1, axis=1)
    first, last = index[0], index[-1]
    faces = np.concatenate(
        [
            np.stack([near, near_next, far_next], axis=-1).reshape(-1, 3),
            np.stack([near, far_next, far], axis=-1).reshape(-1, 3),
            np.stack([np.full(sections, count), np.roll(first, -1), first], axis=-1),
            np.stack([np.full(sections, count + 1), last, np.roll(last, -1)], axis=-1),
        ]
    )
    degenerate = (faces[:, 0] == faces[:, 1]) | (faces[:, 1] == faces[:, 2]) | (faces[:, 2] == faces[:, 0])
    vertices = np.concatenate([*(ring for ring, _ in rings), poles])
    return _without_unused(vertices, faces[~degenerate])


def _without_unused(vertices: Floats, faces: Ints) -> Mesh64:
    used, compact = np.unique(faces, return_inverse=True)
    return Mesh64(np.ascontiguousarray(vertices[used]), compact.reshape(-1, 3).astype(np.uint64))
