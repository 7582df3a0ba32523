"""A document whose containers and array places keep their identity while operations change it.

Indices shift and pointers with them; identities do not. Two trees that grew from the same document by different patches
can so be asked where the same thing stands in each.
"""

import difflib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jsonpointer import JsonPointer, JsonPointerException

from loopwright.kernel.errors import InvalidInput

# What is wrong with a patch.


class PatchError(InvalidInput):
    """An operation that cannot be applied.

    Args:
        reason: what is wrong, as a clause without a full stop.
        index: the operation's place in the patch, from 0; None when the patch as a whole is at fault.
        operation: what it is called, like `replace /meta/seed`.
        pointer: the JSON pointer of the culprit.
        hint: what exists there, or what to write instead.
    """

    def __init__(
        self, reason: str, *, index: int | None = None, operation: str = "", pointer: str = "", hint: str = ""
    ) -> None:
        """Put the place before the reason."""
        place = f"The patch: {reason}." if index is None else f"Operation {index} ({operation}): {reason}."
        super().__init__(place, hint=hint)
        self.index = index
        self.pointer = pointer
        self.reason = reason


# The tree.
#
# JSON pointers (RFC 6901), and names in the place of array indices.

INDEX = re.compile("0|[1-9][0-9]*")
END = "-"
"""The token for the place after an array's last element."""
SHOWN_NAMES = 12
NAMING_MEMBERS = ("id", "name")
"""The members by which an array's element may be called: components have ids, ports have names."""


def split_pointer(pointer: str) -> list[str]:
    """The pointer's tokens, unescaped; none for the whole document.

    Raises:
        InvalidInput: it is not a JSON pointer.
    """
    try:
        return list(JsonPointer(pointer).parts)
    except JsonPointerException as error:
        raise InvalidInput(
            f"{shorten(pointer)!r} is not a JSON pointer: {error}.",
            hint="A pointer is like /components/0/id; write ~0 for ~ and ~1 for / inside a name.",
        ) from error


def join_pointer(tokens: Sequence[str | int]) -> str:
    """The pointer of these tokens."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def element_name(element: Any) -> str | None:
    """What an array's element is called, or None when it has no name."""
    if isinstance(element, dict):
        for member in NAMING_MEMBERS:
            if isinstance(element.get(member), str) and element[member]:
                return str(element[member])
    return None


def step_into(value: Any, token: str) -> Any:
    """The member or the element that the token names.

    Raises:
        KeyError: there is none.
    """
    if isinstance(value, dict):
        return value[token]
    if isinstance(value, list) and INDEX.fullmatch(token) and len(token) < 10 and int(token) < len(value):
        return value[int(token)]
    raise KeyError(token)


def look_up(document: Any, tokens: Sequence[str]) -> Any:
    """The value at the place that the tokens lead to.

    Raises:
        KeyError: there is none.
    """
    for token in tokens:
        document = step_into(document, token)
    return document


def explain_missing(document: Any, tokens: Sequence[str]) -> tuple[str, str] | None:
    """Where the way of the tokens ends: what is wrong there and what exists there; None when it leads to a value."""
    for depth, token in enumerate(tokens):
        try:
            document = step_into(document, token)
        except KeyError:
            return _explain_step(document, shorten(join_pointer(tokens[:depth])) or "the document", token)
    return None


def _explain_step(value: Any, place: str, token: str) -> tuple[str, str]:
    shown = repr(shorten(token))
    if isinstance(value, dict):
        return f"{place} has no member {shown}", names_hint(token, list(value))
    if not isinstance(value, list):
        return f"{place} is {kind_of(value)}, so there is nothing below it", ""
    names = [name for element in value if (name := element_name(element))]
    if token == END:
        return f"{place}/- is the place after the last element; nothing is there yet", names_hint(token, names)
    if INDEX.fullmatch(token):
        count = f"{len(value)} element{'' if len(value) == 1 else 's'}"
        return f"{place} has {count}, so there is no index {shown}", names_hint(token, names)
    return f"{place} is an array, and none of its elements is called {shown}", names_hint(token, names)


def names_hint(wanted: str, names: Sequence[str]) -> str:
    """Which of the names is near to the wanted one, and which there are."""
    if not names:
        return "It is empty."
    near = difflib.get_close_matches(wanted[:100], names, 1, 0.6)
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    there = f"There are: {', '.join(shorten(name) for name in names[:SHOWN_NAMES])}{more}."
    return f"Did you mean {near[0]!r}? {there}" if near else there


