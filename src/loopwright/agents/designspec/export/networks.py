"""Network files (JSON and GraphML), and mesh files."""

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import networkx as nx
import numpy as np
import trimesh
from manifold3d import Manifold

from loopwright.agents.designspec.document.spec import METRES, Units
from loopwright.agents.designspec.export.printable import NotPrintable, PrintableMesh, printable
from loopwright.agents.designspec.network import Network
from loopwright.kernel.errors import InvalidInput

# Mesh files: STL, 3MF and GLB.

STL_FACE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")])
STL_HEADER = 80
UNITS_OF_3MF = {"m": "meter", "cm": "centimeter", "mm": "millimeter", "um": "micron"}
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of archive members: equal bodies give equal files."""
CONTENT_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>'
)
RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Target="/3D/3dmodel.model" Id="rel0"'
    ' Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
)
MODEL_NAMESPACE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"


@dataclass(frozen=True)
class MeshFile:
    """A mesh that was written. `tolerance` in metres is by how much it was simplified to stay closed."""

    path: Path
    triangles: int
    units: Units
    tolerance: float


def write_mesh(body: Manifold, path: Path, units: Units) -> MeshFile:
    """Write a body, given in metres, into a file of the kind that its suffix says: .stl, .3mf or .glb.

    What is written is closed for who reads it: corners are in single precision, and equal ones are joined as readers
    do. An STL is read back before the old file is replaced. STL has no units, so its numbers are in `units`; 3MF says
    them; GLB is in metres always, as its standard has it. The axes are those of the document in all three.

    Raises:
        InvalidInput: the suffix is none of these, the body is empty, or it cannot be written closed.
    """
    writers = {".stl": _stl, ".3mf": _3mf, ".glb": _glb}
    if path.suffix.lower() not in writers:
        raise InvalidInput(
            f"Meshes are written as {', '.join(writers)}, not as {path.suffix or 'a file without suffix'!r}."
        )
    if body.is_empty():
        raise InvalidInput(f"There is nothing to write into {path.name}: the body is empty.")
    try:
        mesh = printable(body, "m" if path.suffix.lower() == ".glb" else units)
    except NotPrintable as error:
        raise InvalidInput(
            f"{path.name} was not written: {error}.", hint="Export in smaller units, such as mm."
        ) from error
    content = writers[path.suffix.lower()](mesh)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(content)
    if path.suffix.lower() == ".stl":
        _check_written(draft, mesh)
    os.replace(draft, path)
    return MeshFile(path, len(mesh.faces), mesh.units, mesh.tolerance)


def _stl(mesh: PrintableMesh) -> bytes:
    faces = np.zeros(len(mesh.faces), dtype=STL_FACE)
    corners = mesh.vertices[mesh.faces]
    wide = corners.astype(np.float64)
    normals = np.cross(wide[:, 1] - wide[:, 0], wide[:, 2] - wide[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    faces["normal"] = np.divide(normals, lengths[:, None], out=np.zeros_like(normals), where=lengths[:, None] > 0)
    faces["corners"] = corners
    # Readers take a file that begins with "solid" for text.
    header = f"binary STL, units {mesh.units}".encode().ljust(STL_HEADER)
    return header + np.uint32(len(faces)).tobytes() + faces.tobytes()


def _check_written(path: Path, mesh: PrintableMesh) -> None:
    """What came to the disk is what was found closed; corner for corner, so readers join what was joined there."""
    faces = np.frombuffer(path.read_bytes(), dtype=STL_FACE, offset=STL_HEADER + 4)
    if len(faces) != len(mesh.faces) or not np.array_equal(faces["corners"], mesh.vertices[mesh.faces]):
        path.unlink()
        raise InvalidInput(f"{path.stem} came back otherwise from the disk; it was not kept.")


def _3mf(mesh: PrintableMesh) -> bytes:
    model = io.StringIO()
    model.write(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<model unit="{UNITS_OF_3MF[mesh.units]}" xml:lang="en-US"'
        f' xmlns="{MODEL_NAMESPACE}"><resources><object id="1" type="model"><mesh><vertices>\n'
    )
    model.writelines(f'<vertex x="{x:.9g}" y="{y:.9g}" z="{z:.9g}"/>\n' for x, y, z in mesh.vertices.tolist())
    model.write("</vertices><triangles>\n")
    model.writelines(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>\n' for a, b, c in mesh.faces.tolist())
    model.write('</triangles></mesh></object></resources><build><item objectid="1"/></build></model>\n')
    members = (
        ("[Content_Types].xml", CONTENT_TYPES),
        ("_rels/.rels", RELATIONS),
        ("3D/3dmodel.model", model.getvalue()),
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in members:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text, compresslevel=4)
    return target.getvalue()


def _glb(mesh: PrintableMesh) -> bytes:
    return cast("bytes", trimesh.Trimesh(mesh.vertices, mesh.faces, process=False).export(file_type="glb"))


SCHEMA_VERSION = "1.0.0"


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
