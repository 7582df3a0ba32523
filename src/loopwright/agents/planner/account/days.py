"""Claims about days: deadlines, appointments, days off, what comes before what."""

import re
from datetime import date, timedelta
from typing import Literal

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.clauses import parts_of
from loopwright.agents.planner.account.dates import (
    AWAY,
    INJURED,
    NOT,
    SITUATION,
    Phrase,
    number_of,
    read_days,
    subject_of,
)
from loopwright.agents.planner.account.neighbours import HAN_KINDS
from loopwright.agents.planner.account.when import NUMBER, OTHERS, claimed, since_of, together
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import read_values
from loopwright.kernel.account.reading.lexicon import lexicon, normal

IN_LEAST = 0.75
""""In four months" is not kept by what is over after three quarters of them."""
LAG = NUMBER.replace("(?P<amount>", r"(?P<amount>an?(?=\s)|")
WAITING = (
    r"\b(?:must|has\s+to|have\s+to|needs?\s+to|muss|müssen)\s+(?:first\s+|erst\s+)?(?:(?:for\s+)?"
    rf"{LAG}\s*(?P<unit>weeks?|days?|wochen?|tage?n?)\s+(?:lang\s+)?)?"
    r"(?:dry|cure|set|cool|rest|settle|trocknen|aushärten|abkühlen|ruhen)\b(?:\s+for\b)?"
)
WAITS_LONG = (
    rf"\b(?:needs?|takes?|braucht|brauchen)\s+{LAG}\s*(?P<unit>weeks?|days?|wochen?|tage?n?)\s+(?:to\s+|zum\s+)"
    r"(?:dry|cure|set|cool|rest|settle|trocknen|aushärten|abkühlen|ruhen)\b"
)
WAITS_FOR = (
    rf"\b(?:must|has\s+to|have\s+to|needs?\s+to)\s+(?:first\s+)?[a-z]+\s+for\s+{LAG}\s*(?P<unit>weeks?|days?)"
    r"(?=\s+before\b)"
)
"""What is only waited for: "the paint must dry", "the juice must ferment for two weeks before we bottle it"."""


def days_of_lag(match: re.Match[str]) -> int:
    """The days between two steps."""
    return round(number_of(match["amount"]) * (1 if match["unit"].lower().startswith(("d", "t", "天")) else 7))


EXPECTED = re.compile(
    r"(?<!\bi )(?<!\bwe )\b(?:needs|expects|wants|requires|braucht|erwartet|verlangt)\b(?!\s+to\b)", re.I
)
"""What somebody else needs by then is not a step that anybody takes."""


