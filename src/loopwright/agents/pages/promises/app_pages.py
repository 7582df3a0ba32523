"""The app as the checks see it: all pages at one moment, each parsed when it is first asked for."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.cascade.colours import colour_names
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.page import Page

UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "title"})
"""Elements whose text nobody reads on the page."""


@lru_cache(maxsize=32)
def _parsed(html: str, css: str, slug: str) -> Page:
    return Page.read(html, css=css, slug=slug, known_slugs=None)


@lru_cache(maxsize=64)
def _document(html: str) -> LexborHTMLParser:
    return LexborHTMLParser(html)


class AppPages:
    """Pages by slug under one design system; `planned` are those that links may lead to although they are not made."""

    def __init__(self, sources: Mapping[str, str], css: str, planned: tuple[str, ...] = ()) -> None:
        """Keep the sources; nothing is parsed yet."""
        self.sources = dict(sources)
        self.css = css
        self.known = frozenset((*sources, *planned))
        self._planned = planned

    def source(self, slug: str) -> str | None:
        """The page's HTML, or None when there is no such page."""
        return self.sources.get(slug)

    def document(self, slug: str) -> LexborHTMLParser:
        """The page's DOM alone, which costs next to nothing."""
        return _document(self.sources[slug])

    def page(self, slug: str) -> Page:
        """The page with its computed styles; the same page under the same styles is read once."""
        return _parsed(self.sources[slug], self.css, slug)

    def replaced(self, slug: str, html: str) -> "AppPages":
        """The app with another version of one page."""
        return AppPages({**self.sources, slug: html}, self.css, self._planned)

    def without(self, slug: str) -> "AppPages":
        """The app without one page, which no link may lead to any more."""
        others = {name: html for name, html in self.sources.items() if name != slug}
        return AppPages(others, self.css, tuple(name for name in self._planned if name != slug))

    def restyled(self, css: str) -> "AppPages":
        """The app under another design system."""
        return AppPages(self.sources, css, self._planned)


def find(document: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """All elements that match, in document order, each once."""
    return list({node.mem_id: node for node in document.css(selector)}.values())


def normalised(text: str) -> str:
    """Words as they are compared: one blank between them, case aside."""
    return " ".join(text.split()).casefold()


def seen_text(node: LexborNode) -> str:
    """The words of an element as people read them, one blank between them."""
    pieces: list[str] = []
    unseen: set[int] = set()
    for child in node.traverse(include_text=True):
        parent = child.parent
        if parent is not None and parent.mem_id in unseen:
            unseen.add(child.mem_id)
        elif child.tag == "-text":
            pieces.append(child.text_content or "")
        elif child.tag in UNSEEN:
            unseen.add(child.mem_id)
    return " ".join(" ".join(pieces).split())


def certainly_hidden(page: Page, node: LexborNode) -> bool:
    """Whether a style or the `hidden` attribute keeps an element from being seen, without any doubt."""
    if page.cascade.value(node, "visibility") in ("hidden", "collapse"):
        return True
    current: LexborNode | None = node
    while current is not None:
        if page.cascade.value(current, "display") == "none":
            return True
        current = element_parent(current)
    return False


# Whether words speak of the same thing: what ties a check to the request that it is made of.

_WORD = re.compile(r"[a-z0-9]{3,}")
_PAIR = re.compile(r"(?=([\u3400-\u9fff]{2}))")
_STOP = frozenset({
    "the", "and", "for", "with", "that", "this", "page", "pages", "app", "add", "make", "its", "are", "all", "from",
    "into", "out", "but", "not", "too", "more", "less", "one", "two", "new", "now", "can", "you", "please", "want",
    "need", "should", "would", "like", "have", "has", "was", "were", "them", "they", "there", "then", "than", "here",
    "onto", "also", "just", "some", "any", "each", "every", "put", "set", "use", "show", "give", "let", "get",
    "change", "changed", "button", "section", "screen", "top", "bottom", "left", "right",
})  # fmt: skip
_NO_SUBJECT = frozenset({
    "background", "color", "style", "font", "size", "expected", "seen", "least", "word", "link", "remove", "delete",
    "make", "body", "text", "bigger", "smaller", "larger", "dark", "light", "data", "class", "index",
})  # fmt: skip
"""Words that say how or what is done, or that every check has: two texts that share one need not speak of the same."""

_REMOVAL = re.compile(
    r"\b(?:remove|delete|drop|hide|without|get rid of|take (?:away|out|off)|no longer|no more|kill|omit|strip)\b"
    r"|去掉|删除|移除|隐藏|不要|取消",
    re.IGNORECASE,
)
_HOUSEKEEPING = re.compile(
    r"\bmend what the validation reports\b|\bvalidat(?:e|ion|or)\b|\bcompliance\b|\btouch[- ]targets?\b|\baccessib"
    r"|\bcontrast\b|\bviewport\b|\bduplicate id|\bbroken links?\b|\bmobile rules?\b",
    re.IGNORECASE,
)


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, a plural as its singular; of Chinese text, pairs of signs."""
    words = _WORD.findall(re.sub(r"[-_]", " ", text.lower().replace("favour", "favor").replace("colour", "color")))
    kept = {singular(word) for word in words if word not in _STOP}
    return frozenset(kept | set(_PAIR.findall(text)))


def singular(word: str) -> str:
    """A word without the ending of a plural, so that “prices” is “price”; the same for every spelling of it."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


def subject_words(text: str) -> frozenset[str]:
    """The words that say what a text is about, colours aside: “the header, green” speaks of the header."""
    return content_words(text) - frozenset(colour_names()) - _NO_SUBJECT


def common_words(one: str, other: str) -> int:
    """How many words with meaning two texts have in common."""
    return len(content_words(one) & content_words(other))


def says(text: str, words: str) -> bool:
    """Whether a text has these very words, as words of their own: “newsletter” does not say “news”."""
    wanted = normalised(words)
    if not wanted:
        return False
    start = r"(?<![a-z0-9])" if wanted[0].isascii() else ""
    end = r"(?![a-z0-9])" if wanted[-1].isascii() else ""
    return re.search(start + re.escape(wanted) + end, normalised(text)) is not None


def asks_for_removal(text: str) -> bool:
    """Whether the words ask for something to go."""
    return bool(_REMOVAL.search(text))


def is_housekeeping(instructions: str, request: str) -> bool:
    """Whether an edit follows from a check of the page and not from the user's request."""
    return bool(_HOUSEKEEPING.search(instructions)) and not _HOUSEKEEPING.search(request)


# By what an element can be recognised in later versions of its page: names, not places.

NAMED_BY_TEXT = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "button", "summary", "label", "legend", "th"})
"""Elements that people call by what they say."""

