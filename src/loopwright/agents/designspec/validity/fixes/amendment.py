"""A patch in the making, on the document as the user wrote it and in the user's units."""

import math
from collections.abc import Mapping
from typing import Any

from loopwright.agents.designspec.document.components import Port
from loopwright.agents.designspec.document.pointers import join, lookup
from loopwright.agents.designspec.document.spec import METRES
from loopwright.agents.designspec.validity.subject import Subject

DIGITS = 4
"""Significant digits of lengths that are raised; they are rounded up."""
PLACE_DIGITS = 7


class Amendment:
    """Gathers operations (RFC 6902, `add` and `replace` only) with numeric indices."""

    def __init__(self, subject: Subject, document: Mapping[str, Any]) -> None:
        """Begin with nothing to do."""
        self.subject = subject
        self.operations: list[dict[str, Any]] = []
        self._document = document
        self._metres = METRES[subject.document_units]
        self._indices = {component.id: number for number, component in enumerate(subject.spec.components)}

    def raised(self, metres: float) -> float:
        """A length in the document's units, rounded up."""
        value = metres / self._metres
        step = 10.0 ** (math.floor(math.log10(value)) - DIGITS + 1)
        return float(f"{math.ceil(value / step - 1e-6) * step:.{DIGITS}g}")

    def place(self, metres: Any) -> list[float]:
        """A position in the document's units."""
        return [float(f"{float(value) / self._metres:.{PLACE_DIGITS}g}") for value in metres]

    def policy(self, component: str, *path: str) -> str:
        """Where a policy of a component is to be changed: at the component where it overrides it, else for all."""
        own = join("/components", self._indices[component], "policies", *path)
        return own if lookup(self._document, own) is not None else join("/policies", *path)

    def written(self, pointer: str) -> Any:
        """What the document has at a pointer, or None."""
        return lookup(self._document, pointer)

    def component(self, component: str, *path: str | int) -> str:
        """A pointer into a component."""
        return join("/components", self._indices[component], *path)

    def port(self, component: str, name: str) -> tuple[str, Port] | None:
        """A port's pointer and what it says, in metres."""
        ports = self.subject.spec.component(component).ports
        for side, listed in (("inlets", ports.inlets), ("outlets", ports.outlets)):
            for number, port in enumerate(listed):
                if port.name == name:
                    return self.component(component, "ports", side, number), port
        return None

    def set(self, pointer: str, value: Any) -> None:
        """Write a value; objects that are missing on the way (or null) are added."""
        tokens = pointer.split("/")
        for size in range(2, len(tokens)):
            above = "/".join(tokens[:size])
            if lookup(self._document, above) is None:
                for token in reversed(tokens[size:]):
                    value = {token: value}
                pointer = above
                break
        known = self.written(pointer) is not None
        self.operations.append({"op": "replace" if known else "add", "path": pointer, "value": value})