def read_order(said: Phrase) -> Claim | None:
    """`A … before B`, `B … after A`, with or without a time between them."""
    lag = said.take(WAITS_FOR) or said.take(
        rf"(?<![a-z\d.]){NUMBER}\s*(?P<unit>weeks?|days?|wochen?|tage?n?|周|天)\s+(?=before|after|vor|nach|bevor|nachdem)"
    )
    wait = said.take(WAITING) or said.take(WAITS_LONG)
    lag = lag or (wait if wait is not None and wait["amount"] else None)
    said.take(r"\b(?:is|are|ist|sind)\s+(?:out|in|over|done|ready|weg|fertig|da)\b\s*$")
    said.take(r"\b(?:each|every|jede[snrm]?)\b")
    han = re.fullmatch(r"\s*先(?P<first>.+?)[,，]?\s*(?:然后|再|后)(?P<then>.+?)\s*", said.text)
    if han is not None:  # whole, since what says nothing by itself may be a part of a word: 找工作
        titles: list[tuple[str, ...]] = [(han["first"].strip(),), (han["then"].strip(),)]
        return claimed("gap", arguments.Apart(before=titles[0], after=titles[1])) if all(titles) else None
    word = said.find(
        r"\b(?P<word>before|after|bevor|nachdem|once(?!\s+(?:an?|per|every|each|in)\b))\b|(?P<han>之前|之后)"
    )
    if word is None or word["han"] is not None or said.days() or re.search(rf"\b{INJURED}", said.text, re.I):
        return None
    text = said.left
    left, right = text[: word.start()], text[word.end() :]
    if lag is not None:
        left = left.replace(lag.group(), " ")
    first, then = (right, left) if word["word"].lower() in ("after", "nachdem", "once") else (left, right)
    titles = [_things(text) for text in (first, then)]
    if not all(titles) or any(map(EXPECTED.search, (first, then))):
        return None
    days = days_of_lag(lag) if lag is not None else 0
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
    bound = day.bound_in(said.text)
    if bound is None:
        return None
    said.taken.append((bound.start, bound.end))
    title, whole = said.subject, said.whole
    tells = SITUATION.search(said.text) or re.search(rf"(?<![a-zäöüß])(?:{AWAY}|{INJURED})", said.text, re.I)
    if (bound.goes_on and tells) or not said.is_read(names=title, all_named=False):
        return None
    told = arguments.EndsBy(
        words=together(title),
        date=bound.last,
        relation=bound.relation,
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


MOVED = (
    r"(?:is|was|are|has\s+been|got)\s+(?:moved|set|changed|postponed|put\s+off|pushed|shifted|brought\s+forward)(?:\s+back)?\s+to"
    r"|(?:ist|wurde|wird)\s+(?:jetzt\s+)?auf\s+den|verschiebt\s+sich\s+auf\s+den|ist\s+(?:erst\s+|jetzt\s+|nun\s+)?am"
    r"|(?:已经?)?(?:被)?(?:改|推迟|延期?|提前|挪|移|换|调整?)(?:到|至|为|成|在)"
)
"""What gives an event its new day."""
MOVES = re.compile(
    r"\s*(?:please\s+|bitte\s+)?(?:move|shift|postpone|push(?:\s+back)?|reschedule|verschieb\w*|verleg\w*)\s", re.I
)


READY_FOR = re.compile(
    r"^.*\b(?:ready|finished|done|prepared|fit|fertig|bereit)\s+(?:for|für|zum|zur)\s+(?:(?:the|my|our|a|an|die|den|das|unsere?n?|meine?n?)\s+)?",
    re.I,
)
"""What stands before the event for which all is to be ready."""
EVENT_ALONE = re.compile(
    r"(?:(?:the|our|my|die|der|das|unsere?|meine?)\s+)?[^\W\d_][\w'-]+(?:\s+[^\W\d_][\w'-]+)?", re.I
)
HAN_ACT = re.compile(r"\s*(?P<event>(?!之|以前|以后|前|后|不|没|起|开始|到|至|休|请假)[\u4e00-\u9fff]{2,6})\s*")
"""What takes place on the day that stands before it."""


HAN_NAMED = re.compile(r"(?P<name>(?!.*[之以前后不没给]|.*学)[\u4e00-\u9fff]{2,10}?)(?:定|安排)?[在是]?")
HAN_EXAM = re.compile(f"{HAN_KINDS.pattern}|考|科目")
HAN_TAKES_PLACE = re.compile(r"\s*(?:举行|考试?|进行|开始|比赛)?\s*")
"""What stands before and behind the day of something that takes place: 科目三考试在三月六号."""


def read_appointment(said: Phrase) -> Claim | None:
    """An appointment on a day: what it is called stands before the day, here or in the words right before."""
    days = said.days()
    if len(days) != 1 or days[0].grain != "day":
        return None
    (day,) = days
    to = r"|to(?:\s+the)?|until|till|auf(?:\s+den)?" if MOVES.match(said.text) else ""
    word = re.search(rf"(?<![a-zäöü])(?:on(?:\s+the)?|am|{MOVED}{to})\s*$", said.text[: day.start], re.I)
    before = said.text[: day.start].strip(" ,.;")
    if word is None and (act := HAN_ACT.fullmatch(said.text[day.end :])) and len(before) <= len("我妈妈"):
        return claimed("on_day", arguments.OnDay(event=(str(act["event"]),), date=day.first, said=(said.text,)))
    han = HAN_NAMED.fullmatch(before) if word is None else None
    if han is not None and HAN_TAKES_PLACE.fullmatch(said.text[day.end :]) and HAN_EXAM.search(said.text):
        return claimed("on_day", arguments.OnDay(event=(han["name"],), date=day.first, said=(said.text,)))
    if word is None and before and (before[-1].isascii() or Phrase(before, said.today).content):
        numbered = re.search(r"\d", said.text[day.start : day.end])
        named = numbered and day.length == 1 and not said.opening and EVENT_ALONE.fullmatch(before)
        if not named or any(lexicon("en").has("verbs", normal(each)) for each in before.split()):
            return None
    said.take_day(day)
    if word is not None:
        said.taken.append((word.start(), day.start))
    ready = READY_FOR.match(said.text[: day.start])
    if ready is not None:
        said.taken.append(ready.span())
    said.take(r"(?<![a-zäöü])(?:verschoben|verlegt|vorverlegt)\s*$")
    event: tuple[str, ...] = said.content if ready is not None else said.subject
    event = event or subject_of(said.before, opening=True)
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


COMES = re.compile(
    r"^\W*(?:(?:the|my|our|die|der|das|unsere?|meine?)\s+)?(?P<what>[^\W\d_][\w\s-]{2,40}?)\s+(?:(?:can|will|could|kann|können|"
    r"kommt|kommen)\s+)?(?:only|nur|erst|just)?\s*(?:come|comes|arrives?|deliver|delivers|be\s+here|is|are|kommt|kommen)?\s*"
    r"(?:only|nur|erst)?\s*(?:on|am)\s+(?:the\s+)?$",
    re.I,
)
"""Who or what comes on a day: it is an appointment of the plan."""


def read_arrival(said: Phrase) -> Claim | None:
    """Who or what comes on a day: "the movers can only come on January 23"."""
    days = [day for day in said.days() if day.grain == "day" and day.first >= said.today]
    match = COMES.match(said.text[: days[0].start]) if len(days) == 1 else None
    if match is None or re.search(r"\b(?:i|we|ich|wir)\b", match["what"], re.I):
        return None
    told = arguments.OnDay(event=tuple(match["what"].split()), date=days[0].first, said=(said.text,))
    return claimed("on_day", told)


IN_A_ROW = re.compile(
    r"^\W*(?:(?:never|not|no)\s+(?:on\s+)?(?:two\s+days\s+(?:in\s+a\s+row|running)|consecutive\s+days|two\s+consecutive\s+days)|"
    r"(?:nie(?:mals)?|nicht|keine)\s+(?:an\s+)?zwei\s+tagen?\s+(?:hinter|nach)einander|不(?:要|能)?连续两天(?:练|做|跑|学)?)\W*$",
    re.I,
)
"""No work on two days that follow each other."""


def read_in_a_row(said: Phrase) -> Claim | None:
    """Days that must not follow each other."""
    return claimed("not_in_a_row", arguments.NotInARow(said=(said.text,))) if IN_A_ROW.match(said.text) else None


SOME_WEEKS = re.compile(
    rf"(?<![a-zäöü\d]){NUMBER}\s*个?(?P<unit>weeks?|days?|wochen?|tagen?|tage?|星期|周|天)(?![a-zäöü])", re.I
)
FROM_THEN = re.compile(
    r"(?:\b(?:from|starting(?:\s+on)?|beginning(?:\s+on)?|as\s+of|ab|vom|von)(?:\s+dem)?|从)\s*$", re.I
)


def of_known_weeks(claim: Claim | None, text: str, today: date) -> Claim | None:
    """The claim; of an absence with a length, that with its first day: "away for two weeks from February 8"."""
    if claim is None or not is_of_some_weeks(text, claim):
        return claim
    length = SOME_WEEKS.search(text)
    if length is None or re.search(rf"(?<![a-zäöü]){AWAY}(?![a-zäöü])", text, re.I) is None or OTHERS.search(text):
        return None
    rest = text[: length.start()] + " " * len(length.group()) + text[length.end() :]
    days = [day for day in read_days(rest, today) if day.grain == "day"]
    if len(days) != 1 or FROM_THEN.search(rest[: days[0].start]) is None:
        return None
    last = days[0].first + timedelta(days=days_of_lag(length) - 1)
    return claimed("free", arguments.Free(first=days[0].first, last=last, relation="from", said=(text,)))


def is_of_some_weeks(text: str, claim: Claim) -> bool:
    """Whether an absence is shorter than the span in which it lies: nobody knows when "two weeks in May" are."""
    length = SOME_WEEKS.search(text)
    if length is None:
        return False
    absences = [part.arguments for part in parts_of(claim) if part.check == "free"]
    spans = [date.fromisoformat(each["last"]) - date.fromisoformat(each["first"]) for each in absences]
    return any(abs(span.days + 1 - days_of_lag(length)) > 1 for span in spans)


CLAUSE = re.compile(
    r"[,;!?，；。！？\n]+|(?<!\d)\.(?=\s|$)|(?<=\d{4})\.(?=\s)|\s+(?=(?:and|but|und|aber)\s+(?:no|not|only|nothing|kein|nicht|nur)\b)",
    re.I,
)


def clauses_of(text: str) -> list[str]:
    """The clauses of a text; the comma of a date such as "Tuesday, March 2" ends none."""
    for value in read_values(text):
        if value.type == "date":
            text = f"{text[: value.start]}{text[value.start : value.end].replace(',', ' ')}{text[value.end :]}"
    return CLAUSE.split(text)
