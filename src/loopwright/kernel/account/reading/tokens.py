"""Hard tokens, which must be kept literally: numbers, dates, names, quoted words, colours, symbols, limits."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Literal

from loopwright.kernel.account.reading.lexicon import HARD_TABLES, Word, says_something, unit_sizes, unit_spellings
from loopwright.kernel.account.reading.names import name_at
from loopwright.kernel.account.reading.sentences import Line, frames, quoted_ranges, read_lines
from loopwright.kernel.account.reading.values import Value, values_in
from loopwright.kernel.account.reading.values.amounts import TIMES, WORDED_TIMES, Found

TokenKind = Literal[
    "number",
    "date",
    "time",
    "weekday",
    "calendar",
    "colour",
    "name",
    "abbreviation",
    "literal",
    "symbol",
    "negation",
    "limit",
    "superlative",
    "all",
    "order",
    "position",
]
_OF_VALUES: dict[str, TokenKind] = {
    "date": "date",
    "time": "time",
    "weekday": "weekday",
    "calendar": "calendar",
    "colour": "colour",
}
_LIMIT_SIGNS = {
    "≤": "<=",
    "⩽": "<=",
    "<=": "<=",
    "=<": "<=",
    "<": "<",
    "≥": ">=",
    "⩾": ">=",
    ">=": ">=",
    ">": ">",
    "±": "~",
    "+/-": "~",
    "+-": "~",
    "~": "~",
    "≈": "~",
    "+": ">=",
}
SIGNS: dict[tuple[str, ...], tuple[TokenKind, str]] = {
    **{tuple(sign): ("limit", code) for sign, code in _LIMIT_SIGNS.items()},
    ("≠",): ("negation", ""),
    ("!", "="): ("negation", ""),
}
"""Relations that are written as signs, by their pieces: what they are, and what they mean."""
_MEASURED = ("length", "quantity", "number", "count", "duration", "money")
_RANGES = ("-", "–", "—", "−", "to", "bis", "a", "à", "到", "至", "~")
_GAP = 8
"""So many words may lie between "leave" and "alone"."""
_DAYS = ("date", "weekday", "calendar", "time", "ordinal")
_NEAR = 4
"""So many words may lie between a word like "free" and the day that it says nothing is on."""


@dataclass(frozen=True)
class Token:
    """A hard token of a message: its range of characters, its words, and the values that it names, if it names any.

    `code` is what it means in every language, where it is one of a table's: `<=` of "at most", `until` of "by", `left`.
    """

    start: int
    end: int
    text: str
    kind: TokenKind
    values: tuple[Value, ...] = ()
    code: str = ""


def tokens_of(text: str, lines: Sequence[Line]) -> list[Token]:
    """The hard tokens of a text in order; none overlaps another."""
    quoted = quoted_ranges(text)
    found = [token for line in lines for token in tokens_in(line, text, quoted)]
    inside = [Token(start, end, text[start:end], "literal") for start, end in quoted]
    return sorted([*found, *inside], key=lambda token: token.start)


def tokens_in(line: Line, text: str, quoted: Sequence[tuple[int, int]]) -> Iterator[Token]:
    """The hard tokens of one sentence but for what stands in quotation marks."""
    values = {found.first: found for found in values_in(line)}
    starts = [start for start, _ in quoted]
    index = 0
    while index < len(line.words):
        at = bisect_right(starts, line.words[index].start) - 1
        if at >= 0 and line.words[index].end <= quoted[at][1]:
            index += 1
            continue
        after, kind, own = _longest(line, index, values)
        if kind is None:
            index += 1
            continue
        start, end = line.words[index].start, line.words[after - 1].end
        code = next(
            (str(p.value) for p in line.phrases_at(index) if p.kind == kind and len(p.words) == after - index),
            SIGNS.get(tuple(line.norms[index:after]), ("", ""))[1],
        )
        yield Token(start, end, text[start:end], kind, tuple(_value(line, found) for found in own), code)
        index = after


def _value(line: Line, found: Found) -> Value:
    start, end = line.words[found.first].start, line.words[found.after - 1].end
    return Value(found.type, found.value, start, end, found.unit, found.per)


def _longest(line: Line, index: int, values: dict[int, Found]) -> tuple[int, TokenKind | None, list[Found]]:
    """The longest hard token that begins at a word: the index after it, its kind, its values."""
    word = line.words[index]
    sign = _sign(line, index, values) if word.kind == "mark" else 0
    if sign:
        return sign, SIGNS[tuple(line.norms[index:sign])][0], []
    phrase = max(
        (phrase for phrase in line.phrases_at(index) if phrase.kind in HARD_TABLES),
        key=lambda phrase: (len(phrase.words), -HARD_TABLES.index(phrase.kind)),
        default=None,
    )
    currency = line.phrase_at(index, "currencies")
    named = name_at(line, index) if currency is None or len(currency.words) == 1 else None
    value = values.get(index)
    if named and (value is None or named[0] > value.after):
        return named[0], named[1], _between(values, index, named[0])
    if value and (phrase is None or index + len(phrase.words) <= value.after):
        return _value_token(line, index, value, values)
    if phrase and _counts(line, index, len(phrase.words), phrase.kind, values):
        return index + len(phrase.words), phrase.kind, _between(values, index, index + len(phrase.words))  # type: ignore[return-value]
    if word.kind == "literal":
        return index + 1, "symbol", []
    if word.kind == "number":
        # A version, or a number as nobody writes it: it counts as it stands.
        return index + 1, "literal", []
    unit = _unit_alone(line, index)
    return (unit, "number", []) if unit else (index + 1, None, [])


def _sign(line: Line, index: int, values: dict[int, Found]) -> int:
    """The index after a relation that is written as a sign beside a number ("≤ 3", "3+"); 0 where there is none."""
    words = line.words
    if words[index].text == "+":
        after = words[index + 1] if index + 1 < len(words) else None
        behind = index > 0 and words[index - 1].kind == "number" and words[index - 1].end == words[index].start
        if behind and (after is None or after.start > words[index].end or after.kind == "mark"):
            return index + 1
    for size in (3, 2, 1):
        if (
            index + size > len(words)
            or tuple(line.norms[index : index + size]) not in SIGNS
            or (size == 1 and words[index].text == "+")
        ):
            continue
        glued = all(words[at].end == words[at + 1].start for at in range(index, index + size - 1))
        # An arrow ("->", "=>") is none.
        arrow = index > 0 and words[index - 1].text in "-=–" and words[index - 1].end == words[index].start
        if glued and not arrow and index + size in values:
            return index + size
    return 0


def _unit_alone(line: Line, index: int) -> int:
    """The index after a currency, a language's name or a unit ("flow in l/min") that has no number; 0 for none."""
    currency = line.phrase_at(index, "currencies")
    if currency:
        return index + len(currency.words)
    for phrase in line.phrases_at(index):
        if phrase.kind == "language_names":
            return index + len(phrase.words)
    if not line.has(index - 1, "preposition"):
        return 0
    for size in (3, 2, 1):
        pieces = tuple(line.norms[index : index + size])
        unit = unit_spellings().get(pieces) if len(pieces) == size and len("".join(pieces)) > 1 else None
        if unit and unit_sizes()[unit][0] not in ("duration", "months"):
            return index + size
    return 0


