"""When in the week there may be work: weekdays, parts of the day, hours between which it lies."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any, Literal

from pydantic import BaseModel

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.dates import (
    ALSO,
    AWAY,
    BEFORE,
    BY,
    IMPOSSIBLE,
    NOT,
    ONLY,
    SITUATION,
    Phrase,
    number_of,
    number_words,
    read_weekdays,
    subject_of,
)
from loopwright.kernel.account.kit import Claim

# --------------------------------------------------------------------------------------------------------------------
# Claims about days: deadlines, appointments, days off, what comes before what.
# --------------------------------------------------------------------------------------------------------------------

NUMBER = rf"(?P<amount>\d+(?:[.,]\d+)?|{number_words()})"
OTHERS = re.compile(r"\b(?:he|she|they|er|sie|his|her|their)\b|[他她]", re.IGNORECASE)
"""Whoever is away then is not the user."""
IN_LEAST = 0.75
""""In four months" is not kept by what is over after three quarters of them."""


def claimed(check: str, arguments: BaseModel) -> Claim:
    """The claim of a check with these arguments."""
    return Claim(check=check, arguments=arguments.model_dump(mode="json"))


def together(names: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a title as they stand together, since a name of two words is one token of the user's."""
    return (" ".join(names),) if names else ()


def since_of(said: Phrase) -> date | None:
    """The day from which something holds, taken; None where none is named."""
    days = said.days()
    if len(days) == 1 and said.take(r"\b(?:from|starting(?:\s+(?:in|on))?|since|as\s+of|ab|seit)\b|从|自"):
        said.take(r"\bon\b|起|开始")
        said.take_day(days[0])
        return days[0].first
    return None


def read_order(said: Phrase) -> Claim | None:
    """`A … before B`, `B … after A`, with or without a time between them."""
    lag = said.take(
        rf"(?<![a-z\d.]){NUMBER}\s*(?P<unit>weeks?|days?|wochen?|tage?n?|周|天)\s+(?=before|after|vor|nach|bevor|nachdem)"
    )
    said.take(r"\b(?:is|are|ist|sind)\s+(?:out|in|over|done|ready|weg|fertig|da)\b\s*$")
    said.take(r"\b(?:each|every|jede[snrm]?)\b")
    han = re.fullmatch(r"\s*先(?P<first>.+?)[,，]?\s*(?:然后|再|后)(?P<then>.+?)\s*", said.text)
    if han is not None:
        titles = [_things(han["first"]), _things(han["then"])]
        return claimed("gap", arguments.Apart(before=titles[0], after=titles[1])) if all(titles) else None
    word = said.find(
        r"\b(?P<word>before|after|bevor|nachdem|once(?!\s+(?:an?|per|every|each|in)\b))\b|(?P<han>之前|之后)"
    )
    if word is None or word["han"] is not None or said.days():
        return None
    text = said.left
    left, right = text[: word.start()], text[word.end() :]
    if lag is not None:
        left = left.replace(lag.group(), " ")
    first, then = (right, left) if word["word"].lower() in ("after", "nachdem", "once") else (left, right)
    titles = [_things(text) for text in (first, then)]
    if not all(titles):
        return None
    days = 0
    if lag is not None:
        days = round(number_of(lag["amount"]) * (7 if lag["unit"].lower().startswith(("w", "周")) else 1))
    said.taken.append(word.span())
    used = tuple(dict.fromkeys((*titles[0], *titles[1])))
    if not said.is_read(names=used):
        return None
    return claimed("gap", arguments.Apart(before=titles[0], after=titles[1], days=days))


def _things(text: str) -> tuple[str, ...]:
    return Phrase(text, date.min).content


