"""A network of channels: nodes in space, segments between them, a radius at each end of a segment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
