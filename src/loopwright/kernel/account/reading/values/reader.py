"""All values of a text."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from loopwright.kernel.account.reading.sentences import Line, read_lines
from loopwright.kernel.account.reading.values.amounts import Found, Value, ValueType, amount_at, number_at
from loopwright.kernel.account.reading.values.colours import colour_at
from loopwright.kernel.account.reading.values.dates import date_at, time_at, weekday_at, year_at

__all__ = ["Value", "ValueType", "read_values", "values_in"]


def read_values(text: str) -> list[Value]:
    """The dates, times, durations, lengths, money, colours, counts and other numbers that a text names, in order.

    What is ambiguous keeps only its sure parts (of 3/4/2027 the year). No value overlaps another.
    """
    return [
        Value(
            found.type,
            found.value,
            line.words[found.first].start,
            line.words[found.after - 1].end,
            found.unit,
            found.per,
        )
        for line in read_lines(text)
        for found in values_in(line)
    ]


def values_in(line: Line) -> list[Found]:
    """The values of one sentence, by its words."""
    found: list[Found] = []
    index = 0
    while index < len(line.words):
        here = list(_at(line, index))
        found += here
        index = max([index + 1, *(value.after for value in here)])
    return found


def _at(line: Line, index: int) -> Sequence[Found]:
    if _plain(line, index):
        return ()
    for reader in (date_at, time_at, weekday_at, colour_at):
        value = reader(line, index)
        if value:
            return [value]
    rate = _rate_first(line, index)
    if rate:
        return rate
    amounts = amount_at(line, index)
    if len(amounts) == 1 and amounts[0].type == "number" and not amounts[0].per:
        year = year_at(line, index)
        return [year] if year else amounts
    if amounts:
        return amounts
    return _ordinal(line, index) + _calendar(line, index)


def _plain(line: Line, index: int) -> bool:
    """Whether no value begins at a word, as at most: it is in no table, and is no compound, code or shade."""
    word = line.words[index]
    if word.kind != "word" or line.phrases_at(index) or line.has(index, "shades"):
        return False
    return not (word.text.isupper() or "-" in word.norm or "und" in word.norm)


def _rate_first(line: Line, index: int) -> list[Found]:
    """What is said of each week, where it stands before the amount: 每周学习六小时."""
    phrase = line.phrase_at(index, "per")
    if phrase is None or line.words[index].kind != "han":
        return []
    return [Found(index, index + len(phrase.words), "calendar", "".join(phrase.words), per=str(phrase.value))]


def _ordinal(line: Line, index: int) -> list[Found]:
    phrase = line.phrase_at(index, "ordinals")
    if phrase:
        return [Found(index, index + 1, "ordinal", Decimal(int(phrase.value)))]
    number = number_at(line, index + 1) if line.words[index].text == "第" else None
    if number:
        after = number[1] + line.has(number[1], "measures")
        return [Found(index, after, "ordinal", number[0])]
    return []


def _calendar(line: Line, index: int) -> list[Found]:
    phrase = line.phrase_at(index, "calendar")
    return [Found(index, index + len(phrase.words), "calendar", str(phrase.value))] if phrase else []


def only(values: Iterable[Value], *types: ValueType) -> list[Value]:
    """The values of these types."""
    return [value for value in values if value.type in types]
