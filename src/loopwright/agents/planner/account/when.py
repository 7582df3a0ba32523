"""When in the week there may be work: weekdays, parts of the day, hours between which it lies."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Literal

from pydantic import BaseModel

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.dates import (
    ALSO,
    GROUPS,
    IMPOSSIBLE,
    NOT,
    ONLY,
    SITUATION,
    UNITS,
    Phrase,
    number_of,
    number_words,
    read_weekdays,
)
from loopwright.kernel.account import Claim

# Claims about days: deadlines, appointments, days off, what comes before what.

NUMBER = rf"(?P<amount>\d+(?:[.,]\d+)?|{number_words()})"
OTHERS = re.compile(r"\b(?:he|she|they|er|sie|his|her|their)\b|[他她]", re.IGNORECASE)
"""Whoever is away then is not the user."""


def claimed(check: str, arguments: BaseModel) -> Claim:
    """The claim of a check with these arguments."""
    return Claim(check=check, arguments=arguments.model_dump(mode="json"))


def as_one(claims: Iterable[Claim], *said: str) -> Claim:
    """The claim that all of these hold, with the words in which it is said; of a single one that claim."""
    parts = tuple(claims)
    if len(parts) == 1:
        return parts[0]
    told = tuple({each.check: each.arguments} for each in parts)
    return claimed("together", arguments.Together(parts=told, said=said))


def together(names: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a title as they stand together, since a name of two words is one token of the user's."""
    return (" ".join(names),) if names else ()


def since_of(said: Phrase) -> date | None:
    """The day from which something holds, taken; None where none is named."""
    days = said.days()
    if len(days) == 1 and days[0].grain == "week" and re.search(r"\d\D+\d", said.text[days[0].start : days[0].end]):
        return None  # "from February 1 to 10" is a span of days
    if len(days) == 1 and said.take(r"\b(?:from|starting(?:\s+(?:in|on))?|since|as\s+of|ab|seit)\b|从|自"):
        said.take(r"\bon\b|起|开始")
        said.take_day(days[0])
        return days[0].first
    return None


CALLED = r"(?:Father|Pastor|Pfarrer|[Oo]nkel|[Tt]ante|[Oo]pa|[Oo]ma|Herr|Frau|[Uu]ncle|[Aa]unt|Mrs?\.?|Ms\.?|Dr\.?)"
PERSON = (
    rf"(?:(?:{CALLED}\s+)?[A-ZÄÖÜ][a-zäöüß]+|(?:[Mm]y|[Oo]ur|[Mm]ein\w*|[Uu]nser\w*)\s+[A-Za-zÄÖÜäöüß-]{{3,}}"
    r"(?:\s+[A-ZÄÖÜ][a-zäöüß]+)?)"
)
"""Somebody by name, or by what they are to the user."""
PERSON_CAN = re.compile(
    rf"^\s*(?-i:(?!(?:Ich|Wir|We|It|There|I|Es|He|She|They|You|Er|Sie)\b))(?:{PERSON}|[Tt]he\s+(?!plan\b|rest\b)[a-z]{{3,}}|[Dd](?:er|ie)\s+[A-ZÄÖÜ]\w+)\s+(?:(?:is|are|ist|sind)\s+(?:only\s+|nur\s+)?"
    r"(?:free|available|there|da|frei)|can(?:not|['’]t)?|kann|has|hat|only\s+has|does)(?![a-zäöü])",
)
"""What begins the words on whose days these are: "Anna can only on Mondays", "mein Bruder kann nur samstags"."""
CAN = re.compile(
    r"^\s*(?:(?:and|but|und|aber)\s+)?(?:can(?=\s)|kann|(?:is|ist|has|hat)(?=\s+(?:only|nur|free|available|frei|da|time|zeit)\b))"
    r"(?:\s+(?:only|nur|help|helfen|come|kommen|work|arbeiten|free|available|there|da|frei|time|zeit|do\s+it))*(?=\s)",
    re.I,
)
"""What says when somebody can, without a name: it is whoever was named right before."""
LATE = r"(?:after|from|nach|ab|(?:not|no|never|nicht)\s+(?:before|earlier\s+than|vor))"
EARLY = r"(?:before|until|till|by|vor|bis|(?:not|no|never|nothing|nicht|nichts|nie)\s+(?:after|later\s+than|nach))"
CLOCK = r"(\d{1,2}|[一二两三四五六七八九十]{1,3}(?=点))(?:[:.](\d\d))?\s*(a\.?m\b\.?|p\.?m\b\.?|uhr|点|h\b|o['’]clock)?"
DASH = r"\s*(?:and|to|until|till|und|bis|到|至|[-–—])\s*"
BETWEEN = rf"(?:\b(?:between|from|zwischen|von)\s+|从|在)?{CLOCK}{DASH}{CLOCK}(?![\w%])(?:之间)?"
BOUND = rf"\b(?P<word>{LATE}|{EARLY})\s+(?:um\s+)?{CLOCK}(?![\w%])"
AT = rf"\b(?:at|um)\s+{CLOCK}(?![\w%])"
EVERY = "every"
"""What the user's word for it means, in whatever language it was said."""
MEETING = timedelta(minutes=90)
"""How long that may take which begins at a time of the clock."""
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
DAY_PART = rf"(?<![a-zäöüß\d_])(?:(?:in\s+(?:the|my)|at|am|at\s+the)\s+)?(?:{PART})(?![a-zäöüß\d_])"
HALF = 12
AFTERNOON, EARLY_RISER = time(5), time(8)
"""Before these hours "until 3" and "after 7" mean those after noon, where no half of the day is said."""
MOST_NAMED = 3
TIME_WORDS = frozenset((*UNITS["hours"], *UNITS["minutes"], "day", "tag"))
Kind = Literal["days", "part", "clock"]