def read_deadline(said: Phrase) -> Claim | None:
    """A day by which, or before which, all is done."""
    days = said.days()
    if len(days) != 1:
        return None
    (day,) = days
    word = re.search(rf"(?<![a-zäöü])(?P<word>{BY})(?:\s+(?:the|dem|den))?\s*$", said.text[: day.start], re.I)
    han = re.match(r"\s*(?:之前|以前|前)", said.text[day.end :])
    if word is None and han is None:
        return None
    said.take_day(day)
    strict = word is None or re.fullmatch(BEFORE, word["word"], re.I) is not None
    if word is not None:
        said.taken.append((word.start(), day.start))
    if han is not None:
        said.taken.append((day.end, day.end + han.end()))
    last = (day.last if day.grain == "part" else day.first) - timedelta(days=1) if strict else day.last
    title, whole = said.subject, said.whole
    open_ended = word is not None and re.match(r"until|till|bis", word["word"], re.I) is not None
    if (open_ended and SITUATION.search(said.text)) or not said.is_read(names=title, all_named=False):
        return None
    told = arguments.EndsBy(
        words=together(title),
        date=last,
        relation="before" if strict else "by",
        title=title,
        of=whole or Phrase(said.before, said.today).whole,
    )
    return claimed("ends_by", told)


def read_length(said: Phrase) -> Claim | None:
    """How long the whole takes, from the day on which it was said."""
    days = said.days()
    if len(days) != 1 or not re.match(
        r"(?:in|within|innerhalb|for|für)\b.*\d|(?:in|within|for|für)\s+[a-zäöü]+\s+[a-z]+[sne]\b",
        said.text[days[0].start : days[0].end],
        re.I,
    ):
        return None
    (day,) = days
    if day.grain != "day":
        return None
    said.take_day(day)
    if not said.is_read():
        return None
    least = None
    if said.text[day.start : day.start + 3].lower() == "in ":
        least = said.today + timedelta(days=round((day.last - said.today).days * IN_LEAST))
    return claimed("ends_by", arguments.EndsBy(date=day.last, relation="within", not_before=least))


def read_appointment(said: Phrase) -> Claim | None:
    """An appointment on a day: what it is called stands before the day, here or in the words right before."""
    days = said.days()
    if len(days) != 1 or days[0].grain != "day":
        return None
    (day,) = days
    word = re.search(
        r"(?<![a-zäöü])(?:on(?:\s+the)?|am|(?:is|was|are)\s+(?:moved|set|changed)\s+to|ist\s+am)\s*$",
        said.text[: day.start],
        re.I,
    )
    before = said.text[: day.start].strip(" ,.;")
    if word is None and before and (before[-1].isascii() or Phrase(before, said.today).content):
        return None
    said.take_day(day)
    if word is not None:
        said.taken.append((word.start(), day.start))
    event = said.subject or subject_of(said.before, opening=True)
    if not event or not said.is_read(names=event, all_named=False):
        return None
    return claimed("on_day", arguments.OnDay(words=together(event), event=event, date=day.first))


def read_start(said: Phrase) -> Claim | None:
    """A day before which nothing is done."""
    since = since_of(said)
    if since is None or not said.is_read():
        return None
    return claimed("starts", arguments.Starts(date=since))


def read_days_off(said: Phrase) -> Claim | None:
    """Days on which nothing is to be done, where it is the user who is away."""
    days = said.days()
    away = said.take(rf"(?<![a-zäöü]){AWAY}(?![a-zäöü])") or said.take(
        rf"(?<![a-zäöü]){NOT}(?:\s+time|时间)?(?![a-zäöü])"
    )
    if not days or len(days) > 2 or away is None:
        return None
    for day in days:
        said.take_day(day)
    if len(days) == 2:
        said.take(r"\b(?:from|between|von|zwischen)\b|从")
        said.take(r"\b(?:to|until|and|bis|und)\b|[-–—]|到|至")
    said.take(rf"(?<![a-zäöü]){NOT}(?:\s+time|时间)?(?![a-zäöü])")
    if OTHERS.search(said.text) or not said.is_read():
        return None
    relation: Literal["from", "on"] = "from" if len(days) == 2 else "on"
    return claimed("free", arguments.Free(first=days[0].first, last=days[-1].last, relation=relation))


