"""Room for new segments: inside the domain, and clear of what has grown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.agents.designspec.network.proximity import Rods, near_pairs, surface_gaps
from loopwright.agents.designspec.network.space_colonization_nodes import ColonyNodes

CROTCH = 3.0
"""How far along the tree two segments may still touch, in multiples of their centre lines' required distance.

Branches of equal radius that part at 40° leave each other's clearance after 2.9 times that distance. The collision
check allows 4; growth is stricter, so that moving a node a little when chains are straightened does no harm.
"""
NARROWEST_FORK_DEG = 40.0
"""Branches that evade an obstacle may come this near to their twin, not nearer."""


@dataclass(frozen=True)
class Room:
    """Which of the proposed segments (k,) have room; `escape` (k, 3) points out of what stands in the others' way."""

    free: NDArray[np.bool_]
    escape: Floats


def room_for(
    nodes: ColonyNodes,
    parents: Ints,
    ends: Floats,
    radii: Floats,
    probe: DomainProbe,
    clearance: float,
    rank: Ints,
    obstacles: Rods,
) -> Room:
    """Check proposed segments against the walls, the nodes that are there, and each other.

    Args:
        nodes: what has grown.
        parents: (k,), where the segments begin.
        ends: (k, 3), where they end.
        radii: (k,), how thick they will be.
        probe: the domain.
        clearance: between surfaces, in metres.
        rank: (k,): of two proposals in each other's way the one with the lower rank is built.
        obstacles: what the network must keep clear of besides.
    """
    free = np.ones(len(parents), dtype=bool)
    escape = np.zeros((len(parents), 3))
    starts = nodes.positions[parents]
    wanted = radii + clearance
    # a 1-Lipschitz depth at the end and in the middle answers for the whole of a short segment
    depth = np.minimum(probe.depth(ends), probe.depth((starts + ends) / 2))
    walled = depth < wanted
    if walled.any():
        free[walled] = False
        escape[walled] += depth_gradient(probe, ends[walled], clearance + float(radii.min()))
    rods = Rods(starts, ends, np.stack([radii, radii], axis=1))
    for solid in _blocking(nodes, rods, parents, clearance, obstacles):
        rows, way = solid
        free[rows] = False
        np.add.at(escape, rows, way)
    _settle(nodes, rods, parents, clearance, rank, free)
    return Room(free, escape)


def depth_gradient(probe: DomainProbe, points: Floats, reach: float) -> Floats:
    """(n, 3): the directions in which it gets deeper, by central differences over the reach."""
    offsets = np.concatenate([np.eye(3), -np.eye(3)]) * reach / 4
    depth = probe.depth((points[:, None, :] + offsets[None]).reshape(-1, 3)).reshape(len(points), 6)
    slope = depth[:, :3] - depth[:, 3:]
    return np.asarray(slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-30))


def _blocking(
    nodes: ColonyNodes, rods: Rods, parents: Ints, clearance: float, obstacles: Rods
) -> list[tuple[Ints, Floats]]:
    """The proposals that come too near to something, and the way out, for the grown and for other obstacles."""
    found = []
    grown = np.flatnonzero(nodes.parent[nodes.live] >= 0)
    if len(grown):
        others = nodes.rods(grown)
        pairs = near_pairs(rods, others, clearance)
        segments = grown[pairs[:, 1]]
        mine = parents[pairs[:, 0]]
        twins = nodes.parent[segments] == mine
        narrow = twins & ~_forking(rods.take(pairs[:, 0]), others.take(pairs[:, 1]))
        found.append((pairs[narrow, 0], np.zeros((int(narrow.sum()), 3))))
        apart = (segments != mine) & ~twins
        pairs, segments, mine = pairs[apart], segments[apart], mine[apart]
        gaps, way = _gaps(rods, others, pairs)
        close = gaps < clearance
        pairs, segments, mine, way = pairs[close], segments[close], mine[close], way[close]
        required = rods.radii[pairs[:, 0], 0] + nodes.reserve[segments] + clearance
        guilty = nodes.paths_to(mine, segments) > CROTCH * required
        # near a fork branches may touch, but once apart they must not come together again: that would close a ring
        guilty |= ~_parting(rods.take(pairs[:, 0]), nodes.rods(segments))
        found.append((pairs[guilty, 0], way[guilty]))
    if len(obstacles):
        pairs = near_pairs(rods, obstacles, clearance)
        gaps, way = _gaps(rods, obstacles, pairs)
        close = gaps < clearance
        found.append((pairs[close, 0], way[close]))
    return found


def _gaps(rods: Rods, others: Rods, pairs: Ints) -> tuple[Floats, Floats]:
    """Gaps between paired rods, and unit vectors from the nearest point of the other to that of the first."""
    first, second = rods.take(pairs[:, 0]), others.take(pairs[:, 1])
    gaps, s, t = surface_gaps(first, second)
    way = first.starts + (first.ends - first.starts) * s[:, None]
    way = way - second.starts - (second.ends - second.starts) * t[:, None]
    return gaps, way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-30)


def _forking(rods: Rods, others: Rods) -> NDArray[np.bool_]:
    """Whether rods that begin together part at no less than the narrowest fork."""
    one, other = rods.ends - rods.starts, others.ends - others.starts
    scale = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray((one * other).sum(axis=1) <= np.cos(np.radians(NARROWEST_FORK_DEG)) * scale)


def _parting(rods: Rods, others: Rods) -> NDArray[np.bool_]:
    """Whether each rod ends no nearer to the other one than it begins."""
    along = others.ends - others.starts
    square = np.maximum((along * along).sum(axis=1), 1e-30)
    apart = []
    for points in (rods.starts, rods.ends):
        share = np.clip(((points - others.starts) * along).sum(axis=1) / square, 0.0, 1.0)
        apart.append(np.linalg.norm(points - others.starts - share[:, None] * along, axis=1))
    return np.asarray(apart[1] >= apart[0])


def _settle(
    nodes: ColonyNodes, rods: Rods, parents: Ints, clearance: float, rank: Ints, free: NDArray[np.bool_]
) -> None:
    """Of proposals in each other's way only the first by rank stays free."""
    rows = np.flatnonzero(free)
    pairs = rows[near_pairs(rods.take(rows), None, clearance)]
    if not len(pairs):
        return
    gaps, _ = _gaps(rods, rods, pairs)
    pairs = pairs[gaps < clearance]
    left, right = rods.take(pairs[:, 0]), rods.take(pairs[:, 1])
    twins = parents[pairs[:, 0]] == parents[pairs[:, 1]]
    fine = np.where(twins, _forking(left, right), _parting(left, right) & _parting(right, left))
    one, other = parents[pairs[:, 0]], parents[pairs[:, 1]]
    required = rods.radii[pairs[:, 0], 0] + rods.radii[pairs[:, 1], 0] + clearance
    way = np.full(len(pairs), np.inf)
    grown = nodes.parent[other] >= 0
    way[grown] = nodes.paths_to(one[grown], other[grown])
    guilty = ~fine | (~twins & (way > CROTCH * required))
    pairs = np.where((rank[pairs[:, 0]] <= rank[pairs[:, 1]])[:, None], pairs, pairs[:, ::-1])[guilty]
    order = np.lexsort((rank[pairs[:, 1]], rank[pairs[:, 0]]))
    for first, second in _in_turn(pairs[order]):
        if free[first]:
            free[second] = False


def _in_turn(pairs: Ints) -> Sequence[tuple[int, int]]:
    return [(int(first), int(second)) for first, second in pairs]
