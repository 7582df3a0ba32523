"""One growth of a scaffold, level by level: the branches that each split proposes, and those that find space."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.backends import OnlineCollisions, ScaffoldParams
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network import (
    DomainProbe,
    Floats,
    Ints,
    Margins,
    Progress,
    TreePlan,
    levels_of,
    margins,
    step_and_spread,
)
from loopwright.agents.designspec.network.proximity import Rods, join_rods
from loopwright.agents.designspec.network.scaffold_topdown_fitting import (
    BranchProposal,
    Joint,
    Scaffold,
    Standing,
    clear,
    drawn_inside,
    inside,
)
from loopwright.kernel.errors import InvalidInput

# The shapes of branches: chords that are varied until one fits, and the curves over them.


def unit(vectors: Floats) -> Floats:
    """(n, 3) vectors of length 1; zero stays zero."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-18))


def within_cone(chords: Floats, directions: Floats, degrees: float) -> Floats:
    """The chords (n, 3), turned towards their parents' directions where they leave the cone about them."""
    lengths = np.linalg.norm(chords, axis=1, keepdims=True)
    limit = np.radians(degrees)
    along = (chords * directions).sum(axis=1, keepdims=True)
    angle = np.arccos(np.clip(along / np.maximum(lengths, 1e-18), -1.0, 1.0))
    sideways = chords - along * directions
    lost = np.linalg.norm(sideways, axis=1) < 1e-12
    sideways[lost] = any_normal(directions[lost])
    turned = np.cos(limit) * directions + np.sin(limit) * unit(sideways)
    return np.asarray(np.where(angle > limit, turned * lengths, chords))


def spread_apart(chords: Floats, aside: Floats, degrees: float) -> Floats:
    """Siblings' chords (n, 3), turned away from each other until they are at least so many degrees apart.

    `aside` (n, 3) says which way to part where two chords have the same direction.
    """
    lengths = np.linalg.norm(chords, axis=1, keepdims=True)
    ways = unit(chords)
    for _ in range(12):
        push = np.zeros_like(ways)
        for one in range(len(ways)):
            for two in range(one):
                cosine = float(np.clip(ways[one] @ ways[two], -1.0, 1.0))
                lacking = np.radians(degrees) - np.arccos(cosine)
                if lacking > 1e-3:
                    apart = ways[one] - ways[two] + 0.05 * (aside[one] - aside[two])
                    apart = apart / max(float(np.linalg.norm(apart)), 1e-18)
                    push[one] += apart * lacking / 2
                    push[two] -= apart * lacking / 2
        if not push.any():
            break
        ways = unit(ways + push)
    return np.asarray(ways * lengths)


def any_normal(directions: Floats) -> Floats:
    """(n, 3): a vector of length 1 across each direction."""
    helper = np.eye(3)[np.argmin(np.abs(directions), axis=1)] if len(directions) else np.zeros((0, 3))
    return unit(np.cross(directions, helper))


def turn(vectors: Floats, axes: Floats, angles: Floats) -> Floats:
    """Vectors (n, 3) turned about axes (n, 3) by angles (n,) in radians (Rodrigues)."""
    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
    along = (vectors * axes).sum(axis=1, keepdims=True)
    return np.asarray(vectors * cosine + np.cross(axes, vectors) * sine + axes * along * (1 - cosine))


