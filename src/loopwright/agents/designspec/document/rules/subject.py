"""What a rule looks at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from loopwright.agents.designspec.document.domains import CompositeDomain, Domain, TransformDomain
from loopwright.agents.designspec.document.extents import Bounds, bounds_of
from loopwright.agents.designspec.document.pointers import join, lookup
from loopwright.agents.designspec.document.report import Issue, Severity
from loopwright.agents.designspec.document.spec import METRES, DesignSpec


@dataclass(frozen=True)
class Subject:
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


Rule = Callable[[Subject], Iterator[Issue]]
