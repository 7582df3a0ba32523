"""The faces of a domain, found by probing: where a ray from outside meets it, and which way is inwards."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.probe import DomainProbe

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
