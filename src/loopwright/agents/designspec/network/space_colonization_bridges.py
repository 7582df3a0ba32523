"""Bridges: routes that join arterial and venous trees whose ends do not lie face to face."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.policies.growth import PathfindingPolicy
from loopwright.agents.designspec.network.collisions import find_collisions
from loopwright.agents.designspec.network.facts import component_labels
from loopwright.agents.designspec.network.network import Floats, Ints, Network, NodeType
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.pathfinding import find_route
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.agents.designspec.network.proximity import rods_of
from loopwright.agents.designspec.network.surgery import name_nodes

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
