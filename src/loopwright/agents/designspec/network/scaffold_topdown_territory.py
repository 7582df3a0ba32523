"""Who feeds what: the tissue is shared out among the trees, and each branch shares its part among its children."""

import numpy as np
from scipy.spatial import cKDTree

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.network.probe import DomainProbe

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
