"""Networks: which way their segments lead, and how thick they are."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.document.backends import ScaffoldParams
from loopwright.agents.designspec.document.domains import VesselType
from loopwright.agents.designspec.document.policies import Policies

# A network of channels: nodes in space, segments between them, a radius at each end of a segment.

NodeType = Literal["inlet", "outlet", "junction", "terminal"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Network:
    """A graph in space, in metres.

    `positions` is (n, 3). `segments` is (m, 2) with node numbers, the first nearer to its root. `radii` is (m, 2): at
    the segment's start and end. `node_types` and `vessel_types` have n entries; `ports` gives the node of each port by
    the port's name. Neighbouring segments share a node; segments that share none must keep their clearance.
    """

    positions: Floats
    segments: Ints
    radii: Floats
    node_types: tuple[NodeType, ...]
    vessel_types: tuple[str, ...]
    ports: Mapping[str, int] = field(default_factory=dict)

    @property
    def starts(self) -> Floats:
        """(m, 3): where the segments begin."""
        return np.asarray(self.positions[self.segments[:, 0]])

    @property
    def ends(self) -> Floats:
        """(m, 3): where they end."""
        return np.asarray(self.positions[self.segments[:, 1]])

    @property
    def lengths(self) -> Floats:
        """(m,): their lengths."""
        return np.asarray(np.linalg.norm(self.ends - self.starts, axis=1))


# What growth asks of a domain; `geometry/` answers it.

Progress = Callable[[float, str], None]
"""Told the share done (0 to 1) and what is being done; may raise to stop the work."""


def silent(share: float, message: str) -> None:
    """Progress that nobody watches."""


class DomainProbe(Protocol):
    """Asks a body about points, in metres."""

    @property
    def bounds(self) -> Floats:
        """(2, 3): the lowest and the highest corner."""
        ...

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether each of the (n, 3) points lies inside or on the boundary."""
        ...

    def depth(self, points: Floats) -> Floats:
        """(n,): distance of each point to the boundary, positive inside, negative outside."""
        ...

    def sample(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 3): points spread evenly over the volume."""
        ...


@dataclass(frozen=True)
class Order:
    """How a network's segments follow one another.

    `segments` (m, 2) is each segment's direction, `sequence` (m,) the segments with parents first, `generation` (m,)
    the junctions between a segment and its port, `tree` (m,) the port's node that feeds it first (−1 for none),
    `parent_count` (m,) the segments that run into its start. `incoming`, `outgoing` and `only_child` are by node.
    """

    nodes: int
    segments: Ints
    sequence: Ints
    generation: Ints
    tree: Ints
    parent_count: Ints
    incoming: Ints
    outgoing: Ints
    only_child: Ints


def orient(network: Network) -> Order:
    """Follow the segments' own directions; where these go round in a ring, the way from the nearest port counts."""
    segments = network.segments.astype(np.int64)
    sequence = _sorted(segments, len(network.positions))
    if sequence is None:
        segments = _from_ports(network)
        sequence = _sorted(segments, len(network.positions))
    if sequence is None:
        raise RuntimeError("a walk from the ports cannot go round in a ring")
    nodes = len(network.positions)
    incoming = np.bincount(segments[:, 1], minlength=nodes)
    outgoing = np.bincount(segments[:, 0], minlength=nodes)
    only_child = np.full(nodes, -1, dtype=np.int64)
    only_child[segments[:, 0]] = np.arange(len(segments))
    tree, generation = _descent(network, segments, sequence, outgoing)
    return Order(nodes, segments, sequence, generation, tree, incoming[segments[:, 0]], incoming, outgoing, only_child)


def _sorted(segments: Ints, nodes: int) -> Ints | None:
    """Parents first (Kahn 1962); None where a ring forbids it."""
    outgoing: list[list[int]] = [[] for _ in range(nodes)]
    waiting_for = [0] * nodes
    pairs: list[list[int]] = segments.tolist()
    for segment, (start, stop) in enumerate(pairs):
        outgoing[start].append(segment)
        waiting_for[stop] += 1
    ready = deque(node for node in range(nodes) if waiting_for[node] == 0)
    sequence: list[int] = []
    while ready:
        for segment in outgoing[ready.popleft()]:
            sequence.append(segment)
            stop = pairs[segment][1]
            waiting_for[stop] -= 1
            if waiting_for[stop] == 0:
                ready.append(stop)
    return np.asarray(sequence, dtype=np.int64) if len(sequence) == len(segments) else None


