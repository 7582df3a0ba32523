"""A page's source with the places of its elements, for edits that touch nothing else."""

import re
from dataclasses import dataclass
from functools import cache, cached_property

from loopwright.agents.pages.compliance.markup import Edit, Token, apply_edits, scan
from loopwright.agents.pages.offline.studio import details as resources

# The commonest requests in Chinese, said in English, for the rules that carry requests out.

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_QUOTES = "\"“”'‘’「」『』《》"
_POLITE = re.compile(r"^(?:请|麻烦|帮我|帮忙|我想|我要|能不能|可以|能否|你)+")
_END = re.compile(r"(?:吗|吧|呢|一下|。|！|？|\s)+$")


def to_english(text: str) -> str | None:
    """The request in English, as far as the vocabulary goes; None when it is not Chinese or not understood."""
    if _CHINESE.search(text) is None:
        return None
    intent = _END.sub("", _POLITE.sub("", text.strip()))
    for pattern, said in _forms():
        match = pattern.fullmatch(intent)
        if match is not None:
            values = {name: _translated(value or "") for name, value in match.groupdict().items()}
            if all(value is not None for value in values.values()):
                return said.format(**values)
    return None


def _translated(text: str) -> str | None:
    """A section of the vocabulary in English."""
    bare = text.strip().strip(_QUOTES)
    words = resources.read_json("chinese.json")["addition"]
    for word in sorted(words, key=len, reverse=True):
        if bare == word or bare.removesuffix("部分") == word:
            return str(words[word])
    return None


@cache
def _forms() -> tuple[tuple[re.Pattern[str], str], ...]:
    """How requests are put, and the same in English."""
    section = r"(?P<section>[\u4e00-\u9fffA-Za-z]{1,12}?)(?:部分|区域|板块|模块|栏目)?"
    forms = [
        (rf"(?:恢复|还原|找回)(?:旧的?|以前的?|之前的?|原来的?)?{section}", "restore the {section}"),
        (rf"(?:添加|增加|加上|加入|加)(?:一个|一段|个)?{section}", "add {section}"),
    ]
    return tuple((re.compile(pattern), said) for pattern, said in forms)


VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])


@dataclass(frozen=True, slots=True)
class Element:
    """An element's start tag, and where its content and the whole of it end in the source."""

    tag: Token
    content_end: int
    end: int

    @property
    def classes(self) -> frozenset[str]:
        """The names in its class attribute."""
        return frozenset((self.tag.value("class") or "").split())

    def matches(self, selector: str) -> bool:
        """Whether it is meant by a simple selector: `tag`, `.class` or `#id`."""
        if selector.startswith("."):
            return selector[1:] in self.classes
        if selector.startswith("#"):
            return self.tag.value("id") == selector[1:]
        return self.tag.name == selector


class Source:
    """One version of a page."""

    def __init__(self, html: str) -> None:
        """Read the page; nothing is scanned before it is asked for."""
        self.html = html

    @cached_property
    def tokens(self) -> list[Token]:
        """All tokens, in order."""
        return list(scan(self.html))

    @cached_property
    def elements(self) -> list[Element]:
        """All elements in the order of their start tags; one that is never closed ends where its parent does."""
        found: dict[int, Element] = {}
        open_tags: list[Token] = []
        for token in self.tokens:
            if token.kind == "start" and token.name not in VOID:
                open_tags.append(token)
            elif token.kind == "start":
                found[token.start] = Element(token, token.end, token.end)
            elif token.kind == "end" and any(tag.name == token.name for tag in open_tags):
                while open_tags:
                    tag = open_tags.pop()
                    own = tag.name == token.name
                    found[tag.start] = Element(tag, token.start, token.end if own else token.start)
                    if own:
                        break
        for tag in open_tags:
            found[tag.start] = Element(tag, len(self.html), len(self.html))
        return [found[start] for start in sorted(found)]

    def find(self, selector: str) -> list[Element]:
        """The elements that a simple selector means."""
        return [element for element in self.elements if element.matches(selector)]

    def first(self, *selectors: str) -> Element | None:
        """The first element that the first matching selector means."""
        return next((found[0] for selector in selectors if (found := self.find(selector))), None)

    def text_of(self, element: Element) -> str:
        """The element's text without the tags in it."""
        inside = [t for t in self.tokens if t.kind == "text" and element.tag.end <= t.start < element.content_end]
        return " ".join("".join(self.html[t.start : t.end] for t in inside if not t.name).split())

    def replaced(self, *edits: tuple[int, int, str]) -> str:
        """The source with these spans replaced."""
        return apply_edits(self.html, [Edit(start, end, text) for start, end, text in sorted(edits)])


# What people call the parts of a page, and what the parts are in the source.


@dataclass(frozen=True, slots=True)
class Part:
    """A part by its usual name; the `kind` `token` is a value of the style sheet and no element."""

    name: str
    words: tuple[str, ...]
    selectors: tuple[str, ...]
    kind: str


def parts() -> tuple[Part, ...]:
    """All parts, the more particular names first."""
    data = resources.read_json("parts.json")
    return tuple(Part(d["name"], tuple(d["words"]), tuple(d["selectors"]), d["kind"]) for d in data)


def named_part(text: str) -> Part | None:
    """The part that a text names first."""
    found = []
    for order, part in enumerate(parts()):
        match = re.search(rf"(?<![a-z])(?:{'|'.join(map(re.escape, part.words))})(?:s|es)?(?![a-z])", text, re.I)
        if match:
            found.append((match.start(), order, part))
    return min(found)[2] if found else None
