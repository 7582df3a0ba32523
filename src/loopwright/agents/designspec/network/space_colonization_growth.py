"""The growth of colonies, round by round."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network import (
    DomainProbe,
    Floats,
    Ints,
    Opening,
    Progress,
    planned_radius,
    terminal_radius,
)
from loopwright.agents.designspec.network.proximity import ColonyNodes, Rods, near_pairs, surface_gaps
from loopwright.agents.designspec.network.space_colonization_headings import (
    GrowthBudget,
    SegmentProposals,
    permitted,
    proposals_of,
)
from loopwright.agents.designspec.network.space_colonization_tissue import ColonySettings, Tissue
from loopwright.kernel.errors import InvalidInput

# FreeSpace for new segments: inside the domain, and clear of what has grown.

CROTCH = 3.0
"""How far along the tree two segments may still touch, in multiples of their centre lines' required distance.

Branches of equal radius that part at 40° leave each other's clearance after 2.9 times that distance. The collision
check allows 4; growth is stricter, so that moving a node a little when chains are straightened does no harm.
"""
NARROWEST_FORK_DEG = 40.0
"""Branches that evade an obstacle may come this near to their twin, not nearer."""


@dataclass(frozen=True)
class FreeSpace:
    """Which of the proposed segments (k,) have space; `escape` (k, 3) points out of what stands in the others' way."""

    free: NDArray[np.bool_]
    escape: Floats


def space_for(
    nodes: ColonyNodes,
    parents: Ints,
    ends: Floats,
    radii: Floats,
    probe: DomainProbe,
    clearance: float,
    rank: Ints,
    obstacles: Rods,
) -> FreeSpace:
    """Check proposed segments against the walls, the nodes that are there, and each other.

    Args:
        nodes: what has grown.
        parents: (k,), where the segments begin.
        ends: (k, 3), where they end.
        radii: (k,), how thick they will be.
        probe: the domain.
        clearance: between surfaces, in metres.
        rank: (k,): of two proposals in each other's way the one with the lower rank is built.
        obstacles: what the network must keep clear of besides.
    """
    free = np.ones(len(parents), dtype=bool)
    escape = np.zeros((len(parents), 3))
    starts = nodes.positions[parents]
    wanted = radii + clearance
    # a 1-Lipschitz depth at the end and in the middle answers for the whole of a short segment
    depth = np.minimum(probe.depth(ends), probe.depth((starts + ends) / 2))
    walled = depth < wanted
    if walled.any():
        free[walled] = False
        escape[walled] += depth_gradient(probe, ends[walled], clearance + float(radii.min()))
    rods = Rods(starts, ends, np.stack([radii, radii], axis=1))
    for solid in _blocking(nodes, rods, parents, clearance, obstacles):
        rows, way = solid
        free[rows] = False
        np.add.at(escape, rows, way)
    _settle(nodes, rods, parents, clearance, rank, free)
    return FreeSpace(free, escape)


def depth_gradient(probe: DomainProbe, points: Floats, reach: float) -> Floats:
    """(n, 3): the directions in which it gets deeper, by central differences over the reach."""
    offsets = np.concatenate([np.eye(3), -np.eye(3)]) * reach / 4
    depth = probe.depth((points[:, None, :] + offsets[None]).reshape(-1, 3)).reshape(len(points), 6)
    slope = depth[:, :3] - depth[:, 3:]
    return np.asarray(slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-30))


def _blocking(
    nodes: ColonyNodes, rods: Rods, parents: Ints, clearance: float, obstacles: Rods
) -> list[tuple[Ints, Floats]]:
    """The proposals that come too near to something, and the way out, for the grown and for other obstacles."""
    found = []
    grown = np.flatnonzero(nodes.parent[nodes.live] >= 0)
    if len(grown):
        others = nodes.rods(grown)
        pairs = near_pairs(rods, others, clearance)
        segments = grown[pairs[:, 1]]
        mine = parents[pairs[:, 0]]
        twins = nodes.parent[segments] == mine
        narrow = twins & ~_forking(rods.take(pairs[:, 0]), others.take(pairs[:, 1]))
        found.append((pairs[narrow, 0], np.zeros((int(narrow.sum()), 3))))
        apart = (segments != mine) & ~twins
        pairs, segments, mine = pairs[apart], segments[apart], mine[apart]
        gaps, way = _gaps(rods, others, pairs)
        close = gaps < clearance
        pairs, segments, mine, way = pairs[close], segments[close], mine[close], way[close]
        required = rods.radii[pairs[:, 0], 0] + nodes.reserve[segments] + clearance
        guilty = nodes.paths_to(mine, segments) > CROTCH * required
        # near a fork branches may touch, but once apart they must not come together again: that would close a ring
        guilty |= ~_parting(rods.take(pairs[:, 0]), nodes.rods(segments))
        found.append((pairs[guilty, 0], way[guilty]))
    if len(obstacles):
        pairs = near_pairs(rods, obstacles, clearance)
        gaps, way = _gaps(rods, obstacles, pairs)
        close = gaps < clearance
        found.append((pairs[close, 0], way[close]))
    return found


