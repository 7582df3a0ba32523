"""A page with a mark at every place where its source can be cut, so that the parser itself says what stands where.

No HTML parser tells positions that survive its own repairs (implied end tags, foster parenting, second bodies).
Instead of guessing them, the source gets a numbered attribute in every start tag and a numbered comment behind every
token.  Neither changes how a page is parsed (HTML standard, 13.2.6: comments are inserted in every insertion mode and
open or close nothing), so the parsed tree shows for each place which elements are open there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.markup import RAW_TEXT_ELEMENTS, Edit, Token, apply_edits, scan

MAXIMUM_DEPTH = 400
"""Elements nested deeper than this are not mapped: browsers stop at 512, and hostile pages nest without end."""

MAXIMUM_TOKENS = 200_000
"""A page of more tokens than this is not mapped; a megabyte of ordinary markup has about a fifth of them."""


class Unmappable(ValueError):
    """The page's markup leaves open what belongs to what; the message says where."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A parsed page with its marks: `attribute` is the marks' name, numbers are positions in `tokens`."""

    tokens: tuple[Token, ...]
    attribute: str
    document: LexborHTMLParser


@dataclass(frozen=True, slots=True)
class Placed:
    """A node of the parsed page; `number` is that of its start tag, None for elements that the parser implied."""

    node: LexborNode
    parent: "Placed | None"
    depth: int
    number: int | None


def mark(html: str) -> Marked:
    """Parse a page with its marks.

    Raises:
        Unmappable: the page has more tokens than are taken.
    """
    tokens = tuple(scan(html))
    if len(tokens) > MAXIMUM_TOKENS:
        raise Unmappable(f"the page has more than {MAXIMUM_TOKENS:,} tags and texts")
    name = _unused_name(html)
    edits: list[Edit] = []
    for number, token in enumerate(tokens):
        if token.kind == "start":
            after_name = token.start + 1 + len(token.name)
            edits.append(Edit(after_name, after_name, f' {name}="{number}"'))
        if has_mark_behind(tokens, number):
            edits.append(Edit(token.end, token.end, f"<!--{name}{number}-->"))
    return Marked(tokens, name, LexborHTMLParser(apply_edits(html, edits)))


def has_mark_behind(tokens: Sequence[Token], number: int) -> bool:
    """Whether a comment may stand behind a token: not within the text of a script, a style, a title and their like."""
    token = tokens[number]
    if token.kind == "unfinished" or (token.kind == "text" and token.name):
        return False
    return token.kind != "start" or token.name not in RAW_TEXT_ELEMENTS


def _unused_name(html: str) -> str:
    lowered = html.lower()
    return next(name for count in range(len(html) + 1) if (name := f"data-mark{count}x") not in lowered)


def walk(marked: Marked) -> list[Placed]:
    """All nodes in document order, contents of templates included.

    Raises:
        Unmappable: elements are nested too deeply.
    """
    found: list[Placed] = []
    root = marked.document.root
    document = None if root is None else root.parent
    stack: list[Placed] = [] if document is None else [Placed(document, None, 0, None)]
    while stack:
        placed = stack.pop()
        found.append(placed)
        if placed.depth > MAXIMUM_DEPTH:
            raise Unmappable(f"elements are nested more than {MAXIMUM_DEPTH} deep")
        if not (placed.node.is_element_node or placed.node.is_document_node):
            continue
        children = list(placed.node.iter(include_text=True))
        if placed.node.tag == "template":
            children += [node for part in placed.node.template_fragments() for node in part.iter(include_text=True)]
        stack += [
            Placed(child, placed, placed.depth + 1, _number(child, marked.attribute)) for child in reversed(children)
        ]
    return found


def _number(node: LexborNode, attribute: str) -> int | None:
    if not node.is_element_node:
        return None
    value = node.attributes.get(attribute)
    return int(value) if value is not None else None
