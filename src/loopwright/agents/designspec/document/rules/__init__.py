"""What a document must obey beyond its structure: names, references, shapes, magnitudes."""

import difflib
from collections.abc import Iterator

from loopwright.agents.designspec.document.backends import BACKEND_PARAMETERS, DEPRECATED_BACKENDS
from loopwright.agents.designspec.document.domains import (
    BoxDomain,
    Component,
    Domain,
    ImplicitDomain,
    Place,
    TransformDomain,
    extents_of,
    join,
    lookup,
)
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.rules.subject import (
    CheckedDocument,
    Rule,
    artifacts,
    circles,
    completeness,
    issue,
    lengths,
    names,
    parts_of,
    pitches,
    ports,
    references,
    suffixes,
)
from loopwright.agents.designspec.document.validation import Issue, effective_policies, unknown_field, validate, walk

# Backends that exist, with parameters that they know, and policies that allow what components ask for.
#
# Bodies that can be built: neither inside out nor empty, of a size that somebody may have meant.

LARGEST, LARGE, SMALLEST = 10.0, 1.0, 1e-6
"""Metres: beyond the first and the last is an error, beyond the second suspicious."""
NEEDED_BY_SURFACE = {
    "gyroid": ("period", "thickness"),
    "schwarz_p": ("period", "thickness"),
    "diamond": ("period", "thickness"),
    "torus": ("major_radius", "minor_radius"),
    "superellipsoid": (),
}


def shapes(subject: CheckedDocument) -> Iterator[Issue]:
    """Every body has an inside."""
    for pointer, domain in subject.each_domain():
        if isinstance(domain, BoxDomain):
            yield from _box(pointer, domain)
        elif isinstance(domain, TransformDomain):
            yield from _matrix(pointer, domain)
        elif isinstance(domain, ImplicitDomain):
            for name in NEEDED_BY_SURFACE[domain.surface]:
                if getattr(domain, name) is None:
                    yield issue(
                        "error",
                        "MISSING_FIELD",
                        join(pointer, name),
                        f"A {domain.surface} needs a {name.replace('_', ' ')}.",
                    )


def sizes(subject: CheckedDocument) -> Iterator[Issue]:
    """Every domain is between a micrometre and ten metres long; what is made of a bad one is not told again."""
    bad = {pointer for pointer, domain in subject.each_domain() if any(_box(pointer, domain))}
    found: dict[str, Issue] = {}
    for name, bounds in subject.bounds.items():
        pointer = join("/domains", name)
        verdict = _size(subject, pointer, name, extents_of(bounds))
        if verdict and not any(each == pointer or each.startswith(pointer + "/") for each in bad):
            found[name] = verdict
    for name, verdict in found.items():
        parts = parts_of(verdict.pointer, subject.spec.domains[name])
        if not any(isinstance(part, str) and part in found for _, part in parts):
            yield verdict


def _size(subject: CheckedDocument, pointer: str, name: str, extents: Place) -> Issue | None:
    shown = " × ".join(subject.length(extent) for extent in extents)
    if min(extents) <= 0:
        return issue("error", "EMPTY_DOMAIN", pointer, f"Nothing is left of the domain {name!r}.")
    if max(extents) > LARGEST or min(extents) < SMALLEST:
        return issue(
            "error",
            "DOMAIN_NOT_NORMALIZED",
            pointer,
            f"The domain {name!r} would be {shown}; it must be between 1 µm and 10 m along each axis.",
            f"Its numbers are taken as {subject.units}: check meta.input_units.",
        )
    if max(extents) > LARGE:
        return issue(
            "warning",
            "DOMAIN_NOT_NORMALIZED",
            pointer,
            f"The domain {name!r} is {shown}, which is more than a metre.",
            f"Its numbers are taken as {subject.units}: are they meant to be mm?",
        )
    return None


def _box(pointer: str, domain: Domain) -> Iterator[Issue]:
    if not isinstance(domain, BoxDomain):
        return
    for axis in "xyz":
        low, high = getattr(domain, f"{axis}_min"), getattr(domain, f"{axis}_max")
        if high <= low:
            word = "has no size" if high == low else "is inside out"
            yield issue(
                "error",
                "EMPTY_BOX",
                join(pointer, f"{axis}_max"),
                f"The box {word} along {axis}: {axis}_max must be above {axis}_min.",
            )


def _matrix(pointer: str, domain: TransformDomain) -> Iterator[Issue]:
    if domain.matrix is None:
        return
    at = join(pointer, "matrix")
    if domain.matrix[3] != (0, 0, 0, 1):
        yield issue("error", "INVALID_MATRIX", join(at, 3), "The last row of the matrix must be 0 0 0 1.")
    (a, b, c, _), (d, e, f, _), (g, h, i, _) = domain.matrix[:3]
    if abs(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) < 1e-12:
        yield issue("error", "INVALID_MATRIX", at, "The matrix flattens the body: its determinant is zero.")
    if "scale" in domain.model_fields_set or "rotation" in domain.model_fields_set or any(domain.translation):
        yield issue("warning", "MATRIX_WINS", at, "Scale, rotation and translation have no effect beside a matrix.")


REFUSED_PREFIXES = ("cco", "nlp")
MISSING = object()
LIMITS = (
    ("growth", "min_segment_length", "max_segment_length"),
    ("growth", "min_radius", "max_radius"),
    ("radius", "min_radius", "max_radius"),
    ("resolution", "min_pitch", "max_pitch"),
    ("tissue_sampling", "depth_min", "depth_max"),
    ("tissue_sampling", "r_min", "r_max"),
)


