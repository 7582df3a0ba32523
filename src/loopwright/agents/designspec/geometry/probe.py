"""Probing domains: formulas where the domain has one, its mesh elsewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import trimesh
from manifold3d import Manifold, Mesh64
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDataArray, vtkDoubleArray, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkImplicitPolyDataDistance

from loopwright.agents.designspec.document.domains import (
    BoxDomain,
    CapsuleDomain,
    CylinderDomain,
    Domain,
    EllipsoidDomain,
    FrustumDomain,
    SphereDomain,
)
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.network import DomainProbe, Floats, Ints, Opening
from loopwright.kernel.errors import InvalidInput

# A body by its mesh.
#
# Points spread evenly over a volume.

LEAST_SHARE = 1e-5
"""Share of its bounds below which a body is too thin to be sampled."""
LARGEST_BATCH = 2_000_000


def sampled(
    bounds: Floats, inside: Callable[[Floats], NDArray[np.bool_]], count: int, random: np.random.Generator
) -> Floats:
    """(count, 3): points drawn within the bounds and kept where they lie inside.

    Raises:
        InvalidInput: so few lie inside that it would not end.
    """
    parts: list[Floats] = []
    found = drawn = 0
    while found < count:
        share = max(LEAST_SHARE, found / drawn) if drawn else 0.5
        batch = int(min(LARGEST_BATCH, 1.1 * (count - found) / share + 64))
        points = random.uniform(bounds[0], bounds[1], (batch, 3))
        kept = points[inside(points)]
        parts.append(kept)
        found, drawn = found + len(kept), drawn + batch
        if drawn > 64 / LEAST_SHARE and found < LEAST_SHARE * drawn:
            raise InvalidInput("The domain is too thin for points to be drawn in it.")
    return np.concatenate(parts)[:count] if parts else np.zeros((0, 3))


ON_BOUNDARY = 1e-9
"""Share of the body's size within which a point counts as on the boundary."""


class MeshProbe:
    """Asks any closed body about points: exact distances to its faces, in double precision."""

    def __init__(self, body: Manifold) -> None:
        mesh = body.to_mesh64()
        vertices = np.ascontiguousarray(np.asarray(mesh.vert_properties)[:, :3])
        faces = np.asarray(mesh.tri_verts).astype(np.int64)
        self._bounds = np.stack([vertices.min(axis=0), vertices.max(axis=0)])
        self._size = float(np.linalg.norm(self._bounds[1] - self._bounds[0]))
        self._distance = vtkImplicitPolyDataDistance()
        self._distance.SetInput(_poly_data(vertices, faces))
        # Rays are cast in single precision: around the origin and at size 1 they lose the least.
        self._rays = trimesh.Trimesh((vertices - self._bounds.mean(axis=0)) / self._size, faces, process=False)

    @property
    def bounds(self) -> Floats:
        """(2, 3): the lowest and the highest corner."""
        return self._bounds

    def depth(self, points: Floats) -> Floats:
        """(n,): distance of each point to the nearest face, positive inside."""
        queried = np.ascontiguousarray(np.asarray(points, dtype=np.float64).reshape(-1, 3))
        if not len(queried):
            return np.zeros(0)
        found = vtkDoubleArray()
        self._distance.FunctionValue(_array(queried), found)
        return -np.array(vtk_to_numpy(found), dtype=np.float64)  # type: ignore[no-untyped-call]  # VTK's Python is untyped

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether each point lies inside or on the boundary."""
        queried = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        slack = ON_BOUNDARY * self._size
        found = np.all((queried >= self._bounds[0] - slack) & (queried <= self._bounds[1] + slack), axis=1)
        found[found] = self.depth(queried[found]) >= -slack
        return np.asarray(found, dtype=np.bool_)

    def sample(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 3): points spread evenly over the volume."""
        return sampled(self._bounds, self._struck, count, random)

    def _struck(self, points: Floats) -> NDArray[np.bool_]:
        """Whether points lie inside, by rays: many times faster than distances, and unsure on the boundary only."""
        return np.asarray(self._rays.contains((points - self._bounds.mean(axis=0)) / self._size))


def _poly_data(vertices: Floats, faces: Ints) -> vtkPolyData:
    points = vtkPoints()
    points.SetDataTypeToDouble()
    points.SetData(_array(vertices))
    starts = np.arange(0, 3 * len(faces) + 1, 3, dtype=np.int64)
    cells = vtkCellArray()
    cells.SetData(_array(starts), _array(faces.ravel()))
    surface = vtkPolyData()
    surface.SetPoints(points)
    surface.SetPolys(cells)
    return surface


def _array(values: Floats | Ints) -> vtkDataArray:
    """A copy that VTK owns."""
    copied: vtkDataArray = numpy_to_vtk(values, deep=True)  # type: ignore[no-untyped-call]  # VTK's Python is untyped
    return copied


# Domains, by whichever of both they have.
#
# Port caps: the flat ends of a void at its ports, and how they are drawn out through the surface of the body.

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


# Signed distances to the boundaries of primitives around the origin: positive inside, in the points' unit.

Depth = Callable[[Floats], Floats]


def box_depth(half: Floats) -> Depth:
    """Of a box with these half sizes."""

    def depth(points: Floats) -> Floats:
        over = np.abs(points) - half
        outside = np.linalg.norm(np.maximum(over, 0.0), axis=1)
        return np.asarray(-outside - np.minimum(over.max(axis=1), 0.0))

    return depth


def sphere_depth(radius: float) -> Depth:
    """Of a sphere."""
    return lambda points: np.asarray(radius - np.linalg.norm(points, axis=1))


