"""Voids that come as mesh files."""

from pathlib import Path

from manifold3d import Manifold

from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.policies.resolution import ImportedMeshing
from loopwright.agents.designspec.document.spec import METRES
from loopwright.agents.designspec.geometry.mesh_files import read_body
from loopwright.kernel.errors import InvalidInput


def import_void(
    component: Component, project_dir: Path, *, policy: ImportedMeshing | None = None, pointer: str | None = None
) -> Manifold:
    """The void in the component's mesh file, in metres.

    Args:
        component: one whose build is `import_void_mesh`.
        project_dir: the only folder from which files are read.
        policy: limits of the file's size; the defaults where it is not given.
        pointer: where the component stands in the document; by its id where it is not given.

    Raises:
        InvalidInput: no file is named, or it is no closed surface without self-intersections.
    """
    place = f"{pointer or f'/components/{component.id}'}/build/mesh_path"
    if component.build.mesh_path is None:
        raise InvalidInput(f"{place}: a component of type import_void_mesh must name its file.")
    scale = METRES[component.build.mesh_units]
    return read_body(project_dir, component.build.mesh_path, place, scale=scale, policy=policy or ImportedMeshing())
