"""Working hours as people write them: `Mon–Fri 18:00–21:00, Sat 10–14, no Sundays`."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import time

from loopwright.agents.planner.schedule.problem import Window
from loopwright.kernel.errors import InvalidInput

DEFAULT_HOURS = "Mon–Fri 09:00–17:00"
LONGEST_TEXT = 1_000
MIDNIGHT = 24 * 60
DEFAULT_TIMES = (9 * 60, 17 * 60)
NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
EVERY_DAY = frozenset(range(7))
GROUPS = {
    "weekday": frozenset(range(5)),
    "workday": frozenset(range(5)),
    "weekend": frozenset({5, 6}),
    "daily": EVERY_DAY,
    "everyday": EVERY_DAY,
    "every day": EVERY_DAY,
    "all days": EVERY_DAY,
}
PARTS_OF_DAY = {
    "morning": (8 * 60, 12 * 60),
    "afternoon": (13 * 60, 17 * 60),
    "evening": (18 * 60, 21 * 60),
    "all day": (0, MIDNIGHT),
    "24/7": (0, MIDNIGHT),
    "24h": (0, MIDNIGHT),
}
HINT = "Write hours such as 'Mon–Fri 18:00–21:00, Sat 10–14, no Sundays', 'weekday evenings' or 'daily 6–8am'."

DASH = r"\s*(?:-|–|—|\bto\b|\buntil\b|\btill\b)\s*"
DAY = r"(?:mon|tue|wed|thu|fri|sat|sun)(?:day|sday|s|nesday|r|rs|rsday|urday)?s?"
CLOCK = r"(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?\s*(?:[ap]\.?m\b\.?)?"
TOKEN = re.compile(
    rf"(?P<times>{CLOCK}{DASH}{CLOCK}h?)(?![\d:])"
    rf"|(?P<range>\b{DAY}{DASH}{DAY}\b)"
    rf"|(?P<day>\b{DAY}\b)"
    r"|(?P<group>\b(?:(?:week|work)days?|weekends?|daily|every ?day|all days)\b)"
    r"|(?P<part>\b(?:mornings?|afternoons?|evenings?|all day\b|24h\b)|24/7)"
    r"|(?P<no>\b(?:no|not|never|except|but not|without|excluding)\b(?:\s+(?:on|for))?)"
    r"|(?P<join>\s*[,;\n&+]\s*|\s*\band\b\s*)"
    r"|(?P<filler>[\s:.]+|\b(?:on|from|at|between|the|in|during|only|hours?)\b)",
    re.IGNORECASE,
)
CLOCK_TIME = re.compile(r"(\d{1,2})(?:[:.](\d\d))?\s*(?:([ap])\.?m\.?)?", re.IGNORECASE)


@dataclass
class _Chunk:
    """Days and times that belong together; `minus` takes the days away."""

    minus: bool = False
    days: set[int] = field(default_factory=set)
    times: list[tuple[int, int]] = field(default_factory=list)
    times_first: bool = False


def parse_hours(text: str) -> tuple[Window, ...]:
    """Read weekly working hours.

    Days stand before their times, lists and ranges of them (`Sat–Mon`) are fine; times without days are for every day,
    days without times for the default hours, and `no Sundays` takes days away. Hours past midnight go on the next day.

    Returns:
        Windows in the order of the week, without overlaps.

    Raises:
        InvalidInput: a word that is not understood, or nothing is left.
    """
    if len(text) > LONGEST_TEXT:
        raise InvalidInput(f"The working hours are longer than {LONGEST_TEXT} characters.", hint=HINT)
    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    away: set[int] = set()
    untimed: set[int] = set()
    current: set[int] = set(EVERY_DAY)
    taking = False
    for chunk in _chunks(text):
        if chunk.minus and (chunk.times or not chunk.days):
            raise InvalidInput(f"It is not clear what the 'no' in {_shown(text)} takes away.", hint=HINT)
        taking = chunk.minus or (taking and not chunk.times)
        if taking:
            away |= chunk.days
        elif chunk.times:
            if chunk.days or untimed:
                current = chunk.days | untimed
            _add(spans, current, chunk.times)
            untimed = set()
        else:
            untimed |= chunk.days
    _add(spans, untimed, [DEFAULT_TIMES])
    if away and not spans:
        _add(spans, EVERY_DAY, [DEFAULT_TIMES])
    windows = _windows({day: times for day, times in spans.items() if day not in away})
    if not windows:
        raise InvalidInput(f"The working hours {_shown(text)} leave no time.", hint=HINT)
    return windows


def _chunks(text: str) -> list[_Chunk]:
    """Words grouped: a new chunk begins at a comma, at a `no`, and where days or times come for a second time."""
    chunks = [_Chunk()]
    for kind, word, after in _tokens(text):
        chunk = chunks[-1]
        full = bool(chunk.days and chunk.times)
        if kind == "no":
            chunks.append(_Chunk(minus=True))
        elif kind in {"times", "part"}:
            if after == "," or (full and chunk.times_first):
                chunks.append(_Chunk())
            chunks[-1].times_first |= not chunks[-1].days
            chunks[-1].times.append(_times(kind, word))
        else:
            if after == "," or full or (after == "and" and chunk.times_first):
                chunks.append(_Chunk())
            chunks[-1].days |= _days(kind, word)
    return [chunk for chunk in chunks if chunk.minus or chunk.days or chunk.times]


def _tokens(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind and text of each word that counts, and the comma or `and` before it."""
    place, after = 0, ""
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            rest = text[place : place + 20]
            raise InvalidInput(f"The working hours {_shown(text)} are not clear from {rest!r} on.", hint=HINT)
        place, kind = match.end(), match.lastgroup or "filler"
        if kind == "join":
            after = "and" if match[0].strip().lower() in {"and", "&", "+"} else ","
        elif kind != "filler":
            yield kind, match[0].lower(), after
            after = ""


