"""Growing a component's network: the backend's geometry, then radii, then collisions, then tidying."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.backends import DEPRECATED_BACKENDS, SpaceColonizationParams
from loopwright.agents.designspec.document.domains import Component
from loopwright.agents.designspec.document.policies import NetworkCleanupPolicy, Policies
from loopwright.agents.designspec.network import (
    DomainProbe,
    Floats,
    Ints,
    Network,
    Opening,
    Progress,
    assign_radii,
    margins,
    plan_trees,
    scaffold_params,
)
from loopwright.agents.designspec.network.collision_repair import (
    RepairPlan,
    component_labels,
    keep_segments,
    name_nodes,
    resolve_collisions,
)
from loopwright.agents.designspec.network.pathfinding import (
    AvoidingProbe,
    beyond_shared_ports,
    clear_of_obstacles,
    obstacle_rods,
)
from loopwright.agents.designspec.network.proximity import Rods
from loopwright.agents.designspec.network.scaffold_topdown_fitting import Scaffold
from loopwright.agents.designspec.network.scaffold_topdown_growth import ScaffoldGrowth
from loopwright.kernel.errors import InvalidInput

# Tidying a network: joining near nodes, cutting short ends, and fewer segments for the same shape.

STRAIGHT = 1e-6
"""How far a dropped node may lie from the straight way, and its radius from the even taper, as shares of the radius."""


def clean_network(network: Network, policy: NetworkCleanupPolicy) -> Network:
    """Snap, prune and merge as the policy says; then drop nodes in the middle of straight, evenly tapering channels.

    Snapping joins the ends of branches with nodes that come near, merging joins nodes that are doubles of each other;
    both may close rings, which the network's facts then count.
    """
    if not len(network.segments):
        return network
    if policy.enable_snap:
        degree = np.bincount(network.segments.ravel(), minlength=len(network.positions))
        network = _welded(network, policy.snap_tol, np.flatnonzero(degree <= 1))
    if policy.enable_prune:
        network = _pruned(network, policy.min_segment_length)
    if policy.enable_merge:
        network = _welded(network, policy.merge_tol, np.arange(len(network.positions)))
    return straightened(network)


def _welded(network: Network, tolerance: float, movable: Ints) -> Network:
    """Each movable node becomes the nearest node with a lower number within the tolerance; ports stay themselves."""
    ports = set(network.ports.values())
    target = np.arange(len(network.positions))
    tree = cKDTree(network.positions)
    for node in movable.tolist():
        near = [other for other in tree.query_ball_point(network.positions[node], tolerance) if other != node]
        near = [other for other in near if target[other] == other and (other < node or node not in movable)]
        if node in ports or not near:
            continue
        target[node] = min(
            near, key=lambda other: (float(np.linalg.norm(network.positions[other] - network.positions[node])), other)
        )
    segments = target[network.segments]
    kept = segments[:, 0] != segments[:, 1]
    first = np.unique(np.sort(segments, axis=1), axis=0, return_index=True)[1]
    once = np.zeros(len(segments), dtype=bool)
    once[first] = True
    welded = Network(
        network.positions, segments, network.radii, network.node_types, network.vessel_types, network.ports
    )
    return keep_segments(welded, kept & once)


def _pruned(network: Network, shortest: float) -> Network:
    """Without end branches that are shorter than this from their junction to their tip."""
    degree = np.bincount(network.segments.ravel(), minlength=len(network.positions))
    ports = set(network.ports.values())
    parent = np.full(len(network.positions), -1, dtype=np.int64)
    parent[network.segments[:, 1]] = np.arange(len(network.segments))
    kept = np.ones(len(network.segments), dtype=bool)
    lengths = network.lengths
    for tip in np.flatnonzero(degree == 1).tolist():
        way: list[int] = []
        node, length = tip, 0.0
        while node not in ports and parent[node] >= 0 and (node == tip or degree[node] == 2):
            way.append(int(parent[node]))
            length += float(lengths[way[-1]])
            node = int(network.segments[way[-1], 0])
        if node not in ports and degree[node] > 2 and length < shortest:
            kept[way] = False
    return keep_segments(network, kept)


def straightened(network: Network) -> Network:
    """The same shape with fewer segments: nodes on straight ways with an even taper are left out."""
    incoming = np.bincount(network.segments[:, 1], minlength=len(network.positions))
    outgoing = np.bincount(network.segments[:, 0], minlength=len(network.positions))
    ports = np.zeros(len(network.positions), dtype=bool)
    ports[list(network.ports.values())] = True
    plain = (incoming == 1) & (outgoing == 1) & ~ports
    following = np.full(len(network.positions), -1, dtype=np.int64)
    following[network.segments[:, 0]] = np.arange(len(network.segments))
    segments, radii, rows = [], [], []
    lengths = network.lengths
    for first in np.flatnonzero(~plain[network.segments[:, 0]]).tolist():
        run = [first]
        while plain[network.segments[run[-1], 1]]:
            run.append(int(following[network.segments[run[-1], 1]]))
        for begin, stop in _straight_stretches(network, run, lengths):
            rows.append(run[begin])
            segments.append((network.segments[run[begin], 0], network.segments[run[stop], 1]))
            radii.append((network.radii[run[begin], 0], network.radii[run[stop], 1]))
    ringed = np.setdiff1d(np.arange(len(network.segments)), _in_runs(network, plain, following))
    segments += [tuple(network.segments[row]) for row in ringed]
    radii += [tuple(network.radii[row]) for row in ringed]
    shorter = Network(
        network.positions,
        np.asarray(segments, dtype=np.int64).reshape(-1, 2),
        np.asarray(radii).reshape(-1, 2),
        network.node_types,
        network.vessel_types,
        network.ports,
    )
    return name_nodes(keep_segments(shorter, np.ones(len(segments), dtype=bool)))


def _in_runs(network: Network, plain: np.ndarray, following: Ints) -> Ints:
    """The segments that can be reached from a port, junction or end; the rest go round in rings."""
    seen = []
    for first in np.flatnonzero(~plain[network.segments[:, 0]]).tolist():
        seen.append(first)
        while plain[network.segments[seen[-1], 1]]:
            seen.append(int(following[network.segments[seen[-1], 1]]))
    return np.asarray(seen, dtype=np.int64)


def _straight_stretches(network: Network, run: list[int], lengths: Floats) -> list[tuple[int, int]]:
    """First and last place in the run of each stretch that one segment can stand for."""
    stretches, begin = [], 0
    for place in range(1, len(run) + 1):
        if place == len(run) or not _is_straight(network, run[begin : place + 1], lengths):
            stretches.append((begin, place - 1))
            begin = place
    return stretches


def _is_straight(network: Network, run: list[int], lengths: Floats) -> bool:
    start, stop = network.positions[network.segments[run[0], 0]], network.positions[network.segments[run[-1], 1]]
    along = stop - start
    long = float(np.linalg.norm(along))
    first, last = network.radii[run[0], 0], network.radii[run[-1], 1]
    allowed = STRAIGHT * float(network.radii[run].max())
    gone = 0.0
    for before, after in pairwise(run):
        gone += float(lengths[before])
        share = gone / long if long > 0 else 2.0
        point = network.positions[network.segments[before, 1]]
        even = first + (last - first) * share
        off = float(np.linalg.norm(point - (start + along * share)))
        if share >= 1.0 or off > allowed or abs(network.radii[before, 1] - even) > allowed:
            return False
        if abs(network.radii[after, 0] - even) > allowed:
            return False
    return True


# `scaffold_topdown`: trees that split level by level from their ports, each branch towards its own share of tissue.

TRIES_FOR_TARGET = 4
WORTH_ANOTHER = 1.05
"""An attempt that brings less than this many times the ends of the last says that the space is full."""


@dataclass(frozen=True)
class ScaffoldResult:
    """A grown scaffold, with planned radii.

    `end_radii` is the radius of the ends of each port's tree by the port's name; `wanted` and `grown` count ends.
    """

    network: Network
    end_radii: dict[str, float]
    wanted: int
    grown: int


def grow_scaffold(
    openings: list[Opening],
    probe: DomainProbe,
    policies: Policies,
    seed: int,
    progress: Progress,
    obstacles: Rods | None = None,
) -> ScaffoldResult:
    """Grow a tree from every opening.

    The tissue is shared out among the trees and, at each split, among the children; a branch heads for the middle of
    its share, within the cone, the step and the spread of its level. All trees grow one level at a time, so that none
    takes the others' space. A branch that does not fit is turned, lifted and shortened; what never fits is left out.

    Args:
        openings: where the trees begin.
        probe: the domain.
        policies: growth (with the backend's parameters), radius and collision policies.
        seed: of the jitter and of the tissue's points.
        progress: told what has been done.
        obstacles: what the trees must keep clear of.

    Returns:
        The network with planned radii, and what became of the plan.

    Raises:
        InvalidInput: a port has no space for the beginning of its channel.
    """
    params = scaffold_params(policies)
    target, scale = policies.growth.target_terminals, 1.0
    best: Scaffold | None = None
    for attempt in range(TRIES_FOR_TARGET if target is not None else 1):
        plans = plan_trees(openings, params, policies, scale)
        grown = ScaffoldGrowth(plans, probe, params, policies, obstacles, np.random.default_rng([seed, attempt])).run(
            progress
        )
        gained = best is None or grown.ends > best.ends * WORTH_ANOTHER
        if best is None or grown.ends > best.ends:
            best = grown
        if target is None or not gained or grown.ends >= target * (1 - policies.growth.terminal_tolerance / 2):
            break
        scale *= min(target / max(grown.ends, 1), 2.0)
    if best is None:
        raise RuntimeError("no attempt was made")
    return ScaffoldResult(
        best.network(),
        {plan.opening.name: plan.end_radius for plan in best.plans},
        sum(plan.ends for plan in best.plans) if target is None else target,
        best.ends,
    )


@dataclass(frozen=True)
class Grown:
    """A network, and what whoever asked for it should know about it."""

    network: Network
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Raw:
    """What a backend leaves: geometry, the radii of the trees' ends, and how repairs are to be made."""

    network: Network
    end_radii: dict[str, float] | None
    repair: RepairPlan
    keep_radii: bool = False
    notes: tuple[str, ...] = ()


def grow_with_notes(
    component: Component,
    openings: list[Opening],
    probe: DomainProbe,
    policies: Policies,
    seed: int,
    progress: Progress,
    obstacles: Sequence[Network] = (),
) -> Grown:
    """Grow a component's network; the same document and seed give the same network.

    Args:
        component: whose network.
        openings: its ports, settled.
        probe: the domain.
        policies: the component's effective policies.
        seed: the document's.
        progress: told what is being done.
        obstacles: networks of other components to keep clear of, except around ports that are shared.

    Raises:
        InvalidInput: there are no ports, the backend is not known, or a port has no space.
    """
    if not policies.growth.enabled:
        return Grown(_ports_only(openings), ("growth is disabled: the network has ports and no channels",))
    if not openings:
        raise InvalidInput(
            f"/components/{component.id}/ports: a network needs at least one port to grow from",
            hint="Add an inlet.",
        )
    free = beyond_shared_ports(obstacle_rods(obstacles), openings)
    raw = _grown(component, openings, probe, policies, seed, _part(progress, 0.0, 0.7), free)
    progress(0.7, "settling radii")
    network = raw.network
    if not raw.keep_radii:
        port_radii = {opening.name: opening.radius for opening in openings}
        network = assign_radii(network, policies, port_radii=port_radii, terminal_radii=raw.end_radii)
    progress(0.8, "resolving collisions")
    network, notes = resolve_collisions(network, probe, raw.repair)
    if not raw.keep_radii:
        repair = raw.repair
        network, more = clear_of_obstacles(network, free, repair.clearance, repair.smallest, repair.shrink_factor)
        notes = [*raw.notes, *notes, *more]
    progress(0.95, "tidying")
    network = clean_network(network, policies.network_cleanup)
    return Grown(network, (*notes, *_unjoined(network, openings)))


def _part(progress: Progress, low: float, high: float) -> Progress:
    return lambda share, message: progress(low + (high - low) * share, message)


def _grown(
    component: Component,
    openings: list[Opening],
    probe: DomainProbe,
    policies: Policies,
    seed: int,
    progress: Progress,
    obstacles: Rods,
) -> _Raw:
    backend = component.build.backend or policies.growth.backend
    backend = DEPRECATED_BACKENDS.get(backend, backend)
    clearance = policies.collision.collision_clearance if policies.collision.enabled else 0.0
    if backend == "scaffold_topdown":
        return _scaffold(openings, probe, policies, seed, progress, obstacles)
    around = _around(probe, obstacles, clearance)
    repair = RepairPlan.of(policies, clearance, 0.0)
    if backend == "space_colonization":
        from loopwright.agents.designspec.network.space_colonization import grow_colonies

        params = SpaceColonizationParams.model_validate(policies.growth.backend_params)
        colonies = grow_colonies(openings, probe, policies, seed, progress, obstacles=(obstacles,))
        ends = None if params.min_radius is None else {opening.name: params.min_radius for opening in openings}
        found = sum(kind == "terminal" for kind in colonies.node_types)
        wanted = policies.growth.target_terminals or 0
        return _Raw(colonies, ends, repair, notes=tuple(_shortfall(found, wanted, policies.growth.terminal_tolerance)))
    if backend == "programmatic":
        from loopwright.agents.designspec.network.programmatic import run_program

        program = run_program(component, openings, around, policies, seed, progress)
        return _Raw(program, None, replace(repair, order=()), keep_radii=True)
    raise InvalidInput(
        f"/components/{component.id}/build/backend: there is no growth backend {backend!r}",
        hint="The backends are scaffold_topdown, space_colonization and programmatic.",
    )


def _around(probe: DomainProbe, obstacles: Rods, clearance: float) -> DomainProbe:
    return AvoidingProbe(probe, obstacles, clearance) if len(obstacles) else probe


def _scaffold(
    openings: list[Opening], probe: DomainProbe, policies: Policies, seed: int, progress: Progress, obstacles: Rods
) -> _Raw:
    params = scaffold_params(policies)
    keep = margins(params, policies)
    result = grow_scaffold(openings, probe, policies, seed, progress, obstacles)
    network, notes = result.network, _shortfall(result.grown, result.wanted, policies.growth.terminal_tolerance)
    if params.collision_online.merge_on_collision and result.grown < result.wanted:
        notes.append("branches that met others were led around them or left out, not merged: the trees stay trees")
    if any(opening.outlet for opening in openings) and not all(opening.outlet for opening in openings):
        from loopwright.agents.designspec.network.space_colonization_joining import join_trees

        size = float(np.linalg.norm(probe.bounds[1] - probe.bounds[0]))
        network = join_trees(
            network, openings, _around(probe, obstacles, keep.clearance), keep.clearance, size / 4, rings=True
        )
    after = params.collision_postpass
    repair = RepairPlan.of(policies, keep.clearance, keep.wall)
    order = after.strategy_order if after.enabled else repair.order
    # what growth itself left over is a matter of rounding: moving it aside costs nothing and keeps Murray's law
    repair = replace(
        repair,
        order=tuple(dict.fromkeys(("reroute", *order))),
        shrink_factor=after.shrink_factor,
        shrink_rounds=after.shrink_max_iterations,
    )
    return _Raw(network, result.end_radii, repair, notes=tuple(notes))


def _ports_only(openings: list[Opening]) -> Network:
    return Network(
        np.array([opening.position for opening in openings]).reshape(-1, 3),
        np.zeros((0, 2), dtype=np.int64),
        np.zeros((0, 2)),
        tuple("outlet" if opening.outlet else "inlet" for opening in openings),
        tuple(opening.vessel_type for opening in openings),
        {opening.name: number for number, opening in enumerate(openings)},
    )


def _shortfall(grown: int, wanted: int, tolerance: float) -> list[str]:
    if grown >= wanted * (1 - tolerance):
        return []
    note = (
        f"{grown} ends found space where {wanted} were wanted (tolerance {tolerance:g}): thinner channels, less "
        "clearance or a larger domain would help"
    )
    return [note]


def _unjoined(network: Network, openings: list[Opening]) -> list[str]:
    _, labels = component_labels(network)
    sides = [{int(labels[network.ports[o.name]]) for o in openings if o.outlet is outlet} for outlet in (False, True)]
    if not all(sides) or len(sides[0] | sides[1]) == 1:
        return []
    return [f"inlets and outlets could not all be joined: the channels fall into {len(sides[0] | sides[1])} systems"]
