"""Tissue sampling: points of the domain that want to be reached by a vessel.

Every strategy but the Gaussian thins an even sample of the volume by a weight between 0 and 1, so that its density is
the weight times the even density whatever the shape of the domain. The Gaussian draws around its mean and drops what
falls outside.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.document.tissue import DepthReference, ExcludedSphere, Mixed, TissueSamplingPolicy
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.kernel.errors import InvalidInput

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
        (n, 3) in metres, all inside the domain. n is below `count` where the limits leave too little room.

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
