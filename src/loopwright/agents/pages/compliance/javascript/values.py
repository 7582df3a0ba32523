"""What an expression is as text, as far as its source tells."""

import re
from collections.abc import Iterable, Mapping
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


# Which value a name has where it stands, and what is added to it under which conditions.

FUNCTIONS = frozenset({"FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"})
_Place = tuple[int, str]
"""The function in which a name is declared (0 for none), with the name and what follows it after dots."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A text that a place is given or that is added to it, where all tests turn out as said."""

    value: Any
    tests: tuple[tuple[Any, bool], ...]


class Scopes:
    """The names of one script; a function is one scope, whatever blocks it has."""

    def __init__(self, tree: Any) -> None:
        self._parents: dict[int, Any] = {}
        self._functions: dict[int, Any] = {}
        self._values: dict[_Place, list[Any]] = {}
        self._additions: dict[_Place, list[Addition]] = {}
        changes = []
        for node, parent, _ in walk(tree):
            self._parents[id(node)] = parent
            if node.type in FUNCTIONS:
                self._functions[id(node)] = node
                for each in node.params:
                    self._declare(each, id(node), None)
                if node.type == "FunctionDeclaration":
                    self._declare(node.id, self._function_around(node), node)
            elif node.type == "VariableDeclarator":
                self._declare(node.id, self._function_around(node), node.init)
            elif node.type in ("AssignmentExpression", "CallExpression"):
                changes.append(node)
        for node in changes:  # once all names are declared
            if node.type == "CallExpression":
                self._note_class(node)
            elif node.left.type == "Identifier" and node.operator == "=":
                self._values.setdefault(self._place(node.left), []).append(node.right)
            elif node.operator in ("=", "+=") and name_of(node.left):
                self._add(node.left, node.right, node)

    def value_of(self, identifier: Any) -> Any:
        """The expression that a name stands for; None when it has none, several, or is a parameter."""
        values = self._values.get(self._place(identifier), ())
        return values[0] if len(values) == 1 else None

    def additions_to(self, identifier: Any, suffix: str = "") -> list[Addition]:
        """What is added to a variable, or to a property of what it holds, in the order of the source."""
        scope, name = self._place(identifier)
        return self._additions.get((scope, name + suffix), [])

    def _declare(self, target: Any, function: int, value: Any) -> None:
        if getattr(target, "type", "") == "Identifier":
            self._values.setdefault((function, target.name), []).append(value)

    def _note_class(self, call: Any) -> None:
        """`element.classList.add("a")` and `element.classList.toggle("a", test)` add to its class."""
        name = name_of(call.callee)
        if not call.arguments or not name.endswith((".classList.add", ".classList.toggle")):
            return
        owner = call.callee.object.object
        if name.endswith(".add"):
            for each in call.arguments:
                self._add(owner, each, call, ".className")
        else:
            self._add(owner, call.arguments[0], call, ".className", ((call.arguments[-1], True),))

    def _add(
        self, target: Any, value: Any, at: Any, suffix: str = "", tests: tuple[tuple[Any, bool], ...] = ()
    ) -> None:
        root = target
        while root.type == "MemberExpression":
            root = root.object
        if root.type == "Identifier":
            place = self._place(root)[0], name_of(target) + suffix
            self._additions.setdefault(place, []).append(Addition(value, (*self._tests_around(at), *tests)))

    def _place(self, identifier: Any) -> _Place:
        """A name in the innermost function that declares it."""
        function = self._function_around(identifier)
        while function and (function, identifier.name) not in self._values:
            function = self._function_around(self._functions[function])
        return function, identifier.name

    def _function_around(self, node: Any) -> int:
        parent = self._parents.get(id(node))
        while parent is not None and parent.type not in FUNCTIONS:
            parent = self._parents.get(id(parent))
        return 0 if parent is None else id(parent)

    def _tests_around(self, node: Any) -> tuple[tuple[Any, bool], ...]:
        """The conditions of the `if` statements around a node, as far as its function goes."""
        tests = []
        parent = self._parents.get(id(node))
        while parent is not None and parent.type not in FUNCTIONS:
            if parent.type == "IfStatement" and node is not parent.test:
                tests.append((parent.test, node is parent.consequent))
            node, parent = parent, self._parents.get(id(parent))
        return tuple(tests)


# The keys under which the scripts of a page keep data in localStorage, as far as their source tells them.

_METHODS = frozenset({"localStorage.getItem", "localStorage.setItem", "localStorage.removeItem"})
OPEN_END = "…"
"""What a key ends with whose rest only running the script would tell."""


@dataclass(frozen=True, slots=True)
class StorageUse:
    """What one script has to do with the storage."""

    keys: tuple[tuple[str, Text], ...] = ()
    """Every key, with the name of the function around it that has parameters; empty where there is none."""
    calls: tuple[tuple[str, Text], ...] = ()
    """Calls of named functions with a text: the key, if the function is one that takes its key."""


NO_STORAGE = StorageUse()


def read_storage(tree: Any, constants: Mapping[str, str]) -> StorageUse:
    """Read a script in one walk."""
    keys: list[tuple[str, Text]] = []
    calls: list[tuple[str, Text]] = []
    around: dict[int, str] = {}
    for node, parent, _ in walk(tree):
        named = around.get(id(parent), "")
        around[id(node)] = named if node.params is None else _name_of_function(node, parent)
        if node.type == "CallExpression" and node.arguments and (name := name_of(node.callee)):
            text = text_of(node.arguments[0], constants)
            if name in _METHODS:
                keys.append((named, text))
            elif text.head:
                calls.append((name, text))
        elif node.type == "MemberExpression" and node.computed and name_of(node.object) == "localStorage":
            keys.append((named, text_of(node.property, constants)))
    return StorageUse(tuple(dict.fromkeys(keys)), tuple(dict.fromkeys(calls)))


def stored_keys(uses: Iterable[StorageUse]) -> tuple[str, ...]:
    """The keys of all scripts of a page, each once.

    A function that is given its key, such as `load(key)`, is followed into every script: the texts with which it is
    called are the keys, behind what it puts before them.
    """
    uses = tuple(uses)
    helpers = {name: key.head for use in uses for name, key in use.keys if name and not key.is_known}
    found = [key for use in uses for name, key in use.keys if name not in helpers]
    found += [Text(helpers[name] + text.value) for use in uses for name, text in use.calls if name in helpers]
    return tuple(dict.fromkeys(key.head if key.is_known else key.head + OPEN_END for key in found if key.head))


def _name_of_function(function: Any, parent: Any) -> str:
    """What a function with parameters is called by; empty for any other."""
    kind = getattr(parent, "type", "")
    if not function.params:
        return ""
    if function.type == "FunctionDeclaration":
        return name_of(function.id)
    if kind == "VariableDeclarator":
        return name_of(parent.id)
    return name_of(parent.left) if kind == "AssignmentExpression" else ""