def _from_ports(network: Network) -> Ints:
    """Every segment pointing from the node that is reached earlier, walking from the ports outwards."""
    touching: list[list[int]] = [[] for _ in range(len(network.positions))]
    pairs: list[list[int]] = network.segments.tolist()
    for start, stop in pairs:
        touching[start].append(stop)
        touching[stop].append(start)
    rank = [-1] * len(touching)
    place = 0
    for seeds in (sorted(network.ports.values()), *([node] for node in range(len(touching)))):
        waiting = deque(seeds)
        while waiting:
            node = waiting.popleft()
            if rank[node] < 0:
                rank[node], place = place, place + 1
                waiting.extend(other for other in touching[node] if rank[other] < 0)
    ranks = np.asarray(rank)[network.segments]
    return np.where((ranks[:, 0] <= ranks[:, 1])[:, None], network.segments, network.segments[:, ::-1])


def _descent(network: Network, segments: Ints, sequence: Ints, outgoing: Ints) -> tuple[Ints, Ints]:
    tree_of = np.full(len(network.positions), -1, dtype=np.int64)
    ports = list(network.ports.values())
    tree_of[ports] = ports
    depth = np.zeros(len(network.positions), dtype=np.int64)
    tree, generation = np.full(len(segments), -1, dtype=np.int64), np.zeros(len(segments), dtype=np.int64)
    for segment in sequence:
        start, stop = segments[segment]
        tree[segment], generation[segment] = tree_of[start], depth[start]
        if tree_of[stop] < 0:
            tree_of[stop] = tree_of[start]
            depth[stop] = depth[start] + (outgoing[stop] > 1)
    return tree, generation


# How thick the segments of a network are.
#
# Openings: ports with their place settled.

Place = tuple[float, float, float]


@dataclass(frozen=True)
class Opening:
    """A port as it is built, in metres: `direction` has length 1 and points into the domain.

    `outlet` tells an outlet from an inlet. `surface` is False for a port that is meant to end inside the domain.
    `moved` is how far the ports policy moved the given position.
    """

    name: str
    component_id: str
    position: Place
    direction: Place
    radius: float
    outlet: bool = False
    vessel_type: VesselType = "arterial"
    surface: bool = True
    moved: float = 0.0


def assign_radii(
    network: Network,
    policies: Policies,
    *,
    port_radii: dict[str, float] | None = None,
    terminal_radii: dict[str, float] | None = None,
) -> Network:
    """The network with its radii settled by the radius policy.

    `murray`: at every junction the parent's radius to the exponent is the sum of its children's (Murray 1926), from the
    ends up; every end of a tree carries the same flow. The ends of a tree are as thick as `terminal_radii`, the
    policy's `terminal_radius`, or what the port's radius leaves for each of them, and never so thick that the root
    outgrows its port. `taper`: a child has `taper_factor` of its parent's radius. `constant`: as thick as the port.

    A port's own radius holds at the port; the way from it to the first junction tapers to what the tree needs. The
    smallest and largest radius hold everywhere else, where they bind Murray's law does not.

    Args:
        network: the network; segments point away from their ports.
        policies: the radius policy and the growth's limits.
        port_radii: the radius at each port by name; else the network's own radii there.
        terminal_radii: the radius of the ends of the tree of each port.
    """
    if not len(network.segments):
        return network
    order = orient(network)
    ports = dict(sorted(network.ports.items()))
    given = {name: _port_radius(network, node, (port_radii or {}).get(name)) for name, node in ports.items()}
    low, high = _limits(policies)
    root = np.full(len(network.segments), np.nan)
    end = np.full(len(network.segments), np.nan)
    for name, node in ports.items():
        mine = order.tree == node
        root[mine] = given[name]
        wanted = (terminal_radii or {}).get(name) or policies.radius.terminal_radius
        end[mine] = np.inf if wanted is None else wanted
    fallback = policies.radius.terminal_radius or low
    root, end = np.nan_to_num(root, nan=high), np.where(np.isnan(end), fallback, end)
    radius = {"murray": _murray, "taper": _taper, "constant": _constant}[policies.radius.mode](
        order, root, end, policies, low
    )
    radius = _never_thicker_than_parent(order, np.minimum(np.clip(radius, low, high), np.maximum(root, low)))
    radii = np.stack([radius, radius], axis=1)
    _funnel(network, order, radii, {ports[name]: value for name, value in given.items()})
    return Network(network.positions, network.segments, radii, network.node_types, network.vessel_types, network.ports)


