"""Mesh files that users bring: read from the project folder only, checked, and made a body."""

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh
from manifold3d import Error, Manifold, Mesh64
from rtree import index

from loopwright.agents.designspec.document.domains import Component
from loopwright.agents.designspec.document.policies import ImportedMeshing
from loopwright.agents.designspec.document.spec import METRES
from loopwright.agents.designspec.network import Floats, Ints
from loopwright.kernel.errors import InvalidInput

# Where a surface cuts through itself.

BATCH = 50_000
"""Triangles that are asked about at a time, which bounds the memory."""
MARGIN = 1e-9
"""Share of an edge near its ends in which a contact is a touch and no crossing."""


def first_crossing(vertices: Floats, faces: Ints) -> Floats | None:
    """The place, in metres, where two faces cross that share no edge; None where none do.

    Faces that touch, or lie on one another in one plane, do not cross.
    """
    triangles = vertices[faces]
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    tree = index.Index((np.arange(len(faces)), low, high), properties=index.Property(dimension=3))
    for start in range(0, len(faces), BATCH):
        rows = np.arange(start, min(start + BATCH, len(faces)))
        found, counts = tree.intersection_v(low[rows], high[rows])  # type: ignore[no-untyped-call]  # rtree has no types
        first, second = np.repeat(rows, counts.astype(np.int64)), found.astype(np.int64)
        pairs = np.stack([first, second], axis=1)[first != second]
        shared = np.sum(faces[pairs[:, 0]][:, :, None] == faces[pairs[:, 1]][:, None, :], axis=(1, 2))
        pairs = pairs[shared < 2]
        order = np.lexsort(pairs.T[::-1])
        place = _pierced(vertices, faces, pairs[order])
        if place is not None:
            return place
    return None


def _pierced(vertices: Floats, faces: Ints, pairs: Ints) -> Floats | None:
    """Where an edge of the first face of a pair goes through the second; edges with a common corner cannot."""
    best: tuple[int, Floats] | None = None
    for one, two in ((0, 1), (1, 2), (2, 0)):
        edge = faces[pairs[:, 0]][:, [one, two]]
        apart = ~np.any(edge[:, :, None] == faces[pairs[:, 1]][:, None, :], axis=(1, 2))
        rows = np.flatnonzero(apart)
        hit, place = _edge_through_face(vertices[edge[rows]], vertices[faces[pairs[rows, 1]]])
        if hit.any():
            where = int(np.argmax(hit))
            if best is None or rows[where] < best[0]:
                best = int(rows[where]), place[where]
    return None if best is None else best[1]


def _edge_through_face(edges: Floats, triangles: Floats) -> tuple[np.ndarray, Floats]:
    """Whether each edge (n, 2, 3) pierces its triangle (n, 3, 3), and where (Möller and Trumbore, 1997)."""
    origin, along = edges[:, 0], edges[:, 1] - edges[:, 0]
    side_one, side_two = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    across = np.cross(along, side_two)
    determinant = np.einsum("ij,ij->i", side_one, across)
    size = np.linalg.norm(along, axis=1) * np.linalg.norm(np.cross(side_one, side_two), axis=1)
    upright = np.abs(determinant) > 1e-9 * size
    inverse = 1.0 / np.where(upright, determinant, 1.0)
    offset = origin - triangles[:, 0]
    first = np.einsum("ij,ij->i", offset, across) * inverse
    turned = np.cross(offset, side_one)
    second = np.einsum("ij,ij->i", along, turned) * inverse
    share = np.einsum("ij,ij->i", side_two, turned) * inverse
    inside = (first > -1e-12) & (second > -1e-12) & (first + second < 1 + 1e-12)
    hit = upright & inside & (share > MARGIN) & (share < 1 - MARGIN)
    return hit, np.asarray(origin + share[:, None] * along)


# Soundness of surfaces that come from outside: what is wrong with them, and where.

SAME_PLACE = 1e-7
"""Corners nearer than this share of the size are one; single-precision files place them no better."""


