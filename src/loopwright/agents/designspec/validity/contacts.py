"""Where the voids of two components overlap."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from embreex import rtcore_scene
from embreex.mesh_construction import TriangleMesh
from manifold3d import Manifold, OpType
from numpy.typing import NDArray

from loopwright.agents.designspec.network import Floats, Ints, Opening
from loopwright.agents.designspec.network.proximity import find_collisions, near_pairs, rods_of, surface_gaps
from loopwright.agents.designspec.validity.designed import ConnectedPart, Contact, imported_parts, network_parts
from loopwright.agents.designspec.validity.surface import (
    BuiltDesign,
    CentreLines,
    LineIndex,
    Place,
    Surface,
    nearest_segment,
    place,
)

# Rays against a surface, in metres (Embree).

ODD_DIRECTIONS = np.array([(0.267, 0.535, 0.802), (-0.871, 0.218, 0.440), (0.123, -0.862, -0.492)])
"""Directions that no edge of a usual body runs along."""


@dataclass(frozen=True)
class Hits:
    """What rays met first: distance (n,) in metres, infinite for nothing; triangle (n,), −1 for nothing.

    `leaving` (n,) tells rays that met a surface from its inner side, so that they started within the material.
    """

    distance: Floats
    triangle: Ints
    leaving: NDArray[np.bool_]


class RayScene:
    """A surface prepared for rays.

    Embree works in single precision: the surface is moved and scaled to about 1, so that distances are exact to some
    10⁻⁷ of its size whatever the design's own scale is.
    """

    def __init__(self, surface: Surface) -> None:
        """Build the search tree.

        Args:
            surface: it must have triangles.
        """
        self.surface = surface
        self._middle = surface.vertices.mean(axis=0)
        self._scale = surface.extent
        self._scene = rtcore_scene.EmbreeScene()
        self._mesh = TriangleMesh(self._scene, ((surface.corners - self._middle) / self._scale).astype(np.float32))

    def cast(self, origins: Floats, directions: Floats) -> Hits:
        """Send one ray from each of the (n, 3) origins along its (n, 3) direction of length 1."""
        if not len(origins):
            empty = np.zeros(0)
            return Hits(empty, empty.astype(np.int64), empty.astype(bool))
        answer = self._scene.run(
            np.ascontiguousarray((origins - self._middle) / self._scale, dtype=np.float32),
            np.ascontiguousarray(directions, dtype=np.float32),
            query="INTERSECT",
            output=1,
        )
        triangle = answer["primID"].astype(np.int64)
        met = triangle >= 0
        distance = np.where(met, answer["tfar"].astype(np.float64) * self._scale, np.inf)
        leaving = met & (np.einsum("ij,ij->i", self.surface.normals[triangle], directions) > 0)
        return Hits(distance, triangle, leaving)

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether points lie within the material, by the vote of three rays each."""
        votes = np.zeros(len(points), dtype=int)
        for direction in ODD_DIRECTIONS:
            unit = direction / np.linalg.norm(direction)
            votes += self.cast(points, np.broadcast_to(unit, points.shape)).leaving
        return np.asarray(votes >= 2)


def across(along: Floats) -> Floats:
    """(m, 3): a direction of length 1 at right angles to each of (m, 3) directions."""
    least = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    sideways = np.cross(along, least)
    size = np.linalg.norm(sideways, axis=1, keepdims=True)
    return np.asarray(np.where(size > 0, sideways / np.where(size > 0, size, 1.0), [1.0, 0.0, 0.0]))


# Where material stands in a channel.


@dataclass(frozen=True)
class Plug:
    """Where a centre line runs into the material (on the line), and in which segment."""

    segment: int
    place: Floats


def find_plugs(lines: CentreLines, walls: tuple[RayScene, bool], body: RayScene) -> list[Plug]:
    """Follow every centre line with a ray from its start to its end.

    Args:
        lines: the centre lines.
        walls: a surface, and whether the channels are its inner side.
        body: the domain; lines outside of it are not looked at.
    """
    scene, channel_inside = walls
    long_enough = np.flatnonzero(lines.lengths > 0)
    starts, spans = lines.starts[long_enough], lines.lengths[long_enough]
    along = (lines.ends[long_enough] - starts) / spans[:, None]
    ahead = 1e-3 * spans
    origins = starts + ahead[:, None] * along
    hits = scene.cast(origins, along)
    end_radius = lines.radii[long_enough, 1]
    stopped = hits.distance < spans - ahead - np.maximum(1e-3 * spans, 0.02 * end_radius)
    in_channel = hits.leaving == channel_inside
    origin_blocked = ~in_channel & body.inside(origins) if channel_inside else ~in_channel
    met = origins + np.where(stopped, hits.distance + 1e-3 * spans, 0.0)[:, None] * along
    met_blocked = stopped & in_channel
    rows = np.flatnonzero(met_blocked)
    met_blocked[rows] = body.inside(met[rows])
    found = np.flatnonzero(origin_blocked | met_blocked)
    return [Plug(int(long_enough[row]), origins[row] if origin_blocked[row] else met[row]) for row in found]