def planned_radius(policies: Policies, port: float, end: float, share: Floats, generation: Floats) -> Floats:
    """The radius that a branch is going to have at most, which growth must keep free for it.

    Args:
        policies: the radius policy.
        port: the port's radius.
        end: the radius of the tree's ends.
        share: (k,) how many ends the branch is meant to feed.
        generation: (k,) how many junctions lie between it and the port.
    """
    low, high = _limits(policies)
    if policies.radius.mode == "murray":
        radius = end * share ** (1.0 / policies.radius.murray_exponent)
    elif policies.radius.mode == "taper":
        radius = port * policies.radius.taper_factor**generation
    else:
        radius = np.full(share.shape, port)
    return np.asarray(np.minimum(np.clip(radius, low, high), max(port, low)))


def terminal_radius(policies: Policies, port: float, terminals: int, wanted: float | None) -> float:
    """How thick the ends of a tree of so many ends can be, from a port of this radius."""
    low, high = _limits(policies)
    most = port / max(terminals, 1) ** (1.0 / policies.radius.murray_exponent)
    aimed = wanted or policies.radius.terminal_radius
    return float(np.clip(most if aimed is None else min(aimed, most), low, high))


def _limits(policies: Policies) -> tuple[float, float]:
    low = policies.radius.min_radius or policies.growth.min_radius
    highs = [value for value in (policies.radius.max_radius, policies.growth.max_radius) if value is not None]
    return low, max(min(highs), low) if highs else np.inf


def _port_radius(network: Network, node: int, given: float | None) -> float:
    if given is not None:
        return given
    at = np.concatenate([network.radii[network.segments[:, end] == node, end] for end in (0, 1)])
    return float(at.max()) if len(at) else 0.0


def _murray(order: Order, root: Floats, end: Floats, policies: Policies, low: float) -> Floats:
    exponent = policies.radius.murray_exponent
    flow = _ends_below(order)
    whole = np.ones(len(flow))
    for tree in np.unique(order.tree):
        mine = order.tree == tree
        whole[mine] = max(float(flow[mine & (order.parent_count == 0)].sum()), 1.0)
    end = np.maximum(np.minimum(end, root / whole ** (1.0 / exponent)), low)
    return np.asarray(end * flow ** (1.0 / exponent))


def _taper(order: Order, root: Floats, end: Floats, policies: Policies, low: float) -> Floats:
    return np.asarray(root * policies.radius.taper_factor ** order.generation.astype(np.float64))


def _constant(order: Order, root: Floats, end: Floats, policies: Policies, low: float) -> Floats:
    return root.copy()


def _ends_below(order: Order) -> Floats:
    """(m,): the ends that each segment feeds; where two segments meet, each brings half."""
    flow = np.zeros(len(order.sequence))
    below = np.zeros(order.nodes)
    for segment in order.sequence[::-1]:
        start, stop = order.segments[segment]
        flow[segment] = below[stop] / order.incoming[stop] if order.outgoing[stop] else 1.0
        below[start] += flow[segment]
    return flow


def _never_thicker_than_parent(order: Order, radius: Floats) -> Floats:
    widest = np.zeros(order.nodes)
    for segment in order.sequence:
        start, stop = order.segments[segment]
        if order.incoming[start]:
            radius[segment] = min(radius[segment], widest[start])
        widest[stop] = max(widest[stop], radius[segment])
    return radius


def _funnel(network: Network, order: Order, radii: Floats, given: dict[int, float]) -> None:
    """Lets the way from a port to its first junction taper from the port's radius to the tree's."""
    for port, wide in sorted(given.items()):
        leaving = np.flatnonzero(network.segments[:, 0] == port)
        if len(leaving) != 1 or wide <= 0:
            radii[leaving, 0] = np.maximum(radii[leaving, 0], wide)
            continue
        run = _run(network, order, int(leaving[0]))
        lengths = network.lengths[run]
        narrow = float(radii[run[-1], 1])
        ways = np.concatenate([[0.0], np.cumsum(lengths) / max(float(lengths.sum()), 1e-18)])
        width = wide + (narrow - wide) * ways
        radii[run, 0], radii[run, 1] = width[:-1], width[1:]


