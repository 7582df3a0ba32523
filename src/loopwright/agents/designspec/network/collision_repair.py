"""What is done about collisions: branches are moved aside, made thinner, or cut off."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network import DomainProbe, Floats, Ints, Network, NodeType, orient
from loopwright.agents.designspec.network.proximity import Collision, find_collisions

# What a network is, in numbers: pieces, rings, ends, lengths and radii.


@dataclass(frozen=True)
class GraphFacts:
    """Numbers about a network; lengths in metres.

    `cycle_rank` is the first Betti number b1 = segments − nodes + components: how many independent rings there are, and
    so the genus that the network's tubes must have. `ports_by_component` names the ports of each piece. `bounds` are
    those of the tubes, not of the centre lines; None without segments.
    """

    nodes: int
    segments: int
    components: int
    cycle_rank: int
    ports_by_component: tuple[tuple[str, ...], ...]
    terminals: int
    junctions: int
    total_length: float
    smallest_radius: float
    largest_radius: float
    bounds: tuple[tuple[float, float, float], tuple[float, float, float]] | None


def component_labels(network: Network) -> tuple[int, Ints]:
    """The number of connected pieces, and the piece of each node (n,), numbered by their first node."""
    count = len(network.positions)
    if not count:
        return 0, np.zeros(0, dtype=np.int64)
    ends = network.segments.reshape(-1, 2)
    graph = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    pieces, labels = connected_components(graph, directed=False)
    return int(pieces), labels.astype(np.int64)


def graph_facts(network: Network) -> GraphFacts:
    """Measure a network."""
    pieces, labels = component_labels(network)
    ports: list[list[str]] = [[] for _ in range(pieces)]
    for name, node in sorted(network.ports.items()):
        ports[int(labels[node])].append(name)
    degree = np.bincount(network.segments.ravel(), minlength=len(network.positions))
    bounds = None
    if len(network.segments):
        points = network.positions[network.segments]
        low = (points - network.radii[:, :, None]).min(axis=(0, 1)).tolist()
        high = (points + network.radii[:, :, None]).max(axis=(0, 1)).tolist()
        bounds = ((low[0], low[1], low[2]), (high[0], high[1], high[2]))
    return GraphFacts(
        nodes=len(network.positions),
        segments=len(network.segments),
        components=pieces,
        cycle_rank=len(network.segments) - len(network.positions) + pieces,
        ports_by_component=tuple(tuple(names) for names in ports),
        terminals=sum(kind == "terminal" for kind in network.node_types),
        junctions=int((degree > 2).sum()),
        total_length=float(network.lengths.sum()),
        smallest_radius=float(network.radii.min()) if len(network.segments) else 0.0,
        largest_radius=float(network.radii.max()) if len(network.segments) else 0.0,
        bounds=bounds,
    )


# Cutting pieces off networks and putting networks together, without loose ends left over.


def empty_network() -> Network:
    """A network of nothing."""
    return Network(np.zeros((0, 3)), np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2)), (), (), {})


def keep_segments(network: Network, kept: NDArray[np.bool_]) -> Network:
    """These segments (m,) only, and the nodes that they or ports need; what has lost its children is a terminal."""
    segments = network.segments[kept]
    used = np.zeros(len(network.positions), dtype=bool)
    used[segments.ravel()] = True
    used[list(network.ports.values())] = True
    number = np.cumsum(used) - 1
    rows = np.flatnonzero(used)
    result = Network(
        network.positions[rows],
        number[segments],
        network.radii[kept],
        tuple(network.node_types[row] for row in rows),
        tuple(network.vessel_types[row] for row in rows),
        {name: int(number[node]) for name, node in network.ports.items()},
    )
    return name_nodes(result)


def name_nodes(network: Network) -> Network:
    """The same network with node types after its shape: ports keep theirs, ends are terminals, all else junctions."""
    degree = np.bincount(network.segments.ravel(), minlength=len(network.positions))
    ports = set(network.ports.values())
    kinds: list[NodeType] = []
    for node, kind in enumerate(network.node_types):
        if node in ports:
            kinds.append(kind)
        else:
            kinds.append("terminal" if degree[node] <= 1 else "junction")
    return Network(
        network.positions, network.segments, network.radii, tuple(kinds), network.vessel_types, network.ports
    )


def downstream(network: Network, roots: Ints) -> NDArray[np.bool_]:
    """(m,): the segments that can be reached from these segments (k,) along the segments' own direction, and they."""
    outgoing: dict[int, list[int]] = {}
    for segment, node in enumerate(network.segments[:, 0].tolist()):
        outgoing.setdefault(node, []).append(segment)
    reached = np.zeros(len(network.segments), dtype=bool)
    waiting = [int(root) for root in roots]
    while waiting:
        segment = waiting.pop()
        if not reached[segment]:
            reached[segment] = True
            waiting.extend(outgoing.get(int(network.segments[segment, 1]), ()))
    return reached


