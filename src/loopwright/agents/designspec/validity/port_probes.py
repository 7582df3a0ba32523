"""Probes of ports: from outside, along the axis, into the channel.

A core of half the port's radius is pushed in as deep as the designed channel holds it straight, and may not meet the
solid; and a bundle of rays as wide as the port measures how much of its area is open just below the surface. (The
policy's `probe_radius_factor` belongs to a search in voxels around the port; a probe wider than the channel would
always meet its wall.)
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from manifold3d import Manifold

from loopwright.agents.designspec.network import Floats, Opening
from loopwright.agents.designspec.validity.contacts import RayScene
from loopwright.agents.designspec.validity.surface import BuiltDesign, CentreLines, Surface, share_along

CORE = 0.5
"""The core's radius as a share of the port's."""
HELD = 0.65
"""The core goes as deep as a designed channel of this share of the port's radius is around its axis."""
SHALLOWEST = 0.1
"""Radii that the core goes in any case."""
BELOW = 0.03
"""Radii below the port's plane at which its open area is taken; funnels narrow at once."""
RAYS = 199
"""Rays for the opening's area: half a percent each."""


@dataclass(frozen=True)
class PortProbe:
    """What was found at one port. `obstacle` is where solid stands in the core's way; `depth` how deep it went."""

    opening: Opening
    depth: float
    obstacle: Floats | None
    open_share: float
    outside: bool
    void_there: bool

    @property
    def obstacle_depth(self) -> float | None:
        """How deep below the port's plane the obstacle begins."""
        if self.obstacle is None:
            return None
        along = (self.obstacle - np.array(self.opening.position)) @ np.array(self.opening.direction)
        return max(float(along), 0.0)

    @property
    def closed_at_surface(self) -> bool:
        """Whether the port itself is shut, and not the channel farther in."""
        return self.obstacle_depth is not None and self.obstacle_depth < self.opening.radius


class Probed(Protocol):
    """What the probes need of a design."""

    subject: BuiltDesign

    @property
    def lines(self) -> CentreLines:
        """Its centre lines."""
        ...

    @property
    def solid_scene(self) -> RayScene | None:
        """Rays against its solid."""
        ...

    @property
    def body_scene(self) -> RayScene:
        """Rays against its body."""
        ...


def probe_ports(measured: Probed) -> list[PortProbe]:
    """Probe the ports that open at the surface, all that do not overlap at once."""
    openings = [opening for opening in measured.subject.openings if opening.surface]
    depths = [_core_depth(measured, opening) for opening in openings]
    cores = [_core(opening, depth, opening.radius) for opening, depth in zip(openings, depths, strict=True)]
    inner = [_core(opening, depth, 0.0) for opening, depth in zip(openings, depths, strict=True)]
    obstacles = _met(cores, measured.subject.solid, openings)
    filled = _met(inner, measured.subject.void, openings)
    return [
        PortProbe(
            opening=opening,
            depth=depth,
            obstacle=obstacles[number][1],
            open_share=_open_share(measured, opening),
            outside=not bool(measured.body_scene.inside(_outer(opening)[None])[0]),
            void_there=measured.subject.void is None or filled[number][0] > 0.5 * inner[number].volume(),
        )
        for number, (opening, depth) in enumerate(zip(openings, depths, strict=True))
    ]


def _outer(opening: Opening) -> Floats:
    return np.array(opening.position) - opening.radius * np.array(opening.direction)


