"""A closed surface as arrays: its shells, their Euler characteristics and volumes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from manifold3d import Manifold, OpType
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.network import Floats, Ints, Network, Opening

# What a validity check looks at.


@dataclass(frozen=True)
class BuiltDesign:
    """A design as it came out of the pipeline, in metres.

    `body` is the domain with its ridge. `solid` is what is left of it; it is None where nothing was embedded. `void` is
    the united void within the body, `component_voids` are the components' own voids as they were built (they may stand
    out of the body at their ports). Components that were imported as meshes have no network. `policies_of` holds the
    components' effective policies where they differ from `policies`. `document` is the document as the user wrote it,
    in `document_units`: fixes are patches on it, and without it no fix is proposed.
    """

    spec: DesignSpec
    document_units: str
    body: Manifold
    solid: Manifold | None
    void: Manifold | None
    component_voids: Mapping[str, Manifold]
    networks: Mapping[str, Network]
    openings: Sequence[Opening]
    policies: Policies
    notes: Sequence[str] = ()
    policies_of: Mapping[str, Policies] = field(default_factory=dict)
    document: Mapping[str, Any] | None = None

    def policies_for(self, component_id: str) -> Policies:
        """The effective policies of a component."""
        return self.policies_of.get(component_id, self.policies)

    @property
    def required_diameter(self) -> float:
        """The smallest diameter that a channel may have, in metres."""
        return self.policies.validity.min_diameter_threshold or self.policies.resolution.min_channel_diameter

    @property
    def required_feature(self) -> float:
        """The smallest thickness that a wall may have, in metres."""
        return self.policies.validity.min_feature_size or self.policies.resolution.min_channel_diameter


# All centre lines of a design in one table, and the parts in which they hang together.


@dataclass(frozen=True)
class CentreLines:
    """The segments of all networks: m of them, over n nodes.

    `component` (m,) is the index into `components`, `number` (m,) the segment's number in its own network, `nodes`
    (m, 2) the numbers of its ends in `positions` (n, 3), `radii` (m, 2) the radii there.
    """

    components: tuple[str, ...]
    positions: Floats
    component: Ints
    number: Ints
    nodes: Ints
    radii: Floats
    node_offsets: tuple[int, ...]

    @classmethod
    def of(cls, subject: BuiltDesign) -> "CentreLines":
        """Gather the networks, sorted by component."""
        names = tuple(sorted(subject.networks))
        networks = [subject.networks[name] for name in names]
        offsets = np.cumsum([0, *(len(network.positions) for network in networks)])
        counts = [len(network.segments) for network in networks]
        return cls(
            components=names,
            positions=np.concatenate([np.zeros((0, 3)), *(network.positions for network in networks)]),
            component=np.repeat(np.arange(len(names)), counts),
            number=np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(count) for count in counts)]),
            nodes=np.concatenate(
                [np.zeros((0, 2), dtype=np.int64)]
                + [network.segments + offset for network, offset in zip(networks, offsets, strict=False)]
            ),
            radii=np.concatenate([np.zeros((0, 2)), *(network.radii for network in networks)]),
            node_offsets=tuple(int(offset) for offset in offsets),
        )

    @property
    def starts(self) -> Floats:
        """(m, 3): where the segments begin."""
        return np.asarray(self.positions[self.nodes[:, 0]])

    @property
    def ends(self) -> Floats:
        """(m, 3): where they end."""
        return np.asarray(self.positions[self.nodes[:, 1]])

    @cached_property
    def lengths(self) -> Floats:
        """(m,): their lengths."""
        return np.asarray(np.linalg.norm(self.ends - self.starts, axis=1))

    @cached_property
    def part_of_node(self) -> Ints:
        """(n,): which connected part of the graph a node belongs to."""
        first, second = self.nodes.T
        size = len(self.positions)
        links = coo_matrix((np.ones(len(first), dtype=bool), (first, second)), shape=(size, size))
        return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)

    def name(self, segment: int) -> str:
        """`net_1 segment 17`."""
        return f"{self.components[int(self.component[segment])]} segment {int(self.number[segment])}"

    def port_node(self, opening: Opening, subject: BuiltDesign) -> int | None:
        """The node at which a port's channel begins: the named one, else the nearest within its radius."""
        if opening.component_id not in self.components:
            return None
        index = self.components.index(opening.component_id)
        offset = self.node_offsets[index]
        network = subject.networks[opening.component_id]
        if opening.name in network.ports:
            return offset + network.ports[opening.name]
        if not len(network.positions):
            return None
        distances = np.linalg.norm(network.positions - np.array(opening.position), axis=1)
        nearest = int(np.argmin(distances))
        return offset + nearest if distances[nearest] <= opening.radius else None


