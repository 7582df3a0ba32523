"""Joining trees: arteries with veins, or trees that meet, end to end where the way between is free."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.policies import PathfindingPolicy
from loopwright.agents.designspec.network import DomainProbe, Floats, Ints, Network, NodeType, Opening
from loopwright.agents.designspec.network.collision_repair import component_labels, name_nodes
from loopwright.agents.designspec.network.pathfinding import find_route
from loopwright.agents.designspec.network.proximity import Rods, find_collisions, near_pairs, rods_of, surface_gaps

# Bridges: routes that join arterial and venous trees whose ends do not lie face to face.

TRIES = 6
"""So many pairs of ends are tried for each bridge, the nearest first."""
OWN_BRANCH = 4.0
"""A bridge may come near its own branches over so many times their required distance."""


def bridge_trees(network: Network, openings: Sequence[Opening], probe: DomainProbe, clearance: float) -> Network:
    """Lead routes between trees until inlets and outlets are one system, as far as there are ways.

    Args:
        network: trees with radii.
        openings: the openings; nothing is done unless there are inlets and outlets.
        probe: the domain.
        clearance: in metres.
    """
    if len({opening.outlet for opening in openings}) < 2:
        return network
    for _ in range(len(openings)):
        bridged = _bridged(network, probe, clearance)
        if bridged is None:
            break
        network = bridged
    return network


def _bridged(network: Network, probe: DomainProbe, clearance: float) -> Network | None:
    """The network with one more bridge; None where none is needed or none is possible."""
    _, label = component_labels(network)
    if len({int(label[node]) for node in network.ports.values()}) < 2:
        return None
    before = len(find_collisions(network, clearance))
    for first, second in _pairs(network, label):
        radius = min(_radius_at(network, first), _radius_at(network, second))
        reach = OWN_BRANCH * (2 * radius + clearance)
        near = _within(network, (first, second), reach)
        obstacles = rods_of(network).take(~near)
        start, end = network.positions[first], network.positions[second]
        path = find_route(start, end, probe, clearance, obstacles, PathfindingPolicy(), radius=radius)
        if path is None:
            continue
        bridged = _with_path(network, path, first, second, radius)
        if len(find_collisions(bridged, clearance)) <= before:
            return bridged
    return None


def _pairs(network: Network, label: Ints) -> list[tuple[int, int]]:
    """Ends of different systems, the nearest first; where a system has no free end, its last nodes serve."""
    terminal = np.array([kind == "terminal" for kind in network.node_types])
    ports = np.zeros(len(terminal), dtype=bool)
    ports[list(network.ports.values())] = True
    joined = {int(label[node]) for node in network.ports.values()}
    found: list[tuple[float, int, int]] = []
    ends = {number: _ends(np.flatnonzero(label == number), terminal, ports) for number in sorted(joined)}
    for number, mine in ends.items():
        others = np.concatenate([theirs for other, theirs in ends.items() if other > number] or [mine[:0]])
        if not len(mine) or not len(others):
            continue
        count = min(TRIES, len(others))
        distance, which = cKDTree(network.positions[others]).query(network.positions[mine], k=count)
        distance, which = distance.reshape(len(mine), count), which.reshape(len(mine), count)
        rows, ranks = np.nonzero(np.isfinite(distance))
        found += [
            (float(distance[row, rank]), int(mine[row]), int(others[which[row, rank]]))
            for row, rank in zip(rows, ranks, strict=True)
        ]
    return [(first, second) for _, first, second in sorted(found)[:TRIES]]


def _ends(nodes: Ints, terminal: NDArray[np.bool_], ports: NDArray[np.bool_]) -> Ints:
    free = nodes[terminal[nodes]]
    return np.asarray(free if len(free) else nodes[~ports[nodes]])


def _radius_at(network: Network, node: int) -> float:
    here = np.concatenate([network.radii[network.segments[:, end] == node, end] for end in (0, 1)])
    return float(here.min())


def _within(network: Network, nodes: tuple[int, int], reach: float) -> NDArray[np.bool_]:
    """(m,): the segments within the reach of the nodes along the network."""
    apart = np.full(len(network.positions), np.inf)
    apart[list(nodes)] = 0.0
    one, other, lengths = network.segments[:, 0], network.segments[:, 1], network.lengths
    while True:
        nearer = apart.copy()
        np.minimum.at(nearer, other, apart[one] + lengths)
        np.minimum.at(nearer, one, apart[other] + lengths)
        nearer[nearer > reach] = np.inf
        if np.array_equal(nearer, apart):
            return np.asarray(np.isfinite(apart[one]) | np.isfinite(apart[other]))
        apart = nearer


def _with_path(network: Network, path: Floats, first: int, second: int, radius: float) -> Network:
    count = len(network.positions)
    nodes = np.array([first, *range(count, count + len(path) - 2), second], dtype=np.int64)
    inner = len(path) - 2
    joints: list[NodeType] = ["junction"] * inner
    return name_nodes(
        Network(
            np.concatenate([network.positions, path[1:-1]]),
            np.concatenate([network.segments, np.stack([nodes[:-1], nodes[1:]], axis=1)]),
            np.concatenate([network.radii, np.full((len(nodes) - 1, 2), radius)]),
            (*network.node_types, *joints),
            (*network.vessel_types, *(network.vessel_types[first],) * inner),
            network.ports,
        )
    )


PARTNERS = 12
"""So many of the nearest ends are looked at for each end."""
SHARPEST_BEND_COSINE = -0.35
"""A joint that would fold back along its own branch is none."""
CROTCH = 3.0
"""A joint may touch the last stretch of its own branches, over so many times their required distance."""
WALL_SAMPLES = 5


def join_trees(
    network: Network,
    openings: Sequence[Opening],
    probe: DomainProbe,
    clearance: float,
    reach: float,
    *,
    rings: bool,
) -> Network:
    """Join the free ends of arterial and of venous trees, nearest first; each end once.

    What is not one system after that is joined by routes around what is in the way, where there are any.

    Args:
        network: trees with radii; the ports' nodes are their roots.
        openings: the openings; an outlet's tree is venous. Without outlets all trees join each other.
        probe: the domain.
        clearance: what joints keep from other branches and from the wall, in metres.
        reach: how long a joint may be, in metres.
        rings: whether two trees may be joined more than once, which closes rings.
    """
    _, label = component_labels(network)
    ends = np.flatnonzero([kind == "terminal" for kind in network.node_types])
    outlets = sorted({int(label[network.ports[opening.name]]) for opening in openings if opening.outlet})
    side = np.isin(label, outlets) if outlets else label
    incoming = np.full(len(network.positions), -1, dtype=np.int64)
    incoming[network.segments[:, 1]] = np.arange(len(network.segments))
    pairs = _candidates(network.positions, ends, side, reach)
    pairs = pairs[_bend_gently(network, pairs, incoming)]
    pairs = pairs[_have_space(network, pairs, incoming, probe, clearance)]
    chosen = _chosen(network, pairs, incoming, label, clearance, rings)
    return bridge_trees(_joined(network, chosen, incoming), openings, probe, clearance)


def _candidates(positions: Floats, ends: Ints, side: Ints | NDArray[np.bool_], reach: float) -> Ints:
    """(k, 2): ends of different sides within reach, the nearest first; the first of each pair has the lower side."""
    found = [np.zeros((0, 2), dtype=np.int64)]
    for value in np.unique(side[ends]):
        mine, others = ends[side[ends] == value], ends[side[ends] > value]
        if not len(others):
            continue
        count = min(PARTNERS, len(others))
        distance, which = cKDTree(positions[others]).query(positions[mine], k=count, distance_upper_bound=reach)
        distance, which = distance.reshape(len(mine), count), which.reshape(len(mine), count)
        rows, ranks = np.nonzero(np.isfinite(distance))
        found.append(np.stack([mine[rows], others[which[rows, ranks]]], axis=1))
    pairs = np.concatenate(found)
    length = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0], length))]


def _bend_gently(network: Network, pairs: Ints, incoming: Ints) -> NDArray[np.bool_]:
    way = network.positions[pairs[:, 1]] - network.positions[pairs[:, 0]]
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-30)
    along = network.ends - network.starts
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-30)
    leaving = np.einsum("ij,ij->i", along[incoming[pairs[:, 0]]], way)
    arriving = -np.einsum("ij,ij->i", along[incoming[pairs[:, 1]]], way)
    return np.asarray((leaving >= SHARPEST_BEND_COSINE) & (arriving >= SHARPEST_BEND_COSINE))


def _joints(network: Network, pairs: Ints, incoming: Ints) -> Rods:
    radius = np.minimum(network.radii[incoming[pairs[:, 0]], 1], network.radii[incoming[pairs[:, 1]], 1])
    return Rods(network.positions[pairs[:, 0]], network.positions[pairs[:, 1]], np.stack([radius, radius], axis=1))


def _have_space(
    network: Network, pairs: Ints, incoming: Ints, probe: DomainProbe, clearance: float
) -> NDArray[np.bool_]:
    """Which joints keep clear of the wall and of all but the last stretches of the branches that they join."""
    joints = _joints(network, pairs, incoming)
    free = np.ones(len(pairs), dtype=bool)
    if not len(pairs):
        return free
    shares = np.linspace(0.0, 1.0, WALL_SAMPLES)[None, :, None]
    along = joints.starts[:, None] + shares * (joints.ends - joints.starts)[:, None]
    depth = probe.depth(along.reshape(-1, 3)).reshape(len(pairs), -1).min(axis=1)
    free &= depth >= joints.radii[:, 0] + clearance
    rods = rods_of(network)
    near = near_pairs(joints, rods, clearance)
    gaps, _, _ = surface_gaps(joints.take(near[:, 0]), rods.take(near[:, 1]))
    for joint, segment in near[gaps < clearance]:
        if free[joint]:
            limit = CROTCH * (joints.radii[joint, 0] + rods.radii[segment].max() + clearance)
            free[joint] = any(_leads_to(network, incoming, int(end), int(segment), limit) for end in pairs[joint])
    return free


def _leads_to(network: Network, incoming: Ints, end: int, segment: int, limit: float) -> bool:
    """Whether a segment lies on the way from an end back to its root, no farther than the limit."""
    way, at = 0.0, int(incoming[end])
    while at >= 0 and way <= limit:
        if at == segment:
            return True
        start, stop = network.segments[at]
        way += float(np.linalg.norm(network.positions[start] - network.positions[stop]))
        at = int(incoming[start])
    return False


def _chosen(network: Network, pairs: Ints, incoming: Ints, label: Ints, clearance: float, rings: bool) -> Ints:
    """The joints that are made: each end once, clear of each other, and without rings where these are not wanted."""
    joints = _joints(network, pairs, incoming)
    crossing: dict[int, set[int]] = {}
    near = near_pairs(joints, None, clearance)
    gaps, _, _ = surface_gaps(joints.take(near[:, 0]), joints.take(near[:, 1]))
    for one, other in near[gaps < clearance].tolist():
        crossing.setdefault(one, set()).add(other)
        crossing.setdefault(other, set()).add(one)
    group = list(range(int(label.max(initial=-1)) + 1))
    used: set[int] = set()
    chosen: list[int] = []
    for number, (first, second) in enumerate(pairs.tolist()):
        roots = _root(group, int(label[first])), _root(group, int(label[second]))
        closes = roots[0] == roots[1]
        if {first, second} & used or (closes and not rings) or crossing.get(number, set()) & set(chosen):
            continue
        chosen.append(number)
        used |= {first, second}
        group[roots[0]] = roots[1]
    return pairs[chosen]


def _root(group: list[int], number: int) -> int:
    while group[number] != number:
        number = group[number]
    return number


def _joined(network: Network, pairs: Ints, incoming: Ints) -> Network:
    return name_nodes(
        Network(
            network.positions,
            np.concatenate([network.segments, pairs.reshape(-1, 2)]),
            np.concatenate([network.radii, _joints(network, pairs, incoming).radii]),
            network.node_types,
            network.vessel_types,
            network.ports,
        )
    )
