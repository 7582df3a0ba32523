"""Where material stands in a channel."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.validity.centre_lines import CentreLines
from loopwright.agents.designspec.validity.rays import RayScene


@dataclass(frozen=True)
class Plug:
    """Where a centre line runs into the material (on the line), and in which segment."""

    segment: int
    place: Floats


def find_plugs(lines: CentreLines, walls: tuple[RayScene, bool], body: RayScene) -> list[Plug]:
    """Follow every centre line with a ray from its start to its end.

    Args:
        lines: the centre lines.
        walls: a surface, and whether the channels are its inner side.
        body: the domain; lines outside of it are not looked at.
    """
    scene, channel_inside = walls
    long_enough = np.flatnonzero(lines.lengths > 0)
    starts, spans = lines.starts[long_enough], lines.lengths[long_enough]
    along = (lines.ends[long_enough] - starts) / spans[:, None]
    ahead = 1e-3 * spans
    origins = starts + ahead[:, None] * along
    hits = scene.cast(origins, along)
    end_radius = lines.radii[long_enough, 1]
    stopped = hits.distance < spans - ahead - np.maximum(1e-3 * spans, 0.02 * end_radius)
    in_channel = hits.leaving == channel_inside
    origin_blocked = ~in_channel & body.inside(origins) if channel_inside else ~in_channel
    met = origins + np.where(stopped, hits.distance + 1e-3 * spans, 0.0)[:, None] * along
    met_blocked = stopped & in_channel
    rows = np.flatnonzero(met_blocked)
    met_blocked[rows] = body.inside(met[rows])
    found = np.flatnonzero(origin_blocked | met_blocked)
    return [Plug(int(long_enough[row]), origins[row] if origin_blocked[row] else met[row]) for row in found]