# Which channel a point belongs to.

MOST_STEPS = 400
NEIGHBOURS = 8


class LineIndex:
    """Places along all centre lines, half a radius apart, to be asked for the nearest."""

    def __init__(self, lines: CentreLines) -> None:
        """Spread the places; there must be a segment."""
        finest = np.maximum(lines.radii.min(axis=1), 1e-9)
        counts = np.clip(np.ceil(2 * lines.lengths / finest).astype(int) + 1, 2, MOST_STEPS)
        self._segment = np.repeat(np.arange(len(counts)), counts)
        step = np.arange(len(self._segment)) - np.repeat(np.cumsum(counts) - counts, counts)
        share = step / (counts[self._segment] - 1)
        along = (lines.ends - lines.starts)[self._segment]
        first, second = lines.radii[self._segment].T
        self._radii = first + share * (second - first)
        self._tree = cKDTree(lines.starts[self._segment] + share[:, None] * along)

    def nearest(self, points: Floats) -> tuple[Ints, Floats]:
        """For (n, 3) points the segment (n,) whose wall is nearest, and the distance from its centre line in radii."""
        count = min(NEIGHBOURS, len(self._segment))
        distances, places = self._tree.query(points, k=count)
        distances, places = distances.reshape(len(points), count), places.reshape(len(points), count)
        radii = self._radii[places]
        best = np.argmin(distances - radii, axis=1)
        rows = np.arange(len(points))
        relative = distances[rows, best] / np.maximum(radii[rows, best], 1e-12)
        return np.asarray(self._segment[places[rows, best]], dtype=np.int64), np.asarray(relative)


# Points against segments with radii, vectorised.


def share_along(points: Floats, starts: Floats, ends: Floats) -> Floats:
    """(k,): how far along its segment (0 to 1) the nearest place to each point lies."""
    along = ends - starts
    squared = np.einsum("ij,ij->i", along, along)
    share = np.einsum("ij,ij->i", points - starts, along) / np.where(squared > 0, squared, 1.0)
    return np.asarray(np.clip(share, 0.0, 1.0))


def nearest_segment(point: Floats, lines: CentreLines, chosen: Ints) -> int:
    """The index into `chosen` of the segment whose wall is nearest to a point."""
    starts, ends, radii = lines.starts[chosen], lines.ends[chosen], lines.radii[chosen]
    share = share_along(np.broadcast_to(point, starts.shape), starts, ends)
    foot = starts + share[:, None] * (ends - starts)
    return int(np.argmin(np.linalg.norm(foot - point, axis=1) - radii[:, 0] - share * (radii[:, 1] - radii[:, 0])))


# Lengths and places as people read them, and as reports keep them.

Place = tuple[float, float, float]


def place(point: Any) -> Place:
    """A point as plain numbers, in metres."""
    x, y, z = (float(value) for value in point)
    return x, y, z


def length(metres: float) -> str:
    """A length in millimetres, to four digits."""
    return f"{metres * 1e3:.4g} mm"


