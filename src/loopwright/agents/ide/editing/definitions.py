"""Writing definitions into a file: each takes the place of the one with its name, or is added; the rest stays."""

import ast
import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from loopwright.agents.ide.contracts import Symbol
from loopwright.agents.ide.editing.replacing import newline_of, with_newlines
from loopwright.agents.ide.index.parsing import MOST_BYTES, language_of, parser_of, symbols_of
from loopwright.kernel.errors import InvalidInput

# --------------------------------------------------------------------------------------------------------------------
# Whether an edit leaves a file that can no longer be read as what it is.
# --------------------------------------------------------------------------------------------------------------------

READERS: Mapping[str, Callable[[str], Any]] = {
    ".py": ast.parse,
    ".pyi": ast.parse,
    ".json": json.loads,
    ".toml": tomllib.loads,
}


def broken_by(path: str, before: bytes | None, after: bytes | None) -> str:
    """Why the new content cannot be read, where the old one could; empty where that is not so, or nobody can tell.

    Args:
        path: of the file, whose ending says what it is.
        before: its content up to now; None where it is new.
        after: its new content; None where it is deleted.
    """
    if after is None or len(after) > MOST_BYTES or (before is not None and trouble_of(path, before)):
        return ""
    return trouble_of(path, after)


def trouble_of(path: str, data: bytes) -> str:
    """What is wrong with the form of a file, with its line; empty where nothing is, or where its form is not known."""
    reader = READERS.get(PurePosixPath(path).suffix)
    if reader is None:
        return _by_grammar(path, data)
    try:
        reader(data.decode("utf-8"))
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}: {(error.text or '').strip()[:120]}"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error)[:200]
    return ""


def _by_grammar(path: str, data: bytes) -> str:
    """The first place that the language's grammar does not know."""
    language = language_of(path)
    if language is None:
        return ""
    node = parser_of(language).parse(data).root_node
    if not node.has_error:
        return ""
    while True:
        inside = next((each for each in node.children if each.has_error or each.is_missing), None)
        if inside is None or node.type == "ERROR":
            line = node.start_point[0] + 1
            text = data.split(b"\n")[line - 1].decode("utf-8", "replace").strip()
            return f"line {line} is not valid {language}: {text[:120]}"
        node = inside


IMPORT = re.compile(r"(?:import|from|use|using|require|#include)\b.*|(?:const|let|var) .*\brequire\(.*")
DECORATOR, COMMENT = re.compile(r"\s*@"), re.compile(r"\s*(?://|#(?!include)|/?\*)")


@dataclass(frozen=True)
class Definition:
    """A definition outside of any other, with its decorators and the comment before it, as lines from 0."""

    symbol: Symbol
    start: int
    end: int


def with_definitions(path: str, before: str, code: str) -> tuple[str, Sequence[str]]:
    """The file's text with the definitions of `code`, and a line for each that was replaced or added.

    Raises:
        InvalidInput: the code defines nothing, or a name that the file defines in several places.
    """
    lines, new = before.splitlines(), with_newlines(textwrap.dedent(code), "\n").splitlines()
    written = _outer(path, new)
    if not written:
        raise InvalidInput(
            f"No function, class or constant was found in the code for {path!r}.",
            hint="Use replace_in_file to change other lines, or append_to_file to add some.",
        )
    notes = []
    for each in written:
        block = new[each.start : each.end]
        old = _named(path, lines, each.symbol)
        if old is None:
            lines += [*([""] if lines and lines[-1].strip() else []), *_gap(path, lines), *block]
            notes.append(f"Added {each.symbol.name}.")
        else:
            own = old.symbol.line_start - 1
            start = old.start if each.start < each.symbol.line_start - 1 else own
            indent = re.match(r"\s*", lines[own])[0]  # type: ignore[index]  # it matches anything
            lines[start : old.end] = [indent + line if line.strip() else line for line in block]
            notes.append(f"Replaced {each.symbol.name}.")
    imports = [line for line in new[: written[0].start] if IMPORT.fullmatch(line) and line not in lines]
    last = max((at for at, line in enumerate(lines) if IMPORT.fullmatch(line)), default=-1)
    at = last + 1 if last >= 0 else _after_head(lines)
    lines[at:at] = [*imports, *([""] if imports and last < 0 else [])]
    return newline_of(before).join(lines) + newline_of(before), notes


def _outer(path: str, lines: Sequence[str]) -> list[Definition]:
    """The definitions that stand in no other, in order."""
    found: list[Definition] = []
    for symbol in sorted(symbols_of(path, "\n".join(lines).encode()), key=lambda each: each.line_start):
        if not found or symbol.line_start > found[-1].symbol.line_end:
            found.append(_whole(symbol, lines))
    return found


def _named(path: str, lines: Sequence[str], wanted: Symbol) -> Definition | None:
    """The definition with this name; a method is named without its class where no other thing has the name."""
    named = [each for each in symbols_of(path, "\n".join(lines).encode()) if each.name == wanted.name]
    same = [each for each in named if each.container == wanted.container] or named
    if len(same) > 1:
        places = ", ".join(str(each.line_start) for each in same)
        raise InvalidInput(
            f"{path!r} defines {wanted.name} in several places, in lines {places}.",
            hint="Use replace_in_file for one of them.",
        )
    return _whole(same[0], lines) if same else None


def _whole(symbol: Symbol, lines: Sequence[str]) -> Definition:
    start = symbol.line_start - 1
    while start and (DECORATOR.match(lines[start - 1]) or COMMENT.match(lines[start - 1])):
        start -= 1
    return Definition(symbol, start, symbol.line_end)


def _gap(path: str, lines: Sequence[str]) -> list[str]:
    """Python has two empty lines before a definition."""
    return [""] if path.endswith(".py") and lines else []


def _after_head(lines: Sequence[str]) -> int:
    """Where a first import may stand: behind the comments and the docstring at the top."""
    at = 0
    while at < len(lines) and (COMMENT.match(lines[at]) or not lines[at].strip()):
        at += 1
    if at < len(lines) and lines[at].startswith(('"""', "'''")):
        quote = lines[at][:3]
        while at < len(lines) and not lines[at].rstrip().endswith(quote):
            at += 1
        at += 1
    return min(at, len(lines))
