"""Writing what a run has made: everything that the document names, and the usual files beside it."""

from collections.abc import Callable
from typing import Any

from manifold3d import Manifold

from loopwright.agents.designspec.network.network import Network
from loopwright.agents.designspec.pipeline.artifacts import ArtifactWriter
from loopwright.agents.designspec.pipeline.naming import REPORTS, output_names, unknown_names
from loopwright.agents.designspec.pipeline.plan import Step
from loopwright.agents.designspec.pipeline.stages_validity import solid_of
from loopwright.agents.designspec.pipeline.workbench import Outcome, Workbench
from loopwright.kernel.errors import InvalidInput, LoopwrightError

PREVIEW = "preview.png"


def export(bench: Workbench, step: Step) -> Outcome:
    """Write all results that there are, in the policy's units, into the run's folder."""
    return _written(bench, lambda name: bench.find(name))


def leave(bench: Workbench, done: list[Step]) -> dict[str, str]:
    """Write what the steps of a run without an export have made, as files of the usual names."""
    made = {step.name for step in done}
    try:
        return _written(bench, lambda name: bench.find(name) if name in made else None).artifacts
    except LoopwrightError as error:
        # The run has failed or was cut short already: what cannot be written is one more thing to say about it.
        bench.report.warnings.append(f"Not everything that was made could be written: {error.message}")
        return {}


def _written(bench: Workbench, find: Callable[[str], Any]) -> Outcome:
    outcome, writer = Outcome(), ArtifactWriter(bench.run_dir, bench.spec.policies.output)
    bench.progress(0.0, "writing networks")
    networks = _networks(bench, find)
    for component, network in networks.items():
        writer.network("network", network, f"networks/{component}", component)
    bodies = _bodies(bench, find)
    for number, (kind, body) in enumerate(bodies.items()):
        bench.progress((number + 1) / (len(bodies) + 3), f"writing {kind}")
        writer.usual_mesh(kind, body)
    for name in output_names(bench.spec):
        if name.kind == "network" and name.component in networks:
            writer.network(name.kind, networks[name.component], name.name, name.component)
        elif name.kind == "component_void" and find(f"component_mesh:{name.component}") is not None:
            writer.mesh(name.label, find(f"component_mesh:{name.component}"), name.name)
        elif name.kind in SAME_AS and SAME_AS[name.kind] in bodies:
            writer.mesh(name.label, bodies[SAME_AS[name.kind]], name.name)
        elif name.kind not in (*REPORTS, "preview", "network"):
            outcome.warnings.append(f"{name.pointer}: there is no {name.label} to write.")
    bench.progress(0.9, "drawing the preview")
    _draw(bench, writer, bodies, list(networks.values()), outcome)
    outcome.artifacts = writer.artifacts
    outcome.metadata = {"files": len(set(writer.artifacts.values())), "units": writer.units}
    outcome.warnings += writer.warnings
    outcome.warnings += [f"/outputs/named/{kind}: no run writes this." for kind in unknown_names(bench.spec)]
    return outcome


SAME_AS = {
    "domain_mesh": "domain",
    "domain_with_void": "solid",
    "void_mesh": "void",
    "union_void": "union",
    "shell": "shell",
}
"""Which body a name of the document stands for."""


def _bodies(bench: Workbench, find: Callable[[str], Any]) -> dict[str, Manifold]:
    """The bodies that there are; the void ends flush with the body where it was embedded."""
    embedded, union, domain = find("embed"), find("union_voids"), find("mesh_domain")
    found = {
        "solid": solid_of(bench) if domain is not None else None,
        "void": embedded.void if embedded is not None else union,
        "shell": embedded.shell if embedded is not None else None,
        "domain": domain,
        "union": union,
    }
    return {kind: body for kind, body in found.items() if body is not None and not body.is_empty()}


def _networks(bench: Workbench, find: Callable[[str], Any]) -> dict[str, Network]:
    found = {component.id: find(f"component_build:{component.id}") for component in bench.spec.components}
    return {name: network for name, network in found.items() if isinstance(network, Network)}


def _draw(
    bench: Workbench,
    writer: ArtifactWriter,
    bodies: dict[str, Manifold],
    networks: list[Network],
    outcome: Outcome,
) -> None:
    """Draw the preview, last of all; without a renderer a run lacks a picture and nothing else."""
    solid, void = bodies.get("solid", bodies.get("domain")), bodies.get("void")
    if not bench.spec.policies.output.output_png or (solid is None and void is None):
        return
    # Loaded only here: the renderer takes a second and 200 MB, which most runs do not need.
    from loopwright.agents.designspec.export.preview import write_preview

    names = [name.name for name in output_names(bench.spec) if name.kind == "preview"] or [PREVIEW]
    try:
        write_preview(bench.run_dir / names[0], solid, void, networks)
    except InvalidInput:
        raise
    except LoopwrightError as error:
        outcome.warnings.append(f"{error.message} {error.hint}".strip())
    else:
        writer.artifacts["preview"] = names[0]
