"""Where colonies want to grow next: directions out of the pull of the tissue."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network import Floats, Ints
from loopwright.agents.designspec.network.proximity import ColonyNodes
from loopwright.agents.designspec.network.space_colonization_tissue import SMALLEST_FORK_DEG, ColonySettings, Tissue

STEADINESS = 0.35
"""The weight of a tip's own heading against the pull: it smooths what many points jerk about."""
SHARPEST_TURN_DEG = 50.0
ENOUGH_FOR_TWO, ENOUGH_FOR_ONE = 1.6, 0.6
"""So many ends a tip must be meant to feed before it forks, and a side branch before it sprouts."""
NEXT_BEST = 1.25
"""Where no point is within the influence radius, those up to so many times the nearest one's distance count."""


@dataclass(frozen=True)
class SegmentProposals:
    """Children that want to grow: from which nodes (k,), in which directions (k, 3), to feed how many points (k,)."""

    parents: Ints
    directions: Floats
    points: Floats

    def __len__(self) -> int:
        return len(self.parents)

    def joined(self, other: "SegmentProposals") -> "SegmentProposals":
        """These and others, which have other parents."""
        return SegmentProposals(
            np.concatenate([self.parents, other.parents]),
            np.concatenate([self.directions, other.directions]),
            np.concatenate([self.points, other.points]),
        )


@dataclass(frozen=True)
class GrowthBudget:
    """How many ends are meant to grow for each point of tissue, and how many new ones at most in this round.

    `idle` is for how many rounds nothing has grown: what is left then is served by whoever is there.
    """

    ends_per_point: float
    most_new: float
    idle: int


def proposals_of(
    nodes: ColonyNodes,
    tissue: Tissue,
    axes: Floats,
    settings: ColonySettings,
    may_fork: NDArray[np.bool_],
    budget: GrowthBudget,
    random: np.random.Generator,
) -> SegmentProposals:
    """What every node that feels a pull wants to do.

    Args:
        nodes: the nodes.
        tissue: the points of tissue.
        axes: (trees, 3), where the trees are headed.
        settings: how colonies grow.
        may_fork: (n,) which tips may split in two.
        budget: how many ends may come of it.
        random: where chance comes from.
    """
    rows = _felt(nodes, tissue, settings)
    if not len(rows):
        return SegmentProposals(np.zeros(0, dtype=np.int64), np.zeros((0, 3)), np.zeros(0))
    parents, group, count = np.unique(tissue.node[rows], return_inverse=True, return_counts=True)
    pull = _units(tissue.points[rows] - nodes.positions[tissue.node[rows]])
    weight = tissue.pull[rows, nodes.tree[tissue.node[rows]]]
    mean = _sums(pull * weight[:, None], group, len(parents))
    load = np.bincount(tissue.node[tissue.free & (tissue.node >= 0)], minlength=nodes.count)[parents].astype(float)
    chance = random.random(nodes.count)[parents] < settings.bifurcation_probability
    share = load * budget.ends_per_point
    tip = nodes.children[parents] == 0
    # a side branch for a point that another branch is going to take is one too many
    sprouts = ~tip & (share * 2.0**budget.idle >= ENOUGH_FOR_ONE)
    forks = may_fork[parents] & chance & (share >= ENOUGH_FOR_TWO) & (count >= settings.bifurcation_attractions)
    chosen = _worthiest(sprouts | forks, share, budget.most_new)
    worth, forks = tip | (sprouts & chosen), forks & chosen
    if not worth.all():
        number = np.cumsum(worth) - 1
        of_worth = worth[group]
        pull, weight, group = pull[of_worth], weight[of_worth], number[group[of_worth]]
        parents, mean, load, forks = parents[worth], mean[worth], load[worth], forks[worth]
    single = _steer(nodes, parents, mean, axes, settings)
    halves = _halves(pull, weight, group, len(parents), forks)
    if halves is None:
        return SegmentProposals(parents, single, load)
    split, first, second, part = halves
    first, second = (_steer(nodes, parents[split], way, axes, settings) for way in (first, second))
    wide = _angles(first, second) >= settings.bifurcation_deg
    split, first, second, part = split[wide], first[wide], second[wide], part[wide]
    first, second = _spread(first, second)
    alone = np.ones(len(parents), dtype=bool)
    alone[split] = False
    return _ordered(
        np.concatenate([parents[alone], parents[split], parents[split]]),
        np.concatenate([single[alone], first, second]),
        np.concatenate([load[alone], load[split] * part, load[split] * (1 - part)]),
    )


def _worthiest(which: NDArray[np.bool_], share: Floats, most: float) -> NDArray[np.bool_]:
    """So many of these at most, those with the largest shares."""
    if int(which.sum()) <= most:
        return which
    rows = np.flatnonzero(which)
    chosen = np.zeros(len(which), dtype=bool)
    chosen[rows[np.argsort(-share[rows], kind="stable")[: int(most)]]] = True
    return chosen


def _ordered(parents: Ints, directions: Floats, points: Floats) -> SegmentProposals:
    order = np.lexsort((np.arange(len(parents)), parents))
    return SegmentProposals(parents[order], directions[order], points[order])


