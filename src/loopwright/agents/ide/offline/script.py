"""What the scripts of the ide agent go by: modules, diffs, what the dialogue says, and one task of a request."""

import ast
import builtins
import difflib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import Protocol

from loopwright.kernel.messages import Message, split_blocks
from loopwright.kits.dialogue import Call, Exchange, Script, exchanges

# Python modules: what a file is called in an import, which names it lacks, and where an import belongs.
#
# Unified diffs of files that were read.

CONTEXT = 3


def unified(path: str, lines: Mapping[int, str], changed: Mapping[int, Sequence[str]]) -> str:
    """The diff of a file whose lines, all of them, are given by their numbers.

    Args:
        path: the file.
        lines: its lines.
        changed: by its number, what stands in a line's place; 0 is what comes before the first line.
    """
    after = [*changed.get(0, ()), *(line for number, text in lines.items() for line in changed.get(number, (text,)))]
    made = difflib.unified_diff(list(lines.values()), after, f"a/{path}", f"b/{path}", n=CONTEXT, lineterm="")
    return "\n".join(made) + "\n"


HOMES = (
    "pathlib", "dataclasses", "datetime", "collections.abc", "collections", "typing", "enum", "functools", "contextlib",
    "decimal", "fractions", "abc", "textwrap", "tempfile", "string", "concurrent.futures", "threading",
)  # fmt: skip
"""Modules whose names are usually imported out of them, the one that is preferred first."""
ALWAYS_THERE = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__spec__", "__path__", "__package__"}


def module_of(path: str, files: Sequence[str]) -> str:
    """The dotted name by which a file is imported: from the folder that is no package, or below `src`."""
    parts = path.removesuffix(".py").removesuffix(".pyi").split("/")
    folders = parts[:-1]
    start = folders.index("src") + 1 if "src" in folders else 0
    if start == 0:
        packages = {known.rpartition("/")[0] for known in files if known.endswith("/__init__.py")}
        start = len(folders)
        while start > 0 and "/".join(folders[:start]) in packages:
            start -= 1
    named = parts[start:]
    return ".".join(named[:-1] if named[-1] == "__init__" and len(named) > 1 else named)


def undefined_names(tree: ast.Module) -> list[str]:
    """Names that are read and bound nowhere in the file; a star import binds anything, so there are none then."""
    bound = set(ALWAYS_THERE)
    loaded: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return []
        bound |= set(_bound_by(node))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            loaded[node.id] = None
    return [name for name in loaded if name not in bound]


def _bound_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names


def standard_home(name: str) -> str | None:
    """The module of the standard library that is the usual home of a name, such as `pathlib` of `Path`."""
    return next((module for module in HOMES if name in import_module(module).__all__), None)


def is_standard(module: str) -> bool:
    """Whether it is a module of Python's standard library."""
    return module in sys.stdlib_module_names


def import_place(lines: Mapping[int, str]) -> int:
    """The line after which a new import stands: the last import at the top, or the module's own words, or nothing."""
    text = "\n".join(lines.values())
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return _place_by_lines(lines)
    place = 0
    for position, node in enumerate(body):
        words = position == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not words and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        place = node.end_lineno or node.lineno
    return place or _place_by_lines(lines)


def _place_by_lines(lines: Mapping[int, str]) -> int:
    """In a file that cannot be parsed, or has no import: after its `#!` line and coding."""
    place = 0
    for number, line in lines.items():
        if not re.match(r"#!|#.*coding[:=]", line):
            break
        place = number
    return place


def has_import(text: str, statement: str) -> bool:
    """Whether an import statement stands in a file already, alone or among others."""
    try:
        present, (wanted,) = ast.parse(text), ast.parse(statement).body
    except SyntaxError:
        return statement in text.splitlines()
    return any(_imports(node, wanted) for node in ast.walk(present))


def _imports(node: ast.AST, wanted: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom) and isinstance(wanted, ast.ImportFrom):
        same = (node.module, node.level) == (wanted.module, wanted.level)
        return same and {(a.name, a.asname) for a in wanted.names} <= {(a.name, a.asname) for a in node.names}
    if isinstance(node, ast.Import) and isinstance(wanted, ast.Import):
        return {(a.name, a.asname) for a in wanted.names} <= {(a.name, a.asname) for a in node.names}
    return False


@dataclass(frozen=True)
class Outcome:
    """What a script has come to: words for the user, and what was asked for and is not there."""

    words: str
    missing: tuple[str, ...] = ()


