"""Ids that a script takes for granted: looked up, and used without a look whether there is such an element."""

import re
from collections.abc import Mapping
from typing import Any

from loopwright.agents.pages.compliance.javascript.parsing import walk
from loopwright.agents.pages.compliance.javascript.values import name_of, text_of

_BY_ID = re.compile(r"#([A-Za-z_][\w-]*)")


def looked_up_ids(tree: Any, constants: Mapping[str, str]) -> tuple[str, ...]:
    """The ids whose absence would be a TypeError: `getElementById('total').textContent`, and the same by a name.

    A name that is tested anywhere (`if (total)`, `total && …`, `total?.…`) is left out: the script knows that the
    element may be missing.
    """
    found: list[str] = []
    bound: dict[str, str] = {}
    used: set[str] = set()
    tested: set[str] = set()
    for node, parent, _ in walk(tree):
        if node.type == "MemberExpression" and not node.optional:
            identifier = _id_of(node.object, constants)
            if identifier:
                found.append(identifier)
            if node.object.type == "Identifier":
                used.add(node.object.name)
        elif node.type == "VariableDeclarator" and getattr(node.id, "type", "") == "Identifier":
            identifier = _id_of(node.init, constants)
            if identifier:
                bound[node.id.name] = identifier
        elif node.type == "Identifier" and _is_tested(node, parent):
            tested.add(node.name)
    found += [identifier for name, identifier in bound.items() if name in used and name not in tested]
    return tuple(dict.fromkeys(found))


def _id_of(node: Any, constants: Mapping[str, str]) -> str | None:
    """The id that a call looks up, when it is known."""
    if getattr(node, "type", "") != "CallExpression" or len(node.arguments) != 1 or node.optional:
        return None
    name, text = name_of(node.callee), text_of(node.arguments[0], constants)
    if not text.is_known:
        return None
    if name == "document.getElementById":
        return text.value
    match = _BY_ID.fullmatch(text.value.strip()) if name == "document.querySelector" else None
    return match[1] if match else None


def _is_tested(node: Any, parent: Any) -> bool:
    """Whether a name stands where its being null is thought of."""
    kind = getattr(parent, "type", "")
    if kind in ("IfStatement", "ConditionalExpression", "WhileStatement"):
        return parent.test is node
    if kind == "MemberExpression":
        return parent.object is node and bool(parent.optional)
    if kind in ("CallExpression", "NewExpression"):
        return parent.callee is not node  # given away: whoever takes it may look
    return kind in ("LogicalExpression", "UnaryExpression", "BinaryExpression", "ReturnStatement", "ArrayExpression")
