"""Cutting a sentence where one thing that is asked ends and the next begins.

There is no grammar behind this, only closed classes of words and punctuation: it must give something usable for every
language, and never lose a word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from loopwright.kernel.account.reading.sentences import Line
from loopwright.kernel.account.reading.tokens import Token

COMMAS = frozenset(",，、:：;；—–|•·")
_ENDS = frozenset(".!。！…")
_OPENERS = {"(": ")", "（": "）", "[": "]", "【": "】"}
CLAUSE_START = 6
"""So many words at the start of a clause are looked at for "is", "must" and the like."""
LONGEST_HEAD = 8
"""Words of a head that the items of a list share; a longer one is a clause of its own."""


@dataclass(frozen=True)
class Marked:
    """A sentence with its hard tokens by word: `token` has the number of the token that a word belongs to, or -1.

    `polite` are words that ask for nothing, `frame` those and the words that open a message.
    """

    line: Line
    tokens: Sequence[Token]
    token: Sequence[int]
    polite: frozenset[int]
    frame: frozenset[int]

    def joined(self, index: int) -> bool:
        """Whether a word and the one before it belong to the same hard token."""
        return index > 0 and self.token[index] >= 0 and self.token[index] == self.token[index - 1]

    def kind(self, index: int) -> str:
        """The kind of the hard token at a word, or nothing."""
        return self.tokens[self.token[index]].kind if 0 <= index < len(self.token) and self.token[index] >= 0 else ""

    def kinds(self, indices: Sequence[int]) -> set[str]:
        """The kinds of the hard tokens among the words."""
        return {self.kind(index) for index in indices} - {""}

    def limits(self, indices: Sequence[int]) -> bool:
        """Whether a negation or a limit is among the words: what follows it must stay with it."""
        return any(self.kind(index) in ("negation", "limit") for index in indices)

    def bare(self, indices: Sequence[int]) -> bool:
        """Whether the words are hard tokens and small words alone: "on Mondays", "周三"."""
        return bool(self.kinds(indices)) and not any(
            self.line.words[index].speaks
            and self.token[index] < 0
            and not self.line.has(index, "function", "determiner", "preposition", "adjunct", "and", "postposition")
            for index in indices
        )

    def speaks(self, indices: Sequence[int]) -> bool:
        """Whether a word among them could say something."""
        return any(self.line.words[index].speaks for index in indices)


@dataclass
class Chunk:
    """Words of one statement: its own, and the head that it shares with the other items of its list.

    `before` is the mark that stands before it; `held` says that it must not be cut any further.
    """

    own: list[int]
    head: list[int] = field(default_factory=list)
    before: str = ""
    held: bool = False


def mark(line: Line, tokens: Sequence[Token], polite: frozenset[int], frame: frozenset[int]) -> Marked:
    """The sentence with the numbers of its words' tokens."""
    numbers = [-1] * len(line.words)
    place = 0
    for index, word in enumerate(line.words):
        while place < len(tokens) and tokens[place].end <= word.start:
            place += 1
        if place < len(tokens) and tokens[place].start <= word.start and word.end <= tokens[place].end:
            numbers[index] = place
    return Marked(line, tokens, numbers, polite, frame)


def brackets(marked: Marked) -> tuple[list[int], list[tuple[int, list[int]]]]:
    """The words outside brackets, and each bracket as (index of the word before it, words in it)."""
    main: list[int] = []
    found: list[tuple[int, list[int]]] = []
    closer = ""
    for index, word in enumerate(marked.line.words):
        if closer:
            if word.text == closer:
                closer = ""
            else:
                found[-1][1].append(index)
        elif word.text in _OPENERS and marked.token[index] < 0 and _closes(marked, index):
            closer = _OPENERS[word.text]
            found.append((main[-1] if main else -1, []))
        elif index not in marked.polite:
            main.append(index)
    return main, found


def _closes(marked: Marked, index: int) -> bool:
    """Whether the bracket is closed in its sentence."""
    closer = _OPENERS[marked.line.words[index].text]
    return marked.line.last.get(closer, -1) > index


def segments(marked: Marked, indices: Sequence[int]) -> list[Chunk]:
    """The words cut at commas and the like, but never inside a hard token; reasons stay with what they explain."""
    found: list[Chunk] = [Chunk([])]
    for place, index in enumerate(indices):
        if (marked.line.words[index].text in COMMAS and not _inside(marked, indices, place)) or _dash(marked, index):
            found.append(Chunk([], before=marked.line.words[index].text))
        else:
            found[-1].own.append(index)
    for chunk in found:
        while chunk.own and marked.line.words[chunk.own[-1]].text in _ENDS:
            chunk.own.pop()
    found = _with_openings(marked, found)
    return list(_with_reasons(marked, [chunk for chunk in found if marked.speaks(chunk.own)]))


