"""The points of tissue that colonies compete for: who may have them, and which node is nearest to each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.backends import (
    DepthReference,
    ExcludedSphere,
    Mixed,
    SpaceColonizationParams,
    TissueSamplingPolicy,
)
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network import DomainProbe, Floats, Ints, Opening
from loopwright.agents.designspec.network.proximity import ColonyNodes
from loopwright.kernel.errors import InvalidInput

# What space colonisation is told, with lengths that suit the size of the domain where the document says nothing.

INFLUENCE_SHARE, KILL_SHARE = 1 / 10, 1 / 30
"""Influence and kill radius as shares of the domain's scale, the cube root of its bounds' volume."""
SPACING_KILL_SHARE = 0.3
"""A branch must not use up the tissue of the ends beside it: share of the ends' usual distance."""
SMALLEST_FORK_DEG = 50.0
"""Branches that leave a node closer together than this stay within each other's clearance for too long."""


@dataclass(frozen=True)
class ColonySettings:
    """How colonies grow; lengths in metres, angles in degrees.

    `attractors` is how many points of tissue are wanted at most; `target` and `tolerance` are those of the terminals.
    """

    attractors: int
    influence: float
    influence_told: bool
    kill: float
    step: float
    clearance: float
    iterations: int
    stall_steps: int
    bias: float
    axis: Floats | None
    deviation_deg: float
    upward_forbidden: bool
    bifurcate: bool
    bifurcation_probability: float
    bifurcation_attractions: int
    bifurcation_deg: float
    children: int
    branch_after: float
    branch_every: float
    mode: str
    blend: float
    merge_distance: float
    round_robin: bool
    target: int | None
    tolerance: float
    longest: float
    shortest: float
    tissue: TissueSamplingPolicy


def colony_settings(policies: Policies, probe: DomainProbe) -> ColonySettings:
    """Read the growth policy and its `backend_params`."""
    growth = policies.growth
    params = SpaceColonizationParams.model_validate(growth.backend_params)
    told = params.model_fields_set
    low, high = probe.bounds
    scale = float(np.prod(np.maximum(high - low, 1e-12)) ** (1 / 3))
    influence = params.influence_radius if "influence_radius" in told else scale * INFLUENCE_SHARE
    kill = min(scale * KILL_SHARE, influence / 2)
    if growth.target_terminals is not None:
        kill = min(kill, SPACING_KILL_SHARE * scale / growth.target_terminals ** (1 / 3))
    kill = params.kill_radius if "kill_radius" in told else kill
    step = params.step_size or (growth.step_size if "step_size" in growth.model_fields_set else kill / 2)
    tissue = params.tissue_sampling or policies.tissue_sampling
    return ColonySettings(
        attractors=min(params.num_attraction_points, tissue.n_points)
        if tissue.enabled
        else params.num_attraction_points,
        influence=max(influence, kill),
        influence_told="influence_radius" in told,
        kill=kill,
        # a longer step would jump over what it is meant to reach
        step=min(step, kill),
        clearance=policies.collision.collision_clearance if policies.collision.enabled else 0.0,
        iterations=growth.max_iterations,
        stall_steps=params.stall_steps_per_inlet,
        bias=params.directional_bias,
        axis=None if params.primary_axis is None else _unit(np.asarray(params.primary_axis)),
        deviation_deg=params.max_deviation_deg,
        upward_forbidden=params.upward_forbidden,
        bifurcate=params.encourage_bifurcation or "encourage_bifurcation" not in told,
        bifurcation_probability=params.bifurcation_probability,
        bifurcation_attractions=params.min_attractions_for_bifurcation,
        bifurcation_deg=params.bifurcation_angle_threshold_deg,
        children=params.max_children_per_node,
        branch_after=params.branch_enable_after_distance,
        branch_every=params.min_branch_segment_length,
        mode=params.multi_inlet_mode,
        blend=params.multi_inlet_blend_sigma or scale / 6,
        merge_distance=params.collision_merge_distance,
        round_robin=params.interleaving_strategy == "round_robin",
        target=growth.target_terminals,
        tolerance=growth.terminal_tolerance,
        longest=growth.max_segment_length,
        shortest=growth.min_segment_length,
        tissue=tissue if tissue.enabled else TissueSamplingPolicy(enabled=True),
    )


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-30))


