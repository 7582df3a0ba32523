"""Days out of the words of a statement, by the values that the kernel reads."""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from loopwright.agents.planner.account.feasts import feasts_in
from loopwright.kernel.account.reading import Value, read_values
from loopwright.kernel.account.reading.lexicon import lexicon, read_table
from loopwright.kernel.account.reading.values.amounts import days_of, year_of

Unit = Literal["hours", "minutes"]
Relation = Literal["at_most", "at_least", "about", "exactly"]

GROUPS: Final[Mapping[str, tuple[int, ...]]] = {
    **dict.fromkeys(("weekend", "weekends", "wochenende", "wochenenden", "wochenends", "周末"), (5, 6)),
    **dict.fromkeys(("weekday", "weekdays", "workday", "workdays", "working day", "working days"), (0, 1, 2, 3, 4)),
    **dict.fromkeys(("weeknight", "weeknights", "week nights"), (0, 1, 2, 3, 4)),
    **dict.fromkeys(("werktag", "werktags", "werktagen", "wochentags", "unter der woche", "工作日"), (0, 1, 2, 3, 4)),
}
UNITS: Final[Mapping[Unit, tuple[str, ...]]] = {
    "hours": ("hours", "hour", "hrs", "hr", "h", "stunden", "stunde", "std", "个小时", "小时", "钟头"),
    "minutes": ("minutes", "minute", "mins", "min", "minuten", "分钟"),
}
PER_WEEK: Final = (
    r"(?:(?:a|per|each|every|the|/)\s*(?:week|wk)(?![a-z])|weekly|"
    r"(?:pro|jede|in\s+der|die|/)\s*woche|wöchentlich|每周|每星期|一周)"
)
PER_DAY: Final = r"(?:(?:a|per|each|every|/)\s*day(?![a-z])|daily|(?:pro|jeden|am|/)\s*tag|täglich|每天|每日|一天)"
EVERY_DAY: Final = r"(?:every\s*day|each\s+day|daily|jeden\s+tag|täglich|每天|每日)"
"""A habit of every day, where it says more than an amount a day does."""
IMPOSSIBLE: Final = (
    r"(?:do(?:es)?|are|is|will)\s*(?:not|n['’]t)\s+(?:work|possible|ok|fit)|(?:do|does|wo|can|ca)n['’]t\s+(?:work|do|make\s+it)|"
    r"(?:(?:is|are|am|['’]m)\s+)(?:always\s+)?(?:out|impossible|off|blocked|taken|busy|full|unavailable|booked)|no\s+longer\s+work|"
    r"(?:have|got|there\s+is|there['’]s)\s+no\s+time|(?:ist|sind|bin|wird)\s+(?:\w+\s+)?(?:unmöglich|belegt|besetzt|voll|ausgeschlossen|weg)|"
    r"habe?\s+(?:ich\s+)?keine\s+zeit|(?:geht|gehen|passt|passen|klappt|kann\s+ich|können\s+wir)\s+"
    r"(?:\w+\s+){0,3}nicht(?:\s+mehr)?|fällt\s+(?:aus|weg)|(?:pause|ruhetag|rest\s+days?|days?\s+off)|没空|没时间|没有时间|没有空|很忙|不行|不能|不可以|休息"
)
"""What rules days out when it stands beside them."""
ALSO: Final = r"(?:also|too|as\s+well|in\s+addition|auch(?:\s+noch)?|zusätzlich|außerdem|也(?:可以|行)?|还|另外)"
"""What adds to the days or hours that there are, and rules out none."""
INJURED: Final = (
    r"(?:injur\w*|broke\w*|broken|sprain\w*|surgery|operation|knee\s+pain|fracture\w*|verletz\w*|gebrochen\w*|verstauch\w*|"
    r"operiert|受伤|骨折|手术|扭伤)"
)
"""What says that a body cannot, without saying what."""
RELATIONS: Final[Mapping[Relation, str]] = {
    "at_most": (
        r"at\s+most|at\s+the\s+most|max(?:imum|imal|\.)?|(?:no|not)\s+more\s+than|up\s+to|under|below|(?:less|fewer)\s+than|unter|weniger\s+als|少于|only|höchstens|bis\s+zu|"
        r"nicht\s+mehr\s+als|nur|最多|不超过|至多|只有|只"
    ),
    "at_least": r"at\s+least|min(?:imum|destens|\.)|(?:no|not)\s+less\s+than|wenigstens|至少|不少于",
    "exactly": r"exactly|precisely|genau|正好",
    "about": r"about|around|roughly|circa|ca\.|etwa|ungefähr|rund|大约|约",
}
NOT: Final = (
    r"(?:no|not|never|without|except|nothing|nichts|none|don['’]t|cannot|can't|off|nicht|kein|keine|keinen|nie|ohne|außer|frei|不|没有|没|"
    r"休息|除了)"
)
TURNING: Final = (
    r"(?:but|then|afterwards|later|free|skip|skips|skipping|avoid|avoiding|cancel|drop|omit|remove|postpone|out|"
    r"aber|dann|danach|später|doch|streichen|absagen)"
)
"""What turns what was said: the words beside it do not hold by themselves ("I am free on Fridays")."""
IN_ALL: Final = r"(?:in\s+all|in\s+total|all\s+together|altogether|overall|total|insgesamt|一共|总共)"
LEARNING: Final = frozenset(
    re.findall(
        r"\w+",
        "study studying learn learning train training practice practise practising "
        "lernen lerne üben übe trainieren trainiere 学习 练习",
    )
)
"""Fillers that say what the whole of a plan is for: one entry that names the subject does not do it."""
ONLY: Final = r"(?:only|nur|ausschließlich|just|solely|只|仅|才(?=有空|有时间))"
BY: Final = (
    r"(?:by|until|till|no\s+later\s+than|not\s+later\s+than|before|bis(?:\s+(?:zum|zu))?|spätestens|vor(?:\s+dem)?)"
)
BEFORE: Final = r"(?:before|vor(?:\s+dem)?)"
FILLERS: Final = frozenset(files(__package__).joinpath("fillers.txt").read_text(encoding="utf-8").split())
"""Words that say nothing by themselves; what is left of a statement without them is what it speaks of."""
SITUATION: Final = re.compile(
    r"^\s*(?:i|we|he|she|they|my|our|his|her|ich|wir|er|sie|mein|unser)\b.*"
    r"\b(?:am|are|is|have|has|work|works|was|bin|ist|sind|habe|hat)\b"
    r"|^\s*(?:my|our|his|her|mein\w*|unser\w*)\s+[\w-]+\s+[a-zäöü]+(?:s|t)\b",
    re.IGNORECASE,
)
"""Words that tell of somebody: until when that holds is no deadline."""
LEADING_VERB: Final = re.compile(
    r"^(?!(?-i:[A-ZÄÖÜ])[\w-]+\s(?-i:[a-zäöüß]+)(?:en|ern|eln)$)(?:please\s+)?(?:i\s+(?:want|need|would\s+like)\s+to\s+|we\s+(?:want|need)\s+to\s+|to\s+)?(?P<verb>[a-z]+)\s+"
    r"(?:(?:for|to|in)\s+)?(?:(?:a|an|the|my|our|your|his|her|their)\s+)?(?P<rest>.+)$",
    re.IGNORECASE,
)
"""An English request begins with what is to be done, a German one ends with it: `Masterarbeit abgeben`."""
AWAY: Final = (
    r"(?:(?:am|are|is|be|i'm|we're|bin|ist|sind)\s+(?:away|abroad|ill|sick|verreist|krank|weg)|away|on\s+(?:holiday|vacation|leave)|(?:on\s+)?(?:an?\s+)?business\s+trip|on\s+a\s+trip|travel(?:l?ing)|"
    r"auf\s+(?:kur|reha|montage|klassenfahrt|lehrgang|fortbildung)|in\s+(?:der\s+)?(?:kur|reha|klinik)|im\s+krankenhaus|in\s+(?:hospital|rehab)|"
    r"holidays?|vacation|lost|missed|(?:have|got|has)\s+(?:a\s+(?:bad\s+)?(?:cold|fever)|the\s+flu)|erkältet|grippe|感冒|发烧|urlaub|ferien|verreist|(?:auf\s+)?(?:dienst|geschäfts)reise|unterwegs|krank|can't\s+do\s+anything|gar\s+nicht|nicht\s+da|not\s+(?:there|here|around)|出差|旅行|度假|生病|放假|没空|没时间|不行)"
)
"""What says of days that nothing can be done on them."""