def _run(network: Network, order: Order, segment: int) -> Ints:
    """The unbranched way that begins with a segment."""
    run = [segment]
    while True:
        stop = int(network.segments[run[-1], 1])
        if order.outgoing[stop] != 1 or order.incoming[stop] != 1:
            return np.asarray(run, dtype=np.int64)
        run.append(int(order.only_child[stop]))


# What a tree is meant to become: how many ends, how thick, with which steps, under which margins.

MOST_ENDS = 20_000


@dataclass(frozen=True)
class TreePlan:
    """One tree: from which opening, how many ends it is to have, how thick these are (metres), and its main axis."""

    opening: Opening
    ends: int
    end_radius: float
    axis: Floats

    def radius(self, policies: Policies, budget: int, generation: int) -> float:
        """The largest radius that a branch with so many ends can come to have."""
        share, depth = np.array([float(budget)]), np.array([float(generation)])
        return float(planned_radius(policies, self.opening.radius, self.end_radius, share, depth)[0])


@dataclass(frozen=True)
class Margins:
    """Distances to keep, in metres.

    `wall` is that from a tube to the boundary, `aim` that for where branches are sent, and `clearance` that between
    tubes, to which growth adds `relative` as a share of the radius.
    """

    wall: float
    aim: float
    clearance: float
    relative: float


def scaffold_params(policies: Policies) -> ScaffoldParams:
    """The backend's parameters."""
    return ScaffoldParams.model_validate(policies.growth.backend_params)


def margins(params: ScaffoldParams, policies: Policies) -> Margins:
    """The distances that growth keeps."""
    online, after = params.collision_online, params.collision_postpass
    clearance = policies.collision.collision_clearance if policies.collision.enabled else 0.0
    if after.enabled:
        clearance = max(clearance, after.min_clearance_m)
    if online.enabled:
        clearance = max(clearance, online.buffer_abs_m)
    wall = params.wall_margin_m
    return Margins(wall, wall + params.boundary_extra_m, clearance, online.buffer_rel if online.enabled else 0.0)


def plan_trees(openings: list[Opening], params: ScaffoldParams, policies: Policies, scale: float) -> list[TreePlan]:
    """A plan for each opening.

    Args:
        openings: where the trees begin.
        params: `splits` and `levels` say how many ends, unless the growth policy names a target.
        policies: the growth and radius policies.
        scale: by how much more ends than the target are planned, since some will not find space.
    """
    target = policies.growth.target_terminals
    each = min(max(params.splits, 1) ** params.levels, MOST_ENDS // max(len(openings), 1))
    plans = []
    for number, opening in enumerate(openings):
        ends = max(each, 1)
        if target is not None:
            whole = max(round(target * scale), len(openings))
            ends = whole // len(openings) + (number < whole % len(openings))
        levels = levels_of(ends, params.splits)
        wanted = policies.radius.terminal_radius or opening.radius * params.ratio**levels
        lowest = params.min_radius or 0.0
        axis = np.asarray(opening.direction)
        if params.primary_axis is not None and not opening.outlet:
            axis = np.asarray(params.primary_axis, dtype=np.float64)
            axis = axis / np.linalg.norm(axis)
        plans.append(
            TreePlan(opening, ends, terminal_radius(policies, opening.radius, ends, max(wanted, lowest)), axis)
        )
    return plans


def levels_of(ends: int, splits: int) -> int:
    """How many splits in a row it takes to come to so many ends."""
    return 0 if ends <= 1 else max(1, int(np.ceil(np.log(ends) / np.log(max(splits, 2)) - 1e-9)))


def step_and_spread(params: ScaffoldParams, level: int, levels: int, space: Floats) -> tuple[Floats, float]:
    """How far branches of a level go along the axis at most, (n,), and sideways, in metres.

    `space` (n,) is what the tissue leaves each of them along the axis. The steps of the levels that follow must fit in
    there too, so a step may come out shorter than told. Without a given `step_length` or `spread` the tissue alone
    decides.
    """
    following = np.arange(level, max(levels, level + 1))
    decays = params.step_decay ** (following - level)
    mode = params.depth_adaptive_mode
    if mode == "none" and "step_length" not in params.model_fields_set:
        mode = "geometric"
    share = space / len(following) if mode == "uniform" else space / decays.sum()
    share = np.maximum(share, 0.0)
    step = np.minimum(params.step_length * params.step_decay**level, share) if mode == "none" else share
    spread = params.spread * params.spread_decay**level if "spread" in params.model_fields_set else np.inf
    return step, float(spread)
