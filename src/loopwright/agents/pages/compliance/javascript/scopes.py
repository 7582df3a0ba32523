"""Which value a name has where it stands, and what is added to it under which conditions."""

from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.compliance.javascript.parsing import walk
from loopwright.agents.pages.compliance.javascript.values import name_of

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
