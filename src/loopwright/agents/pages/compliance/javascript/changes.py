"""Which classes and attributes a script gives to elements that are there, and by which selectors it finds elements."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from loopwright.agents.pages.compliance.javascript.markup import selector_of
from loopwright.agents.pages.compliance.javascript.parsing import parse_script, walk
from loopwright.agents.pages.compliance.javascript.scripts import ScriptKind
from loopwright.agents.pages.compliance.javascript.values import UNKNOWN, name_of
from loopwright.agents.pages.compliance.javascript.variants import VariantReader

_CLASS_METHODS = (".classList.add", ".classList.remove", ".classList.toggle", ".classList.replace")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_QUERY = re.compile(r"[\w#.\[\]='\"*^$~|>+: ,()-]{1,200}")
_QUERYING = frozenset({"querySelector", "querySelectorAll", "closest", "matches"})
_SHOWING = frozenset({"showModal", "show", "showPopover"})


@dataclass(frozen=True, slots=True)
class ScriptChanges:
    """What a script may change of how elements look."""

    classes: frozenset[str] = frozenset()
    attributes: frozenset[tuple[str, str]] = frozenset()
    """Names with values; `UNKNOWN` for a value that only running the script would tell."""
    queries: frozenset[str] = frozenset()
    """Selectors, by which it finds elements."""
    targets: frozenset[tuple[str, str]] = frozenset()
    """Classes, each with the selector of an element that certainly gets or loses it."""
    reveals: bool = False
    """Whether it shows what was hidden."""


@lru_cache(maxsize=256)
def changes_of(text: str, kind: ScriptKind) -> ScriptChanges:
    """What a script may change, read and not run; nothing where it does not compile."""
    tree = parse_script(text, kind).tree
    if tree is None:
        return ScriptChanges()
    changes = _Changes(VariantReader(tree))
    for node, _, _ in walk(tree):
        if node.type == "CallExpression":
            changes.note_call(node)
        elif node.type == "AssignmentExpression":
            changes.note_assignment(node)
    return ScriptChanges(
        frozenset(changes.classes),
        frozenset(changes.attributes),
        frozenset(changes.queries),
        frozenset(changes.targets),
        changes.reveals,
    )


class _Changes:
    """Gathers the changes in one walk."""

    def __init__(self, reader: VariantReader) -> None:
        self.reader = reader
        self.classes: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.queries: set[str] = set()
        self.targets: set[tuple[str, str]] = set()
        self.reveals = False

    def note_call(self, node: Any) -> None:
        name, arguments = name_of(node.callee), node.arguments
        method = name.rpartition(".")[2]
        if f".{name}".endswith(_CLASS_METHODS):
            for each in arguments[:1] if method == "toggle" else arguments:
                self._note_classes(each, node.callee.object.object)
            return
        if method == "setAttribute" and len(arguments) == 2:
            for attribute in self._texts(arguments[0]):
                self._note_attribute(attribute, self._texts(arguments[1]))
            return
        if method in ("removeAttribute", "toggleAttribute") and arguments:
            self.reveals = self.reveals or "hidden" in self._texts(arguments[0])
            return
        self.reveals = self.reveals or method in _SHOWING
        for text in (self._texts(each) for each in arguments[:2]):
            for query in text:
                if method == "getElementById":
                    self.queries.add(f"#{query}")
                elif _QUERY.fullmatch(query) and (method in _QUERYING or any(sign in query for sign in ".#[")):
                    self.queries.add(query)

    def note_assignment(self, node: Any) -> None:
        name = name_of(node.left)
        owner, _, last = name.rpartition(".")
        if last == "className":
            self._note_classes(node.right, node.left.object)
        elif last == "hidden":
            self.reveals = True
        elif owner.endswith("dataset") or owner == "dataset":
            self._note_attribute("data-" + _dashed(last), self._texts(node.right))
        elif last.startswith("aria") and last[4:5].isupper():
            self._note_attribute("aria-" + last[4:].lower(), self._texts(node.right))

    def _note_classes(self, node: Any, owner: Any) -> None:
        words = {word for text in self._texts(node) for word in text.split() if _NAME.fullmatch(word)}
        self.classes |= words
        if selector := selector_of(owner, self.reader):
            self.targets |= {(word, selector) for word in words}

    def _note_attribute(self, name: str, values: tuple[str, ...]) -> None:
        if name == "class":
            self.classes |= {word for text in values for word in text.split() if _NAME.fullmatch(word)}
        elif name.startswith(("aria-", "data-")):
            self.attributes |= {(name, UNKNOWN if UNKNOWN in value else value) for value in values}

    def _texts(self, node: Any) -> tuple[str, ...]:
        return self.reader.texts(node)


def _dashed(name: str) -> str:
    """`dayOfWeek` as `day-of-week`, as `dataset` does."""
    return re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", name)
