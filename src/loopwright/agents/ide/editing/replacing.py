"""Search and replace in a file, and whole definitions that take the place of their namesakes."""

import ast
import json
import re
import textwrap
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from loopwright.agents.ide.contracts import Symbol
from loopwright.agents.ide.index.parsing import MOST_BYTES, language_of, parser_of, symbols_of
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kits.history.texts import lines_of

# Search and replace: exactly, else by lines that differ in white space alone, else by the most similar lines.
#
# What was not matched exactly is shown with its similarity; what could be several places is refused.
#
# Which lines of a file are most like some others: by their words first, since that is quick, then by their order.

WORD = re.compile(r"\w+|[^\w\s]")
CANDIDATES = 6
"""Places whose words are compared in their order."""
MOST_WORDS = 5_000
"""Of what is looked for; beyond that the comparison would make people wait."""


@dataclass(frozen=True)
class Likeness:
    """The bounds of a place (indices of lines, the higher one excluded) and its likeness, 0 to 1 for equal words."""

    low: int
    high: int
    ratio: float


def most_alike(lines: Sequence[str], wanted: Sequence[str]) -> list[Likeness]:
    """The places that are most like the wanted lines, the best first; they do not overlap."""
    words = [WORD.findall(line) for line in lines]
    target = [word for line in wanted for word in WORD.findall(line)]
    if not words or not target or len(target) > MOST_WORDS:
        return []
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(target)

    def compare(low: int, high: int) -> Likeness:
        matcher.set_seq1([word for line in words[low:high] for word in line])
        return Likeness(low, high, matcher.ratio())

    rated = [compare(low, high) for low, high in _candidates(words, Counter(target), len(wanted))]
    found: list[Likeness] = []
    for place in sorted(rated, key=lambda each: -each.ratio):
        if all(place.high <= other.low or place.low >= other.high for other in found):
            found.append(place)
    best = found[0]
    moves = [(best.low + a, best.high + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    near = [compare(low, high) for low, high in moves if 0 <= low < high <= len(lines)]
    return [max(near, key=lambda each: each.ratio), *found[1:]]


def _candidates(words: Sequence[Sequence[str]], target: Counter[str], size: int) -> list[tuple[int, int]]:
    """The windows of so many lines that share most words with the target, counted while the window moves on."""
    size, wanted = min(size, len(words)), target.total()
    window: Counter[str] = Counter()
    shared = total = 0
    scored: list[tuple[float, int]] = []
    for high, line in enumerate(words, 1):
        for word in line:
            shared += window[word] < target[word]
            window[word] += 1
        total += len(line)
        if high > size:
            for word in words[high - size - 1]:
                window[word] -= 1
                shared -= window[word] < target[word]
            total -= len(words[high - size - 1])
        if high >= size:
            scored.append((2 * shared / (total + wanted), high - size))
    scored.sort(key=lambda each: (-each[0], each[1]))
    return [(low, low + size) for _, low in scored[:CANDIDATES]]


SIMILAR = 0.85
"""From this ratio of equal words on (0 to 1) lines are taken for those that were meant."""
CLEARLY = 0.05
"""So much more similar than any other place the best one must be."""
MOST_PLACES = 10
SHOWN_LINES = 20
READ_AGAIN = "Read the file again and copy the text, without line numbers; more lines around it make it unique."

TIERS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("but for white space at line ends", str.rstrip),
    ("but for indentation", str.strip),
    ("but for white space", lambda line: " ".join(line.split())),
)


@dataclass(frozen=True)
class Replacement:
    """The new text, the lines (from 1) where the replaced text began, and, unless it was exact, what was matched."""

    text: str
    lines: tuple[int, ...]
    how: str = "exact"
    matched: str = ""
    similarity: float = 1.0


def newline_of(text: str) -> str:
    """The line end that most lines have; a line feed where there is none."""
    carriage = text.count("\r\n")
    return "\r\n" if carriage > text.count("\n") - carriage else "\n"


def with_newlines(text: str, newline: str) -> str:
    """The text with these line ends."""
    return text.replace("\r\n", "\n").replace("\n", newline)


def replace_text(
    text: str, search: str, replacement: str, *, occurrence: int | None = None, everywhere: bool = False
) -> Replacement:
    """Replace what is searched for.

    Args:
        text: the file.
        search: what stands there; it must be there once, unless one of the next two says which.
        replacement: what comes in its place; its line ends become those of the file.
        occurrence: which of several exact matches, from 1.
        everywhere: all exact matches.

    Raises:
        NotFound: it is not there, nor anything similar enough; the message shows the most similar place.
        InvalidInput: it could be several places; the message lists them. Or nothing would change.
    """
    if not search.strip():
        raise InvalidInput("There is nothing to search for.", hint="Give the text that is to be replaced.")
    if search == replacement:
        raise InvalidInput(
            "The replacement is the same as the text.",
            hint="The replacement is the text that shall stand there instead.",
        )
    new = with_newlines(replacement, newline_of(text)) if "\n" in text else replacement
    variants = dict.fromkeys((search, with_newlines(search, "\r\n"), with_newlines(search, "\n")))
    for variant in variants:
        starts = _occurrences(text, variant)
        if starts:
            return _exactly(text, starts, len(variant), new, occurrence, everywhere)
    if everywhere or occurrence is not None:
        raise NotFound("The text does not occur in the file exactly.", hint=READ_AGAIN)
    return _by_lines(text, search, new)


def _occurrences(text: str, search: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(search), text)]