@dataclass(frozen=True)
class Piece:
    """One word for a time in a statement, with its place."""

    kind: Kind
    start: int
    end: int
    days: tuple[int, ...] = ()
    bounds: tuple[tuple[str, time], ...] = ()


def name_of(person: str) -> str:
    """What somebody is called in titles: "my cousin Ben" is Ben, "my sister-in-law can" is the sister-in-law."""
    rest = re.sub(r"^\W*(?:my|our|the|der|die|mein\w*|unser\w*)\s+", "", person, flags=re.I)
    return re.sub(r"^[\w-]+\s+(?=[A-ZÄÖÜ][a-zäöüß]+(?:\s|$))", "", rest).split()[0]


def read_when(said: Phrase) -> Claim | None:
    """Weekdays alone, or hours of the day, of all days or of these."""
    if OTHERS.search(said.text) or PERSON_CAN.match(said.text):
        return None  # "she only has Sundays" is no rule for the user's own work
    out = said.take(rf"(?<![a-zäöü]){IMPOSSIBLE}(?![a-zäöü])")
    reason = said.take(r"^.*?\b(?:so|therefore|deshalb|daher)\b|所以")
    second = said.take(SECOND)
    begins, ends = _while_of(said) if has_part(said.text) or said.find(CLOCK) else (None, None)
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
    again = each is not None or any(said.text[one.start : one.end].lower().endswith("s") for one in pieces if one.days)
    if any(piece.kind != "days" for piece in pieces):
        told = _hours(said, pieces, negated=none is not None) if second is None else None
        told = told.model_copy(update={"begins": begins, "ends": ends}) if told is not None else None
        verb = _verb_of(said) if only is not None and none is None and told is not None else ()
        if told is not None and verb:
            return claimed("within", told.model_copy(update={"of": verb, "said": (said.text,)}))
        if each is not None and TIME_WORDS.intersection(word.casefold() for word in said.content):
            return None  # "every Saturday afternoon two hours" says how much as well
        of = said.content if again and none is None and only is None and not said.opening else ()
        if told is not None and again and 0 < len(of) <= MOST_NAMED and told.weekdays and said.is_read(names=of):
            names = (*told.names, each.group().strip()) if each is not None else told.names
            said_so = (said.text, EVERY)
            return claimed("within", told.model_copy(update={"of": of, "said": said_so, "names": names}))
        if told is None or not said.is_read():
            return None
        # "until March so only evenings": the plan keeps to the evenings, whatever the reason is good for.
        quoted = {"said": (reason.group(),) if reason is not None else ()}
        return claimed("within", told.model_copy(update=quoted | {"also": also is not None}))
    if also is not None:
        return None  # "also Sundays" rules nothing out
    return _weekdays(said, pieces, second=second, ruled=(none, only), each=bool(each or second))


