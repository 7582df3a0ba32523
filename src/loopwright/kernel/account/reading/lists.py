"""Lists: one chunk for each item, with the head that the items share."""

from collections.abc import Iterator, Sequence

from loopwright.kernel.account.reading.chunks import LONGEST_HEAD, Chunk, Marked, has_verb, starts_with, under
from loopwright.kernel.account.reading.lexicon import lexicon, says_something

# What the items of a list share: "members borrow" of "members borrow drills and ladders".


def head_of(marked: Marked, indices: Sequence[int]) -> list[int]:
    """What the first item of a list shares with those that follow: "members borrow" of "members borrow drills"."""
    line = marked.line
    if indices and line.words[indices[-1]].kind == "han":
        return _chinese_head(marked, indices)
    place = len(indices)
    while place > 0 and not _boundary(marked, indices, place - 1):
        place -= 1
    # An article belongs to its item.
    while (
        place > 0
        and line.has(indices[place - 1], "determiner")
        and marked.kind(indices[place - 1]) not in ("all", "negation")
    ):
        place -= 1
    head = list(indices[:place])
    if any(line.has(index, "relative") for index in head) and line.languages[:1] != ("de",):
        return []
    if head and line.has(head[-1], "preposition", "adjunct"):
        whole = len(head) <= LONGEST_HEAD and has_verb(marked, head) and not marked.kinds(head) - {"all", "negation"}
        head = head if whole else _from_negation(marked, head) or head[-1:]
    if not head or len(head) > LONGEST_HEAD or len(head) == len(indices):
        return []
    return head if _strong(marked, head, indices[place:]) else []


def _from_negation(marked: Marked, head: Sequence[int]) -> list[int]:
    """The head from its last negation on: of "not on" no item may lose the "not"."""
    place = max((place for place, index in enumerate(head) if marked.kind(index) == "negation"), default=-1)
    while place > 0 and marked.joined(head[place]):
        place -= 1
    return list(head[place:]) if place >= 0 else []


def _boundary(marked: Marked, indices: Sequence[int], place: int) -> bool:
    """Whether the item begins after this word."""
    line, index = marked.line, indices[place]
    if place + 1 < len(indices) and marked.joined(indices[place + 1]):
        return False
    if line.has(index, "preposition", "adjunct", "determiner", "and", "but", "function"):
        return True
    if marked.kind(index) in ("all", "negation"):
        return True
    return (
        place + 1 < len(indices)
        and line.has(index, "verbs")
        and not line.has(indices[place + 1], "preposition", "adjunct")
    )


def _strong(marked: Marked, head: Sequence[int], item: Sequence[int]) -> bool:
    """Whether the head needs its items: it ends in a verb or "every", or in a preposition before a name or a value."""
    line, last = marked.line, head[-1]
    if "negation" in marked.kinds(head):
        return True
    if line.has(last, "verbs") or marked.kind(last) == "all" or line.has(last, "particle"):
        return True
    if line.has(last, "preposition", "adjunct"):
        # "From Chile and Peru" needs its "from"; "list of patients by bed, vital signs" is a list of two things.
        return bool(marked.kinds(item)) or any(line.has(index, "verbs") for index in head)
    return any(line.has(index, "verbs") for index in head)


def _chinese_head(marked: Marked, indices: Sequence[int]) -> list[int]:
    line = marked.line
    possessive = [place for place, index in enumerate(indices) if line.words[index].text == "的"]
    if possessive and possessive[-1] + 1 < len(indices):
        return list(indices[: possessive[-1] + 1])
    verb = next((found for found in line.phrases_at(indices[0]) if found.kind in ("negation", "verbs")), None)
    if verb and len(verb.words) < len(indices):
        return list(indices[: len(verb.words)])
    return []


_PAIRS = ("calendar", "weekday", "time", "number", "date")
LONGEST_ITEM = 6
"""Words of an item after a comma that still has the head of the item before it."""
_FRESH = frozenset(":：—–;；")
LONGEST_NEGATED = 3
"""Words of an item that is under the negation before its list: "no adverts or cookies"."""
_PRONOUNS = frozenset(["it", "they", "them", "its", "their", "sie", "es", "ihn", "ihm", "ihnen"])


