"""Numbers that can hardly be meant: forgotten units, voxels larger than the body, ports beside it."""

from collections.abc import Iterator

from loopwright.agents.designspec.document.components import Component, Port
from loopwright.agents.designspec.document.extents import Bounds, distance_to, extents_of
from loopwright.agents.designspec.document.pointers import join, tokens_of
from loopwright.agents.designspec.document.report import Issue
from loopwright.agents.designspec.document.rules.subject import Subject, issue

LARGEST_LENGTH = 10.0
LARGEST_PITCH = 0.01
LARGEST_RADIUS, SMALLEST_RADIUS = 0.1, 1e-6
LARGEST_VOLUME = 1e-3
"""A litre: crumbs of this size are no crumbs, where no domain tells better."""


def pitches(subject: Subject) -> Iterator[Issue]:
    """Voxels are small against the body."""
    smallest = min((min(extents_of(bounds)) for bounds in subject.bounds.values()), default=None)
    for pointer in subject.lengths:
        name = tokens_of(pointer)[-1]
        if not name.endswith("pitch"):
            continue
        pitch = subject.metres_at(pointer)
        advice = f"A hundredth of the domain is {subject.length(smallest / 100)}." if smallest else ""
        if pitch > LARGEST_PITCH:
            yield issue(
                "error",
                "PITCH_NOT_NORMALIZED",
                pointer,
                f"A pitch of {subject.length(pitch)} is more than {subject.length(LARGEST_PITCH)}: "
                "the number must be in meta.input_units.",
                advice,
            )
        elif smallest and name != "max_pitch" and pitch > smallest / 10:
            yield issue(
                "warning",
                "PITCH_TOO_LARGE",
                pointer,
                f"A pitch of {subject.length(pitch)} is more than a tenth of the smallest domain.",
                advice,
            )


def lengths(subject: Subject) -> Iterator[Issue]:
    """No length is beyond ten metres, and no volume beyond the body's."""
    volumes = [x * y * z for x, y, z in map(extents_of, subject.bounds.values())]
    for pointer, power in subject.lengths.items():
        value = subject.metres_at(pointer)
        if power == 3 and value > max(volumes, default=LARGEST_VOLUME):
            yield issue(
                "error",
                "VOLUME_NOT_NORMALIZED",
                pointer,
                f"The volume is {value:.3g} m³, more than the whole domain has.",
                f"It is taken as cubic {subject.units}.",
            )
        elif power == 1 and abs(value) > LARGEST_LENGTH and not pointer.endswith("pitch"):
            yield issue(
                "error",
                "LENGTH_NOT_NORMALIZED",
                pointer,
                f"{subject.length(value)} is more than ten metres.",
                f"Lengths are taken as {subject.units}: check meta.input_units.",
            )


def suffixes(subject: Subject) -> Iterator[Issue]:
    """A field whose name ends in `_m` is in the document's units like all others; who did not know that is told."""
    for pointer in subject.lengths:
        if subject.units != "m" and pointer.endswith("_m") and 0 < subject.metres_at(pointer) < 1e-6:
            yield issue(
                "warning",
                "SUSPICIOUS_UNITS",
                pointer,
                f"This is {subject.length(subject.metres_at(pointer))}, hardly more than nothing.",
                f"In spite of its name the number is in {subject.units}, like every length of the document.",
            )


def ports(subject: Subject) -> Iterator[Issue]:
    """Ports are smaller than their domain, and at it."""
    for place, component in enumerate(subject.spec.components):
        bounds = subject.bounds.get(component.domain_ref)
        for kind, listed in (("inlets", component.ports.inlets), ("outlets", component.ports.outlets)):
            for number, port in enumerate(listed):
                pointer = join("/components", place, "ports", kind, number)
                yield from _radius(subject, pointer, port, bounds)
                if bounds is not None:
                    yield from _position(subject, pointer, component, port, bounds)


def _radius(subject: Subject, pointer: str, port: Port, bounds: Bounds | None) -> Iterator[Issue]:
    at, shown = join(pointer, "radius"), subject.length(port.radius)
    if not SMALLEST_RADIUS <= port.radius <= LARGEST_RADIUS:
        yield issue(
            "error",
            "PORT_RADIUS_NOT_NORMALIZED",
            at,
            f"The port {port.name!r} would have a radius of {shown}; it must be between 1 µm and 10 cm.",
            f"Lengths are taken as {subject.units}: check meta.input_units.",
        )
    elif bounds is not None and port.radius > sorted(extents_of(bounds))[1] / 2:
        yield issue(
            "error",
            "PORT_LARGER_THAN_DOMAIN",
            at,
            f"The port {port.name!r} with its radius of {shown} is larger than its domain.",
        )


def _position(subject: Subject, pointer: str, component: Component, port: Port, bounds: Bounds) -> Iterator[Issue]:
    if port.position is None:
        return
    away, largest = distance_to(bounds, port.position), max(extents_of(bounds))
    at, shown = join(pointer, "position"), subject.length(away)
    if away > largest:
        yield issue(
            "error",
            "PORT_OUTSIDE_DOMAIN",
            at,
            f"The port {port.name!r} lies {shown} outside its domain {component.domain_ref!r}.",
        )
    elif (
        away
        > max(0.02 * largest, port.radius) + subject.spec.policies.ridge.height * subject.spec.policies.ridge.enabled
    ):
        yield issue(
            "warning",
            "PORT_OUTSIDE_DOMAIN",
            at,
            f"The port {port.name!r} lies {shown} outside its domain and will be moved to its face.",
        )
