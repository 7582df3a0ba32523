"""What a network is, in numbers: pieces, rings, ends, lengths and radii."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from loopwright.agents.designspec.network.network import Ints, Network


@dataclass(frozen=True)
class GraphFacts:
    """Numbers about a network; lengths in metres.

    `cycle_rank` is the first Betti number b1 = segments − nodes + components: how many independent rings there are, and
    so the genus that the network's tubes must have. `ports_by_component` names the ports of each piece. `bounds` are
    those of the tubes, not of the centre lines; None without segments.
    """

    nodes: int
    segments: int
    components: int
    cycle_rank: int
    ports_by_component: tuple[tuple[str, ...], ...]
    terminals: int
    junctions: int
    total_length: float
    smallest_radius: float
    largest_radius: float
    bounds: tuple[tuple[float, float, float], tuple[float, float, float]] | None


def component_labels(network: Network) -> tuple[int, Ints]:
    """The number of connected pieces, and the piece of each node (n,), numbered by their first node."""
    count = len(network.positions)
    if not count:
        return 0, np.zeros(0, dtype=np.int64)
    ends = network.segments.reshape(-1, 2)
    graph = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    pieces, labels = connected_components(graph, directed=False)
    return int(pieces), labels.astype(np.int64)


def graph_facts(network: Network) -> GraphFacts:
    """Measure a network."""
    pieces, labels = component_labels(network)
    ports: list[list[str]] = [[] for _ in range(pieces)]
    for name, node in sorted(network.ports.items()):
        ports[int(labels[node])].append(name)
    degree = np.bincount(network.segments.ravel(), minlength=len(network.positions))
    bounds = None
    if len(network.segments):
        points = network.positions[network.segments]
        low = (points - network.radii[:, :, None]).min(axis=(0, 1)).tolist()
        high = (points + network.radii[:, :, None]).max(axis=(0, 1)).tolist()
        bounds = ((low[0], low[1], low[2]), (high[0], high[1], high[2]))
    return GraphFacts(
        nodes=len(network.positions),
        segments=len(network.segments),
        components=pieces,
        cycle_rank=len(network.segments) - len(network.positions) + pieces,
        ports_by_component=tuple(tuple(names) for names in ports),
        terminals=sum(kind == "terminal" for kind in network.node_types),
        junctions=int((degree > 2).sum()),
        total_length=float(network.lengths.sum()),
        smallest_radius=float(network.radii.min()) if len(network.segments) else 0.0,
        largest_radius=float(network.radii.max()) if len(network.segments) else 0.0,
        bounds=bounds,
    )
