"""Wished places on a face as coordinates from its middle, clear of what is there already."""

import math

from loopwright.agents.designspec.offline import layout
from loopwright.agents.designspec.offline.body import FACES, Body, Outline
from loopwright.agents.designspec.offline.draft import Draft
from loopwright.agents.designspec.offline.layout import Spot
from loopwright.agents.designspec.offline.wishes.carrying import face_of
from loopwright.agents.designspec.offline.wishes.places import Where

FULL = 0.98
"""How much of the way between two ports they may take up together."""


def spots_for(draft: Draft, body: Body, face: str, where: Where, count: int, taken: list[Spot]) -> list[Spot]:
    """So many places on a face: where the wish says, or spread evenly and away from those that are taken."""
    outline = body.outline(face)
    if outline is None:
        return []
    if where.points:
        return [_spot(draft, body, outline, point) for point in where.points][:count]
    if where.ring:
        return layout.ring(count, draft.units(where.ring))
    if where.edge:
        return _along_edge(outline, count, draft.units(where.edge))
    if where.apart:
        apart = draft.units(where.apart)
        line = [(k - (count - 1) / 2) * apart for k in range(count)]
        return [(0.0, value) if where.pattern == "column" else (value, 0.0) for value in line]
    if where.pattern == "center" and count == 1:
        return [(0.0, 0.0)]
    pattern = "" if where.pattern == "center" else where.pattern
    if not taken:
        return layout.spread(outline, count, pattern)
    return layout.farthest_from(layout.spread(outline, count + len(taken), pattern), taken, count)


def spots_taken(draft: Draft, domain: str, body: Body, face: str) -> list[Spot]:
    """The places on a face where ports are, from its middle."""
    corners, found = body.corners, []
    if not corners:
        return []
    middle = [(low + high) / 2 for low, high in zip(*corners, strict=True)]
    across = [axis for axis in range(3) if axis != FACES[face][0]]
    for component in draft.components:
        for role in ("inlets", "outlets"):
            for port in (component.get("ports") or {}).get(role) or []:
                if component.get("domain_ref") == domain and face_of(port, body) == face:
                    position = port["position"]
                    found.append((position[across[0]] - middle[across[0]], position[across[1]] - middle[across[1]]))
    return found


def room(outline: Outline, spots: list[Spot], taken: list[Spot]) -> float:
    """The largest radius that the places allow: half-way to the next one, and within the face's edge."""
    gap = layout.nearest([*spots, *taken]) / 2
    for first, second in spots:
        if outline.round:
            gap = min(gap, outline.width / 2 - math.hypot(first, second))
        else:
            gap = min(gap, outline.width / 2 - abs(first), outline.depth / 2 - abs(second))
    return FULL * gap


def _spot(draft: Draft, body: Body, outline: Outline, point: dict[str, float]) -> Spot:
    corners = body.corners or ((0.0,) * 3, (0.0,) * 3)
    spot = []
    for axis in outline.axes:
        middle = (corners[0][axis] + corners[1][axis]) / 2
        metres = point.get("xyz"[axis])
        spot.append(0.0 if metres is None else draft.units(metres) - middle)
    return spot[0], spot[1]


def _along_edge(outline: Outline, count: int, inset: float) -> list[Spot]:
    if outline.round:
        return layout.ring(count, max(outline.width / 2 - inset, 0.0))
    half_width, half_depth = max(outline.width / 2 - inset, 0.0), max(outline.depth / 2 - inset, 0.0)
    if count <= 2:
        wide = outline.width >= outline.depth
        ends = [(-half_width, 0.0), (half_width, 0.0)] if wide else [(0.0, -half_depth), (0.0, half_depth)]
        return ends[:count]
    if count == 4:
        return [
            (-half_width, -half_depth),
            (half_width, -half_depth),
            (half_width, half_depth),
            (-half_width, half_depth),
        ]
    spots = []
    for k in range(count):
        angle = 2 * math.pi * k / count
        x, y = math.cos(angle), math.sin(angle)
        stretch = min(half_width / abs(x) if x else math.inf, half_depth / abs(y) if y else math.inf)
        spots.append((x * stretch, y * stretch))
    return spots