def kind_of(value: Any) -> str:
    """The JSON type of a value, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {dict: "an object", list: "an array", str: "a string", int: "a number", float: "a number"}
    return kinds.get(type(value), f"a Python {type(value).__name__}")


def shorten(text: str, length: int = 120) -> str:
    """The text, cut where it would flood a message."""
    return text if len(text) <= length else text[: length - 1] + "…"


# Limits on patches and on what they make: nobody needs more, and hostile ones do.

MAX_OPERATIONS = 200
MAX_COPIES = 20
MAX_POINTER_LENGTH = 1_000
MAX_DEPTH = 64
MAX_DOCUMENT_BYTES = 2_000_000
MAX_PATCH_BYTES = 2 * MAX_DOCUMENT_BYTES
"""An inverse carries what its patch threw away: never more than a document, and the operations around it."""

OPERATION_MEMBERS = {
    "add": ("path", "value"),
    "remove": ("path",),
    "replace": ("path", "value"),
    "move": ("from", "path"),
    "copy": ("from", "path"),
    "test": ("path", "value"),
}


def check_value(value: Any) -> int:
    """Check a JSON value and answer its size as compact UTF-8 JSON, in bytes.

    Raises:
        PatchError: it is nested too deeply, no JSON, not finite, or no valid Unicode.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            break
    else:
        raise PatchError(f"it is nested more than {MAX_DEPTH} levels deep")
    try:
        return len(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())
    except UnicodeEncodeError as error:
        raise PatchError("a text in it is not valid Unicode") from error


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise PatchError("an object in it has a member whose name is not a string")
        return [*value.keys(), *value.values()]
    if isinstance(value, list):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise PatchError(f"a number in it is not finite ({value})")
    if isinstance(value, int) and abs(value).bit_length() > 1_023:
        raise PatchError("a whole number in it is too large")
    if value is not None and not isinstance(value, str | int | float):
        raise PatchError(f"it holds a Python {type(value).__name__}, which is not JSON")
    return []


def check_document(document: Any) -> None:
    """Check what a patch has made.

    Raises:
        PatchError: it is not JSON, too deep or too large.
    """
    size = check_value(document)
    if size > MAX_DOCUMENT_BYTES:
        raise PatchError(
            f"the document would have {size / 1e6:.1f} MB; at most {MAX_DOCUMENT_BYTES / 1e6:.0f} MB are taken",
            hint="Large data belongs into files that the document names.",
        )


def check_operations(operations: Any) -> None:
    """Check the form of a patch: types, members, pointers' lengths, numbers and sizes.

    Raises:
        PatchError: naming the first operation that is not as RFC 6902 wants it, or the limit that is passed.
    """
    if not isinstance(operations, list):
        raise PatchError("a patch is an array of operations", hint='Like [{"op": "add", "path": "/a", "value": 1}].')
    if len(operations) > MAX_OPERATIONS:
        raise PatchError(f"it has {len(operations)} operations; at most {MAX_OPERATIONS} are taken")
    copies = 0
    total = 0
    for index, operation in enumerate(operations):
        total += _check_operation(operation, index)
        copies += operation["op"] == "copy"
    if copies > MAX_COPIES:
        raise PatchError(f"it has {copies} copy operations; at most {MAX_COPIES} are taken")
    if total > MAX_PATCH_BYTES:
        raise PatchError(f"it has {total / 1e6:.1f} MB; at most {MAX_PATCH_BYTES / 1e6:.0f} MB are taken")


def _check_operation(operation: Any, index: int) -> int:
    if not isinstance(operation, dict) or not all(isinstance(key, str) for key in operation):
        raise PatchError("an operation is an object", index=index, operation=type(operation).__name__)
    kind = operation.get("op")
    if not isinstance(kind, str) or kind not in OPERATION_MEMBERS:
        known = ", ".join(OPERATION_MEMBERS)
        raise PatchError("its `op` is none of RFC 6902", index=index, operation=str(kind)[:40], hint=f"Use {known}.")
    pointers = [operation.get(member) for member in ("path", "from") if member in OPERATION_MEMBERS[kind]]
    name = name_operation(operation)
    for member in OPERATION_MEMBERS[kind]:
        if member not in operation:
            raise PatchError(f"it lacks the member `{member}`", index=index, operation=name)
    for pointer in pointers:
        if not isinstance(pointer, str):
            raise PatchError("a pointer must be a string", index=index, operation=name)
        if len(pointer) > MAX_POINTER_LENGTH:
            reason = f"a pointer has {len(pointer)} characters; at most {MAX_POINTER_LENGTH} are taken"
            raise PatchError(reason, index=index, operation=name)
        try:
            split_pointer(pointer)
        except InvalidInput as error:
            reason = error.message.removesuffix(".")
            raise PatchError(reason, index=index, operation=name, pointer=pointer, hint=error.hint) from error
    try:
        return sum(check_value(operation[member]) for member in operation)
    except PatchError as error:
        path = str(operation["path"])
        raise PatchError(error.reason, index=index, operation=name, pointer=path, hint=error.hint) from error


