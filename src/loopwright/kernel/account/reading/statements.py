"""Statements of a message by rules, and what no statement covers."""

from collections.abc import Iterator, Sequence

from loopwright.kernel.account.kit import Kind, Statement
from loopwright.kernel.account.reading.chunks import Chunk, Marked, brackets, mark, segments
from loopwright.kernel.account.reading.lists import bracketed, coordinated
from loopwright.kernel.account.reading.phrases import phrased
from loopwright.kernel.account.reading.sentences import Line, polite_words
from loopwright.kernel.account.reading.tokens import Passage, Range, Token, passage
from loopwright.kernel.account.reading.words import scan

# --------------------------------------------------------------------------------------------------------------------
# What kind of thing a statement asks, by its words and its hard tokens.
# --------------------------------------------------------------------------------------------------------------------


def kind_of(begins: tuple[Line, int, frozenset[int]] | None, tokens: Sequence[Token]) -> Kind:
    """The kind of a statement; what no rule tells is a thing. `begins` is its first word: its line, its index in it."""
    if begins is None:
        return "thing"
    line, first, frame = begins
    opened = first - 1 in frame
    if not opened and (line.words[-1].text in ("?", "？") or line.has(first, "question") or _asks(line, first)):
        return "question"
    kinds = {token.kind for token in tokens}
    for found, kind in (
        ("limit", "limit"),
        ("negation", "limit"),
        ("date", "date"),
        ("weekday", "date"),
        ("time", "date"),
    ):
        if found in kinds:
            return "limit" if kind == "limit" else "date"
    if "superlative" in kinds or "order" in kinds:
        return "order"
    if any(token.kind == "number" for token in tokens):
        return "quantity"
    if "colour" in kinds:
        return "style"
    if line.phrase_at(first, "told"):
        return "context"
    if "name" in kinds or "literal" in kinds:
        return "name"
    if opened or line.has(first, "verbs") or any(phrase.kind == "verbs" for phrase in line.phrases_at(first)):
        return "action"
    return "date" if "calendar" in kinds else "thing"


def _asks(line: Line, first: int) -> bool:
    return line.phrase_at(first, "question") is not None


LONGEST_GAP = 40
"""Characters of small words between two words that are left over together."""
_EDGES = " \t\r\n,，、;；:：.。!！?？—–-"


def read_statements(message: str, number: int = 0) -> list[Statement]:
    """What a message asks or tells, statement by statement, by rules alone.

    Together the statements hold every content word and every hard token. `number` is the message's in its run.
    """
    read = passage(message)
    ranges: list[list[Range]] = []
    for marked in _marked_lines(read):
        ranges += [_ranges(marked, chunk) for chunk in _chunks(marked)]
    found = [statement_of(read, parts, number, at) for at, parts in enumerate(_once(ranges), 1)]
    return [*found, *uncovered(message, found, number)]


def uncovered(message: str, statements: Sequence[Statement], number: int = 0) -> list[Statement]:
    """What no statement covers of a message's content words and hard tokens, as statements that are not used."""
    read = passage(message)
    left = read.left_out([part for statement in statements for part in statement.parts])
    used = {statement.id for statement in statements}
    found = []
    at = len(statements)
    for part in _neighbours(read, left):
        at += 1
        while f"{number}.{at}" in used:
            at += 1
        found.append(statement_of(read, [part], number, at).model_copy(update={"state": "not_used"}))
    return found


def statement_of(read: Passage, parts: Sequence[Range], number: int, at: int) -> Statement:
    """The statement of these ranges of a message, the `at`-th of it (from 1)."""
    inside = read.tokens_within(parts)
    text = " ".join(read.message[start:end] for start, end in parts)
    hard = tuple(token.text for token in inside)
    kind = kind_of(read.first_word(parts[0][0]), inside)
    return Statement(id=f"{number}.{at}", message=number, parts=tuple(parts), text=text, kind=kind, hard=hard)


def _marked_lines(read: Passage) -> Iterator[Marked]:
    place = 0
    for line, frame in zip(read.lines, read.frames, strict=True):
        end = line.words[-1].end
        first = place
        while place < len(read.tokens) and read.tokens[place].start < end:
            place += 1
        yield mark(line, read.tokens[first:place], frame & polite_words(line), frame)


def _chunks(marked: Marked) -> Iterator[Chunk]:
    main, groups = brackets(marked)
    for chunk in coordinated(marked, segments(marked, main)):
        yield from phrased(marked, chunk)
    for before, inside in groups:
        yield from bracketed(marked, main, before, inside)


def _ranges(marked: Marked, chunk: Chunk) -> list[Range]:
    """The ranges of characters of a chunk: runs of words with nothing but spaces and its own marks between them."""
    words = marked.line.words
    indices = sorted({*chunk.head, *chunk.own})
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    found = []
    for run in runs:
        while run and _edge(marked, run[0]):
            run.pop(0)
        while run and _edge(marked, run[-1]):
            run.pop()
        if run:
            found.append((words[run[0]].start, words[run[-1]].end))
    return found


def _edge(marked: Marked, index: int) -> bool:
    """Whether a mark at the edge of a statement is none of its own."""
    return not marked.line.words[index].speaks and marked.line.words[index].text in _EDGES


def _once(ranges: Sequence[list[Range]]) -> list[list[Range]]:
    """The statements without doubles, and without what another one says as part of a whole ("calm", "calm teal")."""
    found: dict[tuple[Range, ...], list[Range]] = {}
    for parts in ranges:
        if parts:
            found.setdefault(tuple(parts), parts)
    ends: dict[int, int] = {}
    for parts in found.values():
        if len(parts) == 1:
            start, end = parts[0]
            ends[start] = max(end, ends.get(start, 0))
    return [parts for parts in found.values() if len(parts) > 1 or parts[0][1] == ends[parts[0][0]]]


def in_order(ranges: Sequence[tuple[Range, ...]]) -> list[tuple[Range, ...]]:
    """Statements in the order in which the user said them: by what is their own, which stands after a shared head."""
    return sorted(ranges, key=lambda parts: (parts[-1][0], parts))


def _neighbours(read: Passage, ranges: Sequence[Range]) -> list[Range]:
    """Ranges put together where only small words lie between them: "sung by goldfish" is left over as a whole."""
    said = {word.start for word in read.content}
    found: list[Range] = []
    for start, end in ranges:
        if found and (start < found[-1][1] or _small(read, found[-1][1], start, said)):
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _small(read: Passage, start: int, end: int, said: set[int]) -> bool:
    between = scan(read.message[start:end]) if end - start < LONGEST_GAP else None
    return between is not None and not any(
        word.start + start in said or word.text in _EDGES or word.text in "()[]（）\n" for word in between
    )