@dataclass(frozen=True)
class TriangleMesh:
    """Triangles: `vertices` (n, 3) in metres, `faces` (m, 3)."""

    vertices: Floats
    faces: Ints

    def tidied(self) -> "TriangleMesh":
        """The same shape with corners at one place joined, and without faces that have no area or are there twice."""
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        grid = np.round((self.vertices - low) / (SAME_PLACE * max(float((high - low).max()), 1e-30)))
        _, first, index = np.unique(grid, axis=0, return_index=True, return_inverse=True)
        vertices, faces = self.vertices[first], index.reshape(-1)[self.faces]
        proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        faces = faces[proper]
        _, kept = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
        tidy = TriangleMesh(vertices, faces[np.sort(kept)])
        return TriangleMesh(vertices, tidy.faces[:, ::-1]) if tidy.volume < 0 else tidy

    @property
    def volume(self) -> float:
        """What the surface encloses, in cubic metres; negative when it is inside out."""
        a, b, c = (self.vertices[self.faces[:, i]] for i in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def check_surface(surface: TriangleMesh, name: str, pointer: str) -> None:
    """See that the surface is closed, oriented, a 2-manifold along its edges, and crosses itself nowhere.

    Raises:
        InvalidInput: with what is wrong, how often, and where first, in metres.
    """
    halves = np.concatenate([surface.faces[:, [0, 1]], surface.faces[:, [1, 2]], surface.faces[:, [2, 0]]])
    edges, index, count = np.unique(np.sort(halves, axis=1), axis=0, return_inverse=True, return_counts=True)
    forward = np.bincount(index.reshape(-1), weights=halves[:, 0] < halves[:, 1], minlength=len(edges))
    faults = (
        (count == 1, "is open: {} edges belong to one face only", "Close the holes in the program that made the file."),
        (count > 2, "is not a manifold: {} edges belong to more than two faces", "Unite the parts that touch there."),
        ((count == 2) & (forward != 1), "has faces that look to different sides along {} edges", "Unify the normals."),
    )
    for wrong, words, hint in faults:
        if wrong.any():
            place = surface.vertices[edges[np.argmax(wrong)]].mean(axis=0)
            raise InvalidInput(
                f"{pointer}: {name!r} {words.format(int(wrong.sum()))}, the first near {_shown(place)}.", hint=hint
            )
    crossing = first_crossing(surface.vertices, surface.faces)
    if crossing is not None:
        raise InvalidInput(
            f"{pointer}: {name!r} cuts through itself near {_shown(crossing)}.",
            hint="Resolve the self-intersection (a boolean union of the parts) in the program that made the file.",
        )


def _shown(place: Floats) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in place) + ") m"


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
        InvalidInput: there is no such file, or it is not a closed surface without self-intersections.
    """
    path = confined(project_dir, name, pointer)
    surface = _read(path, name, pointer)
    if not np.isfinite(surface.vertices).all():
        raise InvalidInput(f"{pointer}: {name} has corners that are no finite numbers.")
    surface = TriangleMesh(surface.vertices * scale, surface.faces)
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
        InvalidInput: it lies outside, is not there, is not a file, is too large or has no known format.
    """
    root = project_dir.resolve()
    try:
        path = (root / name).resolve()
        found = path.is_relative_to(root) and path.is_file()
    except (OSError, ValueError) as error:  # a name with a zero byte, or one that is too long
        raise InvalidInput(f"{pointer}: {name[:80]!r} is not a file name.") from error
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


def _read(path: Path, name: str, pointer: str) -> TriangleMesh:
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
    return TriangleMesh(vertices, faces)


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


# Voids that come as mesh files.


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
        InvalidInput: no file is named, or it is not a closed surface without self-intersections.
    """
    place = f"{pointer or f'/components/{component.id}'}/build/mesh_path"
    if component.build.mesh_path is None:
        raise InvalidInput(f"{place}: a component of type import_void_mesh must name its file.")
    scale = METRES[component.build.mesh_units]
    return read_body(project_dir, component.build.mesh_path, place, scale=scale, policy=policy or ImportedMeshing())
