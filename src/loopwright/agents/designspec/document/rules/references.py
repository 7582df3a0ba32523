"""Names that lead to domains: each must lead to one, and none in a circle."""

import difflib
from collections.abc import Iterator

from loopwright.agents.designspec.document.domains import Domain
from loopwright.agents.designspec.document.pointers import join
from loopwright.agents.designspec.document.report import Issue
from loopwright.agents.designspec.document.rules.subject import Subject, issue, parts_of

MOST_PARTS = 1_000
"""How many bodies a domain may be made of once all references are followed."""


def references(subject: Subject) -> Iterator[Issue]:
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


def circles(subject: Subject) -> Iterator[Issue]:
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


def _references(subject: Subject) -> Iterator[tuple[str, str]]:
    for place, component in enumerate(subject.spec.components):
        yield join("/components", place, "domain_ref"), component.domain_ref
    if subject.spec.embedding.domain_ref is not None:
        yield "/embedding/domain_ref", subject.spec.embedding.domain_ref
    for pointer, domain in subject.each_domain():
        yield from ((at, part) for at, part in parts_of(pointer, domain) if isinstance(part, str))


def _size(subject: Subject, part: "str | Domain", sizes: dict[str, int], above: tuple[str, ...]) -> int:
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
