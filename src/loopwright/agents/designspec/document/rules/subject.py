"""What a rule looks at."""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from loopwright.agents.designspec.document.domains import (
    NAME,
    Bounds,
    Component,
    CompositeDomain,
    Domain,
    Port,
    TransformDomain,
    bounds_of,
    distance_to,
    extents_of,
    join,
    lookup,
    tokens_of,
)
from loopwright.agents.designspec.document.spec import METRES, DesignSpec, main_domain
from loopwright.agents.designspec.document.validation import Issue, Severity, effective_policies


@dataclass(frozen=True)
class CheckedDocument:
    """A document whose structure is right.

    `spec` and `normalised` are in metres; `original` is as the user wrote it, in `units`; `lengths` has the power of
    each length by its pointer.
    """

    spec: DesignSpec
    normalised: dict[str, Any]
    original: dict[str, Any]
    units: str
    lengths: dict[str, int]

    @cached_property
    def bounds(self) -> dict[str, Bounds]:
        """The boxes around the domains of which they are known."""
        found = {name: bounds_of(self.spec.domains, name) for name in self.spec.domains}
        return {name: bounds for name, bounds in found.items() if bounds is not None}

    def length(self, metres: float) -> str:
        """A length as the user would write it."""
        return f"{metres / METRES[self.units]:.6g} {self.units}"

    def metres_at(self, pointer: str) -> float:
        """The normalised number at the pointer of a length."""
        return float(lookup(self.normalised, pointer))

    def each_domain(self) -> Iterator[tuple[str, Domain]]:
        """Every domain with its pointer, also those written inside others."""
        left = [(join("/domains", name), domain) for name, domain in reversed(self.spec.domains.items())]
        while left:
            pointer, domain = left.pop()
            yield pointer, domain
            left.extend((at, inner) for at, inner in parts_of(pointer, domain) if not isinstance(inner, str))


def parts_of(pointer: str, domain: Domain) -> list[tuple[str, "str | Domain"]]:
    """What a transform or a composite is made of, with pointers."""
    if isinstance(domain, TransformDomain):
        return [(join(pointer, "base_domain"), domain.base_domain)]
    if isinstance(domain, CompositeDomain):
        return [(join(pointer, "children", place), child) for place, child in enumerate(domain.children)]
    return []


def issue(severity: Severity, code: str, pointer: str, message: str, hint: str = "") -> Issue:
    """An issue, in the order in which one reads it."""
    return Issue(code=code, severity=severity, pointer=pointer, message=message, hint=hint)


Rule = Callable[[CheckedDocument], Iterator[Issue]]


# Numbers that can hardly be meant: forgotten units, voxels larger than the body, ports beside it.

LARGEST_LENGTH = 10.0
LARGEST_PITCH = 0.01
LARGEST_RADIUS, SMALLEST_RADIUS = 0.1, 1e-6
LARGEST_VOLUME = 1e-3
"""A litre: crumbs of this size are no crumbs, where no domain tells better."""


def pitches(subject: CheckedDocument) -> Iterator[Issue]:
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


def lengths(subject: CheckedDocument) -> Iterator[Issue]:
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


def suffixes(subject: CheckedDocument) -> Iterator[Issue]:
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


def ports(subject: CheckedDocument) -> Iterator[Issue]:
    """Ports are smaller than their domain, and at it."""
    for place, component in enumerate(subject.spec.components):
        bounds = subject.bounds.get(component.domain_ref)
        for kind, listed in (("inlets", component.ports.inlets), ("outlets", component.ports.outlets)):
            for number, port in enumerate(listed):
                pointer = join("/components", place, "ports", kind, number)
                yield from _radius(subject, pointer, port, bounds)
                if bounds is not None:
                    yield from _position(subject, pointer, component, port, bounds)


def _radius(subject: CheckedDocument, pointer: str, port: Port, bounds: Bounds | None) -> Iterator[Issue]:
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


