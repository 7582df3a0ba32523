"""Patterns of ports on a face."""

import math
from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.document.domains import (
    CapsuleDomain,
    CylinderDomain,
    Domain,
    EllipsoidDomain,
    FrustumDomain,
    SphereDomain,
)
from loopwright.agents.designspec.document.policies.openings import PortsPolicy
from loopwright.agents.designspec.network.orientation import DomainProbe, Floats
from loopwright.kernel.errors import InvalidInput

# --------------------------------------------------------------------------------------------------------------------
# The faces of a domain, found by probing: where a ray from outside meets it, and which way is inwards.
# --------------------------------------------------------------------------------------------------------------------

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