def _while_of(said: Phrase) -> tuple[date | None, date | None]:
    """The first and the last day of hours that hold for a time only, taken: "in December only mornings"."""
    named = any(True for _ in read_weekdays(said.text))
    begins = since_of(said) if not named else None
    days = said.days()
    if begins is not None or len(days) != 1:
        return begins, None
    (day,) = days
    bound = day.bound_in(said.text)
    if bound is not None:  # "before Easter only mornings"; "every morning until May" is over then
        only = said.find(rf"(?<![a-zäöü]){ONLY}(?![a-zäöü])")
        said.taken += [(bound.start, bound.end)] if only is not None else []
        before = bound.goes_on and day.grain in ("month", "week")  # "until May" leaves May out
        return None, None if only is None else day.first - timedelta(days=1) if before else bound.last
    word = re.search(r"\b(?:in|im|during|throughout|over)\s*$|在$", said.text[: day.start], re.I)
    if day.grain == "day" or (word is None and said.text[day.end - 1].isascii()):
        return None, None
    said.taken.append((word.start() if word is not None else day.start, day.end))
    return day.first, day.last


WEEKS = (
    r"\b(?:in|during)\s+(?:the\s+)?(?:(?P<odd>odd)|even)(?:[-\s]numbered)?\s+(?:calendar\s+)?weeks?\b"
    r"|\bin\s+(?:den\s+)?(?:(?P<un>un)geraden|geraden)\s+(?:kalender)?wochen\b|(?:(?P<dan>单)|双)(?:数)?周"
)
"""The weeks of the year by their number, every second one."""
WORKS = re.compile(
    r"\b(?:i|we|ich|wir)?\s*(?:(?:am|bin)\s+(?:at\s+work|on\s+duty)|have\s+to\s+work|work|arbeite\w*|(?:have|habe|on|in\s+der)\s+(?=\S*\s*"
    r"(?:shift|\S*schicht)))\b\s*(?:the\s+|an?\s+)?|上(?=[早中晚夜]班)|上班",
    re.I,
)
SHIFTS: tuple[tuple[str, time, time], ...] = (
    (r"(?:early|morning)\s+shifts?|frühschicht|早班", time(6), time(14)),
    (r"(?:late|evening|afternoon)\s+shifts?|spätschicht|中班|晚班", time(14), time(22)),
)
"""The usual hours of a shift of which no hours are said."""
HAVE_TIME = re.compile(
    r"\b(?:i|we)\s+(?:can(?:\s+(?:only|work|do\s+it))*|have\s+time|am\s+free|are\s+free)\b|\b(?:kann\s+ich|können\s+wir|ich\s+kann"
    r"|habe\s+ich\s+zeit|ich\s+habe\s+zeit)\b|\berst(?=\s+ab\b)",
    re.I,
)


def read_weeks(said: Phrase) -> Claim | None:
    """Hours or days of the weeks with an odd or an even number; a shift, or hours of a job, are taken."""
    weeks = re.search(WEEKS, said.text, re.I)
    if weeks is None:
        return None
    name: Literal["odd", "even"] = "odd" if weeks["odd"] or weeks["un"] or weeks["dan"] else "even"
    rest = f"{said.text[: weeks.start()]} {said.text[weeks.end() :]}".strip(" ,，")
    job = WORKS.search(rest)
    shift = next((bounds for words, *bounds in SHIFTS if re.search(words, rest, re.I)), None)
    update = {"weeks": name, "said": (said.text,)}
    hours = next((dict(each.bounds) for each in _clocks(Phrase(rest, said.today)) if len(each.bounds) > 1), None)
    if (job is not None or shift is not None) and (hours or shift):
        first, last = (hours["since"], hours["until"]) if hours else (shift or [time(), END])
        told = arguments.Within(since=first, until=last, outside=True, weekdays=(0, 1, 2, 3, 4))
        return claimed("within", told.model_copy(update=update)) if first < last else None
    claim = read_when(Phrase(HAVE_TIME.sub(" ", rest).strip(), said.today, opening=False))
    if claim is None or claim.check != "within" or claim.arguments["also"]:
        return None
    return claimed("within", arguments.Within.model_validate(claim.arguments).model_copy(update=update))


def read_job(said: Phrase) -> Claim | None:
    """Hours that a job takes on its days, in every week: "I work from 9 to 5", "early shift from 6 am to 2 pm"."""
    job = WORKS.search(said.text)
    shift = next((bounds for words, *bounds in SHIFTS if re.search(words, said.text, re.I)), None)
    mine = job is not None and re.search(rf"\b(?:only|so)\b|(?<![a-zäöü]){ONLY}(?![a-zäöü])", said.text, re.I) is None
    dated = any(day.length > 1 or re.search(r"\d", said.text[day.start : day.end]) for day in said.days())
    if not mine or dated or OTHERS.search(said.text) or PERSON_CAN.match(said.text):
        return None
    between = re.search(BETWEEN, said.text, re.I)
    hours = shift
    if between is not None:
        first, last = (_clock(*between.group(*places)) for places in ((1, 2, 3), (4, 5, 6)))
        if last <= first and last.hour < HALF:
            last = time(last.hour + HALF, last.minute)
        hours = [first, last]
    days = sorted({day for found, _, _ in read_weekdays(said.text) for day in found}) or list(GROUPS["weekday"])
    if hours is None or hours[0] >= hours[1] or (between is None and re.search(r"\d", said.text)):
        return None
    told = arguments.Within(since=hours[0], until=hours[1], outside=True, weekdays=tuple(days), said=(said.text,))
    return claimed("within", told)


