"""Statements of a message: by rules, or as a model proposes them and the rules check and complete them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from loopwright.kernel.account import Kind, Statement
from loopwright.kernel.account.reading.chunks import Chunk, Marked, brackets, mark, segments
from loopwright.kernel.account.reading.lexicon import Word, scan
from loopwright.kernel.account.reading.lists import bracketed, coordinated
from loopwright.kernel.account.reading.phrases import phrased
from loopwright.kernel.account.reading.sentences import Line, polite_words
from loopwright.kernel.account.reading.tokens import Passage, Range, Token, passage

# What kind of thing a statement asks, by its words and its hard tokens.


def kind_of(begins: tuple[Line, int, frozenset[int]] | None, tokens: Sequence[Token]) -> Kind:
    """The kind of a statement; what no rule tells is a thing. `begins` is its first word: its line, its index in it."""
    if begins is None:
        return "thing"
    line, first, frame = begins
    opened = first - 1 in frame
    if not opened and (line.words[-1].text in ("?", "？") or _asks(line, first)):
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
    """Whether a clause asks: an auxiliary does where it begins its sentence, or where its subject follows it.

    What goes on ("I manage four an hour and can work ...", "Am 24. April ist unser Fest") only seems to.
    """
    if line.phrase_at(first, "question") is not None:
        return True
    if not line.has(first, "question"):
        return False
    goes_on = any(word.speaks for word in line.words[:first])
    return not goes_on or not line.has(first, "auxiliary") or line.has(first + 1, "subject")


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


# A model's proposal of statements, checked against the message and completed by the rules.

Quote = str | Sequence[str]
_ENDS = frozenset(".,;:!?。，；：！？")
MOST_QUOTES = 200
COARSE = 3
"""A quote that holds so many statements of the rules is cut as the rules would: what is one for the model would be kept
by a check of a part of it."""
COARSE_HARD = 2
"""And one that holds so many with hard tokens."""


@dataclass(frozen=True)
class CompletedReading:
    """The statements of a message, and the quotes of the proposal that were refused, each with the reason."""

    statements: list[Statement]
    refused: list[tuple[str, str]] = field(default_factory=list)


def complete_reading(message: str, quotes: Sequence[Quote], number: int = 0) -> CompletedReading:
    """The statements that a model's quotes make, in the order of the message.

    A quote that is not in the message is refused. One whose edge cuts a hard token or a word in two is widened to hold
    it. One that holds several statements is cut by the rules. What no quote covers is added as the rules read it; what
    asks for nothing by their judgement (a frame) is not.
    """
    read = passage(message)
    words = scan(message)
    ruled = read_statements(message, number)
    refused: list[tuple[str, str]] = []
    proposed: list[tuple[Range, ...]] = []
    for quote in list(quotes)[:MOST_QUOTES]:
        parts = [quote] if isinstance(quote, str) else list(quote)
        places = _places(words, parts)
        text = " … ".join(parts)
        if places is None:
            refused.append((text, "not in the message"))
        elif not _speaks(words, places):
            refused.append((text, "says nothing"))
        else:
            proposed += _fine(_limited(_widened(places, read), read, ruled), ruled)
    refused += [(str(quote), "too many quotes") for quote in list(quotes)[MOST_QUOTES:]]
    return CompletedReading(_with_rest(read, _apart(proposed), ruled, number), refused)


def _places(words: Sequence[Word], parts: Sequence[str]) -> tuple[Range, ...] | None:
    """Where the parts stand in the message, each after the one before it; None where one does not."""
    norms = [word.norm for word in words]
    found: list[Range] = []
    after = 0
    for part in parts:
        need = scan(part)
        while need and need[-1].text in _ENDS:
            need.pop()
        at = _first_place(norms, [word.norm for word in need], after) if need else None
        if at is None:
            return None
        found.append((words[at].start, words[at + len(need) - 1].end))
        after = at + len(need)
    return tuple(found) or None


def _first_place(norms: Sequence[str], need: Sequence[str], after: int) -> int | None:
    size = len(need)
    for at in range(after, len(norms) - size + 1):
        if norms[at] == need[0] and list(norms[at : at + size]) == list(need):
            return at
    return None


def _speaks(words: Sequence[Word], parts: Sequence[Range]) -> bool:
    return any(word.speaks and _in((word.start, word.end), parts) for word in words)


def _widened(parts: Sequence[Range], read: Passage) -> tuple[Range, ...]:
    """The parts with each hard token that they cut in two taken in whole."""
    starts, tokens = read.token_starts, read.tokens
    found: list[Range] = []
    for start, end in parts:
        at = bisect_right(starts, start) - 1
        if at >= 0 and tokens[at].start < start < tokens[at].end:
            start = tokens[at].start
        at = bisect_right(starts, end - 1) - 1
        if at >= 0 and tokens[at].start < end < tokens[at].end:
            end = tokens[at].end
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def _limited(parts: tuple[Range, ...], read: Passage, ruled: Sequence[Statement]) -> tuple[Range, ...]:
    """The quote, with each statement of the rules that it cuts a negation or a limit from."""
    for statement in ruled:
        # What items of a list share is no part that is the statement's own.
        if not any(_touch(part, statement.parts[-1]) for part in parts):
            continue
        limits = [token for token in read.tokens_within(statement.parts) if token.kind in ("negation", "limit")]
        if any(not _in((token.start, token.end), parts) for token in limits):
            parts = _united(parts, statement.parts)
    return parts


def _united(first: Sequence[Range], second: Sequence[Range]) -> tuple[Range, ...]:
    """The ranges of both, those that touch put together."""
    found: list[Range] = []
    for start, end in sorted({*first, *second}):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def _fine(parts: tuple[Range, ...], ruled: Sequence[Statement]) -> Iterator[tuple[Range, ...]]:
    """The quote, or the statements of the rules that it holds where it is too coarse.

    An item of a list that was quoted alone gets the head that it shares with the others.
    """
    inside = [statement for statement in ruled if all(_in(part, parts) for part in statement.parts)]
    if len(inside) >= COARSE or sum(bool(statement.hard) for statement in inside) >= COARSE_HARD:
        yield from (statement.parts for statement in inside)
        rest = [part for part in parts if not any(_touch(part, other) for s in inside for other in s.parts)]
        if rest:
            yield tuple(rest)
        return
    yield next((s.parts for s in ruled if len(s.parts) > 1 and s.parts[-1:] == parts), parts)


def _in(part: Range, parts: Sequence[Range]) -> bool:
    return any(start <= part[0] and part[1] <= end for start, end in parts)


def _touch(first: Range, second: Range) -> bool:
    return first[0] < second[1] and second[0] < first[1]


def _apart(proposed: Sequence[tuple[Range, ...]]) -> list[tuple[Range, ...]]:
    """The proposals without repetitions, and without one that lies whole in another."""
    once = list(dict.fromkeys(proposed))
    return [
        parts for parts in once if not any(other != parts and all(_in(part, other) for part in parts) for other in once)
    ]


def _with_rest(
    read: Passage, proposed: Sequence[tuple[Range, ...]], ruled: Sequence[Statement], number: int
) -> list[Statement]:
    """The statements proposed, with those of the rules that bring something which none of these has."""
    missing = read.left_out([part for parts in proposed for part in parts])
    starts = [start for start, _ in missing]
    added = [
        statement.parts
        for statement in ruled
        if any(
            missing[at][1] <= end
            for start, end in statement.parts
            for at in range(bisect_left(starts, start), bisect_left(starts, end))
        )
    ]
    everything = in_order(list({*proposed, *added}))
    whole = [statement_of(read, parts, number, at) for at, parts in enumerate(everything, 1)]
    return [*whole, *uncovered(read.message, whole, number)]
