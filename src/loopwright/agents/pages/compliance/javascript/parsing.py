"""Parsing scripts as browsers do; nothing is ever run.

The parser is Esprima in pure Python with the grammar of ECMAScript 2026, including the early errors and the regular
expressions. It limits the depth of nesting by itself.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal, NoReturn
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.runtime import runtime_file, runtime_path

# What is known where a condition of a script holds, and which conditions cannot hold together.

MAX_DEPTH = 8
_EQUAL = frozenset({"==", "==="})
_UNEQUAL = frozenset({"!=", "!=="})
_NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is known of an expression: how it relates to a literal, or whether it is truthy."""

    subject: str
    """The expression, spelled the same way wherever it stands."""
    relation: str
    """`truthy`, `falsy`, `is`, `is not`, `<`, `<=`, `>` or `>=`."""
    value: str | float = ""


Facts = frozenset[Fact]
NOTHING: Facts = frozenset()


def facts_when(test: Any, holds: bool, value_of: Callable[[Any], Any], depth: int = 0) -> Facts:
    """What is known where a test holds, or where it does not.

    Args:
        test: the condition, as a node of the syntax tree.
        holds: whether it holds.
        value_of: gives the expression that a name stands for, or None.
        depth: how many expressions lie around this one.
    """
    if depth > MAX_DEPTH:
        return NOTHING
    known = {Fact(_spelled(test), "truthy" if holds else "falsy")}
    if test.type == "UnaryExpression" and test.operator == "!":
        return facts_when(test.argument, not holds, value_of, depth + 1)
    if test.type == "LogicalExpression" and test.operator == ("&&" if holds else "||"):
        known |= facts_when(test.left, holds, value_of, depth + 1) | facts_when(test.right, holds, value_of, depth + 1)
    elif test.type == "BinaryExpression":
        known |= _comparison(test, holds)
    elif test.type == "Identifier" and (value := value_of(test)) is not None:
        known |= facts_when(value, holds, value_of, depth + 1)
    return frozenset(known)


def are_compatible(facts: Iterable[Fact]) -> bool:
    """Whether all of this can be so at once; False only where it certainly cannot."""
    by_subject: dict[str, list[Fact]] = {}
    for fact in facts:
        by_subject.setdefault(fact.subject, []).append(fact)
    return all(_holds_together(about) for about in by_subject.values())


def _comparison(test: Any, holds: bool) -> set[Fact]:
    """What a comparison with a literal says of the other side."""
    for subject, other, is_mirrored in ((test.left, test.right, False), (test.right, test.left, True)):
        if other.type != "Literal" or isinstance(other.value, bool) or not isinstance(other.value, str | int | float):
            continue
        operator = _MIRRORED.get(test.operator, test.operator) if is_mirrored else test.operator
        if operator in _EQUAL | _UNEQUAL:
            return {Fact(_spelled(subject), "is" if (operator in _EQUAL) == holds else "is not", other.value)}
        if operator in _NEGATED and not isinstance(other.value, str):
            return {Fact(_spelled(subject), operator if holds else _NEGATED[operator], other.value)}
    return set()


def _holds_together(facts: list[Fact]) -> bool:
    relations = {fact.relation for fact in facts}
    equal = {fact.value for fact in facts if fact.relation == "is"}
    if {"truthy", "falsy"} <= relations or len(equal) > 1:
        return False
    if equal & {fact.value for fact in facts if fact.relation == "is not"}:
        return False
    exact = [value for value in equal if not isinstance(value, str)]
    low = [(fact.value, fact.relation == ">") for fact in facts if fact.relation in (">", ">=")]
    high = [(fact.value, fact.relation == "<") for fact in facts if fact.relation in ("<", "<=")]
    low += [(value, False) for value in exact]
    high += [(value, False) for value in exact]
    return not any(_excludes(least, most) for least in low for most in high)


def _excludes(least: tuple[Any, bool], most: tuple[Any, bool]) -> bool:
    return bool(least[0] > most[0] or (least[0] == most[0] and (least[1] or most[1])))


