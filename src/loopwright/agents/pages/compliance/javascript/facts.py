"""What a script reaches for: elements by id, other pages, other hosts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from loopwright.agents.pages.compliance.javascript.parsing import Parsed, ScriptKind, SyntaxProblem, parse_script, walk
from loopwright.agents.pages.compliance.javascript.values import (
    NO_STORAGE,
    UNKNOWN,
    StorageUse,
    Text,
    constants_in,
    name_of,
    read_storage,
    text_of,
)

# Ids that a script takes for granted: looked up, and used without a look whether there is such an element.

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


_SENDS = frozenset({"fetch", "navigator.sendBeacon", "importScripts"})
"""Functions that ask the network; the first argument is the address."""
_OPENS = frozenset({"WebSocket", "EventSource", "Worker", "SharedWorker", "Request", "Audio"})
_METHODS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_LOADING_PROPERTIES = frozenset({"src", "srcset", "action", "formAction", "poster"})
_LOADING_ATTRIBUTES = frozenset({"src", "srcset", "action", "formaction", "poster", "data"})
_NAVIGATING = frozenset({"location", "location.href", "document.location", "document.location.href"})
_MOVING = frozenset({"location.assign", "location.replace", "document.location.assign", "document.location.replace"})

_EXTERNAL = re.compile(r"(?:(?:https?|wss?|ftp):|[/\\]{2})", re.IGNORECASE)
_LOADED_IN_MARKUP = re.compile(
    r"""(?:\b(?:src|srcset|poster|action|formaction)\s*=\s*["']?|url\(\s*["']?|<link\b[^>]{0,200}?\bhref\s*=\s*["']?)"""
    r"""\s*((?:https?:)?//[^\s"'<>)]{1,200})""",
    re.IGNORECASE,
)
_LINK_IN_MARKUP = re.compile(r"""<a\b[^>]{0,300}?\bhref\s*=\s*(?:"([^"]{0,300})"|'([^']{0,300})')""", re.IGNORECASE)
_ID_IN_MARKUP = re.compile(r"""(?:^|[\s"'])id\s*=\s*["']?([^\s"'<>]{1,100})""")


@dataclass(frozen=True, slots=True)
class CallOut:
    """Something that asks another host: by `way`, such as `fetch`; without `address` nobody knows which."""

    way: str
    address: str | None


@dataclass(frozen=True, slots=True)
class Navigation:
    """A way to another page; `at_once` when it is taken while the page loads, without anybody's doing."""

    address: str
    at_once: bool


@dataclass(frozen=True, slots=True)
class ScriptFacts:
    """What is known of a script without running it."""

    problem: SyntaxProblem | None = None
    not_judged: str | None = None
    looked_up: tuple[str, ...] = ()
    """Ids of elements that the script takes for granted."""
    made_ids: tuple[str, ...] = ()
    """Ids that it gives to elements; one that ends with `\\0` is the beginning of several."""
    navigations: tuple[Navigation, ...] = ()
    calls_out: tuple[CallOut, ...] = ()
    storage: StorageUse = NO_STORAGE
    """How it keeps data in localStorage."""


@lru_cache(maxsize=256)
def facts_of(text: str, kind: ScriptKind) -> ScriptFacts:
    """The facts of a script; the pages of an app share most of theirs, so that each is read once."""
    parsed: Parsed = parse_script(text, kind)
    if parsed.tree is None:
        return ScriptFacts(parsed.problem, parsed.not_judged)
    reader = _Reader(parsed.tree, runs_at_once=kind != "handler")
    reader.read()
    return ScriptFacts(
        looked_up=looked_up_ids(parsed.tree, reader.constants),
        made_ids=tuple(dict.fromkeys(reader.made_ids)),
        navigations=tuple(dict.fromkeys(reader.navigations)),
        calls_out=tuple(dict.fromkeys(reader.calls_out)),
        storage=read_storage(parsed.tree, reader.constants),
    )


def is_external(address: str) -> bool:
    """Whether an address leads to another host, read as the URL standard does: blanks inside it do not count."""
    return _EXTERNAL.match(re.sub(r"[\t\n\r]", "", address).strip()) is not None


