"""The worker process of the pipeline: its protocol and its stages."""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from manifold3d import Manifold, OpType

from loopwright.agents.designspec.document.backends import BACKEND_PARAMETERS
from loopwright.agents.designspec.document.domains import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.validation import resolve_backend
from loopwright.agents.designspec.geometry.channels import Channels, fitted_channels
from loopwright.agents.designspec.geometry.domains import build_domain
from loopwright.agents.designspec.geometry.embed import Embedded, embed
from loopwright.agents.designspec.geometry.mesh_files import import_void
from loopwright.agents.designspec.geometry.probe import make_probe
from loopwright.agents.designspec.geometry.ridge import add_ridge, united
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network import DomainProbe, Network, Opening
from loopwright.agents.designspec.network.collision_repair import graph_facts
from loopwright.agents.designspec.network.growth import Grown, grow_with_notes
from loopwright.agents.designspec.network.ports import place_ports
from loopwright.agents.designspec.pipeline.conductor import Conductor, Leave, limit_memory
from loopwright.agents.designspec.pipeline.recipes import DOMAIN, body_domain, obstacles_of, wants_shell
from loopwright.agents.designspec.pipeline.reports import PipelineJob, PipelineProgress, Step, WorkerMessage
from loopwright.agents.designspec.pipeline.results import Outcome, StageFunction, Workbench
from loopwright.agents.designspec.pipeline.stages_export import export, validity
from loopwright.kernel.errors import InvalidInput

# The figures of meshes and networks that reports carry.


def mesh_facts(solid: Manifold) -> dict[str, Any]:
    """Faces, vertices, whether it is closed, box (metres), volume (m³), genus of all parts together, and parts."""
    if solid.is_empty():
        return {
            "faces": 0,
            "vertices": 0,
            "watertight": False,
            "bbox": None,
            "volume": 0.0,
            "genus": 0,
            "components": 0,
        }
    box = solid.bounding_box()
    parts = solid.decompose()
    return {
        "faces": solid.num_tri(),
        "vertices": solid.num_vert(),
        # A Manifold is closed and oriented by construction; an import that was not has been refused.
        "watertight": True,
        "bbox": [list(box[:3]), list(box[3:])],
        "volume": solid.volume(),
        "genus": sum(part.genus() for part in parts),
        "components": len(parts),
    }


def network_facts(network: Network) -> dict[str, Any]:
    """Nodes, segments, box and radii (metres), ends, connected parts and independent cycles."""
    facts = graph_facts(network)
    return {
        "nodes": facts.nodes,
        "segments": facts.segments,
        "bbox": facts.bounds and [list(corner) for corner in facts.bounds],
        "length": facts.total_length,
        "radius_min": facts.smallest_radius,
        "radius_max": facts.largest_radius,
        "terminals": facts.terminals,
        "components": facts.components,
        "cycle_rank": facts.cycle_rank,
    }


# The stages of each component: its ports, its network, its void.


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


# From the components' voids to the carved body.


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


# How a worker answers: a job on standard input, a line of JSON for everything worth telling on standard output.

SET_PARENT_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of prctl(2)."""


def serve(stages: Mapping[str, StageFunction], leave: Leave | None = None) -> None:
    """Read one job, run it with these stages, and answer its report as the last line; `leave` as in `Conductor`."""
    _die_with_parent()
    answers = _private_output()
    job = PipelineJob.model_validate_json(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    limit_memory(job.limits.memory_mb)

    def say(progress: PipelineProgress) -> None:
        _write(answers, WorkerMessage(progress=progress))

    _write(answers, WorkerMessage(result=Conductor(job, stages, say, leave).run()))


def _private_output() -> BinaryIO:
    """The pipe of the answers, out of reach for libraries that print: their words go to the error output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _write(answers: BinaryIO, message: WorkerMessage) -> None:
    answers.write(message.model_dump_json(exclude_none=True).encode() + b"\n")
    answers.flush()


def _end_with_parent() -> None:
    """Wait for the end of the input, which comes when the parent dies or lets go, and end at once.

    It reads the bare file: a thread that sits in Python's own reader would hang the interpreter's normal end.
    """
    while os.read(0, 4096):
        pass
    os.kill(0 if os.getpgrp() == os.getpid() else os.getpid(), signal.SIGKILL)


def _die_with_parent() -> None:
    """Let the system end this process with its parent, which works even while native code holds the interpreter."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


# The first two stages: the document's policies, and its domains as bodies.


def compile_policies(bench: Workbench, step: Step) -> Outcome:
    """The policies that hold, what the document's check warns of, and whether every backend is there.

    Raises:
        InvalidInput: a component asks for a backend that does not exist.
    """
    backends = {}
    for component in bench.spec.components:
        if component.build.type == "backend_network":
            backend = resolve_backend(bench.policies(step.stage, component.id).growth.backend)
            if backend not in BACKEND_PARAMETERS:
                raise InvalidInput(
                    f"/components/{component.id}/build/backend: there is no backend {backend!r}.",
                    hint="The backends are: " + ", ".join(BACKEND_PARAMETERS) + ".",
                )
            backends[component.id] = backend
    checked = bench.checked
    return Outcome(
        metadata={"backends": backends, "normalisation": checked.normalisation, "spec_hash": checked.spec_hash},
        warnings=[str(issue) for issue in checked.warnings],
    )


def compile_domains(bench: Workbench, step: Step) -> Outcome:
    """Every domain as a body; one that has not changed is not built again.

    Raises:
        InvalidInput: a domain cannot be built; the message has its pointer.
    """
    outcome = Outcome(metadata={"domains": {}})
    spec = bench.spec.model_copy(update={"policies": bench.policies(DOMAIN)})
    for number, name in enumerate(spec.domains):
        bench.progress(number / len(spec.domains), f"domain {name}")
        body = bench.find(f"{DOMAIN}:{name}")
        if body is None:
            body = build_domain(spec, name, bench.project_dir)
        outcome.results[f"{DOMAIN}:{name}"] = body
        outcome.metadata["domains"][name] = mesh_facts(body)
    if len(outcome.metadata["domains"]) == 1:
        outcome.metadata["mesh"] = next(iter(outcome.metadata["domains"].values()))
    return outcome


# The stages of the real pipeline, by name.

STAGES: Mapping[str, StageFunction] = {
    "compile_policies": compile_policies,
    "compile_domains": compile_domains,
    "component_ports": component_ports,
    "component_build": component_build,
    "component_mesh": component_mesh,
    "union_voids": union_voids,
    "mesh_domain": mesh_domain,
    "embed": embed_void,
    "port_recarve": port_recarve,
    "validity": validity,
    "export": export,
}
