"""Policies that suit a body's size and its ports: what is fixed by hand elsewhere follows here from a few lengths.

By Murray's law with the exponent 3, a port of radius r that feeds n ends leaves each of them r / n^(1/3). All
lengths are in the document's units.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.agents.designspec.offline.draft import tidy

Policies = dict[str, dict[str, Any]]


def tree_policies(
    extents: Sequence[float], volume: float, radii: Sequence[float], levels: int, splits: int, ports: Mapping[str, Any]
) -> tuple[dict[str, Any], Policies]:
    """Parameters and policies of `scaffold_topdown`: its levels share the way through the body among them.

    Steps shrink by `step_decay` a level, so the first one is the depth over the sum of that series; the spread of the
    first level is a fifth of the body's width.
    """
    direction = next(
        (port.get("direction") for port in ports.get("inlets") or [] if port.get("direction")), [0.0, 0.0, -1.0]
    )
    axis = max(range(3), key=lambda each: abs(direction[each]))
    depth = extents[axis]
    width = min(extent for k, extent in enumerate(extents) if k != axis) / max(1, round(math.sqrt(len(radii))))
    decay, spread_decay = 0.9, 0.75
    series = sum(decay**level for level in range(levels + 1))
    scale = min(extents)
    terminal = min(radii) / float(splits**levels) ** (1 / 3)
    params = {
        "primary_axis": [float(value) for value in direction],
        "splits": splits,
        "levels": levels,
        "ratio": tidy(round(splits ** (-1 / 3), 4)),
        "step_length": tidy(0.7 * depth / series),
        "step_decay": decay,
        "spread": tidy(0.25 * width),
        "spread_decay": spread_decay,
        "wall_margin_m": tidy(max(scale / 40, 2 * terminal)),
    }
    return params, _common(scale, terminal, max(radii)) | {"growth": _growth(scale, terminal)}


def colony_policies(
    scale: float, volume: float, radii: Sequence[float], tips: int, outlets: int
) -> tuple[dict[str, Any], Policies]:
    """Parameters and policies of `space_colonization`: points of tissue so dense that about so many tips remain."""
    spacing = (volume / max(tips, 1)) ** (1 / 3)
    terminal = min(radii) / float(max(1, math.ceil(tips / len(radii)))) ** (1 / 3)
    params: dict[str, Any] = {
        "num_attraction_points": int(min(20_000, max(400, 12 * tips))),
        "influence_radius": tidy(1.6 * spacing),
        "kill_radius": tidy(0.45 * spacing),
        "step_size": tidy(0.2 * spacing),
        "encourage_bifurcation": True,
        "max_children_per_node": 2,
    }
    if outlets:
        params["multi_inlet_mode"] = "forest_with_merge"
    growth = _growth(scale, terminal) | {"step_size": tidy(0.2 * spacing)}
    return params, _common(scale, terminal, max(radii)) | {"growth": growth}


def _growth(scale: float, terminal: float) -> dict[str, Any]:
    return {
        "min_segment_length": tidy(scale / 50),
        "max_segment_length": tidy(scale / 10),
        "min_radius": tidy(round_down(0.9 * terminal)),
        "terminal_tolerance": 0.25,
    }


def _common(scale: float, terminal: float, largest: float) -> Policies:
    clearance = min(scale / 30, 1.8 * terminal)
    return {
        "radius": {"mode": "murray", "murray_exponent": 3.0, "min_radius": tidy(round_down(0.9 * terminal))},
        "collision": {"collision_clearance": tidy(round_down(clearance))},
        "unified_collision": {"min_clearance": tidy(round_down(clearance))},
        "resolution": {"min_channel_diameter": tidy(round_down(1.6 * terminal))},
    }


def round_down(value: float) -> float:
    """Two significant digits, never more than the value."""
    exponent = math.floor(math.log10(value)) - 1
    return math.floor(tidy(value / 10.0**exponent)) * 10.0**exponent
