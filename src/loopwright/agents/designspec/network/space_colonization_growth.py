"""The growth of colonies, round by round."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe, Progress
from loopwright.agents.designspec.network.proximity import Rods
from loopwright.agents.designspec.network.radii import planned_radius, terminal_radius
from loopwright.agents.designspec.network.space_colonization_headings import Budget, Wishes, permitted, wishes_of
from loopwright.agents.designspec.network.space_colonization_nodes import ColonyNodes
from loopwright.agents.designspec.network.space_colonization_planting import first_ends
from loopwright.agents.designspec.network.space_colonization_room import room_for
from loopwright.agents.designspec.network.space_colonization_settings import ColonySettings
from loopwright.agents.designspec.network.space_colonization_tissue import Tissue

YIELD = 0.6
"""How many ends grow per point of tissue, about: a branch takes some of them along its way."""
PATIENCE = 3
"""How often a node may fail to place a child before it gives up."""
REVIEW_EVERY = 4
"""After so many rounds the reserves are reckoned anew from what has really grown."""
SLACK, LEAST_GAP = 0.25, 0.6
"""Shares of the thinnest radius: what is kept free besides the clearance, for chains that are straightened afterwards,
and at least, so that without any clearance tubes of flat facets do not graze each other."""
SWERVE = 0.9
"""How strongly a branch turns away from what is in its way, against its own direction."""


@dataclass(frozen=True)
class Ground:
    """Where colonies grow: the domain, what is in the way, the ports and all that the document says."""

    probe: DomainProbe
    openings: Sequence[Opening]
    policies: Policies
    settings: ColonySettings
    obstacles: Rods


class Colonies:
    """Trees that compete for tissue: Runions, Lane and Prusinkiewicz, Modeling Trees with a Space Colonization
    Algorithm (2007), with room kept for every branch's final radius.

    Every round each free point of tissue draws the nearest open node that may go its way; nodes grow one step along the
    mean pull, or fork where the pull falls into two; points that are reached vanish.
    """  # noqa: D205 - the source's title does not fit one line

    def __init__(self, ground: Ground, points: Floats, aim: float | None, random: np.random.Generator) -> None:
        """Plant a root at every opening, and a first segment that leads in from the wall.

        Args:
            ground: where they grow.
            points: (n, 3), the tissue.
            aim: how many ends to share out among the tissue; as many as come of themselves where it is None.
            random: where chance comes from.

        Raises:
            InvalidInput: a port leads nowhere, or two run into each other.
        """
        self.ground, self._random = ground, random
        settings = ground.settings
        roots = np.asarray([opening.position for opening in ground.openings], dtype=np.float64).reshape(-1, 3)
        headings = np.asarray([opening.direction for opening in ground.openings], dtype=np.float64).reshape(-1, 3)
        self.axes = tree_axes(headings, settings.axis)
        self._ports = np.asarray([opening.radius for opening in ground.openings])
        self._aim = aim
        self._yield = YIELD
        expected = aim or max(YIELD * len(points), 1.0)
        each = max(round(expected / max(len(roots), 1)), 1)
        self._ends = np.asarray([terminal_radius(ground.policies, port, each, None) for port in self._ports])
        self.tissue = Tissue(points, roots, self.axes, settings)
        self.nodes = ColonyNodes(roots, headings, self._ports)
        ends = first_ends(ground.openings, ground.probe, settings.step, settings.clearance)
        new = self.nodes.add(np.arange(len(roots)), ends, self._ports)
        self.tissue.offer(self.nodes, new)
        self.tissue.consume(settings.kill)

    def _radius(self, trees: Ints, points: Floats, generation: Ints) -> Floats:
        """The radius to reserve for branches that feed so many points."""
        share = np.maximum(self._yield * points, 1.0)
        radius = np.empty(len(trees))
        for tree in np.unique(trees):
            mine = trees == tree
            radius[mine] = planned_radius(
                self.ground.policies,
                float(self._ports[tree]),
                float(self._ends[tree]),
                share[mine],
                generation[mine].astype(np.float64),
            )
        return radius

    def grow(self, progress: Progress) -> None:
        """Grow until nothing is left to reach, nothing has room, or the rounds are spent."""
        settings = self.ground.settings
        idle, begun = 0, max(int(self.tissue.free.sum()), 1)
        for number in range(settings.iterations):
            progress(1 - int(self.tissue.free.sum()) / begun, f"{self.nodes.count} nodes grown")
            if number % REVIEW_EVERY == REVIEW_EVERY - 1:
                self._review()
            grown = self._round(number, idle)
            idle = 0 if grown else idle + 1
            if idle >= settings.stall_steps or not (grown or self.tissue.free.any()):
                break
        self.nodes.trim()

    def _round(self, number: int, idle: int) -> int:
        """One step of every node that feels a pull; gives how many segments have grown."""
        nodes, tissue, settings = self.nodes, self.tissue, self.ground.settings
        closed = self._closed()
        tissue.reassign(nodes, closed, lost_too=number % REVIEW_EVERY == 0)
        forks = self._may_branch() & nodes.is_tip if settings.bifurcate else np.zeros(nodes.count, dtype=bool)
        budget = Budget(self._share_out(), self._most_new(), idle)
        wishes = wishes_of(nodes, tissue, self.axes, settings, forks, budget, self._random)
        wishes = wishes.joined(self._unfinished())
        if not len(wishes):
            return 0
        rank = self._ranks(wishes, number)
        radii = self._radius(nodes.tree[wishes.parents], wishes.points, nodes.generation[wishes.parents])
        radii = np.minimum(radii, np.maximum(nodes.reserve[wishes.parents], self._ends[nodes.tree[wishes.parents]]))
        trunk = self._trunk()[wishes.parents] & ~np.isin(
            wishes.parents, wishes.parents[1:][np.diff(wishes.parents) == 0]
        )
        radii = np.where(trunk, self._ports[nodes.tree[wishes.parents]], radii)
        ends = nodes.positions[wishes.parents] + settings.step * wishes.directions
        ends, free = self._with_room(wishes, ends, radii, rank)
        np.add.at(nodes.failures, wishes.parents[~free], 1)
        new = nodes.add(wishes.parents[free], ends[free], radii[free])
        tissue.offer(nodes, new)
        tissue.consume(settings.kill)
        return len(new)

    def _with_room(self, wishes: Wishes, ends: Floats, radii: Floats, rank: Ints) -> tuple[Floats, NDArray[np.bool_]]:
        """The ends with room; what is in the way is evaded once."""
        nodes, ground = self.nodes, self.ground
        thin = float(self._ends.min())
        clearance = max(ground.settings.clearance + SLACK * thin, LEAST_GAP * thin)
        room = room_for(nodes, wishes.parents, ends, radii, ground.probe, clearance, rank, ground.obstacles)
        stuck = ~room.free
        if stuck.any():
            way = wishes.directions + SWERVE * room.escape
            way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-30)
            axes = self.axes[nodes.tree[wishes.parents]]
            way = permitted(way, nodes.headings[wishes.parents], axes, ground.settings)
            around = nodes.positions[wishes.parents] + ground.settings.step * way
            ends = np.where(stuck[:, None], around, ends)
            # those that have room already come first: nobody loses it to one that evades
            later = np.where(stuck, len(rank) + rank, rank)
            room = room_for(nodes, wishes.parents, ends, radii, ground.probe, clearance, later, ground.obstacles)
        return ends, room.free

    def _ranks(self, wishes: Wishes, number: int) -> Ints:
        """Who comes first where two are in each other's way: the trees by turns, or always in their order."""
        trees = self.nodes.tree[wishes.parents]
        if not self.ground.settings.round_robin:
            return np.argsort(np.lexsort((wishes.parents, trees)), kind="stable")
        count = len(self.ground.openings)
        turn = np.zeros(len(trees), dtype=np.int64)
        for tree in np.unique(trees):
            mine = np.flatnonzero(trees == tree)
            turn[mine] = np.arange(len(mine))
        return np.argsort(np.lexsort(((trees + number) % count, turn)), kind="stable")

    def _may_branch(self) -> NDArray[np.bool_]:
        """Which nodes may have more than one child: far enough from the root and from other forks."""
        nodes, settings = self.nodes, self.ground.settings
        live = nodes.live
        apart = np.maximum(settings.branch_every, 2 * nodes.reserve[live] + settings.clearance)
        child = nodes.first_child[live]
        fork_below = (child >= 0) & (nodes.children[child] > 1)
        far = (nodes.way[live] >= settings.branch_after) & (nodes.since_fork[live] >= apart)
        return np.asarray(far & ~fork_below & (nodes.parent[live] >= 0) & (settings.children > 1))

    def _most_new(self) -> float:
        """How many new ends may come in this round; half of what is missing, so that all parts have their turn."""
        if self._aim is None:
            return np.inf
        nodes = self.nodes
        lost = self._short() & (nodes.failures[nodes.live] >= PATIENCE)
        return float(np.ceil(max(self._aim - int((nodes.is_tip & ~lost).sum()), 0) / 2))

    def _share_out(self) -> float:
        """How many ends each point of tissue stands for, when what is left of the aim is shared out among them.

        Tips that serve no point any more are ends, unless they are too short to stay; every other tip will be one at
        least, however few points it serves.
        """
        if self._aim is None:
            return self._yield
        nodes = self.nodes
        load = self._load()
        done = int((nodes.is_tip & (load == 0) & ~self._short()).sum())
        tips = load[nodes.is_tip & (load > 0)].astype(np.float64)
        beside = float(load.sum() - tips.sum())
        share = YIELD
        for _ in range(4):
            single = tips * share <= 1.0
            rest = max(self._aim - done - float(single.sum()), 0.0)
            share = min(rest / max(float(tips[~single].sum()) + beside, 1.0), 1.0)
        self._yield = share
        return share

    def _short(self) -> NDArray[np.bool_]:
        """Which nodes lie so near to the last fork that a branch which ends there would vanish again."""
        nodes = self.nodes
        least = self.ground.settings.shortest + nodes.reserve[nodes.fork[nodes.live]]
        return np.asarray(nodes.since_fork[nodes.live] < least)

    def _unfinished(self) -> Wishes:
        """Tips that have reached their points before they stand out of the branch they come from go straight on."""
        nodes = self.nodes
        stubs = nodes.is_tip & (self._load() == 0) & self._short() & (nodes.failures[nodes.live] < PATIENCE)
        parents = np.flatnonzero(stubs & (nodes.parent[nodes.live] >= 0))
        return Wishes(parents, nodes.headings[parents], np.ones(len(parents)))

    def _load(self) -> Ints:
        """(n,): how many free points draw each node."""
        tissue = self.tissue
        return np.bincount(tissue.node[tissue.free & (tissue.node >= 0)], minlength=self.nodes.count)

    def _closed(self) -> NDArray[np.bool_]:
        """Which nodes take no further child."""
        nodes = self.nodes
        full = nodes.children[nodes.live] >= self.ground.settings.children
        idle = ~nodes.is_tip & ~self._may_branch()
        return np.asarray(full | idle | (nodes.failures[nodes.live] >= PATIENCE))

    def _review(self) -> None:
        """Reckon the reserves from what has grown and what is still to come below every node."""
        nodes = self.nodes
        live = nodes.live
        waiting = self._load()
        ends = np.where(nodes.is_tip, np.maximum(waiting, 1 / max(self._yield, 1e-6)), waiting)
        for hops in range(int(nodes.hops[live].max()), 0, -1):
            rows = np.flatnonzero(nodes.hops[live] == hops)
            np.add.at(ends, nodes.parent[rows], ends[rows])
        rows = np.flatnonzero(nodes.parent[live] >= 0)
        nodes.reserve[rows] = self._radius(nodes.tree[rows], ends[rows].astype(np.float64), nodes.generation[rows])
        trunk = rows[self._trunk()[nodes.parent[rows]]]
        nodes.reserve[trunk] = self._ports[nodes.tree[trunk]]

    def _trunk(self) -> NDArray[np.bool_]:
        """Which nodes lie on the way from a root to its first fork, both included without the fork's children.

        Radii taper from the port's to the tree's on this way, so the port's is kept free for all of it.
        """
        nodes = self.nodes
        trunk = np.zeros(nodes.count, dtype=bool)
        at = np.arange(len(self._ports))
        while len(at):
            at = at[nodes.children[at] <= 1]
            trunk[at] = True
            at = nodes.first_child[at]
            at = at[at >= 0]
        return trunk


def tree_axes(headings: Floats, axis: Floats | None) -> Floats:
    """(k, 3): where each tree is headed: along the primary axis, unless its port looks the other way."""
    if axis is None:
        return headings
    return np.where((headings @ axis >= 0)[:, None], axis[None, :], headings)
