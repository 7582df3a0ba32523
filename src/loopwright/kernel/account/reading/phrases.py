"""Cutting a clause where a phrase of its own begins: a time, a limit, a name, a quality beside another."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from loopwright.kernel.account.reading.chunks import Chunk, Marked

# Cutting clauses that give little to hold on to: Chinese ones, and those of a language that nobody here knows.

_VALUES = frozenset(
    ("number", "colour", "date", "time", "weekday", "calendar", "name", "literal", "symbol", "abbreviation")
)
_POSSESSIVE = "的"


def chinese(marked: Marked, chunk: Chunk) -> Iterator[Chunk]:
    """A clause cut after a time that opens it, and before a noun that several values describe."""
    own = chunk.own
    cut = 0 if "negation" in marked.kinds(own) else _after_time(marked, own)
    if cut:
        yield Chunk(own[:cut], chunk.head, chunk.before)
        yield from chinese(marked, Chunk(own[cut:], [], chunk.before))
        return
    ends = value_ends(marked, own, ("number", "colour"))
    last = max((place for place, index in enumerate(own) if marked.line.words[index].text == _POSSESSIVE), default=-1)
    if len(ends) < 2 or last < ends[-1] or last + 1 >= len(own):
        yield chunk
        return
    noun = own[last + 1 :]
    start = 0
    for end in ends:
        # The character that ties the last value to its noun stays with it.
        stop = last if end == ends[-1] else end
        yield Chunk(own[start:stop], [*chunk.head, *noun], chunk.before)
        start = stop


def _after_time(marked: Marked, own: Sequence[int]) -> int:
    """The place after a time with its postposition (三个月内), where something else follows; 0 where there is none."""
    for end in value_ends(marked, own, ("number", "date", "time", "calendar", "order")):
        phrase = next(
            (found for found in marked.line.phrases_at(own[end - 1] + 1) if found.kind == "postposition"),
            None,
        )
        after = end + len(phrase.words) if phrase else end
        timed = phrase is not None or marked.line.has(own[end - 1], "postposition")
        if timed and len(own) - after >= 2 and marked.kinds(own[after:]):
            return after
    return 0


def by_values(marked: Marked, chunk: Chunk) -> Iterator[Chunk]:
    """A clause of an unknown language, cut so that no piece has two values."""
    own = chunk.own
    ends = value_ends(marked, own, _VALUES) if not marked.limits(own) else [len(own)]
    cuts = [0, *ends[:-1], len(own)]
    for number, (start, end) in enumerate(pairwise(cuts)):
        if marked.speaks(own[start:end]):
            yield Chunk(own[start:end], chunk.head if number == 0 else [], chunk.before)


def value_ends(marked: Marked, own: Sequence[int], kinds: Sequence[str] | frozenset[str]) -> list[int]:
    """The places after each hard token of these kinds, and after the marks that close it."""
    found = []
    for place, index in enumerate(own):
        inside = place + 1 < len(own) and marked.token[own[place + 1]] == marked.token[index]
        if marked.kind(index) not in kinds or inside:
            continue
        end = place + 1
        while end < len(own) and not marked.line.words[own[end]].speaks and marked.token[own[end]] < 0:
            end += 1
        found.append(end)
    return found


_OWN_VALUE = frozenset(
    ("number", "date", "time", "weekday", "calendar", "name", "abbreviation", "literal", "symbol", "colour")
)
_TIMES = frozenset(("date", "time", "weekday", "calendar"))
LONGEST_OPENING = 12
"""Words of a time that a clause opens with."""
_SPAN_KINDS = frozenset(("number", "date", "time", "weekday", "calendar", "position"))


def phrased(marked: Marked, chunk: Chunk) -> Iterator[Chunk]:
    """The chunk cut before prepositions, "called" and "that" where what follows is a statement of its own."""
    line, own = marked.line, chunk.own
    if chunk.held or any(line.has(index, "sole") for index in own) or (own and line.has(own[0], "question")):
        yield chunk
        return
    if own and line.words[own[0]].kind == "han":
        yield from chinese(marked, chunk)
        return
    if not line.languages:
        yield from by_values(marked, chunk)
        return
    related = any(line.has(index, "together") for index in own[:2])
    cuts = [0]
    for place in range(1, len(own)):
        if marked.limits([*chunk.head, *own[cuts[-1] : place]]):
            # "At most 2 hours on Mondays", "no red buttons on the first page": what is limited, not what is asked.
            break
        if _after_opening(marked, own, cuts, place) or _begins(marked, own, cuts[-1], place, related=related):
            cuts.append(place)
    pieces = [own[start:end] for start, end in zip(cuts, [*cuts[1:], len(own)], strict=True)]
    for number, piece in enumerate(pieces):
        yield from _qualities(marked, Chunk(piece, chunk.head if number == 0 else [], chunk.before))


def _after_opening(marked: Marked, indices: Sequence[int], cuts: Sequence[int], place: int) -> bool:
    """Whether a clause that opens with a time ("by Friday …", "在明年六月之前…") goes on with something else here."""
    if len(cuts) > 1 or place > LONGEST_OPENING or marked.joined(indices[place]) or len(indices) - place < 2:
        return False
    line, before = marked.line, [index for index in indices[:place] if index not in marked.frame]
    if not before:
        return False
    small = [index for index in before if marked.token[index] < 0]
    if line.words[before[0]].kind == "han" and not line.has(before[0], "preposition"):
        return False
    after = marked.kinds(indices[place:])
    if "negation" in after or ("limit" in after and "order" not in marked.kinds(before)):
        return False
    if not marked.kinds(before) & _TIMES or marked.kinds(before) - _TIMES - {"order", "limit"}:
        return False
    if not all(line.has(index, "adjunct", "preposition", "determiner") for index in small):
        return False
    if line.words[before[0]].kind == "han":
        return not marked.kind(indices[place]) and any(line.has(index, "preposition") for index in small)
    return bool(small or "order" in marked.kinds(before)) and line.has(indices[place], "determiner", "subject", "verbs")


def _begins(marked: Marked, indices: Sequence[int], start: int, place: int, *, related: bool) -> bool:
    """Whether a phrase that is a statement of its own begins at a place."""
    line, index = marked.line, indices[place]
    named = any(phrase.kind == "called" for phrase in line.phrases_at(index))
    relative = line.has(index, "relative") and line.languages[:1] != ("de",)
    opens = line.has(index, "adjunct", "preposition") or marked.kind(index) in ("limit", "negation")
    if not (named or relative or opens) or line.words[index].kind == "han" or marked.joined(index):
        return False
    before, after = indices[start:place], indices[place + 1 :]
    if not _says(marked, before) or not marked.speaks(after):
        return False
    if named:
        return not any(line.has(near, "auxiliary") for near in before)
    if relative:
        return len(after) > 1 and not line.has(indices[place - 1], "not_relative", "verbs")
    if line.has(indices[place - 1], "adjunct", "preposition", "relative", "question", "and") or not _says(
        marked, before
    ):
        return False
    if not _enough(marked, before):
        return False
    phrase = _until_next(marked, indices, place)
    if related and not (line.has(index, "adjunct") and marked.kinds(phrase) & _TIMES):
        return False
    return _own_statement(marked, before, indices, place, phrase)


def _says(marked: Marked, indices: Sequence[int]) -> bool:
    line = marked.line
    return any(
        line.words[index].speaks
        and index not in marked.frame
        and marked.kind(index) not in ("negation", "limit", "all", "order")
        and not line.has(index, "function", "determiner")
        for index in indices
    )


def _enough(marked: Marked, indices: Sequence[int]) -> bool:
    """Whether the words can stand without what follows: a value, or two words that say something."""
    said = [index for index in indices if _says(marked, [index])]
    return len(said) > 1 or bool(marked.kinds(said) & _OWN_VALUE)


def _until_next(marked: Marked, indices: Sequence[int], place: int) -> list[int]:
    """The words of a prepositional phrase, its preposition included."""
    line = marked.line
    end = place + 1
    while end < len(indices) and line.has(indices[end], "adjunct", "preposition"):
        end += 1
    while end < len(indices) and not (
        line.has(indices[end], "adjunct", "preposition", "relative") and not marked.joined(indices[end])
    ):
        end += 1
    return list(indices[place:end])


def _own_statement(
    marked: Marked, before: Sequence[int], indices: Sequence[int], place: int, phrase: Sequence[int]
) -> bool:
    line, index, last = marked.line, indices[place], indices[place - 1]
    values, earlier = marked.kinds(phrase) & _OWN_VALUE, marked.kinds(before) & _OWN_VALUE
    if marked.kind(index) in ("negation", "limit") and (marked.bare(before) or not line.words[index].speaks):
        # "On Mondays at most 2 hours", "1.2 mm ± 0.1".
        return False
    if _explained(marked, before, indices, place, values):
        return False
    finite = any(line.has(near, "auxiliary", "subject") for near in before) or _third_person(marked, before)
    if _span_goes_on(marked, indices, place) or line.has(index, "rate"):
        return False
    if ("negation" in marked.kinds(before) and not earlier) or (line.has(last, "verbs") and last == indices[0]):
        # What is left out is told by what follows: "nothing before 2020".
        return False
    if finite and (not earlier or (earlier | values) <= _TIMES | {"number"}):
        # "Closed on Mondays", "must be cancelled before": what is said of something stays with it.
        return False
    times = _TIMES | {"number"}
    if marked.kind(index) == "order" and (not values & times or _measured(marked, last)):
        return False
    bare = not any(marked.token[near] < 0 and _says(marked, [near]) for near in before)
    if bare and earlier and earlier <= {"weekday", "calendar"} and values <= {"time", "number"}:
        # "On Sundays until 11" is one time.
        return False
    if line.has(index, "goal") and not line.has(index, "adjunct") and values != {"name"}:
        return False
    if marked.kind(index) in ("limit", "negation") and not line.has(index, "preposition", "adjunct"):
        return bool(values) and bool(earlier)
    if line.has(index, "aside"):
        return bool(values) or not line.has(last, "verbs")
    if line.has(index, "adjunct"):
        return bool(values)
    if line.has(last, "verbs") or line.has(index, "genitive"):
        return bool(values == {"number"} and earlier) and not line.has(last, "verbs")
    if line.has(index, "at_value") and values - {"colour"} and not line.has(index, "rename_to"):
        return True
    return bool(earlier) and bool(
        values or "position" in marked.kinds(phrase) or "position" in marked.kinds(indices[place:])
    )


def _explained(
    marked: Marked, before: Sequence[int], indices: Sequence[int], place: int, values: AbstractSet[str]
) -> bool:
    """Whether a phrase says what a value is for ("teal for the buttons"), or when the one is that is spoken of."""
    line, index = marked.line, indices[place]
    known = [near for near in before if near not in marked.frame][:1]
    if line.has(index, "at_value") and known and line.has(known[0], "definite") and values & _TIMES:
        return not any(line.has(near, "verbs", "auxiliary") for near in before)
    if not line.has(index, "purpose") or values & _TIMES:
        return False
    earlier = marked.kinds(before)
    definite = place + 1 < len(indices) and line.has(indices[place + 1], "determiner")
    return "colour" in earlier or (definite and bool(earlier & {"number", "literal", "symbol"}))


def _third_person(marked: Marked, indices: Sequence[int]) -> bool:
    """Whether an English clause says what something does: "the bakery opens"."""
    line = marked.line
    if line.languages[:1] != ("en",) or not line.has(indices[0], "determiner"):
        return False
    return any(line.norms[at].endswith("s") and line.has_norm(line.norms[at][:-1], "verbs") for at in indices[2:4])


def _measured(marked: Marked, index: int) -> bool:
    """Whether an amount ends at a word: "two weeks before" is one limit."""
    return marked.kind(index) == "number"


def _span_goes_on(marked: Marked, indices: Sequence[int], place: int) -> bool:
    """Whether the phrase ends a span: "from 9 to 11", "from the left to the right"."""
    previous = place - 1
    while previous >= 0 and not marked.line.has(indices[previous], "preposition", "adjunct"):
        previous -= 1
    if (
        previous < 0
        or not marked.line.has(indices[place], "span_end")
        or not marked.line.has(indices[previous], "span_start")
    ):
        return False
    first, second = marked.kinds(indices[previous:place]), marked.kinds(indices[place:])
    return bool(first & second & _SPAN_KINDS)


def _qualities(marked: Marked, chunk: Chunk) -> Iterator[Chunk]:
    """Several values before one noun are statements of their own: "one straight 1 mm channel"."""
    own = chunk.own
    values: list[list[int]] = []
    for index in own:
        if marked.kind(index) in ("number", "colour"):
            if values and marked.token[values[-1][-1]] == marked.token[index]:
                values[-1].append(index)
            else:
                values.append([index])
    last = max((own.index(index) for value in values for index in value), default=-1)
    noun = list(_noun(marked, own[last + 1 :]))
    tail = own[last + 1 + len(noun) :]
    plain = bool(own) and marked.line.words[own[0]].kind != "han" and bool(marked.line.languages)
    if (
        len(values) < 2
        or not noun
        or not plain
        or any(marked.line.has(index, "preposition", "adjunct") for index in own[own.index(values[0][0]) : last])
        or marked.line.has(noun[0], "postfix")
        or not _says(marked, noun)
        or marked.limits(own)
        or "order" in marked.kinds(own)
    ):
        yield from _colour_apart(marked, chunk)
        return
    first = own.index(values[0][0])
    lead = own[:first]
    taken = {index for value in values for index in value}
    between = [index for index in own[first : last + 1] if index not in taken]
    leading = lead if _says(marked, lead) else []
    yield Chunk(leading + values[0] + noun, chunk.head, chunk.before)
    for value in values[1:]:
        yield Chunk(value + noun, [], chunk.before)
    if marked.speaks(between):
        yield Chunk(between + noun, [], chunk.before)
    if marked.speaks(tail):
        yield Chunk(tail, noun, chunk.before)


def _noun(marked: Marked, indices: Sequence[int]) -> Iterator[int]:
    """The words of a noun, up to what is said of it."""
    for index in indices:
        if marked.line.has(index, "preposition", "adjunct", "relative", "function"):
            return
        yield index


def _colour_apart(marked: Marked, chunk: Chunk) -> Iterator[Chunk]:
    """A mood and a colour ("calm teal") are two statements."""
    own = chunk.own
    line = marked.line
    colour = [index for index in own if marked.kind(index) == "colour"]
    rest = [index for index in own if index not in colour]
    plain = all(
        not line.has(index, "function", "verbs", "preposition", "adjunct") and marked.token[index] < 0 for index in rest
    )
    ends = bool(colour) and own[-1] == colour[-1] and line.words[own[-1]].kind == "word"
    plain = plain and not any(line.has(index, "colour_nouns") for index in rest)
    if not ends or not plain or not 0 < len(rest) <= 2 or chunk.head:
        yield chunk
        return
    yield Chunk(rest, [], chunk.before)
    # With what stands before it, since that may be a part of its name: "bone white".
    yield Chunk(colour, rest, chunk.before)
