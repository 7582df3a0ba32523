"""Where the ports are: given positions meet the boundary, the others follow the ports policy's pattern."""

import math
from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.document.domains import (
    CapsuleDomain,
    Component,
    CylinderDomain,
    Domain,
    EllipsoidDomain,
    FrustumDomain,
    Port,
    SphereDomain,
)
from loopwright.agents.designspec.document.policies import Policies, PortsPolicy
from loopwright.agents.designspec.network import DomainProbe, Floats, Opening, Place
from loopwright.kernel.errors import InvalidInput

# Patterns of ports on a face.
#
# The faces of a domain, found by probing: where a ray from outside meets it, and which way is inwards.

FACES = {
    "top": (2, 1), "+z": (2, 1), "bottom": (2, -1), "-z": (2, -1),
    "right": (0, 1), "+x": (0, 1), "left": (0, -1), "-x": (0, -1),
    "back": (1, 1), "+y": (1, 1), "front": (1, -1), "-y": (1, -1),
}  # fmt: skip
"""Axis and side of each face."""
EXACT = 1e-7
"""Share of the domain's size to which the boundary is found."""


@dataclass(frozen=True)
class FaceFrame:
    """A face: its outward `normal`, the plane that bounds the domain there, and axes `across` (2, 3) in that plane.

    `middle` (3,) is the middle of the bounds' face and `half` (2,) its half extents, in metres.
    """

    face: str
    normal: Floats
    across: Floats
    middle: Floats
    half: Floats

    @classmethod
    def of(cls, probe: DomainProbe, face: str) -> "FaceFrame":
        """The face of this name."""
        axis, side = FACES[face]
        low, high = probe.bounds
        normal = np.zeros(3)
        normal[axis] = side
        others = [other for other in range(3) if other != axis]
        middle = (low + high) / 2
        middle[axis] = high[axis] if side > 0 else low[axis]
        return cls(face, normal, np.eye(3)[others], middle, ((high - low) / 2)[others])

    def at(self, place: tuple[float, float]) -> Floats:
        """The point of the bounds' face at these distances from its middle."""
        return np.asarray(self.middle + np.asarray(place) @ self.across)

    def to(self, position: Floats) -> tuple[float, float]:
        """The distances from the middle of the face to where a point lies over it."""
        first, second = self.across @ (position - self.middle)
        return float(first), float(second)

    def hit(self, probe: DomainProbe, place: tuple[float, float]) -> Floats | None:
        """Where a ray from outside, against the normal, first meets the domain; None where it misses."""
        point = self.at(place)
        size = float(np.linalg.norm(probe.bounds[1] - probe.bounds[0]))
        axis = int(np.argmax(np.abs(self.normal)))
        way = float(probe.bounds[1][axis] - probe.bounds[0][axis])
        gone = 0.0
        while gone < way:
            depth = float(probe.depth((point - self.normal * gone)[None])[0])
            if depth > -EXACT * size:
                # a flat face is met at once, and its plane is exact where the probe's distance has rounding
                gone = 0.0 if gone < 2 * EXACT * size else gone
                return np.asarray(point - self.normal * gone)
            gone += -depth
        return None


def inward_normal(probe: DomainProbe, position: Floats) -> Floats:
    """(3,): the direction in which the depth grows fastest near a point of the boundary."""
    step = 1e-4 * float(np.linalg.norm(probe.bounds[1] - probe.bounds[0]))
    around = np.concatenate([np.eye(3), -np.eye(3)]) * step
    depth = probe.depth(position + around)
    gradient = depth[:3] - depth[3:]
    length = float(np.linalg.norm(gradient))
    if length <= 1e-3 * step:
        toward = probe.bounds.mean(axis=0) - position
        return np.asarray(toward / max(float(np.linalg.norm(toward)), 1e-18))
    normal = np.asarray(gradient / length)
    # numerical noise must not tilt the ports of flat faces
    return np.round(normal, 6) / np.linalg.norm(np.round(normal, 6))


def nearest_boundary(probe: DomainProbe, position: Floats) -> Floats | None:
    """The boundary point to which the depth leads from a point; None where no boundary comes near."""
    size = float(np.linalg.norm(probe.bounds[1] - probe.bounds[0]))
    point = position.copy()
    for _ in range(64):
        depth = float(probe.depth(point[None])[0])
        if abs(depth) < EXACT * size:
            return point
        point = point - inward_normal(probe, point) * depth
    return None


Spot = tuple[float, float]
"""Distances from the middle of a face along its two axes, in metres."""