def _position(
    subject: CheckedDocument, pointer: str, component: Component, port: Port, bounds: Bounds
) -> Iterator[Issue]:
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


# Names of things: what they may be called, and that no two have one name.

RESERVED = {"full", "all", "none", "con", "prn", "aux", "nul"} | {
    f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10)
}
"""Words of the pipeline, and names that some systems refuse for files."""


def names(subject: CheckedDocument) -> Iterator[Issue]:
    """Names can be file names and stand in pointers, and are told apart also where capitals are not."""
    components = [
        (join("/components", place, "id"), component.id) for place, component in enumerate(subject.spec.components)
    ]
    domains = [(join("/domains", name), name) for name in subject.spec.domains]
    for pointer, name in domains:
        if not re.fullmatch(NAME, name):
            yield issue(
                "error",
                "INVALID_NAME",
                pointer,
                f"{name[:80]!r} cannot be a domain's name.",
                "Use letters, digits, '_', '-' and '.', at most 64, a letter or digit first.",
            )
    for pointer, name in components + domains:
        if name.casefold().split(".")[0] in RESERVED or name.isdecimal():
            yield issue("error", "RESERVED_NAME", pointer, f"The name {name!r} is reserved or a bare number.")
    yield from _twice("component", "DUPLICATE_ID", components)
    yield from _twice("domain", "DUPLICATE_NAME", domains)
    for place, component in enumerate(subject.spec.components):
        ports = [
            (join("/components", place, "ports", kind, number, "name"), port.name)
            for kind, listed in (("inlets", component.ports.inlets), ("outlets", component.ports.outlets))
            for number, port in enumerate(listed)
        ]
        yield from _twice("port", "DUPLICATE_PORT", ports)


def artifacts(subject: CheckedDocument) -> Iterator[Issue]:
    """No two results go to the same file."""
    spec, outputs = subject.spec, subject.spec.embedding.outputs
    paths = [
        (join("/components", place, "save_artifacts", kind), path)
        for place, component in enumerate(spec.components)
        for kind, path in (
            ("network", component.save_artifacts.network),
            ("void_mesh", component.save_artifacts.void_mesh),
        )
    ]
    paths.append(("/composition/save_union", spec.composition.save_union))
    paths += [
        (join("/embedding/outputs", kind), path)
        for kind, path in (
            ("domain_with_void", outputs.domain_with_void),
            ("void_mesh", outputs.void_mesh),
            ("shell", outputs.shell),
        )
    ]
    paths.append(("/validity/save_report", spec.validity.save_report))
    paths += [(join("/outputs/named", kind), path) for kind, path in spec.outputs.named.items()]
    taken = (
        (pointer, "/".join(part for part in path.split("/") if part not in ("", ".")))
        for pointer, path in paths
        if path
    )
    yield from _twice("file", "DUPLICATE_ARTIFACT", taken)


def _twice(what: str, code: str, named: Iterable[tuple[str, str]]) -> Iterator[Issue]:
    seen: dict[str, str] = {}
    for pointer, name in named:
        first = seen.setdefault(name.casefold(), pointer)
        if first != pointer:
            yield issue("error", code, pointer, f"The {what} {name!r} is there already, at {first}.")


# What a design still lacks before it can run. Nothing of this keeps anybody from writing it step by step.


def completeness(subject: CheckedDocument) -> Iterator[Issue]:
    """There is a body, something to carve out of it, and ports where they are needed."""
    spec = subject.spec
    if not spec.domains:
        yield issue("incomplete", "NO_DOMAINS", "/domains", "There is no domain yet.", "Add a box, a cylinder, …")
    elif main_domain(spec) is None:
        yield issue(
            "incomplete",
            "AMBIGUOUS_DOMAIN",
            "/embedding/domain_ref",
            "There are several domains, and nothing says which of them is the body.",
            "Name it in embedding.domain_ref.",
        )
    if not spec.components and spec.embedding.enable:
        yield issue(
            "incomplete",
            "NO_COMPONENTS",
            "/components",
            "There is nothing to carve out of the domain yet.",
            "Add a component, or set embedding.enable to false.",
        )
    for place, component in enumerate(spec.components):
        yield from _component(subject, join("/components", place), component)


