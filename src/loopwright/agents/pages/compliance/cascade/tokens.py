"""CSS text as typed tokens: the one place that knows tinycss2.

Parsing follows CSS Syntax Level 3, which never fails: what makes no sense becomes an `other` token or is dropped.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import tinycss2  # type: ignore[import-untyped]

MAXIMUM_DEPTH = 24
"""Brackets and nested rules deeper than this are treated as empty, so hostile CSS cannot exhaust the stack."""

TokenKind = Literal[
    "ident", "number", "dimension", "percentage", "function", "parentheses", "brackets", "string", "url", "hash",
    "literal", "space", "other",
]  # fmt: skip

_KINDS: dict[str, TokenKind] = {
    "ident": "ident",
    "at-keyword": "other",
    "number": "number",
    "dimension": "dimension",
    "percentage": "percentage",
    "function": "function",
    "() block": "parentheses",
    "[] block": "brackets",
    "string": "string",
    "url": "url",
    "hash": "hash",
    "literal": "literal",
    "whitespace": "space",
}


@dataclass(frozen=True, slots=True)
class CssToken:
    """One component value."""

    kind: TokenKind
    text: str
    """The token as CSS text, brackets and arguments included."""
    name: str = ""
    """Lower-case identifier, function name or unit; the exact value of strings, urls and hashes; a literal's sign."""
    number: float = 0.0
    children: tuple["CssToken", ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """`name: value`, the name in lower case except for custom properties."""

    name: str
    value: str
    important: bool


@dataclass(frozen=True, slots=True)
class StyleBlock:
    """A style rule with what it declares and the rules nested in it."""

    prelude: tuple[CssToken, ...]
    content: tuple["Item", ...]


@dataclass(frozen=True, slots=True)
class AtBlock:
    """An at-rule such as `@media`; `content` is None when it ends in a semicolon."""

    keyword: str
    prelude: tuple[CssToken, ...]
    content: tuple["Item", ...] | None


Item = Declaration | StyleBlock | AtBlock


@lru_cache(maxsize=8192)
def parse_values(text: str) -> tuple[CssToken, ...]:
    """The component values of a declaration's value or of a selector."""
    return _tokens(tinycss2.parse_component_value_list(text, skip_comments=True))


@lru_cache(maxsize=8)
def parse_stylesheet(text: str) -> tuple[Item, ...]:
    """The rules of a stylesheet in order."""
    return _items(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True))


@lru_cache(maxsize=1024)
def parse_declarations(text: str) -> tuple[Declaration, ...]:
    """The declarations of a `style` attribute."""
    items = _items(tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True))
    return tuple(item for item in items if isinstance(item, Declaration))


def text_of(tokens: Iterable[CssToken]) -> str:
    """The CSS text of a sequence of tokens."""
    return "".join(token.text for token in tokens)


def split_on(tokens: Sequence[CssToken], sign: str) -> list[tuple[CssToken, ...]]:
    """Split at every top-level occurrence of a literal such as a comma, and trim the spaces of each part."""
    parts: list[list[CssToken]] = [[]]
    for token in tokens:
        if token.kind == "literal" and token.name == sign:
            parts.append([])
        else:
            parts[-1].append(token)
    return [trim(part) for part in parts]


def trim(tokens: Sequence[CssToken]) -> tuple[CssToken, ...]:
    """The tokens without leading and trailing spaces."""
    start, end = 0, len(tokens)
    while start < end and tokens[start].kind == "space":
        start += 1
    while end > start and tokens[end - 1].kind == "space":
        end -= 1
    return tuple(tokens[start:end])


def words(value: str) -> list[CssToken]:
    """The tokens of a value without its spaces."""
    return [token for token in parse_values(value) if token.kind != "space"]


def walk(tokens: Iterable[CssToken]) -> Iterator[CssToken]:
    """Every token and, after it, what its brackets hold."""
    for token in tokens:
        yield token
        yield from walk(token.children)


def _tokens(nodes: Iterable[Any], depth: int = 0) -> tuple[CssToken, ...]:
    return tuple(_token(node, depth) for node in nodes if node.type != "comment")