def pattern_places(radii: list[float], frame: FaceFrame, policy: PortsPolicy, rim: float, domain: Domain) -> list[Spot]:
    """Where ports of these radii go on a face, in order.

    Args:
        radii: the ports' radii in metres.
        frame: the face.
        policy: pattern, fraction, angle and margin. The ports' edges are `port_margin` apart.
        rim: how far the ports' edges keep from the face's edge.
        domain: round domains keep their ports to a disk where the policy wants it.

    Raises:
        InvalidInput: the ports do not fit beside each other.
    """
    if not radii:
        return []
    widest = max(radii)
    half = _usable(frame, policy, domain)
    extent = (half[0] - rim - widest, half[1] - rim - widest)
    if min(extent) < 0:
        raise InvalidInput(
            f"/policies/ports: a port of radius {widest:g} m and a rim of {rim:g} m do not fit on the face "
            f"{frame.face!r}, which reaches {min(half):g} m from its middle",
            hint="Make the ports smaller, choose another face, or a wider domain.",
        )
    apart = 2 * widest + policy.port_margin
    if len(radii) == 1:
        return [(0.0, 0.0)]
    places = {"circle": _circle, "grid": _grid, "center_rings": _rings}[policy.pattern](len(radii), extent, policy)
    nearest = min(math.dist(a, b) for k, a in enumerate(places) for b in places[:k])
    if nearest < apart * (1 - 1e-9):
        raise InvalidInput(
            f"/policies/ports: {len(radii)} ports of radius {widest:g} m in the pattern {policy.pattern!r} would stand "
            f"{nearest:g} m apart and need {apart:g} m with the margin of {policy.port_margin:g} m",
            hint="Use fewer or smaller ports, a larger /policies/ports/placement_fraction, or another pattern.",
        )
    return places


def _usable(frame: FaceFrame, policy: PortsPolicy, domain: Domain) -> Spot:
    half = (float(frame.half[0]), float(frame.half[1]))
    if isinstance(domain, FrustumDomain) and frame.face in ("top", "+z", "bottom", "-z"):
        radius = domain.radius_top if frame.face in ("top", "+z") else domain.radius_bottom
        return (radius, radius)
    if isinstance(domain, CylinderDomain | SphereDomain | CapsuleDomain | EllipsoidDomain) or policy.pattern != "grid":
        return (min(half), min(half)) if policy.disk_constraint_enabled else half
    return half


def _circle(count: int, extent: Spot, policy: PortsPolicy) -> list[Spot]:
    fraction = policy.placement_fraction
    turns = [2 * math.pi * k / count + policy.angular_offset for k in range(count)]
    return [(fraction * extent[0] * math.cos(turn), fraction * extent[1] * math.sin(turn)) for turn in turns]


def _grid(count: int, extent: Spot, policy: PortsPolicy) -> list[Spot]:
    columns = min(count, max(1, round(math.sqrt(count * extent[0] / max(extent[1], 1e-12)))))
    rows = math.ceil(count / columns)
    reach = (policy.placement_fraction * extent[0], policy.placement_fraction * extent[1])
    if policy.disk_constraint_enabled:
        reach = (reach[0] / math.sqrt(2), reach[1] / math.sqrt(2))
    places = []
    for row in range(rows):
        here = min(columns, count - row * columns)
        for column in range(here):
            across = 0.0 if here == 1 else reach[0] * (2 * column / (here - 1) - 1)
            along = 0.0 if rows == 1 else reach[1] * (2 * row / (rows - 1) - 1)
            turn = policy.angular_offset
            places.append(
                (
                    across * math.cos(turn) - along * math.sin(turn),
                    across * math.sin(turn) + along * math.cos(turn),
                )
            )
    return places


def _rings(count: int, extent: Spot, policy: PortsPolicy) -> list[Spot]:
    """One in the middle, then rings of at most six, twelve, eighteen …, the outermost at the placement fraction."""
    shares: list[int] = []
    left = count - 1
    while left > 0:
        shares.append(min(left, 6 * (len(shares) + 1)))
        left -= shares[-1]
    places: list[Spot] = [(0.0, 0.0)]
    for ring, here in enumerate(shares, start=1):
        reach = policy.placement_fraction * ring / len(shares)
        for k in range(here):
            turn = 2 * math.pi * k / here + policy.angular_offset
            places.append((reach * extent[0] * math.cos(turn), reach * extent[1] * math.sin(turn)))
    return places


# Ports, given or by a pattern.

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