def _spelled(node: Any, depth: int = 0) -> str:
    """An expression as text, without blanks and places; unlike any other where it is nested too deeply to follow."""
    if depth > MAX_DEPTH:
        return f"#{id(node)}"
    if isinstance(node, list):
        return ",".join(_spelled(each, depth + 1) for each in node)
    if not isinstance(getattr(node, "type", None), str):
        return str(node)
    parts = (_spelled(value, depth + 1) for name, value in vars(node).items() if name[0] != "_" and value is not None)
    return f"({' '.join(parts)})"


# Finding the scripts of a page: elements, event handler attributes and `javascript:` addresses.

ScriptKind = Literal["classic", "module", "handler", "json", "import map"]

# HTML standard, section 4.12.1.1 with RFC 9239; `type="text/javascript; charset=utf-8"` is none of them.
_JAVASCRIPT_TYPES = frozenset(
    f"{family}/{name}"
    for family in ("application", "text", "text/x-")
    for name in ("ecmascript", "javascript", "x-ecmascript", "x-javascript")
) | {
    *(f"text/javascript1.{minor}" for minor in range(6)),
    "text/jscript",
    "text/livescript",
}
_ADDRESS_ATTRIBUTES = {"a": "href", "area": "href", "form": "action", "iframe": "src", "button": "formaction"}
_SCHEME = "javascript:"


@dataclass(frozen=True, slots=True)
class Script:
    """A piece of JavaScript or JSON.

    `name` says where it stands: `script`, or the attribute, such as `onclick` or `href`.
    """

    node: LexborNode
    kind: ScriptKind
    name: str
    text: str


def collect_scripts(document: LexborHTMLParser) -> tuple[Script, ...]:
    """All scripts that a browser would compile, in document order, and the JSON that scripts would read.

    What stands in `<template>` or `<noscript>` is no script, and neither is the text of an element with `src`; a script
    that the app's pages share is read from its file.
    """
    handlers = event_handlers()
    found: list[Script] = []
    for node in document.css("*"):
        if node.tag == "script":
            found.extend(_of_element(node))
            continue
        for name, value in node.attributes.items():
            if value and name in handlers:
                found.append(Script(node, "handler", name, value))
        attribute = _ADDRESS_ATTRIBUTES.get(node.tag or "")
        address = (node.attributes.get(attribute) or "").strip() if attribute else ""
        if attribute and address[: len(_SCHEME)].lower() == _SCHEME:
            found.append(Script(node, "classic", attribute, unquote(address[len(_SCHEME) :])))
    return tuple(found)


def _of_element(node: LexborNode) -> Iterator[Script]:
    kind = kind_of(node.attributes.get("type"), node.attributes.get("language"))
    has_source = any(name in node.attributes for name in ("src", "href", "xlink:href"))
    skipped = kind == "classic" and "nomodule" in node.attributes
    if kind is None or skipped or _is_inert(node):
        return
    path = runtime_path(node.attributes.get("src") or "")
    text = runtime_file(path) if path is not None else None if has_source else node.text(deep=True)
    if text is not None:
        yield Script(node, kind, "script", text)


def kind_of(type_attribute: str | None, language: str | None = None) -> ScriptKind | None:
    """What a script element of this type holds; None for a block of data that is no JSON."""
    if type_attribute is None and language:
        type_attribute = f"text/{language}"
    name = (type_attribute or "").strip(" \t\n\f\r").lower()
    if type_attribute == "" or type_attribute is None or name in _JAVASCRIPT_TYPES:
        return "classic"
    if name == "module":
        return "module"
    if name == "importmap":
        return "import map"
    essence = name.partition(";")[0].strip()
    is_json = essence in ("application/json", "text/json", "speculationrules") or essence.endswith("+json")
    return "json" if is_json else None


