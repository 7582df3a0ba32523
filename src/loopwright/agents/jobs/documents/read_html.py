"""HTML: headings, paragraphs, items and rows of what a reader sees, without scripts, navigation and hidden parts."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loopwright.agents.jobs.documents.decoding import decoded
from loopwright.agents.jobs.documents.document import Block, Document, page_of
from loopwright.agents.jobs.documents.limits import MAX_CHARACTERS
from loopwright.agents.jobs.documents.titles import shortened, title_of
from loopwright.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

UNSEEN = (
    "script", "style", "noscript", "template", "svg", "iframe", "object", "select", "nav", "math", "canvas", "textarea",
)  # fmt: skip
HIDDEN = (
    '[hidden], [aria-hidden="true"], [style*="display:none" i], [style*="display: none" i], '
    '[style*="visibility:hidden" i], [style*="visibility: hidden" i]'
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
INLINE_NAMES = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike "
    "strong sub sup time tt u var wbr td th"
)
INLINE = frozenset(INLINE_NAMES.split())
"""Elements inside a line; cells count as such, because a row is one line."""
PARTING = frozenset(("-text", "br", "td", "th"))
MAX_DEPTH = 400
CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{2,40})""", re.IGNORECASE)
CHARSET_WITHIN = 2_048
BULLET = "•"


def read_html(name: str, data: bytes) -> Document:
    """Read it as one page.

    Raises:
        InvalidInput: it has no text, or too much.
    """
    from selectolax.lexbor import LexborHTMLParser

    charset = CHARSET.search(data[:CHARSET_WITHIN])
    tree = LexborHTMLParser(decoded(name, data, charset[1].decode("ascii") if charset else ""))
    titled = tree.css_first("title")
    title = shortened(titled.text()) if titled is not None else ""
    tree.strip_tags(list(UNSEEN))
    for node in tree.css(HIDDEN):
        node.decompose()
    blocks = list(_blocks(name, tree.body)) if tree.body is not None else []
    if not blocks:
        raise InvalidInput(f"{name} has no text.", hint="Save the page as the browser shows it, and give that file.")
    if sum(len(block.text) for block in blocks) > MAX_CHARACTERS:
        raise InvalidInput(f"{name} has more than {MAX_CHARACTERS:,} characters of text.", hint="Split the document.")
    page = page_of(1, blocks)
    return Document("html", title or title_of([page], name), (page,))


def _blocks(name: str, body: "LexborNode") -> Iterator[Block]:
    """Runs of text that stand in the same element, inline elements put aside."""
    words: list[str] = []
    holder = body
    for node, above in _texts(name, body):
        if above.mem_id != holder.mem_id:
            yield from _block(words, holder)
            words, holder = [], above
        if node.tag == "-text":
            words.append(node.text_content or "")
        else:
            words.append(" " if node.tag == "br" else " | ")
    yield from _block(words, holder)


def _texts(name: str, body: "LexborNode") -> Iterator[tuple["LexborNode", "LexborNode"]]:
    """Texts, line breaks and cells in their order, each with the nearest element around it that is no inline element.

    Raises:
        InvalidInput: elements stand in one another deeper than any page needs.
    """
    holders = [body]
    node = body
    while True:
        if node.tag in PARTING:
            yield node, holders[-1]
        if node.first_child is not None:
            holders.append(holders[-1] if node.tag in INLINE else node)
            node = node.first_child
            if len(holders) > MAX_DEPTH:
                raise InvalidInput(
                    f"{name} nests its elements more than {MAX_DEPTH} deep.", hint="Save the page as text or as PDF."
                )
            continue
        while node.next is None:
            if len(holders) == 1 or node.parent is None:
                return
            node = node.parent
            holders.pop()
        if len(holders) == 1:
            return
        node = node.next


def _block(words: list[str], holder: "LexborNode") -> Iterator[Block]:
    text = " ".join("".join(words).split()).strip("| ")
    if not text:
        return
    tag = holder.tag or ""
    if tag in HEADINGS:
        yield Block("heading", text, HEADINGS[tag])
    elif tag in ("li", "dd"):
        yield Block("item", text, 1, BULLET)
    else:
        yield Block("paragraph", text)