def _core_depth(measured: Probed, opening: Opening) -> float:
    """How deep the core may go: as far as the designed channel holds it, at most the policy's `probe_length`."""
    lines, radius = measured.lines, opening.radius
    limit = measured.subject.policies_for(opening.component_id).open_port.probe_length
    if measured.lines.port_node(opening, measured.subject) is None:
        return min(limit, radius)
    reach = limit + radius
    middle = (lines.starts + lines.ends) / 2
    near = np.linalg.norm(middle - np.array(opening.position), axis=1) <= reach + lines.lengths / 2
    own = np.flatnonzero(near & (lines.component == lines.components.index(opening.component_id)))
    radii = lines.radii[own]
    degree = np.bincount(lines.nodes.reshape(-1), minlength=len(lines.positions))
    blunt = degree[lines.nodes[own]] == 1
    depths = np.linspace(0.0, limit, 65)[1:]
    points = np.array(opening.position) + depths[:, None] * np.array(opening.direction)
    shape = (len(depths), len(own), 3)
    point = np.broadcast_to(points[:, None], shape).reshape(-1, 3)
    starts, ends = (np.broadcast_to(each, shape).reshape(-1, 3) for each in (lines.starts[own], lines.ends[own]))
    share = share_along(point, starts, ends)
    foot = starts + share[:, None] * (ends - starts)
    away = np.linalg.norm(foot - point, axis=1).reshape(shape[:2])
    share = share.reshape(shape[:2])
    clearance = radii[:, 0] + share * (radii[:, 1] - radii[:, 0]) - away
    past_end = ((share >= 1) & blunt[:, 1]) | ((share <= 0) & blunt[:, 0])
    held = np.any((clearance >= HELD * radius) & ~past_end, axis=1)
    steps = len(depths) if held.all() else int(held.argmin())
    deepest = float(depths[steps - 1]) if steps else 0.0
    return max(deepest * 0.98, min(limit, SHALLOWEST * radius))


def _core(opening: Opening, depth: float, lead: float) -> Manifold:
    rod = Manifold.cylinder(depth + lead, CORE * opening.radius, CORE * opening.radius, 24)
    along = np.array(opening.direction)
    first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    first /= np.linalg.norm(first)
    start = np.array(opening.position) - lead * along
    return rod.transform(np.column_stack([first, np.cross(along, first), along, start]))


def _met(
    cores: list[Manifold], material: Manifold | None, openings: list[Opening]
) -> list[tuple[float, Floats | None]]:
    """The volume of each core within the material, and where it is. Cores that may overlap go in different rounds."""
    met: list[tuple[float, Floats | None]] = [(0.0, None)] * len(cores)
    if material is None or material.is_empty():
        return met
    waiting = list(range(len(cores)))
    while waiting:
        batch: list[int] = []
        boxes: list[Floats] = []
        for number in waiting:
            box = np.array(cores[number].bounding_box())
            if all(np.any(box[:3] > other[3:]) or np.any(other[:3] > box[3:]) for other in boxes):
                batch.append(number)
                boxes.append(box)
        waiting = [number for number in waiting if number not in batch]
        common = Manifold.compose([cores[number] for number in batch]) ^ material
        if common.is_empty():
            continue
        surface = Surface.of(common)
        for shell in surface.shells:
            owner = batch[int(np.argmin([_outside_box(np.array(shell.place), box) for box in boxes]))]
            volume = met[owner][0] + shell.volume
            if volume > 1e-6 * cores[owner].volume():
                axis, origin = np.array(openings[owner].direction), np.array(openings[owner].position)
                faces = surface.corners[surface.shell_of == shell.number].reshape(-1, 3)
                nearest = faces[int(np.argmin((faces - origin) @ axis))]
                best = met[owner][1]
                if best is None or (nearest - origin) @ axis < (best - origin) @ axis:
                    met[owner] = (volume, nearest)
                    continue
            met[owner] = (volume, met[owner][1])
    return met


def _outside_box(point: Floats, box: Floats) -> float:
    return float(np.linalg.norm(np.maximum(np.maximum(box[:3] - point, point - box[3:]), 0)))


def _open_share(measured: Probed, opening: Opening) -> float:
    """The share of the port's disc through which one reaches just below the surface from outside."""
    walls = measured.solid_scene
    if walls is None:
        return 1.0
    numbers = np.arange(RAYS) + 0.5
    away = opening.radius * np.sqrt(numbers / RAYS)
    turn = numbers * np.pi * (3 - np.sqrt(5))
    along = np.array(opening.direction)
    first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    first /= np.linalg.norm(first)
    second = np.cross(along, first)
    origins = _outer(opening) + away[:, None] * (np.cos(turn)[:, None] * first + np.sin(turn)[:, None] * second)
    hits = walls.cast(origins, np.broadcast_to(along, origins.shape))
    free = (hits.distance > (1 + BELOW) * opening.radius) & ~hits.leaving
    return float(np.mean(free))
