"""Which channel a point belongs to."""

import numpy as np
from scipy.spatial import cKDTree

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.validity.centre_lines import CentreLines

MOST_STEPS = 400
NEIGHBOURS = 8


class LineIndex:
    """Places along all centre lines, half a radius apart, to be asked for the nearest."""

    def __init__(self, lines: CentreLines) -> None:
        """Spread the places; there must be a segment."""
        finest = np.maximum(lines.radii.min(axis=1), 1e-9)
        counts = np.clip(np.ceil(2 * lines.lengths / finest).astype(int) + 1, 2, MOST_STEPS)
        self._segment = np.repeat(np.arange(len(counts)), counts)
        step = np.arange(len(self._segment)) - np.repeat(np.cumsum(counts) - counts, counts)
        share = step / (counts[self._segment] - 1)
        along = (lines.ends - lines.starts)[self._segment]
        first, second = lines.radii[self._segment].T
        self._radii = first + share * (second - first)
        self._tree = cKDTree(lines.starts[self._segment] + share[:, None] * along)

    def nearest(self, points: Floats) -> tuple[Ints, Floats]:
        """For (n, 3) points the segment (n,) whose wall is nearest, and the distance from its centre line in radii."""
        count = min(NEIGHBOURS, len(self._segment))
        distances, places = self._tree.query(points, k=count)
        distances, places = distances.reshape(len(points), count), places.reshape(len(points), count)
        radii = self._radii[places]
        best = np.argmin(distances - radii, axis=1)
        rows = np.arange(len(points))
        relative = distances[rows, best] / np.maximum(radii[rows, best], 1e-12)
        return np.asarray(self._segment[places[rows, best]], dtype=np.int64), np.asarray(relative)
