"""Space colonisation: trees that grow towards the tissue which they have to reach."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.network import Floats, Network
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe, Progress
from loopwright.agents.designspec.network.proximity import Rods, join_rods
from loopwright.agents.designspec.network.space_colonization_chains import colony_network
from loopwright.agents.designspec.network.space_colonization_growth import Colonies, Ground
from loopwright.agents.designspec.network.space_colonization_joining import join_trees
from loopwright.agents.designspec.network.space_colonization_settings import ColonySettings, colony_settings
from loopwright.agents.designspec.network.space_colonization_tissue import draw_tissue
from loopwright.agents.designspec.network.surgery import empty_network

SEVERAL_POINTS = 4.0
"""Times the usual distance between neighbours: so far an influence must reach to tell a direction from."""
ATTEMPTS = 4
"""How often trees are grown to come near to the wanted number of ends."""
CLOSE_ENOUGH = 0.25
"""The share of the tolerance within which the number of ends is good: resolving collisions may cost some of them."""
WORTH_ANOTHER = 1.02
MOST_OVERSHOT = 4.0
POINTS_PER_END = 5
"""More points of tissue than so many for each end make no difference."""


def grow_colonies(
    openings: Sequence[Opening],
    probe: DomainProbe,
    policies: Policies,
    seed: int,
    progress: Progress,
    *,
    obstacles: Sequence[Rods] = (),
) -> Network:
    """Grow a tree from every opening towards the tissue (space colonisation, Runions et al. 2007).

    Trees keep clear of the wall and of each other by the radii they are going to have. With outlets, arterial and
    venous trees are joined at ends that lie near each other, so that all is one system; without, every inlet has a tree
    of its own, which only `forest_with_merge` joins to another.

    Args:
        openings: where trees begin.
        probe: the domain.
        policies: those of the component; `growth.backend_params` are read here.
        seed: the same seed gives the same network.
        progress: told how far it is.
        obstacles: rods that must be kept clear of.

    Returns:
        The network; its radii are those for which room was kept.

    Raises:
        InvalidInput: a port leads nowhere, or two run into each other.
    """
    if not openings:
        return empty_network()
    settings = colony_settings(policies, probe)
    ground = Ground(probe, openings, policies, settings, join_rods(list(obstacles)))
    random = np.random.default_rng(seed)
    smallest = policies.radius.min_radius or policies.growth.min_radius
    depth = smallest + settings.clearance - 0.6 * settings.kill
    tissue = draw_tissue(probe, settings, openings, random, depth)
    if settings.target is None:
        return _grown(ground, tissue, None, seed, progress)
    return _with_terminals(ground, tissue, seed, progress, settings.target, settings.tolerance)


def _with_terminals(
    ground: Ground, tissue: Floats, seed: int, progress: Progress, target: int, tolerance: float
) -> Network:
    """Grow, aiming higher or lower by the rule of three until the number of ends is near the wanted one."""
    tissue = tissue[: POINTS_PER_END * target]
    best, nearest = empty_network(), np.inf
    aim, most = float(target), 0
    for attempt in range(ATTEMPTS):

        def told(share: float, message: str, attempt: int = attempt) -> None:
            progress((attempt + share) / ATTEMPTS, message)

        network = _grown(ground, tissue, aim, seed, told)
        found = sum(kind == "terminal" for kind in network.node_types)
        if abs(found - target) < nearest:
            best, nearest = network, abs(found - target)
        if nearest <= tolerance * target * CLOSE_ENOUGH:
            break
        if aim > target and found <= most * WORTH_ANOTHER:
            # aiming higher brings no more: the tissue or the room is spent
            break
        most = max(most, found)
        aim = float(np.clip(aim * target / max(found, 1), 1.0, MOST_OVERSHOT * target))
    return best


def _grown(ground: Ground, tissue: Floats, aim: float | None, seed: int, progress: Progress) -> Network:
    settings = ground.settings
    ground = replace(ground, settings=_with_reach(settings, tissue))
    colonies = Colonies(ground, tissue, aim, np.random.default_rng(seed))
    colonies.grow(progress)
    network = colony_network(colonies.nodes, list(ground.openings), settings.longest, settings.shortest)
    sides = {opening.outlet for opening in ground.openings}
    if len(sides) == 2:
        reach = max(settings.influence, settings.merge_distance)
        return join_trees(network, ground.openings, ground.probe, settings.clearance, reach, rings=True)
    if settings.mode == "forest_with_merge":
        reach = settings.merge_distance
        return join_trees(network, ground.openings, ground.probe, settings.clearance, reach, rings=False)
    return network


def _with_reach(settings: ColonySettings, tissue: Floats) -> ColonySettings:
    """An influence radius that reaches several points, where the document has none that does."""
    if settings.influence_told or len(tissue) < 2:
        return settings
    apart, _ = cKDTree(tissue).query(tissue, k=2)
    return replace(settings, influence=max(settings.influence, SEVERAL_POINTS * float(np.median(apart[:, 1]))))
