"""Cutting pieces off networks and putting networks together, without loose ends left over."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network.facts import component_labels
from loopwright.agents.designspec.network.network import Ints, Network, NodeType


def empty_network() -> Network:
    """A network of nothing."""
    return Network(np.zeros((0, 3)), np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2)), (), (), {})


def keep_segments(network: Network, kept: NDArray[np.bool_]) -> Network:
    """These segments (m,) only, and the nodes that they or ports need; what has lost its children is a terminal."""
    segments = network.segments[kept]
    used = np.zeros(len(network.positions), dtype=bool)
    used[segments.ravel()] = True
    used[list(network.ports.values())] = True
    number = np.cumsum(used) - 1
    rows = np.flatnonzero(used)
    result = Network(
        network.positions[rows],
        number[segments],
        network.radii[kept],
        tuple(network.node_types[row] for row in rows),
        tuple(network.vessel_types[row] for row in rows),
        {name: int(number[node]) for name, node in network.ports.items()},
    )
    return name_nodes(result)


def name_nodes(network: Network) -> Network:
    """The same network with node types after its shape: ports keep theirs, ends are terminals, all else junctions."""
    degree = np.bincount(network.segments.ravel(), minlength=len(network.positions))
    ports = set(network.ports.values())
    kinds: list[NodeType] = []
    for node, kind in enumerate(network.node_types):
        if node in ports:
            kinds.append(kind)
        else:
            kinds.append("terminal" if degree[node] <= 1 else "junction")
    return Network(
        network.positions, network.segments, network.radii, tuple(kinds), network.vessel_types, network.ports
    )


def unite_networks(networks: Sequence[Network]) -> Network:
    """Networks side by side as one; later ports win where names repeat."""
    if not networks:
        return empty_network()
    shifts = np.cumsum([0, *(len(network.positions) for network in networks)])
    ports: dict[str, int] = {}
    for network, shift in zip(networks, shifts, strict=False):
        ports.update({name: node + int(shift) for name, node in network.ports.items()})
    return Network(
        np.concatenate([network.positions for network in networks]),
        np.concatenate([network.segments + shift for network, shift in zip(networks, shifts, strict=False)]),
        np.concatenate([network.radii for network in networks]),
        tuple(kind for network in networks for kind in network.node_types),
        tuple(kind for network in networks for kind in network.vessel_types),
        ports,
    )


def downstream(network: Network, roots: Ints) -> NDArray[np.bool_]:
    """(m,): the segments that can be reached from these segments (k,) along the segments' own direction, and they."""
    outgoing: dict[int, list[int]] = {}
    for segment, node in enumerate(network.segments[:, 0].tolist()):
        outgoing.setdefault(node, []).append(segment)
    reached = np.zeros(len(network.segments), dtype=bool)
    waiting = [int(root) for root in roots]
    while waiting:
        segment = waiting.pop()
        if not reached[segment]:
            reached[segment] = True
            waiting.extend(outgoing.get(int(network.segments[segment, 1]), ()))
    return reached


def keep_with_ports(network: Network) -> Network:
    """Without the pieces that no port reaches."""
    _, labels = component_labels(network)
    wanted = np.unique(labels[list(network.ports.values())]) if network.ports else np.zeros(0, dtype=np.int64)
    return keep_segments(network, np.isin(labels[network.segments[:, 0]], wanted))
