"""`scaffold_topdown`: trees that split level by level from their ports, each branch towards its own share of tissue."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.network import Network
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe, Progress
from loopwright.agents.designspec.network.proximity import Rods
from loopwright.agents.designspec.network.scaffold_topdown_growth import ScaffoldGrowth
from loopwright.agents.designspec.network.scaffold_topdown_plan import (
    plan_trees,
    scaffold_params,
)
from loopwright.agents.designspec.network.scaffold_topdown_state import Scaffold

TRIES_FOR_TARGET = 4
WORTH_ANOTHER = 1.05
"""An attempt that brings less than this many times the ends of the last says that the space is full."""


@dataclass(frozen=True)
class ScaffoldResult:
    """A grown scaffold, with planned radii.

    `end_radii` is the radius of the ends of each port's tree by the port's name; `wanted` and `grown` count ends.
    """

    network: Network
    end_radii: dict[str, float]
    wanted: int
    grown: int


def grow_scaffold(
    openings: list[Opening],
    probe: DomainProbe,
    policies: Policies,
    seed: int,
    progress: Progress,
    obstacles: Rods | None = None,
) -> ScaffoldResult:
    """Grow a tree from every opening.

    The tissue is shared out among the trees and, at each split, among the children; a branch heads for the middle of
    its share, within the cone, the step and the spread of its level. All trees grow one level at a time, so that none
    takes the others' room. A branch that does not fit is turned, lifted and shortened; what never fits is left out.

    Args:
        openings: where the trees begin.
        probe: the domain.
        policies: growth (with the backend's parameters), radius and collision policies.
        seed: of the jitter and of the tissue's points.
        progress: told what has been done.
        obstacles: what the trees must keep clear of.

    Returns:
        The network with planned radii, and what became of the plan.

    Raises:
        InvalidInput: a port has no room for the beginning of its channel.
    """
    params = scaffold_params(policies)
    target, scale = policies.growth.target_terminals, 1.0
    best: Scaffold | None = None
    for attempt in range(TRIES_FOR_TARGET if target is not None else 1):
        plans = plan_trees(openings, params, policies, scale)
        grown = ScaffoldGrowth(plans, probe, params, policies, obstacles, np.random.default_rng([seed, attempt])).run(
            progress
        )
        gained = best is None or grown.ends > best.ends * WORTH_ANOTHER
        if best is None or grown.ends > best.ends:
            best = grown
        if target is None or not gained or grown.ends >= target * (1 - policies.growth.terminal_tolerance / 2):
            break
        scale *= min(target / max(grown.ends, 1), 2.0)
    if best is None:
        raise RuntimeError("no attempt was made")
    return ScaffoldResult(
        best.network(),
        {plan.opening.name: plan.end_radius for plan in best.plans},
        sum(plan.ends for plan in best.plans) if target is None else target,
        best.ends,
    )
