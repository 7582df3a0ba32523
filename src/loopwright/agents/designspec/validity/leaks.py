"""Where a void stands out of the domain other than at its ports."""

from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold, OpType

from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.validity.subject import Subject
from loopwright.agents.designspec.validity.surface import Surface
from loopwright.agents.designspec.validity.wording import Place, place

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


def find_leaks(subject: Subject) -> list[Leak]:
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


def _neighbourhood(subject: Subject, opening: Opening) -> Manifold:
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