Grain = Literal["day", "week", "month", "part"]
LANGUAGES, DAY_MINUTES, LEAST_LENGTH = ("en", "de", "zh"), 1_440, 14
AHEAD = re.compile(
    r"\b(?:in|within|over(?:\s+the)?(?:\s+(?:next|coming))?|innerhalb(?:\s+von)?|for(?:\s+the\s+next)?|für)\s+"
    r"(?:an?\s+)?$",
    re.I,
)
"""What makes a day of a length of time, where it stands before it."""
NEXT = re.compile(r"\b(?:next|coming|nächste[nrms]?|kommende[nrms]?)\s+$", re.I)
ONE = re.compile(r"(?:an?|one)\s+(?P<unit>week|month|year)$", re.I)
OF_A_MONTH, ON_A_JOB = re.compile(r"\s+(?:of|in|im|des|vom)\b", re.I), re.compile(r"\bauf\s+$")
""""The last week of March" is not last week, and who is "auf Montage" is away."""
MONTHS_OF = {"month": 1, "year": 12}
PARTS = {"begin": (1, 10), "middle": (11, 15)}
SHORT = 3
"""Names of weekdays this short are other words as well, unless they begin with a capital letter."""
TWO_LETTERS = ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So")


@dataclass(frozen=True)
class Day:
    """A day, or the first and the last day of a span that was named; `start` and `end` are its place in the text."""

    first: date
    last: date
    grain: Grain
    start: int
    end: int

    @property
    def length(self) -> int:
        """How many days."""
        return (self.last - self.first).days + 1

    def bound_in(self, text: str, words: str = BY) -> "Bound | None":
        """What is done by this day, or before it, where the words around it say so; None where they do not."""
        word = re.search(rf"(?<![a-zäöü])(?P<word>{words})(?:\s+(?:the|dem|den|zum))?\s*$", text[: self.start], re.I)
        han = re.match(r"\s*(?:之?前|以前)", text[self.end :])
        if word is None and han is None:
            return None
        strict = word is None or re.fullmatch(BEFORE, word["word"], re.I) is not None
        last = (self.last if self.grain == "part" else self.first) - timedelta(days=1) if strict else self.last
        start = word.start() if word is not None else self.start
        said = word["word"] if word is not None else ""
        goes_on = re.match("until|till|bis", said, re.I) is not None  # "until May" may say how long something is so
        return Bound(last, start, self.end + (han.end() if han is not None else 0), said, strict, goes_on)


