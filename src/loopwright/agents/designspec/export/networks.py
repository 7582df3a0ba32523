"""Network files: JSON, which can be read back, and GraphML."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, get_args

import networkx as nx
import numpy as np

from loopwright.agents.designspec.document.spec import METRES, Units
from loopwright.agents.designspec.network.network import Network, NodeType
from loopwright.kernel.errors import InvalidInput

SCHEMA_VERSION = "1.0.0"
NODE_TYPES = get_args(NodeType)


def network_document(
    network: Network,
    units: Units,
    domain: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The network as plain data, its lengths in `units`; `metadata.units` says which.

    Args:
        network: in metres.
        units: of the result.
        domain: what is told about the domain, as it is.
        metadata: further facts.
    """
    scale = 1 / METRES[units]
    ports: dict[int, list[str]] = {}
    for name, node in network.ports.items():
        ports.setdefault(node, []).append(name)
    positions = (network.positions * scale).tolist()
    nodes = {
        str(i): {
            "position": position,
            "node_type": network.node_types[i],
            "vessel_type": network.vessel_types[i],
            "attributes": {"ports": ports[i]} if i in ports else {},
        }
        for i, position in enumerate(positions)
    }
    segments = {}
    radii = (network.radii * scale).tolist()
    for i, (start, end) in enumerate(network.segments.tolist()):
        geometry = {
            "start": positions[start],
            "end": positions[end],
            "radius_start": radii[i][0],
            "radius_end": radii[i][1],
            "centerline_points": [positions[start], positions[end]],
        }
        segments[str(i)] = {"start_node_id": str(start), "end_node_id": str(end), "geometry": geometry}
    return {
        "schema_version": SCHEMA_VERSION,
        "nodes": nodes,
        "segments": segments,
        "domain": dict(domain) if domain else None,
        "metadata": {**(metadata or {}), "units": units, "nodes": len(nodes), "segments": len(segments)},
    }


def write_network_json(
    network: Network,
    path: Path,
    units: Units,
    domain: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write the network as JSON, its lengths in `units`."""
    document = network_document(network, units, domain, metadata)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read_network_json(path: Path) -> Network:
    """The network in a file that `write_network_json` wrote, in metres.

    Raises:
        InvalidInput: it is no such file; the message has the pointer of what is wrong.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path.name} is no network file: {str(error)[:200]}") from error
    return network_from(document)


def network_from(document: Any) -> Network:
    """The network in plain data, in metres.

    Raises:
        InvalidInput: with the pointer of what is wrong.
    """
    place = ""
    try:
        version = str(document["schema_version"])
        if version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
            raise InvalidInput(f"/schema_version: networks of version {version} are not read.")
        place = "/metadata/units"
        scale = METRES[document["metadata"]["units"]]
        number = {name: i for i, name in enumerate(document["nodes"])}
        positions, kinds, vessels, ports = [], [], [], {}
        for name, node in document["nodes"].items():
            place = f"/nodes/{name}"
            x, y, z = (float(value) for value in node["position"])
            positions.append((x, y, z))
            kinds.append(_node_type(node["node_type"]))
            vessels.append(str(node["vessel_type"]))
            ports.update({str(port): number[name] for port in node.get("attributes", {}).get("ports", [])})
        segments, radii = [], []
        for name, segment in document["segments"].items():
            place = f"/segments/{name}"
            segments.append((number[segment["start_node_id"]], number[segment["end_node_id"]]))
            radii.append((float(segment["geometry"]["radius_start"]), float(segment["geometry"]["radius_end"])))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(
            f"{place or '/'}: this is no network ({type(error).__name__}: {str(error)[:200]})."
        ) from error
    lengths = np.array(positions, dtype=np.float64).reshape(-1, 3), np.array(radii, dtype=np.float64).reshape(-1, 2)
    if not all(np.isfinite(array).all() for array in lengths) or (lengths[1] <= 0).any():
        raise InvalidInput("/segments: positions must be finite numbers, and radii must be above zero.")
    joined = np.array(segments, dtype=np.int64).reshape(-1, 2)
    return Network(lengths[0] * scale, joined, lengths[1] * scale, tuple(kinds), tuple(vessels), ports)


def _node_type(value: Any) -> NodeType:
    if value not in NODE_TYPES:
        raise ValueError(f"a node is one of {', '.join(NODE_TYPES)}, not {value!r}")
    return cast("NodeType", value)


def write_graphml(network: Network, path: Path, units: Units) -> None:
    """Write the network as GraphML, its lengths in `units`: nodes with x, y, z, edges with length and radii."""
    scale = 1 / METRES[units]
    graph = nx.DiGraph(units=units)
    ports = {node: name for name, node in network.ports.items()}
    for i, (x, y, z) in enumerate((network.positions * scale).tolist()):
        kind, vessel = network.node_types[i], network.vessel_types[i]
        graph.add_node(str(i), x=x, y=y, z=z, node_type=kind, vessel_type=vessel, port=ports.get(i, ""))
    lengths = (network.lengths * scale).tolist()
    for i, (start, end) in enumerate(network.segments.tolist()):
        first, last = (network.radii[i] * scale).tolist()
        graph.add_edge(str(start), str(end), id=str(i), length=lengths[i], radius_start=first, radius_end=last)
    path.parent.mkdir(parents=True, exist_ok=True)
    nx.write_graphml(graph, path)
