"""Documents to run, in millimetres."""

from typing import Any

from loopwright.agents.designspec.document.checking import minimal_document


def two_channels(**features: str) -> dict[str, Any]:
    """A box with a tree and a straight channel; `features` tells trial stages what to do."""
    document = minimal_document("two")
    document["meta"]["input_units"] = "mm"
    document["features"] = features
    document["domains"] = {
        "block": {"type": "box", "x_min": -10, "x_max": 10, "y_min": -10, "y_max": 10, "z_min": -5, "z_max": 5},
        "spare": {"type": "sphere", "radius": 3},
    }
    document["policies"] = {"ridge": {"enabled": True}}
    document["components"] = [
        component("tree", -5.0, "backend_network"),
        component("drill", 5.0, "primitive_channels"),
    ]
    return document


def component(name: str, x: float, build: str) -> dict[str, Any]:
    """A component with one inlet on top of the block."""
    inlet = {"name": "in", "position": [x, 0, 5], "direction": [0, 0, -1], "radius": 0.5}
    return {"id": name, "domain_ref": "block", "ports": {"inlets": [inlet]}, "build": {"type": build}}