@dataclass(frozen=True)
class Bound:
    """The last day of what is done "by" or "before" a day, and the place of all the words that say so."""

    last: date
    start: int
    end: int
    word: str
    strict: bool
    goes_on: bool

    @property
    def relation(self) -> Literal["before", "by"]:
        """How the day was named."""
        return "before" if self.strict else "by"


Span = tuple[date, date, Grain]


def read_days(text: str, today: date) -> list[Day]:
    """The days that a text names, in its order; a day without a year is the next one to come.

    A weekday in the singular is its next day, a length of time ("in 4 months") the day on which it is over. What is no
    day (30 February) is left out.
    """
    text = re.sub(r"\bmay(?=\s+\d)", "May", text)
    found = [*(Day(day, day, "day", *place) for day, place in feasts_in(text, today)), *_ranges(text, today)]
    known = list(found)
    values = read_values(text)
    amounts = {each.end for each in values if each.type not in ("date", "weekday", "time", "calendar", "count")}
    for value in values:
        ahead = AHEAD.search(text[: value.start])
        if ahead is not None and len(text[: ahead.start()].rstrip()) in amounts:
            ahead = None  # "3 hours in one day" says how much, not when; "three balls in two weeks" does say when
        try:
            span = _span(value, text[value.start : value.end], today, ahead=ahead.group().strip() if ahead else "")
        except (ValueError, OverflowError):
            continue  # such as 30 February: no day at all
        if any(value.start < day.end and day.start < value.end for day in known):
            continue
        other = {"calendar": OF_A_MONTH.match(text, value.end), "weekday": ON_A_JOB.search(text[: value.start])}
        if other.get(value.type):
            continue
        if span is not None:
            start = ahead.start() if ahead is not None and value.type not in ("date", "weekday") else value.start
            near = NEXT.search(text[:start]) if value.type == "weekday" else None
            found.append(_stretch(text, Day(*span, start if near is None else near.start(), value.end)))
    return sorted(found, key=lambda day: day.start)


