"""Parsing scripts as browsers do; nothing is ever run.

The parser is Esprima in pure Python with the grammar of ECMAScript 2026, including the early errors and the regular
expressions. It limits the depth of nesting by itself.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from loopwright.agents.pages.compliance.javascript.scripts import ScriptKind

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
        children = [child for value in vars(node).values() for child in nodes_in(value)]
        stack += [(child, node, inside) for child in reversed(children)]


_FUNCTIONS = frozenset({"FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression", "AsyncArrowFunction"})


def nodes_in(value: Any) -> Iterator[Any]:
    """The nodes that a field of a node holds."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(getattr(item, "type", None), str))
    elif isinstance(getattr(value, "type", None), str):
        yield value