def _exactly(
    text: str, starts: Sequence[int], length: int, new: str, occurrence: int | None, everywhere: bool
) -> Replacement:
    lines = [text.count("\n", 0, start) + 1 for start in starts]
    if occurrence is not None:
        if occurrence > len(starts):
            raise NotFound(f"The text occurs {len(starts)} times only, in lines {_listed(lines)}.")
        starts, lines = [starts[occurrence - 1]], [lines[occurrence - 1]]
    elif len(starts) > 1 and not everywhere:
        raise InvalidInput(
            f"The text occurs {len(starts)} times, in lines {_listed(lines)}.",
            hint="Give more lines around it, or say which occurrence, or all.",
        )
    ends = [0, *(start + length for start in starts)]
    kept = [text[low:high] for low, high in zip(ends, [*starts, len(text)], strict=True)]
    return Replacement(new.join(kept), tuple(lines))


def _by_lines(text: str, search: str, new: str) -> Replacement:
    lines, wanted = lines_of(text), lines_of(search)
    while len(wanted) > 1 and not wanted[0].strip():
        wanted, new = wanted[1:], new.removeprefix("\n" if new.startswith("\n") else "\r\n")
    while len(wanted) > 1 and not wanted[-1].strip():
        wanted = wanted[:-1]
    for how, plain in TIERS:
        places = _places([plain(line) for line in lines], [plain(line) for line in wanted])
        if len(places) > 1:
            numbers = [place + 1 for place in places]
            raise InvalidInput(
                f"The text does not occur exactly; {how} it occurs {len(places)} times, in lines {_listed(numbers)}.",
                hint=READ_AGAIN,
            )
        if places:
            return _put(lines, places[0], places[0] + len(wanted), wanted, new, how, 1.0)
    spans = _flowing(text, search)
    if len(spans) == 1:
        (start, end), line = spans[0], text.count("\n", 0, spans[0][0]) + 1
        return Replacement(text[:start] + new.strip() + text[end:], (line,), TIERS[-1][0], text[start:end])
    return _by_likeness(lines, wanted, new)