def _between(values: dict[int, Found], first: int, after: int) -> list[Found]:
    return [values[index] for index in range(first, after) if index in values and values[index].after <= after]


def _value_token(
    line: Line, index: int, value: Found, values: dict[int, Found]
) -> tuple[int, TokenKind | None, list[Found]]:
    """A value as a token: numbers that share a unit are one, and so are the groups of a telephone number."""
    together = [value]
    after = value.after
    if value.type == "count" and _code(line, index, value.after):
        return after, "abbreviation", []
    if value.type == "number" and value.unit == "" and _article(line, index):
        return index + 1, None, []
    while after < len(line.words):
        step = values.get(after) or values.get(after + 1)
        if step is None or step.type not in _MEASURED:
            break
        times = step.first == after + 1 and line.norms[after] in TIMES and value.type == step.type
        # "Due in 3 by 5" is none: only sizes are told with "by".
        times = times and (line.norms[after] not in WORDED_TIMES or step.type == "length")
        span = step.first == after + 1 and _range(line, after, value, step)
        grouped = step.first == after and step.type == "number" and line.words[step.first].kind == "number"
        if not (times or span or (grouped and value.type == "number")):
            break
        together.append(step)
        after = step.after
    return after, _OF_VALUES.get(value.type, "number"), together


def _range(line: Line, index: int, first: Found, second: Found) -> bool:
    """Whether the word at this index makes two numbers a range: "5-7 pages", "3 to 5 times a week"."""
    if line.norms[index] not in _RANGES or first.type not in ("number", second.type) or second.type == "number":
        return False
    word = line.words[index]
    return (line.words[index - 1].end < word.start) == (word.end < line.words[index + 1].start)


