"""Statements that say several things, or say one in more words than a rule takes: a grammar of amounts, days, times.

Each reader takes its words out of the phrase; a statement is read when nothing is left that decides anything. What the
words do not say is never added: an amount without a period, or a day without a preposition, stays unread.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, time, timedelta
from typing import Literal

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.dates import (
    ALSO,
    AWAY,
    BEFORE,
    EVERY_DAY,
    IMPOSSIBLE,
    IN_ALL,
    INJURED,
    LEARNING,
    NOT,
    ONLY,
    PER_DAY,
    PER_WEEK,
    RELATIONS,
    SITUATION,
    UNITS,
    Day,
    Phrase,
    Relation,
    number_of,
    read_weekdays,
)
from loopwright.agents.planner.account.neighbours import WHOLE_WORD, person_of, verbs_alone
from loopwright.agents.planner.account.people import (
    read_doing,
    read_hours_of_one,
    read_not_yet,
    read_object_first,
    read_people,
)
from loopwright.agents.planner.account.when import (
    END,
    NUMBER,
    OTHERS,
    PARTS,
    as_one,
    claimed,
    has_part,
    read_times,
    since_of,
)
from loopwright.kernel.account import Claim

TIME_UNIT = "|".join(sorted((*UNITS["hours"], *UNITS["minutes"]), key=len, reverse=True))
NOT_IN_A_WORD = r"(?<![a-zäöüß\d.])"
AMOUNT = (
    rf"(?:{NOT_IN_A_WORD}(?P<half>half\s+an|(?:eine\s+)?halbe|半个?)|{NOT_IN_A_WORD}{NUMBER})[\s-]*"
    rf"(?P<unit>{TIME_UNIT})(?![a-zäöü])"
)
OF_WHAT = re.compile(
    r"\s+(?:for|on|für)\s+(?:the\s+|das\s+|die\s+|den\s+)?(?P<what>[^\d,;]{3,40}?)(?:\s+part)?\s*$", re.I
)
COUNT = (
    rf"(?:{NOT_IN_A_WORD}{NUMBER}\s*(?P<noun>times|mal|次|x(?=\s)|(?:(?!times|hours|minutes)[a-z]{{3,}}\s+)?[a-z]{{3,}}s"
    r"|tagen?|abenden?|einheiten|(?-i:[A-ZÄÖÜ][a-zäöüß]{2,}))(?![a-zäöü])|\b(?P<often>twice|thrice|once|zweimal|dreimal"
    r"|viermal|einmal)\b)"
)
EVERY_PART = (
    r"(?:every|each|jeden)\s+(?P<part>morning|afternoon|evening|night|morgen|vormittag|nachmittag|abend)(?![a-zäöü])"
    r"|每天?(?P<han>早上|早晨|上午|下午|晚上|晚)"
)
"""A part of every day: a habit of each day, at that time of it."""
OFTEN = {"once": 1, "einmal": 1, "twice": 2, "zweimal": 2, "thrice": 3, "dreimal": 3, "viermal": 4}
EACH_TIME = (
    r"(?:each(?:\s+time)?|at\s+a\s+(?:time|stretch)|in\s+one\s+(?:go|sitting)|at\s+once|am\s+stück|(?:per|a)\s+(?:session|sitting|time|go)|every\s+time|long|jeweils|pro\s+(?:mal|einheit"
    r"|sitzung)|jedes\s+mal|lang)(?![a-zäöü])"
)
OF_EACH = r"(?:\bof|\beach|\bà|\bje|\bjeweils|\bfor|\bfür|每次|一次)\s*$"
SITTINGS = frozenset(
    re.findall(
        r"\S+",
        "times mal 次 x days sessions tage tagen einheiten evenings mornings afternoons nights abende abenden slots "
        "workouts",
    )
)
"""What is counted without a name of its own."""
FROM = r"\b(?:from|between|von|vom|zwischen)\b|从"
EXCEPT = r"except|außer|除了"
EACH_DAY = r"\s*(?:on\s+)?(?:every|each|jeden|每个?)\s*"
CAN_DO = re.compile(
    r"^\s*(?:(?:and|but|und|aber)\s+)?(?:(?:i|we|ich|wir)\s+)?(?:can|could|kann|können)\b(?!.*\b(?:most|max)\b|.*höchst)",
    re.I,
)
LOOSE = frozenset(("none_on", "only_on", "also_on", "per_week", "per_day", "daily", "sitting", "total", "within"))
"""Beside these other words may stand, as long as they decide nothing: "lernen geht nur freitags"."""
OVER = r"\b(?:over|at|around|über|um)\s+$"
OFF = r"(?:(?:an?|one|two|three|four|\d+|eine|zwei|drei|vier)\s+)?(?:days?|weeks?|tage?|wochen?)\s+(?:off|frei)\b"
DAYS_CALLED = re.compile(
    r"(?:\b(?:over|during|über|während)\s+(?:(?:the|my|our|die|der|meine[nr]?|unsere[nr]?)\s+)?[\w'’-]{3,}(?:\s+[\w'’-]{3,})?"
    r"|(?:\b(?:in|on|an|am)\s+)?(?:(?:the|my|our|den|der|die|dem|meinen|unseren)\s+)?(?:\w*ferien|\w*urlaub|\w*feiertagen?|(?:[a-z]+\s+)?"
    r"(?:break|holidays?|vacation|half[\s-]term))|[\u4e00-\u9fff]*(?:节|假期?)(?:期间)?)[\s,，:(]*(?:from|between|vom|von|zwischen|从)?\s*$",
    re.I,
)
"""The name of days that stands before them: "in den Osterferien vom 29. März", "over spring break from March 1"."""
PART_OF_A_MONTH = frozenset(
    re.findall(
        r"\S+", "first second third last half week weeks erste ersten zweite zweiten letzte letzten woche hälfte 周"
    )
)
"""Beside a month these name a part of it: what is absent then has another name."""
EDGE = re.compile(r"\b(?:first|last|second|third|ersten?|letzten?|zweiten?|dritten?)\b|[第前后]", re.I)
SOME_OF_IT = (
    rf"{NOT_IN_A_WORD}{NUMBER}\s*(?:weeks?|wochen?|days?|tage?n?|周|个?星期|天)(?:\s+(?:long|lang))?(?![a-zäöü])"
)
PAST = re.compile(r"\b(?:already|schon|bereits|did|have\s+done|habe\s+\w+t)\b|已经", re.I)
REASON = r"[,，]?\s*(?:\b(?:because|weil|wegen|due\s+to)\b|因为).*$"
"""Why something holds says no more of the plan."""
INJURY = re.compile(rf"(?<![a-zäöüß])(?:{INJURED})", re.I)
LEADS = re.compile(r"^\s*(?:then|afterwards|after\s+that|danach|dann|然后|之后)(?![a-zäöü])\s*", re.I)
CLOSE = 12
HAVE = re.compile(r"^\W*(?:(?:and|und)\s+)?(?:i|we|ich|wir)\s+(?:only\s+)?(?:have|haben?|can\s+(?:spend|give))\b", re.I)
HALF = 0.5
MOST_OF_A_DAY = 24
"""More hours than this, without a period, are those of the whole plan."""


def read_parts(said: Phrase) -> list[Claim]:
    """All that a statement says, where that is all it says; else nothing."""
    if PAST.search(said.text):
        return []
    said.take(REASON)
    found = [claim for reader in READERS for claim in reader(said)]
    if not found:
        return []
    checks = {each.check for each in found}
    if any(True for _ in read_weekdays(said.left)):
        return []
    if {"ends_by", "per_week"} <= checks and re.search(r"\b(?:until|till|bis)\b|到|直到", said.text, re.I):
        return []  # whether the rate or all of it ends then is not known
    loose = all(each.check in LOOSE for each in found)
    names = tuple(word for each in found for word in each.arguments.get("of") or ())
    return found if said.is_read(names=names, all_named=not loose) else []


def claim_of_parts(said: Phrase) -> Claim | None:
    """The one claim of a statement, or the claim that all of several hold."""
    parts = read_parts(said)
    return as_one(parts, said.text) if parts else None


def _relation(said: Phrase, start: int, end: int) -> Relation:
    """The words right before or behind an amount that make it a limit; taken."""
    for relation, words in RELATIONS.items():
        before = re.search(rf"(?<![a-zäöü])(?:{words})(?:能|可以)?[学做练干]?\s*$", said.text[:start], re.I)
        after = re.match(rf"\s*(?:{words})(?![a-zäöü])", said.text[end:], re.I)
        if before is not None:
            said.taken.append((before.start(), start))
            return relation
        if after is not None and relation != "about":
            said.taken.append((end, end + after.end()))
            return relation
    return "about"


def hours_of(found: re.Match[str]) -> float:
    """The hours of an amount that was found."""
    return (HALF if found["half"] else number_of(found["amount"])) / (
        60 if found["unit"].lower() in UNITS["minutes"] else 1
    )


def _near(said: Phrase, found: re.Match[str], period: str, reach: int = 40) -> re.Match[str] | None:
    """The period of an amount: behind it without another number between, or right before it as in Chinese."""
    for match in re.finditer(period, said.text, re.I):
        if any(match.start() < end and start < match.end() for start, end in said.taken):
            continue
        between = said.text[found.end() : match.start()]
        behind = 0 <= match.start() - found.end() <= reach and not re.search(r"\d|[,;]", between)
        before = 0 <= found.start() - match.end() <= reach and not re.search(
            r"\d|[,;]", said.text[match.end() : found.start()]
        )
        if behind or before:
            return match
    return None


def _every(pattern: str, said: Phrase) -> Iterator[re.Match[str]]:
    for match in list(re.finditer(pattern, said.text, re.I)):
        if not any(match.start() < end and start < match.end() for start, end in said.taken):
            yield match


def _rates(said: Phrase) -> Iterator[Claim]:
    """Hours a week, minutes a day, hours in all or of one thing, minutes a sitting."""
    for found in _every(AMOUNT, said):
        week, part = _near(said, found, PER_WEEK), _near(said, found, EVERY_PART)
        day = part or _near(said, found, f"{EVERY_DAY}|{PER_DAY}")
        total = re.match(rf"[^\d,;]{{0,40}}?(?:{IN_ALL})(?![a-zäöü])", said.text[found.end() :], re.I)
        early = re.search(rf"(?:{IN_ALL})\s*$", said.text[: found.start()], re.I)
        each = re.match(rf"\s*{EACH_TIME}", said.text[found.end() :], re.I)
        own = re.search(OF_EACH, said.text[: found.start()], re.I)
        if total is not None or early is not None:
            said.taken.append(found.span())
            said.taken.append(
                (found.end(), found.end() + total.end()) if total else (early.start() if early else 0, found.start())
            )
            relation = _relation(said, *found.span())
            yield claimed("total", arguments.Total(relation=relation, hours=hours_of(found)))
        elif week is not None:
            said.taken += [found.span(), week.span()]
            relation = _relation(said, *found.span())
            if relation == "about" and HAVE.match(said.text):
                relation = "at_most"  # what somebody has is what there is at most
            since = since_of(said)
            yield claimed(
                "per_week", arguments.PerWeek(unit="hours", relation=relation, amount=hours_of(found), since=since)
            )
        elif day is not None:
            said.taken += [found.span(), day.span()]
            relation = _relation(said, *found.span())
            said.take(r"\bfrom\s+now\s+on\b|\bab\s+(?:jetzt|sofort)\b|从现在起")
            since = since_of(said)
            yield claimed("per_day", arguments.PerDay(relation=relation, hours=hours_of(found), since=since))
            if since is None and relation == "about" and re.fullmatch(f"{EVERY_DAY}|{EVERY_PART}", day.group(), re.I):
                yield claimed("daily", arguments.Daily())
            yield from _named_part(day.groupdict().get("part") or day.groupdict().get("han") or "")
        elif each is not None or own is not None:
            said.taken.append(found.span())
            if each is not None:
                said.taken.append((found.end(), found.end() + each.end()))
            if own is not None:
                said.taken.append((own.start(), found.start()))
            relation = _relation(said, *found.span())
            yield claimed("sitting", arguments.Sitting(relation=relation, minutes=round(hours_of(found) * 60)))
        elif (what := OF_WHAT.match(said.text, found.end())) is not None and not said.opening and not said.days():
            of = Phrase(what["what"], date.min, opening=False).content
            if of and len(of) <= 3 and not any(True for _ in read_weekdays(what["what"])):
                said.taken += [found.span(), what.span()]
                yield claimed(
                    "total", arguments.Total(relation=_relation(said, *found.span()), hours=hours_of(found), of=of)
                )
        elif hours_of(found) > MOST_OF_A_DAY and SITUATION.search(said.text) is None:
            said.taken.append(found.span())
            yield claimed("total", arguments.Total(relation=_relation(said, *found.span()), hours=hours_of(found)))


def _counts(said: Phrase) -> Iterator[Claim]:
    """Sessions a week, and what is done on every day."""
    for found in _every(COUNT, said):
        week = _near(said, found, PER_WEEK, CLOSE)
        if week is None:
            continue
        said.taken += [found.span(), week.span()]
        relation = _relation(said, *found.span())
        since = since_of(said)
        noun = tuple(word for word in (found["noun"] or "mal").split() if word.lower() not in SITTINGS)
        amount = float(OFTEN[found["often"].lower()]) if found["often"] else number_of(found["amount"])
        rest = said.content
        of = verbs_alone(noun or (rest if len(rest) == 1 else ()))
        told = arguments.PerWeek(unit="sessions", relation=relation, amount=amount, of=of, since=since)
        yield claimed("per_week", told)
        part = next(_named_part(found["noun"] or ""), None)
        if part is not None:
            yield part
    alone = said.take(rf"(?<![a-zäöü])(?:{EVERY_DAY})(?![a-zäöü])")
    if alone is not None:
        yield claimed("daily", arguments.Daily(of=said.content if len(said.content) == 1 else ()))


def _named_part(noun: str) -> Iterator[Claim]:
    """Evenings are in the evening."""
    for words, first, last in PARTS:
        if noun and any(re.fullmatch(words, noun + ending, re.I) for ending in ("", "s", "上")):
            bounds = {"since": first} if first > time() else {}
            bounds |= {"until": last} if last < END else {}
            yield claimed("within", arguments.Within(names=(noun,), **bounds))


def _weekdays(said: Phrase) -> Iterator[Claim]:
    """Weekdays ruled out ("Mondays don't work"), alone there ("geht nur freitags"), or there as well ("also Fridays").

    With a month or a first day beside them they hold then only ("in January only weekends").
    """
    pieces = [
        (days, start, end)
        for days, start, end in read_weekdays(said.text)
        if not any(start < last and first < end for first, last in said.taken)
    ]
    if (
        not pieces
        or OTHERS.search(said.text)
        or re.search(r"\b(?:this|next|last|diesen|nächsten|kommenden)\b|下周|这周", said.text, re.I)
    ):
        return
    first, last = pieces[0][1], pieces[-1][2]
    days = tuple(sorted({day for found, _, _ in pieces for day in found}))
    names = tuple(said.text[start:end] for _, start, end in pieces)
    out = said.take(rf"(?<![a-zäöü])(?:{IMPOSSIBLE})(?![a-zäöü])")
    also = said.take(rf"(?<![a-zäöü]){ALSO}(?![a-zäöü])") if out is None else None
    none = out or said.take(rf"(?<![a-zäöü])(?:{NOT})(?![a-zäöü])")
    said.take(r"\b(?:any\s*more|any\s+longer|from\s+now\s+on|mehr|ab\s+(?:jetzt|sofort))\b|以后")
    only = said.take(rf"(?<![a-zäöü])(?:{ONLY})(?![a-zäöü])|只能|只有")
    amount = next((each for each in _every(AMOUNT, said) if each.start() < first), None)
    beside = only is None and none is None and any(e.start() < first for e in re.finditer(AMOUNT, said.text, re.I))
    if (
        len(pieces) == 2
        and none is not None
        and re.fullmatch(EXCEPT, none.group(), re.I)
        and pieces[0][2] <= none.start()
    ):
        days, none = tuple(sorted(set(pieces[0][0]) - set(pieces[1][0]))), None  # "every weekday except Fridays"
        yield claimed("none_on", arguments.Weekdays(weekdays=pieces[1][0], names=names[1:]))
        beside = amount is not None or said.take(r"\b(?:on|every|each|jeden)\b") is not None
    on_these = rf"{EACH_DAY}|\s+(?:on|an)\s+" if CAN_DO.match(said.text) else EACH_DAY
    if amount is not None and beside and re.fullmatch(on_these, said.text[amount.end() : first], re.I):
        said.taken += [amount.span(), (amount.end(), first)]
        yield claimed("per_day", arguments.PerDay(relation=_relation(said, *amount.span()), hours=hours_of(amount)))
    if [none is not None, only is not None, also is not None, beside].count(True) != 1:
        return
    said.taken += [(start, end) for _, start, end in pieces]
    between = re.search(r"\b(?:and|or|und|oder)\b|[和或、]", said.text[first:last])
    if between is not None:
        said.taken.append((first + between.start(), first + between.end()))
    since, until = _meanwhile(said)
    told = arguments.Weekdays(weekdays=days, names=names, since=since, until=until)
    yield claimed("none_on" if none is not None else "also_on" if also is not None else "only_on", told)


def _meanwhile(said: Phrase) -> tuple[date | None, date | None]:
    """The first and the last day of a rule that holds for a time only, taken."""
    since = since_of(said)
    days = [day for day in said.days() if day.grain in ("month", "week", "part")]
    if since is not None or len(days) != 1:
        return since, None
    (day,) = days
    word = re.search(r"\b(?:in|im|during|throughout|until|till|bis)\s*$", said.text[: day.start], re.I)
    if word is None and said.text[day.end - 1].isascii():
        return None, None
    said.taken.append((word.start() if word is not None else day.start, day.end))
    open_end = word is not None and re.match(r"until|till|bis", word.group(), re.I)
    return (None, last_before(day, "until")) if open_end else (day.first, day.last)


def _absence(said: Phrase) -> Iterator[Claim]:
    """Days on which the user, or whoever the words name, cannot: away, ill, "no running until mid January"."""
    days = [day for day in said.days() if not re.search(OVER, said.text[: day.start], re.I)]
    if not days or len(days) > 2:
        return
    for day in (each for each in said.days() if each not in days):  # "over Christmas, from December 21 to January 3"
        over = re.search(OVER, said.text[: day.start], re.I)
        said.taken.append((over.start() if over is not None else day.start, day.end))
    off = said.take(OFF) if len(days) == 2 else None
    away = off or said.find(rf"(?<![a-zäöü])(?:{AWAY})(?![a-zäöü])")
    relation: Literal["until", "from", "on"]
    none = away or said.find(rf"(?<![a-zäöü])(?:{NOT})(?![a-zäöü])")
    if none is None:
        return
    last = _until_when(said, days[0]) if len(days) == 1 else None
    if last is not None:
        begin, end, relation = said.today, last, "until"
    elif away is not None or len(days) == 2 or _rules_out(said, none, days[0]):
        begin, end, relation = days[0].first, days[-1].last, "on"
        if said.take(FROM) is not None or len(days) == 2:
            relation = "from"
        said.take(r"\b(?:in|im|on|am|during)\b|在")
        if len(days) == 2:
            said.take(r"\b(?:to|until|till|and|bis|zum|und)\b|[-–—]|到|至")
    else:
        return
    if away is not None and len(days) == 1 and days[0].grain in ("month", "part") and EDGE.search(said.text) is None:
        said.take(SOME_OF_IT)  # nobody knows which weeks of the month: all of them stay free
    called = DAYS_CALLED.search(said.text[: days[0].start])
    said.taken += [called.span()] if called is not None else []
    said.taken += [each.span() for each in re.finditer(r"\w+", said.text) if each.group().casefold() in LEARNING]
    for day in days:
        said.take_day(day)
    said.taken.append(none.span())
    while away is not None and said.take(rf"(?<![a-zäöü])(?:{AWAY})(?![a-zäöü])"):
        pass
    said.take(rf"(?<![a-zäöü])(?:{NOT})(?![a-zäöü])")
    said.take(r"\b(?:at\s+all|anything|gar|überhaupt)\b|完全")
    while said.take(WORKING):
        pass
    first_person = re.search(r"\b(?:i|i'm|we|we're|ich|wir|me|us)\b|我", said.text, re.I)
    of = () if away is not None and first_person else verbs_alone(said.content)
    if away is not None and not of and OTHERS.search(said.text) and not first_person:
        of = tuple(person_of(said.before))  # where nobody is named here, an earlier statement may name somebody
    for word in WHOLE_WORD.values():
        said.take(word)
    if len(of) <= 2 and begin <= end and not any(word.casefold() in PART_OF_A_MONTH for word in of):
        yield claimed("free", arguments.Free(first=begin, last=end, of=of, relation=relation))


def _until_when(said: Phrase, day: Day) -> date | None:
    """The last day of what cannot be until a day, its words taken; None where the day is not said so."""
    word = r"(?:\buntil|\btill|\bbefore|\bbis(?:\s+(?:zum|zu))?|\bvor(?:\s+dem)?|到|直到)\s*$"
    until, behind = (
        re.search(word, said.text[: day.start], re.I),
        re.match(r"\s*(?:为止|之前|以前)", said.text[day.end :]),
    )
    if until is not None:
        said.taken.append((until.start(), day.start))
    if behind is not None:
        said.taken.append((day.end, day.end + behind.end()))
    if until is None and behind is None:
        return None
    strict = behind is not None and behind.group().strip() != "为止"
    return last_before(day, until.group() if until is not None else "before" if strict else "until")


def _rules_out(said: Phrase, none: re.Match[str], day: Day) -> bool:
    """Whether a negation rules out all of a month or a week: "no swimming in December", but not "except in January"."""
    meant = day.grain != "day" and not re.fullmatch(r"except|außer|除了", none.group(), re.I)
    return meant and OTHERS.search(said.text) is None


def last_before(day: Day, word: str) -> date:
    """The last day that a bound leaves out: all days before it, and the day itself where it is said as "until"."""
    strict = re.search(BEFORE, word, re.I) is not None
    return day.first - timedelta(days=1) if strict or day.grain in ("month", "week") else day.last


def _injury(said: Phrase) -> Iterator[Claim]:
    """An injury until a day: what the plan counts, or all of it, waits until then."""
    days = said.days()
    if len(days) != 1 or INJURY.search(said.text) is None:
        return
    until = re.search(r"(?:\buntil|\btill|\bbis(?:\s+(?:zum|zu))?|到|直到)\s*$", said.text[: days[0].start], re.I)
    if until is None and re.match(r"\s*(?:之前|以前|前)", said.text[days[0].end :]) is None:
        return
    said.taken.append((0, len(said.text)))
    yield claimed(
        "free", arguments.Free(first=said.today, last=last_before(days[0], "until"), relation="until", heals=True)
    )


def _bounds(said: Phrase) -> Iterator[Claim]:
    """A last day of all, or of what the words name ("chapter 1 before Christmas")."""
    days = said.days()
    if len(days) != 1 or said.find(rf"(?<![a-zäöü])(?:{NOT})(?![a-zäöü])") or SITUATION.search(said.text):
        return
    (day,) = days
    bound = day.bound_in(said.text)
    if bound is None or has_part(said.left) or any(True for _ in read_weekdays(said.left)):
        return
    said.taken.append((bound.start, bound.end))
    named = said.text[day.start : day.end]
    number = re.search(r"\b([A-Za-zÄÖÜäöüß]{3,})\s+(\d{1,3})\b", said.left)
    if number is not None and bound.word and not said.opening:
        said.taken.append(number.span())
        yield claimed("gap", arguments.Apart(before=(number[1], number[2]), after=(named,), day=bound.last))
        return
    title = said.subject
    if bound.word and title and not said.opening and len(title) <= 3:
        yield claimed("gap", arguments.Apart(before=title, after=(named,), day=bound.last))
        said.taken.append((0, len(said.text)))
        return
    said.taken += [(0, len(said.text))] if said.opening and not re.search(r"\d", said.left) else []
    yield claimed("ends_by", arguments.EndsBy(date=bound.last, relation=bound.relation, of=title))


WORKING = r"\b(?:planning|prepar(?:ing|ations?)|help(?:ing)?|come|planen|planung|(?:mit)?helfen|kommen)\b"
"""Of what cannot be these say nothing: "no planning in July" is no work at all, "Tom can't help" is Tom."""

READERS: tuple[Callable[[Phrase], Iterator[Claim]], ...] = (
    _injury,
    read_people,
    read_doing,
    read_object_first,
    read_hours_of_one,
    read_not_yet,
    _rates,
    _counts,
    _weekdays,
    _absence,
    read_times,
    _bounds,
)


def parts_of(claim: Claim) -> Iterator[Claim]:
    """The claim, or each of those that a claim of several things is made of."""
    if claim.check != "together":
        yield claim
        return
    for part in claim.arguments["parts"]:
        for name, told in part.items():
            yield Claim(check=name, arguments=told)
