"""The points of tissue that colonies compete for: who may have them, and which node is nearest to each."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.agents.designspec.network.space_colonization_nodes import ColonyNodes
from loopwright.agents.designspec.network.space_colonization_settings import ColonySettings
from loopwright.agents.designspec.network.tissue_sampling import sample_tissue

MOST_ATTRACTORS = 20_000
SPACING_SHARE = 0.8
"""Points nearer to each other than this share of the kill radius vanish together: one of them says as much."""
GLANCE_BACK = 0.4
"""The sine of the angle above its horizon under which a branch that may not turn back still sees points of tissue: it
passes beneath them near enough."""
CANDIDATES = 6
"""How many of the nearest open nodes are asked when a point has lost its node."""


def draw_tissue(
    probe: DomainProbe,
    settings: ColonySettings,
    openings: Sequence[Opening],
    random: np.random.Generator,
    smallest_depth: float,
) -> Floats:
    """Points of tissue, at random order, thinned to a density that makes a difference.

    Hundreds of thousands of points give the same tree as the few of them that lie a kill radius apart.
    """
    wanted = min(settings.attractors, 3 * MOST_ATTRACTORS)
    points = sample_tissue(probe, settings.tissue, openings, wanted, random)
    points = points[probe.depth(points) >= smallest_depth] if len(points) else points
    cells = np.floor(points / (settings.kill * SPACING_SHARE)).astype(np.int64)
    _, first = np.unique(cells, axis=0, return_index=True)
    return np.asarray(points[np.sort(first)][:MOST_ATTRACTORS])


class Tissue:
    """The points (n, 3), which are still free, and the nearest open node that sees each of them."""

    def __init__(self, points: Floats, roots: Floats, axes: Floats, settings: ColonySettings) -> None:
        """Settle which tree may take which point.

        Args:
            points: (n, 3).
            roots: (k, 3), where the trees begin.
            axes: (k, 3), where they are headed.
            settings: modes and limits.
        """
        self.points = points
        self.free = np.ones(len(points), dtype=bool)
        self.node = np.full(len(points), -1, dtype=np.int64)
        self.distance = np.full(len(points), np.inf)
        self.eligible, self.pull = _territories(points, roots, settings)
        self._axes = axes
        self._forward_only = settings.upward_forbidden
        self._always_seen = settings.kill

    def sees(self, rows: Ints, origins: Floats, trees: Ints, gaze: Floats) -> NDArray[np.bool_]:
        """Whether each point draws a node there, of that tree, pair by pair; a gaze of 0 looks everywhere.

        A tip looks only ahead of where it and its branch are headed: it would otherwise curl back for points that it
        has passed.
        """
        way = self.points[rows] - origins
        ahead = np.einsum("ij,ij->i", way, gaze) >= 0
        length = np.linalg.norm(way, axis=1)
        if self._forward_only:
            ahead &= np.einsum("ij,ij->i", way, self._axes[trees]) >= -GLANCE_BACK * length
        return np.asarray(self.eligible[rows, trees] & (ahead | (length <= self._always_seen)))

    def offer(self, nodes: ColonyNodes, numbers: Ints) -> None:
        """Let new tips take over the points to which they are nearer than any other node."""
        trees, positions, gaze = nodes.tree[numbers], nodes.positions[numbers], nodes.gaze(numbers)
        for tree in np.unique(trees):
            mine = np.flatnonzero(trees == tree)
            rows = np.flatnonzero(self.free & self.eligible[:, tree])
            if not len(rows):
                continue
            known = self.distance[rows]
            distance, which = cKDTree(positions[mine]).query(self.points[rows], distance_upper_bound=known.max())
            better = distance < known
            rows, distance, which = rows[better], distance[better], mine[which[better]]
            seen = self.sees(rows, positions[which], trees[which], gaze[which])
            rows, distance, which = rows[seen], distance[seen], which[seen]
            self.distance[rows], self.node[rows] = distance, numbers[which]

    def reassign(self, nodes: ColonyNodes, closed: NDArray[np.bool_], *, lost_too: bool) -> None:
        """Give the points of closed nodes (n,) to the nearest open ones; what nobody sees waits for new nodes.

        With `lost_too`, the waiting points are shown round again: a node between two others sees more than a tip.
        """
        rows = np.flatnonzero(self.free & (self.node >= 0))
        rows = rows[closed[self.node[rows]]]
        if lost_too:
            rows = np.concatenate([rows, np.flatnonzero(self.free & (self.node < 0))])
        if not len(rows):
            return
        self.node[rows], self.distance[rows] = -1, np.inf
        usable = np.flatnonzero(~closed)
        if not len(usable):
            return
        count = min(CANDIDATES, len(usable))
        distance, which = cKDTree(nodes.positions[usable]).query(self.points[rows], k=count)
        distance, which = distance.reshape(len(rows), count), which.reshape(len(rows), count)
        gaze = np.where(nodes.is_tip[:, None], nodes.gaze(np.arange(nodes.count)), 0.0)
        for rank in range(count):
            at = usable[which[:, rank]]
            seen = self.sees(rows, nodes.positions[at], nodes.tree[at], gaze[at])
            lost = (self.node[rows] < 0) & seen
            self.node[rows[lost]], self.distance[rows[lost]] = at[lost], distance[lost, rank]

    def consume(self, radius: float) -> None:
        """Take away the points that a node has reached."""
        self.free &= self.distance > radius


def _territories(points: Floats, roots: Floats, settings: ColonySettings) -> tuple[NDArray[np.bool_], Floats]:
    """Which tree may take which point (n, k), and how strongly a point pulls on each tree.

    `partitioned_xy` cuts the plane hard at the middle between the roots; `blended` lets neighbours overlap by the
    blend width and weakens the pull there; in the forests the nearest node wins, whoever it belongs to.
    """
    apart = np.linalg.norm(points[:, None, :2] - roots[None, :, :2], axis=2)
    beyond = apart - apart.min(axis=1, initial=np.inf, keepdims=True)
    everywhere = np.ones_like(apart)
    if settings.mode == "partitioned_xy":
        return beyond <= 1e-9, everywhere
    if settings.mode == "blended":
        return beyond <= settings.blend, np.exp(-0.5 * (beyond / settings.blend) ** 2)
    return everywhere.astype(bool), everywhere