def _stretch(text: str, day: Day) -> Day:
    """The end, the middle or the beginning of a month, as Chinese says it behind the month."""
    part = re.match("底|末|中旬|中|初|上旬|下旬", text[day.end :])
    if day.grain != "month" or part is None or text[day.end - 1] != "月":
        return day
    length = monthrange(day.first.year, day.first.month)[1]
    first, last = {"初": (1, 10), "上": (1, 10), "中": (11, 20)}.get(part.group()[0], (length - 10, length))
    return Day(day.first.replace(day=first), day.first.replace(day=last), "part", day.start, day.end + part.end())


@cache
def _month_words() -> dict[str, int]:
    return {word.rstrip("."): int(number) for word, number in _table("months").items()}


def _ranges(text: str, today: date) -> Iterator[Day]:
    """Days of one month that are named by its first and last: `7 to 11 December`, `March 3-9`, `12月7日到11日`."""
    names = sorted((word for word in _month_words() if word[0].isascii()), key=len, reverse=True)
    months = "|".join(map(re.escape, names))
    first, last = (rf"(?P<{name}>\d{{1,2}})(?:st|nd|rd|th|\.)?" for name in "ab")
    to = r"\s*(?:to|until|bis(?:\s+zum)?|[-–—])\s*"
    for form in (
        rf"(?<![\d:.]){first}{to}{last}\s*(?:of\s+)?(?P<m>{months})\b\.?(?:\s+(?P<y>\d{{4}}))?",
        rf"\b(?P<m>{months})\s+{first}{to}{last}(?![\d:])(?:,?\s+(?P<y>\d{{4}}))?",
        rf"(?P<m>{HAN_DAY})月(?P<a>{HAN_DAY})[日号]?\s*(?:到|至|[-–—])\s*(?P<b>{HAN_DAY})[日号](?P<y>(?!))?",
    ):
        for match in re.finditer(form, text, re.I):
            month = _month_words().get(match["m"].lower()) or round(number_of(match["m"]))
            begin, end = round(number_of(match["a"])), round(number_of(match["b"]))
            year = int(match["y"]) if match["y"] else today.year
            try:
                span = date(year, month, begin), date(year, month, end)
                if not match["y"] and span[1] < today:
                    span = date(year + 1, month, begin), date(year + 1, month, end)
            except ValueError:
                continue
            if span[0] < span[1]:
                yield Day(*span, "week", *match.span())


def _span(value: Value, said: str, today: date, *, ahead: str) -> Span | None:
    if value.type == "date":
        return _date(value, today)
    if value.type == "weekday" and not said.lower().endswith(("s", "en")) and said[0].isascii():
        day = today + timedelta((int(value.value) - today.weekday()) % 7)
        return day, day, "day"
    one = ONE.fullmatch(said) if ahead else None
    if (value.type == "duration" and ahead) or one is not None:
        over = _later(
            value, one["unit"].lower() if one is not None else "", today, told_for=ahead.lower().startswith("f")
        )
        return None if over is None else (over, over, "day")
    days = days_of(str(value.value), today) if value.type == "calendar" else None
    if days is None or "weekend" in str(value.value):
        return None
    length = (days[1] - days[0]).days + 1
    return *days, "day" if length == 1 else "week" if length == len(TWO_LETTERS) else "month"


def _later(value: Value, one: str, today: date, *, told_for: bool) -> date | None:
    """The day on which a length of time from today is over; None for a part of a day."""
    if one in MONTHS_OF or value.unit == "month":
        return months_later(today, MONTHS_OF[one] if one else round(float(value.value)))
    days = 7.0 if one else float(value.value) / DAY_MINUTES
    if told_for and days < LEAST_LENGTH:
        return None  # "ill for three days" is no length of a plan
    return today + timedelta(days=round(days)) if days >= 1 else None


def _date(value: Value, today: date) -> Span | None:
    named = re.fullmatch(r"(?:(\d{4})|-)(?:-(\d\d))?(?:-(\d\d))?", str(value.value))
    if named is None or named[2] is None:
        return None  # a year alone
    month, number = int(named[2]), int(named[3] or 0)
    told = year_of(value.unit, today)
    year = int(named[1]) if named[1] else told or _next_year(month, number, today)
    if number:
        return date(year, month, number), date(year, month, number), "day"
    length = monthrange(year, month)[1]
    if value.unit in ("begin", "middle", "end"):
        first, last = PARTS.get(value.unit, (length - 10, length))
        return date(year, month, first), date(year, month, last), "part"
    return date(year, month, 1), date(year, month, length), "month"


