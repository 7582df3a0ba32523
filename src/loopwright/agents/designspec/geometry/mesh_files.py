"""Mesh files that users bring: read from the project folder only, checked, and made a body."""

import io
import zipfile
from pathlib import Path

import numpy as np
import trimesh
from manifold3d import Error, Manifold, Mesh64

from loopwright.agents.designspec.document.policies.resolution import ImportedMeshing
from loopwright.agents.designspec.geometry.soundness import Surface, check_surface
from loopwright.kernel.errors import InvalidInput

FORMATS = {".stl": "stl", ".obj": "obj", ".ply": "ply", ".3mf": "3mf", ".glb": "glb"}
LARGEST_FILE = 512 * 1024 * 1024
"""Bytes of a file, and of what an archive unpacks to."""


def read_body(project_dir: Path, name: str, pointer: str, *, scale: float, policy: ImportedMeshing) -> Manifold:
    """The closed body in a mesh file.

    Corners at one place are joined, faces without area or twice there are dropped, and a body that is inside out is
    turned: none of that changes its shape. Whatever would have to be guessed is refused.

    Args:
        project_dir: the only folder from which files are read.
        name: the path as the document has it, relative to the folder.
        pointer: where the document has it.
        scale: how many metres one unit of the file is.
        policy: the limit of faces, and whether a body above it is simplified.

    Raises:
        InvalidInput: there is no such file, or it is no closed surface without self-intersections.
    """
    path = confined(project_dir, name, pointer)
    surface = _read(path, name, pointer)
    if not np.isfinite(surface.vertices).all():
        raise InvalidInput(f"{pointer}: {name} has corners that are no finite numbers.")
    surface = Surface(surface.vertices * scale, surface.faces)
    if policy.repair_if_needed:
        surface = surface.tidied()
    if not len(surface.faces):
        raise InvalidInput(f"{pointer}: {name} holds no triangle with an area.")
    check_surface(surface, name, pointer)
    body = Manifold(Mesh64(np.ascontiguousarray(surface.vertices), surface.faces.astype(np.uint64)))
    if body.status() != Error.NoError or body.is_empty():
        raise InvalidInput(f"{pointer}: {name} is not a closed surface ({body.status().name}).")
    return _within_budget(body, name, pointer, policy)


def confined(project_dir: Path, name: str, pointer: str) -> Path:
    """The file of this name within the folder; links are followed before it is looked where they lead.

    Raises:
        InvalidInput: it lies outside, is not there, is no file, is too large or has no known format.
    """
    root = project_dir.resolve()
    try:
        path = (root / name).resolve()
        found = path.is_relative_to(root) and path.is_file()
    except (OSError, ValueError) as error:  # a name with a zero byte, or one that is too long
        raise InvalidInput(f"{pointer}: {name[:80]!r} is no file name.") from error
    if not path.is_relative_to(root):
        raise InvalidInput(
            f"{pointer}: {name!r} lies outside the project folder.", hint="Copy the file into the project folder."
        )
    if not found:
        raise InvalidInput(f"{pointer}: there is no file {name!r} in the project folder.")
    if path.suffix.lower() not in FORMATS:
        raise InvalidInput(
            f"{pointer}: files of the kind {path.suffix or 'without suffix'!r} are not read.",
            hint=f"Mesh files may be: {', '.join(FORMATS)}.",
        )
    if path.stat().st_size > LARGEST_FILE:
        raise InvalidInput(f"{pointer}: {name!r} is larger than {LARGEST_FILE >> 20} MiB.")
    return path


def _read(path: Path, name: str, pointer: str) -> Surface:
    """The triangles in the file. It is handed over as bytes, so that it cannot refer to other files."""
    content = path.read_bytes()
    kind = FORMATS[path.suffix.lower()]
    try:
        if kind == "3mf":
            _check_archive(content)
        scene = trimesh.load_scene(io.BytesIO(content), file_type=kind, process=False, skip_materials=True)
        mesh = scene.to_mesh()
        vertices, faces = np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64)
    except InvalidInput:
        raise
    except Exception as error:  # whatever a reader of foreign formats raises, the file is at fault
        raise InvalidInput(
            f"{pointer}: {name!r} cannot be read as {kind.upper()}: {type(error).__name__}: {str(error)[:200]}"
        ) from error
    if vertices.ndim != 2 or not len(faces):
        raise InvalidInput(f"{pointer}: {name!r} holds no triangles.")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise InvalidInput(f"{pointer}: {name!r} names corners that it does not have.")
    return Surface(vertices, faces)


def _check_archive(content: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > LARGEST_FILE:
            raise InvalidInput(f"The archive unpacks to more than {LARGEST_FILE >> 20} MiB.")


def _within_budget(body: Manifold, name: str, pointer: str, policy: ImportedMeshing) -> Manifold:
    """The body itself, or a simpler one that differs by less than a thousandth of its size."""
    if body.num_tri() <= policy.max_faces:
        return body
    low, high = np.array(body.bounding_box()).reshape(2, 3)
    size = float(np.linalg.norm(high - low))
    if policy.simplify_if_over_max:
        for tolerance in (1e-6, 1e-5, 1e-4, 1e-3):
            simpler = body.simplify(tolerance * size)
            if simpler.num_tri() <= policy.max_faces:
                return simpler
    raise InvalidInput(
        f"{pointer}: {name!r} has {body.num_tri()} faces, more than the {policy.max_faces} allowed.",
        hint="Simplify the file or raise policies.domain_meshing.mesh_policy.max_faces.",
    )
