"""The keys under which a script keeps data in localStorage, as far as its source tells them."""

from collections.abc import Mapping
from typing import Any

from loopwright.agents.pages.compliance.javascript.parsing import walk
from loopwright.agents.pages.compliance.javascript.values import Text, name_of, text_of

_METHODS = frozenset({"localStorage.getItem", "localStorage.setItem", "localStorage.removeItem"})
OPEN_END = "…"
"""What a key ends with whose rest only running the script would tell."""


def stored_keys(tree: Any, constants: Mapping[str, str]) -> tuple[str, ...]:
    """The keys, each once, in source order.

    A function that is given its key, such as `load(key)`, is followed: the texts with which it is called are the keys,
    behind what it puts before them.
    """
    uses = _uses(tree, constants)
    helpers = {name: key.head for name, key in uses if name and not key.is_known}
    found = [key for name, key in uses if name not in helpers]
    for node, _, _ in walk(tree):
        if node.type == "CallExpression" and node.arguments and (name := name_of(node.callee)) in helpers:
            found.append(Text(helpers[name] + text_of(node.arguments[0], constants).value))
    keys = (key.head if key.is_known else key.head + OPEN_END for key in found if key.head)
    return tuple(dict.fromkeys(keys))


def _uses(tree: Any, constants: Mapping[str, str]) -> list[tuple[str, Text]]:
    """Every key with the name of the function around it that has parameters; empty where there is none."""
    found: list[tuple[str, Text]] = []
    around: dict[int, str] = {}
    for node, parent, _ in walk(tree):
        named = around.get(id(parent), "")
        around[id(node)] = _name_of_function(node, parent) if hasattr(node, "params") else named
        if node.type == "CallExpression" and node.arguments and name_of(node.callee) in _METHODS:
            found.append((named, text_of(node.arguments[0], constants)))
        elif node.type == "MemberExpression" and node.computed and name_of(node.object) == "localStorage":
            found.append((named, text_of(node.property, constants)))
    return found


def _name_of_function(function: Any, parent: Any) -> str:
    """What a function with parameters is called by; empty for any other."""
    kind = getattr(parent, "type", "")
    if not function.params:
        return ""
    if function.type == "FunctionDeclaration":
        return str(function.id.name)
    if kind == "VariableDeclarator" and parent.id.type == "Identifier":
        return str(parent.id.name)
    return name_of(parent.left) if kind == "AssignmentExpression" else ""