def _days(kind: str, word: str) -> frozenset[int]:
    if kind == "group":
        return GROUPS[word if word in GROUPS else word.removesuffix("s")]
    found = [NAMES.index(name.title()) for name in re.findall("mon|tue|wed|thu|fri|sat|sun", word)]
    if kind == "day":
        return frozenset(found[:1])
    return frozenset((found[0] + step) % 7 for step in range((found[1] - found[0]) % 7 + 1))


def _times(kind: str, word: str) -> tuple[int, int]:
    if kind == "part":
        return PARTS_OF_DAY[word if word in PARTS_OF_DAY else word.removesuffix("s")]
    first, last = CLOCK_TIME.findall(word)
    if last[2] and not first[2] and int(first[0]) <= 12:
        halves = [(*first[:2], half) for half in (last[2], "a")]
        first = next((half for half in halves if _in_minutes(*half) < _in_minutes(*last)), halves[0])
    start, end = _in_minutes(*first), _in_minutes(*last)
    if first[1:] == last[1:] == ("", "") and 6 * 60 <= start <= MIDNIGHT // 2 and 0 < end < start:
        end += MIDNIGHT // 2  # "9 to 5" means the afternoon
    if start == end and start not in {0, MIDNIGHT}:
        raise InvalidInput(f"The hours {word!r} have no length.", hint=HINT)
    return (start % MIDNIGHT, end or MIDNIGHT)


def _in_minutes(hour: str, minute: str, half: str) -> int:
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            raise InvalidInput(f"There is no {hour}{half}m.", hint=HINT)
        hours = hours % 12 + (12 if half.lower() == "p" else 0)
    total = hours * 60 + int(minute or 0)
    if total > MIDNIGHT:
        raise InvalidInput(f"There is no time {hour}:{minute}.", hint=HINT)
    return total


def _add(spans: dict[int, list[tuple[int, int]]], days: Iterable[int], times: list[tuple[int, int]]) -> None:
    for day in days:
        for start, end in times:
            if start < end:
                spans[day].append((start, end))
            else:
                spans[day].append((start, MIDNIGHT))
                spans[(day + 1) % 7].append((0, end))


def _joined(times: list[tuple[int, int]]) -> list[tuple[int, int]]:
    result: list[tuple[int, int]] = []
    for start, end in sorted(times):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        elif start < end:
            result.append((start, end))
    return result


def _windows(spans: dict[int, list[tuple[int, int]]]) -> tuple[Window, ...]:
    return tuple(
        Window(day, time(start // 60, start % 60), time(end // 60 % 24, end % 60))
        for day in sorted(spans)
        for start, end in _joined(spans[day])
    )


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 100 else text[:99] + "…")
