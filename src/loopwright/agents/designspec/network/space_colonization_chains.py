"""Out of the many small steps of growth: smooth chains of few segments."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network.network import Floats, Ints, Network, NodeType
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.space_colonization_nodes import ColonyNodes

SMOOTHING_ROUNDS = 2
BEND_SHARE = 0.2
"""How far, as a share of its radius, a channel may lie from the path that grew."""


def colony_network(nodes: ColonyNodes, openings: list[Opening], longest: float, shortest: float) -> Network:
    """The grown trees with unbranched ways straightened; radii are those that growth kept free.

    Args:
        nodes: what has grown; root number k belongs to opening number k.
        openings: the openings.
        longest: segments become no longer than this, unless one step of growth was, in metres.
        shortest: ends of trees that are shorter vanish, in metres.
    """
    keep = _without_stubs(nodes, shortest)
    children = np.bincount(nodes.parent[keep & (nodes.parent[: nodes.count] >= 0)], minlength=nodes.count)
    chains = _chains(nodes, keep, children)
    kept: list[list[int]] = []
    positions = nodes.positions[nodes.live].copy()
    for chain in chains:
        path = _smoothed(nodes.positions[chain])
        positions[chain[1:-1]] = path[1:-1]
        tolerance = BEND_SHARE * float(nodes.reserve[chain[1:]].min())
        kept.append([chain[row] for row in _thinned(path, tolerance, longest)])
    segments = np.asarray([pair for way in kept for pair in pairwise(way)], dtype=np.int64)
    segments = segments.reshape(-1, 2)
    used = np.zeros(nodes.count, dtype=bool)
    used[segments.ravel()] = True
    used[: len(openings)] = True
    number = np.cumsum(used) - 1
    rows = np.flatnonzero(used)
    reserve = nodes.reserve[segments[:, 1]]
    kinds: list[NodeType] = []
    for row in rows:
        if row < len(openings):
            kinds.append("outlet" if openings[row].outlet else "inlet")
        else:
            kinds.append("junction" if children[row] else "terminal")
    return Network(
        positions[rows],
        number[segments],
        np.stack([reserve, reserve], axis=1),
        tuple(kinds),
        tuple(openings[int(tree)].vessel_type for tree in nodes.tree[rows]),
        {opening.name: number_ for number_, opening in enumerate(openings)},
    )


def _without_stubs(nodes: ColonyNodes, shortest: float) -> NDArray[np.bool_]:
    """(n,): all nodes but those of side branches that end too soon to be of use."""
    live = nodes.live
    longest_below = np.zeros(nodes.count)
    step = np.where(nodes.parent[live] >= 0, nodes.way[live] - nodes.way[nodes.parent[live]], 0.0)
    keep = np.ones(nodes.count, dtype=bool)
    # children have higher numbers than their parents
    for node in range(nodes.count - 1, -1, -1):
        parent = nodes.parent[node]
        if parent < 0:
            continue
        reach = longest_below[node] + step[node]
        forked = nodes.children[parent] > 1
        if forked and reach < 0.99 * (shortest + nodes.reserve[parent]):
            keep[node] = False
            continue
        longest_below[parent] = max(longest_below[parent], reach)
    for node in range(nodes.count):
        if nodes.parent[node] >= 0 and not keep[nodes.parent[node]]:
            keep[node] = False
    return keep


def _chains(nodes: ColonyNodes, keep: NDArray[np.bool_], children: Ints) -> list[list[int]]:
    """Unbranched ways, as node numbers from root or junction to junction or end, in the order of their last nodes."""
    chains = []
    for node in np.flatnonzero(keep):
        if nodes.parent[node] < 0 or children[node] == 1:
            continue
        chain = [int(node)]
        while True:
            parent = int(nodes.parent[chain[-1]])
            chain.append(parent)
            if nodes.parent[parent] < 0 or children[parent] != 1:
                break
        chains.append(chain[::-1])
    return chains


def _smoothed(path: Floats) -> Floats:
    path = path.copy()
    for _ in range(SMOOTHING_ROUNDS):
        # the first step leaves the junction in the direction that growth found room in
        path[2:-1] += 0.5 * ((path[1:-2] + path[3:]) / 2 - path[2:-1])
    return path


def _thinned(path: Floats, tolerance: float, longest: float) -> list[int]:
    """The points that are needed: each segment as long as length and tolerance permit, from the start on."""
    kept, anchor, count = [0], 0, len(path)
    while anchor < count - 1:
        reach = anchor + 1
        while reach + 1 < count and _straight(path[anchor : reach + 2], tolerance, longest):
            reach += 1
        kept.append(reach)
        anchor = reach
    return kept


def _straight(path: Floats, tolerance: float, longest: float) -> bool:
    along = path[-1] - path[0]
    length = float(np.sqrt(along @ along))
    if length > longest:
        return False
    off = path[1:-1] - path[0]
    across = off - np.outer(off @ along, along) / max(length * length, 1e-30)
    return bool((across * across).sum(axis=1).max() <= tolerance * tolerance)
