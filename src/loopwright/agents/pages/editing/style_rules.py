"""One property of one rule of a page's own style element, changed in the source text.

The places of rules and declarations are found by following comments, strings, escapes and brackets (CSS Syntax Level 3,
section 4); tinycss2, which knows no end positions, decides whether a selector and a value are well formed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tinycss2  # type: ignore[import-untyped]

from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.editing.source_map import SourceElement, SourceMap

_SIGNS = re.compile(
    r"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*(?:\"|\n|\Z)|'(?:\\.|[^'\\\n])*(?:'|\n|\Z)|\\.|"
    r"url\(\s*[^\s\"')][^)]*\)?|[{}()\[\];]",
    re.DOTALL | re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


class BadStyle(ValueError):
    """The selector, the property or the value is no CSS, or would end the style element; the message says which."""


@dataclass(frozen=True, slots=True)
class StyleDeclaration:
    """`name: value` in the source; the span is that of the value without blanks around it."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class StyleRule:
    """A rule at the top level of a style sheet with its own declarations.

    `start` is where the blanks and comments before its selector begin, `end` the place of its closing brace.
    """

    selector: str
    start: int
    declarations: tuple[StyleDeclaration, ...]
    end: int


def set_style(source: SourceMap, selector: str, name: str, value: str) -> Edit | None:
    """The edit that gives a property this value in the page's rule for the selector; None when it has it.

    The last top-level rule that declares the property is changed, else the last rule of that selector gets it, else a
    rule is added at the end of the page's last style element; a page without one gets it at the end of its head.

    Raises:
        BadStyle: it cannot be done safely.
    """
    selector, value = selector.strip(), value.strip().rstrip(";").strip()
    _check(selector, name, value)
    styles = page_styles(source)
    wanted = normal_selector(selector)
    rules = [
        rule
        for style in styles
        for rule in top_rules(source.html, style.tag.end, style.content_end)
        if normal_selector(rule.selector) == wanted
    ]
    for rule in reversed(rules):
        for declaration in reversed(rule.declarations):
            if declaration.name == name.lower():
                same = source.html[declaration.start : declaration.end] == value
                return None if same else Edit(declaration.start, declaration.end, value)
    if rules:
        return _added(source.html, rules[-1], f"{name}: {value}")
    if styles:
        at = styles[-1].content_end
        lead = "" if source.html[:at].endswith("\n") else "\n"
        return Edit(at, at, f"{lead}{selector} {{ {name}: {value}; }}\n")
    head = source.first("head")
    if head is None:
        raise BadStyle("the page has no head for a style element")
    return Edit(head.content_end, head.content_end, f"<style>\n{selector} {{ {name}: {value}; }}\n</style>\n")


def page_styles(source: SourceMap) -> list[SourceElement]:
    """The page's own style elements, without a design system that was put into the page."""
    return [e for e in source.elements if e.name == "style" and e.has_end_tag and not e.tag.value("data-href")]


def top_rules(text: str, start: int, end: int) -> Iterator[StyleRule]:
    """The style rules at the top level of the CSS in `text[start:end]`; at-rules and what they hold are left out."""
    prelude_start, prelude_end, depth, brackets = start, start, 0, 0
    piece_start, declarations = start, list[StyleDeclaration]()
    nested = False
    for sign in _SIGNS.finditer(text, start, end):
        mark = sign[0]
        if mark in ("(", "["):
            brackets += 1
        elif mark in (")", "]"):
            brackets = max(0, brackets - 1)
        elif mark == "{":
            depth += 1
            nested = depth > 1
            if depth == 1:
                prelude_end, piece_start, declarations, brackets = sign.start(), sign.end(), [], 0
        elif mark == "}":
            if depth == 1:
                declarations += _declaration(text, piece_start, sign.start(), nested=nested)
                prelude = text[prelude_start:prelude_end]
                if "@" not in _COMMENT.sub("", prelude):
                    yield StyleRule(prelude, prelude_start, tuple(declarations), sign.start())
            depth, brackets = max(0, depth - 1), 0
            prelude_start = sign.end() if depth == 0 else prelude_start
            piece_start, nested = sign.end(), False
        elif mark == ";" and not brackets:
            if depth == 0:
                prelude_start = sign.end()
            elif depth == 1:
                declarations += _declaration(text, piece_start, sign.start(), nested=nested)
                piece_start, nested = sign.end(), False


def _declaration(text: str, start: int, end: int, *, nested: bool) -> list[StyleDeclaration]:
    """The declaration in a piece of a rule's body, if it is one."""
    piece = _COMMENT.sub(lambda comment: " " * len(comment[0]), text[start:end])
    name, colon, value = piece.partition(":")
    if nested or not colon or not value.strip():
        return []
    first = start + len(name) + 1 + len(value) - len(value.lstrip())
    return [StyleDeclaration(name.strip().lower(), first, start + len(piece.rstrip()))]


def _added(text: str, rule: StyleRule, declaration: str) -> Edit:
    """The declaration at the end of a rule's body, in the way the body is written."""
    last = rule.declarations[-1] if rule.declarations else None
    if last is None:
        return Edit(rule.end, rule.end, f" {declaration}; ")
    between = text[last.end : rule.end]
    separator = "" if ";" in _COMMENT.sub("", between) else ";"
    line = text.rfind("\n", 0, last.start) + 1
    own_line = "{" not in text[line : last.start]
    indent = text[line : len(text[line:]) - len(text[line:].lstrip(" \t")) + line]
    lead = f"\n{indent}" if own_line and "\n" in between else " "
    at = rule.end - (len(between) - len(between.rstrip()))
    return Edit(at, at, f"{separator}{lead}{declaration};")


def _check(selector: str, name: str, value: str) -> None:
    rules = tinycss2.parse_stylesheet(f"{selector} {{}}", skip_comments=True, skip_whitespace=True)
    if "<" in selector or len(rules) != 1 or rules[0].type != "qualified-rule" or rules[0].content:
        raise BadStyle(f"{selector!r} is no selector for a style rule")
    items = tinycss2.parse_blocks_contents(f"{name}: {value}", skip_comments=True, skip_whitespace=True)
    is_one = len(items) == 1 and items[0].type == "declaration" and any(t.type != "whitespace" for t in items[0].value)
    if "<" in value or not is_one or any(token.type in ("error", "{} block") for token in items[0].value):
        raise BadStyle(f"{value!r} is no value for {name}")


def normal_selector(selector: str) -> str:
    """The selector without comments, its blanks told once and only where they mean something."""
    plain = " ".join(_COMMENT.sub(" ", selector).split())
    return re.sub(r"\s*([,>+~])\s*", r"\1", plain)