def _token(node: Any, depth: int) -> CssToken:
    kind = _KINDS.get(node.type, "other")
    if kind in ("function", "parentheses", "brackets"):
        inner = node.arguments if kind == "function" else node.content
        children = _tokens(inner, depth + 1) if depth < MAXIMUM_DEPTH else ()
        name = node.lower_name if kind == "function" else ""
        opening, closing = ("[", "]") if kind == "brackets" else ("(", ")")
        shown = node.name if kind == "function" else ""
        return CssToken(kind, f"{shown}{opening}{text_of(children)}{closing}", name, 0.0, children)
    if node.type == "{} block":
        return CssToken("other", "{}")
    text = node.serialize()
    if kind in ("number", "percentage", "dimension"):
        return CssToken(kind, text, node.lower_unit if kind == "dimension" else "", float(node.value))
    if kind == "ident":
        return CssToken(kind, text, node.value if node.value.startswith("--") else node.lower_value)
    return CssToken(kind, text, str(node.value) if kind != "other" else "")


def _items(nodes: Iterable[Any], depth: int = 0) -> tuple[Item, ...]:
    items = (_item(node, depth) for node in nodes)
    return tuple(item for item in items if item is not None)


def _item(node: Any, depth: int) -> Item | None:
    if depth > MAXIMUM_DEPTH:
        return None
    if node.type == "declaration":
        name = node.name if node.name.startswith("--") else node.lower_name
        return Declaration(name, text_of(_tokens(node.value)).strip(), bool(node.important))
    if node.type == "qualified-rule":
        return StyleBlock(trim(_tokens(node.prelude)), _content(node.content, depth))
    if node.type == "at-rule":
        content = None if node.content is None else _content(node.content, depth)
        return AtBlock(node.lower_at_keyword, trim(_tokens(node.prelude)), content)
    return None


def _content(nodes: Sequence[Any], depth: int) -> tuple[Item, ...]:
    parsed = tinycss2.parse_blocks_contents(nodes, skip_comments=True, skip_whitespace=True)
    return _items(parsed, depth + 1)


# Selectors: their specificity, and whether they can be asked of a page at rest.

Specificity = tuple[int, int, int]

STATES_NOT_AT_REST = frozenset({
    "hover", "active", "focus", "focus-within", "focus-visible", "target", "visited", "invalid", "user-invalid",
    "user-valid", "autofill", "-webkit-autofill", "fullscreen", "indeterminate", "modal", "popover-open",
    "picture-in-picture",
})  # fmt: skip
_LEGACY_PSEUDO_ELEMENTS = frozenset({"before", "after", "first-line", "first-letter"})
_LIST_FUNCTIONS = frozenset({"is", "where", "not", "has", "matches", "-webkit-any"})


@dataclass(frozen=True, slots=True)
class Selector:
    """One complex selector, ready to be asked of a page."""

    text: str
    """What to ask the DOM, with states and pseudo-element removed."""
    specificity: Specificity
    pseudo_element: str = ""
    """The pseudo-element it styles, without colons; its declarations are not those of the element itself."""
    reach: Literal["at-rest", "never"] = "at-rest"
    """`never`: it needs a state that a page at rest does not have."""


def parse_selectors(prelude: Sequence[CssToken]) -> list[Selector]:
    """The complex selectors of a comma-separated list; none when stray brackets make the whole list invalid."""
    if any(token.kind == "other" for token in prelude):
        return []
    return [parse_selector(part) for part in split_on(prelude, ",") if part]


def parse_selector(tokens: Sequence[CssToken]) -> Selector:
    """Read one complex selector."""
    kept: list[str] = []
    pseudo_element, reach = "", "at-rest"
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if not (token.kind == "literal" and token.name == ":") or position + 1 >= len(tokens):
            kept.append(token.text)
            position += 1
            continue
        pseudo = tokens[position + 1]
        if pseudo.kind == "literal" and pseudo.name == ":":
            pseudo_element = tokens[position + 2].name if position + 2 < len(tokens) else "unknown"
            position += 3
            continue
        position += 2
        if pseudo.kind == "ident" and pseudo.name in _LEGACY_PSEUDO_ELEMENTS:
            pseudo_element = pseudo.name
        elif pseudo.name in STATES_NOT_AT_REST:
            reach = "never"
        else:
            text, possible = _at_rest(pseudo)
            kept.append(text)
            reach = reach if possible else "never"
    text = "".join(kept).strip()
    if not text or text[-1] in ">+~":
        text = f"{text} *".strip()
    return Selector(text, specificity(tokens), pseudo_element, "never" if reach == "never" else "at-rest")


