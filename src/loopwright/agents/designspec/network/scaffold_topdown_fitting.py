"""Whether branches fit: inside the domain, clear of what stands, clear of each other."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network.collisions import conflicting_pairs
from loopwright.agents.designspec.network.network import Floats, Ints, Network
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.agents.designspec.network.proximity import Rods, near_pairs, surface_gaps
from loopwright.agents.designspec.network.scaffold_topdown_plan import Margins
from loopwright.agents.designspec.network.scaffold_topdown_state import Scaffold, Wish


@dataclass(frozen=True)
class Standing:
    """What stands already: the pieces of all branches, the branch of each (−1 for obstacles)."""

    rods: Rods
    owner: Ints


def inside(probe: DomainProbe, paths: Floats, radii: Floats, margins: Margins) -> NDArray[np.bool_]:
    """(n,): whether curves (n, k, 3) of radii (n,) keep their distance to the boundary, and their ends the larger."""
    middles = (paths[:, 1:-1] + paths[:, 2:]) / 2
    points = np.concatenate([paths[:, 1:], middles], axis=1)
    depth = probe.depth(points.reshape(-1, 3)).reshape(points.shape[:2])
    ends = depth[:, paths.shape[1] - 2]
    return np.asarray((depth.min(axis=1) >= radii + margins.wall) & (ends >= radii + margins.aim))


def drawn_inside(probe: DomainProbe, points: Floats, need: Floats) -> Floats:
    """Points (n, 3) moved along the growing depth to where they are at least `need` (n,) deep, as far as that goes."""
    points = points.copy()
    step = 1e-4 * float(np.linalg.norm(probe.bounds[1] - probe.bounds[0]))
    for _ in range(4):
        lacking = need - probe.depth(points)
        rows = np.flatnonzero(lacking > 0)
        if not len(rows):
            break
        around = points[rows][:, None, :] + np.concatenate([np.eye(3), -np.eye(3)])[None] * step
        depth = probe.depth(around.reshape(-1, 3)).reshape(-1, 6)
        gradient = depth[:, :3] - depth[:, 3:]
        gradient /= np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1e-18)
        points[rows] += gradient * lacking[rows][:, None] * 1.01
    return points


def clear(
    scaffold: Scaffold, standing: Standing, wishes: list[Wish], paths: Floats, margins: Margins
) -> NDArray[np.bool_]:
    """(n,): which branches can be built, the earlier first, without touching what they must not touch."""
    pieces = paths.shape[1] - 1
    rods = _rods(wishes, paths)
    owner = np.repeat(np.arange(len(wishes)), pieces)
    good = ~_hits_strangers(scaffold, standing, wishes, rods, owner, margins)
    firsts, seconds = _family_conflicts(scaffold, wishes, paths, np.flatnonzero(good), margins)
    for first, second in zip(firsts.tolist(), seconds.tolist(), strict=True):
        # pairs come sorted by the later branch, so all earlier ones are settled
        if first < 0 or good[first]:
            good[second] = False
    return good


def _rods(wishes: list[Wish], paths: Floats) -> Rods:
    radii = np.repeat(np.array([wish.radius for wish in wishes]), paths.shape[1] - 1)
    return Rods(paths[:, :-1].reshape(-1, 3), paths[:, 1:].reshape(-1, 3), np.stack([radii, radii], axis=1))


def _hits_strangers(
    scaffold: Scaffold, standing: Standing, wishes: list[Wish], rods: Rods, owner: Ints, margins: Margins
) -> NDArray[np.bool_]:
    """Which branches come too near to branches that are not of their family."""
    slack = margins.clearance + margins.relative * float(rods.thickest.max(initial=0.0))
    pairs = near_pairs(rods, standing.rods, slack)
    gaps, _, _ = surface_gaps(rods.take(pairs[:, 0]), standing.rods.take(pairs[:, 1]))
    wanted = margins.clearance + margins.relative * rods.thickest[pairs[:, 0]]
    pairs = pairs[gaps < wanted]
    families = {wish.joint: set(scaffold.family(wish.joint)) for wish in wishes}
    hit = np.zeros(len(wishes), dtype=bool)
    branches = np.stack([owner[pairs[:, 0]], standing.owner[pairs[:, 1]]], axis=1)
    for wish, branch in np.unique(branches, axis=0).tolist():
        if branch not in families[wishes[wish].joint]:
            hit[wish] = True
    return hit


def _family_conflicts(
    scaffold: Scaffold, wishes: list[Wish], paths: Floats, chosen: Ints, margins: Margins
) -> tuple[Ints, Ints]:
    """Conflicts among the chosen branches and with their families: (earlier branch or −1, later branch), sorted."""
    family = sorted({branch for row in chosen.tolist() for branch in scaffold.family(wishes[row].joint)})
    local, owner = _local_network(scaffold, wishes, paths, chosen, family)
    # branches may come out thinner than planned, when others do not find room; what a fat junction hides then shows
    thin = replace(local, radii=np.full_like(local.radii, min(plan.end_radius for plan in scaffold.plans)))
    pairs = np.concatenate([conflicting_pairs(network, margins.clearance)[0] for network in (local, thin)])
    one, two = owner[pairs[:, 0]], owner[pairs[:, 1]]
    low, high = np.minimum(one, two), np.maximum(one, two)
    # what stands has number −1, and is no concern where both stand
    found = np.unique(np.stack([high, low], axis=1)[(high >= 0) & (low != high)], axis=0)
    return found[:, 1], found[:, 0]


def _local_network(
    scaffold: Scaffold, wishes: list[Wish], paths: Floats, chosen: Ints, family: list[int]
) -> tuple[Network, Ints]:
    """The chosen branches with their families as one network, and the number of the branch of each segment."""
    nodes: dict[int, int] = {}
    positions: list[Floats] = []
    segments: list[list[int]] = []
    radii: list[Floats] = []
    owner: list[int] = []

    def lay(curve: Floats, thickness: Floats, start: int, stop: int | None, number: int) -> None:
        chain = []
        for place, point in enumerate(curve):
            joint = start if place == 0 else stop if place == len(curve) - 1 else None
            if joint is not None and joint in nodes:
                chain.append(nodes[joint])
                continue
            chain.append(len(positions))
            positions.append(point)
            if joint is not None:
                nodes[joint] = chain[-1]
        segments.extend([a, b] for a, b in pairwise(chain))
        radii.append(thickness)
        owner.extend([number] * (len(curve) - 1))

    for number in family:
        branch = scaffold.branches[number]
        lay(branch.curve, branch.radii, branch.start if branch.start >= 0 else -1 - number, branch.stop, -1)
    for row in chosen.tolist():
        thickness = np.full((paths.shape[1] - 1, 2), wishes[row].radius)
        lay(paths[row], thickness, wishes[row].joint, None, row)
    network = Network(
        np.asarray(positions).reshape(-1, 3),
        np.asarray(segments, dtype=np.int64).reshape(-1, 2),
        np.concatenate(radii) if radii else np.zeros((0, 2)),
        tuple("junction" for _ in positions),
        ("",) * len(positions),
    )
    return network, np.asarray(owner, dtype=np.int64)