PERSON = r"(?:[A-ZÄÖÜ][a-zäöüß]+|(?:[Mm]y|[Oo]ur|[Mm]ein\w*|[Uu]nser\w*)\s+[A-Za-zÄÖÜäöüß]{3,})"
"""Somebody by name, or by what they are to the user."""
PERSON_CAN = re.compile(
    rf"^\s*(?-i:(?!Ich\b|Wir\b|We\b|It\b|There\b|I\b|Es\b)){PERSON}\s+(?:(?:is|are|ist|sind)\s+(?:only\s+|nur\s+)?"
    r"(?:free|available|there|da|frei)|can(?:not|['’]t)?|kann|has|hat|only\s+has|does)(?![a-zäöü])",
)
"""What begins the words on whose days these are: "Anna can only on Mondays", "mein Bruder kann nur samstags"."""
LATE = r"(?:after|from|nach|ab|(?:not|no|never|nicht)\s+(?:before|earlier\s+than|vor))"
EARLY = r"(?:before|until|till|by|vor|bis|(?:not|no|never|nothing|nicht|nichts|nie)\s+(?:after|later\s+than|nach))"
CLOCK = r"(\d{1,2}|[一二两三四五六七八九十]{1,3}(?=点))(?:[:.](\d\d))?\s*(a\.?m\b\.?|p\.?m\b\.?|uhr|点|h\b|o['’]clock)?"
DASH = r"\s*(?:and|to|until|till|und|bis|到|至|[-–—])\s*"
BETWEEN = rf"(?:\b(?:between|from|zwischen|von)\s+|从|在)?{CLOCK}{DASH}{CLOCK}(?![\w%])(?:之间)?"
BOUND = rf"\b(?P<word>{LATE}|{EARLY})\s+(?:um\s+)?{CLOCK}(?![\w%])"
AND = re.compile(r"\b(?:and|or|und|oder|sowie|plus)\b|[,&+/]|和|或", re.I)
EACH = r"\b(?:on|every|each|am|jeden|immer)\s+$|\b(?:on|every|each|am|jeden|immer)(?=\s+\w*(?:day|tag)s?\b)|每"
SECOND = (
    r"\b(?:every|each|jede[nrs]?)\s+(?:second|other|2nd|zweite[nrs]?|2\.)(?!\w)|\b(?:every\s+two|alle\s+(?:zwei|2))\s+"
    r"(?:weeks|wochen)\b|\bevery\s+(?:second|other)\s+week\b|\b(?:fortnightly|biweekly)\b"
)
NOON, END = time(12), time(23, 59)
PARTS: tuple[tuple[str, time, time], ...] = (
    (r"(?:early\s+)?mornings?|morgens|vormittags?|frühmorgens|上午|早上|早晨", time(), NOON),
    (r"afternoons?|nachmittags?|下午", NOON, time(18)),
    (r"evenings?|nights?|abends?|feierabends?|晚上", time(18), END),
)
"""Parts of the day, with the hours between which they lie."""
PART = "|".join(rf"(?P<p{number}>{words})" for number, (words, _, _) in enumerate(PARTS))
DAY_PART = rf"(?<![^\W_])(?:(?:in\s+(?:the|my)|at|am|at\s+the)\s+)?(?:{PART})(?![^\W_])"
HALF = 12
Kind = Literal["days", "part", "clock"]


@dataclass(frozen=True)
class Piece:
    """One word for a time in a statement, with its place."""

    kind: Kind
    start: int
    end: int
    days: tuple[int, ...] = ()
    bounds: tuple[tuple[str, time], ...] = ()


