"""What a tree is meant to become: how many ends, how thick, with which steps, under which margins."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.document.backends import ScaffoldParams
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.radii import planned_radius, terminal_radius

MOST_ENDS = 20_000


@dataclass(frozen=True)
class TreePlan:
    """One tree: from which opening, how many ends it is to have, how thick these are (metres), and its main axis."""

    opening: Opening
    ends: int
    end_radius: float
    axis: Floats

    def radius(self, policies: Policies, budget: int, generation: int) -> float:
        """The largest radius that a branch with so many ends can come to have."""
        share, depth = np.array([float(budget)]), np.array([float(generation)])
        return float(planned_radius(policies, self.opening.radius, self.end_radius, share, depth)[0])


@dataclass(frozen=True)
class Margins:
    """Distances to keep, in metres.

    `wall` is that from a tube to the boundary, `aim` that for where branches are sent, and `clearance` that between
    tubes, to which growth adds `relative` as a share of the radius.
    """

    wall: float
    aim: float
    clearance: float
    relative: float


def scaffold_params(policies: Policies) -> ScaffoldParams:
    """The backend's parameters."""
    return ScaffoldParams.model_validate(policies.growth.backend_params)


def margins(params: ScaffoldParams, policies: Policies) -> Margins:
    """The distances that growth keeps."""
    online, after = params.collision_online, params.collision_postpass
    clearance = policies.collision.collision_clearance if policies.collision.enabled else 0.0
    if after.enabled:
        clearance = max(clearance, after.min_clearance_m)
    if online.enabled:
        clearance = max(clearance, online.buffer_abs_m)
    wall = params.wall_margin_m
    return Margins(wall, wall + params.boundary_extra_m, clearance, online.buffer_rel if online.enabled else 0.0)


def plan_trees(openings: list[Opening], params: ScaffoldParams, policies: Policies, scale: float) -> list[TreePlan]:
    """A plan for each opening.

    Args:
        openings: where the trees begin.
        params: `splits` and `levels` say how many ends, unless the growth policy names a target.
        policies: the growth and radius policies.
        scale: by how much more ends than the target are planned, since some will not find room.
    """
    target = policies.growth.target_terminals
    each = min(max(params.splits, 1) ** params.levels, MOST_ENDS // max(len(openings), 1))
    plans = []
    for number, opening in enumerate(openings):
        ends = max(each, 1)
        if target is not None:
            whole = max(round(target * scale), len(openings))
            ends = whole // len(openings) + (number < whole % len(openings))
        levels = levels_of(ends, params.splits)
        wanted = policies.radius.terminal_radius or opening.radius * params.ratio**levels
        lowest = params.min_radius or 0.0
        axis = np.asarray(opening.direction)
        if params.primary_axis is not None and not opening.outlet:
            axis = np.asarray(params.primary_axis, dtype=np.float64)
            axis = axis / np.linalg.norm(axis)
        plans.append(
            TreePlan(opening, ends, terminal_radius(policies, opening.radius, ends, max(wanted, lowest)), axis)
        )
    return plans


def levels_of(ends: int, splits: int) -> int:
    """How many splits in a row it takes to come to so many ends."""
    return 0 if ends <= 1 else max(1, int(np.ceil(np.log(ends) / np.log(max(splits, 2)) - 1e-9)))


def step_and_spread(params: ScaffoldParams, level: int, levels: int, room: Floats) -> tuple[Floats, float]:
    """How far branches of a level go along the axis at most, (n,), and sideways, in metres.

    `room` (n,) is what the tissue leaves each of them along the axis. The steps of the levels that follow must fit in
    there too, so a step may come out shorter than told. Without a given `step_length` or `spread` the tissue alone
    decides.
    """
    following = np.arange(level, max(levels, level + 1))
    decays = params.step_decay ** (following - level)
    mode = params.depth_adaptive_mode
    if mode == "none" and "step_length" not in params.model_fields_set:
        mode = "geometric"
    share = room / len(following) if mode == "uniform" else room / decays.sum()
    share = np.maximum(share, 0.0)
    step = np.minimum(params.step_length * params.step_decay**level, share) if mode == "none" else share
    spread = params.spread * params.spread_decay**level if "spread" in params.model_fields_set else np.inf
    return step, float(spread)