def capsule_depth(radius: float, length: float, axis: int) -> Depth:
    """Of a capsule whose straight part has this length along an axis."""

    def depth(points: Floats) -> Floats:
        away = points.copy()
        away[:, axis] -= np.clip(points[:, axis], -length / 2, length / 2)
        return np.asarray(radius - np.linalg.norm(away, axis=1))

    return depth


def frustum_depth(radius_bottom: float, radius_top: float, height: float) -> Depth:
    """Of a truncated cone along z, and so of a cylinder: in the plane of radius and height it is a trapezium."""
    bottom, top = np.array([radius_bottom, -height / 2]), np.array([radius_top, height / 2])
    slope = top - bottom
    outward = np.array([slope[1], -slope[0]]) / np.linalg.norm(slope)

    def depth(points: Floats) -> Floats:
        flat = np.stack([np.linalg.norm(points[:, :2], axis=1), points[:, 2]], axis=1)
        share = np.clip((flat - bottom) @ slope / (slope @ slope), 0.0, 1.0)
        wall = np.linalg.norm(flat - bottom - share[:, None] * slope, axis=1)
        nearest = wall
        for radius, level in ((radius_bottom, -height / 2), (radius_top, height / 2)):
            beyond = np.maximum(flat[:, 0] - radius, 0.0)
            nearest = np.minimum(nearest, np.hypot(beyond, flat[:, 1] - level))
        within = ((flat - bottom) @ outward <= 0) & (np.abs(flat[:, 1]) <= height / 2)
        return np.asarray(np.where(within, nearest, -nearest))

    return depth


def ellipsoid_depth(semi_axes: Floats) -> Depth:
    """Of an ellipsoid: the foot of the perpendicular by bisection (Eberly, Distance from a Point to an Ellipsoid)."""
    axes = np.asarray(semi_axes, dtype=np.float64)
    least = float(axes.min())

    def depth(points: Floats) -> Floats:
        # A point on a plane of symmetry may have its foot off that plane; a hair beside it the foot is found.
        place = np.maximum(np.abs(points), 1e-12 * least)
        low = np.max(axes * place - axes**2, axis=1)
        high = np.linalg.norm(axes * place, axis=1) - least**2
        for _ in range(80):
            middle = (low + high) / 2
            outside = np.sum((axes * place / (middle[:, None] + axes**2)) ** 2, axis=1) > 1.0
            low, high = np.where(outside, middle, low), np.where(outside, high, middle)
        foot = axes**2 * place / (((low + high) / 2)[:, None] + axes**2)
        distance = np.linalg.norm(place - foot, axis=1)
        return np.asarray(np.where(np.sum((place / axes) ** 2, axis=1) <= 1.0, distance, -distance))

    return depth


"""Share of the domain's size within which a point counts as on the boundary."""


class FormulaProbe:
    """Asks a domain with a formula about points, in metres."""

    def __init__(self, center: Floats, half: Floats, depth: Depth) -> None:
        self._center, self._depth = center, depth
        self._bounds = np.stack([center - half, center + half])
        self._slack = ON_BOUNDARY * float(np.linalg.norm(2 * half))

    @property
    def bounds(self) -> Floats:
        """(2, 3): the lowest and the highest corner."""
        return self._bounds

    def depth(self, points: Floats) -> Floats:
        """(n,): distance of each point to the boundary, positive inside."""
        return self._depth(np.asarray(points, dtype=np.float64).reshape(-1, 3) - self._center)

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether each point lies inside or on the boundary."""
        return np.asarray(self.depth(points) >= -self._slack)

    def sample(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 3): points spread evenly over the volume."""
        return sampled(self._bounds, self.inside, count, random)


def make_probe(spec: DesignSpec, name: str, body: Manifold) -> DomainProbe:
    """What answers questions about a domain.

    Args:
        spec: normalised to metres.
        name: which domain.
        body: its body, without a ridge; asked where the domain has no formula.
    """
    return _by_formula(spec.domains[name]) or MeshProbe(body)


def _by_formula(domain: Domain) -> FormulaProbe | None:
    if isinstance(domain, BoxDomain):
        low = np.array([domain.x_min, domain.y_min, domain.z_min])
        high = np.array([domain.x_max, domain.y_max, domain.z_max])
        half = (high - low) / 2
        return FormulaProbe((low + high) / 2, half, box_depth(half))
    if isinstance(domain, CylinderDomain):
        depth = frustum_depth(domain.radius, domain.radius, domain.height)
        return FormulaProbe(np.array(domain.center), np.array([domain.radius] * 2 + [domain.height / 2]), depth)
    if isinstance(domain, FrustumDomain):
        widest = max(domain.radius_bottom, domain.radius_top)
        depth = frustum_depth(domain.radius_bottom, domain.radius_top, domain.height)
        return FormulaProbe(np.array(domain.center), np.array([widest, widest, domain.height / 2]), depth)
    if isinstance(domain, SphereDomain):
        return FormulaProbe(np.array(domain.center), np.full(3, domain.radius), sphere_depth(domain.radius))
    if isinstance(domain, EllipsoidDomain):
        axes = np.array(domain.semi_axes)
        return FormulaProbe(np.array(domain.center), axes, ellipsoid_depth(axes))
    if isinstance(domain, CapsuleDomain):
        axis = "xyz".index(domain.axis)
        half = np.full(3, domain.radius)
        half[axis] += domain.length / 2
        return FormulaProbe(np.array(domain.center), half, capsule_depth(domain.radius, domain.length, axis))
    return None
