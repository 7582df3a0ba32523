"""A document whose containers and array places keep their identity while operations change it.

Indices shift and pointers with them; identities do not. Two trees that grew from the same document by different patches
can so be asked where the same thing stands in each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.patches.places import END

Identity = tuple[str, int]
Path = tuple[str | int, ...]
BASE = "base"


@dataclass(frozen=True)
class Place:
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
        self.place = Place(identity, base_path)

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
