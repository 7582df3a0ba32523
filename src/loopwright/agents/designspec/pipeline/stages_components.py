"""The stages of each component: its ports, its network, its void."""

from typing import Any

from manifold3d import Manifold

from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.geometry.channels import Channels, fitted_channels
from loopwright.agents.designspec.geometry.imported import import_void
from loopwright.agents.designspec.geometry.probe import make_probe
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network.growth import Grown, grow_with_notes
from loopwright.agents.designspec.network.network import Network
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.ports import place_ports
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.agents.designspec.pipeline.dependencies import DOMAIN, obstacles_of
from loopwright.agents.designspec.pipeline.plan import Step
from loopwright.agents.designspec.pipeline.stats import mesh_facts, network_facts
from loopwright.agents.designspec.pipeline.workbench import Outcome, Workbench
from loopwright.kernel.errors import InvalidInput


def component_ports(bench: Workbench, step: Step) -> Outcome:
    """Where the component's ports open."""
    component = bench.spec.component(step.component)
    openings: list[Opening] = []
    if component.ports.all:
        domain = bench.spec.domains[component.domain_ref]
        openings = place_ports(component, domain, _probe(bench, component), bench.policies(step.stage, component.id))
    moved = [opening for opening in openings if opening.moved > 0]
    return Outcome(
        results={step.name: openings},
        metadata={"ports": [_told(opening) for opening in openings]},
        warnings=[f"The port {opening.name} was moved by {opening.moved:.3g} m onto the face." for opening in moved],
    )


def component_build(bench: Workbench, step: Step) -> Outcome:
    """The component's network, or its imported void."""
    component = bench.spec.component(step.component)
    policies = bench.policies(step.stage, component.id)
    if component.build.type == "import_void_mesh":
        void = import_void(component, bench.project_dir, policy=policies.domain_meshing.mesh_policy)
        return Outcome(results={step.name: void}, metadata={"mesh": mesh_facts(void)})
    openings, probe = bench.get(f"component_ports:{component.id}"), _probe(bench, component)
    made: Grown | Channels
    if component.build.type == "primitive_channels":
        made = fitted_channels(component, openings, probe, policies)
    else:
        obstacles = [bench.get(f"component_build:{other}") for other in obstacles_of(bench.spec, component)]
        seed = bench.spec.meta.seed
        made = grow_with_notes(component, openings, probe, policies, seed, bench.progress, obstacles)
    return Outcome(
        results={step.name: made.network},
        metadata={"network": network_facts(made.network)},
        warnings=list(made.notes),
    )


def component_mesh(bench: Workbench, step: Step) -> Outcome:
    """The component's void as one closed surface; none where its growth is switched off.

    Raises:
        InvalidInput: the void is empty.
    """
    component = bench.spec.component(step.component)
    built: Network | Manifold = bench.get(f"component_build:{component.id}")
    if isinstance(built, Manifold):
        void = built
    elif not len(built.segments) and _switched_off(bench, component):
        return Outcome(results={step.name: None}, warnings=["There are no channels, since they are switched off."])
    elif not len(built.segments):
        raise InvalidInput(f"/components/{component.id}: its network has no channel, so there is no void.")
    else:
        void = void_of_network(
            built,
            bench.policies(step.stage, component.id),
            caps="flat" if component.build.type == "primitive_channels" else "round",
            progress=bench.progress,
            openings=bench.get(f"component_ports:{component.id}"),
        )
    if void.is_empty():
        raise InvalidInput(f"/components/{component.id}: its void is empty.")
    return Outcome(results={step.name: void}, metadata={"mesh": mesh_facts(void)})


def _switched_off(bench: Workbench, component: Component) -> bool:
    policies = bench.policies("component_build", component.id)
    straight = component.build.type == "primitive_channels"
    return not (policies.channels.enabled if straight else policies.growth.enabled)


def _probe(bench: Workbench, component: Component) -> DomainProbe:
    name = f"{DOMAIN}:{component.domain_ref}"
    if name not in bench.probes:
        bench.probes[name] = make_probe(bench.spec, component.domain_ref, bench.get(name))
    probe: DomainProbe = bench.probes[name]
    return probe


def _told(opening: Opening) -> dict[str, Any]:
    return {
        "name": opening.name,
        "position": list(opening.position),
        "direction": list(opening.direction),
        "radius": opening.radius,
        "outlet": opening.outlet,
        "moved": opening.moved,
    }
