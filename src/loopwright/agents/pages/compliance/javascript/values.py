"""What an expression is as text, as far as its source tells."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.compliance.javascript.parsing import walk

UNKNOWN = "\0"
"""Stands for a part that only running the script would tell; no source holds it where it matters."""
MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Text:
    """A text with `UNKNOWN` for the parts that are not known."""

    value: str

    @property
    def is_known(self) -> bool:
        """Whether every part of it is."""
        return UNKNOWN not in self.value

    @property
    def head(self) -> str:
        """What it certainly begins with."""
        return self.value.partition(UNKNOWN)[0]


def text_of(node: Any, constants: Mapping[str, str], depth: int = 0) -> Text:
    """The text of a literal, a template, a sum of them, or a name that is bound to one of them once."""
    kind = getattr(node, "type", None)
    if depth > MAX_DEPTH:
        return Text(UNKNOWN)
    if kind == "Literal" and isinstance(node.value, str):
        return Text(node.value)
    if kind == "Literal" and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return Text(str(node.raw))
    if kind == "TemplateLiteral":
        return _template(node, constants, depth)
    if kind == "BinaryExpression" and node.operator == "+":
        return Text(text_of(node.left, constants, depth + 1).value + text_of(node.right, constants, depth + 1).value)
    if kind == "Identifier" and node.name in constants:
        return Text(constants[node.name])
    if kind == "NewExpression" and name_of(node.callee) == "URL" and node.arguments:
        return text_of(node.arguments[0], constants, depth + 1)
    return Text(UNKNOWN)


def _template(node: Any, constants: Mapping[str, str], depth: int) -> Text:
    pieces = []
    for index, quasi in enumerate(node.quasis):
        pieces.append(str(quasi.value.cooked or ""))
        if index < len(node.expressions):
            pieces.append(text_of(node.expressions[index], constants, depth + 1).value)
    return Text("".join(pieces))


def constants_in(tree: Any) -> dict[str, str]:
    """The names that are bound to a known text once and never assigned again, in whatever scope."""
    bound: dict[str, list[Any]] = {}
    for node, _, _ in walk(tree):
        if node.type == "VariableDeclarator" and getattr(node.id, "type", "") == "Identifier":
            bound.setdefault(node.id.name, []).append(node.init)
        elif node.type == "AssignmentExpression" and node.left.type == "Identifier":
            bound.setdefault(node.left.name, []).append(None)
    constants: dict[str, str] = {}
    for name, values in bound.items():
        if len(values) == 1 and values[0] is not None:
            text = text_of(values[0], constants)
            if text.is_known:
                constants[name] = text.value
    return constants


def name_of(node: Any) -> str:
    """The dotted name of an expression such as `window.location.href`; empty for anything that is no plain name."""
    parts: list[str] = []
    while getattr(node, "type", "") in ("MemberExpression", "ChainExpression"):
        if node.type == "ChainExpression":
            node = node.expression
            continue
        if node.computed:
            key = node.property
            if key.type != "Literal" or not isinstance(key.value, str):
                return ""
            parts.append(key.value)
        else:
            parts.append(str(node.property.name))
        node = node.object
    kind = getattr(node, "type", "")
    if kind == "Identifier":
        parts.append(str(node.name))
    elif kind == "ThisExpression":
        parts.append("this")
    else:
        parts.append("")
    return _GLOBAL.sub("", ".".join(reversed(parts)))


_GLOBAL = re.compile(r"^(?:(?:window|self|globalThis|top|parent|document\.defaultView)\.)+(?=.)")
