"""The bare loop's tools on a part, in millimetres: a body, straight channels, openings that lead to the middle."""

from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from manifold3d import Manifold

FACES = {"left": (0, -1), "right": (0, 1), "front": (1, -1), "back": (1, 1), "bottom": (2, -1), "top": (2, 1)}
AROUND = 48
"""Sides of the polygon that stands for a circle."""


def numbers(**enums: list[str]) -> dict[str, Any]:
    """The schema of an object: a name with choices is one of them, a name without is a number."""
    properties = {name: {"enum": choices} if choices else {"type": "number"} for name, choices in enums.items()}
    return {"type": "object", "properties": properties, "required": list(enums), "additionalProperties": False}


class Part:
    """A part as a list of features; the newest of a kind, axis or face counts."""

    prompt = (
        "You describe a part in millimetres (1 cm = 10 mm). Answer with one step as JSON: set_box or set_cylinder for "
        "the body; add_channels for straight channels through the whole body along an axis, apart is the distance "
        "between their centres, 0 where none is named; add_ports for openings in one face that lead inside, tips is "
        "the number of ends of a branching channel, else 0; a later step of the same kind, axis or face replaces the "
        "earlier one; ask if a size is missing; finish when all is described. Length is x, depth or width y, height z."
    )
    most_tokens = 200

    def __init__(self, case: dict[str, Any], place: Path, data: Path | None) -> None:
        self.place = place
        self.body: dict[str, Any] = {}
        self.channels: dict[str, dict[str, Any]] = {}
        self.ports: dict[str, dict[str, Any]] = {}
        question = {"question": {"type": "string", "maxLength": 200}}
        self.tools = {
            "set_box": numbers(x_mm=[], y_mm=[], z_mm=[]),
            "set_cylinder": numbers(diameter_mm=[], height_mm=[]),
            "add_channels": numbers(axis=["x", "y", "z"], count=[], diameter_mm=[], apart_mm=[]),
            "add_ports": numbers(face=list(FACES), count=[], diameter_mm=[], tips=[]),
            "ask": {"type": "object", "properties": question, "required": ["question"], "additionalProperties": False},
            "finish": {"type": "object", "properties": {}, "additionalProperties": False},
        }

    def first(self, message: str) -> str:
        """The request."""
        return message

    def use(self, tool: str, arguments: dict[str, Any]) -> str:
        """Note it; all is built at the end."""
        if tool == "set_box":
            self.body = {"shape": "box"} | arguments
        elif tool == "set_cylinder":
            wide = arguments["diameter_mm"]
            self.body = {"shape": "cylinder", "x_mm": wide, "y_mm": wide, "z_mm": arguments["height_mm"]}
        elif tool == "add_channels":
            self.channels[arguments["axis"]] = arguments
        elif tool == "add_ports":
            self.ports[arguments["face"]] = arguments
        return f"The part has: {self.body}, {list(self.channels.values())}, {list(self.ports.values())}"

    def outcome(self) -> dict[str, Any]:
        """The mesh, where the features make one."""
        if not self.body or min(self.body["x_mm"], self.body["y_mm"], self.body["z_mm"]) <= 0:
            return {"extra": {"no_mesh": "there is no body"}}
        solid = self._solid().to_mesh()
        file = self.place / "solid.stl"
        trimesh.Trimesh(solid.vert_properties[:, :3], solid.tri_verts).export(file)
        return {"extra": {"mesh": str(file)}}

    def _solid(self) -> Manifold:
        size = np.array([self.body["x_mm"], self.body["y_mm"], self.body["z_mm"]], dtype=float)
        if self.body["shape"] == "box":
            solid = Manifold.cube(list(size), True)
        else:
            solid = Manifold.cylinder(size[2], size[0] / 2, size[0] / 2, 2 * AROUND, True)
        for channel in self.channels.values():
            axis = "xyz".index(channel["axis"])
            for place in _spread(int(channel["count"]), axis, size, channel["apart_mm"]):
                reach = np.zeros(3)
                reach[axis] = size[axis]
                solid -= _rod(place - reach, place + reach, channel["diameter_mm"])
        for port in self.ports.values():
            axis, side = FACES[port["face"]]
            for place in _spread(int(port["count"]), axis, size, 0):
                begin = place.copy()
                begin[axis] = side * (size[axis] / 2 + 1)
                inner = place.copy()
                inner[axis] = side * size[axis] / 4
                solid -= _rod(begin, inner, port["diameter_mm"]) + _rod(inner, np.zeros(3), port["diameter_mm"])
            for end in _ends(int(port["tips"]), axis, side, size):
                solid -= _rod(np.zeros(3), end, port["diameter_mm"] / 2)
        return solid


def _spread(count: int, axis: int, size: np.ndarray, apart: float) -> list[np.ndarray]:
    """Places in a row across an axis, along the longer of the two other sides."""
    count = min(count, 64)
    across = max((each for each in range(3) if each != axis), key=lambda each: float(size[each]))
    step = apart if apart > 0 else float(size[across]) / (count + 1)
    places = []
    for number in range(count):
        place = np.zeros(3)
        place[across] = (number - (count - 1) / 2) * step
        places.append(place)
    return places


def _ends(count: int, axis: int, side: int, size: np.ndarray) -> list[np.ndarray]:
    """Ends on a half circle away from the face."""
    ends = []
    other = (axis + 1) % 3
    for number in range(min(max(count, 0), 64)):
        turn = np.pi * (number + 0.5) / count - np.pi / 2
        end = np.zeros(3)
        end[axis] = -side * np.cos(turn) * size[axis] * 0.4
        end[other] = np.sin(turn) * size[other] * 0.4
        ends.append(end)
    return ends


def _rod(begin: np.ndarray, end: np.ndarray, diameter: float) -> Manifold:
    length = float(np.linalg.norm(end - begin))
    rod = Manifold.cylinder(max(length, 1e-6), max(diameter, 1e-3) / 2, max(diameter, 1e-3) / 2, AROUND)
    turn = trimesh.geometry.align_vectors(  # type: ignore[no-untyped-call]
        [0, 0, 1], (end - begin) / max(length, 1e-9)
    )
    return rod.transform(np.hstack([turn[:3, :3], np.asarray(begin, dtype=float)[:, None]]))
