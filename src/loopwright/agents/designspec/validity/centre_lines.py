"""All centre lines of a design in one table, and the parts in which they hang together."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.validity.subject import Subject


@dataclass(frozen=True)
class CentreLines:
    """The segments of all networks: m of them, over n nodes.

    `component` (m,) is the index into `components`, `number` (m,) the segment's number in its own network, `nodes`
    (m, 2) the numbers of its ends in `positions` (n, 3), `radii` (m, 2) the radii there.
    """

    components: tuple[str, ...]
    positions: Floats
    component: Ints
    number: Ints
    nodes: Ints
    radii: Floats
    node_offsets: tuple[int, ...]

    @classmethod
    def of(cls, subject: Subject) -> "CentreLines":
        """Gather the networks, sorted by component."""
        names = tuple(sorted(subject.networks))
        networks = [subject.networks[name] for name in names]
        offsets = np.cumsum([0, *(len(network.positions) for network in networks)])
        counts = [len(network.segments) for network in networks]
        return cls(
            components=names,
            positions=np.concatenate([np.zeros((0, 3)), *(network.positions for network in networks)]),
            component=np.repeat(np.arange(len(names)), counts),
            number=np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(count) for count in counts)]),
            nodes=np.concatenate(
                [np.zeros((0, 2), dtype=np.int64)]
                + [network.segments + offset for network, offset in zip(networks, offsets, strict=False)]
            ),
            radii=np.concatenate([np.zeros((0, 2)), *(network.radii for network in networks)]),
            node_offsets=tuple(int(offset) for offset in offsets),
        )

    @property
    def starts(self) -> Floats:
        """(m, 3): where the segments begin."""
        return np.asarray(self.positions[self.nodes[:, 0]])

    @property
    def ends(self) -> Floats:
        """(m, 3): where they end."""
        return np.asarray(self.positions[self.nodes[:, 1]])

    @cached_property
    def lengths(self) -> Floats:
        """(m,): their lengths."""
        return np.asarray(np.linalg.norm(self.ends - self.starts, axis=1))

    @cached_property
    def part_of_node(self) -> Ints:
        """(n,): which connected part of the graph a node belongs to."""
        first, second = self.nodes.T
        size = len(self.positions)
        links = coo_matrix((np.ones(len(first), dtype=bool), (first, second)), shape=(size, size))
        return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)

    def name(self, segment: int) -> str:
        """`net_1 segment 17`."""
        return f"{self.components[int(self.component[segment])]} segment {int(self.number[segment])}"

    def port_node(self, opening: Opening, subject: Subject) -> int | None:
        """The node at which a port's channel begins: the named one, else the nearest within its radius."""
        if opening.component_id not in self.components:
            return None
        index = self.components.index(opening.component_id)
        offset = self.node_offsets[index]
        network = subject.networks[opening.component_id]
        if opening.name in network.ports:
            return offset + network.ports[opening.name]
        if not len(network.positions):
            return None
        distances = np.linalg.norm(network.positions - np.array(opening.position), axis=1)
        nearest = int(np.argmin(distances))
        return offset + nearest if distances[nearest] <= opening.radius else None
