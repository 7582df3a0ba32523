"""From a network's ports to its ends: an order in which parents come before their children."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

# --------------------------------------------------------------------------------------------------------------------
# A network of channels: nodes in space, segments between them, a radius at each end of a segment.
# --------------------------------------------------------------------------------------------------------------------

NodeType = Literal["inlet", "outlet", "junction", "terminal"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Network:
    """A graph in space, in metres.

    `positions` is (n, 3). `segments` is (m, 2) with node numbers, the first nearer to its root. `radii` is (m, 2): at
    the segment's start and end. `node_types` and `vessel_types` have n entries; `ports` gives the node of each port by
    the port's name. Neighbouring segments share a node; segments that share none must keep their clearance.
    """

    positions: Floats
    segments: Ints
    radii: Floats
    node_types: tuple[NodeType, ...]
    vessel_types: tuple[str, ...]
    ports: Mapping[str, int] = field(default_factory=dict)

    @property
    def starts(self) -> Floats:
        """(m, 3): where the segments begin."""
        return np.asarray(self.positions[self.segments[:, 0]])

    @property
    def ends(self) -> Floats:
        """(m, 3): where they end."""
        return np.asarray(self.positions[self.segments[:, 1]])

    @property
    def lengths(self) -> Floats:
        """(m,): their lengths."""
        return np.asarray(np.linalg.norm(self.ends - self.starts, axis=1))


# --------------------------------------------------------------------------------------------------------------------
# What growth asks of a domain; `geometry/` answers it.
# --------------------------------------------------------------------------------------------------------------------

Progress = Callable[[float, str], None]
"""Told the share done (0 to 1) and what is being done; may raise to stop the work."""


def silent(share: float, message: str) -> None:
    """Progress that nobody watches."""


class DomainProbe(Protocol):
    """Asks a body about points, in metres."""

    @property
    def bounds(self) -> Floats:
        """(2, 3): the lowest and the highest corner."""
        ...

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether each of the (n, 3) points lies inside or on the boundary."""
        ...

    def depth(self, points: Floats) -> Floats:
        """(n,): distance of each point to the boundary, positive inside, negative outside."""
        ...

    def sample(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 3): points spread evenly over the volume."""
        ...


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
