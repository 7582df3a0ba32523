"""Patches that were made for a document which has moved on since."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loopwright.agents.designspec.patches import (
    Operations,
    apply_patch,
    canonical_json,
    describe_operation,
    difference,
    same_json,
)
from loopwright.agents.designspec.patches.tree import (
    END,
    IdentityTree,
    Node,
    PatchError,
    Path,
    element_name,
    join_pointer,
    split_pointer,
)

# Carries a patch over to a document that another patch has changed: pointers are sent to where their targets stand.

THEIRS, OURS = "theirs", "ours"


class Astray(Exception):
    """A pointer's target is no more, or has no definite place any more.

    Args:
        pointer: the pointer as the patch has it.
        reason: why, as a clause.
    """

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer}: {reason}")
        self.pointer = pointer
        self.reason = reason


def carry_patch(base: Any, theirs: Operations, operations: Operations) -> Operations:
    """The operations, meant for `base`, with pointers for `apply_patch(base, theirs)`.

    Raises:
        Astray: a pointer cannot be carried over.
    """
    here, there = IdentityTree(base), IdentityTree(base)
    for operation in theirs:
        _carrying_perform(there, operation, THEIRS)
    return [_carry(here, there, operation) for operation in operations]


def _carry(here: IdentityTree, there: IdentityTree, operation: dict[str, Any]) -> dict[str, Any]:
    kind, path = operation["op"], split_pointer(operation["path"])
    carried = dict(operation)
    if kind in ("move", "copy"):
        source = split_pointer(operation["from"])
        new_source = _existing(here, there, source)
        carried["from"] = _pointer(operation["from"], source, new_source)
        if kind == "move" and source == path:
            return carried | {"path": carried["from"]}
        if kind == "move":
            nodes = here.take(source), there.take(new_source)
        else:
            nodes = (
                here.make(here.find(source).value(), OURS),
                there.make(there.find(new_source).value(), OURS),
            )
    elif kind in ("add", "replace"):
        nodes = here.make(operation["value"], OURS), there.make(operation["value"], OURS)
    else:
        new_path = _existing(here, there, path)
        if kind == "remove":
            here.take(path)
            there.take(new_path)
        return carried | {"path": _pointer(operation["path"], path, new_path)}
    if kind == "replace":
        new_path = _existing(here, there, path)
        here.exchange(path, nodes[0])
        there.exchange(new_path, nodes[1])
    else:
        new_path = _carrying_placing(here, there, path, nodes[0])
        here.put(path, nodes[0])
        there.put(new_path, nodes[1])
    return carried | {"path": _pointer(operation["path"], path, new_path)}


def _carrying_perform(tree: IdentityTree, operation: dict[str, Any], owner: str) -> None:
    kind, path = operation["op"], split_pointer(operation["path"])
    if kind == "remove":
        tree.take(path)
    elif kind == "replace":
        tree.exchange(path, tree.make(operation["value"], owner))
    elif kind == "add":
        tree.put(path, tree.make(operation["value"], owner))
    elif kind == "copy":
        tree.put(path, tree.make(tree.find(split_pointer(operation["from"])).value(), owner))
    elif kind == "move" and operation["from"] != operation["path"]:
        tree.put(path, tree.take(split_pointer(operation["from"])))


def _container(here: IdentityTree, there: IdentityTree, tokens: Sequence[str]) -> tuple[Node, Node]:
    """The container of a place, in both trees."""
    container = here.find(tokens[:-1])
    same = there.standing(container.identity)
    if same is None:
        raise Astray(join_pointer(tokens), f"{join_pointer(tokens[:-1]) or 'the document'} was replaced or removed")
    return container, same


def _existing(here: IdentityTree, there: IdentityTree, tokens: Sequence[str]) -> list[str]:
    if not tokens:
        return []
    container, same = _container(here, there, tokens)
    way = there.tokens_of(same)
    if isinstance(container.content, list):
        place = container.content[int(tokens[-1])].place.identity
        for index, node in enumerate(same.content):
            if node.place.identity == place:
                return [*way, str(index)]
    elif tokens[-1] in same.content:
        return [*way, tokens[-1]]
    raise Astray(join_pointer(tokens), "it was removed")


def _carrying_placing(here: IdentityTree, there: IdentityTree, tokens: Sequence[str], node: Node) -> list[str]:
    if not tokens:
        return []
    container, same = _container(here, there, tokens)
    way = there.tokens_of(same)
    if not isinstance(container.content, list):
        return [*way, tokens[-1]]
    index = len(container.content) if tokens[-1] == END else int(tokens[-1])
    found = _gap(container.content, same.content, index, node, join_pointer(tokens))
    return [*way, END if tokens[-1] == END and found == len(same.content) else str(found)]


def _gap(here: list[Node], there: list[Node], index: int, node: Node, pointer: str) -> int:
    """Where in `there` the gap is that stands before `index` in `here`: between the same neighbours."""
    positions = {each.place.identity: position for position, each in enumerate(there)}
    before = [positions[each.place.identity] for each in here[:index] if each.place.identity in positions]
    after = [positions[each.place.identity] for each in here[index:] if each.place.identity in positions]
    low, high = (before[-1] + 1 if before else 0), (after[0] if after else len(there))
    if low > high:
        raise Astray(pointer, "the elements around it were put into another order")
    newcomers = [element_name(each.value()) for each in there[low:high]]
    name = element_name(node.value())
    if newcomers and (name is None or None in newcomers):
        raise Astray(pointer, "both insert at the same place, and which comes first is not said")
    if name in newcomers:
        raise Astray(pointer, f"both add an element called {name!r}")
    # Elements with names are called by them, not by their order: sorted, both orders of the patches end alike.
    return next((low + n for n, other in enumerate(newcomers) if str(other) > str(name)), high)


def _pointer(text: str, tokens: Sequence[str], new_tokens: Sequence[str]) -> str:
    return text if list(tokens) == list(new_tokens) else join_pointer(new_tokens)


# Which places of a document a patch reads and writes, told in the document as it was before the patch.

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


SHOWN_MEETINGS = 5


@dataclass(frozen=True)
class Rebased:
    """The patches commute: the operations do on the new document what they were meant to do on the old one."""

    operations: Operations


@dataclass(frozen=True)
class PatchConflict:
    """The patches do not commute."""

    reason: str
    """Where they meet and what each does there, in words."""
    pointers: tuple[str, ...]
    """The places that both touch, in the document that both were made for."""


def rebase_patch(base: Any, theirs: Operations, operations: Operations) -> Rebased | PatchConflict:
    """Carry a patch over to the document that another patch has made of the same base.

    When they commute, the result is the same whichever of them comes first. Who asks with the two exchanged gets the
    same kind of answer, and the same pointers.

    Args:
        base: the document that both were made for.
        theirs: what has been applied to it since.
        operations: what is to be applied now.

    Raises:
        PatchError: one of the patches cannot be applied to the base.
    """
    first, second = apply_patch(base, theirs), apply_patch(base, operations)
    if not theirs:
        return Rebased(operations)
    others, own = touches_of(base, theirs), touches_of(base, operations)
    meetings = [(there, here) for there in others for here in own if there.meets(here)]
    if meetings:
        return _meeting(meetings, base)
    ours_over_theirs = _carried(base, theirs, operations, first)
    theirs_over_ours = _carried(base, operations, theirs, second)
    if isinstance(ours_over_theirs, PatchConflict) or isinstance(theirs_over_ours, PatchConflict):
        return _together(ours_over_theirs, theirs_over_ours)
    if not same_json(ours_over_theirs.document, theirs_over_ours.document):
        return PatchConflict("The result would depend on which of the two changes comes first.", ())
    return Rebased(ours_over_theirs.operations)


def rebase_between(base: Any, current: Any, operations: Operations) -> Rebased | PatchConflict:
    """Carry a patch over from one document to another, whatever has led from the one to the other.

    Raises:
        PatchError: the patch cannot be applied to the base.
    """
    return rebase_patch(base, difference(base, current), operations)


@dataclass(frozen=True)
class _Carried:
    """A patch for the document that the other one has made, and what it makes of it."""

    operations: Operations
    document: Any


def _carried(base: Any, theirs: Operations, operations: Operations, moved_on: Any) -> _Carried | PatchConflict:
    try:
        carried = carry_patch(base, theirs, operations)
        return _Carried(carried, apply_patch(moved_on, carried))
    except Astray as astray:
        return PatchConflict(f"{astray.pointer}: {astray.reason}.", (astray.pointer,))
    except PatchError as error:
        return PatchConflict(f"After the other change: {error.message}", (error.pointer,))


def _together(*answers: _Carried | PatchConflict) -> PatchConflict:
    """What stands against either order."""
    conflicts = [answer for answer in answers if isinstance(answer, PatchConflict)]
    pointers = sorted({pointer for conflict in conflicts for pointer in conflict.pointers})
    return PatchConflict(" ".join(dict.fromkeys(conflict.reason for conflict in conflicts)), tuple(pointers))


def _meeting(meetings: list[tuple[Touch, Touch]], base: Any) -> PatchConflict:
    pointers = sorted({min(there.pointer, here.pointer, key=len) for there, here in meetings})
    lines = dict.fromkeys(
        f"Both touch {min(there.pointer, here.pointer, key=len) or 'the whole document'}: "
        f"the other change is {_quoted(there, base)}, this one {_quoted(here, base)}."
        for there, here in meetings
    )
    shown = list(lines)[:SHOWN_MEETINGS]
    more = f" And {len(lines) - len(shown)} more." if len(lines) > len(shown) else ""
    return PatchConflict(" ".join(shown) + more, tuple(pointers))


def _quoted(touch: Touch, base: Any) -> str:
    return f"“{describe_operation(touch.operation, base)}”"
