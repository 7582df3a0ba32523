"""Carries a patch over to a document that another patch has changed: pointers are sent to where their targets stand."""

from collections.abc import Sequence
from typing import Any

from loopwright.agents.designspec.patches.apply import Operations
from loopwright.agents.designspec.patches.places import END, element_name, join_pointer, split_pointer
from loopwright.agents.designspec.patches.tree import IdentityTree, Node

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
        _perform(there, operation, THEIRS)
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
        new_path = _placing(here, there, path, nodes[0])
        here.put(path, nodes[0])
        there.put(new_path, nodes[1])
    return carried | {"path": _pointer(operation["path"], path, new_path)}


def _perform(tree: IdentityTree, operation: dict[str, Any], owner: str) -> None:
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


def _placing(here: IdentityTree, there: IdentityTree, tokens: Sequence[str], node: Node) -> list[str]:
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
