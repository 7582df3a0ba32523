"""Bodies that can be built: neither inside out nor empty, of a size that somebody may have meant."""

from collections.abc import Iterator

from loopwright.agents.designspec.document.domains import BoxDomain, Domain, ImplicitDomain, TransformDomain
from loopwright.agents.designspec.document.extents import Place, extents_of
from loopwright.agents.designspec.document.pointers import join
from loopwright.agents.designspec.document.report import Issue
from loopwright.agents.designspec.document.rules.subject import Subject, issue, parts_of

LARGEST, LARGE, SMALLEST = 10.0, 1.0, 1e-6
"""Metres: beyond the first and the last is an error, beyond the second suspicious."""
NEEDED_BY_SURFACE = {
    "gyroid": ("period", "thickness"),
    "schwarz_p": ("period", "thickness"),
    "diamond": ("period", "thickness"),
    "torus": ("major_radius", "minor_radius"),
    "superellipsoid": (),
}


def shapes(subject: Subject) -> Iterator[Issue]:
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


def sizes(subject: Subject) -> Iterator[Issue]:
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


def _size(subject: Subject, pointer: str, name: str, extents: Place) -> Issue | None:
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