FIELDS = frozenset({"input", "select", "textarea", "form", "output", "meter", "progress"})
MAX_TEXT = 80
"""Characters of words by which an element is recognised; longer ones are content, no name."""

_PLAIN = re.compile(r"[A-Za-z_][\w-]{0,60}")
_DRAWING = frozenset({"path", "g", "circle", "rect", "defs", "stop", "line", "ellipse", "polygon", "use", "symbol"})


@dataclass(frozen=True, slots=True)
class Name:
    """One way to recognise an element: a selector, and the words that it must contain where it is known by them."""

    selector: str
    text: str | None = None


def names_of(node: LexborNode) -> Iterator[Name]:
    """The names of an element, the most lasting first; none for one that only its place tells apart."""
    tag, attributes = node.tag or "*", node.attributes
    if tag in _DRAWING or (node.parent is not None and node.parent.tag == "defs"):
        return
    identifier = attributes.get("id") or ""
    if _PLAIN.fullmatch(identifier):
        yield Name(f"#{identifier}")
    hooks = [name for name in attributes if name.startswith("data-") and _PLAIN.fullmatch(name)]
    for hook in hooks:
        yield Name(f"[{hook}]")
    if tag in FIELDS and (name := attributes.get("name")) and _quotable(name):
        yield Name(f'{tag}[name="{name}"]')
    if (label := attributes.get("aria-label")) and _quotable(label):
        yield Name(f'{tag}[aria-label="{label}"]')
    if tag == "img" and (alt := attributes.get("alt")) and _quotable(alt):
        yield Name(f'img[alt="{alt}"]')
    if tag in NAMED_BY_TEXT and 0 < len(words := seen_text(node)) <= MAX_TEXT:
        yield Name(tag, words)
    for hook in hooks:
        value = attributes.get(hook)
        if value and _quotable(value):
            yield Name(f'[{hook}="{value}"]')


def class_names_of(node: LexborNode) -> list[str]:
    """The classes of an element that can stand in a selector."""
    return [name for name in (node.attributes.get("class") or "").split() if _PLAIN.fullmatch(name)]


def element_names(selector: str) -> list[frozenset[str]]:
    """The names by which the last compound of a selector calls its element, each as the words that it is made of.

    None for a selector that leads to several things, or to one by its place: `.cart .badge` is not called cart.
    """
    last = re.split(r"[\s>+~]+", selector.strip())[-1]
    if "," in selector or ":" in last:
        return []
    marks = re.findall(r"(?:^|[.#])([A-Za-z][\w-]*)|\[(?:data-)?([\w-]+)(?:=[^\]]*)?\]", last)
    return [
        frozenset(singular(word) for word in re.split(r"[-_]+", (one or two).lower()) if word) for one, two in marks
    ]


def lasting_selector(node: LexborNode, document: LexborHTMLParser) -> str | None:
    """A selector that recognises the element later: by a name, else by its tag with its first classes."""
    for name in names_of(node):
        if name.text is None and len(find(document, name.selector)) == 1:
            return name.selector
    classes = class_names_of(node)
    if classes:
        return f"{node.tag}.{classes[0]}"
    return node.tag if node.tag in ("h1", "header", "footer", "main", "nav", "body") else None


def known_names(document: LexborHTMLParser) -> dict[Name, list[LexborNode]]:
    """All names of a page with the elements that bear them, in document order; words are compared without case."""
    found: dict[Name, list[LexborNode]] = defaultdict(list)
    for node in find(document, "*"):
        for name in names_of(node):
            found[comparable(name)].append(node)
    return found


def comparable(name: Name) -> Name:
    """The name as it is compared with others."""
    return name if name.text is None else Name(name.selector, normalised(name.text))


def _quotable(value: str) -> bool:
    return 0 < len(value) <= MAX_TEXT and not any(sign in value for sign in '"\\\n]')