def _next_year(month: int, number: int, today: date) -> int:
    """The year of the next such day."""
    last = monthrange(today.year, month)[1]
    return today.year + (date(today.year, month, min(number or last, last)) < today)


def months_later(day: date, months: int) -> date:
    """The day so many months later, or the last one of a shorter month.

    Raises:
        ValueError, OverflowError: there is no such year.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


HAN_DAY = r"(?:\d{1,2}|[一二三]?十?[一二三四五六七八九十])"
HAN_NUMBER = re.compile("[一二两三四五六七八九]?十?[一二三四五六七八九]?")  # up to ninety-nine


@cache
def _table(name: str) -> dict[str, float]:
    """A table of words of all the languages that plans are asked for in."""
    return {word: value for code in LANGUAGES for word, value in read_table(f"{code}.json")[name].items()}


@cache
def number_words() -> str:
    """Words for numbers, as a choice of a pattern."""
    return "[一二两三四五六七八九]?十[一二三四五六七八九]?|" + "|".join(sorted((*_counted(),), key=len, reverse=True))


@cache
def _counted() -> dict[str, float]:
    articles = dict.fromkeys(("ein", "eine", "einen", "einem", "einer"), 1.0)
    han = {sign: float(number) for number, sign in enumerate("一二三四五六七八九十", 1)}
    return {word: value for word, value in _table("numbers").items() if value >= 1} | articles | han | {"两": 2.0}


def number_of(words: str) -> float:
    """What a number in digits or as a word is worth.

    Raises:
        ValueError: it is none.
    """
    word = words.strip().lower()
    known = {"a": 1.0, "an": 1.0} | _counted()
    if word in known or not HAN_NUMBER.fullmatch(word):
        return known[word] if word in known else float(word.replace(",", "."))
    tens, ten, ones = word.partition("十")
    if not ten:
        raise ValueError(f"{word!r} is no number")
    return 10 * (known[tens] if tens else 1.0) + (known[ones] if ones else 0.0)


@cache
def _weekday_words() -> tuple[re.Pattern[str], dict[str, tuple[int, ...]]]:
    days = {word: (int(day),) for word, day in _table("weekdays").items() if len(word) >= SHORT or not word.isascii()}
    known = {**days, **GROUPS}
    names = sorted(known, key=len, reverse=True)
    latin = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in names if name[0].isascii())
    han = "|".join(name.removeprefix("每") for name in names if not name[0].isascii())
    two = "|".join(TWO_LETTERS)
    listed = rf"\b(?:{two})\b\.?(?=\s*(?:[-–,/]|bis|und|$))|(?<=[-–,/])\s*(?:{two})\b"
    pattern = rf"(?<![^\W_])(?:{latin})(?![^\W_])\.?|(?:{han})|{listed}"
    return re.compile(pattern, re.IGNORECASE), known


TO = re.compile(r"\s*(?:[-–—]|to|through|till|until|bis|到|至)\s*", re.I)


def read_weekdays(text: str) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Weekdays (0 is Monday) that a text names, with their place; "Monday to Friday" is one place with five days."""
    pattern, known = _weekday_words()
    found: list[tuple[tuple[int, ...], int, int]] = []
    dated = [each for each in read_values(text) if each.type == "date"]  # "Tuesday, March 2" names one day
    alone = (each for each in pattern.finditer(text) if not any(v.start <= each.start() < v.end for v in dated))
    for match, said in ((match, match.group().strip().rstrip(".")) for match in alone):
        if said.isascii() and len(said) <= SHORT and not said[0].isupper():
            continue
        word = " ".join(said.lower().split())
        days = known[word] if word in known else (TWO_LETTERS.index(said.capitalize()),)
        between = text[found[-1][2] : match.start()] if found else ""
        if found and len(found[-1][0]) == len(days) == 1 and TO.fullmatch(between):
            first = found[-1][0][0]
            span = tuple((first + step) % 7 for step in range((days[0] - first) % 7 + 1))
            found[-1] = (span, found[-1][1], match.end())
        else:
            found.append((days, *match.span()))
    yield from found


# The words of one statement while they are read: values take their words, the rest must say nothing more.