def _gaps(rods: Rods, others: Rods, pairs: Ints) -> tuple[Floats, Floats]:
    """Gaps between paired rods, and unit vectors from the nearest point of the other to that of the first."""
    first, second = rods.take(pairs[:, 0]), others.take(pairs[:, 1])
    gaps, s, t = surface_gaps(first, second)
    way = first.starts + (first.ends - first.starts) * s[:, None]
    way = way - second.starts - (second.ends - second.starts) * t[:, None]
    return gaps, way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-30)


def _forking(rods: Rods, others: Rods) -> NDArray[np.bool_]:
    """Whether rods that begin together part at no less than the narrowest fork."""
    one, other = rods.ends - rods.starts, others.ends - others.starts
    scale = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray((one * other).sum(axis=1) <= np.cos(np.radians(NARROWEST_FORK_DEG)) * scale)


def _parting(rods: Rods, others: Rods) -> NDArray[np.bool_]:
    """Whether each rod ends no nearer to the other one than it begins."""
    along = others.ends - others.starts
    square = np.maximum((along * along).sum(axis=1), 1e-30)
    apart = []
    for points in (rods.starts, rods.ends):
        share = np.clip(((points - others.starts) * along).sum(axis=1) / square, 0.0, 1.0)
        apart.append(np.linalg.norm(points - others.starts - share[:, None] * along, axis=1))
    return np.asarray(apart[1] >= apart[0])


def _settle(
    nodes: ColonyNodes, rods: Rods, parents: Ints, clearance: float, rank: Ints, free: NDArray[np.bool_]
) -> None:
    """Of proposals in each other's way only the first by rank stays free."""
    rows = np.flatnonzero(free)
    pairs = rows[near_pairs(rods.take(rows), None, clearance)]
    if not len(pairs):
        return
    gaps, _ = _gaps(rods, rods, pairs)
    pairs = pairs[gaps < clearance]
    left, right = rods.take(pairs[:, 0]), rods.take(pairs[:, 1])
    twins = parents[pairs[:, 0]] == parents[pairs[:, 1]]
    fine = np.where(twins, _forking(left, right), _parting(left, right) & _parting(right, left))
    one, other = parents[pairs[:, 0]], parents[pairs[:, 1]]
    required = rods.radii[pairs[:, 0], 0] + rods.radii[pairs[:, 1], 0] + clearance
    way = np.full(len(pairs), np.inf)
    grown = nodes.parent[other] >= 0
    way[grown] = nodes.paths_to(one[grown], other[grown])
    guilty = ~fine | (~twins & (way > CROTCH * required))
    pairs = np.where((rank[pairs[:, 0]] <= rank[pairs[:, 1]])[:, None], pairs, pairs[:, ::-1])[guilty]
    order = np.lexsort((rank[pairs[:, 1]], rank[pairs[:, 0]]))
    for first, second in _in_turn(pairs[order]):
        if free[first]:
            free[second] = False


def _in_turn(pairs: Ints) -> Sequence[tuple[int, int]]:
    return [(int(first), int(second)) for first, second in pairs]


# The first segments of colonies: from the ports in.

REACHES = (1.0, 1.5, 0.75, 0.5, 0.25)
"""Shares of the usual first length that are tried; the short ones may end nearer to a wall than the clearance wants."""
SHORT = 0.75


def first_ends(openings: Sequence[Opening], probe: DomainProbe, step: float, clearance: float) -> Floats:
    """Where the first segments end, (k, 3): straight in from each port, as far as its own radius wants.

    Args:
        openings: the ports.
        probe: the domain.
        step: the usual length of a segment.
        clearance: to the wall, in metres.

    Raises:
        InvalidInput: a port leads nowhere, or two run into each other.
    """
    ends = []
    for opening in openings:
        start, heading = np.asarray(opening.position), np.asarray(opening.direction)
        length = max(step, opening.radius + 1.01 * clearance)
        tried = start + np.outer(REACHES, heading) * length
        depth = probe.depth(tried)
        wanted = np.where(np.asarray(REACHES) > SHORT, opening.radius + clearance, 0.0)
        good = np.flatnonzero((depth >= wanted) & (depth > 0))
        if not len(good):
            raise InvalidInput(
                f"/components/{opening.component_id}/ports: {opening.name!r} leads out of the domain.",
                hint="Turn its direction, or move the port.",
            )
        ends.append(tried[good[0]])
    radii = np.array([[opening.radius] * 2 for opening in openings])
    rods = Rods(np.array([opening.position for opening in openings]), np.array(ends), radii)
    _refuse_overlaps(openings, rods)
    return np.asarray(ends)


