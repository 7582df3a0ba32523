"""Whether branches fit: inside the domain, clear of what stands, clear of each other."""

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network import (
    DomainProbe,
    Floats,
    Ints,
    Margins,
    Network,
    NodeType,
    Opening,
    TreePlan,
)
from loopwright.agents.designspec.network.collision_repair import name_nodes
from loopwright.agents.designspec.network.proximity import (
    Rods,
    conflicting_pairs,
    find_collisions,
    near_pairs,
    rods_of,
    surface_gaps,
)
from loopwright.kernel.errors import InvalidInput

# What a program has laid out so far: places with names, and the channels between them.

MOST_NODES = 100_000


@dataclass
class NamedNode:
    """A node with a name: its radius, and where the channel that made it was headed (None: nowhere yet)."""

    node: int
    radius: float
    heading: Floats | None
    opening: Opening | None = None


@dataclass
class Canvas:
    """Nodes and segments in the order in which the steps drew them; `drawn_by` is each segment's step."""

    positions: list[Floats] = field(default_factory=list)
    kinds: list[NodeType] = field(default_factory=list)
    vessels: list[str] = field(default_factory=list)
    segments: list[tuple[int, int]] = field(default_factory=list)
    radii: list[tuple[float, float]] = field(default_factory=list)
    drawn_by: list[int] = field(default_factory=list)
    made_by: list[int] = field(default_factory=list)
    places: dict[str, NamedNode] = field(default_factory=dict)

    def node(self, position: Floats, vessel: str, step: int, kind: NodeType = "junction") -> int:
        """A new node."""
        if len(self.positions) >= MOST_NODES:
            raise InvalidInput(f"the program makes more than {MOST_NODES} nodes")
        self.positions.append(np.asarray(position, dtype=np.float64))
        self.kinds.append(kind)
        self.vessels.append(vessel)
        self.made_by.append(step)
        return len(self.positions) - 1

    def channel(self, path: Floats, first: int, last: int | None, radii: tuple[float, float], step: int) -> int:
        """Segments along a path (k, 3) that begins at a node and ends at another or a new one; gives the last node.

        The radius goes evenly from the first to the second along the way.
        """
        ways = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        width = radii[0] + (radii[1] - radii[0]) * ways / max(float(ways[-1]), 1e-30)
        nodes = [first, *(self.node(point, self.vessels[first], step) for point in path[1:-1])]
        nodes.append(self.node(path[-1], self.vessels[first], step) if last is None else last)
        for (here, there), (one, other) in zip(pairwise(nodes), pairwise(width), strict=True):
            self.segments.append((here, there))
            self.radii.append((float(one), float(other)))
            self.drawn_by.append(step)
        return nodes[-1]

    def network(self) -> Network:
        """All of it."""
        return name_nodes(
            Network(
                np.asarray(self.positions).reshape(-1, 3),
                np.asarray(self.segments, dtype=np.int64).reshape(-1, 2),
                np.asarray(self.radii, dtype=np.float64).reshape(-1, 2),
                tuple(self.kinds),
                tuple(self.vessels),
                {place.opening.name: place.node for place in self.places.values() if place.opening is not None},
            )
        )

    def rods_away_from(self, nodes: list[int], reach: float) -> Rods:
        """The channels but for those that lead to one of the nodes within the reach along the channels."""
        network = self.network()
        touching: dict[int, list[int]] = {}
        for number, pair in enumerate(self.segments):
            for node in pair:
                touching.setdefault(node, []).append(number)
        lengths = network.lengths
        near: set[int] = set()
        waiting = [(0.0, node) for node in nodes]
        best: dict[int, float] = {}
        while waiting:
            way, node = waiting.pop()
            if way > reach or way >= best.get(node, np.inf):
                continue
            best[node] = way
            for number in touching.get(node, ()):
                near.add(number)
                first, second = self.segments[number]
                waiting.append((way + float(lengths[number]), second if node == first else first))
        return rods_of(network).take(np.array([number not in near for number in range(len(self.segments))], dtype=bool))

    def short_circuits(self) -> list[tuple[int, int, tuple[float, float, float]]]:
        """Channels that run into each other without a node: the two steps, the later one last, and where."""
        found = []
        for hit in find_collisions(self.network(), 0.0):
            steps = sorted((self.drawn_by[hit.first], self.drawn_by[hit.second]))
            found.append((steps[0], steps[1], hit.place))
        return found


