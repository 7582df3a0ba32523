"""One growth of a scaffold, level by level: what each split wishes for, and what of it finds room."""

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.document.backends import ScaffoldParams
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.network.probe import DomainProbe, Progress
from loopwright.agents.designspec.network.proximity import Rods, join_rods
from loopwright.agents.designspec.network.scaffold_topdown_fitting import Standing, clear, drawn_inside, inside
from loopwright.agents.designspec.network.scaffold_topdown_plan import (
    Margins,
    TreePlan,
    levels_of,
    margins,
    step_and_spread,
)
from loopwright.agents.designspec.network.scaffold_topdown_shapes import (
    curves,
    spread_apart,
    turn,
    unit,
    variations,
    within_cone,
)
from loopwright.agents.designspec.network.scaffold_topdown_state import Joint, Scaffold, Wish
from loopwright.agents.designspec.network.scaffold_topdown_territory import (
    share_budget,
    share_out,
    split_territory,
    tissue_points,
)
from loopwright.kernel.errors import InvalidInput

STEM_PIECES = 4
SIBLINGS_APART = 75.0
"""Degrees between siblings at least, before they are varied."""
PART_OF_THE_WAY, REACH_OF_ENDS = 0.4, 1.3
"""How far branches go towards the middle of their tissue: one that will split often stops early, so that most of the
tissue lies ahead of it; the last one goes beyond. (Of the shares tried, these fed the most ends most evenly.)
"""
SHORTEST = 1.15
"""How long branches are wished at least, in multiples of their own and their parent's radius."""


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
            wishes = [wish for joint in waiting for wish in self._wishes(joint)]
            waiting = [joint for joint in self._fit(wishes) if self.scaffold.joints[joint].budget > 1]
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
                f"/components/{plan.opening.component_id}/ports: {plan.opening.name!r} has no room for its channel: "
                f"it needs {need:g} m to the walls (radius and margin), and finds {max(depth.max(), 0.0):g} m",
                hint="Make the channel thinner, lower wall_margin_m, or move the port.",
            )
        return float(good[0])

    def _wishes(self, number: int) -> list[Wish]:
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
            Wish(number, chord, budget, rows, radius)
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
        room = np.array([float(np.quantile((mine - joint.position) @ plan.axis, 0.95))])
        step, spread = step_and_spread(self.params, joint.level, self.levels, room)
        part = PART_OF_THE_WAY + (REACH_OF_ENDS - PART_OF_THE_WAY) / budget
        ahead = float(toward @ plan.axis)
        sideways = (toward - ahead * plan.axis) * part
        forward = min(float(step[0]), max(ahead, 0.0) + float(step[0]) / 2)
        wide = float(np.linalg.norm(sideways))
        return np.asarray(plan.axis * forward + sideways * min(1.0, spread / max(wide, 1e-18)))

    def _fit(self, wishes: list[Wish]) -> list[int]:
        """Grow what can be grown of a level; returns the new joints."""
        jitter = np.radians(self.params.jitter_deg) * self.random.uniform(-1.0, 1.0, (len(wishes), 2))
        waiting = np.arange(len(wishes))
        grown: list[int] = []
        for boost, shrink in self._rounds():
            for variation in self.variations:
                if not len(waiting):
                    return grown
                chosen = [wishes[row] for row in waiting]
                paths = self._paths(chosen, jitter[waiting], variation, boost, shrink)
                fits = self._fits(chosen, paths)
                if self.params.clamp_mode == "terminate":
                    outside = ~inside(self.probe, paths, np.array([wish.radius for wish in chosen]), self.margins)
                    waiting, fits, chosen, paths = self._without(outside, waiting, fits, chosen, paths)
                grown.extend(self._build(chosen[row], paths[row]) for row in np.flatnonzero(fits))
                waiting = waiting[~fits]
        return grown

    def _without(
        self, outside: NDArray[np.bool_], waiting: Ints, fits: NDArray[np.bool_], chosen: list[Wish], paths: Floats
    ) -> tuple[Ints, NDArray[np.bool_], list[Wish], Floats]:
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

    def _paths(self, wishes: list[Wish], jitter: Floats, variation: Floats, boost: float, shrink: float) -> Floats:
        joints = [self.scaffold.joints[wish.joint] for wish in wishes]
        starts = np.array([joint.position for joint in joints])
        directions = np.array([joint.direction for joint in joints])
        axes = np.array([self.plans[joint.tree].axis for joint in joints])
        chords = np.array([wish.chord for wish in wishes])
        along = (chords * axes).sum(axis=1, keepdims=True) * axes
        chords = (along * boost + (chords - along)) * shrink * variation[2]
        lift = unit(np.cross(axes, chords))
        chords = turn(chords, axes, variation[0] + jitter[:, 0])
        chords = turn(chords, lift, variation[1] + jitter[:, 1])
        chords = within_cone(chords, directions, self.params.cone_angle_deg)
        if self.params.clamp_mode == "project":
            need = np.array([wish.radius for wish in wishes]) + self.margins.aim
            chords = drawn_inside(self.probe, starts + chords, need) - starts
        longest = float(np.linalg.norm(chords, axis=1).max())
        pieces = max(self.params.curve_samples, int(np.ceil(longest / self.policies.growth.max_segment_length)))
        return curves(starts, directions, chords, self.params.curvature, min(pieces, 64))

    def _fits(self, wishes: list[Wish], paths: Floats) -> NDArray[np.bool_]:
        radii = np.array([wish.radius for wish in wishes])
        parents = np.array([self.scaffold.branches[self.scaffold.joints[w.joint].branch].radii[-1, 1] for w in wishes])
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
            good[some] = clear(self.scaffold, standing, [wishes[row] for row in some], paths[some], self.margins)
        return np.asarray(good)

    def _build(self, wish: Wish, path: Floats) -> int:
        parent = self.scaffold.joints[wish.joint]
        joint = Joint(parent.tree, path[-1], unit(path[-1] - path[-2]), parent.level + 1, wish.budget, wish.rows, -1)
        return self.scaffold.grow(joint, path, np.full((len(path) - 1, 2), wish.radius), wish.joint)