def _code(line: Line, index: int, after: int) -> bool:
    """Whether a number and capitals without a space are a name: "3MF"."""
    if after != index + 2 or line.words[index].kind != "number":
        return False
    return line.words[index].end == line.words[index + 1].start and line.words[index + 1].text.isupper()


def _article(line: Line, index: int) -> bool:
    """Whether a number word stands for a thing ("a new one") and counts nothing."""
    return line.norms[index] in ("one", "一")


def _counts(line: Line, index: int, size: int, kind: str, values: dict[int, Found]) -> bool:
    """Whether a phrase is meant: some are only beside a number or a date ("about 5", not "about gardening")."""
    if kind == "position" and line.has(index - 1, "question") and index + size < len(line.words):
        # "How much is left this week": a verb, not a side.
        return line.words[index + size].kind == "han" or line.norms[index] != "left"
    gap = line.phrase_at(index, "closes") if kind == "negation" else None
    if gap is not None:
        # "Leave … alone", "fällt … aus": the last word says it, where the first went before.
        opened = {line.norms[at] for at in range(max(0, index - _GAP), index)}
        return not opened.isdisjoint(gap.value.split())
    if size > 1:
        # "Are out of stock" says something else than "are out".
        cut = line.has(index + size - 1, "particle") and line.has(index + size, "genitive")
        return kind != "negation" or not cut
    if line.words[index].kind == "han" and kind in ("negation", "superlative") and _inside_chinese_word(line, index):
        return False
    if line.has(index, "needs_day") and kind == "negation":
        return any(values[at].type in _DAYS for at in range(index - _NEAR, index + size + _NEAR) if at in values)
    if not line.has(index, "needs_value"):
        return True
    after = index + size
    while after < len(line.words) and after < index + size + 2 and after not in values and _small(line, after):
        after += 1
    return after in values or (line.words[index].kind == "han" and any(v.after == index for v in values.values()))


def _small(line: Line, index: int) -> bool:
    return line.has(index, "determiner", "function", "preposition") or line.phrase_at(index, "date_part") is not None


_PART_WORDS = """
    不同 不锈 不错 不仅 不管 无线 无障 无论 没关 别名 别墅 特别 级别 类别 性别 分别 识别 个别
    除法 删除 清除 去除 解除 免费 免疫 最终
"""
_PARTS = frozenset(_PART_WORDS.split())
"""Words in which a character that often says "no" or "most" says something else."""


def _inside_chinese_word(line: Line, index: int) -> bool:
    around = {line.norms[index] + (line.norms[index + 1] if index + 1 < len(line.words) else "")}
    if index:
        around.add(line.norms[index - 1] + line.norms[index])
    return bool(around & _PARTS)


# A message with all that reading it has found: sentences, frames, hard tokens, content words.

Range = tuple[int, int]


@dataclass(frozen=True)
class Passage:
    """What stands in a message. `frames` has the indices of the words of each line that ask for nothing."""

    message: str
    lines: tuple[Line, ...]
    frames: tuple[frozenset[int], ...]
    tokens: tuple[Token, ...]
    content: tuple[Word, ...]
    token_starts: tuple[int, ...]
    places: tuple[tuple[int, int, int], ...]
    """Of every word where it starts, its line and its index in it."""

    def tokens_within(self, parts: Sequence[Range]) -> list[Token]:
        """The hard tokens that lie whole in one of the parts."""
        found = []
        for start, end in parts:
            at = bisect_left(self.token_starts, start)
            while at < len(self.tokens) and self.tokens[at].start < end:
                if self.tokens[at].end <= end:
                    found.append(self.tokens[at])
                at += 1
        return found

    def first_word(self, place: int) -> tuple[Line, int, frozenset[int]] | None:
        """The line and the index of the first word from a place on that asks for something."""
        at = bisect_left(self.places, (place, -1, -1))
        while at < len(self.places):
            _, number, index = self.places[at]
            if self.lines[number].words[index].speaks and index not in self.frames[number]:
                return self.lines[number], index, self.frames[number]
            at += 1
        return None

    def left_out(self, parts: Sequence[Range]) -> list[Range]:
        """The content words and hard tokens that lie whole in none of the parts."""
        ordered = sorted(parts)
        starts = [start for start, _ in ordered]
        reach = list(accumulate((end for _, end in ordered), max))
        wanted = {(word.start, word.end) for word in self.content} | {(token.start, token.end) for token in self.tokens}
        found = []
        for start, end in sorted(wanted):
            at = bisect_right(starts, start) - 1
            if at < 0 or reach[at] < end:
                found.append((start, end))
        return found