def backends(subject: CheckedDocument) -> Iterator[Issue]:
    """Every backend named anywhere exists."""
    places = ["/policies/growth/backend"]
    for place in range(len(subject.spec.components)):
        places += [f"/components/{place}/policies/growth/backend", f"/components/{place}/build/backend"]
    for pointer in places:
        name = lookup(subject.normalised, pointer)
        if isinstance(name, str):
            yield from _backend(pointer, name)


def parameters(subject: CheckedDocument) -> Iterator[Issue]:
    """The chosen backend knows its parameters; each complaint once, where the parameter is written."""
    seen: set[tuple[str, str]] = set()
    for place, component, policies in _grown(subject):
        model = BACKEND_PARAMETERS.get(policies.growth.backend)
        if model is None:
            continue
        given = policies.growth.backend_params
        _, wrong = validate(model, given, given)
        for each in [*wrong, *map(unknown_field, walk(model, given, "m").unknown)]:
            pointer = _written_at(subject, place, each.pointer)
            if (each.code, pointer) not in seen:
                seen.add((each.code, pointer))
                yield each.model_copy(update={"pointer": pointer})
        if component is not None and policies.growth.backend == "programmatic" and not given.get("steps"):
            at = join("/components", place, "build", "backend_params", "steps")
            yield issue("incomplete", "NO_STEPS", at, f"The program of {component.id!r} has no steps yet.")


def required_policies(subject: CheckedDocument) -> Iterator[Issue]:
    """What a component asks for is not switched off, and is better said than taken from the defaults."""
    for place, component in enumerate(subject.spec.components):
        name = {"backend_network": "growth", "primitive_channels": "channels"}.get(component.build.type)
        if name is None:
            continue
        policies = effective_policies(subject.spec, component)
        if not getattr(policies, name).enabled:
            own = join("/components", place, "policies", name)
            pointer = own if lookup(subject.normalised, own) is not None else join("/policies", name)
            yield issue(
                "incomplete",
                "MISSING_REQUIRED_POLICY",
                join(pointer, "enabled"),
                f"The component {component.id!r} needs the {name} policy, which is switched off.",
            )
        elif name not in policies.model_fields_set or (name == "growth" and not _states_growth(subject, place)):
            yield issue(
                "warning",
                "MISSING_REQUIRED_POLICY",
                join("/policies", name),
                f"The component {component.id!r} needs the {name} policy; its defaults are used.",
            )


def contradictions(subject: CheckedDocument) -> Iterator[Issue]:
    """Lower limits are below upper ones."""
    for place, _, policies in [(None, None, subject.spec.policies), *_grown(subject)]:
        for name, low, high in LIMITS:
            policy = getattr(policies, name)
            lower, upper = getattr(policy, low), getattr(policy, high)
            if lower is None or upper is None or lower <= upper:
                continue
            given = [field for field in (high, low) if field in policy.model_fields_set]
            own = join("/components", place if place is not None else "", "policies", name)
            pointer = own if place is not None and lookup(subject.normalised, own) is not None else f"/policies/{name}"
            yield issue(
                "error" if len(given) == 2 else "warning",
                "CONTRADICTORY_LIMITS",
                join(pointer, given[0] if given else high),
                f"{low} ({subject.length(lower)}) is above {high} ({subject.length(upper)}).",
            )


def _backend(pointer: str, name: str) -> Iterator[Issue]:
    if name in DEPRECATED_BACKENDS:
        instead = DEPRECATED_BACKENDS[name]
        yield issue(
            "warning",
            "DEPRECATED_BACKEND",
            pointer,
            f"The backend {name!r} is deprecated: {instead!r} is used instead.",
        )
    elif name not in BACKEND_PARAMETERS:
        refused = name.casefold().startswith(REFUSED_PREFIXES)
        near = difflib.get_close_matches(name, BACKEND_PARAMETERS, 1)
        yield issue(
            "error",
            "UNSUPPORTED_BACKEND" if refused else "UNKNOWN_BACKEND",
            pointer,
            f"The backend {name[:80]!r} is {'not supported' if refused else 'not known'}.",
            f"Did you mean {near[0]!r}?" if near else "The backends are: " + ", ".join(BACKEND_PARAMETERS) + ".",
        )


def _grown(subject: CheckedDocument) -> Iterator[tuple[int, Component | None, Policies]]:
    """The components that grow, with their policies; the document's own policies while there are none."""
    grown = [
        (place, component, effective_policies(subject.spec, component))
        for place, component in enumerate(subject.spec.components)
        if component.build.type == "backend_network"
    ]
    yield from grown
    if not grown:
        yield 0, None, subject.spec.policies


def _states_growth(subject: CheckedDocument, place: int) -> bool:
    """Whether the document says anything about growth, here or for all."""
    return any(
        lookup(subject.normalised, pointer) is not None
        for pointer in ("/policies/growth", f"/components/{place}/policies/growth")
    )


def _written_at(subject: CheckedDocument, place: int, pointer: str) -> str:
    """Where the parameter stands: at the build, in the component's policies, or in the document's."""
    homes = (
        f"/components/{place}/build/backend_params",
        f"/components/{place}/policies/growth/backend_params",
        "/policies/growth/backend_params",
    )
    return next(
        (home + pointer for home in homes if lookup(subject.normalised, home + pointer, MISSING) is not MISSING),
        homes[0] + pointer,
    )


# All rules.

RULES: tuple[Rule, ...] = (
    names,
    references,
    circles,
    shapes,
    sizes,
    backends,
    parameters,
    contradictions,
    required_policies,
    ports,
    pitches,
    lengths,
    suffixes,
    artifacts,
    completeness,
)