# A scaffold while it grows: its nodes, its branches, and what is still to be tried.


@dataclass
class Joint:
    """Where a branch ends: the next split happens here. `branch` leads to it; `rows` are its tissue points."""

    tree: int
    position: Floats
    direction: Floats
    level: int
    budget: int
    rows: Ints
    branch: int
    children: list[int] = field(default_factory=list)


@dataclass
class Branch:
    """A grown branch: its curve (k, 3), its planned radii (k − 1, 2), and the joints it leads from and to."""

    curve: Floats
    radii: Floats
    start: int
    stop: int


@dataclass
class BranchProposal:
    """A branch that is to be grown: from which joint, towards which point, for which tissue."""

    joint: int
    chord: Floats
    budget: int
    rows: Ints
    radius: float


class Scaffold:
    """All trees together. Joints come in the order in which they were grown."""

    def __init__(self, plans: list[TreePlan]) -> None:
        self.plans = plans
        self.joints: list[Joint] = []
        self.branches: list[Branch] = []

    @property
    def ends(self) -> int:
        """How many ends the trees have."""
        return sum(not joint.children for joint in self.joints)

    def grow(self, joint: Joint, branch_curve: Floats, radii: Floats, start: int) -> int:
        """Add a branch and the joint at its end; `start` is −1 for a stem. Returns the joint's number."""
        number, branch = len(self.joints), len(self.branches)
        self.branches.append(Branch(branch_curve, radii, start, number))
        joint.branch = branch
        self.joints.append(joint)
        if start >= 0:
            self.joints[start].children.append(branch)
        return number

    def rods(self, branches: list[int] | None = None) -> tuple[Rods, Ints]:
        """The pieces of some branches or of all, and the branch of each."""
        chosen = range(len(self.branches)) if branches is None else branches
        parts = [self.branches[number] for number in chosen]
        if not parts:
            return Rods(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 2))), np.zeros(0, dtype=np.int64)
        owner = np.repeat(np.asarray(list(chosen), dtype=np.int64), [len(part.radii) for part in parts])
        return Rods(
            np.concatenate([part.curve[:-1] for part in parts]),
            np.concatenate([part.curve[1:] for part in parts]),
            np.concatenate([part.radii for part in parts]),
        ), owner

    def family(self, joint: int) -> list[int]:
        """The branches that a child of this joint may touch: siblings, parent, the parent's siblings and parent."""
        own = self.joints[joint]
        close = [*own.children, own.branch]
        start = self.branches[own.branch].start
        if start >= 0:
            close += [*self.joints[start].children, self.joints[start].branch]
        return close

    def network(self) -> Network:
        """The trees as a network, with the planned radii."""
        positions: list[Floats] = []
        segments: list[Ints] = []
        kinds: list[NodeType] = []
        vessels: list[str] = []
        ports: dict[str, int] = {}
        ends: dict[int, int] = {}
        for branch in self.branches:
            opening = self.plans[self.joints[branch.stop].tree].opening
            fresh = branch.curve if branch.start < 0 else branch.curve[1:]
            first = len(kinds)
            if branch.start < 0:
                ports[opening.name] = first
            numbers = np.arange(first, first + len(fresh))
            chain = numbers if branch.start < 0 else np.concatenate([[ends[branch.start]], numbers])
            positions.append(fresh)
            segments.append(np.stack([chain[:-1], chain[1:]], axis=1))
            kinds += ["junction"] * len(fresh)
            vessels += [opening.vessel_type] * len(fresh)
            if branch.start < 0:
                kinds[first] = "outlet" if opening.outlet else "inlet"
            ends[branch.stop] = int(numbers[-1])
        radii = np.concatenate([branch.radii for branch in self.branches])
        whole = Network(np.concatenate(positions), np.concatenate(segments), radii, tuple(kinds), tuple(vessels), ports)
        return name_nodes(whole)


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
    scaffold: Scaffold, standing: Standing, proposals: list[BranchProposal], paths: Floats, margins: Margins
) -> NDArray[np.bool_]:
    """(n,): which branches can be built, the earlier first, without touching what they must not touch."""
    pieces = paths.shape[1] - 1
    rods = _rods(proposals, paths)
    owner = np.repeat(np.arange(len(proposals)), pieces)
    good = ~_hits_other_branches(scaffold, standing, proposals, rods, owner, margins)
    firsts, seconds = _family_conflicts(scaffold, proposals, paths, np.flatnonzero(good), margins)
    for first, second in zip(firsts.tolist(), seconds.tolist(), strict=True):
        # pairs come sorted by the later branch, so all earlier ones are settled
        if first < 0 or good[first]:
            good[second] = False
    return good