CRUMB = 1e-3
"""A common volume thinner than this share of the smallest channel is two surfaces that touch, not a contact."""


class Parts:
    """The parts of all components, and which of them is at a point."""

    def __init__(self, subject: BuiltDesign, lines: CentreLines) -> None:
        """Find the parts: of networks from their graphs, of imported voids from their surfaces."""
        self._lines = lines
        self._of_label = network_parts(lines)
        self._imported = {
            name: (Surface.of(void), imported_parts(name, void))
            for name, void in sorted(subject.component_voids.items())
            if name not in subject.networks and not void.is_empty()
        }
        self.all: list[ConnectedPart] = [
            *self._of_label.values(),
            *(part for _, parts in self._imported.values() for part in parts.values()),
        ]

    def at(self, component: str, point: Floats) -> ConnectedPart | None:
        """The component's part that is nearest to a point."""
        if component in self._imported:
            surface, parts = self._imported[component]
            nearest = int(np.argmin(np.linalg.norm(surface.corners.mean(axis=1) - point, axis=1)))
            return parts.get(int(surface.shell_of[nearest]))
        if component not in self._lines.components:
            return None
        chosen = np.flatnonzero(self._lines.component == self._lines.components.index(component))
        if not len(chosen):
            return None
        segment = chosen[nearest_segment(point, self._lines, chosen)]
        return self._of_label[int(self._lines.part_of_node[self._lines.nodes[segment, 0]])]

    def of_opening(self, opening: Opening, subject: BuiltDesign) -> ConnectedPart | None:
        """The part that opens at a port."""
        if opening.component_id in self._imported:
            return self.at(opening.component_id, np.array(opening.position))
        node = self._lines.port_node(opening, subject)
        return None if node is None else self._of_label.get(int(self._lines.part_of_node[node]))


def share_port(subject: BuiltDesign, one: str, other: str) -> list[Opening]:
    """The openings of `one` whose disc overlaps an opening of `other`."""
    return [
        mine
        for mine in subject.openings
        if mine.component_id == one
        and any(
            theirs.component_id == other
            and np.linalg.norm(np.subtract(mine.position, theirs.position)) < mine.radius + theirs.radius
            for theirs in subject.openings
        )
    ]


