"""The keys under which the scripts of a page keep data in localStorage, as far as their source tells them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.compliance.javascript.parsing import walk
from loopwright.agents.pages.compliance.javascript.values import Text, name_of, text_of

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
