"""Which places of a document a patch reads and writes, told in the document as it was before the patch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loopwright.agents.designspec.patches.apply import Operations
from loopwright.agents.designspec.patches.canonical import canonical_json
from loopwright.agents.designspec.patches.places import join_pointer, split_pointer
from loopwright.agents.designspec.patches.tree import IdentityTree, Path

PATCH = "patch"
GAP = -1
"""The token of no element: between, before or behind the elements of an array."""


@dataclass(frozen=True)
class Touch:
    """One place that an operation reads, writes, or inserts at."""

    kind: Literal["read", "write", "insert"]
    path: Path
    operation: dict[str, Any]
    written: str | None = None
    """The canonical JSON of what is written, where it is a value of the patch."""

    @property
    def pointer(self) -> str:
        """Where it is, as a pointer; for an insertion, the array's."""
        return join_pointer([token for token in self.path if token != GAP])

    def meets(self, other: "Touch") -> bool:
        """Whether the two cannot be had in any order: one is at or around the other's place, and one changes it."""
        length = min(len(self.path), len(other.path))
        if self.path[:length] != other.path[:length]:
            return False
        if self.kind == other.kind == "insert":
            return False  # into the same array: whether at the same gap is seen when they are carried over
        same_value = self.written is not None and self.written == other.written and self.path == other.path
        return not (self.kind == other.kind == "read" or same_value)


def touches_of(document: Any, operations: Operations) -> list[Touch]:
    """All places that the patch touches; what it does inside of what it has added itself touches nothing."""
    tree = IdentityTree(document)
    return [touch for operation in operations for touch in _perform(tree, operation)]


def _perform(tree: IdentityTree, operation: dict[str, Any]) -> Iterator[Touch]:
    kind, path = operation["op"], split_pointer(operation["path"])
    if kind == "test":
        yield from _at(tree, path, "read", operation)
    elif kind == "remove":
        yield from _at(tree, path, "write", operation)
        tree.take(path)
    elif kind == "replace":
        yield from _at(tree, path, "write", operation)
        tree.exchange(path, tree.make(operation["value"], PATCH))
    elif kind == "add":
        yield from _placing(tree, path, operation)
        tree.put(path, tree.make(operation["value"], PATCH))
    else:
        source = split_pointer(operation["from"])
        yield from _at(tree, source, "read" if kind == "copy" or source == path else "write", operation)
        if source != path or kind == "copy":
            node = tree.make(tree.find(source).value(), PATCH) if kind == "copy" else tree.take(source)
            yield from _placing(tree, path, operation)
            tree.put(path, node)


def _at(
    tree: IdentityTree, tokens: Sequence[str], kind: Literal["read", "write"], operation: dict[str, Any]
) -> Iterator[Touch]:
    """A place where something is."""
    if not tokens:
        yield Touch(kind, (), operation, _written(operation))
        return
    parent = tree.find(tokens[:-1])
    if isinstance(parent.content, list):
        place = parent.content[int(tokens[-1])].place
        if place.base_path is not None:
            yield Touch(kind, place.base_path, operation, _written(operation))
    elif parent.base_path is not None:
        yield Touch(kind, (*parent.base_path, tokens[-1]), operation, _written(operation))


def _placing(tree: IdentityTree, tokens: Sequence[str], operation: dict[str, Any]) -> Iterator[Touch]:
    """A place where something is put."""
    parent = tree.find(tokens[:-1]) if tokens else None
    if parent is None or not isinstance(parent.content, list):
        yield from _at(tree, tokens, "write", operation)
    elif parent.base_path is not None:
        yield Touch("insert", (*parent.base_path, GAP), operation)


def _written(operation: dict[str, Any]) -> str | None:
    return canonical_json(operation["value"]) if operation["op"] in ("add", "replace") else None