def _felt(nodes: ColonyNodes, tissue: Tissue, settings: ColonySettings) -> Ints:
    """The points whose pull is felt: those within the influence radius; a tree that feels none takes the nearest."""
    near = tissue.free & (tissue.node >= 0)
    felt = near & (tissue.distance <= settings.influence)
    tree = np.where(near, nodes.tree[tissue.node], -1)
    for number in np.unique(tree[near]):
        mine = tree == number
        if not (felt & mine).any():
            felt |= mine & (tissue.distance <= NEXT_BEST * tissue.distance[mine].min())
    return np.flatnonzero(felt)


def _steer(nodes: ColonyNodes, parents: Ints, pull: Floats, axes: Floats, settings: ColonySettings) -> Floats:
    """The pull, steadied by the tip's heading and the bias, within the permitted cone."""
    axis = axes[nodes.tree[parents]]
    tip = (nodes.children[parents] == 0)[:, None]
    way = _units(pull)
    way = _units(np.where(tip, way + STEADINESS * nodes.headings[parents], way))
    way = _units((1 - settings.bias) * way + settings.bias * axis)
    way = np.where(tip, within_cone(way, nodes.headings[parents], SHARPEST_TURN_DEG), way)
    way = _away_from_twin(nodes, parents, way)
    return permitted(way, nodes.headings[parents], axis, settings)


def permitted(way: Floats, heading: Floats, axis: Floats, settings: ColonySettings) -> Floats:
    """Directions as the document permits them: no farther off the branch's heading, and not against the tree's axis.

    `max_deviation_deg` speaks of the heading: of the axis it would make `upward_forbidden` say nothing.
    """
    if settings.deviation_deg < 180.0:
        way = within_cone(way, heading, settings.deviation_deg)
    return within_cone(way, axis, 90.0) if settings.upward_forbidden else way


def _away_from_twin(nodes: ColonyNodes, parents: Ints, way: Floats) -> Floats:
    """A side branch leaves the branch that is there at no less than the smallest fork."""
    child = nodes.first_child[parents]
    grown = child >= 0
    twin = np.where(grown[:, None], nodes.headings[child], -way)
    turned = outside_cone(way, twin, SMALLEST_FORK_DEG)
    return np.where(grown[:, None], turned, way)


def within_cone(way: Floats, axis: Floats, widest_deg: float) -> Floats:
    """Unit vectors turned towards their axes until they are within the angle."""
    return _turned(way, axis, widest_deg, np.einsum("ij,ij->i", way, axis) < np.cos(np.radians(widest_deg)))


def outside_cone(way: Floats, axis: Floats, narrowest_deg: float) -> Floats:
    """Unit vectors turned away from their axes until they are at least the angle off."""
    return _turned(way, axis, narrowest_deg, np.einsum("ij,ij->i", way, axis) > np.cos(np.radians(narrowest_deg)))


def _turned(way: Floats, axis: Floats, angle_deg: float, which: NDArray[np.bool_]) -> Floats:
    across = way - np.einsum("ij,ij->i", way, axis)[:, None] * axis
    length = np.linalg.norm(across, axis=1)
    # what points straight along its axis may be turned to any side
    other = np.cross(axis, np.where(np.abs(axis[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]))
    across = _units(np.where((length > 1e-9)[:, None], across, other))
    angle = np.radians(angle_deg)
    return np.where(which[:, None], np.cos(angle) * axis + np.sin(angle) * across, way)


def _halves(
    pull: Floats, weight: Floats, group: Ints, groups: int, forks: NDArray[np.bool_]
) -> tuple[Ints, Floats, Floats, Floats] | None:
    """The points of forking nodes in two: split across the direction in which they spread most (principal axis)."""
    if not forks.any():
        return None
    total = np.bincount(group, weight, groups)
    mean = _sums(pull * weight[:, None], group, groups) / np.maximum(total, 1e-30)[:, None]
    off = pull - mean[group]
    spread = _sums((off[:, :, None] * off[:, None, :] * weight[:, None, None]).reshape(-1, 9), group, groups)
    _, vectors = np.linalg.eigh(spread[forks].reshape(-1, 3, 3))
    main = np.zeros((groups, 3))
    # an eigenvector's sign is arbitrary: fixed, so that every machine splits alike
    found = vectors[:, :, -1]
    strongest = np.take_along_axis(found, np.abs(found).argmax(axis=1)[:, None], axis=1)
    main[forks] = found * np.sign(strongest)
    side = np.einsum("ij,ij->i", off, main[group]) > 0
    first = _sums(np.where(side[:, None], pull * weight[:, None], 0.0), group, groups)
    second = _sums(np.where(side[:, None], 0.0, pull * weight[:, None]), group, groups)
    share = np.bincount(group, side.astype(float), groups) / np.maximum(np.bincount(group, minlength=groups), 1)
    split = np.flatnonzero(forks & (share > 0.0) & (share < 1.0))
    return split, first[split], second[split], share[split]


def _spread(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Both branches of a fork turned apart until they are at the smallest fork."""
    middle = _units(first + second)
    return tuple(outside_cone(way, middle, SMALLEST_FORK_DEG / 2) for way in (first, second))  # type: ignore[return-value]  # two in, two out


def _angles(first: Floats, second: Floats) -> Floats:
    return np.asarray(np.degrees(np.arccos(np.clip(np.einsum("ij,ij->i", first, second), -1.0, 1.0))))


def _units(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30))


def _sums(values: Floats, group: Ints, groups: int) -> Floats:
    return np.stack([np.bincount(group, column, groups) for column in values.T], axis=1)
