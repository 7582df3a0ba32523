"""Projects with a solid, made by plain geometry: what the checks of the account look at, and what makes them false."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from manifold3d import Manifold

Hole = tuple[str, float, float, tuple[float, float]]
"""Axis, diameter, depth (0: all through), place across the axis."""
WAYS = {"x": 0, "y": 1, "z": 2}


@dataclass
class Part:
    """A body with bored holes; lengths in mm."""

    size: tuple[float, float, float] = (10.0, 20.0, 30.0)
    shape: str = "box"
    holes: tuple[Hole, ...] = (("x", 1.0, 0.0, (0.0, 0.0)),)
    tips: tuple[tuple[float, float, float], ...] = ()
    tip_diameter: float = 0.4
    document: dict[str, Any] = field(default_factory=dict)
    built: bool = True
    files: tuple[str, ...] = ()

    def solid(self) -> Manifold:
        """The body less its holes."""
        x, y, z = self.size
        body = {
            "box": lambda: Manifold.cube([x, y, z], True),
            "cylinder": lambda: Manifold.cylinder(z, x / 2, x / 2, 96, True),
            "sphere": lambda: Manifold.sphere(x / 2, 96),
        }[self.shape]()
        for axis, diameter, depth, (first, second) in self.holes:
            body -= self._bore(axis, diameter, depth, first, second)
        for place in self.tips:
            body -= Manifold.sphere(self.tip_diameter / 2, 24).translate(list(place))
        return body

    def _bore(self, axis: str, diameter: float, depth: float, first: float, second: float) -> Manifold:
        way = WAYS[axis]
        whole = self.size[way]
        length = depth or whole + 2
        bore = Manifold.cylinder(length + (1 if depth else 0), diameter / 2, diameter / 2, 64, True)
        if depth:  # from the face at the axis' positive end
            bore = bore.translate([0, 0, whole / 2 - depth / 2 + 0.5])
        turns = {"x": [0, 90, 0], "y": [-90, 0, 0], "z": [0, 0, 0]}
        across = [axis_ for axis_ in range(3) if axis_ != way]
        shift = [0.0, 0.0, 0.0]
        shift[across[0]], shift[across[1]] = first, second
        return bore.rotate(turns[axis]).translate(shift)

    def write(self, folder: Path) -> Path:
        """The project's folder with its document and, where it was built, its run."""
        folder.mkdir(parents=True, exist_ok=True)
        document = {
            "meta": {"input_units": "mm"},
            "domains": {"body": self._domain()},
            "components": [],
        } | self.document
        (folder / "spec.json").write_text(json.dumps(document))
        if self.built:
            run = folder / "artifacts" / "run_1"
            (run / "networks").mkdir(parents=True)
            write_stl(self.solid(), run / "solid.stl")
            for name in self.files:
                (run / name).write_bytes(b"content")
            (run / "networks/net.json").write_text(json.dumps(self._network()))
            text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
            manifest = {"document_hash": hashlib.sha256(text.encode()).hexdigest()[:16]}
            (run / "artifact_manifest.json").write_text(json.dumps(manifest))
        return folder

    def _domain(self) -> dict[str, Any]:
        x, y, z = self.size
        if self.shape == "box":
            return {"type": "box", "x_min": -x / 2, "x_max": x / 2, "y_min": -y / 2, "y_max": y / 2} | {
                "z_min": -z / 2,
                "z_max": z / 2,
            }
        return {"type": self.shape, "radius": x / 2} | ({"height": z} if self.shape == "cylinder" else {})

    def _network(self) -> dict[str, Any]:
        radius = self.tip_diameter / 2
        nodes = {str(k): {"position": list(place), "node_type": "terminal"} for k, place in enumerate(self.tips)}
        segments = {
            name: {
                "start_node_id": "root",
                "end_node_id": name,
                "geometry": {"radius_start": 1.0, "radius_end": radius},
            }
            for name in nodes
        }
        root = {"root": {"position": [0, 0, 0], "node_type": "inlet"}}
        return {"nodes": root | nodes, "segments": segments, "metadata": {"units": "mm"}}


def port(name: str, face: str, diameter: float) -> dict[str, Any]:
    """A port of the document on a face."""
    axis, sign = {"right": (0, 1), "left": (0, -1), "back": (1, 1), "front": (1, -1), "top": (2, 1), "bottom": (2, -1)}[
        face
    ]
    way = [0.0, 0.0, 0.0]
    way[axis] = -float(sign)
    return {"name": name, "radius": diameter / 2, "direction": way}


def placed(
    name: str, face: str, diameter: float, size: tuple[float, float, float] = (10.0, 20.0, 30.0)
) -> dict[str, Any]:
    """A port in the middle of a face of a box about the origin."""
    found = port(name, face, diameter)
    return found | {"position": [-way * side / 2 for way, side in zip(found["direction"], size, strict=True)]}


def drilled(*inlets: dict[str, Any], outlets: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """The part of a document that has these ports."""
    component = {
        "id": "channels_1",
        "domain_ref": "body",
        "build": {"type": "primitive_channels"},
        "ports": {"inlets": list(inlets), "outlets": list(outlets)},
    }
    return {"components": [component]}


def write_stl(body: Manifold, path: Path) -> None:
    """A binary STL whose header names its unit, as the exported ones do."""
    mesh = body.to_mesh()
    points = np.asarray(mesh.vert_properties)[:, :3]
    content = bytes(trimesh.Trimesh(points, np.asarray(mesh.tri_verts), process=False).export(file_type="stl"))
    path.write_bytes(b"binary STL, units mm".ljust(80) + content[80:])