def _is_inert(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in ("noscript", "template"):
            return True
        parent = parent.parent
    return False


@cache
def event_handlers() -> frozenset[str]:
    """The attributes whose value is a function body: HTML standard, section 8.1.8.2, and what Chromium adds."""
    text = resources.files(__package__ or "").joinpath("event_handlers.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text))


MAX_CHARACTERS = 300_000
"""Above this a script is not judged: it is no page's own, and reading it would take seconds."""
_TOO_DEEP = "resource limit"
"""What the parser says of a script that is nested deeper than it follows; browsers follow further."""

_USING = re.compile(r"\busing\s+[\w$]+\s*=")
"""A declaration that ECMAScript 2026 has not got, and browsers have begun to take."""

_HANDLER_HEAD, _HANDLER_TAIL = "(function (event) {\n", "\n})"


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """Why a script does not compile; lines and columns count from 1 within the script."""

    message: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """A syntax tree (ESTree), or the reason why there is none; neither for what is not judged."""

    tree: Any = None
    problem: SyntaxProblem | None = None
    not_judged: str | None = None


# A check of one page asks for its script's tree three times, and parsing is a third of its work. Nobody changes a tree.
@lru_cache(maxsize=16)
def parse_script(text: str, kind: ScriptKind) -> Parsed:
    """Compile a script in the manner of its kind; JSON gives no tree."""
    if len(text) > MAX_CHARACTERS:
        return Parsed(not_judged=f"it has {len(text):,} characters")
    if kind in ("json", "import map"):
        return Parsed(problem=_json_problem(text, is_import_map=kind == "import map"))
    return _parse_javascript(text, kind)


def _parse_javascript(text: str, kind: ScriptKind) -> Parsed:
    import esprima

    source = f"{_HANDLER_HEAD}{text}{_HANDLER_TAIL}" if kind == "handler" else text
    try:
        tree = esprima.parseModule(source) if kind == "module" else esprima.parseScript(source)
    except esprima.Error as error:
        if _TOO_DEEP in str(error.message):
            return Parsed(not_judged="it is nested too deeply")
        if _USING.search(source):
            return Parsed(not_judged="it uses a declaration newer than this check")
        offset = 1 if kind == "handler" else 0
        message = str(error.message).partition(": ")[2] or str(error.message)
        line = max(1, int(error.lineNumber or 1) - offset)
        return Parsed(problem=SyntaxProblem(message, line, max(1, int(error.column or 1))))
    except RecursionError:
        return Parsed(not_judged="it is nested too deeply")
    if kind == "handler" and not _is_one_function(tree):
        return Parsed(problem=SyntaxProblem("Unexpected token }", 1, 1))
    return Parsed(tree=tree)


def _is_one_function(tree: Any) -> bool:
    """Whether the function around a handler's text is still the whole: a stray brace would close it early."""
    return len(tree.body) == 1 and getattr(tree.body[0].expression, "type", "") == "FunctionExpression"


def _json_problem(text: str, *, is_import_map: bool) -> SyntaxProblem | None:
    def refuse(constant: str) -> NoReturn:
        raise json.JSONDecodeError(f"{constant} is no JSON", text, text.find(constant))

    try:
        value = json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        return SyntaxProblem(error.msg, error.lineno, error.colno)
    except RecursionError:
        return SyntaxProblem("the data is nested too deeply", 1, 1)
    if is_import_map and not isinstance(value, dict):
        return SyntaxProblem("an import map is an object", 1, 1)
    return None


def walk(tree: Any) -> Iterator[tuple[Any, Any, bool]]:
    """Every node with its parent, and whether it stands in a function; in source order, without recursion."""
    stack: list[tuple[Any, Any, bool]] = [(tree, None, False)]
    while stack:
        node, parent, in_function = stack.pop()
        yield node, parent, in_function
        inside = in_function or node.type in _FUNCTIONS
        children = [
            child for value in vars(node).values() if value.__class__ not in _PLAIN for child in nodes_in(value)
        ]
        stack += [(child, node, inside) for child in reversed(children)]


_PLAIN = frozenset({str, bool, int, float, type(None)})
_FUNCTIONS = frozenset({"FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression", "AsyncArrowFunction"})


def nodes_in(value: Any) -> Iterator[Any]:
    """The nodes that a field of a node holds."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(getattr(item, "type", None), str))
    elif isinstance(getattr(value, "type", None), str):
        yield value
