"""How near rods come to each other, for many pairs at once: n·log n in the number of rods."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from loopwright.agents.designspec.network import Floats, Ints, Network

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


# Which branches of a network come too near to each other.

CROTCH = 4.0
"""How far from a junction its branches may still touch, in multiples of their centre lines' required distance.

Two branches of equal radius that part at 30° leave each other's clearance after 3.9 times that distance.
"""
SURE = 0.05
"""An overlap or a gap of this share of two radii is one in any mesh: a tube of 16 sides lacks 2 % of its radius."""
TOLERANCE = 1e-9
"""Metres; rounding is not a collision."""
ROUNDS = 256


@dataclass(frozen=True)
class Collision:
    """Two segments, not neighbours, whose surfaces are `gap` apart (negative: overlapping) where `required` was wanted.

    `place` is the middle between the two nearest points of their centre lines, in metres.
    """

    first: int
    second: int
    gap: float
    required: float
    place: tuple[float, float, float]


def find_collisions(network: Network, clearance: float) -> list[Collision]:
    """The pairs of segments that are closer than the clearance without being parts of the same junction or bend.

    What grows out of a shared node is one body near that node, and must be. So a pair counts as part of a junction
    when it touches at an end, and the segment before that end belongs to the junction in the same way and no less,
    back to a node that both share, over no more than `CROTCH` times their required distance. A branch that comes back
    and touches from elsewhere has no such chain: it would close a ring that the graph does not have.

    Args:
        network: the network, radii settled.
        clearance: the wanted distance between surfaces, in metres.

    Returns:
        The collisions, the worst first.
    """
    pairs, gaps, s, t = conflicting_pairs(network, clearance)
    starts, along = network.starts, network.ends - network.starts
    first, second = pairs[:, 0], pairs[:, 1]
    places = (starts[first] + along[first] * s[:, None] + starts[second] + along[second] * t[:, None]) / 2
    return [
        Collision(int(first[k]), int(second[k]), float(gaps[k]), clearance, _place(places[k]))
        for k in np.lexsort((second, first, gaps))
    ]


def _place(point: Floats) -> tuple[float, float, float]:
    return (float(point[0]), float(point[1]), float(point[2]))


def conflicting_pairs(network: Network, clearance: float) -> tuple[Ints, Floats, Floats, Floats]:
    """The colliding pairs (k, 2), their gaps (k,), and the shares along both segments (k,) where they are nearest."""
    rods = rods_of(network)
    pairs = near_pairs(rods, None, clearance)
    gaps, s, t = surface_gaps(rods.take(pairs[:, 0]), rods.take(pairs[:, 1]))
    close = gaps < clearance - TOLERANCE
    pairs, gaps, s, t = pairs[close], gaps[close], s[close], t[close]
    guilty = ~_grown_together(network, pairs, gaps, s, t, clearance)
    return pairs[guilty], gaps[guilty], s[guilty], t[guilty]


def _grown_together(
    network: Network, pairs: Ints, gaps: Floats, s: Floats, t: Floats, clearance: float
) -> NDArray[np.bool_]:
    """Which pairs are chained to a shared node by pairs that are nearest end to end.

    Towards the shared node the gap must not grow: a crotch that opens and closes again has a hole. That is let pass
    only where both pairs overlap, or the farther pair stays apart, by more than what a mesh of the tubes may lack.
    """
    one, two = network.segments[pairs[:, 0]], network.segments[pairs[:, 1]]
    adjacent = (one[:, :, None] == two[:, None, :]).any(axis=(1, 2))
    thickest = network.radii.max(axis=1)
    apart_at_least = thickest[pairs[:, 0]] + thickest[pairs[:, 1]]
    limit, sure = CROTCH * (apart_at_least + clearance), SURE * apart_at_least
    count = len(network.segments)
    keys = pairs[:, 0] * count + pairs[:, 1]
    before, after, step = _predecessors(network, pairs, keys, s, t, count)
    narrowing = (gaps[before] <= np.maximum(gaps[after], -sure[after]) + TOLERANCE) | (gaps[after] > sure[after])
    narrowing |= adjacent[before]
    before, after, step = before[narrowing], after[narrowing], step[narrowing]
    apart = np.where(adjacent, 0.0, np.inf)
    for _ in range(ROUNDS):
        reached = apart.copy()
        np.minimum.at(reached, after, apart[before] + step)
        reached[reached > limit] = np.inf
        if np.array_equal(reached, apart):
            break
        apart = reached
    return np.asarray(np.isfinite(apart))


def _predecessors(
    network: Network, pairs: Ints, keys: Ints, s: Floats, t: Floats, count: int
) -> tuple[Ints, Ints, Floats]:
    """Links between pairs: from (i, m) to (i, j), where j touches i at the node it shares with m; and m's length."""
    offsets, incident = _incidence(network)
    lengths = network.lengths
    before, after, step = [], [], []
    for side, share in ((0, s), (1, t)):
        for end in (0, 1):
            rows = np.flatnonzero(share == float(end))
            moving, staying = pairs[rows, side], pairs[rows, 1 - side]
            nodes = network.segments[moving, end]
            sizes = offsets[nodes + 1] - offsets[nodes]
            origin = np.repeat(np.arange(len(rows)), sizes)
            within = np.arange(len(origin)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            previous = incident[np.repeat(offsets[nodes], sizes) + within]
            low, high = np.minimum(previous, staying[origin]), np.maximum(previous, staying[origin])
            wanted = low * count + high
            place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
            known = (keys[place] == wanted) & (previous != moving[origin]) if len(keys) else np.zeros(0, dtype=bool)
            before.append(place[known])
            after.append(rows[origin[known]])
            step.append(lengths[previous[known]])
    return np.concatenate(before), np.concatenate(after), np.concatenate(step)


def _incidence(network: Network) -> tuple[Ints, Ints]:
    """Segments at each node, as offsets and a flat list."""
    nodes = network.segments.ravel()
    order = np.argsort(nodes, kind="stable")
    sizes = np.bincount(nodes, minlength=len(network.positions))
    return np.concatenate([[0], np.cumsum(sizes)]), order // 2


# The nodes of growing colonies, in arrays that grow with them.


class ColonyNodes:
    """Nodes by number; a node stands for the segment from its parent to itself as well.

    `way` is the length of the path from the root, `since_fork` that from the last `fork` (a node), `outset` the heading
    with which the branch left it, `reserve` the radius that is kept free for the segment, `first_child` the child that
    came first (−1: a tip), `failures` how often a child of it found no space.
    """

    def __init__(self, roots: Floats, headings: Floats, reserve: Floats) -> None:
        """Begin with the roots, (k, 3); their headings are unit vectors, their reserves (k,) radii in metres."""
        count = len(roots)
        self.count = 0
        self.positions = np.zeros((0, 3))
        self.headings = np.zeros((0, 3))
        self.outset = np.zeros((0, 3))
        self.parent = np.zeros(0, dtype=np.int64)
        self.tree = np.zeros(0, dtype=np.int64)
        self.hops = np.zeros(0, dtype=np.int64)
        self.generation = np.zeros(0, dtype=np.int64)
        self.children = np.zeros(0, dtype=np.int64)
        self.first_child = np.zeros(0, dtype=np.int64)
        self.fork = np.zeros(0, dtype=np.int64)
        self.failures = np.zeros(0, dtype=np.int64)
        self.way = np.zeros(0)
        self.since_fork = np.zeros(0)
        self.reserve = np.zeros(0)
        self._reserve_space(count)
        rows = slice(0, count)
        self.positions[rows], self.headings[rows], self.reserve[rows] = roots, headings, reserve
        self.parent[rows], self.tree[rows], self.first_child[rows] = -1, np.arange(count), -1
        self.fork[rows], self.outset[rows] = np.arange(count), headings
        self.count = count

    def _reserve_space(self, wanted: int) -> None:
        have = len(self.parent)
        if wanted <= have:
            return
        more = max(wanted, 2 * have, 256) - have
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(self, name, np.concatenate([value, np.zeros((more, *value.shape[1:]), dtype=value.dtype)]))

    def add(self, parents: Ints, positions: Floats, reserve: Floats) -> Ints:
        """Append a child to each of the parents (k,), which may repeat; gives the new numbers."""
        new = np.arange(self.count, self.count + len(parents))
        self._reserve_space(self.count + len(parents))
        way = positions - self.positions[parents]
        length = np.linalg.norm(way, axis=1)
        self.positions[new], self.headings[new] = positions, way / np.maximum(length, 1e-30)[:, None]
        self.parent[new], self.tree[new], self.reserve[new] = parents, self.tree[parents], reserve
        self.hops[new], self.way[new] = self.hops[parents] + 1, self.way[parents] + length
        self.first_child[new], self.children[new], self.failures[new] = -1, 0, 0
        np.add.at(self.children, parents, 1)
        forks = self.children[parents] > 1
        self.since_fork[new] = np.where(forks, 0.0, self.since_fork[parents]) + length
        self.generation[new] = self.generation[parents] + forks
        self.fork[new] = np.where(forks, parents, self.fork[parents])
        self.outset[new] = np.where(forks[:, None], self.headings[new], self.outset[parents])
        barren = self.first_child[parents] < 0
        # of twins the first is the first child: written last
        self.first_child[parents[barren][::-1]] = new[barren][::-1]
        self.count += len(parents)
        return new

    def trim(self) -> None:
        """Give back the space for nodes that never came."""
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(self, name, value[: self.count])

    @property
    def live(self) -> slice:
        """The part of the arrays in use."""
        return slice(0, self.count)

    @property
    def is_tip(self) -> NDArray[np.bool_]:
        """(n,): which nodes have no child."""
        return np.asarray(self.children[self.live] == 0)

    def gaze(self, numbers: Ints) -> Floats:
        """(k, 3): the middle between a node's heading and its branch's outset; not normalised."""
        return np.asarray(self.headings[numbers] + self.outset[numbers])

    def rods(self, numbers: Ints) -> Rods:
        """The segments that end in these nodes, with the space reserved for them."""
        reserve = self.reserve[numbers]
        return Rods(self.positions[self.parent[numbers]], self.positions[numbers], np.stack([reserve, reserve], axis=1))

    def paths_to(self, origins: Ints, segments: Ints) -> Floats:
        """(k,): the way along the tree from each node to the nearer end of each segment; infinite between trees."""
        one, other = origins.copy(), self.parent[segments].copy()
        same = self.tree[one] == self.tree[other]
        far = same.copy()
        while far.any():
            deeper = far & (self.hops[one] >= self.hops[other])
            shallower = far & ~deeper
            one[deeper] = np.where(one[deeper] == other[deeper], one[deeper], self.parent[one[deeper]])
            other[shallower] = self.parent[other[shallower]]
            # both rise by turns until they meet in the node where their ways part
            far = same & (one != other)
        way = self.way[origins] + self.way[self.parent[segments]] - 2 * self.way[one]
        below = self._descends(origins, segments)
        way = np.where(below, self.way[origins] - self.way[segments], way)
        return np.asarray(np.where(same, way, np.inf))

    def _descends(self, origins: Ints, segments: Ints) -> NDArray[np.bool_]:
        """Whether each node lies at or below the segment's end."""
        at = origins.copy()
        rising = self.hops[at] > self.hops[segments]
        while rising.any():
            at[rising] = self.parent[at[rising]]
            rising = self.hops[at] > self.hops[segments]
        return np.asarray(at == segments)