def coordinated(marked: Marked, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks cut at "and" and the like; items have the head of the list's first.

    What is under a negation or a limit before it or behind it, and does not repeat it, stays in one chunk with it.
    """
    found: list[Chunk] = []
    for chunk in _items(marked, chunks):
        if found and marked.line.has(chunk.own[0] - 1, "but") and under(marked, found[-1], chunk):
            # "Max 2 h per day, but 4 h on Sundays": what is said otherwise has the limit too.
            chunk = Chunk(chunk.own, [at for at in found[-1].own if marked.limits([at])], chunk.before, chunk.held)
        while found and under(marked, found[-1], chunk):
            before = found.pop()
            between = [index for index in range(before.own[-1] + 1, chunk.own[0]) if index not in marked.polite]
            chunk = Chunk([*before.own, *between, *chunk.own], before.head, before.before, before.held or chunk.held)
        found.append(chunk)
    return found


def _items(marked: Marked, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """The items of lists, each with its head."""
    head: list[int] = []
    first: list[int] = []
    opening: list[int] = []
    verbal: bool | None = None
    for chunk in chunks:
        if chunk.before in _FRESH:
            head, verbal = [], None
        pieces = [chunk] if chunk.held else _cut(marked, chunk)
        for number, piece in enumerate(pieces):
            within = number > 0 or piece.before == "、"
            listed = within or (piece.before == "," and _carries(marked, head, chunk.own))
            if listed and _parallel(marked, head, first, piece.own) and _is_item(marked, piece.own, within=within):
                yield Chunk(piece.own, list(head), piece.before, piece.held)
                continue
            denied = _denied(marked, opening, piece.own) if within else []
            if denied:
                yield Chunk(piece.own, denied, piece.before, piece.held)
                continue
            yield _with_referent(marked, piece, pieces[number - 1] if number else None)
            if verbal is None:
                verbal = has_verb(marked, piece.own)
            # In a list of things "open faults" has no verb, whatever else "open" may be.
            chinese = bool(piece.own) and marked.line.words[piece.own[-1]].kind == "han"
            denies = "negation" in marked.kinds(piece.own)
            head = head_of(marked, piece.own) if verbal or chinese or denies or number + 1 < len(pieces) else []
            first = [index for index in piece.own if not head or index > head[-1]]
            opening = piece.own


def _parallel(marked: Marked, head: Sequence[int], first: Sequence[int], item: Sequence[int]) -> bool:
    """Whether an item is like the first of its list, so that a preposition before that one is before this one too."""
    if not head or not item:
        return False
    if "negation" in marked.kinds(head) and not marked.line.has(head[-1], "preposition", "adjunct", "verbs"):
        # "No pop-ups and a dark mode": what has an article or a value of its own is not under the negation.
        return len(item) <= LONGEST_NEGATED and not marked.kinds(item) and not marked.line.has(item[0], "determiner")
    if not marked.line.has(head[-1], "preposition", "adjunct") or not first:
        return True
    alike = [
        (marked.line.has(words[0], "determiner"), bool(marked.kinds(words[:2])), marked.kind(words[0]) == "number")
        for words in (first, item)
    ]
    return alike[0] == alike[1]


def _carries(marked: Marked, head: Sequence[int], after: Sequence[int]) -> bool:
    """Whether a head goes on after a comma: it ends in a verb or in "every"; a negation only to "or"."""
    if "negation" in marked.kinds(head):
        return any(marked.line.has(index, "or") for index in after)
    return bool(head) and (
        (marked.line.has(head[-1], "verbs") and not marked.line.has(head[-1], "auxiliary"))
        or marked.kind(head[-1]) == "all"
    )


def _cut(marked: Marked, chunk: Chunk) -> list[Chunk]:
    """A chunk cut at its conjunctions."""
    pieces: list[Chunk] = [Chunk([], before=chunk.before)]
    listed = chunk.before == "、"
    for place, index in enumerate(chunk.own):
        rest = chunk.own[place + 1 :]
        size = _conjunction(marked, index)
        denies = marked.kind(index) == "negation"
        if size and not pieces[-1].own and not denies:
            continue
        if size and rest and _only_behind(marked, chunk.own, place):
            pieces[-1].own.append(index)
            continue
        if size and rest and pieces[-1].own and _splits(marked, pieces[-1].own, index, rest, listed=listed):
            pieces.append(Chunk([], before=""))
            if denies or marked.line.has(index, "but"):
                pieces[-1].own.append(index)
            continue
        pieces[-1].own.append(index)
    return [piece for piece in pieces if marked.speaks(piece.own)]


def _only_behind(marked: Marked, own: Sequence[int], place: int) -> bool:
    """Whether an "only" at the end is about both sides of a conjunction: "on Wednesdays and Saturdays only"."""
    if not marked.line.has(own[-1], "sole") or not 0 < place < len(own) - 2:
        return False
    kind = marked.kind(own[place - 1])
    return bool(kind) and kind == marked.kind(own[place + 1])


def _conjunction(marked: Marked, index: int) -> bool:
    return (
        marked.line.has(index, "and", "but")
        and not marked.joined(index)
        and not _half_more(marked, index)
        and not marked.joined(index + 1 if index + 1 < len(marked.token) else 0)
    )


def _half_more(marked: Marked, index: int) -> bool:
    """Whether an amount goes on: "an hour and a half", "une heure et demie"."""
    line, last = marked.line, len(marked.token) - 1
    after = index + 2 if index < last and line.has(index + 1, "determiner") else index + 1
    unit = any((line.norms[index - 1],) in lexicon(code).units for code in line.languages)
    if after > last or not line.has(after, "half") or not (unit or marked.token[index - 1] >= 0):
        return False
    return after == index + 2 or after == last or not line.has(after + 1, "determiner")


def _splits(marked: Marked, left: Sequence[int], index: int, right: Sequence[int], *, listed: bool) -> bool:
    line = marked.line
    if line.words[index].kind == "han":
        return listed or _chinese_and(marked, left, index, right)
    if any(line.has(place, "together") for place in left):
        return _clause(marked, right)
    paired = marked.kind(left[-1]) in _PAIRS and marked.kind(right[0]) in _PAIRS
    if paired and marked.kinds(left) & {"all", "limit"} and not starts_with(marked, right, "verbs"):
        return _clause(marked, right)
    return True


def _chinese_and(marked: Marked, left: Sequence[int], index: int, right: Sequence[int]) -> bool:
    """Whether 和 and the like stand between words here: in 和平 it is part of one."""
    if len(left) < 2 or len(right) < 2 or marked.line.words[index].text not in "和与及或":
        return False
    if any(phrase.kind == "together" for place in left for phrase in marked.line.phrases_at(place)):
        return False
    return len(right) >= 2


def _clause(marked: Marked, indices: Sequence[int]) -> bool:
    """Whether the words are a clause with a verb of its own."""
    line = marked.line
    place = 0
    while place < len(indices) and line.has(indices[place], "and", "but"):
        place += 1
    words = indices[place:]
    if words and marked.kind(words[0]) in ("name", "literal", "symbol", "abbreviation"):
        return any(line.has(index, "auxiliary") and marked.token[index] < 0 for index in words[:LONGEST_ITEM])
    if starts_with(marked, words, "subject", "question", "auxiliary"):
        return True
    if starts_with(marked, words, "verbs") and not line.has(words[0] + 1, "and") and not _noun_here(marked, words):
        return True
    third = len(words) > 1 and line.norms[words[0]].endswith("s") and line.has_norm(line.norms[words[0]][:-1], "verbs")
    if third and line.has(words[1], "preposition", "adjunct", "determiner") and not line.has(words[1], "genitive"):
        return True
    return any(line.has(index, "auxiliary", "subject") for index in words[:LONGEST_ITEM])


def _noun_here(marked: Marked, words: Sequence[int]) -> bool:
    """Whether what may be a verb is a noun here: it stands alone, or "of" follows, but not in "list for each"."""
    if len(words) == 1:
        return True
    each = len(words) > 2 and marked.kind(words[2]) == "all" and not marked.line.has(words[1], "genitive")
    return marked.line.has(words[1], "preposition", "adjunct") and not each


def _is_item(marked: Marked, indices: Sequence[int], *, within: bool) -> bool:
    """Whether the words after a comma or a conjunction are an item of the list before them."""
    words = [index for index in indices if not marked.line.has(index, "and")]
    if not words or _clause(marked, words):
        return False
    if len(words) > 1 and _participle(marked, words[0]) and marked.line.has(words[1], "preposition", "adjunct"):
        # "Sorted by name" says how, and is no further thing.
        return False
    if starts_with(marked, words, "adjunct", "preposition", "reason", "condition", "but", "relative"):
        return False
    if marked.kind(words[0]) in ("negation", "limit", "superlative", "order", "all"):
        return False
    return within or sum(marked.line.words[index].kind != "han" for index in words) <= LONGEST_ITEM


def _participle(marked: Marked, index: int) -> bool:
    """Whether an English word is a participle by its ending."""
    return marked.line.languages[:1] == ("en",) and marked.line.norms[index].endswith(("ed", "ing"))


def _denied(marked: Marked, first: Sequence[int], item: Sequence[int]) -> list[int]:
    """What is denied, before an item with a preposition of its own: "never on Mondays or in August"."""
    line = marked.line
    if not item or not line.has(item[0], "preposition", "adjunct") or marked.limits(item[:1]):
        return []
    opens = [at for at, index in enumerate(first) if line.has(index, "preposition", "adjunct")]
    end = next((at for at in opens if not marked.joined(first[at])), len(first))
    return list(first[:end]) if end <= LONGEST_HEAD and "negation" in marked.kinds(first[:end]) else []


def _with_referent(marked: Marked, piece: Chunk, before: Chunk | None) -> Chunk:
    """A clause with "it" has the name that it stands for as its head."""
    if before is None or not any(marked.line.norms[index] in _PRONOUNS for index in piece.own):
        return piece
    named = [index for index in before.own if marked.kind(index) in ("name", "symbol", "literal", "abbreviation")]
    last = [index for index in named if marked.token[index] == marked.token[named[-1]]] if named else []
    return Chunk(piece.own, last, piece.before, piece.held)


def bracketed(marked: Marked, main: Sequence[int], before: int, inside: Sequence[int]) -> Iterator[Chunk]:
    """The items of a bracket, each with the noun before the bracket as its head."""
    head = _noun_before(marked, main, before)
    items: list[list[int]] = [[]]
    for index in inside:
        word = marked.line.words[index]
        cut = word.text in ",，、;；/" or (marked.line.has(index, "and") and "together" not in marked.kinds(items[-1]))
        if cut and not marked.joined(index) and marked.token[index] < 0:
            items.append([])
        else:
            items[-1].append(index)
    for item in items:
        if marked.speaks(item):
            yield Chunk(item, head)


def _noun_before(marked: Marked, main: Sequence[int], before: int) -> list[int]:
    """The last noun before a bracket with the small word before it; of Chinese the last two characters."""
    words = [index for index in main if index <= before]
    while words and marked.kind(words[-1]) in ("all", "limit", "negation"):
        words.pop()
    if not words:
        return []
    line = marked.line
    if line.words[words[-1]].kind == "han":
        return words[-2:]
    place = len(words) - 1
    if marked.kind(words[place]) == "number":
        # "Three charts (…)": the items are charts, none of them is three.
        return words[place:]
    while place > 0 and marked.joined(words[place]):
        place -= 1
    # "Membership card (digital)": the noun may have two words.
    if (
        place > 0
        and says_something(line.words[words[place - 1]], line.languages)
        and not line.has(words[place - 1], "verbs", "preposition", "adjunct")
        and marked.token[words[place - 1]] < 0
        and words[place - 1] == words[place] - 1
    ):
        place -= 1
    return words[place:]