def _refuse_overlaps(openings: Sequence[Opening], rods: Rods) -> None:
    pairs = near_pairs(rods, None, 0.0)
    gaps, _, _ = surface_gaps(rods.take(pairs[:, 0]), rods.take(pairs[:, 1]))
    for (first, second), gap in zip(pairs, gaps, strict=True):
        if gap < 0:
            one, other = openings[first], openings[second]
            raise InvalidInput(
                f"/components/{one.component_id}/ports: the channels of {one.name!r} and {other.name!r} run into each "
                f"other right behind their ports, by {-gap:g} m.",
                hint="Move the ports apart, or make them smaller.",
            )


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
    Algorithm (2007), with space kept for every branch's final radius.

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
        """Grow until nothing is left to reach, nothing has space, or the rounds are spent."""
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
        budget = GrowthBudget(self._share_out(), self._most_new(), idle)
        proposals = proposals_of(nodes, tissue, self.axes, settings, forks, budget, self._random)
        proposals = proposals.joined(self._unfinished())
        if not len(proposals):
            return 0
        rank = self._ranks(proposals, number)
        radii = self._radius(nodes.tree[proposals.parents], proposals.points, nodes.generation[proposals.parents])
        radii = np.minimum(
            radii, np.maximum(nodes.reserve[proposals.parents], self._ends[nodes.tree[proposals.parents]])
        )
        trunk = self._trunk()[proposals.parents] & ~np.isin(
            proposals.parents, proposals.parents[1:][np.diff(proposals.parents) == 0]
        )
        radii = np.where(trunk, self._ports[nodes.tree[proposals.parents]], radii)
        ends = nodes.positions[proposals.parents] + settings.step * proposals.directions
        ends, free = self._with_space(proposals, ends, radii, rank)
        np.add.at(nodes.failures, proposals.parents[~free], 1)
        new = nodes.add(proposals.parents[free], ends[free], radii[free])
        tissue.offer(nodes, new)
        tissue.consume(settings.kill)
        return len(new)

    def _with_space(
        self, proposals: SegmentProposals, ends: Floats, radii: Floats, rank: Ints
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """The ends with space; what is in the way is evaded once."""
        nodes, ground = self.nodes, self.ground
        thin = float(self._ends.min())
        clearance = max(ground.settings.clearance + SLACK * thin, LEAST_GAP * thin)
        space = space_for(nodes, proposals.parents, ends, radii, ground.probe, clearance, rank, ground.obstacles)
        stuck = ~space.free
        if stuck.any():
            way = proposals.directions + SWERVE * space.escape
            way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-30)
            axes = self.axes[nodes.tree[proposals.parents]]
            way = permitted(way, nodes.headings[proposals.parents], axes, ground.settings)
            around = nodes.positions[proposals.parents] + ground.settings.step * way
            ends = np.where(stuck[:, None], around, ends)
            # those that have space already come first: nobody loses it to one that evades
            later = np.where(stuck, len(rank) + rank, rank)
            space = space_for(nodes, proposals.parents, ends, radii, ground.probe, clearance, later, ground.obstacles)
        return ends, space.free

    def _ranks(self, proposals: SegmentProposals, number: int) -> Ints:
        """Who comes first where two are in each other's way: the trees by turns, or always in their order."""
        trees = self.nodes.tree[proposals.parents]
        if not self.ground.settings.round_robin:
            return np.argsort(np.lexsort((proposals.parents, trees)), kind="stable")
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

    def _unfinished(self) -> SegmentProposals:
        """Tips that have reached their points before they stand out of the branch they come from go straight on."""
        nodes = self.nodes
        stubs = nodes.is_tip & (self._load() == 0) & self._short() & (nodes.failures[nodes.live] < PATIENCE)
        parents = np.flatnonzero(stubs & (nodes.parent[nodes.live] >= 0))
        return SegmentProposals(parents, nodes.headings[parents], np.ones(len(parents)))

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
