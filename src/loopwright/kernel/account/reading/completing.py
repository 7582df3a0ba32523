"""A model's proposal of statements, checked against the message and completed by the rules."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from loopwright.kernel.account.kit import Statement
from loopwright.kernel.account.reading.statements import in_order, read_statements, statement_of, uncovered
from loopwright.kernel.account.reading.tokens import Passage, Range, passage
from loopwright.kernel.account.reading.words import Word, scan

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
