"""Space colonisation: trees that grow towards the tissue which they have to reach."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network import (
    DomainProbe,
    Floats,
    Ints,
    Network,
    NodeType,
    Opening,
    Progress,
)
from loopwright.agents.designspec.network.collision_repair import empty_network
from loopwright.agents.designspec.network.proximity import ColonyNodes, Rods, join_rods
from loopwright.agents.designspec.network.space_colonization_growth import Colonies, Ground
from loopwright.agents.designspec.network.space_colonization_joining import join_trees
from loopwright.agents.designspec.network.space_colonization_tissue import ColonySettings, colony_settings, draw_tissue

# Out of the many small steps of growth: smooth chains of few segments.

SMOOTHING_ROUNDS = 2
BEND_SHARE = 0.2
"""How far, as a share of its radius, a channel may lie from the path that grew."""


def colony_network(nodes: ColonyNodes, openings: list[Opening], longest: float, shortest: float) -> Network:
    """The grown trees with unbranched ways straightened; radii are those that growth kept free.

    Args:
        nodes: what has grown; root number k belongs to opening number k.
        openings: the openings.
        longest: segments become no longer than this, unless one step of growth was, in metres.
        shortest: ends of trees that are shorter vanish, in metres.
    """
    keep = _without_stubs(nodes, shortest)
    children = np.bincount(nodes.parent[keep & (nodes.parent[: nodes.count] >= 0)], minlength=nodes.count)
    chains = _chains(nodes, keep, children)
    kept: list[list[int]] = []
    positions = nodes.positions[nodes.live].copy()
    for chain in chains:
        path = _smoothed(nodes.positions[chain])
        positions[chain[1:-1]] = path[1:-1]
        tolerance = BEND_SHARE * float(nodes.reserve[chain[1:]].min())
        kept.append([chain[row] for row in _thinned(path, tolerance, longest)])
    segments = np.asarray([pair for way in kept for pair in pairwise(way)], dtype=np.int64)
    segments = segments.reshape(-1, 2)
    used = np.zeros(nodes.count, dtype=bool)
    used[segments.ravel()] = True
    used[: len(openings)] = True
    number = np.cumsum(used) - 1
    rows = np.flatnonzero(used)
    reserve = nodes.reserve[segments[:, 1]]
    kinds: list[NodeType] = []
    for row in rows:
        if row < len(openings):
            kinds.append("outlet" if openings[row].outlet else "inlet")
        else:
            kinds.append("junction" if children[row] else "terminal")
    return Network(
        positions[rows],
        number[segments],
        np.stack([reserve, reserve], axis=1),
        tuple(kinds),
        tuple(openings[int(tree)].vessel_type for tree in nodes.tree[rows]),
        {opening.name: number_ for number_, opening in enumerate(openings)},
    )


def _without_stubs(nodes: ColonyNodes, shortest: float) -> NDArray[np.bool_]:
    """(n,): all nodes but those of side branches that end too soon to be of use."""
    live = nodes.live
    longest_below = np.zeros(nodes.count)
    step = np.where(nodes.parent[live] >= 0, nodes.way[live] - nodes.way[nodes.parent[live]], 0.0)
    keep = np.ones(nodes.count, dtype=bool)
    # children have higher numbers than their parents
    for node in range(nodes.count - 1, -1, -1):
        parent = nodes.parent[node]
        if parent < 0:
            continue
        reach = longest_below[node] + step[node]
        forked = nodes.children[parent] > 1
        if forked and reach < 0.99 * (shortest + nodes.reserve[parent]):
            keep[node] = False
            continue
        longest_below[parent] = max(longest_below[parent], reach)
    for node in range(nodes.count):
        if nodes.parent[node] >= 0 and not keep[nodes.parent[node]]:
            keep[node] = False
    return keep


def _chains(nodes: ColonyNodes, keep: NDArray[np.bool_], children: Ints) -> list[list[int]]:
    """Unbranched ways, as node numbers from root or junction to junction or end, in the order of their last nodes."""
    chains = []
    for node in np.flatnonzero(keep):
        if nodes.parent[node] < 0 or children[node] == 1:
            continue
        chain = [int(node)]
        while True:
            parent = int(nodes.parent[chain[-1]])
            chain.append(parent)
            if nodes.parent[parent] < 0 or children[parent] != 1:
                break
        chains.append(chain[::-1])
    return chains


def _smoothed(path: Floats) -> Floats:
    path = path.copy()
    for _ in range(SMOOTHING_ROUNDS):
        # the first step leaves the junction in the direction that growth found space in
        path[2:-1] += 0.5 * ((path[1:-2] + path[3:]) / 2 - path[2:-1])
    return path


def _thinned(path: Floats, tolerance: float, longest: float) -> list[int]:
    """The points that are needed: each segment as long as length and tolerance permit, from the start on."""
    kept, anchor, count = [0], 0, len(path)
    while anchor < count - 1:
        reach = anchor + 1
        while reach + 1 < count and _straight(path[anchor : reach + 2], tolerance, longest):
            reach += 1
        kept.append(reach)
        anchor = reach
    return kept


def _straight(path: Floats, tolerance: float, longest: float) -> bool:
    along = path[-1] - path[0]
    length = float(np.sqrt(along @ along))
    if length > longest:
        return False
    off = path[1:-1] - path[0]
    across = off - np.outer(off @ along, along) / max(length * length, 1e-30)
    return bool((across * across).sum(axis=1).max() <= tolerance * tolerance)


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
        The network; its radii are those for which space was kept.

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
            # aiming higher brings no more: the tissue or the space is spent
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
