"""Where the ports are: given positions meet the boundary, the others follow the ports policy's pattern."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.document.domains import Component, Domain, Port
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.orientation import DomainProbe, Floats
from loopwright.agents.designspec.network.patterns import (
    FACES,
    FaceFrame,
    inward_normal,
    nearest_boundary,
    pattern_places,
)
from loopwright.agents.designspec.network.radii import Opening, Place
from loopwright.kernel.errors import InvalidInput

ON_SURFACE = 1e-6
"""Share of the domain's size within which a position counts as lying on the boundary."""
ACROSS = 0.99
"""Cosine from which two openings face each other."""
RIM = 0.999
"""Rings are tried a little smaller than wanted, since round bodies come as polygons."""


@dataclass(frozen=True)
class _Wanted:
    """A port of the document and where it stands there."""

    port: Port
    pointer: str
    outlet: bool


def place_ports(component: Component, domain: Domain, probe: DomainProbe, policies: Policies) -> list[Opening]:
    """Settle where a component's ports open, inlets first.

    A given position that lies on the boundary stays; any other is moved as the policy's `projection_mode` says. Ports
    without a position go onto the policy's face in its pattern. A port must keep off the face's edge (and off the
    ridge that stands there), and ports must not overlap.

    Args:
        component: whose ports.
        domain: what they open into; the patterns of round domains keep to a disk.
        probe: the domain's body.
        policies: the ports policy and the ridge.

    Raises:
        InvalidInput: a port lies outside, does not fit, overlaps another, points outwards, or needs a position.
    """
    wanted = _wanted(component)
    policy, frame = policies.ports, FaceFrame.of(probe, policies.ports.face)
    margin = _rim(policies)
    free = [item for item in wanted if item.port.position is None]
    if free and (policy.pattern == "explicit" or not policy.enabled):
        raise InvalidInput(
            f"{free[0].pointer}/position is missing: the ports policy places no ports "
            f"({'pattern explicit' if policy.enabled else 'it is disabled'})",
            hint="Give the port a position, or set /policies/ports/pattern to circle, grid or center_rings.",
        )
    places = iter(pattern_places([item.port.radius for item in free], frame, policy, margin, domain))
    openings = []
    for item in wanted:
        if item.port.position is None:
            openings.append(_placed(item, component, next(places), frame, probe, margin))
        else:
            openings.append(_given(item, component, frame, probe, policies))
    _refuse_overlaps(wanted, openings)
    return openings


def _wanted(component: Component) -> list[_Wanted]:
    base = f"/components/{component.id}/ports"
    inlets = [_Wanted(port, f"{base}/inlets/{k}", False) for k, port in enumerate(component.ports.inlets)]
    return inlets + [_Wanted(port, f"{base}/outlets/{k}", True) for k, port in enumerate(component.ports.outlets)]


def _rim(policies: Policies) -> float:
    """How far a port's edge must keep from the face's edge, in metres."""
    policy, ridge = policies.ports, policies.ridge
    if not policy.ridge_constraint_enabled:
        return 0.0
    standing = ridge.inset + ridge.thickness if ridge.enabled and FACES[ridge.face] == FACES[policy.face] else 0.0
    return max(standing, policy.ridge_width) + policy.ridge_clearance


def _placed(
    item: _Wanted, component: Component, place: tuple[float, float], frame: FaceFrame, probe: DomainProbe, margin: float
) -> Opening:
    position = frame.hit(probe, place)
    normal = -frame.normal if position is None else inward_normal(probe, position)
    if position is None or not _fits(probe, position, normal, item.port.radius + margin):
        raise InvalidInput(
            f"{item.pointer} does not fit on the face {frame.face!r}: a port of radius {item.port.radius:g} m plus a "
            f"rim of {margin:g} m reaches over the edge at {_told(frame.at(place))}",
            hint="Make the port smaller, lower /policies/ports/placement_fraction, or give the port a position.",
        )
    return _opening(item, component, position, normal, probe, 0.0)


