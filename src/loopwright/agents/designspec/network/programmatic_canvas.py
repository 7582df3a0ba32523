"""What a program has laid out so far: places with names, and the channels between them."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from loopwright.agents.designspec.network.collisions import find_collisions
from loopwright.agents.designspec.network.network import Floats, Network, NodeType
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.proximity import Rods, rods_of
from loopwright.agents.designspec.network.surgery import name_nodes
from loopwright.kernel.errors import InvalidInput

MOST_NODES = 100_000


@dataclass
class Place:
    """A node with a name: its radius, and where the channel that made it was headed (None: nowhere yet)."""

    node: int
    radius: float
    heading: Floats | None
    opening: Opening | None = None


@dataclass
class Canvas:
    """Nodes and segments in the order in which the steps drew them; `drawn_by` is each segment's step."""

    positions: list[Floats] = field(default_factory=list)
    kinds: list[NodeType] = field(default_factory=list)
    vessels: list[str] = field(default_factory=list)
    segments: list[tuple[int, int]] = field(default_factory=list)
    radii: list[tuple[float, float]] = field(default_factory=list)
    drawn_by: list[int] = field(default_factory=list)
    made_by: list[int] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)

    def node(self, position: Floats, vessel: str, step: int, kind: NodeType = "junction") -> int:
        """A new node."""
        if len(self.positions) >= MOST_NODES:
            raise InvalidInput(f"the program makes more than {MOST_NODES} nodes")
        self.positions.append(np.asarray(position, dtype=np.float64))
        self.kinds.append(kind)
        self.vessels.append(vessel)
        self.made_by.append(step)
        return len(self.positions) - 1

    def channel(self, path: Floats, first: int, last: int | None, radii: tuple[float, float], step: int) -> int:
        """Segments along a path (k, 3) that begins at a node and ends at another or a new one; gives the last node.

        The radius goes evenly from the first to the second along the way.
        """
        ways = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        width = radii[0] + (radii[1] - radii[0]) * ways / max(float(ways[-1]), 1e-30)
        nodes = [first, *(self.node(point, self.vessels[first], step) for point in path[1:-1])]
        nodes.append(self.node(path[-1], self.vessels[first], step) if last is None else last)
        for (here, there), (one, other) in zip(pairwise(nodes), pairwise(width), strict=True):
            self.segments.append((here, there))
            self.radii.append((float(one), float(other)))
            self.drawn_by.append(step)
        return nodes[-1]

    def network(self) -> Network:
        """All of it."""
        return name_nodes(
            Network(
                np.asarray(self.positions).reshape(-1, 3),
                np.asarray(self.segments, dtype=np.int64).reshape(-1, 2),
                np.asarray(self.radii, dtype=np.float64).reshape(-1, 2),
                tuple(self.kinds),
                tuple(self.vessels),
                {place.opening.name: place.node for place in self.places.values() if place.opening is not None},
            )
        )

    def rods_away_from(self, nodes: list[int], reach: float) -> Rods:
        """The channels but for those that lead to one of the nodes within the reach along the channels."""
        network = self.network()
        touching: dict[int, list[int]] = {}
        for number, pair in enumerate(self.segments):
            for node in pair:
                touching.setdefault(node, []).append(number)
        lengths = network.lengths
        near: set[int] = set()
        waiting = [(0.0, node) for node in nodes]
        best: dict[int, float] = {}
        while waiting:
            way, node = waiting.pop()
            if way > reach or way >= best.get(node, np.inf):
                continue
            best[node] = way
            for number in touching.get(node, ()):
                near.add(number)
                first, second = self.segments[number]
                waiting.append((way + float(lengths[number]), second if node == first else first))
        return rods_of(network).take(np.array([number not in near for number in range(len(self.segments))], dtype=bool))

    def short_circuits(self) -> list[tuple[int, int, tuple[float, float, float]]]:
        """Channels that run into each other without a node: the two steps, the later one last, and where."""
        found = []
        for hit in find_collisions(self.network(), 0.0):
            steps = sorted((self.drawn_by[hit.first], self.drawn_by[hit.second]))
            found.append((steps[0], steps[1], hit.place))
        return found
