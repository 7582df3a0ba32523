"""Names of things: what they may be called, and that no two have one name."""

import re
from collections.abc import Iterable, Iterator

from loopwright.agents.designspec.document.components import NAME
from loopwright.agents.designspec.document.pointers import join
from loopwright.agents.designspec.document.report import Issue
from loopwright.agents.designspec.document.rules.subject import Subject, issue

RESERVED = {"full", "all", "none", "con", "prn", "aux", "nul"} | {
    f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10)
}
"""Words of the pipeline, and names that some systems refuse for files."""


def names(subject: Subject) -> Iterator[Issue]:
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


def artifacts(subject: Subject) -> Iterator[Issue]:
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