def keep_with_ports(network: Network) -> Network:
    """Without the pieces that no port reaches."""
    _, labels = component_labels(network)
    wanted = np.unique(labels[list(network.ports.values())]) if network.ports else np.zeros(0, dtype=np.int64)
    return keep_segments(network, np.isin(labels[network.segments[:, 0]], wanted))


PUSH_SLACK = 1.02
CUTS = 10_000


@dataclass(frozen=True)
class RepairPlan:
    """How collisions are resolved: `order` of the ways, wanted `clearance`, and `wall` (metres) to the boundary."""

    order: tuple[str, ...]
    clearance: float
    wall: float
    shrink_factor: float
    shrink_rounds: int
    reroute_rounds: int
    smallest: float

    @classmethod
    def of(cls, policies: Policies, clearance: float, wall: float) -> "RepairPlan":
        """What the policies say."""
        policy = policies.unified_collision
        return cls(
            policy.strategy_order if policy.enabled else (),
            clearance,
            wall,
            policy.shrink_factor,
            policy.shrink_max_iterations,
            policy.reroute_max_attempts,
            policies.radius.min_radius or policies.growth.min_radius,
        )


def resolve_collisions(network: Network, probe: DomainProbe, plan: RepairPlan) -> tuple[Network, list[str]]:
    """Resolve collisions in the plan's order; a way that makes nothing better changes nothing.

    Args:
        network: radii settled.
        probe: the domain that moved branches must stay in.
        plan: what may be done.

    Returns:
        The network and what was done, in words. Ports are never cut off from what they were connected with; where that
        leaves a collision, the notes say so.
    """
    ways: dict[str, Callable[[Network, DomainProbe, RepairPlan], tuple[Network, str]]] = {
        "reroute": _reroute,
        "shrink": _shrink,
        "terminate": _terminate,
    }
    notes = []
    for name in plan.order:
        if not find_collisions(network, plan.clearance):
            break
        network, note = ways[name](network, probe, plan)
        if note:
            notes.append(note)
    left = find_collisions(network, plan.clearance)
    if left:
        worst = left[0]
        notes.append(
            f"{len(left)} collisions are left; the worst at ({worst.place[0]:g}, {worst.place[1]:g}, "
            f"{worst.place[2]:g}) m has {worst.gap:g} m where {worst.required:g} m are wanted"
        )
    return network, notes


def _reroute(network: Network, probe: DomainProbe, plan: RepairPlan) -> tuple[Network, str]:
    """Push the nodes of colliding branches apart, where the domain leaves them space."""
    best, before = network, find_collisions(network, plan.clearance)
    found, trial = before, network
    fixed = np.zeros(len(network.positions), dtype=bool)
    fixed[list(network.ports.values())] = True
    for _ in range(plan.reroute_rounds):
        trial = _pushed(trial, found, fixed, probe, plan)
        found = find_collisions(trial, plan.clearance)
        if len(found) < len(find_collisions(best, plan.clearance)):
            best = trial
        if not found:
            break
    repaired = len(before) - len(find_collisions(best, plan.clearance))
    return best, f"{repaired} of {len(before)} collisions were resolved by moving branches aside" if repaired else ""


def _pushed(
    network: Network, found: list[Collision], fixed: NDArray[np.bool_], probe: DomainProbe, plan: RepairPlan
) -> Network:
    push = np.zeros_like(network.positions)
    weight = np.zeros(len(push))
    for hit in found:
        need = (hit.required - hit.gap) * PUSH_SLACK
        away = _foot(network, hit.first, hit.place) - _foot(network, hit.second, hit.place)
        if float(np.linalg.norm(away)) < 1e-12:
            away = np.cross(*(network.ends[row] - network.starts[row] for row in (hit.first, hit.second)))
        long = float(np.linalg.norm(away))
        if long > 0:
            for mine, side in ((hit.first, 1.0), (hit.second, -1.0)):
                nodes = network.segments[mine]
                push[nodes] += away / long * side * need / 2
                weight[nodes] += 1
    moved = network.positions + push / np.maximum(weight, 1.0)[:, None]
    thickest = np.zeros(len(moved))
    np.maximum.at(thickest, network.segments.ravel(), network.radii.ravel())
    rows = np.flatnonzero((weight > 0) & ~fixed)
    old, new = probe.depth(network.positions[rows]), probe.depth(moved[rows])
    stays = rows[(new >= thickest[rows] + plan.wall) | (new >= old)]
    positions = network.positions.copy()
    positions[stays] = moved[stays]
    return Network(positions, network.segments, network.radii, network.node_types, network.vessel_types, network.ports)


