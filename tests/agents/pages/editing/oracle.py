"""A judge of edits that shares nothing with the product's verifier: trees of the standard library's parser.

Pages of the offline model close every tag, so html.parser's events make a tree without any repair rules. A page that
does not close every tag is refused by `read`, which is a finding of its own.
"""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass(eq=False)
class Node:
    """An element: its tag, attributes, and children in order; texts are children too."""

    tag: str
    attributes: tuple[tuple[str, str | None], ...]
    parent: "Node | None" = None
    children: "list[Node | str]" = field(default_factory=list)

    @property
    def elements(self) -> "list[Node]":
        """The children that are elements."""
        return [child for child in self.children if isinstance(child, Node)]

    @property
    def text(self) -> str:
        """The direct text, blanks aside."""
        return "".join(child for child in self.children if isinstance(child, str))

    def get(self, name: str) -> str:
        """An attribute's value, or nothing."""
        return dict(self.attributes).get(name) or ""

    def picture(self) -> str:
        """The subtree written out, every character of it."""
        inner = "".join(child if isinstance(child, str) else child.picture() for child in self.children)
        return f"<{self.tag} {self.attributes!r}>{inner}</{self.tag}>"

    def walk(self) -> "list[Node]":
        """This element and all in it."""
        return [self, *(node for child in self.elements for node in child.walk())]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("#document", ())
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, tuple(sorted(attrs)), self.open[-1])
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, tuple(sorted(attrs)), self.open[-1]))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        self.open[-1].children.append(f"<!--{data}-->")


def read(html: str) -> Node:
    """The page's tree; an AssertionError when a tag is not closed or closes another."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> is never closed"
    return reader.root


def find(root: Node, selector: str) -> Node:
    """The element of a selector made of `#id`, `tag`, `tag.class` and `tag:nth-of-type(n)`, joined by ` > `."""
    nodes = root.walk()
    for number, step in enumerate(selector.split(" > ")):
        if number:
            nodes = [child for node in nodes for child in node.elements]
        nodes = [node for node in nodes if _matches(node, step)]
    assert len(nodes) == 1, f"{selector} finds {len(nodes)}"
    return nodes[0]


def _matches(node: Node, step: str) -> bool:
    if step.startswith("#"):
        return node.get("id") == step[1:]
    if numbered := re.fullmatch(r"([\w-]+):nth-of-type\((\d+)\)", step):
        same = [n for n in node.parent.elements if n.tag == numbered[1]] if node.parent else [node]
        return node in same and same.index(node) + 1 == int(numbered[2])
    tag, _, name = step.partition(".")
    return node.tag == tag and (not name or name in node.get("class").split())


def untouched(before: str, after: str, changed: list[str]) -> int:
    """How many subtrees outside the changed elements are in the new page, each in its old place, unchanged.

    Fails when one of them is not, or when something new stands in an element that is not named as changed.
    """
    old, new = read(before), read(after)
    named = {find(old, selector) for selector in changed}
    above: set[Node] = set()
    for node in named:
        while node.parent is not None:
            node = node.parent
            above.add(node)
    return _compare(old, new, named, above)


def _compare(old: Node, new: Node, named: set[Node], above: set[Node]) -> int:
    if old not in named:
        assert old.attributes == new.attributes, f"{old.tag} has other attributes: {new.attributes}"
        assert old.text == new.text, f"{old.tag} says {new.text[:80]!r} instead of {old.text[:80]!r}"
    kept, position = 0, 0
    free = old in named or any(child in named for child in old.elements)
    for child in old.elements:
        if child in named and child not in above:
            kept += _kept_within(child, new.elements[position:])
            continue
        if child in above:
            index = _next(new.elements, position, lambda n, c=child: n.tag == c.tag and _same_name(n, c))
            kept += _compare(child, new.elements[index], named, above)
        else:
            picture = child.picture()
            index = _next(new.elements, position, lambda n, p=picture: n.picture() == p)
            kept += len(child.walk())
        assert free or index == position, f"something new stands in {old.tag} {old.get('id')}"
        position = index + 1
    assert free or position == len(new.elements), f"something new stands at the end of {old.tag} {old.get('id')}"
    return kept


def _kept_within(named: Node, candidates: list[Node]) -> int:
    """The subtrees in a changed element that stayed, where it still stands there: all of them, or it was replaced."""
    for candidate in candidates:
        if candidate.tag == named.tag and (not named.get("id") or candidate.get("id") == named.get("id")):
            pictures = [node.picture() for node in candidate.elements]
            if all(child.picture() in pictures for child in named.elements):
                return sum(len(child.walk()) for child in named.elements)
    return 0


def _same_name(one: Node, other: Node) -> bool:
    return one.get("id") == other.get("id") if other.get("id") else True


def _next(nodes: list[Node], start: int, wanted: object) -> int:
    for index in range(start, len(nodes)):
        if wanted(nodes[index]):  # type: ignore[operator]
            return index
    raise AssertionError("a subtree outside the edit is not where it was, or not what it was")