@lru_cache(maxsize=16)
def passage(message: str) -> Passage:
    """What stands in a message; the last few are kept, since one message is asked about several times."""
    lines = tuple(read_lines(message))
    found = tuple(frozenset(frame) for frame in frames(lines))
    content = tuple(
        word
        for line, frame in zip(lines, found, strict=True)
        for index, word in enumerate(line.words)
        if index not in frame and says_something(word, line.languages)
    )
    tokens = tuple(tokens_of(message, lines))
    places = tuple(
        (word.start, number, index) for number, line in enumerate(lines) for index, word in enumerate(line.words)
    )
    return Passage(message, lines, found, tokens, content, tuple(token.start for token in tokens), places)


def hard_tokens(text: str) -> list[Token]:
    """The hard tokens of a text in order; none overlaps another."""
    return list(passage(text).tokens)


def content_words(text: str) -> list[Word]:
    """The words of a message that say something: no function words, no pleasantries, no opening like "make me an app".

    A word of an unknown language always says something; of Chinese each character counts.
    """
    return list(passage(text).content)


# Whether a message asks for something to be done, or only to be told something.

Asked = Literal["work", "answer", "remark"]
FEWEST_WORDS = 3
"""Content words of a remark that reports something: "looks good" asks for nothing."""
NOTHING_CHANGES = re.compile(
    r"\b(?:do not|don't|without|never) (?:chang|edit|touch|modify|writ|do)\w* (?:anything|any (?:files?|code))\b|"
    r"\b(?:change|edit|touch|modify) nothing\b|\bno changes\b|"
    r"\b(?:änder\w*|veränder\w*) nichts\b|\bnichts \w*änder\w*\b|\bohne etwas zu \w*ändern\b|"
    r"\bne (?:changez?|modifiez?) rien\b|\bno cambies nada\b|不要(?:修改|改动|更改)任何",
    re.IGNORECASE,
)


def asks_for_work(message: str) -> bool:
    """Whether something is to be done: a sentence orders it or says what should be, or a fault is reported.

    A message of questions, and of orders to tell or to find something, asks for an answer only; what else it says then
    is taken as what the question is about. One that says that nothing may be changed asks for no work either.
    """
    if NOTHING_CHANGES.search(message):
        return False
    read, quoted = passage(message), quoted_ranges(message)
    found = [
        asked for line, frame in zip(read.lines, read.frames, strict=True) for asked in _clauses(line, frame, quoted)
    ]
    if "work" in found or "answer" in found:
        return "work" in found
    return len(read.content) >= FEWEST_WORDS


def _clauses(line: Line, frame: frozenset[int], quoted: list[tuple[int, int]]) -> Iterator[Asked]:
    """What each clause of a sentence asks: the first one, and those that begin with a verb after a comma or "and"."""
    spoken = [
        index
        for index, word in enumerate(line.words)
        if word.speaks and not any(start <= word.start < end for start, end in quoted)
    ]
    if not spoken:
        return
    yield _opening(line, frame, spoken)
    asks = line.words[-1].text in ("?", "？") and spoken[0] not in frame
    for before, index in pairwise(spoken):
        joined = line.has(before, "and", "joins_clauses") or index - before > 1
        if joined and not asks and index not in frame and line.has(index, "verbs") and _orders(line, index):
            yield "answer" if line.has(index, "telling") else "work"


def _opening(line: Line, frame: frozenset[int], spoken: list[int]) -> Asked:
    first = next((index for index in spoken if index not in frame and not line.has(index, "joins_clauses")), None)
    if first is None:
        return "remark"
    opened = any(index in frame for index in spoken if index < first)
    if line.has(first, "telling") or (opened and line.has(first + 1, "telling")):
        return "answer"
    if opened and not line.phrase_at(first, "question") and not line.has(first, "question"):
        return "work"
    if line.words[-1].text in ("?", "？") or (line.has(first, "question") and not line.has(first, "condition")):
        return "answer"
    if line.has(first, "verbs") and _orders(line, first):
        return "work"
    return "work" if any(line.has(index, "obliges") for index in spoken) else "remark"


def _orders(line: Line, index: int) -> bool:
    """Whether the verb is an order: nobody stands before it, and it is no noun with a verb of its own behind it."""
    return not line.has(index, "auxiliary", "subject") and not line.has(index + 1, "auxiliary")