class _Reader:
    """Gathers the facts in one walk."""

    def __init__(self, tree: Any, *, runs_at_once: bool) -> None:
        self.tree = tree
        self.runs_at_once = runs_at_once
        self.constants: Mapping[str, str] = constants_in(tree)
        self.made_ids: list[str] = []
        self.navigations: list[Navigation] = []
        self.calls_out: list[CallOut] = []

    def read(self) -> None:
        for node, parent, in_function in walk(self.tree):
            at_once = self.runs_at_once and not in_function
            match node.type:
                case "CallExpression":
                    self._call(node, at_once)
                case "NewExpression" if name_of(node.callee) in _OPENS:
                    self._ask(name_of(node.callee), node.arguments)
                case "ImportExpression" | "ImportDeclaration" | "ExportAllDeclaration" | "ExportNamedDeclaration":
                    self._import(node)
                case "AssignmentExpression":
                    self._assignment(node, at_once)
                case "Literal" | "TemplateLiteral" if not _is_part_of_sum(parent):
                    self._markup(text_of(node, self.constants))
                case "BinaryExpression" if node.operator == "+" and not _is_part_of_sum(parent):
                    self._markup(text_of(node, self.constants))

    def _text(self, node: Any) -> Text:
        return text_of(node, self.constants)

    def _call(self, node: Any, at_once: bool) -> None:
        name, arguments = name_of(node.callee), node.arguments
        method = name.rpartition(".")[2]
        if node.callee.type == "Import":
            self._ask("import()", arguments)
        elif name in _SENDS:
            self._ask(name, arguments)
        elif method == "open" and len(arguments) > 1 and self._text(arguments[0]).value.lower() in _METHODS:
            self._ask("XMLHttpRequest", arguments[1:])
        elif name == "open" and arguments:
            address = self._text(arguments[0])
            if is_external(address.head):
                self.calls_out.append(CallOut("window.open", address.head))
            else:
                self._go(address, at_once=False)
        elif name in _MOVING and arguments:
            self._go(self._text(arguments[0]), at_once=at_once)
        elif method == "setAttribute" and len(arguments) == 2:
            self._attribute(self._text(arguments[0]).value.lower(), self._text(arguments[1]))

    def _attribute(self, name: str, value: Text) -> None:
        if name == "id":
            self.made_ids.append(_id_pattern(value.value))
        elif name in _LOADING_ATTRIBUTES and is_external(value.head):
            self.calls_out.append(CallOut(f"the attribute {name}", value.head))
        elif name == "href":
            self._go(value, at_once=False)

    def _ask(self, way: str, arguments: list[Any]) -> None:
        address = self._text(arguments[0]) if arguments else Text(UNKNOWN)
        if not address.head:
            self.calls_out.append(CallOut(way, None))
        elif not address.head.lower().startswith(("data:", "blob:")):
            self.calls_out.append(CallOut(way, address.head))

    def _import(self, node: Any) -> None:
        if getattr(node, "source", None) is not None:
            self._ask("import", [node.source])

    def _assignment(self, node: Any, at_once: bool) -> None:
        name, value = name_of(node.left), self._text(node.right)
        last = name.rpartition(".")[2]
        if name in _NAVIGATING:
            self._go(value, at_once=at_once)
        elif last == "href":
            self._go(value, at_once=False)
        elif last == "id" and "." in name:
            self.made_ids.append(_id_pattern(value.value))
        elif last in _LOADING_PROPERTIES and "." in name and is_external(value.head):
            self.calls_out.append(CallOut(f"the property {last}", value.head))

    def _go(self, address: Text, *, at_once: bool) -> None:
        """Note a way to a page whose name is known; what follows `?` or `#` need not be."""
        path = re.split(r"[?#]", address.value, maxsplit=1)[0]
        if path and UNKNOWN not in path:
            self.navigations.append(Navigation(address.value.replace(UNKNOWN, ""), at_once))
        elif is_external(address.head):
            self.navigations.append(Navigation(address.head, at_once))

    def _markup(self, text: Text) -> None:
        """Note what HTML or CSS inside a text loads, where it leads and which ids it makes."""
        for found in _LOADED_IN_MARKUP.finditer(text.value):
            self.calls_out.append(CallOut("markup", found[1].partition(UNKNOWN)[0]))
        for found in _LINK_IN_MARKUP.finditer(text.value):
            self._go(Text(found[1] or found[2] or ""), at_once=False)
        self.made_ids += [_id_pattern(found[1]) for found in _ID_IN_MARKUP.finditer(text.value)]


def _is_part_of_sum(parent: Any) -> bool:
    """Whether the whole that a text belongs to is read instead of it."""
    kind = getattr(parent, "type", "")
    return kind == "TemplateLiteral" or (kind == "BinaryExpression" and parent.operator == "+")


def _id_pattern(value: str) -> str:
    """An id, cut after the first part that is not known."""
    head, unknown, _ = value.partition(UNKNOWN)
    return head + unknown
