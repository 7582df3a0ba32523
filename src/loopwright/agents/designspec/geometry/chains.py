"""Chains: a network taken apart into runs of segments that can be swept in one piece.

Few long pieces instead of one piece for each segment make the union of a network several times faster, since its
cost lies in the booleans. The shape stays that of balls rolled along the segments.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from loopwright.agents.designspec.network.network import Floats, Ints, Network
from loopwright.agents.designspec.network.proximity import Rods, near_pairs, rods_of, surface_gaps

SHARPEST_BEND = math.cos(math.radians(95))
"""Cosine of the bend up to which two segments are swept together."""
SMALLEST_RATIO = 0.4
"""How much thinner the next segment of a chain may be."""
SHARE_OF_LENGTH = 0.95
"""How much of a segment its two joints may take up; more would fold the surface over itself."""
WIDER = 1.03
"""Radii within which a chain may not come back to itself; its polygons stand out a little."""
SHORTEST = 1e-9
"""Segments shorter than this, in metres, have no direction; their nodes are taken for one."""


@dataclass(frozen=True)
class Chain:
    """A run of segments from node to node.

    `nodes` is (k + 1,), `radii` is (k, 2) in the order of travel. `leads` says for the start and for the end whether
    the thickest tube of that node ends here; the others end inside its ball.
    """

    nodes: Ints
    radii: Floats
    leads: tuple[bool, bool]


@dataclass(frozen=True)
class _Ends:
    """The 2m ends of m segments: end 2i is the start of segment i, end 2i + 1 its end."""

    node: Ints
    radius: Floats
    inward: Floats
    length: Floats


def joint_reach(thick: float, thin: float, cosine: float) -> float:
    """How far a joint reaches along its segments, in metres; `cosine` is that of the bend."""
    crease = thick * math.sqrt(max(0.0, 1.0 - cosine) / (1.0 + cosine))
    return max(crease, math.sqrt(max(0.0, thick * thick - thin * thin)))


def chains_of(network: Network) -> list[Chain]:
    """Take the network apart; every segment lies in exactly one chain. The order depends on the network alone."""
    node, kept = _contracted(network)
    if not len(kept):
        return []
    ends = _ends_of(network, node, kept)
    order = np.lexsort((np.arange(len(ends.node)), -ends.radius, ends.node))
    groups = np.split(order, np.flatnonzero(np.diff(ends.node[order])) + 1)
    partner = np.full(len(ends.node), -1, dtype=np.int64)
    lead = np.zeros(len(ends.node), dtype=bool)
    for group in groups:
        lead[group[0]] = True
        other = _continuation(ends, group)
        if other >= 0:
            partner[group[0]], partner[other] = other, group[0]
    _give_room(ends, partner)
    runs = _parted(_walk(ends, partner), ends, rods_of(network).take(kept))
    return [_chain(run, ends, lead) for run in runs]


def _contracted(network: Network) -> tuple[Ints, Ints]:
    """The node that stands for each node once segments without length are gone, and the segments that stay."""
    count = len(network.positions)
    short = network.lengths < SHORTEST
    first, second = network.segments[short].T
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
    _, label = connected_components(graph, directed=False)
    _, representative = np.unique(label, return_index=True)
    return np.asarray(representative[label], dtype=np.int64), np.flatnonzero(~short)


def _ends_of(network: Network, node: Ints, kept: Ints) -> _Ends:
    nodes = node[network.segments[kept]]
    along = network.positions[nodes[:, 1]] - network.positions[nodes[:, 0]]
    lengths = np.linalg.norm(along, axis=1)
    unit = along / lengths[:, None]
    return _Ends(
        node=nodes.reshape(-1),
        radius=network.radii[kept].reshape(-1),
        inward=np.stack([unit, -unit], axis=1).reshape(-1, 3),
        length=np.repeat(lengths, 2),
    )


def _continuation(ends: _Ends, group: Ints) -> int:
    """Which end goes on from the thickest one of a node, or −1: the thickest that bends little enough."""
    lead = group[0]
    best, best_rank = -1, (0.0, 0.0)
    for other in group[1:]:
        cosine = float(-ends.inward[lead] @ ends.inward[other])
        ratio = float(ends.radius[other] / ends.radius[lead])
        if cosine < SHARPEST_BEND or ratio < SMALLEST_RATIO:
            continue
        reach = joint_reach(float(ends.radius[lead]), float(ends.radius[other]), cosine)
        if reach > SHARE_OF_LENGTH * min(ends.length[lead], ends.length[other]):
            continue
        rank = (round(ratio, 6), cosine)
        if best < 0 or rank > best_rank:
            best, best_rank = int(other), rank
    return best


def _give_room(ends: _Ends, partner: Ints) -> None:
    """Part the wider joint of every segment whose two joints do not fit into its length."""
    reach = np.zeros(len(partner))
    for end in np.flatnonzero(partner >= 0):
        other = partner[end]
        radii = sorted((float(ends.radius[end]), float(ends.radius[other])))
        reach[end] = joint_reach(radii[1], radii[0], float(-ends.inward[end] @ ends.inward[other]))
    for start in range(0, len(partner), 2):
        if reach[start] + reach[start + 1] <= SHARE_OF_LENGTH * ends.length[start]:
            continue
        wider = start if reach[start] >= reach[start + 1] else start + 1
        other = partner[wider]
        partner[[wider, other]] = -1
        reach[[wider, other]] = 0.0


def _walk(ends: _Ends, partner: Ints) -> list[list[int]]:
    """The runs of segments: for each segment in turn the end at which it is entered."""
    used = np.zeros(len(partner) // 2, dtype=bool)
    loose = np.flatnonzero(partner < 0)
    runs = []
    for first in [*loose.tolist(), *range(len(partner))]:
        if used[first // 2]:
            continue
        if partner[first] >= 0:  # a ring without any end is cut open here
            partner[partner[first]], partner[first] = -1, -1
        run = [first]
        used[first // 2] = True
        while (following := int(partner[run[-1] ^ 1])) >= 0:
            run.append(following)
            used[following // 2] = True
        runs.append(run)
    return runs


def _parted(runs: list[list[int]], ends: _Ends, rods: Rods) -> list[list[int]]:
    """The runs, parted where one comes back to itself.

    One surface cannot be united with itself, but two can. Neighbours overlap at their joint, and so do segments less
    than a half turn of the tube apart; `joint_reach` sees to it that these do not fold.
    """
    order = np.array([end // 2 for run in runs for end in run])
    owner = np.repeat(np.arange(len(runs)), [len(run) for run in runs])
    entered = np.array([end for run in runs for end in run])
    travelled = np.cumsum(ends.length[entered])
    wide = Rods(rods.starts[order], rods.ends[order], WIDER * rods.radii[order])
    pairs = near_pairs(wide, None, 0.0)
    pairs = pairs[(owner[pairs[:, 0]] == owner[pairs[:, 1]]) & (pairs[:, 1] - pairs[:, 0] > 1)]
    if not len(pairs):
        return runs
    first, second = wide.take(pairs[:, 0]), wide.take(pairs[:, 1])
    apart = travelled[pairs[:, 1] - 1] - travelled[pairs[:, 0]]
    far = apart > math.pi * np.maximum(first.thickest, second.thickest)
    nodes = np.stack([ends.node[entered], ends.node[entered ^ 1]], axis=1)
    meets = (nodes[pairs[:, 0]][:, :, None] == nodes[pairs[:, 1]][:, None, :]).any(axis=(1, 2))
    pairs = pairs[meets | (far & (surface_gaps(first, second)[0] < 0))]
    cuts: set[int] = set()
    last = -1
    for one, two in sorted(map(tuple, pairs.tolist()), key=lambda pair: pair[1]):
        if last <= one:  # no cut lies between the two yet
            cuts.add(last := two)
    starts = np.concatenate([[0], np.cumsum([len(run) for run in runs])])
    return [
        part.tolist()
        for i in range(len(runs))
        for part in np.split(entered[starts[i] : starts[i + 1]], [c - starts[i] for c in sorted(cuts) if owner[c] == i])
    ]


def _chain(run: list[int], ends: _Ends, lead: NDArray[np.bool_]) -> Chain:
    entered = np.array(run)
    nodes = np.concatenate([ends.node[entered], ends.node[entered[-1:] ^ 1]])
    radii = np.stack([ends.radius[entered], ends.radius[entered ^ 1]], axis=1)
    return Chain(nodes, radii, (bool(lead[run[0]]), bool(lead[run[-1] ^ 1])))
