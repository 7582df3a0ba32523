"""The figures of meshes and networks that reports carry."""

from typing import Any

from manifold3d import Manifold

from loopwright.agents.designspec.network.facts import graph_facts
from loopwright.agents.designspec.network.network import Network


def mesh_facts(solid: Manifold) -> dict[str, Any]:
    """Faces, vertices, whether it is closed, box (metres), volume (m³), genus of all parts together, and parts."""
    if solid.is_empty():
        return {
            "faces": 0,
            "vertices": 0,
            "watertight": False,
            "bbox": None,
            "volume": 0.0,
            "genus": 0,
            "components": 0,
        }
    box = solid.bounding_box()
    parts = solid.decompose()
    return {
        "faces": solid.num_tri(),
        "vertices": solid.num_vert(),
        # A Manifold is closed and oriented by construction; an import that was not has been refused.
        "watertight": True,
        "bbox": [list(box[:3]), list(box[3:])],
        "volume": solid.volume(),
        "genus": sum(part.genus() for part in parts),
        "components": len(parts),
    }


def network_facts(network: Network) -> dict[str, Any]:
    """Nodes, segments, box and radii (metres), ends, connected parts and independent cycles."""
    facts = graph_facts(network)
    return {
        "nodes": facts.nodes,
        "segments": facts.segments,
        "bbox": facts.bounds and [list(corner) for corner in facts.bounds],
        "length": facts.total_length,
        "radius_min": facts.smallest_radius,
        "radius_max": facts.largest_radius,
        "terminals": facts.terminals,
        "components": facts.components,
        "cycle_rank": facts.cycle_rank,
    }