def name_operation(operation: dict[str, Any]) -> str:
    """What an operation is called in messages, like `move /a → /b`."""
    ends = [str(operation[member]) for member in ("from", "path") if member in operation]
    if operation.get("op") not in ("move", "copy"):
        ends = ends[-1:]
    return f"{operation.get('op')} " + " → ".join(end[:100] or '""' for end in ends)


Identity = tuple[str, int]
Path = tuple[str | int, ...]
BASE = "base"


@dataclass(frozen=True)
class Slot:
    """An array's place: it stays when its element is replaced, and goes when the element is removed."""

    identity: Identity
    base_path: Path | None
    """Where it was in the document that the tree was made of; None for one that came later."""


class Node:
    """A value in the tree: `content` holds nodes by name, nodes in order, or a scalar."""

    __slots__ = ("base_path", "content", "identity", "parent", "place")

    def __init__(self, identity: Identity, base_path: Path | None) -> None:
        self.identity = identity
        self.base_path = base_path
        self.content: Any = None
        self.parent: Node | None = None
        self.place = Slot(identity, base_path)

    def value(self) -> Any:
        """The plain JSON value."""
        if isinstance(self.content, dict):
            return {key: child.value() for key, child in self.content.items()}
        if isinstance(self.content, list):
            return [child.value() for child in self.content]
        return self.content


class IdentityTree:
    """The tree of one document. Its operations take for granted that the patch can be applied."""

    def __init__(self, document: Any) -> None:
        self._counts: dict[str, int] = {}
        self._nodes: dict[Identity, Node] = {}
        self.root = self.make(document, BASE, ())

    def make(self, value: Any, owner: str, base_path: Path | None = None) -> Node:
        """Nodes for a value. The same values made in the same order have the same identities in every tree."""
        number = self._counts.get(owner, 0)
        self._counts[owner] = number + 1
        node = Node((owner, number), base_path)
        self._nodes[node.identity] = node
        if isinstance(value, dict):
            node.content = {key: self.make(child, owner, _below(base_path, key)) for key, child in value.items()}
        elif isinstance(value, list):
            node.content = [self.make(child, owner, _below(base_path, index)) for index, child in enumerate(value)]
        else:
            node.content = value
        for child in children_of(node):
            child.parent = node
        return node

    def find(self, tokens: Sequence[str]) -> Node:
        """The node that the tokens lead to."""
        node = self.root
        for token in tokens:
            node = node.content[int(token) if isinstance(node.content, list) else token]
        return node

    def standing(self, identity: Identity) -> Node | None:
        """The node of this identity, if it is still part of the document."""
        node = found = self._nodes.get(identity)
        while node is not None and node.parent is not None:
            node = node.parent
        return found if node is self.root else None

    def tokens_of(self, node: Node) -> list[str]:
        """The tokens that lead to a standing node."""
        tokens: list[str] = []
        while node.parent is not None:
            siblings = node.parent.content
            pairs = siblings.items() if isinstance(siblings, dict) else enumerate(siblings)
            tokens.append(str(next(key for key, child in pairs if child is node)))
            node = node.parent
        return tokens[::-1]

    def put(self, tokens: Sequence[str], node: Node) -> None:
        """Add a node at a place: a member is set, into an array it is inserted."""
        if not tokens:
            self._set_root(node)
            return
        parent = self.find(tokens[:-1])
        node.parent = parent
        if isinstance(parent.content, list):
            parent.content.insert(len(parent.content) if tokens[-1] == END else int(tokens[-1]), node)
        else:
            _cut(parent.content.get(tokens[-1]))
            parent.content[tokens[-1]] = node

    def exchange(self, tokens: Sequence[str], node: Node) -> None:
        """Replace what is at a place; an array's place stays the same."""
        if not tokens:
            self._set_root(node)
            return
        parent = self.find(tokens[:-1])
        key = int(tokens[-1]) if isinstance(parent.content, list) else tokens[-1]
        node.parent, node.place = parent, parent.content[key].place
        _cut(parent.content[key])
        parent.content[key] = node

    def take(self, tokens: Sequence[str]) -> Node:
        """Remove what is at a place, and answer it."""
        parent = self.find(tokens[:-1])
        taken: Node = parent.content.pop(int(tokens[-1]) if isinstance(parent.content, list) else tokens[-1])
        _cut(taken)
        return taken

    def _set_root(self, node: Node) -> None:
        node.parent = None
        self.root = node


def children_of(node: Node) -> list[Node]:
    """The nodes right below one."""
    if isinstance(node.content, dict):
        return list(node.content.values())
    return node.content if isinstance(node.content, list) else []


def _below(path: Path | None, token: str | int) -> Path | None:
    return None if path is None else (*path, token)


def _cut(node: Node | None) -> None:
    if node is not None:
        node.parent = None
