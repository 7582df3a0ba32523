"""The files that a document names: what each is to hold, and whether it may be written there."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.kernel.errors import InvalidInput

MESH_FORMATS = (".stl", ".3mf", ".glb")
NETWORK_FORMATS = (".json", ".graphml")
REPORTS = ("run_report", "validity_report", "artifact_manifest", "mesh_stats", "network_stats")
FORMATS = {
    "domain_mesh": MESH_FORMATS,
    "domain_with_void": MESH_FORMATS,
    "void_mesh": MESH_FORMATS,
    "union_void": MESH_FORMATS,
    "shell": MESH_FORMATS,
    "component_void": MESH_FORMATS,
    "network": NETWORK_FORMATS,
    "preview": (".png",),
    **dict.fromkeys(REPORTS, (".json",)),
}
"""What can be named, and the endings that its file may have."""
OF_A_COMPONENT = ("component_void", "network")
LONGEST_NAME = 200


@dataclass(frozen=True)
class OutputName:
    """A file: `kind` is one of `FORMATS`, of one component or of the whole; `name` is relative to the run's folder."""

    kind: str
    name: str
    pointer: str
    component: str = ""

    @property
    def label(self) -> str:
        """What the file is, as the list of artifacts writes it."""
        return f"{self.kind}:{self.component}" if self.component else self.kind


def output_names(spec: DesignSpec) -> list[OutputName]:
    """The files that the document names.

    Raises:
        InvalidInput: a name leads out of the run's folder, has an ending that does not fit, or stands for two different
            things.
    """
    names = [_checked(name) for name in _named(spec)]
    taken: dict[str, OutputName] = {}
    for name in names:
        other = taken.setdefault(name.name, name)
        if other.label != name.label:
            raise InvalidInput(f"{name.pointer}: {name.name!r} is the name of {other.pointer} already.")
    return names


def unknown_names(spec: DesignSpec) -> list[str]:
    """What `outputs.named` asks for that no run writes. A component's things can be, if it is the only one."""
    several = len(spec.components) != 1
    return [kind for kind in spec.outputs.named if kind not in FORMATS or (several and kind in OF_A_COMPONENT)]


def _named(spec: DesignSpec) -> Iterator[OutputName]:
    for number, component in enumerate(spec.components):
        saved, place = component.save_artifacts, f"/components/{number}/save_artifacts"
        if saved.network:
            yield OutputName("network", saved.network, f"{place}/network", component.id)
        if saved.void_mesh:
            yield OutputName("component_void", saved.void_mesh, f"{place}/void_mesh", component.id)
    if spec.composition.save_union:
        yield OutputName("union_void", spec.composition.save_union, "/composition/save_union")
    for kind in ("domain_with_void", "void_mesh", "shell"):
        name = getattr(spec.embedding.outputs, kind)
        if name:
            yield OutputName(kind, name, f"/embedding/outputs/{kind}")
    if spec.validity.save_report:
        yield OutputName("validity_report", spec.validity.save_report, "/validity/save_report")
    for kind, name in spec.outputs.named.items():
        if name and kind not in unknown_names(spec):
            owner = spec.components[0].id if kind in OF_A_COMPONENT else ""
            yield OutputName(kind, name, f"/outputs/named/{kind}", owner)


def _checked(output: OutputName) -> OutputName:
    path = PurePosixPath(output.name)
    strange = "\\" in output.name or any(ord(letter) < 32 for letter in output.name)
    hidden = any(part == ".." or part.startswith(".") for part in path.parts)
    if path.is_absolute() or hidden or strange or len(output.name) > LONGEST_NAME:
        raise InvalidInput(
            f"{output.pointer}: {output.name[:80]!r} is no name of a file within the run's folder.",
            hint="Name it relative to that folder, as in 'artifacts/void.stl'.",
        )
    if path.suffix.lower() not in FORMATS[output.kind]:
        raise InvalidInput(
            f"{output.pointer}: {output.name!r} cannot hold this.",
            hint=f"Its name must end in {' or '.join(FORMATS[output.kind])}.",
        )
    return OutputName(output.kind, path.as_posix(), output.pointer, output.component)