# Tissue sampling: points of the domain that want to be reached by a vessel.

FACES = {
    "top": (2, 1), "+z": (2, 1), "bottom": (2, -1), "-z": (2, -1),
    "right": (0, 1), "+x": (0, 1), "left": (0, -1), "-x": (0, -1),
    "back": (1, 1), "+y": (1, 1), "front": (1, -1), "-y": (1, -1),
}  # fmt: skip
"""A face as axis and side."""

MOST_DRAWS_PER_POINT = 60
"""How many points are drawn at most for each that is wanted; what is still missing then is not made up."""

DEEPEST_MIXTURE = 3

Weigh = Callable[[Floats], Floats]
Keep = Callable[[Floats], NDArray[np.bool_]]


def sample_tissue(
    probe: DomainProbe,
    policy: TissueSamplingPolicy,
    openings: Sequence[Opening],
    count: int,
    random: np.random.Generator,
) -> Floats:
    """Draw points of the tissue that wants to be reached.

    Args:
        probe: the domain.
        policy: strategy and limits; its own `seed` wins over `random`.
        openings: ports, from which `min_distance_to_ports` is kept.
        count: how many points are wanted.
        random: where chance comes from.

    Returns:
        (n, 3) in metres, all inside the domain. n is below `count` where the limits leave too little space.

    Raises:
        InvalidInput: a mixture is empty or nests too deep.
    """
    if policy.seed is not None:
        random = np.random.default_rng(policy.seed)
    return _sample(probe, policy, _limits(policy, openings), openings, max(count, 0), random)


def _sample(
    probe: DomainProbe,
    policy: TissueSamplingPolicy,
    keep: Keep,
    openings: Sequence[Opening],
    count: int,
    random: np.random.Generator,
    deepest: int = DEEPEST_MIXTURE,
) -> Floats:
    """Sample by one policy; a mixture's parts keep its limits and their own."""
    if policy.strategy == "mixture":
        drawn = [np.empty((0, 3))]
        parts = _mixture(policy, deepest)
        for part, share in zip(parts, _shares(count, [part.weight for part in parts]), strict=True):
            within = _both(keep, _limits(part.policy, openings))
            drawn.append(_sample(probe, part.policy, within, openings, share, random, deepest - 1))
        return random.permutation(np.concatenate(drawn))
    if policy.strategy == "gaussian":
        return _collect(count, _gaussian(probe, policy, random), keep)
    weigh = _weight(probe, policy)

    def draw(wanted: int) -> Floats:
        points = probe.sample(wanted, random)
        return points[random.random(len(points)) < weigh(points)]

    return _collect(count, draw, keep)


def _collect(count: int, draw: Callable[[int], Floats], keep: Keep) -> Floats:
    """Draw until there are enough, or until more draws would be a waste."""
    found: list[Floats] = [np.empty((0, 3))]
    have, drawn, batch = 0, 0, max(2 * count, 64)
    while have < count and drawn < MOST_DRAWS_PER_POINT * count:
        points = draw(batch)
        points = points[keep(points)]
        found.append(points)
        have, drawn = have + len(points), drawn + batch
        # so many more as the share that passed up to now makes necessary
        batch = int(np.clip((count - have) * drawn / max(have, 1) * 1.2, 64, 8 * max(count, 64)))
    return np.concatenate(found)[:count]


def _limits(policy: TissueSamplingPolicy, openings: Sequence[Opening]) -> Keep:
    """What keeps away from ports and excluded spheres, whatever the strategy."""
    balls = [(opening.position, policy.min_distance_to_ports) for opening in openings]
    for given in policy.exclude_spheres:
        sphere = ExcludedSphere.model_validate(given)
        balls.append((sphere.center, sphere.radius))

    def keep(points: Floats) -> NDArray[np.bool_]:
        passed = np.ones(len(points), dtype=bool)
        for centre, reach in balls:
            passed &= np.linalg.norm(points - np.asarray(centre), axis=1) >= reach
        return passed

    return keep


def _both(first: Keep, second: Keep) -> Keep:
    return lambda points: first(points) & second(points)


