"""How near rods come to each other, for many pairs at once: n·log n in the number of rods."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.network.network import Floats, Ints, Network

SMALLEST = 1e-18
"""Squared lengths below this (metres²) count as zero."""


@dataclass(frozen=True)
class Rods:
    """Round rods in metres: `starts` and `ends` (m, 3), `radii` (m, 2) at start and end."""

    starts: Floats
    ends: Floats
    radii: Floats

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def thickest(self) -> Floats:
        """(m,): the larger radius of each."""
        return np.asarray(self.radii.max(axis=1))

    def take(self, rows: Ints | NDArray[np.bool_]) -> "Rods":
        """These rods only."""
        return Rods(self.starts[rows], self.ends[rows], self.radii[rows])


def rods_of(network: Network) -> Rods:
    """The segments of a network."""
    return Rods(network.starts, network.ends, network.radii)


def join_rods(parts: list[Rods]) -> Rods:
    """All rods of several sets, in order."""
    if not parts:
        return Rods(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 2)))
    return Rods(
        np.concatenate([p.starts for p in parts]),
        np.concatenate([p.ends for p in parts]),
        np.concatenate([p.radii for p in parts]),
    )


def near_pairs(first: Rods, second: Rods | None, clearance: float) -> Ints:
    """(k, 2): pairs whose balls around the rods come within the clearance; each pair once where `second` is None.

    Rods are sorted into classes by size (powers of two) with a tree each, so that a few thick trunks among thousands
    of fine branches do not make every search wide.
    """
    own = second is None
    other = first if second is None else second
    if not len(first) or not len(other):
        return np.zeros((0, 2), dtype=np.int64)
    left, right = _classes(first), _classes(other)
    found = []
    for reach, rows, tree in left:
        for other_reach, other_rows, other_tree in right:
            near = tree.sparse_distance_matrix(other_tree, reach + other_reach + clearance, output_type="ndarray")
            pairs = np.stack([rows[near["i"]], other_rows[near["j"]]], axis=1)
            found.append(pairs[pairs[:, 0] < pairs[:, 1]] if own else pairs)
    pairs = np.concatenate(found)
    return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


def _classes(rods: Rods) -> list[tuple[float, Ints, cKDTree]]:
    middles = (rods.starts + rods.ends) / 2
    reach = np.linalg.norm(rods.ends - rods.starts, axis=1) / 2 + rods.thickest
    size = np.ceil(np.log2(np.maximum(reach, 1e-9))).astype(np.int64)
    result = []
    for value in np.unique(size):
        rows = np.flatnonzero(size == value)
        result.append((float(reach[rows].max()), rows, cKDTree(middles[rows])))
    return result


def closest_parameters(a: Floats, b: Floats, c: Floats, d: Floats) -> tuple[Floats, Floats]:
    """Where the lines a–b and c–d (each (k, 3)) come closest: two (k,) shares between 0 and 1.

    After Ericson, Real-Time Collision Detection (2005), section 5.1.9, for all pairs at once.
    """
    u, v, w = b - a, d - c, a - c
    uu, vv, uv = (u * u).sum(1), (v * v).sum(1), (u * v).sum(1)
    uw, vw = (u * w).sum(1), (v * w).sum(1)
    safe_uu, safe_vv = np.maximum(uu, SMALLEST), np.maximum(vv, SMALLEST)
    cross = uu * vv - uv * uv
    straight = cross > 1e-12 * safe_uu * safe_vv
    crossing = (uv * vw - uw * vv) / np.where(straight, cross, 1.0)
    # rods side by side, or of no length, have no single nearest place: the foot of the second's start is one of them
    s = np.clip(np.where(straight, crossing, -uw / safe_uu), 0.0, 1.0)
    t = (uv * s + vw) / safe_vv
    below, above = t < 0.0, t > 1.0
    s = np.where(below, np.clip(-uw / safe_uu, 0.0, 1.0), s)
    s = np.where(above, np.clip((uv - uw) / safe_uu, 0.0, 1.0), s)
    return s, np.clip(t, 0.0, 1.0)


def surface_gaps(first: Rods, second: Rods) -> tuple[Floats, Floats, Floats]:
    """Distance between the surfaces of paired rods (negative where they overlap), and where: (k,) each.

    For rods that taper, the nearest places of the centre lines need not be those of the surfaces; so both ends of both
    rods are tried too.
    """
    a, b, c, d = first.starts, first.ends, second.starts, second.ends
    s, t = closest_parameters(a, b, c, d)
    gap = _gap(first, second, s, t)
    tapering = np.flatnonzero((first.radii[:, 0] != first.radii[:, 1]) | (second.radii[:, 0] != second.radii[:, 1]))
    if len(tapering):
        one, two = first.take(tapering), second.take(tapering)
        zero, whole = np.zeros(len(tapering)), np.ones(len(tapering))
        tries = [(zero, _foot(two, one.starts)), (whole, _foot(two, one.ends))]
        tries += [(_foot(one, two.starts), zero), (_foot(one, two.ends), whole)]
        for other_s, other_t in tries:
            other = _gap(one, two, other_s, other_t)
            better = other < gap[tapering] - 1e-12
            rows = tapering[better]
            gap[rows], s[rows], t[rows] = other[better], other_s[better], other_t[better]
    return gap, s, t


def _foot(rods: Rods, points: Floats) -> Floats:
    along = rods.ends - rods.starts
    share = ((points - rods.starts) * along).sum(1) / np.maximum((along * along).sum(1), SMALLEST)
    return np.asarray(np.clip(share, 0.0, 1.0))


def _gap(first: Rods, second: Rods, s: Floats, t: Floats) -> Floats:
    p = first.starts + (first.ends - first.starts) * s[:, None]
    q = second.starts + (second.ends - second.starts) * t[:, None]
    thickness = first.radii[:, 0] + (first.radii[:, 1] - first.radii[:, 0]) * s
    thickness = thickness + second.radii[:, 0] + (second.radii[:, 1] - second.radii[:, 0]) * t
    return np.asarray(np.linalg.norm(p - q, axis=1) - thickness)
