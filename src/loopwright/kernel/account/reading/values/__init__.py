"""One reader for each type of value that a message names: dates, times, durations, lengths, money, colours, counts."""

import colorsys
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from loopwright.kernel.account.reading.sentences import Line, read_lines
from loopwright.kernel.account.reading.values.amounts import Found, Value, ValueType, amount_at, number_at
from loopwright.kernel.account.reading.values.dates import date_at, time_at, weekday_at, year_at

# Colours by hex or by name.
#
# Whether two colours are near each other.

NEAR_HUE = 25 / 360
GREY = 0.12
"""With less saturation a colour is a grey, and its hue says nothing."""
NEAR_LIGHTNESS = 0.25


def near_hue(first: str, second: str) -> bool:
    """Whether two colours (`#rrggbb`) have nearly the same hue, or are greys of nearly the same lightness."""
    (hue, light, full), (other, other_light, other_full) = _parts(first), _parts(second)
    if full < GREY or other_full < GREY or min(light, other_light) < 0.04 or max(light, other_light) > 0.97:
        both_grey = all(f < GREY or not 0.04 < li < 0.97 for f, li in ((full, light), (other_full, other_light)))
        return both_grey and abs(light - other_light) <= NEAR_LIGHTNESS
    apart = abs(hue - other)
    return min(apart, 1 - apart) <= NEAR_HUE


def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return colorsys.rgb_to_hls(red, green, blue)


_HEX = re.compile(r"#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})")


def colour_at(line: Line, index: int) -> Found | None:
    """The colour that begins at a word; `dark green` is one colour of the hue of green."""
    word = line.words[index]
    if word.kind == "literal":
        return Found(index, index + 1, "colour", full_hex(word.norm)) if _HEX.fullmatch(word.norm) else None
    start = index
    if word.kind == "word" and line.has(index, "shades") and index + 1 < len(line.words):
        start = index + 1
    phrase = line.phrase_at(start, "colours")
    if phrase is None and start > index:
        return None
    if phrase is None:
        return None
    after = start + len(phrase.words)
    if line.words[start].kind == "han":
        if len(phrase.words) == 1 and not _single_character(line, start):
            return None
    elif line.has(after, "not_colour_before") and not line.has(index, "shades"):
        return None
    return Found(index, after, "colour", str(phrase.value))


def _single_character(line: Line, index: int) -> bool:
    """Whether one character is a colour here: 标红, 改成蓝; in most words it is part of another."""
    return line.has(index - 1, "single_colour_after") and (
        index + 1 >= len(line.words) or line.words[index + 1].kind != "han" or line.has(index + 1, "function")
    )


def full_hex(text: str) -> str:
    """The colour as `#rrggbb`, in small letters."""
    digits = text.lstrip("#").lower()
    if len(digits) in (3, 4):
        digits = "".join(2 * digit for digit in digits[:3])
    return "#" + digits[:6]


# All values of a text.


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


__all__ = ["Value", "ValueType", "read_values", "values_in"]
