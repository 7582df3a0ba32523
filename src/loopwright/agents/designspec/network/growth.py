"""Growing a component's network: the backend's geometry, then radii, then collisions, then tidying."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loopwright.agents.designspec.document.backends import DEPRECATED_BACKENDS, SpaceColonizationParams
from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.cleanup import clean_network
from loopwright.agents.designspec.network.collision_repair import RepairPlan, resolve_collisions
from loopwright.agents.designspec.network.facts import component_labels
from loopwright.agents.designspec.network.network import Network
from loopwright.agents.designspec.network.obstacles import (
    AvoidingProbe,
    beyond_shared_ports,
    clear_of_obstacles,
    obstacle_rods,
)
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe, Progress
from loopwright.agents.designspec.network.proximity import Rods
from loopwright.agents.designspec.network.radii import assign_radii
from loopwright.agents.designspec.network.scaffold_topdown import grow_scaffold
from loopwright.agents.designspec.network.scaffold_topdown_plan import margins, scaffold_params
from loopwright.kernel.errors import InvalidInput


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


def grow_network(
    component: Component,
    openings: list[Opening],
    probe: DomainProbe,
    policies: Policies,
    seed: int,
    progress: Progress,
    obstacles: Sequence[Network] = (),
) -> Network:
    """The network alone; see `grow_with_notes`."""
    return grow_with_notes(component, openings, probe, policies, seed, progress, obstacles).network


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
        InvalidInput: there are no ports, the backend is not known, or a port has no room.
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
        f"{grown} ends found room where {wanted} were wanted (tolerance {tolerance:g}): thinner channels, less "
        "clearance or a larger domain would help"
    )
    return [note]


def _unjoined(network: Network, openings: list[Opening]) -> list[str]:
    _, labels = component_labels(network)
    sides = [{int(labels[network.ports[o.name]]) for o in openings if o.outlet is outlet} for outlet in (False, True)]
    if not all(sides) or len(sides[0] | sides[1]) == 1:
        return []
    return [f"inlets and outlets could not all be joined: the channels fall into {len(sides[0] | sides[1])} systems"]