def _component(subject: CheckedDocument, pointer: str, component: Component) -> Iterator[Issue]:
    if component.build.type == "import_void_mesh":
        if component.build.mesh_path is None:
            at = join(pointer, "build", "mesh_path")
            yield issue("incomplete", "MISSING_MESH", at, f"The component {component.id!r} names no mesh to import.")
        return
    if not component.ports.inlets:
        at = join(pointer, "ports", "inlets")
        yield issue("incomplete", "NO_INLETS", at, f"The component {component.id!r} has no inlet yet.")
    policy = effective_policies(subject.spec, component).ports
    if policy.enabled and policy.pattern != "explicit":
        return
    for kind, listed in (("inlets", component.ports.inlets), ("outlets", component.ports.outlets)):
        for number, port in enumerate(listed):
            if port.position is None:
                yield issue(
                    "incomplete",
                    "MISSING_POSITION",
                    join(pointer, "ports", kind, number, "position"),
                    f"The port {port.name!r} has no position, and the ports policy places none.",
                )


# Names that lead to domains: each must lead to one, and none in a circle.

MOST_PARTS = 1_000
"""How many bodies a domain may be made of once all references are followed."""


def references(subject: CheckedDocument) -> Iterator[Issue]:
    """Every reference to a domain exists."""
    for pointer, name in _references(subject):
        if name not in subject.spec.domains:
            near = difflib.get_close_matches(name, subject.spec.domains, 1)
            known = ", ".join(list(subject.spec.domains)[:10]) or "none yet"
            yield issue(
                "error",
                "INVALID_DOMAIN_REF",
                pointer,
                f"There is no domain {name[:80]!r}.",
                f"Did you mean {near[0]!r}?" if near else f"The domains are: {known}.",
            )


def circles(subject: CheckedDocument) -> Iterator[Issue]:
    """No domain is made of itself, nor of more bodies than can be built."""
    sizes: dict[str, int] = {}
    for name in subject.spec.domains:
        size = _size(subject, name, sizes, ())
        if size < 0:
            yield issue(
                "error", "DOMAIN_CYCLE", join("/domains", name), f"The domain {name!r} is made of itself, in a circle."
            )
        elif size > MOST_PARTS:
            yield issue(
                "error",
                "DOMAIN_TOO_COMPLEX",
                join("/domains", name),
                f"The domain {name!r} consists of more than {MOST_PARTS:,} bodies once its references are followed.",
            )


def _references(subject: CheckedDocument) -> Iterator[tuple[str, str]]:
    for place, component in enumerate(subject.spec.components):
        yield join("/components", place, "domain_ref"), component.domain_ref
    if subject.spec.embedding.domain_ref is not None:
        yield "/embedding/domain_ref", subject.spec.embedding.domain_ref
    for pointer, domain in subject.each_domain():
        yield from ((at, part) for at, part in parts_of(pointer, domain) if isinstance(part, str))


def _size(subject: CheckedDocument, part: "str | Domain", sizes: dict[str, int], above: tuple[str, ...]) -> int:
    """How many bodies it is made of; negative when it is part of a circle or leads into one."""
    if isinstance(part, str):
        if part in above:
            return -1
        if part not in sizes:
            domain = subject.spec.domains.get(part)
            sizes[part] = 1 if domain is None else _size(subject, domain, sizes, (*above, part))
        return sizes[part]
    inner = [_size(subject, each, sizes, above) for _, each in parts_of("", part)]
    return -1 if any(size < 0 for size in inner) else max(1, sum(inner))
