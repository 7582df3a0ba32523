"""Which branches of a network come too near to each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network.network import Floats, Ints, Network
from loopwright.agents.designspec.network.proximity import near_pairs, rods_of, surface_gaps

CROTCH = 4.0
"""How far from a junction its branches may still touch, in multiples of their centre lines' required distance.

Two branches of equal radius that part at 30° leave each other's clearance after 3.9 times that distance.
"""
SURE = 0.05
"""An overlap or a gap of this share of two radii is one in any mesh: a tube of 16 sides lacks 2 % of its radius."""
TOLERANCE = 1e-9
"""Metres; rounding is no collision."""
ROUNDS = 256


@dataclass(frozen=True)
class Collision:
    """Two segments, not neighbours, whose surfaces are `gap` apart (negative: overlapping) where `required` was wanted.

    `place` is the middle between the two nearest points of their centre lines, in metres.
    """

    first: int
    second: int
    gap: float
    required: float
    place: tuple[float, float, float]


def find_collisions(network: Network, clearance: float) -> list[Collision]:
    """The pairs of segments that are closer than the clearance without being parts of the same junction or bend.

    What grows out of a shared node is one body near that node, and must be. So a pair counts as part of a junction
    when it touches at an end, and the segment before that end belongs to the junction in the same way and no less,
    back to a node that both share, over no more than `CROTCH` times their required distance. A branch that comes back
    and touches from elsewhere has no such chain: it would close a ring that the graph does not have.

    Args:
        network: the network, radii settled.
        clearance: the wanted distance between surfaces, in metres.

    Returns:
        The collisions, the worst first.
    """
    pairs, gaps, s, t = conflicting_pairs(network, clearance)
    starts, along = network.starts, network.ends - network.starts
    first, second = pairs[:, 0], pairs[:, 1]
    places = (starts[first] + along[first] * s[:, None] + starts[second] + along[second] * t[:, None]) / 2
    return [
        Collision(int(first[k]), int(second[k]), float(gaps[k]), clearance, _place(places[k]))
        for k in np.lexsort((second, first, gaps))
    ]


def _place(point: Floats) -> tuple[float, float, float]:
    return (float(point[0]), float(point[1]), float(point[2]))


def conflicting_pairs(network: Network, clearance: float) -> tuple[Ints, Floats, Floats, Floats]:
    """The colliding pairs (k, 2), their gaps (k,), and the shares along both segments (k,) where they are nearest."""
    rods = rods_of(network)
    pairs = near_pairs(rods, None, clearance)
    gaps, s, t = surface_gaps(rods.take(pairs[:, 0]), rods.take(pairs[:, 1]))
    close = gaps < clearance - TOLERANCE
    pairs, gaps, s, t = pairs[close], gaps[close], s[close], t[close]
    guilty = ~_grown_together(network, pairs, gaps, s, t, clearance)
    return pairs[guilty], gaps[guilty], s[guilty], t[guilty]


def _grown_together(
    network: Network, pairs: Ints, gaps: Floats, s: Floats, t: Floats, clearance: float
) -> NDArray[np.bool_]:
    """Which pairs are chained to a shared node by pairs that are nearest end to end.

    Towards the shared node the gap must not grow: a crotch that opens and closes again has a hole. That is let pass
    only where both pairs overlap, or the farther pair stays apart, by more than what a mesh of the tubes may lack.
    """
    one, two = network.segments[pairs[:, 0]], network.segments[pairs[:, 1]]
    adjacent = (one[:, :, None] == two[:, None, :]).any(axis=(1, 2))
    thickest = network.radii.max(axis=1)
    apart_at_least = thickest[pairs[:, 0]] + thickest[pairs[:, 1]]
    limit, sure = CROTCH * (apart_at_least + clearance), SURE * apart_at_least
    count = len(network.segments)
    keys = pairs[:, 0] * count + pairs[:, 1]
    before, after, step = _predecessors(network, pairs, keys, s, t, count)
    narrowing = (gaps[before] <= np.maximum(gaps[after], -sure[after]) + TOLERANCE) | (gaps[after] > sure[after])
    narrowing |= adjacent[before]
    before, after, step = before[narrowing], after[narrowing], step[narrowing]
    apart = np.where(adjacent, 0.0, np.inf)
    for _ in range(ROUNDS):
        reached = apart.copy()
        np.minimum.at(reached, after, apart[before] + step)
        reached[reached > limit] = np.inf
        if np.array_equal(reached, apart):
            break
        apart = reached
    return np.asarray(np.isfinite(apart))


def _predecessors(
    network: Network, pairs: Ints, keys: Ints, s: Floats, t: Floats, count: int
) -> tuple[Ints, Ints, Floats]:
    """Links between pairs: from (i, m) to (i, j), where j touches i at the node it shares with m; and m's length."""
    offsets, incident = _incidence(network)
    lengths = network.lengths
    before, after, step = [], [], []
    for side, share in ((0, s), (1, t)):
        for end in (0, 1):
            rows = np.flatnonzero(share == float(end))
            moving, staying = pairs[rows, side], pairs[rows, 1 - side]
            nodes = network.segments[moving, end]
            sizes = offsets[nodes + 1] - offsets[nodes]
            origin = np.repeat(np.arange(len(rows)), sizes)
            within = np.arange(len(origin)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            previous = incident[np.repeat(offsets[nodes], sizes) + within]
            low, high = np.minimum(previous, staying[origin]), np.maximum(previous, staying[origin])
            wanted = low * count + high
            place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
            known = (keys[place] == wanted) & (previous != moving[origin]) if len(keys) else np.zeros(0, dtype=bool)
            before.append(place[known])
            after.append(rows[origin[known]])
            step.append(lengths[previous[known]])
    return np.concatenate(before), np.concatenate(after), np.concatenate(step)


def _incidence(network: Network) -> tuple[Ints, Ints]:
    """Segments at each node, as offsets and a flat list."""
    nodes = network.segments.ravel()
    order = np.argsort(nodes, kind="stable")
    sizes = np.bincount(nodes, minlength=len(network.positions))
    return np.concatenate([[0], np.cumsum(sizes)]), order // 2
