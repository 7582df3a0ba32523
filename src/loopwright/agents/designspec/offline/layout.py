"""Patterns of places on a face, as coordinates from its middle."""

import math

from loopwright.agents.designspec.offline.body import Outline

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