def variations(online: OnlineCollisions) -> Floats:
    """(k, 3): how a chord is varied, the mildest first: turned about its parent's direction, lifted, and shortened.

    Columns: turn and lift in radians, length as a share.
    """
    if not online.enabled:
        return np.array([[0.0, 0.0, 1.0]])
    turns = np.concatenate([[0.0], *([k, -k] for k in range(1, online.rotation_attempts // 2 + 1))])
    turns = turns * np.pi / max(online.rotation_attempts // 2, 1)
    lengths = (1.0, *online.reduction_factors)
    table = np.array([(a, b, c) for a in turns for b in np.radians([0, 25, -25, 50, -50]) for c in lengths])
    cost = np.abs(table[:, 0]) / 0.8 + np.abs(table[:, 1]) / 0.6 + (1 - table[:, 2]) * 1.6
    return np.asarray(table[np.argsort(cost, kind="stable")][: max(online.max_attempts_per_child, 1)])


def curves(starts: Floats, directions: Floats, chords: Floats, curvature: float, pieces: int) -> Floats:
    """(n, pieces + 1, 3): quadratic Bézier curves that leave along the parents' directions and end at the chords'."""
    lengths = np.linalg.norm(chords, axis=1, keepdims=True)
    # the handle lies between the chord's middle (a straight line) and the parent's direction
    bend = np.clip(curvature, 0.0, 1.0)
    handle = starts + (1 - bend) * chords / 2 + bend * directions * lengths / 2
    share = np.linspace(0.0, 1.0, pieces + 1)[None, :, None]
    first, middle, last = starts[:, None, :], handle[:, None, :], (starts + chords)[:, None, :]
    return np.asarray((1 - share) ** 2 * first + 2 * share * (1 - share) * middle + share**2 * last)


# Who feeds what: the tissue is shared out among the trees, and each branch shares its part among its children.

POINTS_PER_END = 48
FEWEST, MOST = 4_000, 240_000


def tissue_points(probe: DomainProbe, ends: int, wall: float, random: np.random.Generator) -> Floats:
    """(k, 3): points spread evenly over what lies at least `wall` deep, enough for so many ends."""
    count = int(np.clip(ends * POINTS_PER_END, FEWEST, MOST))
    points = probe.sample(count, random)
    deep = probe.depth(points) >= wall
    return np.asarray(points[deep] if int(deep.sum()) >= 32 else points)


def share_out(points: Floats, roots: Floats, weights: Floats) -> Ints:
    """(k,): the root (n, 3) to which each point belongs, so that the shares follow the weights (n,) roughly.

    A power diagram whose offsets are adjusted in rounds: the cells stay convex, so trees do not grow through each
    other. No cell loses the surroundings of its own root, since the offsets are bounded by the roots' distances.
    """
    if len(roots) == 1:
        return np.zeros(len(points), dtype=np.int64)
    squares = ((points[:, None, :] - roots[None, :, :]) ** 2).sum(axis=2)
    wanted = weights / weights.sum() * len(points)
    apart = cKDTree(roots).query(roots, k=2)[0][:, 1]
    most = 0.5 * float(apart.min()) ** 2
    offset = np.zeros(len(roots))
    for _ in range(24):
        owner = np.argmin(squares - offset, axis=1)
        held = np.bincount(owner, minlength=len(roots))
        offset = np.clip(offset + 0.1 * most * (wanted - held) / np.maximum(wanted, 1.0), -most / 2, most / 2)
    return np.asarray(np.argmin(squares - offset, axis=1), dtype=np.int64)


def split_territory(points: Floats, rows: Ints, budgets: list[int], along: Floats | None) -> list[Ints]:
    """Part the points `rows` among children in proportion to their budgets, by planes across the longest extent.

    Args:
        points: (k, 3) all points.
        rows: the parent's.
        budgets: how many ends each child is to have.
        along: a direction that the planes must hold (so that the parts lie beside each other); None for any.
    """
    if len(budgets) == 1:
        return [rows]
    half = len(budgets) // 2
    first, second = sum(budgets[:half]), sum(budgets[half:])
    if len(rows) < 2:
        return [rows for _ in budgets]
    mine = points[rows]
    direction = _longest(mine, along)
    order = np.argsort((mine - mine.mean(axis=0)) @ direction, kind="stable")
    cut = int(np.clip(round(len(rows) * first / (first + second)), 1, len(rows) - 1))
    return [
        *split_territory(points, rows[np.sort(order[:cut])], budgets[:half], along),
        *split_territory(points, rows[np.sort(order[cut:])], budgets[half:], along),
    ]


def _longest(points: Floats, along: Floats | None) -> Floats:
    centred = points - points.mean(axis=0)
    if along is not None:
        centred = centred - np.outer(centred @ along, along)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    direction = vectors[:, -1]
    # the sign of an eigenvector is the library's whim
    return np.asarray(direction * (1.0 if direction[int(np.argmax(np.abs(direction)))] > 0 else -1.0))


def share_budget(budget: int, splits: int) -> list[int]:
    """Ends for each of at most `splits` children, as even as whole numbers allow."""
    children = min(splits, budget)
    return [budget // children + (k < budget % children) for k in range(children)]


STEM_PIECES = 4
SIBLINGS_APART = 75.0
"""Degrees between siblings at least, before they are varied."""
PART_OF_THE_WAY, REACH_OF_ENDS = 0.4, 1.3
"""How far branches go towards the middle of their tissue: one that will split often stops early, so that most of the
tissue lies ahead of it; the last one goes beyond. (Of the shares tried, these fed the most ends most evenly.)
"""
SHORTEST = 1.15
"""How long branches are proposed at least, in multiples of their own and their parent's radius."""


class ScaffoldGrowth:
    """One attempt to grow the trees of a plan, level by level."""

    def __init__(
        self,
        plans: list[TreePlan],
        probe: DomainProbe,
        params: ScaffoldParams,
        policies: Policies,
        obstacles: Rods | None,
        random: np.random.Generator,
    ) -> None:
        self.plans, self.probe, self.params, self.policies, self.random = plans, probe, params, policies, random
        self.margins: Margins = margins(params, policies)
        self.obstacles = obstacles or join_rods([])
        self.scaffold = Scaffold(plans)
        self.variations = variations(params.collision_online)
        self.levels = max(levels_of(plan.ends, params.splits) for plan in plans)
        thinnest = min(plan.end_radius for plan in plans)
        self.points = tissue_points(probe, sum(plan.ends for plan in plans), self.margins.aim + thinnest, random)

    def run(self, progress: Progress) -> Scaffold:
        """Grow until every end is reached or given up."""
        waiting = self._stems()
        level = 0
        while waiting and level < self.policies.growth.max_iterations:
            progress(min(level / (self.levels + 1), 0.99), f"growing level {level + 1} of {self.levels}")
            proposals = [proposal for joint in waiting for proposal in self._proposals(joint)]
            waiting = [joint for joint in self._fit(proposals) if self.scaffold.joints[joint].budget > 1]
            level += 1
        return self.scaffold

    def _stems(self) -> list[int]:
        """Lead every opening to its first split."""
        lengths = [self._stem_length(plan) for plan in self.plans]
        heads = np.array([
            np.asarray(plan.opening.position) + np.asarray(plan.opening.direction) * length
            for plan, length in zip(self.plans, lengths, strict=True)
        ])  # fmt: skip
        owner = share_out(self.points, heads, np.array([float(plan.ends) for plan in self.plans]))
        joints = []
        for tree, plan in enumerate(self.plans):
            radius = plan.radius(self.policies, plan.ends, 0)
            start, way = np.asarray(plan.opening.position), heads[tree] - np.asarray(plan.opening.position)
            share = np.linspace(0.0, 1.0, STEM_PIECES + 1)
            width = plan.opening.radius + (radius - plan.opening.radius) * share
            joint = Joint(tree, heads[tree], unit(way), 0, plan.ends, np.flatnonzero(owner == tree), -1)
            thickness = np.stack([width[:-1], width[1:]], axis=1)
            joints.append(self.scaffold.grow(joint, start + share[:, None] * way, thickness, -1))
        return [joint for joint in joints if self.scaffold.joints[joint].budget > 1]

    def _stem_length(self, plan: TreePlan) -> float:
        """How far a stem goes until its head has its distance to all walls."""
        size = float(np.linalg.norm(self.probe.bounds[1] - self.probe.bounds[0]))
        need = plan.radius(self.policies, plan.ends, 0) + self.margins.wall
        first = need if "step_length" not in self.params.model_fields_set else self.params.step_length
        ways = np.linspace(0.0, size, 513)[1:]
        line = np.asarray(plan.opening.position) + ways[:, None] * np.asarray(plan.opening.direction)
        depth = self.probe.depth(line)
        good = ways[(depth >= need) & (ways >= first)]
        if not len(good):
            good = ways[depth >= need]
        if not len(good):
            raise InvalidInput(
                f"/components/{plan.opening.component_id}/ports: {plan.opening.name!r} has no space for its channel: "
                f"it needs {need:g} m to the walls (radius and margin), and finds {max(depth.max(), 0.0):g} m",
                hint="Make the channel thinner, lower wall_margin_m, or move the port.",
            )
        return float(good[0])

    def _proposals(self, number: int) -> list[BranchProposal]:
        """What a joint's children are to be."""
        joint = self.scaffold.joints[number]
        plan = self.plans[joint.tree]
        budgets = share_budget(joint.budget, max(self.params.splits, 2 if joint.budget > 1 else 1))
        along = self._split_plane(joint, plan)
        parts = split_territory(self.points, joint.rows, budgets, along)
        radii = [plan.radius(self.policies, budget, joint.level + 1) for budget in budgets]
        chords = np.array([self._chord(joint, plan, rows, budget) for rows, budget in zip(parts, budgets, strict=True)])
        middles = np.array([self._middle(joint, plan, rows) for rows in parts])
        shortest = np.array(radii)[:, None] + self.scaffold.branches[joint.branch].radii[-1, 1]
        chords = spread_apart(chords, unit(middles - middles.mean(axis=0)), SIBLINGS_APART)
        chords = unit(chords) * np.maximum(
            np.linalg.norm(chords, axis=1, keepdims=True), SHORTEST * (shortest + self.margins.clearance)
        )
        return [
            BranchProposal(number, chord, budget, rows, radius)
            for chord, budget, rows, radius in zip(chords, budgets, parts, radii, strict=True)
        ]

    def _split_plane(self, joint: Joint, plan: TreePlan) -> Floats | None:
        """The direction beside which children share the tissue; where none is told, they share it in any direction."""
        if "branch_plane_mode" not in self.params.model_fields_set:
            return None
        return plan.axis if self.params.branch_plane_mode == "global" else joint.direction

    def _middle(self, joint: Joint, plan: TreePlan, rows: Ints) -> Floats:
        return np.asarray(self.points[rows].mean(axis=0) if len(rows) else joint.position + plan.axis * 1e-6)

    def _chord(self, joint: Joint, plan: TreePlan, rows: Ints, budget: int) -> Floats:
        """From a joint towards the middle of a child's tissue, as far as the level's step and spread reach."""
        toward = self._middle(joint, plan, rows) - joint.position
        mine = self.points[rows] if len(rows) else joint.position[None]
        space = np.array([float(np.quantile((mine - joint.position) @ plan.axis, 0.95))])
        step, spread = step_and_spread(self.params, joint.level, self.levels, space)
        part = PART_OF_THE_WAY + (REACH_OF_ENDS - PART_OF_THE_WAY) / budget
        ahead = float(toward @ plan.axis)
        sideways = (toward - ahead * plan.axis) * part
        forward = min(float(step[0]), max(ahead, 0.0) + float(step[0]) / 2)
        wide = float(np.linalg.norm(sideways))
        return np.asarray(plan.axis * forward + sideways * min(1.0, spread / max(wide, 1e-18)))

    def _fit(self, proposals: list[BranchProposal]) -> list[int]:
        """Grow what can be grown of a level; returns the new joints."""
        jitter = np.radians(self.params.jitter_deg) * self.random.uniform(-1.0, 1.0, (len(proposals), 2))
        waiting = np.arange(len(proposals))
        grown: list[int] = []
        for boost, shrink in self._rounds():
            for variation in self.variations:
                if not len(waiting):
                    return grown
                chosen = [proposals[row] for row in waiting]
                paths = self._paths(chosen, jitter[waiting], variation, boost, shrink)
                fits = self._fits(chosen, paths)
                if self.params.clamp_mode == "terminate":
                    outside = ~inside(
                        self.probe, paths, np.array([proposal.radius for proposal in chosen]), self.margins
                    )
                    waiting, fits, chosen, paths = self._without(outside, waiting, fits, chosen, paths)
                grown.extend(self._build(chosen[row], paths[row]) for row in np.flatnonzero(fits))
                waiting = waiting[~fits]
        return grown

    def _without(
        self,
        outside: NDArray[np.bool_],
        waiting: Ints,
        fits: NDArray[np.bool_],
        chosen: list[BranchProposal],
        paths: Floats,
    ) -> tuple[Ints, NDArray[np.bool_], list[BranchProposal], Floats]:
        """Give up what leaves the domain at once."""
        rest = np.flatnonzero(~outside)
        return waiting[rest], fits[rest], [chosen[row] for row in rest], paths[rest]

    def _rounds(self) -> list[tuple[float, float]]:
        online = self.params.collision_online
        rounds = [(1.0, 1.0)]
        for k in range(1, online.fail_retry_rounds + 1):
            boost = online.fail_retry_step_boost**k if online.fail_retry_mode in ("boost", "both") else 1.0
            shrink = online.fail_retry_shrink_factor**k if online.fail_retry_mode in ("shrink", "both") else 1.0
            if online.fail_retry_mode != "none":
                rounds.append((boost, shrink))
        return rounds

    def _paths(
        self, proposals: list[BranchProposal], jitter: Floats, variation: Floats, boost: float, shrink: float
    ) -> Floats:
        joints = [self.scaffold.joints[proposal.joint] for proposal in proposals]
        starts = np.array([joint.position for joint in joints])
        directions = np.array([joint.direction for joint in joints])
        axes = np.array([self.plans[joint.tree].axis for joint in joints])
        chords = np.array([proposal.chord for proposal in proposals])
        along = (chords * axes).sum(axis=1, keepdims=True) * axes
        chords = (along * boost + (chords - along)) * shrink * variation[2]
        lift = unit(np.cross(axes, chords))
        chords = turn(chords, axes, variation[0] + jitter[:, 0])
        chords = turn(chords, lift, variation[1] + jitter[:, 1])
        chords = within_cone(chords, directions, self.params.cone_angle_deg)
        if self.params.clamp_mode == "project":
            need = np.array([proposal.radius for proposal in proposals]) + self.margins.aim
            chords = drawn_inside(self.probe, starts + chords, need) - starts
        longest = float(np.linalg.norm(chords, axis=1).max())
        pieces = max(self.params.curve_samples, int(np.ceil(longest / self.policies.growth.max_segment_length)))
        return curves(starts, directions, chords, self.params.curvature, min(pieces, 64))

    def _fits(self, proposals: list[BranchProposal], paths: Floats) -> NDArray[np.bool_]:
        radii = np.array([proposal.radius for proposal in proposals])
        parents = np.array(
            [self.scaffold.branches[self.scaffold.joints[w.joint].branch].radii[-1, 1] for w in proposals]
        )
        long = np.linalg.norm(paths[:, -1] - paths[:, 0], axis=1)
        good = long >= np.maximum(radii + parents + self.margins.clearance, self.policies.growth.min_segment_length)
        good[good] = inside(self.probe, paths[good], radii[good], self.margins)
        if self.params.collision_online.enabled and good.any():
            rods, owner = self.scaffold.rods()
            standing = Standing(
                join_rods([rods, self.obstacles]),
                np.concatenate([owner, np.full(len(self.obstacles), -1, dtype=np.int64)]),
            )
            some = np.flatnonzero(good)
            good[some] = clear(self.scaffold, standing, [proposals[row] for row in some], paths[some], self.margins)
        return np.asarray(good)

    def _build(self, proposal: BranchProposal, path: Floats) -> int:
        parent = self.scaffold.joints[proposal.joint]
        joint = Joint(
            parent.tree, path[-1], unit(path[-1] - path[-2]), parent.level + 1, proposal.budget, proposal.rows, -1
        )
        return self.scaffold.grow(joint, path, np.full((len(path) - 1, 2), proposal.radius), proposal.joint)
