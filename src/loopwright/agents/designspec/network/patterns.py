"""Patterns of ports on a face."""

import math

from loopwright.agents.designspec.document.domains import (
    CapsuleDomain,
    CylinderDomain,
    Domain,
    EllipsoidDomain,
    FrustumDomain,
    SphereDomain,
)
from loopwright.agents.designspec.document.policies.openings import PortsPolicy
from loopwright.agents.designspec.network.faces import FaceFrame
from loopwright.kernel.errors import InvalidInput

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
    room = (half[0] - rim - widest, half[1] - rim - widest)
    if min(room) < 0:
        raise InvalidInput(
            f"/policies/ports: a port of radius {widest:g} m and a rim of {rim:g} m do not fit on the face "
            f"{frame.face!r}, which reaches {min(half):g} m from its middle",
            hint="Make the ports smaller, choose another face, or a wider domain.",
        )
    apart = 2 * widest + policy.port_margin
    if len(radii) == 1:
        return [(0.0, 0.0)]
    places = {"circle": _circle, "grid": _grid, "center_rings": _rings}[policy.pattern](len(radii), room, policy)
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


def _circle(count: int, room: Spot, policy: PortsPolicy) -> list[Spot]:
    fraction = policy.placement_fraction
    turns = [2 * math.pi * k / count + policy.angular_offset for k in range(count)]
    return [(fraction * room[0] * math.cos(turn), fraction * room[1] * math.sin(turn)) for turn in turns]


def _grid(count: int, room: Spot, policy: PortsPolicy) -> list[Spot]:
    columns = min(count, max(1, round(math.sqrt(count * room[0] / max(room[1], 1e-12)))))
    rows = math.ceil(count / columns)
    reach = (policy.placement_fraction * room[0], policy.placement_fraction * room[1])
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


def _rings(count: int, room: Spot, policy: PortsPolicy) -> list[Spot]:
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
            places.append((reach * room[0] * math.cos(turn), reach * room[1] * math.sin(turn)))
    return places