def at(point: Any) -> str:
    """`at (x, y, z) mm`, to a micrometre."""
    return "at (" + ", ".join(f"{value * 1e3:.3f}" for value in point) + ") mm"


def counted(count: int, singular: str, plural: str = "") -> str:
    """`1 channel`, `2 channels`."""
    return f"{count} {singular if count == 1 else plural or singular + 's'}"


@dataclass(frozen=True)
class Shell:
    """One connected piece of a surface. `volume` (m³) is negative for a shell that bounds a hollow from within.

    `euler` is V − E + F; a closed surface of genus g has 2 − 2g. `size` is the diagonal of its box, in metres.
    """

    number: int
    volume: float
    euler: int
    place: Place
    size: float

    @property
    def genus(self) -> float:
        """The number of handles."""
        return (2 - self.euler) / 2


@dataclass(frozen=True)
class Surface:
    """Vertices (n, 3) in metres and triangles (m, 3), whose normals point out of the material."""

    vertices: Floats
    triangles: Ints

    @classmethod
    def of(cls, manifold: Manifold) -> "Surface":
        """The surface of a manifold, with vertices that were split for its properties merged again."""
        mesh = manifold.to_mesh64()
        vertices = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3]
        triangles = np.asarray(mesh.tri_verts).astype(np.int64)
        if len(mesh.merge_from_vert):
            names = np.arange(len(vertices))
            names[np.asarray(mesh.merge_from_vert, dtype=np.int64)] = np.asarray(mesh.merge_to_vert, dtype=np.int64)
            triangles = names[triangles]
        return cls(vertices, triangles)

    @cached_property
    def corners(self) -> Floats:
        """(m, 3, 3): the triangles' corners."""
        return self.vertices[self.triangles]

    @cached_property
    def normals(self) -> Floats:
        """(m, 3): the triangles' normals, as long as twice their area."""
        a, b, c = (self.corners[:, corner] for corner in range(3))
        return np.asarray(np.cross(b - a, c - a))

    @cached_property
    def areas(self) -> Floats:
        """(m,): the triangles' areas."""
        return np.asarray(np.linalg.norm(self.normals, axis=1) / 2)

    @cached_property
    def shell_of(self) -> NDArray[np.int32]:
        """(m,): the shell of each triangle; Manifold's own `decompose` is quadratic in the number of shells."""
        first, second, third = self.triangles.T
        links = (np.ones(2 * len(first), dtype=bool), (np.r_[first, second], np.r_[second, third]))
        size = len(self.vertices)
        _, labels = connected_components(coo_matrix(links, shape=(size, size)), directed=False)
        _, numbers = np.unique(labels[first], return_inverse=True)
        return np.asarray(numbers, dtype=np.int32)

    @cached_property
    def shells(self) -> list[Shell]:
        """The connected pieces, largest first."""
        if not len(self.triangles):
            return []
        shell_of = self.shell_of
        count = int(shell_of.max()) + 1
        middle = self.vertices.mean(axis=0)
        signed = np.einsum("ij,ij->i", self.corners[:, 0] - middle, self.normals) / 6
        volumes = np.bincount(shell_of, weights=signed, minlength=count)
        faces = np.bincount(shell_of, minlength=count)
        owner = np.full(len(self.vertices), -1)
        owner[self.triangles] = shell_of[:, None]
        points = np.bincount(owner[owner >= 0], minlength=count)
        lowest, highest = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
        np.minimum.at(lowest, shell_of, self.corners.min(axis=1))
        np.maximum.at(highest, shell_of, self.corners.max(axis=1))
        size = np.linalg.norm(highest - lowest, axis=1)
        return [
            Shell(
                number=int(number),
                volume=float(volumes[number]),
                euler=int(points[number] - faces[number] // 2),
                place=place((lowest[number] + highest[number]) / 2),
                size=float(size[number]),
            )
            for number in np.argsort(-np.abs(volumes), kind="stable")
        ]

    def sample(self, count: int, random: np.random.Generator, *, evenly: bool = True) -> tuple[Floats, Ints]:
        """Points (count, 3) on the surface and their triangles (count,).

        Args:
            count: how many.
            random: where they come from.
            evenly: over the area; else every triangle is as likely, so that fine parts are not missed.
        """
        weights = self.areas / self.areas.sum() if evenly else None
        chosen = random.choice(len(self.triangles), size=count, p=weights)
        first, second = np.sqrt(random.random(count))[:, None], random.random(count)[:, None]
        a, b, c = (self.corners[chosen, corner] for corner in range(3))
        return np.asarray((1 - first) * a + first * (1 - second) * b + first * second * c), np.asarray(chosen)

    @property
    def euler(self) -> int:
        """V − E + F of all shells together."""
        return sum(shell.euler for shell in self.shells)

    @property
    def extent(self) -> float:
        """The diagonal of the box around it, in metres."""
        return float(np.linalg.norm(np.ptp(self.vertices, axis=0))) if len(self.vertices) else 0.0


# Where a void stands out of the domain other than at its ports.

THIN = 1e-3
"""What is thinner than this share of the smallest channel is rounding, not a leak."""


@dataclass(frozen=True)
class Leak:
    """A piece of void outside of the domain: where, m³, and how far (m) it stands out at +x, −x, +y, −y, +z, −z."""

    place: Place
    volume: float
    beyond: tuple[float, ...]

    @property
    def reach(self) -> float:
        """How far it stands out of the domain's box."""
        return max(self.beyond)


def find_leaks(subject: BuiltDesign) -> list[Leak]:
    """The pieces of the components' voids outside of the body and of the ports' neighbourhoods, largest first."""
    names = sorted(name for name, void in subject.component_voids.items() if not void.is_empty())
    voids = [subject.component_voids[name] for name in names]
    if not voids:
        return []
    outside = [void - subject.body for void in voids]
    outside = [rest for rest in outside if not rest.is_empty()]
    if not outside:
        return []
    rest = Manifold.batch_boolean(outside, OpType.Add) if len(outside) > 1 else outside[0]
    if subject.policies.validity.allow_boundary_intersections_at_ports:
        around = [_neighbourhood(subject, opening) for opening in subject.openings if opening.surface]
        rest = Manifold.batch_boolean([rest, *around], OpType.Subtract) if around else rest
    if rest.is_empty():
        return []
    surface = Surface.of(rest)
    box = np.array(subject.body.bounding_box())
    leaks = []
    for shell in surface.shells:
        faces = surface.shell_of == shell.number
        if shell.volume <= THIN * subject.required_diameter * float(surface.areas[faces].sum()):
            continue
        corners = surface.corners[faces].reshape(-1, 3)
        over = np.maximum(np.concatenate([box[:3] - corners.min(axis=0), corners.max(axis=0) - box[3:]]), 0.0)
        low, high = over[:3], over[3:]
        beyond = tuple(float(side[axis]) for axis in range(3) for side in (high, low))
        leaks.append(Leak(place(corners.mean(axis=0)), shell.volume, beyond))
    return leaks


def _neighbourhood(subject: BuiltDesign, opening: Opening) -> Manifold:
    """What may lie outside at a port: as wide as its recarving, as long as that or as the port is wide."""
    policies = subject.policies_for(opening.component_id)
    wide = 1.05 * opening.radius * max(policies.embedding.carve_radius_factor, policies.open_port.probe_radius_factor)
    reach = max(policies.embedding.carve_depth, policies.open_port.probe_length, 2 * opening.radius)
    along = np.array(opening.direction)
    first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    first /= np.linalg.norm(first)
    rod = Manifold.cylinder(reach + opening.radius, wide, wide, 32)
    start = np.array(opening.position) - reach * along
    return rod.transform(np.column_stack([first, np.cross(along, first), along, start]))