def _with_openings(marked: Marked, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks, one that only opens the message put before the next."""
    found: list[Chunk] = []
    for chunk in chunks:
        if found and not (set(found[-1].own) - marked.frame) and chunk.own:
            found[-1] = Chunk(found[-1].own + chunk.own, before=found[-1].before)
        else:
            found.append(chunk)
    return found


def _dash(marked: Marked, index: int) -> bool:
    words = marked.line.words
    if words[index].text != "-" or marked.token[index] >= 0 or not 0 < index < len(words) - 1:
        return False
    return words[index - 1].end < words[index].start and words[index].end < words[index + 1].start


def _inside(marked: Marked, indices: Sequence[int], place: int) -> bool:
    index, words = indices[place], marked.line.words
    if words[index].text == "–" and 0 < index < len(words) - 1:
        # "9–18": a range, no break.
        before, after = words[index - 1], words[index + 1]
        if (
            before.kind == after.kind == "number"
            and before.end == words[index].start
            and words[index].end == after.start
        ):
            return True
    return marked.token[index] >= 0


def _with_reasons(marked: Marked, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """Chunks in order, a reason put together with its consequence and a clause with the words it depends on."""
    waiting: Chunk | None = None
    for chunk in chunks:
        if waiting is None:
            waiting = chunk
        elif _depends(marked, chunk, waiting):
            waiting = Chunk(waiting.own + chunk.own, before=waiting.before, held=_reasons(marked, chunk))
        else:
            yield waiting
            waiting = chunk
    if waiting is not None:
        yield waiting


def _reasons(marked: Marked, chunk: Chunk) -> bool:
    return starts_with(marked, chunk.own, "reason")


def _depends(marked: Marked, chunk: Chunk, before: Chunk) -> bool:
    if chunk.before in ":：;；、":
        return False
    if starts_with(marked, before.own, "condition"):
        return True
    if _reasons(marked, chunk):
        # "I work at night, so …" is a fact and what follows from it; after a request the reason says more of it alone.
        return starts_with(marked, before.own, "subject", "auxiliary", "determiner") or _chinese(marked, before)
    german = "de" in marked.line.languages[:1]
    return german and starts_with(marked, chunk.own, "question", "relative") and _verb_last(marked, chunk.own)


def _chinese(marked: Marked, chunk: Chunk) -> bool:
    return bool(chunk.own) and marked.line.words[chunk.own[0]].kind == "han"


def _verb_last(marked: Marked, indices: Sequence[int]) -> bool:
    """Whether a German clause ends in a verb: in small letters, as nouns never are."""
    last = [marked.line.words[index] for index in indices if marked.line.words[index].kind == "word"][-1:]
    ends = [index for index in indices if marked.line.words[index].kind == "word"][-1:]
    return len(indices) > 2 and bool(last) and last[0].text.islower() and marked.token[ends[0]] < 0


def starts_with(marked: Marked, indices: Sequence[int], *names: str) -> bool:
    """Whether the first of the words is in one of the sets, or begins a phrase of it."""
    if not indices:
        return False
    line = marked.line
    first = indices[0]
    if line.words[first].kind == "han":
        return any(phrase.kind in names for phrase in line.phrases_at(first))
    return line.has(first, *names)


def has_verb(marked: Marked, indices: Sequence[int]) -> bool:
    """Whether the words begin as a clause does: with a verb, or with whoever does something and a verb."""
    line = marked.line
    if starts_with(marked, indices, "subject", "question", "auxiliary"):
        return True
    for place, index in enumerate(indices[:3]):
        if line.has(index, "preposition", "adjunct", "relative"):
            return False
        if line.has(index, "verbs") and not line.has(
            indices[place + 1] if place + 1 < len(indices) else -1, "genitive"
        ):
            return place + 1 < len(indices)
    return any(line.has(index, "auxiliary") for index in indices[:CLAUSE_START])


# How far a negation or a limit goes: over what stands beside it and does not say it itself.

_TIMES = frozenset(("date", "time", "weekday", "calendar"))
_FRESH = frozenset(":：;；—–")


def under(marked: Marked, before: Chunk, chunk: Chunk) -> bool:
    """Whether two chunks are one statement, since a negation or a limit of the one is meant in the other too.

    A chunk that has the word in its head says it itself.
    """
    if chunk.before in _FRESH or not before.own or not chunk.own or before.own[-1] >= chunk.own[0]:
        return False
    if marked.limits(before.own) or marked.limits(before.head):
        return not marked.limits(chunk.head) and _goes_on(marked, before, chunk)
    return _goes_back(marked, before, chunk)


def _goes_on(marked: Marked, before: Chunk, chunk: Chunk) -> bool:
    """Whether what a chunk denies or limits goes on in the next."""
    line = marked.line
    words = [index for index in chunk.own if not line.has(index, "and")]
    if not words or marked.limits(words[:1]):
        return False
    kinds = marked.kinds(before.own)
    contrast = line.has(words[0], "but") or line.has(words[0] - 1, "but")
    if contrast and "negation" in kinds:
        # "Not on Mondays, but on Tuesdays" says of the second that it is so.
        return False
    if chunk.before not in ("", "、") or contrast:
        shared = (kinds & marked.kinds(words)) - {"negation", "limit", "order", "all"}
        timed = kinds & _TIMES and marked.kinds(words) & _TIMES
        return bool(timed or (shared if contrast else shared - {"number"})) and marked.bare(words)
    if starts_with(marked, words, "subject", "auxiliary", "verbs", "question"):
        return False
    if line.has(words[0], "determiner") and not line.has(words[0], "definite") and not marked.kinds(words):
        # "No pop-ups and a dark mode".
        return False
    # "Without photos and with captions".
    return not (line.has(words[0], "aside") and any(marked.limits([at]) and line.has(at, "aside") for at in before.own))


def _goes_back(marked: Marked, before: Chunk, chunk: Chunk) -> bool:
    """Whether what a chunk denies or limits at its end is said of a value before it: "Mondays and Fridays are out"."""
    place = next((place for place, index in enumerate(chunk.own) if marked.limits([index])), 0)
    if chunk.head and place and marked.limits(chunk.own[-1:]):
        # "Leave a.py and b.py alone": items that share their head share their end.
        return True
    kinds = marked.kinds(before.own)
    return bool(place) and marked.bare(before.own) and kinds <= marked.kinds(chunk.own[:place])