def _by_likeness(lines: Sequence[str], wanted: Sequence[str], new: str) -> Replacement:
    places = most_alike(lines, wanted)
    if not places:
        raise NotFound("The text does not occur in the file.", hint=READ_AGAIN)
    best = places[0]
    if best.ratio < SIMILAR or not _same_edges(lines[best.low : best.high], wanted):
        shown = "".join(lines[best.low : best.high][:SHOWN_LINES]).rstrip()
        raise NotFound(
            "The text does not occur in the file. "
            f"The most similar place ({best.ratio:.0%}) begins in line {best.low + 1}:\n{shown}",
            hint=READ_AGAIN,
        )
    if len(places) > 1 and best.ratio - places[1].ratio < CLEARLY:
        first, second = sorted(place.low + 1 for place in places[:2])
        raise InvalidInput(
            f"The text does not occur exactly, and lines {first} and {second} are about as similar to it.",
            hint=READ_AGAIN,
        )
    return _put(lines, best.low, best.high, wanted, new, "by similarity", best.ratio)


def _flowing(text: str, search: str) -> list[tuple[int, int]]:
    """Where the words of the search follow each other, whatever white space is between them: also within a line."""
    pattern = r"\s+".join(re.escape(word) for word in search.split())
    return [match.span() for match in re.finditer(pattern, text)]


def _same_edges(matched: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether similar lines begin and end with the same word: else a part of a line would go that nobody named."""
    there, asked = "".join(matched).split(), "".join(wanted).split()
    return bool(there) and (there[0], there[-1]) == (asked[0], asked[-1])


def _places(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    first = wanted[0]
    return [
        place
        for place in range(len(lines) - len(wanted) + 1)
        if lines[place] == first and lines[place : place + len(wanted)] == wanted
    ]


def _put(
    lines: Sequence[str], low: int, high: int, wanted: Sequence[str], new: str, how: str, similarity: float
) -> Replacement:
    """Put the replacement in place of whole lines, indented as they are."""
    matched = "".join(lines[low:high])
    block = "".join(_indented(lines[low:high], wanted, lines_of(new)))
    if matched.endswith("\n") and block and not block.endswith("\n"):
        block += "\r\n" if matched.endswith("\r\n") else "\n"
    elif not matched.endswith("\n"):
        block = block.removesuffix("\n").removesuffix("\r")
    text = "".join((*lines[:low], block, *lines[high:]))
    return Replacement(text, (low + 1,), how, matched, similarity)


def _indented(matched: Sequence[str], wanted: Sequence[str], new: Sequence[str]) -> list[str]:
    """The new lines with the file's indentation for that of the search."""
    if len(matched) != len(wanted):
        return list(new)
    known = {_indent(asked): _indent(there) for asked, there in zip(wanted, matched, strict=True) if asked.strip()}
    return [_reindent(line, known) for line in new]


def _reindent(line: str, known: dict[str, str]) -> str:
    indent = _indent(line)
    if not line.strip() or indent in known:
        return known.get(indent, indent) + line[len(indent) :]
    nearest = max((each for each in known if indent.startswith(each)), key=len, default=None)
    if nearest is None:
        return line
    deeper, there = indent[len(nearest) :], known[nearest]
    step = next((len(b) - len(a) for a, b in pairwise(sorted(known, key=len)) if b.startswith(a)), 4) or 4
    tabs = any("\t" in each for each in known.values()) and "\t" not in indent
    return there + ("\t" * -(-len(deeper) // step) if tabs else deeper) + line[len(indent) :]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _listed(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:MOST_PLACES]))
    return shown if len(lines) <= MOST_PLACES else f"{shown} …"


# A file's habits: a byte order mark and line ends stay as they are when a model writes it anew.

BYTE_ORDER_MARK = "\ufeff"


def in_the_style_of(before: bytes | None, content: str) -> bytes:
    """The content with the byte order mark and the line ends of what stands there, where that is text."""
    if before is None:
        return content.encode("utf-8")
    try:
        present = before.decode("utf-8")
    except UnicodeDecodeError:
        return content.encode("utf-8")
    if "\n" in present and newline_of(present) == "\r\n":
        content = with_newlines(content, "\r\n")
    if present.startswith(BYTE_ORDER_MARK) and not content.startswith(BYTE_ORDER_MARK):
        content = BYTE_ORDER_MARK + content
    return content.encode("utf-8")


# Writing definitions into a file: each takes the place of the one with its name, or is added; the rest stays.
#
# Whether an edit leaves a file that can no longer be read as what it is.

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
