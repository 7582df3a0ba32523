"""Bodies as bytes and files, without any loss of precision."""

import io
import zipfile
from pathlib import Path

import numpy as np
from manifold3d import Error, Manifold, Mesh64

from loopwright.kernel.errors import InvalidInput


def to_bytes(body: Manifold) -> bytes:
    """The corners in double precision and the faces, as an npz archive; equal bodies give equal bytes."""
    mesh = body.to_mesh64()
    vertices = np.asarray(mesh.vert_properties)[:, :3]
    faces = np.asarray(mesh.tri_verts).astype(np.uint32)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, vertices=vertices, faces=faces, tolerance=body.get_tolerance())
    return buffer.getvalue()


def from_bytes(content: bytes) -> Manifold:
    """The body in such an archive.

    Raises:
        InvalidInput: the bytes are no such archive, or hold no closed surface.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            vertices = np.ascontiguousarray(archive["vertices"], dtype=np.float64)
            faces = np.ascontiguousarray(archive["faces"], dtype=np.uint64)
            tolerance = float(archive["tolerance"])
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidInput(f"The stored body cannot be read: {error}") from error
    if not len(faces):
        return Manifold()
    body = Manifold(Mesh64(vertices, faces, tolerance=tolerance))
    if body.status() != Error.NoError:
        raise InvalidInput(f"The stored body is not closed ({body.status().name}).")
    return body


def save(path: Path, body: Manifold) -> None:
    """Write the body into a file."""
    path.write_bytes(to_bytes(body))


def load(path: Path) -> Manifold:
    """The body in a file that `save` wrote.

    Raises:
        InvalidInput: the file is no such file.
    """
    return from_bytes(path.read_bytes())