def read_when(said: Phrase) -> Claim | None:
    """Weekdays alone, or hours of the day, of all days or of these."""
    if OTHERS.search(said.text) or PERSON_CAN.match(said.text):
        return None  # "she only has Sundays" is no rule for the user's own work
    out = said.take(rf"(?<![a-zäöü]){IMPOSSIBLE}(?![a-zäöü])")
    reason = said.take(r"^.*?\b(?:so|therefore|deshalb|daher)\b|所以")
    second = said.take(SECOND)
    also = said.take(rf"(?<![a-zäöü]){ALSO}(?![a-zäöü])")
    pieces = [*_clocks(said)] if not said.days() or any(True for _ in read_weekdays(said.text)) else []
    pieces += _parts(said)
    pieces += _days(said)
    pieces.sort(key=lambda piece: piece.start)
    if not pieces or said.find(r"\d"):
        return None
    none = out or said.take(rf"(?<![a-zäöü]){NOT}(?![a-zäöü])")
    only = said.take(rf"(?<![a-zäöü]){ONLY}(?![a-zäöü])")
    if (none is not None and only is not None) or (out is not None and all(each.kind == "days" for each in pieces)):
        return None  # days alone that cannot be are read with what else is said of them
    if SITUATION.search(said.text) and reason is None and none is None and only is None:
        return None  # "I work until 5 pm" tells of somebody
    each = said.take(EACH)
    if any(piece.kind != "days" for piece in pieces):
        told = _hours(said, pieces, negated=none is not None) if second is None else None
        if told is None or not said.is_read():
            return None
        # "until March so only evenings": the plan keeps to the evenings, whatever the reason is good for.
        quoted = {"said": (reason.group(),) if reason is not None else ()}
        return claimed("within", told.model_copy(update=quoted | {"also": also is not None}))
    if also is not None:
        return None  # "also Sundays" rules nothing out
    return _weekdays(said, pieces, second=second, ruled=(none, only), each=bool(each or second))


def is_when(text: str) -> bool:
    """Whether a text says nothing but days of the week or parts of the day: it may be one item of a list."""
    said = Phrase(text, date.min)
    named = [*_clocks(said), *_parts(said), *_days(said)]
    said.take(rf"(?<![a-zäöü]){ONLY}(?![a-zäöü])")
    return bool(named) and said.is_read()


def has_part(text: str) -> bool:
    """Whether a text names a part of the day."""
    return re.search(DAY_PART, text, re.I) is not None


def _weekdays(
    said: Phrase,
    pieces: list[Piece],
    *,
    second: re.Match[str] | None,
    ruled: tuple[re.Match[str] | None, re.Match[str] | None],
    each: bool,
) -> Claim | None:
    none, only = ruled
    words = [said.text[piece.start : piece.end].lower() for piece in pieces]
    single = any(word.endswith(("day", "tag")) for word in words)
    if single and re.search(r"\b(?:this|next|last|diesen|nächsten)\b", said.text, re.I):
        return None
    of = () if only is not None or second else said.content  # "long run on Sundays", "no runs on Mondays"
    # A list of days, or days in the plural, is a rule by itself; one day in the singular may be an appointment.
    several = len(pieces) > 1 or len(pieces[0].days) > 1
    alone = not of and (several or (not single and (each or words[0].endswith(("s", "en", "ende")))))
    if not (only or none or second or (of and each and len(pieces) == 1) or alone) or not said.is_read(names=of):
        return None
    days = tuple(sorted({day for piece in pieces for day in piece.days}))
    names = tuple(_quoted(said.text, piece) for piece in pieces)
    if second is not None:
        names = (*names, second.group())
    told = arguments.Weekdays(weekdays=days, names=names, of=of, every=2 if second is not None else None)
    return claimed("none_on" if none is not None else "only_on", told)


def _quoted(text: str, piece: Piece) -> str:
    """The user's own words for it, "am Wochenende" whole."""
    before = re.search(r"\bam\s+$", text[: piece.start], re.I)
    return text[before.start() if before is not None else piece.start : piece.end]


def _hours(said: Phrase, pieces: list[Piece], *, negated: bool) -> arguments.Within | None:
    """Hours for all days, or for the days that are named beside them; days named apart have no bounds."""
    held: tuple[int, ...] = ()
    free: tuple[int, ...] = ()
    for segment in _segments(said.text, pieces):
        own = tuple(day for piece in segment for day in piece.days)
        timed = any(piece.kind != "days" for piece in segment)
        held, free = (held + own, free) if timed else (held, free + own)
    if free and not held:
        held = tuple(day for day in range(7) if day not in free)
    bounds: dict[str, time] = {}
    parts = [piece for piece in pieces if piece.kind == "part"]
    clocks = [piece for piece in pieces if piece.kind == "clock"]
    if len(parts) > 1 or len({name for piece in clocks for name, _ in piece.bounds}) < len(clocks):
        return None
    if clocks:
        bounds = dict(bound for piece in clocks for bound in piece.bounds)
        bounds = _in_part(bounds, parts[0] if parts else None)
    elif parts:
        bounds = dict(parts[0].bounds)
    if negated:
        if free or len(bounds) != 1 or (clocks and parts):
            return None
        name, moment = next(iter(bounds.items()))
        bounds = {"not_after" if name == "since" else "not_before": moment}
        free = tuple(day for day in range(7) if day not in held) if held else ()
    names = tuple(_quoted(said.text, piece) for piece in pieces)
    told = arguments.Within(**bounds, weekdays=tuple(sorted(set(held))), free=tuple(sorted(set(free))), names=names)
    return told if told.first < told.last else None


