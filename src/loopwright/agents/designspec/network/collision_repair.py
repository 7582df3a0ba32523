"""What is done about collisions: branches are moved aside, made thinner, or cut off."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.collisions import Collision, find_collisions
from loopwright.agents.designspec.network.facts import component_labels
from loopwright.agents.designspec.network.network import Floats, Ints, Network
from loopwright.agents.designspec.network.orientation import orient
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.agents.designspec.network.surgery import downstream, keep_segments, keep_with_ports

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
    """Push the nodes of colliding branches apart, where the domain leaves them room."""
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
    mended = len(before) - len(find_collisions(best, plan.clearance))
    return best, f"{mended} of {len(before)} collisions were mended by moving branches aside" if mended else ""


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
    mended = len(before) - len(found)
    if mended <= 0:
        return network, ""
    return trial, f"{mended} of {len(before)} collisions were mended by making branches thinner"


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
