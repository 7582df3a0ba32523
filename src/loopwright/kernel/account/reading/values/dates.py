"""Dates, weekdays and times of day."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from loopwright.kernel.account.reading.sentences import Line
from loopwright.kernel.account.reading.values.amounts import Found, number_at

_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})(?:\.(\d{4}|\d{2}))?")
_SLASHED = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})")
_CLOCK = re.compile(r"([01]?\d|2[0-4])[:.]([0-5]\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_ORDINAL_ENDS = ("st", "nd", "rd", "th", "er", "º")
_OF = ("of", ",", ".", "de", "del", "the")
_LATER = {"下午": 720, "晚上": 720, "傍晚": 720, "中午": 720}


def date_at(line: Line, index: int) -> Found | None:
    """The date, or the part of one, that begins at a word."""
    word = line.words[index]
    part = line.phrase_at(index, "date_part")
    if part:
        place = index + len(part.words)
        place += _text(line, place) in ("-", "of", "de")
        whole = date_at(line, place) if place < len(line.words) else None
        return replace(whole, first=index, unit=str(part.value)) if whole and _no_day(whole) else None
    if word.kind == "number":
        return _numeric(line, index) or _chinese(line, index) or _day_first(line, index)
    if word.kind == "han":
        return _chinese(line, index)
    month = _month(line, index)
    return _month_first(line, index, month) if month else None


def _no_day(date: Found) -> bool:
    """Whether a date names a month and no day in it: "the end of June"."""
    text = str(date.value)
    return len(text) in (4, 7) and not date.unit


_PARTS_OF_A_DAY = 2
_BEFORE_THE_DAY = frozenset((",", "，", "the", "den", "dem", "der", "le", "el"))


def _of_a_date(line: Line, index: int, after: int, weekday: int) -> Found | None:
    """The date that a weekday belongs to: "Tuesday, March 2" is one day, and not the next Tuesday."""
    plural = line.words[after - 1].text.lower().endswith(("days", "tagen", "tags"))
    while after < len(line.words) and line.words[after].text.lower() in _BEFORE_THE_DAY:
        after += 1
    whole = date_at(line, after) if after < len(line.words) and not plural else None
    if whole is None or str(whole.value).count("-") < _PARTS_OF_A_DAY:
        return None
    return replace(whole, first=index) if _may_be(whole, weekday) else None


def _may_be(day: Found, weekday: int) -> bool:
    """Whether a date can be that weekday: one without a year can, the 14 June 2037 is no Saturday, and both stand."""
    try:
        return str(day.value).startswith("-") or date.fromisoformat(str(day.value)).weekday() == weekday
    except ValueError:  # 30 February
        return True


def weekday_at(line: Line, index: int) -> Found | None:
    """The weekday that stands at a word, or the date with which it is named."""
    phrase = line.phrase_at(index, "weekdays")
    if phrase is None or not _plain(line, index):
        return None
    after = index + len(phrase.words)
    if line.words[index].text == "每" and (line.has(after, "measures") or _unit_here(line, after)):
        # 每周三次 is three times a week.
        return None
    return _of_a_date(line, index, after, int(phrase.value)) or Found(index, after, "weekday", int(phrase.value))


def _unit_here(line: Line, index: int) -> bool:
    return any(tuple(line.norms[index : index + size]) in known.units for known in line.lexicons for size in (1, 2, 3))


def time_at(line: Line, index: int) -> Found | None:
    """The time of day that begins at a word."""
    word = line.words[index]
    named = line.phrase_at(index, "clock")
    if named:
        return Found(index, index + len(named.words), "time", int(named.value))
    if word.kind == "han":
        return _chinese_time(line, index)
    if word.kind != "number":
        return None
    clock = _CLOCK.fullmatch(word.text)
    after = line.phrase_at(index + 1, "clock_words")
    if clock is None:
        return _chinese_time(line, index) or _hour(line, index)
    if ":" not in word.text and after is None:
        return None
    minutes = int(clock[1]) * 60 + int(clock[2])
    if after:
        return Found(index, index + 1 + len(after.words), "time", _twelve_hours(minutes, int(after.value)))
    return Found(index, index + 1, "time", minutes)


def year_at(line: Line, index: int) -> Found | None:
    """A year that stands alone."""
    word = line.words[index]
    if word.kind == "number" and _YEAR.fullmatch(word.text):
        return Found(index, index + 1, "date", word.text)
    return None


def _hour(line: Line, index: int) -> Found | None:
    after = line.phrase_at(index + 1, "clock_words")
    text = line.words[index].text
    if after is None or not text.isdecimal() or int(text) > 24:
        return None
    if after.words == ("h",) or "heure" in after.words[0]:
        # An amount of hours as likely as a time of day.
        return None
    return Found(index, index + 1 + len(after.words), "time", _twelve_hours(int(text) * 60, int(after.value)))


def _twelve_hours(minutes: int, half: int) -> int:
    return minutes if half < 0 else minutes % 720 + half


def _iso(year: int | None, month: int | None, day: int | None) -> str | None:
    """The named parts in the order of ISO 8601; None where no calendar has them."""
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    if year is None:
        return f"--{month:02}" + (f"-{day:02}" if day else "")
    return f"{year:04}" + (f"-{month:02}" if month else "") + (f"-{day:02}" if day else "")


def _found(first: int, after: int, year: int | None, month: int | None, day: int | None) -> Found | None:
    iso = _iso(year, month, day)
    return Found(first, after, "date", iso) if iso else None


def _numeric(line: Line, index: int) -> Found | None:
    text = line.words[index].text
    iso = _ISO.fullmatch(text)
    if iso:
        return _found(index, index + 1, int(iso[1]), int(iso[2]), int(iso[3]))
    dotted = _DOTTED.fullmatch(text)
    if dotted:
        trailing = dotted[3] is None and _text(line, index + 1) == "." and _joined(line, index)
        if dotted[3] or (trailing and line.may_be("de")):
            return _found(index, index + 1 + trailing, _year(dotted[3]), int(dotted[2]), int(dotted[1]))
    slashed = _SLASHED.fullmatch(text)
    if slashed:
        first, second = int(slashed[1]), int(slashed[2])
        # 3/4/2027 is March or April: without a day above 12 the year is all that is sure.
        day, month = (first, second) if first > 12 else (second, first)
        sure = first > 12 or second > 12 or first == second
        return _found(index, index + 1, _year(slashed[3]), month if sure else None, day if sure else None)
    return None


def _year(text: str | None) -> int | None:
    return None if text is None else int(text) + (2000 if len(text) == 2 else 0)


def _text(line: Line, index: int) -> str:
    return line.norms[index] if 0 <= index < len(line.words) else ""


def _joined(line: Line, index: int) -> bool:
    return index + 1 < len(line.words) and line.words[index].end == line.words[index + 1].start


def _month(line: Line, index: int) -> int | None:
    if index >= len(line.words):
        return None
    phrase = line.phrase_at(index, "months")
    return int(phrase.value) if phrase and _plain(line, index) else None


def _plain(line: Line, index: int) -> bool:
    """Whether a word that is also another stands as a name: "May", not "may"; never the first of its sentence."""
    if not line.has(index, "capital_only"):
        return True
    if not line.words[index].text[:1].isupper():
        return False
    if len(line.words) == 1:
        return True
    numbers = [_text(line, place)[:1].isdigit() for place in (index - 1, index + 1)]
    return index > 0 or any(numbers)


def _day(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= 2 and 1 <= int(text) <= 31 else None


def _skip(line: Line, index: int, words: Sequence[str] = _OF) -> int:
    while _text(line, index) in words:
        index += 1
    return index


def _year_after(line: Line, index: int) -> tuple[int | None, int]:
    place = index + 1 if _text(line, index) in (",", "de", "del", "of") else index
    return (int(_text(line, place)), place + 1) if _YEAR.fullmatch(_text(line, place)) else (None, index)


def _day_first(line: Line, index: int) -> Found | None:
    day = _day(line.words[index].text)
    if day is None:
        return None
    place = index + 1
    if _text(line, place) in _ORDINAL_ENDS and _joined(line, index):
        place += 1
    place = _skip(line, place)
    month = _month(line, place)
    if month is None:
        return None
    phrase = line.phrase_at(place, "months")
    place += len(phrase.words) if phrase else 1
    place += _text(line, place) == "." and _text(line, place + 1)[:1].isdigit()
    year, after = _year_after(line, place)
    return _found(index, after, year, month, day)


def _month_first(line: Line, index: int, month: int) -> Found | None:
    place = index + 1
    place += _text(line, place) == "." and _text(line, place + 1)[:1].isdigit()
    start = place + 1 if _text(line, place) == "the" else place
    day = _day(_text(line, start))
    if day is not None:
        place = start + 1
        if _text(line, place) in _ORDINAL_ENDS and _joined(line, place - 1):
            place += 1
    year, after = _year_after(line, place)
    return _found(index, after, year, month, day)


def _chinese(line: Line, index: int) -> Found | None:
    """A date in numbers and 年, 月, 日: each part may be missing, a relative year may stand before it."""
    year: int | None = None
    place = index
    relative = line.phrase_at(index, "calendar")
    told = str(relative.value) if relative and relative.value in ("今年", "明年", "后年", "去年") else ""
    place += len(told)
    number = number_at(line, place)
    if number and _text(line, number[1]) == "年" and _YEAR.fullmatch(str(number[0])):
        year, place = int(number[0]), number[1] + 1
        number = number_at(line, place)
    month: int | None = None
    if number and _text(line, number[1]) in ("月", "月份") and 1 <= number[0] <= 12:
        month, place = int(number[0]), number[1] + 1
        number = number_at(line, place)
    day: int | None = None
    if month and number and _text(line, number[1]) in ("日", "号") and 1 <= number[0] <= 31:
        day, place = int(number[0]), number[1] + 1
    if year is None and month is None:
        return None
    found = _found(index, place, year, month, day)
    return replace(found, unit=told) if found and told and year is None else found


_AFTER_ONE = ("半", "钟", "整", "到", "至", "开", "前", "后", "关", "之")
"""What stands behind 一点 where it is an hour."""


def _chinese_time(line: Line, index: int) -> Found | None:
    part = line.phrase_at(index, "calendar")
    later = _LATER.get(str(part.value), 0) if part else 0
    place = index + len(part.words) if part and str(part.value) in (*_LATER, "早上", "上午", "凌晨") else index
    hour = number_at(line, place)
    if hour is None or _text(line, hour[1]) not in ("点", "时") or hour[0] > 24 or hour[0] != int(hour[0]):
        return None
    if _text(line, hour[1]) == "时" and _text(line, hour[1] + 1) in ("间", "候"):
        return None
    minutes, place = int(hour[0]) * 60, hour[1] + 1
    if part is None and _text(line, place - 2) == "一" and _text(line, place) not in _AFTER_ONE:
        return None  # 一点 is mostly "a bit"
    if _text(line, place) == "半":
        minutes, place = minutes + 30, place + 1
    else:
        place += _text(line, place) == "钟"
        more = number_at(line, place)
        if more and _text(line, more[1]) == "分" and more[0] < 60:
            minutes, place = minutes + int(more[0]), more[1] + 1
    return Found(index, place, "time", minutes + later if minutes < 720 else minutes)
