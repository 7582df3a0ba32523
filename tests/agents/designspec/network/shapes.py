"""Small networks for tests."""

import numpy as np

from loopwright.agents.designspec.network import Network
from loopwright.agents.designspec.network.collision_repair import name_nodes


def network(positions, segments, radius=0.0001, ports=None):
    """A network with one radius for all, or one for each segment."""
    segments = np.asarray(segments, dtype=np.int64).reshape(-1, 2)
    radii = np.broadcast_to(np.asarray(radius, dtype=float).reshape(-1, 1), (len(segments), 2)).copy()
    kinds = ["junction"] * len(positions)
    ports = {"in": 0} if ports is None else ports
    for name, node in ports.items():
        kinds[node] = "outlet" if name.startswith("out") else "inlet"
    return name_nodes(
        Network(np.asarray(positions, float), segments, radii, tuple(kinds), ("arterial",) * len(positions), ports)
    )


def binary_tree(levels, step=0.01, half_angle=0.6):
    """A flat tree that splits in two so many times; nodes grow apart, so nothing collides."""
    positions, segments = [(0.0, 0.0, 0.0), (0.0, 0.0, -step)], [(0, 1)]
    front, width = [1], step * 2.0**levels
    for level in range(levels):
        following = []
        for node in front:
            for side in (-1, 1):
                x, y, z = positions[node]
                segments.append((node, len(positions)))
                following.append(len(positions))
                positions.append((x + side * width / 2 ** (level + 1), y, z - step))
        front = following
    return network(positions, segments)


def side_by_side(one: Network, other: Network) -> Network:
    """Two networks as one."""
    shift = len(one.positions)
    return Network(
        np.concatenate([one.positions, other.positions]),
        np.concatenate([one.segments, other.segments + shift]),
        np.concatenate([one.radii, other.radii]),
        one.node_types + other.node_types,
        one.vessel_types + other.vessel_types,
        one.ports | {name: node + shift for name, node in other.ports.items()},
    )