def _given(item: _Wanted, component: Component, frame: FaceFrame, probe: DomainProbe, policies: Policies) -> Opening:
    port, policy = item.port, policies.ports
    position = np.asarray(port.position, dtype=np.float64)
    size = float(np.linalg.norm(probe.bounds[1] - probe.bounds[0]))
    depth = float(probe.depth(position[None])[0])
    moved, target = 0.0, position
    if not port.is_surface_opening or not policy.enabled or policy.projection_mode == "none":
        if depth < -ON_SURFACE * size:
            raise InvalidInput(
                f"{item.pointer}/position {_told(position)} lies {-depth:g} m outside of the domain",
                hint="Move the port onto the boundary, or let /policies/ports/projection_mode do it.",
            )
    elif abs(depth) > ON_SURFACE * size:
        target = _projected(item, position, frame, probe, policy.projection_mode)
        moved = float(np.linalg.norm(target - position))
    if port.is_surface_opening:
        normal = inward_normal(probe, target)
    else:
        normal = _unit(np.asarray(port.direction if port.direction is not None else -frame.normal, dtype=np.float64))
    if port.is_surface_opening and policy.enabled and not _fits(probe, target, normal, port.radius):
        raise InvalidInput(
            f"{item.pointer} does not fit: a port of radius {port.radius:g} m at {_told(target)} reaches over the "
            "edge of the domain",
            hint="Make the port smaller or move it away from the edge.",
        )
    return _opening(item, component, target, normal, probe, moved)


def _projected(item: _Wanted, position: Floats, frame: FaceFrame, probe: DomainProbe, mode: str) -> Floats:
    anywhere = mode == "project_to_boundary"
    target = nearest_boundary(probe, position) if anywhere else frame.hit(probe, frame.to(position))
    if target is None:
        raise InvalidInput(
            f"{item.pointer}/position {_told(position)} cannot be moved onto the "
            f"{'boundary' if anywhere else f'face {frame.face!r}'} of the domain: nothing is there",
            hint="Give a position on the boundary.",
        )
    return target


def _opening(
    item: _Wanted, component: Component, position: Floats, normal: Floats, probe: DomainProbe, moved: float
) -> Opening:
    port = item.port
    direction = normal if port.direction is None else np.asarray(port.direction, dtype=np.float64)
    if not np.linalg.norm(direction) > 0:
        raise InvalidInput(f"{item.pointer}/direction has no length", hint="Leave it out for the inward normal.")
    direction = _unit(direction)
    if port.is_surface_opening and float(direction @ normal) <= 0.0:
        raise InvalidInput(
            f"{item.pointer}/direction {_told(direction)} points out of the domain, whose inward normal there is "
            f"{_told(normal)}",
            hint="A port's direction points into the domain; turn it around, or leave it out.",
        )
    return Opening(
        port.name,
        component.id,
        _place(position),
        _place(direction),
        port.radius,
        item.outlet,
        port.vessel_type,
        port.is_surface_opening,
        moved,
    )


def _fits(probe: DomainProbe, position: Floats, normal: Floats, radius: float) -> bool:
    """Whether a disk of this radius, a little below the port, lies inside the domain."""
    thickness = float((probe.bounds[1] - probe.bounds[0]).min())
    below = position + normal * min(radius / 2.0, thickness / 4.0)
    first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    first = _unit(first)
    second = np.cross(normal, first)
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)[:, None]
    ring = below + RIM * radius * (np.cos(angles) * first + np.sin(angles) * second)
    return bool(probe.inside(np.concatenate([below[None], ring])).all())


def _refuse_overlaps(wanted: list[_Wanted], openings: list[Opening]) -> None:
    for one, first in enumerate(openings):
        for two in range(one):
            second = openings[two]
            apart = float(np.linalg.norm(np.subtract(first.position, second.position)))
            if _across(first, second):
                continue
            if apart < first.radius + second.radius:
                raise InvalidInput(
                    f"{wanted[one].pointer} ({first.name!r}) overlaps {wanted[two].pointer} ({second.name!r}): they "
                    f"are {apart:g} m apart and need {first.radius + second.radius:g} m",
                    hint="Move the ports apart, or make them smaller.",
                )


def _across(first: Opening, second: Opening) -> bool:
    """Whether two openings face each other from two sides of the body: a wide hole through a thin plate."""
    facing = float(np.dot(first.direction, second.direction)) < -ACROSS
    return facing and float(np.dot(np.subtract(second.position, first.position), first.direction)) > 0


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector))


def _place(vector: Floats) -> Place:
    return (float(vector[0]), float(vector[1]), float(vector[2]))


def _told(vector: Floats) -> str:
    return "(" + ", ".join(f"{value:g}" for value in vector) + ")"