def _rods(proposals: list[BranchProposal], paths: Floats) -> Rods:
    radii = np.repeat(np.array([proposal.radius for proposal in proposals]), paths.shape[1] - 1)
    return Rods(paths[:, :-1].reshape(-1, 3), paths[:, 1:].reshape(-1, 3), np.stack([radii, radii], axis=1))


def _hits_other_branches(
    scaffold: Scaffold, standing: Standing, proposals: list[BranchProposal], rods: Rods, owner: Ints, margins: Margins
) -> NDArray[np.bool_]:
    """Which branches come too near to branches that are not of their family."""
    slack = margins.clearance + margins.relative * float(rods.thickest.max(initial=0.0))
    pairs = near_pairs(rods, standing.rods, slack)
    gaps, _, _ = surface_gaps(rods.take(pairs[:, 0]), standing.rods.take(pairs[:, 1]))
    wanted = margins.clearance + margins.relative * rods.thickest[pairs[:, 0]]
    pairs = pairs[gaps < wanted]
    families = {proposal.joint: set(scaffold.family(proposal.joint)) for proposal in proposals}
    hit = np.zeros(len(proposals), dtype=bool)
    branches = np.stack([owner[pairs[:, 0]], standing.owner[pairs[:, 1]]], axis=1)
    for proposal, branch in np.unique(branches, axis=0).tolist():
        if branch not in families[proposals[proposal].joint]:
            hit[proposal] = True
    return hit


def _family_conflicts(
    scaffold: Scaffold, proposals: list[BranchProposal], paths: Floats, chosen: Ints, margins: Margins
) -> tuple[Ints, Ints]:
    """Conflicts among the chosen branches and with their families: (earlier branch or −1, later branch), sorted."""
    family = sorted({branch for row in chosen.tolist() for branch in scaffold.family(proposals[row].joint)})
    local, owner = _local_network(scaffold, proposals, paths, chosen, family)
    # branches may come out thinner than planned, when others do not find space; what a fat junction hides then shows
    thin = replace(local, radii=np.full_like(local.radii, min(plan.end_radius for plan in scaffold.plans)))
    pairs = np.concatenate([conflicting_pairs(network, margins.clearance)[0] for network in (local, thin)])
    one, two = owner[pairs[:, 0]], owner[pairs[:, 1]]
    low, high = np.minimum(one, two), np.maximum(one, two)
    # what stands has number −1, and is no concern where both stand
    found = np.unique(np.stack([high, low], axis=1)[(high >= 0) & (low != high)], axis=0)
    return found[:, 1], found[:, 0]


def _local_network(
    scaffold: Scaffold, proposals: list[BranchProposal], paths: Floats, chosen: Ints, family: list[int]
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
        thickness = np.full((paths.shape[1] - 1, 2), proposals[row].radius)
        lay(paths[row], thickness, proposals[row].joint, None, row)
    network = Network(
        np.asarray(positions).reshape(-1, 3),
        np.asarray(segments, dtype=np.int64).reshape(-1, 2),
        np.concatenate(radii) if radii else np.zeros((0, 2)),
        tuple("junction" for _ in positions),
        ("",) * len(positions),
    )
    return network, np.asarray(owner, dtype=np.int64)
