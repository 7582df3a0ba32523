"""Amounts and the values they are part of: numbers, units, ratios."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal

from loopwright.kernel.account.reading.lexicon import (
    Lexicon,
    relative_times,
    says_something,
    unit_sizes,
    unit_spellings,
)
from loopwright.kernel.account.reading.sentences import Line

# What a value is once it has been read.

ValueType = Literal[
    "date",
    "weekday",
    "calendar",
    "time",
    "duration",
    "length",
    "quantity",
    "money",
    "colour",
    "count",
    "number",
    "ordinal",
]


@dataclass(frozen=True)
class Value:
    """A value that a text names, with its range of characters.

    `value` is normalised: of a date the ISO parts that are named (`2027-01-31`, `--01-31`, `2027-01`, `--08`, `2027`);
    of a weekday 0 for Monday to 6; of a time the minutes since midnight; of a colour `#rrggbb`; of the others a
    number, in `unit`: `minute` or `month` (durations), `mm` (lengths), the unit's symbol (quantities), the currency's
    code (money), the noun as written (counts). The unit of "the end of June" is `end`, or else `begin` or `middle`;
    that of 明年六月 the words for its year.
    `per` is the unit of time of a rate: `week` in "4 runs a week".
    """

    type: ValueType
    value: str | int | Decimal
    start: int
    end: int
    unit: str = ""
    per: str = ""


@dataclass(frozen=True)
class Found:
    """A value with the words of its sentence that name it: from `first` to before `after`."""

    first: int
    after: int
    type: ValueType
    value: str | int | Decimal
    unit: str = ""
    per: str = ""


# Numbers in digits and in words.

_DIGITS = {**{sign: n for n, sign in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2, "俩": 2}
_STEPS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_FRACTION = re.compile(r"(\d+)/(\d+)")
_SIGNS = {"½": "0.5", "¼": "0.25", "¾": "0.75"}
LONGEST = 30
"""Digits of a number; a longer run is no number that anybody counts with."""


def number_at(line: Line, index: int) -> tuple[Decimal, int] | None:
    """The number that begins at a word, and the index after it; None where there is none."""
    if index >= len(line.words):
        return None
    word = line.words[index]
    if word.kind == "number":
        number = written_number(word.text, line.languages)
        if number is None:
            return None
        following = line.words[index + 1] if index + 1 < len(line.words) else None
        if following and following.kind == "number" and _FRACTION.fullmatch(following.text) and number == int(number):
            part = written_number(following.text, line.languages)
            return (number + part, index + 2) if part is not None and part < 1 else (number, index + 1)
        if following and following.text in _SIGNS and following.start == word.end:
            return number + Decimal(_SIGNS[following.text]), index + 2
        if following and following.text in ("万", "亿", "千", "百"):
            return number * _STEPS[following.text], index + 2
        return number, index + 1
    if word.text in _SIGNS:
        return Decimal(_SIGNS[word.text]), index + 1
    if word.kind == "han":
        return _chinese(line, index)
    return _in_words(line, index) if word.kind == "word" else None


def written_number(text: str, languages: tuple[str, ...]) -> Decimal | None:
    """The number that digits and separators write, or None for a date, a time or a range."""
    fraction = _FRACTION.fullmatch(text)
    if len(text) > LONGEST:
        return None
    if fraction:
        return Decimal(int(fraction[1])) / int(fraction[2]) if int(fraction[2]) else None
    text = text.replace("'", "").replace("’", "")
    if re.search(r"[:/-]", text):
        return None
    comma_first = not languages or languages[0] in ("en", "zh")
    for thousands, point in ((",", "."), (".", ",")) if comma_first else ((".", ","), (",", ".")):
        grouped = rf"\d{{1,3}}(?:\{thousands}\d{{3}})+|\d+"
        if re.fullmatch(rf"(?:{grouped})(?:\{point}\d+)?", text):
            return Decimal(text.replace(thousands, "").replace(point, "."))
    return None


def _in_words(line: Line, index: int) -> tuple[Decimal, int] | None:
    total, current, place = Decimal(0), Decimal(0), index
    while place < len(line.words):
        parts = _word_number(line, place)
        if parts is None:
            break
        if parts >= 100 and current:
            current *= parts
        elif current and current % 10 == 0 and current >= 20 and parts < 10:
            current += parts
        elif place > index:
            break
        else:
            current = parts
        place += 1
    total += current
    return (total, place) if place > index else None


def _word_number(line: Line, place: int) -> Decimal | None:
    norm = line.norms[place]
    for known in line.lexicons:
        single = _single(known, norm)
        if single is not None:
            return Decimal(str(single))
        tens, _, ones = norm.partition("-")
        if known.code == "de":
            ones, _, tens = norm.partition("und")
            ones = "eins" if ones == "ein" else ones
        first, second = _single(known, ones), _single(known, tens)
        if first and second and first < 10 <= second < 100:
            return Decimal(int(first + second))
    return None


def _single(known: Lexicon, word: str) -> float | None:
    for phrase in known.phrases.by_first.get(word, ()):
        if phrase.kind == "numbers" and len(phrase.words) == 1:
            return float(phrase.value)
    return None


def _chinese(line: Line, index: int) -> tuple[Decimal, int] | None:
    place, total, section, digit = index, 0, 0, 0
    seen = False
    while place < len(line.words):
        sign = line.words[place].text
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in ("十", "百", "千"):
            section += (digit or 1) * _STEPS[sign]
            digit = 0
        elif sign in ("万", "亿") and seen:
            total = (total + section + digit) * _STEPS[sign]
            section = digit = 0
        else:
            break
        seen = True
        place += 1
    if not seen:
        return (Decimal("0.5"), index + 1) if line.words[index].text == "半" else None
    return Decimal(total + section + digit), place


_MONEY_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "CNY", "￥": "CNY", "₹": "INR"}
_CODES = (
    "EUR",
    "USD",
    "GBP",
    "CHF",
    "CNY",
    "JPY",
    "INR",
    "CAD",
    "AUD",
    "SEK",
    "NOK",
    "DKK",
    "PLN",
    "CZK",
    "RMB",
    "HKD",
)
_TYPES: dict[str, ValueType] = {"length": "length", "duration": "duration", "months": "duration"}
WORDED_TIMES = ("by", "mal")
TIMES = ("x", "×", "*", *WORDED_TIMES)
"""What stands between the sides of one thing."""
_BETWEEN = (*TIMES, "-", "–", "—", "to", "bis", "到", "至", "~")
LONGEST_UNIT = 4
BEFORE_RATE = 2
"""So many words may stand between an amount and its rate: "3 hours of driving per day"."""
COUNTED = 3
"""So many words at most stand between a number and the noun that it counts, the noun included."""


def amount_at(line: Line, index: int) -> list[Found]:
    """The amounts that begin at a word: several for "2 x 1 x 0.5 inches", one else, none where no number stands."""
    sign = _MONEY_SIGNS.get(line.words[index].text)
    code = line.words[index].text if line.words[index].text in _CODES else ""
    if (sign or code) and (number := number_at(line, index + 1)) and line.words[index + 1].kind == "number":
        amount, after = _thousands(line, *number)
        return [Found(index, after, "money", amount, sign or code)]
    chain = _chain(line, index)
    if not chain:
        return []
    after = chain[-1][2]
    negative = index > 0 and line.words[index - 1].text in ("-", "−") and _stands_apart(line, index - 1)
    # "Half an inch": the article stands before the unit.
    article = chain[0][1] < 1 and after < len(line.words) and line.norms[after] in ("a", "an")
    kind, unit, size, end = _unit(line, after + article)
    after = end if kind or not article else after
    if not kind and (len(chain) == 1 or line.norms[chain[-1][0] - 1] not in ("x", "×", "*")):
        # "5-7 pages": the last of them has the noun, and the rate counts for each.
        last = _count(line, chain[-1], negative and len(chain) == 1)
        return [*(Found(first, end, "number", each, "", last.per) for first, each, end in chain[:-1]), last]
    per, after = _per(line, after)
    found = []
    for first, each, end in chain:
        value = (-each if negative else each) * Decimal(str(size))
        stop = after if end == chain[-1][2] else end
        found.append(Found(first - negative, stop, kind or "number", value, unit, per))
    return found


def _chain(line: Line, index: int) -> list[tuple[int, Decimal, int]]:
    """The numbers that share a unit: (first word, number, word after)."""
    chain: list[tuple[int, Decimal, int]] = []
    place = index
    while True:
        number = number_at(line, place)
        if number is None or (line.words[place].kind != "number" and chain):
            return chain
        chain.append((place, number[0], number[1]))
        place = number[1]
        if line.words[index].kind != "number" or place >= len(line.words):
            return chain
        # Each number of "2 cm x 3 cm" has its unit.
        _, _, _, behind = _unit(line, place)
        if behind > place or line.norms[place] not in _BETWEEN or number_at(line, place + 1) is None:
            return chain
        place += 1


def _stands_apart(line: Line, index: int) -> bool:
    """Whether a minus is a sign: something stands before it, but not right before it."""
    joined = line.words[index].end == line.words[index + 1].start
    return joined and (index == 0 or line.words[index - 1].end < line.words[index].start)


def _thousands(line: Line, amount: Decimal, after: int) -> tuple[Decimal, int]:
    known = {"k": 1000, "million": 1_000_000, "m": 1_000_000}
    if after < len(line.words) and line.norms[after] in known:
        return amount * known[line.norms[after]], after + 1
    return amount, after


def _unit(line: Line, index: int) -> tuple[ValueType | None, str, float, int]:
    """What a unit at this word measures, its base unit, how many of that it is, and the word after it."""
    if index >= len(line.words):
        return None, "", 1, index
    currency = line.phrase_at(index, "currencies")
    if currency:
        return "money", str(currency.value), 1, index + len(currency.words)
    if line.words[index].text in _MONEY_SIGNS:
        return "money", _MONEY_SIGNS[line.words[index].text], 1, index + 1
    if line.words[index].text in _CODES:
        return "money", line.words[index].text, 1, index + 1
    first = index
    index += line.words[index].text == "-" and index + 1 < len(line.words)
    for size in range(min(LONGEST_UNIT, len(line.words) - index), 0, -1):
        pieces = tuple(line.norms[index : index + size])
        unit = next((known.units[pieces] for known in line.lexicons if pieces in known.units), None)
        unit = unit or unit_spellings().get(pieces)
        if unit and not _other_word(line, index, size):
            name, factor = unit_sizes().get(unit, ("quantity", 1))
            base = {"length": "mm", "duration": "minute", "months": "month", "mass": "g", "volume": "l"}.get(name, unit)
            return _TYPES.get(name, "quantity"), base, factor, index + size
    return None, "", 1, first


def _other_word(line: Line, index: int, size: int) -> bool:
    """Whether what looks like a unit is another word: "3 in a row", "2 a day"."""
    norm = line.norms[index]
    following = line.norms[index + 1] if index + 1 < len(line.words) else ""
    if size > 1:
        return False
    if norm == "in":
        return following in ("a", "an", "the", "one", "each", "my", "our", "total", "all") or following.isalpha()
    if norm in ("a", "t", "v", "n", "w", "k", "f", "c"):
        apart = line.words[index - 1].end < line.words[index].start
        return apart and not line.words[index].text.isupper()
    return norm == "日" and following in ("本", "期", "常")


def _per(line: Line, index: int) -> tuple[str, int]:
    for place in range(index, min(index + 1 + BEFORE_RATE, len(line.words))):
        phrase = line.phrase_at(place, "per")
        if phrase and (place == index or len(phrase.words) > 1):
            return str(phrase.value), place + len(phrase.words)
        if line.words[place].kind != "word" or line.has(place, "adjunct", "and", "verbs", "auxiliary"):
            break
        if line.has(place, "preposition") and not line.has(place, "genitive"):
            break
    if index + 1 < len(line.words) and line.words[index].text == "/":
        for known in line.lexicons:
            unit = known.units.get((line.norms[index + 1],))
            if unit in ("minute", "hour", "day", "week", "month", "year"):
                return unit, index + 2
    return "", index


def _count(line: Line, number: tuple[int, Decimal, int], negative: bool) -> Found:
    first, value, after = number
    value = -value if negative else value
    if line.words[first].text == "一":
        # 一个 is an article.
        return Found(first, after, "number", value)
    measure = line.words[after] if after < len(line.words) else None
    if measure and measure.kind == "han" and line.has(after, "measures"):
        per, end = _per(line, after + 1)
        return Found(first - negative, end, "count", value, measure.text, per)
    place = after
    while place < len(line.words) and place < after + COUNTED and _counts(line, place):
        place += 1
    if place == after:
        per, end = _per(line, after)
        return Found(first - negative, end, "number", value, "", per)
    # With an adjective before it the noun is the last of the words; which one it is no table tells.
    noun_end = after + 1
    per, end = _per(line, place)
    if per:
        noun_end = end
    else:
        per, end = _per(line, noun_end)
        noun_end = end if per else noun_end
    return Found(first - negative, noun_end, "count", value, line.words[after].text, per)


def _counts(line: Line, index: int) -> bool:
    word = line.words[index]
    return (
        word.kind == "word" and says_something(word, line.languages) and not line.has(index, "adjunct", "preposition")
    )


# Days that are told from today: "next week", 明年.


def days_of(text: str, today: date) -> tuple[date, date] | None:
    """The first and the last day that a phrase like "next week" means; None where it is no such phrase."""
    told = relative_times().get(text)
    if told is None:
        return None
    unit, steps = told[:-2], int(told[-2:])
    if unit == "day":
        day = today + timedelta(days=steps)
        return day, day
    if unit in ("week", "weekend"):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=steps)
        return (monday if unit == "week" else monday + timedelta(days=5)), monday + timedelta(days=6)
    if unit == "year":
        return date(today.year + steps, 1, 1), date(today.year + steps, 12, 31)
    return _month(today.year, today.month + steps), _month(today.year, today.month + steps + 1) - timedelta(days=1)


def year_of(text: str, today: date) -> int | None:
    """The year that a phrase like 明年 means; None where it means no year."""
    days = days_of(text, today) if relative_times().get(text, "").startswith("year") else None
    return days[0].year if days else None


def _month(year: int, month: int) -> date:
    return date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
