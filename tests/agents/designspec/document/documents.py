"""Documents to try things on."""

import copy
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.designspec.document import load_text
from loopwright.agents.designspec.document.checking import normalise
from loopwright.agents.designspec.document.domains import lookup, tokens_of

DATA = Path(__file__).parents[5] / "shared" / "data" / "designspec"
REAL = (
    "golden_example_v1.json",
    "malaria_venule_bifurcating_tree.json",
    "malaria_venule_control_ridge_only.json",
    "malaria_venule_space_colonization.json",
    "malaria_venule_vertical_channels.json",
)
IN_MILLIMETRES = "cylinder_bifurcating_tree_mm.yaml"


def real(name: str) -> dict[str, Any]:
    """A document that people have written."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"the real specs are not here ({path.name})")
    return load_text(path.read_text(encoding="utf-8"), name)


def tree(**changes: Any) -> dict[str, Any]:
    """A complete document in millimetres that touches most kinds of numbers.

    Args:
        changes: pointers with dots for slashes (`domains.main.radius`), and what to put there; None takes it out.
    """
    document: dict[str, Any] = {
        "schema": {"name": "aog_designspec", "version": "1.0.0", "compatible_with": ["1.0.x"]},
        "meta": {"name": "tree", "seed": 7, "input_units": "mm"},
        "policies": {
            "resolution": {"min_channel_diameter": 0.2, "max_pitch": 0.3},
            "growth": {
                "target_terminals": 12,
                "min_segment_length": 0.3,
                "backend_params": {"step_length": 1.7, "collision_online": {"buffer_abs_m": 0.03}},
            },
            "repair": {"min_component_volume": 0.001},
            "composition": {"merge_policy": {"voxel_pitch": 0.07}},
            "tissue_sampling": {
                "strategy": "mixture",
                "mixture_components": [
                    {"weight": 0.4, "policy": {"exclude_spheres": [{"center": [0, 0, 1.1], "radius": 0.7}]}}
                ],
            },
        },
        "domains": {
            "main": {"type": "cylinder", "center": [0, 0, 0], "radius": 5.1, "height": 9.9},
            "other": {
                "type": "composite",
                "operation": "union",
                "children": [
                    "main",
                    {
                        "type": "transform",
                        "base_domain": {"type": "sphere", "radius": 3.3},
                        "matrix": [[1, 0, 0, 4.7], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
                    },
                ],
            },
        },
        "components": [
            {
                "id": "net_1",
                "domain_ref": "main",
                "ports": {
                    "inlets": [
                        {"name": "in_1", "position": [0.1, 0, 4.95], "direction": [0, 0, -1], "radius": 0.6},
                        {"name": "in_2", "position": [2.3, 0, 4.95], "direction": [0, 0, -1], "radius": 0.6},
                    ],
                    "outlets": [{"name": "out_1", "position": [0, 0, -4.95], "direction": [0, 0, 1], "radius": 0.45}],
                },
                "build": {"type": "backend_network", "backend": "scaffold_topdown", "backend_params": {"spread": 0.9}},
                "policies": {"collision": {"collision_clearance": 0.11}},
            }
        ],
    }
    for pointer, value in changes.items():
        put(document, "/" + pointer.replace(".", "/"), value)
    return document


def put(document: dict[str, Any], pointer: str, value: Any) -> None:
    """Put something into a document, or take it out with None; a list's end is `-`."""
    *above, last = tokens_of(pointer)
    place = lookup(document, "".join(f"/{token}" for token in above))
    if isinstance(place, list):
        if last == "-":
            place.append(value)
        elif value is None:
            del place[int(last)]
        else:
            place[int(last)] = value
    elif value is None:
        del place[last]
    else:
        place[last] = value


def in_metres(document: dict[str, Any]) -> dict[str, Any]:
    """The same design as somebody else might have written it, in metres."""
    converted = copy.deepcopy(normalise(document).document)
    converted["meta"]["input_units"] = "m"
    return converted
