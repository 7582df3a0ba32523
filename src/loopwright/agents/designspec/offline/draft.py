"""A directive in the making: a working copy of the document, and what is done to it, wish by wish."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from loopwright.agents.designspec.offline.body import Body
from loopwright.agents.designspec.offline.pack import Pack
from loopwright.agents.designspec.offline.quantities import UNITS, Length, shown

Pointer = tuple[str | int, ...]
"""A place in the document: member names and indices."""


class Plannable(Protocol):
    """What an answer is understood as."""

    def plan(self, draft: "Draft") -> None:
        """Add to the draft what fulfils it."""
        ...


Understanding = Callable[[str], Sequence[Plannable]]


@dataclass(frozen=True)
class Question:
    """A question to the user; `wish` is what the user wishes by the answer, which stands for `{answer}` in it."""

    id: str
    question: str
    why_needed: str
    default: str = ""
    wish: str = "{answer}"


@dataclass
class Draft:
    """What the rules propose. `told` are the changes in words, `assumed` what was taken where the user said nothing."""

    pack: Pack
    document: dict[str, Any]
    operations: list[dict[str, Any]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    run_request: dict[str, Any] | None = None
    context_requests: dict[str, Any] | None = None
    given: dict[str, str] = field(default_factory=dict)
    """The user's answers by question."""
    understand: Understanding | None = None

    @classmethod
    def of(cls, pack: Pack, given: Mapping[str, str] | None = None, understand: Understanding | None = None) -> "Draft":
        """A draft that proposes nothing yet; `understand` turns answers into wishes."""
        return cls(pack, copy.deepcopy(dict(pack.spec or {})), given=dict(given or {}), understand=understand)

    def ask(self, question: Question) -> bool:
        """Ask, unless the user has answered already: then plan what the answer wishes, and tell so by True.

        An answer serves once, so that one which does not help leads to no endless asking.
        """
        answer = self.given.pop(question.question, None)
        if answer is None or self.understand is None:
            if all(other.id != question.id for other in self.questions):
                self.questions.append(question)
            return False
        for wish in self.understand(question.wish.replace("{answer}", answer)):
            wish.plan(self)
        return True

    @property
    def metres_per_unit(self) -> float:
        """How many metres one unit of the document is; an unknown unit counts as metres."""
        meta = self.document.get("meta")
        return UNITS.get(str(meta.get("input_units", "m")) if isinstance(meta, dict) else "m", 1.0)

    def units(self, length: Length | float) -> float:
        """A length (metres) as the document has it, without the noise of binary fractions."""
        metres = length.metres if isinstance(length, Length) else length
        return tidy(metres / self.metres_per_unit)

    def show(self, value: float) -> str:
        """A length of the document in words."""
        return shown(value * self.metres_per_unit)

    def get(self, *pointer: str | int) -> Any:
        """The value at a place; None where there is none."""
        here: Any = self.document
        for token in pointer:
            try:
                here = here[token]
            except (KeyError, IndexError, TypeError):
                return None
        return here

    def set(self, value: Any, *pointer: str | int) -> bool:
        """Put a value at a place, with as few operations as can be; False when it was there already.

        Objects that are missing on the way are made. What this draft has added itself is completed in its operation,
        so that the patch stays one per thing.
        """
        if self.get(*pointer) == value and type(self.get(*pointer)) is type(value):
            return False
        depth = len(pointer) - 1
        while depth and not isinstance(self.get(*pointer[:depth]), dict | list):
            depth -= 1
        for token in reversed(pointer[depth + 1 :]):
            value = {token: value}
        parent, last = self.get(*pointer[:depth]), pointer[depth]
        if isinstance(parent, list):
            parent[int(last)] = value
        else:
            parent[str(last)] = value
        if not self._complete(pointer[: depth + 1], value):
            kind = "replace" if isinstance(parent, list) else "add"
            self._record({"op": kind, "path": path_of(pointer[: depth + 1]), "value": copy.deepcopy(value)})
        return True

    def append(self, value: Any, *pointer: str | int) -> int:
        """Put a value at the end of a list (made where it is missing), and answer its index."""
        found = self.get(*pointer)
        if not isinstance(found, list):
            self.set([value], *pointer)
            return 0
        found.append(value)
        place = (*pointer, len(found) - 1)
        if not self._complete(place, value):
            self._record({"op": "add", "path": path_of((*pointer, "-")), "value": copy.deepcopy(value), "_at": place})
        return len(found) - 1

    def remove(self, *pointer: str | int, guard: tuple[Pointer, Any] | None = None) -> None:
        """Take away what is at a place; `guard` is a place and the value it must have for this to be right."""
        if guard:
            self.expect(guard[1], *guard[0])
        parent = self.get(*pointer[:-1])
        del parent[pointer[-1]]
        self._record({"op": "remove", "path": path_of(pointer)})

    def expect(self, value: Any, *pointer: str | int) -> None:
        """Guard what follows: the patch is refused when the document says something else by then."""
        operation = {"op": "test", "path": path_of(pointer), "value": value}
        if operation not in self.operations and not self._own(pointer):
            self._record(operation)

    @property
    def patch(self) -> list[dict[str, Any]]:
        """The operations as they are sent."""
        return [{key: value for key, value in each.items() if key != "_at"} for each in self.operations]

    def _record(self, operation: dict[str, Any]) -> None:
        self.operations.append(operation)

    def _own(self, pointer: Pointer) -> dict[str, Any] | None:
        """The operation of this draft that has put there what holds the place."""
        for operation in reversed(self.operations):
            if operation["op"] not in ("add", "replace", "test"):
                return None  # it may have shifted indices
            if operation["op"] in ("add", "replace"):
                place = operation.get("_at") or tuple(pointer[: operation["path"].count("/")])
                path = path_of(operation["_at"]) if "_at" in operation else operation["path"]
                if tuple(pointer[: len(place)]) == tuple(place) and path_of(place) == path:
                    found: dict[str, Any] = operation
                    return found
        return None

    def _complete(self, pointer: Pointer, value: Any) -> bool:
        operation = self._own(pointer)
        if operation is None:
            return False
        depth = len(operation["_at"]) if "_at" in operation else operation["path"].count("/")
        if depth == len(pointer):
            operation["value"] = copy.deepcopy(value)
            return True
        here = operation["value"]
        for token in pointer[depth:-1]:
            here = here[token]
        last = pointer[-1]
        if isinstance(here, list) and last == len(here):
            here.append(copy.deepcopy(value))
        else:
            here[last] = copy.deepcopy(value)
        return True

    # What the wishes ask about the document

    @property
    def domains(self) -> Mapping[str, Any]:
        """The domains by name."""
        found = self.document.get("domains")
        return found if isinstance(found, dict) else {}

    @property
    def components(self) -> list[dict[str, Any]]:
        """The components that can be read as such."""
        found = self.document.get("components")
        return found if isinstance(found, list) else []

    def body(self, name: str) -> Body | None:
        """The domain of this name as it is now; later changes of the draft leave it alone."""
        found = self.domains.get(name)
        return Body(copy.deepcopy(found), copy.deepcopy(dict(self.domains))) if isinstance(found, dict) else None

    @property
    def main_domain(self) -> str | None:
        """The domain that is meant when none is named: the embedding's, the first component's, or the first."""
        named = [self.get("embedding", "domain_ref"), self.get("components", 0, "domain_ref")]
        return next((name for name in [*named, *self.domains] if isinstance(name, str) and name in self.domains), None)


def path_of(pointer: Pointer) -> str:
    """The JSON Pointer (RFC 6901) of a place."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in pointer)


def tidy(value: float) -> float:
    """The number without the noise of binary fractions, to ten digits."""
    return float(f"{value:.10g}") + 0.0
