"""From a network's ports to its ends: an order in which parents come before their children."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.network.network import Ints, Network


@dataclass(frozen=True)
class Order:
    """How a network's segments follow one another.

    `segments` (m, 2) is each segment's direction, `sequence` (m,) the segments with parents first, `generation` (m,)
    the junctions between a segment and its port, `tree` (m,) the port's node that feeds it first (−1 for none),
    `parent_count` (m,) the segments that run into its start. `incoming`, `outgoing` and `only_child` are by node.
    """

    nodes: int
    segments: Ints
    sequence: Ints
    generation: Ints
    tree: Ints
    parent_count: Ints
    incoming: Ints
    outgoing: Ints
    only_child: Ints


def orient(network: Network) -> Order:
    """Follow the segments' own directions; where these go round in a ring, the way from the nearest port counts."""
    segments = network.segments.astype(np.int64)
    sequence = _sorted(segments, len(network.positions))
    if sequence is None:
        segments = _from_ports(network)
        sequence = _sorted(segments, len(network.positions))
    if sequence is None:
        raise RuntimeError("a walk from the ports cannot go round in a ring")
    nodes = len(network.positions)
    incoming = np.bincount(segments[:, 1], minlength=nodes)
    outgoing = np.bincount(segments[:, 0], minlength=nodes)
    only_child = np.full(nodes, -1, dtype=np.int64)
    only_child[segments[:, 0]] = np.arange(len(segments))
    tree, generation = _descent(network, segments, sequence, outgoing)
    return Order(nodes, segments, sequence, generation, tree, incoming[segments[:, 0]], incoming, outgoing, only_child)


def _sorted(segments: Ints, nodes: int) -> Ints | None:
    """Parents first (Kahn 1962); None where a ring forbids it."""
    outgoing: list[list[int]] = [[] for _ in range(nodes)]
    waiting_for = [0] * nodes
    pairs: list[list[int]] = segments.tolist()
    for segment, (start, stop) in enumerate(pairs):
        outgoing[start].append(segment)
        waiting_for[stop] += 1
    ready = deque(node for node in range(nodes) if waiting_for[node] == 0)
    sequence: list[int] = []
    while ready:
        for segment in outgoing[ready.popleft()]:
            sequence.append(segment)
            stop = pairs[segment][1]
            waiting_for[stop] -= 1
            if waiting_for[stop] == 0:
                ready.append(stop)
    return np.asarray(sequence, dtype=np.int64) if len(sequence) == len(segments) else None


def _from_ports(network: Network) -> Ints:
    """Every segment pointing from the node that is reached earlier, walking from the ports outwards."""
    touching: list[list[int]] = [[] for _ in range(len(network.positions))]
    pairs: list[list[int]] = network.segments.tolist()
    for start, stop in pairs:
        touching[start].append(stop)
        touching[stop].append(start)
    rank = [-1] * len(touching)
    place = 0
    for seeds in (sorted(network.ports.values()), *([node] for node in range(len(touching)))):
        waiting = deque(seeds)
        while waiting:
            node = waiting.popleft()
            if rank[node] < 0:
                rank[node], place = place, place + 1
                waiting.extend(other for other in touching[node] if rank[other] < 0)
    ranks = np.asarray(rank)[network.segments]
    return np.where((ranks[:, 0] <= ranks[:, 1])[:, None], network.segments, network.segments[:, ::-1])


def _descent(network: Network, segments: Ints, sequence: Ints, outgoing: Ints) -> tuple[Ints, Ints]:
    tree_of = np.full(len(network.positions), -1, dtype=np.int64)
    ports = list(network.ports.values())
    tree_of[ports] = ports
    depth = np.zeros(len(network.positions), dtype=np.int64)
    tree, generation = np.full(len(segments), -1, dtype=np.int64), np.zeros(len(segments), dtype=np.int64)
    for segment in sequence:
        start, stop = segments[segment]
        tree[segment], generation[segment] = tree_of[start], depth[start]
        if tree_of[stop] < 0:
            tree_of[stop] = tree_of[start]
            depth[stop] = depth[start] + (outgoing[stop] > 1)
    return tree, generation
