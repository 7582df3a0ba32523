"""Selectors: their specificity, and whether they can be asked of a page at rest.

Specificity follows Selectors Level 4, section 17.  A page at rest has nothing hovered, focused, pressed or invalid, so
`:hover` matches nothing there and `:not(:hover)` everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.compliance.cascade.tokens import CssToken, split_on, text_of

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