def _at_rest(pseudo: CssToken) -> tuple[str, bool]:
    """A pseudo-class as a page at rest sees it: its text, and whether it can match at all."""
    if pseudo.kind != "function" or pseudo.name not in _LIST_FUNCTIONS or not pseudo.children:
        return f":{pseudo.text}", True
    inner = parse_selectors(pseudo.children)
    possible = [selector for selector in inner if selector.reach == "at-rest" and not selector.pseudo_element]
    if not possible:
        return "", pseudo.name == "not"
    name = "is" if pseudo.name in ("matches", "-webkit-any") else pseudo.name
    return f":{name}({', '.join(selector.text for selector in possible)})", True


def specificity(tokens: Sequence[CssToken]) -> Specificity:
    """Count ids, classes (with attributes and pseudo-classes) and types (with pseudo-elements)."""
    ids = classes = types = 0
    position = 0
    while position < len(tokens):
        token = tokens[position]
        following = tokens[position + 1] if position + 1 < len(tokens) else None
        position += 1
        if token.kind == "hash":
            ids += 1
        elif token.kind == "brackets":
            classes += 1
        elif token.kind == "ident":
            types += 1
        elif token.kind == "literal" and token.name == "." and following is not None:
            classes, position = classes + 1, position + 1
        elif token.kind == "literal" and token.name == ":" and following is not None:
            position += 1
            if following.kind == "literal":
                types, position = types + 1, position + 1
            elif following.name in _LEGACY_PSEUDO_ELEMENTS:
                types += 1
            else:
                more = _pseudo_class_specificity(following)
                ids, classes, types = ids + more[0], classes + more[1], types + more[2]
    return ids, classes, types


def _pseudo_class_specificity(pseudo: CssToken) -> Specificity:
    if pseudo.kind != "function":
        return 0, 1, 0
    if pseudo.name == "where":
        return 0, 0, 0
    if pseudo.name in _LIST_FUNCTIONS:
        return max((specificity(part) for part in split_on(pseudo.children, ",")), default=(0, 0, 0))
    return 0, 1, 0


def nest(parent: str, prelude: Sequence[CssToken]) -> str:
    """Write a nested rule's selectors out against the list of its parent (CSS Nesting, section 3)."""
    around = f":is({parent})"
    written = []
    for part in split_on(prelude, ","):
        if any(token.kind == "literal" and token.name == "&" for token in part):
            written.append("".join(around if token.text == "&" else token.text for token in part))
        elif part:
            written.append(f"{around} {text_of(part)}")
    return ", ".join(written)


# Custom properties: `var(--name, fallback)` replaced by what it stands for.

MAXIMUM_LENGTH = 4_000
"""Longer results are given up, so that variables doubling each other cannot exhaust memory."""

Lookup = Callable[[str], str | None]


class UnresolvedVariableError(ValueError):
    """A reference to a custom property that is not set and has no fallback, that is circular or that grows too long."""


def substitute(value: str, lookup: Lookup) -> str:
    """Replace every `var()` in a value.

    Raises UnresolvedVariableError when one of them has neither a value nor a fallback.
    """
    if "var(" not in value.lower():
        return value
    result = "".join(_replace(token, lookup) for token in parse_values(value))
    if len(result) > MAXIMUM_LENGTH:
        raise UnresolvedVariableError("the value grows too long")
    return result


def _replace(token: CssToken, lookup: Lookup) -> str:
    if token.kind == "function" and token.name == "var":
        return _reference(token, lookup)
    if token.kind in ("function", "parentheses"):
        inner = "".join(_replace(child, lookup) for child in token.children)
        return f"{token.text.partition('(')[0]}({inner})"
    return token.text


def _reference(token: CssToken, lookup: Lookup) -> str:
    name, *fallback = split_on(token.children, ",")
    found = lookup(text_of(name))
    if found is not None:
        return found
    if not fallback:
        raise UnresolvedVariableError(f"{text_of(name)} is not set")
    return substitute(", ".join(text_of(part) for part in fallback), lookup)


def resolve_custom_properties(own: Mapping[str, str], inherited: Mapping[str, str]) -> dict[str, str]:
    """The custom properties of an element: its own, with their references replaced, over those it inherits.

    One that refers to itself, directly or around a corner, is as if it had not been set.
    """
    resolved = {name: value for name, value in inherited.items() if name not in own}
    in_progress: set[str] = set()

    def lookup(name: str) -> str | None:
        if name in resolved or name not in own:
            return resolved.get(name)
        if name in in_progress:
            raise UnresolvedVariableError(f"{name} refers to itself")
        in_progress.add(name)
        try:
            resolved[name] = substitute(own[name], lookup)
        except UnresolvedVariableError:
            return None
        finally:
            in_progress.discard(name)
        return resolved[name]

    for name in own:
        lookup(name)
    return resolved
