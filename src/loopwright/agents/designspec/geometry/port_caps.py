"""Port caps: the flat ends of a void at its ports, and how they are drawn out through the surface of the body.

A flat end that lies in the face of the body would leave it to rounding whether a film stays. Drawing the end itself
outwards keeps the channel's own corners, so the opening is exactly as wide as the channel.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold, Mesh64
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.network.openings import Opening

NEIGHBOURHOOD = 1.6
"""Radii around a port within which its cap lies."""
FACING = 0.7
"""Cosine of the most that a cap may lean against its port."""
IN_PLANE = 1e-5
"""Radii by which a cap's corners may lie off the plane through the port."""


@dataclass(frozen=True)
class PortCaps:
    """The faces of a void that are caps. `label` (m,) gives each face's opening, −1 for none."""

    vertices: Floats
    faces: Ints
    label: Ints

    def rim(self, opening: int) -> Floats:
        """(k, 3): the corners along the edge of a cap; none where the void has no flat end at the port."""
        edges = _open_edges(self.faces[self.label == opening])
        return np.asarray(self.vertices[np.unique(edges)])

    def normal(self, opening: int) -> Floats:
        """The unit normal of a cap, which looks out of the void; caps may lean against their port."""
        corners = self.vertices[self.faces[self.label == opening]]
        total = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)
        return np.asarray(total / np.linalg.norm(total))

    def prism(self, opening: int, shift: Floats) -> Manifold:
        """What a cap passes through when it is moved by `shift` (3,), in metres."""
        faces = self.faces[self.label == opening]
        edges, count = _open_edges(faces), len(self.vertices)
        walls = [
            np.column_stack([edges, edges[:, 1] + count]),
            np.column_stack([edges[:, 0], edges[:, 1] + count, edges[:, 0] + count]),
        ]
        vertices = np.concatenate([self.vertices, self.vertices + shift])
        return _solid(vertices, np.concatenate([faces[:, ::-1], faces + count, *walls]))


def find_caps(void: Manifold, openings: Sequence[Opening]) -> PortCaps:
    """Find the flat ends at the openings' positions. Each face belongs to the nearest opening."""
    mesh = void.to_mesh64()
    vertices = np.array(np.asarray(mesh.vert_properties)[:, :3])
    faces = np.asarray(mesh.tri_verts).astype(np.int64)
    label = np.full(len(faces), -1, dtype=np.int64)
    if not openings or not len(faces):
        return PortCaps(vertices, faces, label)
    places = np.array([opening.position for opening in openings])
    outward = -np.array([opening.direction for opening in openings])
    radii = np.array([opening.radius for opening in openings])
    corners = vertices[faces]
    distance, nearest = cKDTree(places).query(corners.mean(axis=1))
    near = np.flatnonzero(distance <= NEIGHBOURHOOD * radii[nearest])
    own, corners = nearest[near], corners[near]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    facing = np.einsum("ij,ij->i", normals, outward[own]) > FACING
    offset = np.einsum("ijk,ik->ij", corners - places[own][:, None], normals)
    flat = np.abs(offset).max(axis=1) <= IN_PLANE * radii[own]
    label[near[facing & flat]] = own[facing & flat]
    return PortCaps(vertices, faces, label)


def drawn_out(caps: PortCaps, shift: Floats) -> Manifold:
    """The void with each cap moved by its opening's row of `shift` (n, 3), in metres, and walls up to it.

    Caps that share an edge are moved as one, by the longest of their shifts.
    """
    moved = np.flatnonzero(caps.label >= 0)
    if not len(moved):
        return _solid(caps.vertices, caps.faces)
    label = _joined(caps, moved, shift)
    vertices, faces = [caps.vertices], caps.faces.copy()
    count = len(caps.vertices)
    walls = []
    for opening in np.unique(label):
        rows = moved[label == opening]
        used, index = np.unique(faces[rows], return_inverse=True)
        edges = _open_edges(faces[rows])
        raised = np.full(len(caps.vertices), -1, dtype=np.int64)
        raised[used] = count + np.arange(len(used))
        vertices.append(caps.vertices[used] + shift[opening])
        walls.append(np.column_stack([edges, raised[edges[:, 1]]]))
        walls.append(np.column_stack([edges[:, 0], raised[edges[:, 1]], raised[edges[:, 0]]]))
        faces[rows] = (count + index).reshape(-1, 3)
        count += len(used)
    return _solid(np.concatenate(vertices), np.concatenate([faces, *walls]))


def _joined(caps: PortCaps, moved: Ints, shift: Floats) -> Ints:
    """For each cap face the opening whose shift it follows."""
    faces = caps.faces[moved]
    halves = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    _, edge = np.unique(np.sort(halves, axis=1), axis=0, return_inverse=True)
    owner = np.tile(caps.label[moved], 3)
    order = np.argsort(edge.reshape(-1), kind="stable")
    same = edge.reshape(-1)[order][1:] == edge.reshape(-1)[order][:-1]
    pairs = owner[order][:-1][same], owner[order][1:][same]
    graph = coo_array((np.ones(len(pairs[0])), pairs), shape=(len(shift), len(shift)))
    _, group = connected_components(graph, directed=False)
    length = np.linalg.norm(shift, axis=1)
    leader = np.array([max(np.flatnonzero(group == i), key=lambda one: length[one]) for i in range(group.max() + 1)])
    return np.asarray(leader[group][caps.label[moved]])


def _open_edges(faces: Ints) -> Ints:
    """(k, 2): the directed edges of faces whose reverse belongs to none of them."""
    halves = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    if not len(halves):
        return halves
    _, index, count = np.unique(np.sort(halves, axis=1), axis=0, return_inverse=True, return_counts=True)
    return np.asarray(halves[count[index.reshape(-1)] == 1])


def _solid(vertices: Floats, faces: Ints) -> Manifold:
    used, index = np.unique(faces, return_inverse=True)
    return Manifold(Mesh64(np.ascontiguousarray(vertices[used]), index.reshape(-1, 3).astype(np.uint64)))
