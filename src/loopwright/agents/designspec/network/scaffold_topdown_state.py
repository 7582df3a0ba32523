"""A scaffold while it grows: its nodes, its branches, and what is still to be tried."""

from dataclasses import dataclass, field

import numpy as np

from loopwright.agents.designspec.network.network import Floats, Ints, Network, NodeType
from loopwright.agents.designspec.network.proximity import Rods
from loopwright.agents.designspec.network.scaffold_topdown_plan import TreePlan
from loopwright.agents.designspec.network.surgery import name_nodes


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
class Wish:
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
