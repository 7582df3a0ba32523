"""Writing what a run has made: everything that the document names, and the usual files beside it."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from manifold3d import Manifold

from loopwright.agents.designspec.document.policies import OutputPolicy
from loopwright.agents.designspec.export.networks import write_graphml, write_mesh, write_network_json
from loopwright.agents.designspec.geometry.embed import Embedded
from loopwright.agents.designspec.network import Network
from loopwright.agents.designspec.pipeline.preview import REPORTS, output_names, unknown_names
from loopwright.agents.designspec.pipeline.reports import Step
from loopwright.agents.designspec.pipeline.results import Outcome, Workbench
from loopwright.agents.designspec.validity.checking import check_design
from loopwright.agents.designspec.validity.surface import BuiltDesign
from loopwright.kernel.errors import InvalidInput, LoopwrightError

# The verdict: is the design what the document says?


def validity(bench: Workbench, step: Step) -> Outcome:
    """Check what there is; a failed check is a verdict on the design, not a breakdown of the run.

    Raises:
        InvalidInput: there is no body to look at.
    """
    if not bench.spec.validity.enable:
        return Outcome(results={step.name: None}, metadata={"enabled": False, "note": "switched off by the document"})
    report = check_design(subject_of(bench, step), bench.progress)
    failed = [check for check in report.checks if not check.passed and not check.skipped]
    return Outcome(
        results={step.name: report},
        metadata={
            "status": report.status,
            "passed": sum(check.passed and not check.skipped for check in report.checks),
            "failed": [check.name for check in failed],
            "skipped": [check.name for check in report.checks if check.skipped],
        },
        warnings=[warning for check in report.checks for warning in check.warnings],
        errors=[] if report.success else [f"{check.name}: {check.message}" for check in failed],
    )


def subject_of(bench: Workbench, step: Step) -> BuiltDesign:
    """The design as far as this run and earlier ones have made it."""
    body: Manifold | None = bench.find("mesh_domain")
    if body is None:
        raise InvalidInput("The result of mesh_domain is needed to check the design.", hint="Run mesh_domain first.")
    embedded: Embedded | None = bench.find("embed")
    union: Manifold | None = bench.find("union_voids")
    inside = union ^ body if union is not None else None
    ids = [component.id for component in bench.spec.components]
    voids = {name: bench.find(f"component_mesh:{name}") for name in ids}
    built = {name: bench.find(f"component_build:{name}") for name in ids}
    return BuiltDesign(
        spec=bench.spec,
        document_units=bench.checked.input_units,
        body=body,
        solid=solid_of(bench),
        void=embedded.void if embedded is not None else inside,
        component_voids={name: void for name, void in voids.items() if void is not None},
        networks={name: network for name, network in built.items() if isinstance(network, Network)},
        openings=[opening for name in ids for opening in bench.find(f"component_ports:{name}") or []],
        policies=bench.policies(step.stage),
        notes=embedded.notes if embedded is not None else (),
        policies_of={name: bench.policies(step.stage, name) for name in ids},
        document=bench.document,
    )


def solid_of(bench: Workbench) -> Manifold | None:
    """The body as it would be printed: carved, or whole where there is nothing to carve."""
    embedded: Embedded | None = bench.find("embed")
    if embedded is not None:
        return embedded.solid
    nothing = bench.has("union_voids") and bench.get("union_voids") is None
    body: Manifold | None = bench.find("mesh_domain") if nothing else None
    return body


# The geometry files of a run.

ALL_FORMATS = ("solid",)
"""Bodies that are written in every format; the others as STL only."""
ONLY_WHEN_KEPT = ("domain", "union")
"""Bodies on the way to the result, written by themselves only with `save_intermediates`."""


class ArtifactWriter:
    """Writes meshes and networks into a run's folder, and keeps the list of what each file is.

    The names are those of `naming.output_names` or fixed ones, so that they lie within the folder.
    """

    def __init__(self, run_dir: Path, policy: OutputPolicy) -> None:
        """Write below `run_dir`, in the policy's units and formats."""
        self.run_dir, self.policy, self.units = run_dir, policy, policy.output_units
        self.artifacts: dict[str, str] = {}
        self.warnings: list[str] = []
        self._files: dict[tuple[str, str], Path] = {}

    def usual_mesh(self, kind: str, body: Manifold) -> None:
        """Write a body under the usual name, in the formats that the policy wants."""
        if kind in ONLY_WHEN_KEPT and not self.policy.save_intermediates:
            return
        wanted = {"stl": self.policy.output_stl, "3mf": self.policy.output_3mf, "glb": self.policy.output_glb}
        for suffix, switch in wanted.items():
            if switch and (suffix == "stl" or kind in ALL_FORMATS):
                self.mesh(f"{kind}_{suffix}", body, f"{kind}.{suffix}")

    def mesh(self, label: str, body: Manifold, name: str) -> None:
        """Write a body under a name; one that is written already in this format is copied."""
        path = self.run_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        same = (_content(body), path.suffix.lower())
        if same in self._files and self._files[same] != path:
            shutil.copyfile(self._files[same], path)
        elif same not in self._files:
            written = write_mesh(body, path, self.units)
            if written.tolerance:
                self.warnings.append(
                    f"{name} was simplified by {written.tolerance:.2g} m: in {written.units} a file of single "
                    "precision holds no finer edges."
                )
            self._files[same] = path
        self.artifacts[label] = name

    def network(self, kind: str, network: Network, name: str, component: str) -> None:
        """Write a network: as the name's ending says, or in all formats that the policy wants where it has none."""
        wanted = {".json": self.policy.output_json, ".graphml": self.policy.output_graphml}
        suffixes = [""] if name.endswith(tuple(wanted)) else [suffix for suffix, switch in wanted.items() if switch]
        for suffix in suffixes:
            path = self.run_dir / (name + suffix)
            path.parent.mkdir(parents=True, exist_ok=True)
            same = (component, path.suffix)
            if same in self._files and self._files[same] != path:
                shutil.copyfile(self._files[same], path)
            elif path.suffix == ".graphml":
                write_graphml(network, path, self.units)
            else:
                write_network_json(network, path, self.units, metadata={"component": component})
            self._files[same] = path
            extra = "_graphml" if suffix == ".graphml" else ""
            self.artifacts[f"{kind}{extra}:{component}"] = name + suffix


def _content(body: Manifold) -> str:
    """What tells equal bodies from others: a design of one component has its void several times."""
    mesh = body.to_mesh64()
    digest = hashlib.sha256(np.asarray(mesh.vert_properties).tobytes())
    digest.update(np.asarray(mesh.tri_verts).tobytes())
    return digest.hexdigest()


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