def _in_part(bounds: dict[str, time], part: Piece | None) -> dict[str, time]:
    """Hours of the clock; beside an afternoon or an evening they are those after noon."""
    if part is None or dict(part.bounds).get("since", time()) < NOON:
        return bounds
    return {name: time(each.hour + HALF * (each.hour < HALF), each.minute) for name, each in bounds.items()}


def _segments(text: str, pieces: list[Piece]) -> Iterator[list[Piece]]:
    """What stands together without an "and"; days in a list before hours that name none go with them."""
    segments: list[list[Piece]] = []
    for piece in pieces:
        between = text[segments[-1][-1].end : piece.start] if segments else ""
        if segments and AND.search(between) is None:
            segments[-1].append(piece)
        else:
            segments.append([piece])
    for place, segment in enumerate(segments):
        after = [other for other in segments[place + 1 :] if any(piece.kind != "days" for piece in other)]
        listed = all(piece.kind == "days" and len(piece.days) == 1 for piece in segment)
        with_days = after and any(piece.kind == "days" for piece in after[0])
        yield [*segment, *after[0]] if listed and with_days else segment


def _days(said: Phrase) -> Iterator[Piece]:
    for days, start, end in read_weekdays(said.text):
        if not any(start < taken_end and taken < end for taken, taken_end in said.taken):
            said.taken.append((start, end))
            yield Piece("days", start, end, days=days)


def _parts(said: Phrase) -> Iterator[Piece]:
    while found := said.take(DAY_PART):
        first, last = next((first, last) for n, (_, first, last) in enumerate(PARTS) if found[f"p{n}"])
        bounds = (("since", first),) if first > time() else ()
        yield Piece("part", *found.span(), bounds=(*bounds, *((("until", last),) if last < END else ())))


def _clocks(said: Phrase) -> Iterator[Piece]:
    other = has_part(said.text) or any(True for _ in read_weekdays(said.text))
    found = said.find(BETWEEN)
    if found is not None:
        named = re.match(r"between|from|zwischen|von", found.group(), re.I) is not None
        if named or any(found.group(n) for n in (2, 3, 5, 6)):  # "9-11" may be anything
            said.taken.append(found.span())
            later = _is_pm(found[6]) and number_of(found[1]) < number_of(found[4]) <= HALF
            half = found[3] or (found[6] if later else "")
            bounds = (("since", _clock(found[1], found[2], half)), ("until", _clock(found[4], found[5], found[6])))
            yield Piece("clock", *found.span(), bounds=bounds)
        return
    while found := said.find(BOUND):
        hour, minute, half = found.groups()[-3:]
        if not (minute or half or other) or number_of(hour) > 24:
            return
        said.taken.append(found.span())
        word = " ".join(found["word"].lower().split())
        late = re.fullmatch(LATE, word) is not None
        names = ("not_before", "not_after") if " " in word else ("since", "until")
        yield Piece("clock", *found.span(), bounds=((names[0 if late else 1], _clock(hour, minute, half)),))


def _is_pm(half: Any) -> bool:
    return str(half or "").lower().startswith("p")


def _clock(hour: str, minute: str | None, half: str | None) -> time:
    number = round(number_of(hour))
    if _is_pm(half) and number < HALF:
        number += HALF
    elif str(half or "").lower().startswith("a") and number == HALF:
        number = 0
    return END if number >= 24 else time(number, int(minute or 0) % 60)
