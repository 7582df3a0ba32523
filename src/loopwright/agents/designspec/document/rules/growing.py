"""Backends that exist, with parameters that they know, and policies that allow what components ask for."""

import difflib
from collections.abc import Iterator

from loopwright.agents.designspec.document.backends import BACKEND_PARAMETERS, DEPRECATED_BACKENDS
from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.effective import effective_policies
from loopwright.agents.designspec.document.pointers import join, lookup
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.report import Issue
from loopwright.agents.designspec.document.rules.subject import Subject, issue
from loopwright.agents.designspec.document.validation import unknown_field, validate
from loopwright.agents.designspec.document.walking import walk

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


def backends(subject: Subject) -> Iterator[Issue]:
    """Every backend named anywhere exists."""
    places = ["/policies/growth/backend"]
    for place in range(len(subject.spec.components)):
        places += [f"/components/{place}/policies/growth/backend", f"/components/{place}/build/backend"]
    for pointer in places:
        name = lookup(subject.normalised, pointer)
        if isinstance(name, str):
            yield from _backend(pointer, name)


def parameters(subject: Subject) -> Iterator[Issue]:
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


def required_policies(subject: Subject) -> Iterator[Issue]:
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


def contradictions(subject: Subject) -> Iterator[Issue]:
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


def _grown(subject: Subject) -> Iterator[tuple[int, Component | None, Policies]]:
    """The components that grow, with their policies; the document's own policies while there are none."""
    grown = [
        (place, component, effective_policies(subject.spec, component))
        for place, component in enumerate(subject.spec.components)
        if component.build.type == "backend_network"
    ]
    yield from grown
    if not grown:
        yield 0, None, subject.spec.policies


def _states_growth(subject: Subject, place: int) -> bool:
    """Whether the document says anything about growth, here or for all."""
    return any(
        lookup(subject.normalised, pointer) is not None
        for pointer in ("/policies/growth", f"/components/{place}/policies/growth")
    )


def _written_at(subject: Subject, place: int, pointer: str) -> str:
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