LATIN = re.compile(r"\d+\s?k(?:m)?(?![^\W_])|[^\W\d_]+\d*(?:['’-][^\W\d_]+)*[+#]*", re.UNICODE)
HAN = re.compile(r"[\u3400-\u9fff]+")
ENDS_ONLY = frozenset("上会要能")  # fillers that stand within other words as well: 上海
DECIDING = re.compile(
    rf"\b(?:{NOT}|{ONLY}|{BY}|{TURNING}|after|since|from|between|instead|already|schon|bereits|everything|all)\b|不|没有|只|之前|以前|之后|已经|但|然后|取消|除外|(?<![^\W\d_])\d",
    re.IGNORECASE,
)
"""Words that change what a statement says: a rule that has not read them has not read the statement."""


@dataclass
class Phrase:
    """A statement's words. `taken` are the ranges that were read; `before` are the words said right before it."""

    text: str
    today: date
    hard: tuple[str, ...] = ()
    before: str = ""
    opening: bool = True
    taken: list[tuple[int, int]] = field(default_factory=list)

    def find(self, pattern: str) -> re.Match[str] | None:
        """The first place that is not taken yet."""
        for match in re.finditer(pattern, self.text, re.IGNORECASE):
            if not any(match.start() < end and start < match.end() for start, end in self.taken):
                return match
        return None

    def take(self, pattern: str) -> re.Match[str] | None:
        """The first place, taken."""
        match = self.find(pattern)
        if match is not None:
            self.taken.append(match.span())
        return match

    def take_relation(self) -> Relation | None:
        """Whether an amount is the most, the least, or only about right; None where nothing is said."""
        for relation, words in RELATIONS.items():
            if self.take(_bounded(words)) is not None:
                return relation
        return None

    def days(self) -> list[Day]:
        """The days that are named in what is not taken."""
        found = read_days(self.text, self.today)
        return [day for day in found if not any(day.start < end and start < day.end for start, end in self.taken)]

    def take_day(self, day: Day) -> None:
        """Take a day that was read."""
        self.taken.append((day.start, day.end))

    @property
    def words(self) -> tuple[str, ...]:
        """What was read, in the user's own words."""
        return tuple(self.text[start:end] for start, end in sorted(self.taken))

    @property
    def left(self) -> str:
        """What is not taken; taken places are blank."""
        letters = list(self.text)
        for start, end in self.taken:
            letters[start:end] = " " * (end - start)
        return "".join(letters)

    @property
    def content(self) -> tuple[str, ...]:
        """The words among the rest that say something."""
        return tuple(_content(self.left))

    @property
    def whole(self) -> tuple[str, ...]:
        """The words of the rest with the verb, whatever it is: `learn Portuguese`."""
        return tuple(_content(self.left, FILLERS - LEARNING))

    @property
    def subject(self) -> tuple[str, ...]:
        """What the rest speaks of: its words without the verb with which an English request begins."""
        return subject_of(self.left, opening=self.opening)

    def is_read(self, *, names: tuple[str, ...] = (), all_named: bool = True) -> bool:
        """Whether nothing is left that matters: no hard token, no number, no negation, and no word but these names.

        Without `all_named` other words may be left where they are no hard ones (the verb of a request).
        """
        left = self.left
        known = " ".join(name for name in names if not name[0].isdigit())
        for name in names:
            left = left.replace(name, " " * len(name))
        lost = [word for word in self.hard if word in self.left and word not in known]
        if any(set(_content(word)) - set(names) or word in left for word in lost):
            return False
        return DECIDING.search(left + " " + known) is None and not (all_named and set(_content(left)))


def subject_of(text: str, *, opening: bool) -> tuple[str, ...]:
    """The words of a statement that name what it is about; a capital word that does not open a message is no verb."""
    match = LEADING_VERB.match(" ".join(text.split()))
    verb = match["verb"] if match is not None else ""
    named = verb.lower() in FILLERS or not (opening or lexicon("en").has("verbs", verb))
    rest = tuple(_content(match["rest"])) if match is not None and not named else ()
    return rest or tuple(_content(text))


def _content(text: str, fillers: frozenset[str] = FILLERS) -> Iterator[str]:
    for match in LATIN.finditer(HAN.sub(" ", text)):
        if match.group().casefold() not in fillers:
            yield match.group()
    for run in HAN.findall(text):
        for filler in sorted((word for word in fillers if HAN.fullmatch(word)), key=len, reverse=True):
            run = run.strip(filler) if filler in ENDS_ONLY else run.replace(filler, " ")
        yield from run.split()


def _bounded(words: str) -> str:
    """Latin words by themselves; Chinese ones anywhere."""
    return rf"(?<![^\W\d_])(?:{words})(?![a-zäöü])"
