"""Tubes: the void that a network of channels leaves."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from manifold3d import Error, Manifold, OpType

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.chains import Chain, chains_of
from loopwright.agents.designspec.geometry.sweep import Cap, swept
from loopwright.agents.designspec.network.network import Floats, Network
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import Progress, silent

STEEPEST_PORT = 0.7
"""Cosine of the angle between a port's direction and its tube, below which the flat end is upright on the tube."""


def void_of_network(
    network: Network,
    policies: Policies,
    *,
    caps: Literal["round", "flat"] = "round",
    progress: Progress = silent,
    openings: Sequence[Opening] = (),
    sections: int | None = None,
) -> Manifold:
    """One closed surface around all channels of the network.

    Chains of segments are swept in one piece each and united by one flat boolean. All tubes that meet at a node
    contain it, and each is star-shaped around it; so the union has no handle but the cycles of the graph, as long as
    segments that share no node keep apart.

    Args:
        network: centre lines and radii, in metres.
        policies: the sections of a round, from `mesh_synthesis` (round caps) or `channels` (flat caps).
        caps: how tubes end inside the domain; flat ones end exactly at the last point. Ports always end flat.
        progress: told before and after the union.
        openings: where given, the end at a port lies in the plane upright on the port's direction.
        sections: corners of a round, instead of the policies'.

    Raises:
        ValueError: the network has no segment, or a tube did not close, which is a defect of this program.
    """
    count = sections or (policies.channels if caps == "flat" else policies.mesh_synthesis).radial_sections
    chains = chains_of(network)
    if not chains:
        raise ValueError("the network has no segment of any length")
    ports = _port_normals(network, openings)
    degree = np.bincount(network.segments.reshape(-1), minlength=len(network.positions))
    progress(0.0, f"sweeping {len(chains)} chains")
    parts = []
    for chain in chains:
        points = network.positions[chain.nodes]
        ends = _caps_of(chain, points, caps, ports, degree)
        parts.append(swept(points, chain.radii, ends, count))
    progress(0.2, f"uniting {len(parts)} tubes")
    void = Manifold.batch_boolean(parts, OpType.Add)
    if void.status() != Error.NoError or not void.num_tri():
        raise ValueError(f"the union of {len(parts)} tubes failed: {void.status()}")
    progress(1.0, f"{void.num_tri()} triangles")
    return void


def _port_normals(network: Network, openings: Sequence[Opening]) -> dict[int, Floats | None]:
    """The nodes of ports, with the direction of the port where it is known."""
    directions = {opening.name: np.array(opening.direction) for opening in openings if opening.surface}
    return {node: directions.get(name) for name, node in network.ports.items()}


def _caps_of(
    chain: Chain,
    points: Floats,
    kind: Literal["round", "flat"],
    ports: dict[int, Floats | None],
    degree: np.ndarray,
) -> tuple[Cap, Cap]:
    found = []
    for node, lead, along in (
        (0, chain.leads[0], points[1] - points[0]),
        (-1, chain.leads[1], points[-1] - points[-2]),
    ):
        number = int(chain.nodes[node])
        if degree[number] > 1:
            found.append(Cap("round" if lead else "flat"))
        elif number in ports:
            found.append(Cap("flat", _plane(ports[number], along / np.linalg.norm(along))))
        else:
            found.append(Cap(kind))
    return found[0], found[1]


def _plane(direction: Floats | None, along: Floats) -> Floats | None:
    return direction if direction is not None and abs(direction @ along) >= STEEPEST_PORT else None