def find_contacts(subject: BuiltDesign, parts: Parts) -> list[Contact]:
    """Every place where a component's void overlaps those of the components before it."""
    names = sorted(name for name, void in subject.component_voids.items() if not void.is_empty())
    contacts = []
    for number, name in enumerate(names):
        void = subject.component_voids[name]
        others = [other for other in names[:number] if _boxes_meet(void, subject.component_voids[other])]
        if not others:
            continue
        earlier = Manifold.batch_boolean([subject.component_voids[other] for other in others], OpType.Add)
        surface = Surface.of(void ^ earlier)
        for shell in surface.shells:
            faces = surface.shell_of == shell.number
            if shell.volume <= CRUMB * subject.required_diameter * float(surface.areas[faces].sum()):
                continue
            contact = _contact(subject, parts, (name, others), surface.corners[faces].reshape(-1, 3))
            if contact is not None:
                first, second, where, shared = contact
                contacts.append(Contact(first, second, place(where), shell.size, shell.euler // 2, shared))
    return contacts


def _boxes_meet(one: Manifold, other: Manifold) -> bool:
    first, second = np.array(one.bounding_box()), np.array(other.bounding_box())
    return bool(np.all(first[:3] <= second[3:]) and np.all(second[:3] <= first[3:]))


def _contact(
    subject: BuiltDesign, parts: Parts, names: tuple[str, list[str]], points: Floats
) -> tuple[ConnectedPart, ConnectedPart, Floats, bool] | None:
    name, others = names
    where = points.mean(axis=0)
    first = parts.at(name, where)
    seconds = [(other, parts.at(other, where)) for other in others]
    touching = [(other, part) for other, part in seconds if part is not None]
    if first is None or not touching:
        return None
    if len(touching) > 1:  # the one whose void the point lies in, or nearly
        touching.sort(key=lambda entry: _gap_to(subject, entry[0], where))
    other, second = touching[0]
    shared = any(
        np.linalg.norm(points - np.array(opening.position), axis=1).min() <= 2 * opening.radius
        for opening in share_port(subject, name, other)
    )
    return first, second, where, shared


def _gap_to(subject: BuiltDesign, component: str, point: Floats) -> float:
    corners = Surface.of(subject.component_voids[component]).vertices
    return float(np.linalg.norm(corners - point, axis=1).min())


# How thick the solid's walls are, measured with rays through them.

SAMPLES = 20_000
"""Rays: half of them spread over the area, half over the triangles, so that fine channels are not missed."""
FACING = -0.5
"""Cosine between two sides' normals up to which they make a wall; else they meet in an edge."""
ON_WALL = 1.3
"""A point this many radii from a centre line still lies on that channel's wall."""


@dataclass(frozen=True)
class Walls:
    """Thicknesses (k,) in metres, and the points (k, 3) on both sides."""

    thickness: Floats
    near: Floats
    far: Floats

    def take(self, rows: NDArray[np.bool_]) -> "Walls":
        """These only."""
        return Walls(self.thickness[rows], self.near[rows], self.far[rows])


def measure_walls(scene: RayScene, required: float, random: np.random.Generator) -> Walls:
    """Rays into the solid from its surface to the side that faces it."""
    surface = scene.surface
    parts = [surface.sample(SAMPLES // 2, random, evenly=evenly) for evenly in (True, False)]
    points = np.concatenate([points for points, _ in parts])
    triangles = np.concatenate([chosen for _, chosen in parts])
    corners = surface.corners[triangles]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    sound = 2 * surface.areas[triangles] / np.maximum(longest, 1e-18) > 1e-5 * surface.extent
    points, triangles = points[sound], triangles[sound]
    normals = surface.normals[triangles] / (2 * surface.areas[triangles])[:, None]
    step = max(2e-6 * surface.extent, 1e-2 * required)
    hits = scene.cast(points - step * normals, -normals)
    met = surface.normals[hits.triangle] / np.maximum(2 * surface.areas[hits.triangle], 1e-30)[:, None]
    facing = hits.leaving & (np.einsum("ij,ij->i", met, normals) < FACING)
    thickness = hits.distance[facing] + step
    near = points[facing]
    return Walls(thickness, near, near - thickness[:, None] * normals[facing])


def without_edges(thin: Walls, lines: CentreLines, index: LineIndex, subject: BuiltDesign) -> Walls:
    """Thin places less those that belong to the design: where branches part, and the rims of ports.

    Between two channels of one network it is the network's own rule which of them are neighbours; components that
    share a port may meet anywhere.
    """
    required = subject.required_feature
    keep = np.ones(len(thin.thickness), dtype=bool)
    for opening in subject.openings:
        reach = 2 * opening.radius + required
        keep &= np.linalg.norm(thin.near - np.array(opening.position), axis=1) > reach
    first, first_at = index.nearest(thin.near)
    second, second_at = index.nearest(thin.far)
    between = keep & (first_at <= ON_WALL) & (second_at <= ON_WALL)
    one, other = lines.component[first], lines.component[second]
    friends = np.zeros((len(lines.components),) * 2, dtype=bool)
    for row, column in np.argwhere(~np.eye(len(friends), dtype=bool)):
        friends[row, column] = bool(share_port(subject, lines.components[row], lines.components[column]))
    keep &= ~(between & friends[one, other])
    together = between & (one == other)
    guilty = {
        (component, *sorted((hit.first, hit.second)))
        for component in {lines.components[int(number)] for number in one[together]}
        for hit in find_collisions(subject.networks[component], required)
    }
    for row in np.flatnonzero(together):
        pair = sorted((int(lines.number[first[row]]), int(lines.number[second[row]])))
        keep[row] = (lines.components[int(one[row])], *pair) in guilty
    return thin.take(keep)


# Where channels that are no neighbours come too near to each other.

ROUNDING = 1e-9
"""Metres; less than this is not a shortfall."""


@dataclass(frozen=True)
class Gap:
    """Two segments, each as component and number, and the gap (m) between their walls; below 0 they overlap."""

    first: tuple[str, int]
    second: tuple[str, int]
    gap: float
    required: float
    place: Place

    @property
    def first_name(self) -> str:
        """`net_1 segment 17`."""
        return f"{self.first[0]} segment {self.first[1]}"

    @property
    def second_name(self) -> str:
        """As `first_name`."""
        return f"{self.second[0]} segment {self.second[1]}"


def find_gaps(subject: BuiltDesign, at_least: float = 0.0) -> list[Gap]:
    """The gaps that are narrower than the collision policy's clearance, or than `at_least` metres; the worst first.

    Within a network it is the network's own rule which branches are neighbours. Components that share a port are one
    system of channels: nothing is required between them (`component_contacts` tells where they meet).
    """
    names = sorted(subject.networks)
    required = {name: max(subject.policies_for(name).collision.collision_clearance, at_least) for name in names}
    found = [
        Gap((name, hit.first), (name, hit.second), hit.gap, hit.required, hit.place)
        for name in names
        for hit in find_collisions(subject.networks[name], required[name])
    ]
    for one, other in combinations(names, 2):
        if not share_port(subject, one, other):
            found += _between(subject, one, other, max(required[one], required[other]))
    return sorted(found, key=lambda gap: (gap.gap - gap.required, gap.first, gap.second))


def _between(subject: BuiltDesign, one: str, other: str, required: float) -> list[Gap]:
    first, second = rods_of(subject.networks[one]), rods_of(subject.networks[other])
    pairs = near_pairs(first, second, required)
    first, second = first.take(pairs[:, 0]), second.take(pairs[:, 1])
    gaps, s, t = surface_gaps(first, second)
    ours = first.starts + s[:, None] * (first.ends - first.starts)
    theirs = second.starts + t[:, None] * (second.ends - second.starts)
    return [
        Gap(
            (one, int(pairs[row, 0])),
            (other, int(pairs[row, 1])),
            float(gaps[row]),
            required,
            place((ours[row] + theirs[row]) / 2),
        )
        for row in np.flatnonzero(gaps < required - ROUNDING)
    ]