def _mixture(policy: TissueSamplingPolicy, deepest: int) -> list[Mixed]:
    """The parts of a mixture with their weights."""
    if deepest < 1:
        raise InvalidInput(f"tissue_sampling: mixtures nest deeper than {DEEPEST_MIXTURE}.")
    if not policy.mixture_components:
        raise InvalidInput(
            "tissue_sampling/mixture_components: a mixture needs at least one part.",
            hint='A part is {"weight": 0.8, "policy": {"strategy": "uniform"}}.',
        )
    return [Mixed.model_validate(part) for part in policy.mixture_components]


def _shares(count: int, weights: list[float]) -> list[int]:
    """Whole numbers that sum to `count`, as near to the weights as can be (largest remainder)."""
    exact = np.asarray(weights) / sum(weights) * count
    shares = np.floor(exact).astype(int)
    by_remainder = np.argsort(-(exact - shares), kind="stable")
    shares[by_remainder[: count - int(shares.sum())]] += 1
    return [int(share) for share in shares]


def _gaussian(probe: DomainProbe, policy: TissueSamplingPolicy, random: np.random.Generator) -> Callable[[int], Floats]:
    low, high = probe.bounds
    mean = np.asarray(policy.gaussian_mean if policy.gaussian_mean is not None else (low + high) / 2)
    sigma = np.abs(np.asarray(policy.gaussian_sigma if policy.gaussian_sigma is not None else (high - low) / 4))

    def draw(wanted: int) -> Floats:
        points = random.normal(size=(wanted, 3)) * sigma + mean
        return np.asarray(points[probe.inside(points)])

    return draw


def _weight(probe: DomainProbe, policy: TissueSamplingPolicy) -> Weigh:
    if policy.strategy == "depth_biased":
        return _depth_weight(probe, policy)
    if policy.strategy == "radial_biased":
        return _radial_weight(probe, policy)
    if policy.strategy == "boundary_shell":
        return lambda points: (probe.depth(points) <= policy.shell_thickness).astype(float)
    return lambda points: np.ones(len(points))


def _depth_weight(probe: DomainProbe, policy: TissueSamplingPolicy) -> Weigh:
    """More points the deeper below the reference: its share of the depth range, to a power, or exponentially.

    `depth_reference` is `{"mode": "face", "face": "top"}` (the plane of the bounds' face) or `{"mode": "boundary"}`.
    `depth_lambda` is the rate over the whole range: the deepest points are e^lambda times as frequent as the shallow.
    """
    reference = DepthReference.model_validate(policy.depth_reference or {})
    mode, (axis, side) = reference.mode, FACES[reference.face]
    low, high = probe.bounds
    deepest = float(high[axis] - low[axis]) if mode == "face" else float((high - low).min() / 2)
    near, far = policy.depth_min, min(policy.depth_max or deepest, deepest)

    def weigh(points: Floats) -> Floats:
        if mode == "boundary":
            depth = probe.depth(points)
        else:
            depth = high[axis] - points[:, axis] if side > 0 else points[:, axis] - low[axis]
        share = (depth - near) / max(far - near, 1e-12)
        within = (share >= 0) & (share <= 1)
        share = np.clip(share, 0, 1)
        if policy.depth_distribution == "linear":
            weight = share
        elif policy.depth_distribution == "power":
            weight = share**policy.depth_power
        else:
            weight = np.exp((policy.depth_lambda or 3.0) * (share - 1))
        return np.where(within, weight, 0.0)

    return weigh


def _radial_weight(probe: DomainProbe, policy: TissueSamplingPolicy) -> Weigh:
    """By the distance from the upright axis through the middle of the bounds: at the centre, at the edge, on a ring."""
    low, high = probe.bounds
    centre = (low + high)[:2] / 2
    near, far = policy.r_min, policy.r_max or float((high - low)[:2].max() / 2)

    def weigh(points: Floats) -> Floats:
        radius = np.linalg.norm(points[:, :2] - centre, axis=1)
        share = (radius - near) / max(far - near, 1e-12)
        within = (share >= 0) & (share <= 1)
        share = np.clip(share, 0, 1)
        if policy.radial_distribution == "center_heavy":
            weight = (1 - share) ** policy.radial_power
        elif policy.radial_distribution == "edge_heavy":
            weight = share**policy.radial_power
        else:
            weight = (1 - np.abs(2 * share - 1)) ** policy.radial_power
        return np.where(within, weight, 0.0)

    return weigh


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
