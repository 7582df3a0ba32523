"""From the components' voids to the carved body."""

from dataclasses import replace
from typing import Any

from manifold3d import Manifold, OpType

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.compose import united
from loopwright.agents.designspec.geometry.embed import Embedded, embed
from loopwright.agents.designspec.geometry.ridge import add_ridge
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network.network import Network
from loopwright.agents.designspec.pipeline.dependencies import DOMAIN, wants_shell
from loopwright.agents.designspec.pipeline.plan import Step
from loopwright.agents.designspec.pipeline.recipes import body_domain
from loopwright.agents.designspec.pipeline.stats import mesh_facts
from loopwright.agents.designspec.pipeline.workbench import Outcome, Workbench
from loopwright.kernel.errors import InvalidInput


def union_voids(bench: Workbench, step: Step) -> Outcome:
    """All components' voids as one."""
    made = {component.id: bench.get(f"component_mesh:{component.id}") for component in bench.spec.components}
    voids = {name: void for name, void in made.items() if void is not None}
    if not voids:
        return Outcome(results={step.name: None}, warnings=["There is no void to unite."])
    union = united(voids, bench.policies(step.stage))
    return Outcome(
        results={step.name: union.void}, metadata={"mesh": mesh_facts(union.void)}, warnings=list(union.notes)
    )


def mesh_domain(bench: Workbench, step: Step) -> Outcome:
    """The body that is carved: its domain, with the ridge."""
    name = body_domain(bench.spec)
    body, policies = bench.get(f"{DOMAIN}:{name}"), bench.policies(step.stage)
    if policies.ridge.enabled:
        body = add_ridge(body, bench.spec.domains[name], policies.ridge)
    return Outcome(results={step.name: body}, metadata={"domain": name, "mesh": mesh_facts(body)})


def embed_void(bench: Workbench, step: Step) -> Outcome:
    """The body less the void, its ports carved open.

    Raises:
        InvalidInput: there is no void to embed, or nothing is left of the body.
    """
    if not bench.spec.embedding.enable:
        return Outcome(results={step.name: None}, metadata={"enabled": False})
    void = bench.get("union_voids")
    if void is None:
        raise InvalidInput(
            "/embedding/enable: there is no void to embed.",
            hint="Add a component with channels, or set /embedding/enable to false for a body without any.",
        )
    openings = [each for component in bench.spec.components for each in bench.get(f"component_ports:{component.id}")]
    policies, thickened = bench.policies(step.stage), None
    if wants_shell(bench.spec):
        thickened = _thickened(bench, policies)
    else:
        policies = policies.model_copy(
            update={"embedding": policies.embedding.model_copy(update={"shell_thickness": 0.0})}
        )
    embedded = embed(bench.get("mesh_domain"), void, openings, policies, thickened=thickened)
    if embedded.solid.is_empty():
        raise InvalidInput("/embedding: the void takes the whole body away; nothing is left.")
    facts: dict[str, Any] = {"mesh": mesh_facts(embedded.solid), "void": mesh_facts(embedded.void)}
    if embedded.shell is not None:
        facts["shell"] = mesh_facts(embedded.shell)
    # Nobody needs the cutter any more, and it is as large as the void.
    return Outcome(results={step.name: replace(embedded, cutter=Manifold())}, metadata=facts)


def _thickened(bench: Workbench, policies: Policies) -> Manifold | None:
    """The void with every channel thicker by the shell's thickness, where every component has a network."""
    thickness = policies.embedding.shell_thickness
    built = [bench.get(f"component_build:{component.id}") for component in bench.spec.components]
    networks = [network for network in built if isinstance(network, Network) and len(network.segments)]
    if len(networks) < len(built):
        return None
    thick = [replace(network, radii=network.radii + thickness) for network in networks]
    return Manifold.batch_boolean([void_of_network(network, policies) for network in thick], OpType.Add)


def port_recarve(bench: Workbench, step: Step) -> Outcome:
    """What embedding did about the ports, which it carves as part of its one cut."""
    embedded: Embedded | None = bench.get("embed")
    if embedded is None:
        return Outcome(results={step.name: None}, metadata={"ports": [], "enabled": False})
    policy = bench.policies(step.stage).embedding
    carved = policy.preserve_ports_enabled and policy.preserve_mode == "recarve"
    return Outcome(results={step.name: None}, metadata={"enabled": carved, "notes": list(embedded.notes)})