def _foot(network: Network, segment: int, point: tuple[float, float, float]) -> Floats:
    """The point of a segment that is nearest to a point."""
    start, stop = network.positions[network.segments[segment]]
    along = stop - start
    share = float((np.asarray(point) - start) @ along) / max(float(along @ along), 1e-18)
    return np.asarray(start + min(max(share, 0.0), 1.0) * along)


def _shrink(network: Network, probe: DomainProbe, plan: RepairPlan) -> tuple[Network, str]:
    """Make the thinner branch of each colliding pair thinner with all that follows it, down to the smallest radius."""
    before = find_collisions(network, plan.clearance)
    found, trial = before, network
    for _ in range(plan.shrink_rounds):
        if not found:
            break
        thin = [
            hit.first if _thickness(trial, hit.first) < _thickness(trial, hit.second) else hit.second for hit in found
        ]
        rows = downstream(trial, np.unique(np.asarray(thin, dtype=np.int64)))
        radii = trial.radii.copy()
        radii[rows] = np.maximum(radii[rows] * plan.shrink_factor, np.minimum(radii[rows], plan.smallest))
        trial = Network(trial.positions, trial.segments, radii, trial.node_types, trial.vessel_types, trial.ports)
        found = find_collisions(trial, plan.clearance)
    repaired = len(before) - len(found)
    if repaired <= 0:
        return network, ""
    return trial, f"{repaired} of {len(before)} collisions were resolved by making branches thinner"


def _thickness(network: Network, segment: int) -> float:
    return float(network.radii[segment].max())


def _terminate(network: Network, probe: DomainProbe, plan: RepairPlan) -> tuple[Network, str]:
    """Cut off the smaller of two colliding subtrees, whole, unless a port would lose its connection."""
    before = len(network.segments)
    tolerated: set[tuple[tuple[float, ...], tuple[float, ...]]] = set()
    for _ in range(CUTS):
        found = [hit for hit in find_collisions(network, plan.clearance) if _key(network, hit) not in tolerated]
        if not found:
            break
        size = _sizes(network)
        cut = np.zeros(len(network.segments), dtype=bool)
        for hit in found:
            if cut[hit.first] or cut[hit.second]:
                continue
            for victim in sorted((hit.first, hit.second), key=lambda row: (size[row], -row)):
                lost = downstream(network, np.array([victim]))
                if ports_stay(network, cut | lost):
                    cut |= lost
                    break
            else:
                tolerated.add(_key(network, hit))
        if cut.any():
            network = keep_with_ports(keep_segments(network, ~cut))
    lost_segments = before - len(network.segments)
    return network, f"{lost_segments} segments were cut off because they collided" if lost_segments else ""


def _key(network: Network, hit: Collision) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Names a collision independently of the numbering, which changes with every cut."""
    return tuple(network.starts[hit.first].tolist()), tuple(network.starts[hit.second].tolist())


def _sizes(network: Network) -> Ints:
    """(m,): how many segments follow each segment."""
    order = orient(network)
    below = np.zeros(order.nodes, dtype=np.int64)
    size = np.ones(len(network.segments), dtype=np.int64)
    for segment in order.sequence[::-1]:
        size[segment] += below[order.segments[segment, 1]]
        below[order.segments[segment, 0]] += size[segment]
    return size


def ports_stay(network: Network, cut: NDArray[np.bool_]) -> bool:
    """Whether all ports keep a channel, and stay connected with the ports they were connected with."""
    nodes = list(network.ports.values())
    left = Network(
        network.positions, network.segments[~cut], network.radii[~cut], network.node_types, network.vessel_types, {}
    )
    degree = np.bincount(left.segments.ravel(), minlength=len(network.positions))
    _, old = component_labels(network)
    _, new = component_labels(left)
    return bool((degree[nodes] > 0).all()) and len(np.unique(new[nodes])) == len(np.unique(old[nodes]))