def read_times(said: Phrase) -> Iterator[Claim]:
    """Hours by the clock beside what else a statement says: "before 8 am until the end of February"."""
    others = OTHERS.search(said.text) or PERSON_CAN.match(said.text) or WORKS.search(said.text)
    days = has_part(said.text) or any(True for _ in read_weekdays(said.text))
    if others or days or SITUATION.search(said.text) or said.find(rf"(?<![a-zäöü])(?:{NOT})(?![a-zäöü])"):
        return
    pieces = [piece for piece in _clocks(said) if re.search(r"[a-z:点]", said.text[piece.start : piece.end].lower())]
    told = _hours(said, pieces, negated=False) if pieces else None
    if told is not None:
        yield claimed("within", told)


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
    of = (_verb_of(said) if only is not None else ()) or of
    if TIME_WORDS.intersection(word.casefold() for word in of):
        return None  # "half an hour every day except Sundays" says how much as well
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


OWN_DOING = re.compile(
    r"^\s*(?:and\s+|und\s+)?(?:i|we|ich|wir)\s+(?:can\s+|could\s+)?(?P<verb>[a-zäöüß]{3,})\s+(?P<rest>.*)$", re.I
)


def _verb_of(said: Phrase) -> tuple[str, ...]:
    """What alone is done then, where that is one thing and not all work: "we record on Friday evenings only"."""
    doing = OWN_DOING.match(said.text)
    verb = doing["verb"] if doing is not None else ""
    left = said.content
    return left if len(left) <= MOST_NAMED and verb in left and left[0] == verb and said.is_read(names=left) else ()


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
        if len(bounds) == len(parts) + 1 == len(("since", "until")) and not (free or clocks or held):  # "no afternoons"
            names = tuple(_quoted(said.text, piece) for piece in pieces)
            return arguments.Within(**bounds, weekdays=tuple(range(7)), outside=True, names=names)
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
            first, last = _clock(found[1], found[2], half), _clock(found[4], found[5], found[6])
            if last <= first and last.hour < HALF and not found[6]:  # "from 10 to 2"
                last = time(last.hour + HALF, last.minute)
            bounds = (("since", first), ("until", last))
            yield Piece("clock", *found.span(), bounds=bounds)
        return
    again = re.search(r"\b(?:every|each|jeden)\b", said.text, re.I)  # once, a time of the clock is an appointment
    found = said.find(AT) if other and again else None
    if found is not None and number_of(found[1]) <= 24:
        begin = _clock(found[1], found[2], found[3])
        if not found[3] and not found[2] and begin < EARLY_RISER and not re.match("um", found.group(), re.I):
            begin = time(begin.hour + HALF)  # "Thursdays at 7"
        said.taken.append(found.span())
        end = (datetime.combine(date.min, begin) + MEETING).time()
        end = end if end > begin else END
        yield Piece("clock", *found.span(), bounds=(("since", begin), ("until", end)))
        return
    while found := said.find(BOUND):
        hour, minute, half = found.groups()[-3:]
        if not (minute or half or other) or number_of(hour) > 24:
            return
        said.taken.append(found.span())
        word = " ".join(found["word"].lower().split())
        late = re.fullmatch(LATE, word) is not None
        names = ("not_before", "not_after") if " " in word else ("since", "until")
        moment = _clock(hour, minute, half)
        if word in ("after", "until", "till") and not half and moment < (EARLY_RISER if late else AFTERNOON):
            moment = time(moment.hour + HALF, moment.minute)  # nobody says "after 5" of five in the morning
        yield Piece("clock", *found.span(), bounds=((names[0 if late else 1], moment),))


def _is_pm(half: Any) -> bool:
    return str(half or "").lower().startswith("p")


def _clock(hour: str, minute: str | None, half: str | None) -> time:
    number = round(number_of(hour))
    if _is_pm(half) and number < HALF:
        number += HALF
    elif str(half or "").lower().startswith("a") and number == HALF:
        number = 0
    return END if number >= 24 else time(number, int(minute or 0) % 60)
