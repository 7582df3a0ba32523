"""How large domains are, as far as that follows from the document alone. In metres."""

import math
from collections.abc import Iterable, Mapping
from itertools import product

from loopwright.agents.designspec.document.domains import (
    BoxDomain,
    CapsuleDomain,
    CompositeDomain,
    CylinderDomain,
    Domain,
    EllipsoidDomain,
    FrustumDomain,
    ImplicitDomain,
    SphereDomain,
    TransformDomain,
)

Place = tuple[float, float, float]
Bounds = tuple[Place, Place]
"""The lowest and the highest corner of the box around a body."""


def bounds_of(domains: Mapping[str, Domain], name: str) -> Bounds | None:
    """The box around a domain; None where only a file knows it, or where references lead nowhere or in circles."""
    return _Measuring(domains).of(name)


def extents_of(bounds: Bounds) -> Place:
    """How long the box is along x, y and z."""
    return _place(high - low for low, high in zip(*bounds, strict=True))


def distance_to(bounds: Bounds, place: Place) -> float:
    """How far a place lies outside the box; 0 inside."""
    low, high = bounds
    return math.hypot(*(max(low[axis] - place[axis], 0.0, place[axis] - high[axis]) for axis in range(3)))


class _Measuring:
    """Remembers what it has measured: references to references would otherwise double the work at each level."""

    def __init__(self, domains: Mapping[str, Domain]) -> None:
        self.domains = domains
        self.known: dict[str, Bounds | None] = {}

    def of(self, domain: str | Domain) -> Bounds | None:
        if isinstance(domain, str):
            if domain not in self.known:
                self.known[domain] = None  # whoever refers to itself while it is measured has no bounds
                self.known[domain] = self.of(self.domains[domain]) if domain in self.domains else None
            return self.known[domain]
        if isinstance(domain, TransformDomain):
            base = self.of(domain.base_domain)
            return None if base is None else _moved(base, domain)
        if isinstance(domain, CompositeDomain):
            return self._combined(domain)
        return _primitive(domain)

    def _combined(self, domain: CompositeDomain) -> Bounds | None:
        if domain.operation == "difference":
            return self.of(domain.children[0])
        parts = [bounds for child in domain.children if (bounds := self.of(child)) is not None]
        if len(parts) < len(domain.children):
            return None
        low, high = (min, max) if domain.operation == "union" else (max, min)
        return (
            _place(low(part[0][axis] for part in parts) for axis in range(3)),
            _place(high(part[1][axis] for part in parts) for axis in range(3)),
        )


def _primitive(domain: Domain) -> Bounds | None:
    if isinstance(domain, BoxDomain):
        return (domain.x_min, domain.y_min, domain.z_min), (domain.x_max, domain.y_max, domain.z_max)
    half: Place
    if isinstance(domain, CylinderDomain):
        half = (domain.radius, domain.radius, domain.height / 2)
    elif isinstance(domain, SphereDomain):
        half = (domain.radius, domain.radius, domain.radius)
    elif isinstance(domain, EllipsoidDomain):
        half = domain.semi_axes
    elif isinstance(domain, CapsuleDomain):
        half = _place(domain.radius + (domain.length / 2 if axis == domain.axis else 0.0) for axis in "xyz")
    elif isinstance(domain, FrustumDomain):
        wide = max(domain.radius_top, domain.radius_bottom)
        half = (wide, wide, domain.height / 2)
    elif isinstance(domain, ImplicitDomain):
        half = _place(length / 2 for length in domain.bounds)
    else:
        return None
    center = domain.center
    return (
        _place(center[axis] - half[axis] for axis in range(3)),
        _place(center[axis] + half[axis] for axis in range(3)),
    )


def _moved(base: Bounds, transform: TransformDomain) -> Bounds:
    corners = [_image(transform, corner) for corner in product(*zip(*base, strict=True))]
    return (
        _place(min(corner[axis] for corner in corners) for axis in range(3)),
        _place(max(corner[axis] for corner in corners) for axis in range(3)),
    )


def _image(transform: TransformDomain, corner: tuple[float, ...]) -> Place:
    """Where a point goes: by the matrix, or scaled, turned about x, y and z, and shifted."""
    if transform.matrix is not None:
        return _place(sum(row[axis] * corner[axis] for axis in range(3)) + row[3] for row in transform.matrix[:3])
    scale = transform.scale if isinstance(transform.scale, tuple) else (transform.scale,) * 3
    point = [corner[axis] * scale[axis] for axis in range(3)]
    for axis, degrees in enumerate(transform.rotation):
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        first, second = (axis + 1) % 3, (axis + 2) % 3
        point[first], point[second] = (
            cosine * point[first] - sine * point[second],
            sine * point[first] + cosine * point[second],
        )
    return _place(point[axis] + transform.translation[axis] for axis in range(3))


def _place(numbers: Iterable[float]) -> Place:
    x, y, z = numbers
    return x, y, z