Work = Script[Outcome]


def shown(call: Call) -> str:
    """A call in a few words."""
    keys = ("command", "path", "query", "pattern", "folder", "checkpoint_id", "content")
    target = next((str(call.arguments[key]) for key in keys if call.arguments.get(key)), "")
    return f"{call.name} {' '.join(target.split())[:80]}".strip()


def in_turn(works: Iterable[Work]) -> Work:
    """Several works, one after the other, as one; each says its words."""
    outcomes: list[Outcome] = []
    for work in works:
        outcome = yield from work
        outcomes.append(outcome)
    words = "\n\n".join(outcome.words for outcome in outcomes)
    return Outcome(words, tuple(line for outcome in outcomes for line in outcome.missing))


# What the dialogue says: the user's newest request, and the calls that were made for it.

CORRECTIONS = (
    "agent/delivery_gate",
    "agent/empty_response_recovery",
    "qa/report_schema",
    "conversation_flow/corrections/empty_response_followup",
    "conversation_flow/corrections/force_tool_followup",
    "conversation_flow/corrections/no_user_input_next_step",
    "conversation_flow/corrections/repeated_failure",
    "conversation_flow/corrections/tool_failure_recovery",
    "conversation_flow/delivery_gate/enforce_delivery_completion",
    "conversation_flow/delivery_gate/low_quality_reasoning",
    "conversation_flow/delivery_gate/not_there",
    "conversation_flow/delivery_gate/reasoning_format_correction",
    "conversation_flow/delivery_gate/reasoning_only_no_answer",
)
"""The prompts that the controller shows in the user's role when it sends the model back."""
CUT_OFF = "Your answer was cut off at the length limit."
SUMMARY = "\n## Summary of the earlier conversation\n"
LONGEST_REQUEST = 4_000


@dataclass(frozen=True)
class Dialogue:
    """The part of a dialogue that begins with the user's newest request.

    `units` are the calls since then in order, `words` the answers without calls; `reviewed_from` is the number of units
    that were there at the last of these words. `folded` is the summary of what is no longer there.
    """

    request: str
    units: tuple[Exchange, ...] = ()
    words: tuple[str, ...] = ()
    reviewed_from: int = 0
    folded: str = ""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "Dialogue":
        """Read the messages of a request."""
        starts = [place for place, message in enumerate(messages) if _is_request(message)]
        if not starts:
            return cls("")
        newest = messages[starts[-1] + 1 :]
        words: list[str] = []
        reviewed_from = 0
        for place, message in enumerate(newest):
            if message.role == "assistant" and not message.tool_calls:
                words.append(message.content)
                reviewed_from = len(exchanges(newest[:place]))
        system = "\n".join(message.content for message in messages if message.role == "system")
        folded = system.rpartition(SUMMARY)[2] if SUMMARY in system else ""
        request = split_blocks(messages[starts[-1]].content)[0][:LONGEST_REQUEST]
        return cls(request, tuple(exchanges(newest)), tuple(words), reviewed_from, folded)

    @property
    def work(self) -> tuple[Exchange, ...]:
        """The calls that were made before the newest words: while QA reviews, those of the work that it looks at."""
        return self.units[: self.reviewed_from]


def _is_request(message: Message) -> bool:
    said = split_blocks(message.content)[0] if message.role == "user" else ""
    return bool(said) and not said.startswith(_openings())


@cache
def _openings() -> tuple[str, ...]:
    """How the controller's messages begin, as far as they are the same each time."""
    folder = resources.files("loopwright.agents.ide").joinpath("prompts")
    texts = (folder.joinpath(f"{name}.md").read_text(encoding="utf-8") for name in CORRECTIONS)
    return (CUT_OFF, *(text.partition("{{")[0].partition("\n")[0].strip()[:60] for text in texts))


# One thing that a request asks for, as the rules understand it.


@dataclass(frozen=True)
class TaskPlan:
    """How a task is gone about: what is looked at, what could go wrong, what proves that it is done.

    Each is a part of a sentence, without a full stop.
    """

    research: str
    risk: str
    done_when: str


class Task(Protocol):
    """Something to do. `aim` names it in a part of a sentence that begins with a verb."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        ...

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        ...

    def work(self, offered: frozenset[str]) -> Work:
        """The script that does it with the tools that are offered."""
        ...
