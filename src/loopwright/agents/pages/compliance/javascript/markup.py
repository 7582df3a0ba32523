"""The markup that a script writes into elements of its page, in each variant that its conditions allow."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from loopwright.agents.pages.compliance.javascript.parsing import parse_script, walk
from loopwright.agents.pages.compliance.javascript.scopes import FUNCTIONS
from loopwright.agents.pages.compliance.javascript.scripts import ScriptKind
from loopwright.agents.pages.compliance.javascript.values import name_of
from loopwright.agents.pages.compliance.javascript.variants import VariantReader

_SELECTOR = re.compile(r"[#.][A-Za-z_][\w-]*(?:[ >.#][\w .#>-]*)?")
_APPENDING = frozenset({"append", "appendChild", "prepend", "replaceChildren"})
_ELEMENTS = frozenset({"Identifier", "CallExpression"})


@dataclass(frozen=True, slots=True)
class WrittenMarkup:
    """What is written into one element: `container` is the selector that the script finds it by."""

    container: str
    variants: tuple[str, ...]
    """HTML, with `UNKNOWN` for what only running the script would tell."""


@lru_cache(maxsize=256)
def written_markup(text: str, kind: ScriptKind) -> tuple[WrittenMarkup, ...]:
    """The markup that a script writes into elements which it finds by a selector, in the order of the source."""
    tree = parse_script(text, kind).tree
    if tree is None:
        return ()
    reader = VariantReader(tree)
    found = []
    for node, _, _ in walk(tree):
        for target, value in _writings(node, reader):
            container = selector_of(target, reader)
            variants = tuple(each for each in reader.texts(value) if "<" in each) if container else ()
            if container and variants:
                found.append(WrittenMarkup(container, variants))
    return tuple(found)


def _writings(node: Any, reader: VariantReader) -> Iterator[tuple[Any, Any]]:
    """Where markup may be written into an element, each as the element's expression and the markup's."""
    if node.type == "AssignmentExpression" and name_of(node.left).endswith(".innerHTML"):
        yield node.left.object, node.right
    elif node.type == "CallExpression" and node.arguments:
        method = name_of(node.callee).rpartition(".")[2]
        if method == "insertAdjacentHTML" and len(node.arguments) == 2:
            yield node.callee.object, node.arguments[1]
        elif method in _APPENDING and node.callee.type == "MemberExpression":
            yield from ((node.callee.object, each) for each in node.arguments if each.type in _ELEMENTS)
        else:  # a function of the script's own that takes an element and its content
            yield from ((node.arguments[0], each) for each in node.arguments[1:] if each.type not in FUNCTIONS)


def selector_of(target: Any, reader: VariantReader) -> str | None:
    """The selector of an element that is looked up by one; None for any other."""
    if target.type == "Identifier":
        target = reader.scopes.value_of(target) or target
    if target.type == "CallExpression" and len(target.arguments) >= 1:
        is_id = name_of(target.callee).endswith("getElementById")
        text = _literal(target.arguments[0])
        return f"#{text}" if is_id and text else _as_selector(text)
    return _as_selector(_literal(target))


def _literal(node: Any) -> str:
    return node.value if node.type == "Literal" and isinstance(node.value, str) else ""


def _as_selector(text: str) -> str | None:
    return text if _SELECTOR.fullmatch(text) else None
