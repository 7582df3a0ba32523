"""The nodes of growing colonies, in arrays that grow with them."""

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.network.proximity import Rods


class ColonyNodes:
    """Nodes by number; a node stands for the segment from its parent to itself as well.

    `way` is the length of the path from the root, `since_fork` that from the last `fork` (a node), `outset` the heading
    with which the branch left it, `reserve` the radius that is kept free for the segment, `first_child` the child that
    came first (−1: a tip), `failures` how often a child of it found no room.
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
        self._reserve_room(count)
        rows = slice(0, count)
        self.positions[rows], self.headings[rows], self.reserve[rows] = roots, headings, reserve
        self.parent[rows], self.tree[rows], self.first_child[rows] = -1, np.arange(count), -1
        self.fork[rows], self.outset[rows] = np.arange(count), headings
        self.count = count

    def _reserve_room(self, wanted: int) -> None:
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
        self._reserve_room(self.count + len(parents))
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
        """Give back the room for nodes that never came."""
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
        """The segments that end in these nodes, with the room reserved for them."""
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
