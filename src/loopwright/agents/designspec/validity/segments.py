"""Points against segments with radii, vectorised."""

import numpy as np

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.validity.centre_lines import CentreLines


def share_along(points: Floats, starts: Floats, ends: Floats) -> Floats:
    """(k,): how far along its segment (0 to 1) the nearest place to each point lies."""
    along = ends - starts
    squared = np.einsum("ij,ij->i", along, along)
    share = np.einsum("ij,ij->i", points - starts, along) / np.where(squared > 0, squared, 1.0)
    return np.asarray(np.clip(share, 0.0, 1.0))


def nearest_segment(point: Floats, lines: CentreLines, chosen: Ints) -> int:
    """The index into `chosen` of the segment whose wall is nearest to a point."""
    starts, ends, radii = lines.starts[chosen], lines.ends[chosen], lines.radii[chosen]
    share = share_along(np.broadcast_to(point, starts.shape), starts, ends)
    foot = starts + share[:, None] * (ends - starts)
    return int(np.argmin(np.linalg.norm(foot - point, axis=1) - radii[:, 0] - share * (radii[:, 1] - radii[:, 0])))
