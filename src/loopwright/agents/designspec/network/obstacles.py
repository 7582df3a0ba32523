"""Other components' channels, as something that growth goes around."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.network.collision_repair import ports_stay
from loopwright.agents.designspec.network.network import Floats, Ints, Network
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.agents.designspec.network.proximity import Rods, join_rods, near_pairs, rods_of, surface_gaps
from loopwright.agents.designspec.network.surgery import downstream, keep_segments, keep_with_ports

SHARED_REACH = 3.0
"""Around a port that two components share, so many of its radii are no obstacle."""
SHRINK_ROUNDS = 8


def obstacle_rods(networks: Sequence[Network]) -> Rods:
    """All segments of some networks."""
    return join_rods([rods_of(network) for network in networks if len(network.segments)])


def beyond_shared_ports(rods: Rods, openings: Sequence[Opening]) -> Rods:
    """The rods less what lies around ports where they too begin: there the channels are one, and must be."""
    if not len(rods):
        return rods
    for opening in openings:
        place = np.asarray(opening.position)
        ends = np.stack([rods.starts, rods.ends])
        if (np.linalg.norm(ends - place, axis=2) <= opening.radius).any():
            rods = _outside_ball(rods, place, SHARED_REACH * opening.radius)
    return rods


def _outside_ball(rods: Rods, place: Floats, reach: float) -> Rods:
    """What is left of the rods outside of a ball."""
    along, off = rods.ends - rods.starts, rods.starts - place
    a = np.maximum((along * along).sum(1), 1e-18)
    b, c = (along * off).sum(1), (off * off).sum(1) - reach**2
    root = b * b - a * c
    meets = root > 0
    half = np.sqrt(np.maximum(root, 0.0))
    enter, leave = np.clip((-b - half) / a, 0.0, 1.0), np.clip((-b + half) / a, 0.0, 1.0)
    enter[~meets], leave[~meets] = 1.0, 1.0
    before = _stretch(rods, np.zeros(len(rods)), enter).take(enter > 1e-9)
    after = _stretch(rods, leave, np.ones(len(rods))).take(leave < 1 - 1e-9)
    return join_rods([before, after])


def _stretch(rods: Rods, first: Floats, last: Floats) -> Rods:
    along, taper = rods.ends - rods.starts, (rods.radii[:, 1] - rods.radii[:, 0])[:, None]
    shares = np.stack([first, last], axis=1)
    return Rods(
        rods.starts + along * first[:, None], rods.starts + along * last[:, None], rods.radii[:, :1] + taper * shares
    )


def clear_of_obstacles(
    network: Network, obstacles: Rods, clearance: float, smallest: float, shrink_factor: float
) -> tuple[Network, list[str]]:
    """Make branches that touch obstacles thinner, and cut off with all that follows them those that still do.

    Returns:
        The network and what was done, in words; a branch that a port needs stays, and the words say so.
    """
    if not len(obstacles) or not len(network.segments):
        return network, []
    touching = _touching(network, obstacles, clearance)
    before, notes = len(network.segments), []
    for _ in range(SHRINK_ROUNDS if len(touching) else 0):
        rows = downstream(network, touching)
        radii = network.radii.copy()
        radii[rows] = np.maximum(radii[rows] * shrink_factor, np.minimum(radii[rows], smallest))
        thinner = replace(network, radii=radii)
        left = _touching(thinner, obstacles, clearance)
        if len(left) < len(touching):
            network, touching = thinner, left
    kept = 0
    while len(touching) > kept:
        lost = downstream(network, touching[kept : kept + 1])
        if ports_stay(network, lost):
            network = keep_with_ports(keep_segments(network, ~lost))
            touching = _touching(network, obstacles, clearance)
        else:
            kept += 1
    if before > len(network.segments):
        notes.append(f"{before - len(network.segments)} segments were cut off because they met other components")
    if len(touching):
        notes.append(f"{len(touching)} segments touch other components and could not be cut off: their ports need them")
    return network, notes


def _touching(network: Network, obstacles: Rods, clearance: float) -> Ints:
    own = rods_of(network)
    pairs = near_pairs(own, obstacles, clearance)
    gaps, _, _ = surface_gaps(own.take(pairs[:, 0]), obstacles.take(pairs[:, 1]))
    return np.unique(pairs[gaps < clearance - 1e-9, 0])


class AvoidingProbe:
    """A domain less the rods that stand in it, for backends that know domains only.

    The distance to the rods is measured to balls strung along them, which is at most a tenth of a radius too large;
    `clearance` is kept on top.
    """

    def __init__(self, probe: DomainProbe, rods: Rods, clearance: float) -> None:
        self._probe, self._clearance = probe, clearance
        points, radii = [], []
        for start, stop, (first, last) in zip(rods.starts, rods.ends, rods.radii, strict=True):
            count = max(2, int(np.ceil(np.linalg.norm(stop - start) / (0.8 * min(first, last)))) + 1)
            share = np.linspace(0.0, 1.0, min(count, 10_000))[:, None]
            points.append(start + share * (stop - start))
            radii.append((first + (last - first) * share[:, 0]) * 1.1)
        self._balls, self._radii = np.concatenate(points), np.concatenate(radii)
        self._classes = []
        size = np.ceil(np.log2(self._radii) * 4)
        for value in np.unique(size):
            rows = np.flatnonzero(size == value)
            self._classes.append((float(self._radii[rows].max()), cKDTree(self._balls[rows])))

    @property
    def bounds(self) -> Floats:
        """(2, 3): those of the domain."""
        return self._probe.bounds

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): inside the domain and not in an obstacle."""
        return np.asarray(self._probe.inside(points) & (self._free(points) >= 0))

    def depth(self, points: Floats) -> Floats:
        """(n,): distance to the boundary or to the nearest obstacle, whichever is nearer."""
        return np.minimum(self._probe.depth(points), self._free(points))

    def sample(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 3): points spread evenly over what is free."""
        found, have = [], 0
        for _ in range(64):
            points = self._probe.sample(count, random)
            points = points[self._free(points) >= 0]
            found.append(points)
            have += len(points)
            if have >= count:
                break
        return np.concatenate(found)[:count]

    def _free(self, points: Floats) -> Floats:
        nearest = np.full(len(points), np.inf)
        for radius, tree in self._classes:
            nearest = np.minimum(nearest, tree.query(points)[0] - radius)
        return nearest - self._clearance
