"""What a change says of single tasks of a plan: until when, in which order, how long, no more, done, by whom.

Each statement is read by itself and wholly, or not at all; what it becomes is a claim that the calendar can be held
against, and the titles that it is about. English, German and Chinese.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Literal

from pydantic import BaseModel

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.account.clauses import AMOUNT, hours_of
from loopwright.agents.planner.account.dates import (
    AWAY,
    HAN,
    NOT,
    PER_DAY,
    PER_WEEK,
    Day,
    read_days,
    read_weekdays,
)
from loopwright.agents.planner.account.days import days_of_lag
from loopwright.agents.planner.account.named import (
    HAN_ENDS,
    Named,
    content_of,
    find_all,
    find_named,
    longest_common,
    words_of,
)
from loopwright.agents.planner.account.task_change import Kind, Plan, TaskChange
from loopwright.agents.planner.account.task_phrases import (
    ADDED,
    ASKS_ORDER,
    DONE,
    DUE_BY,
    EXTRA,
    FACTORS,
    FIRST_THEN,
    FROM_ON,
    HAN_ORDER,
    INSTEAD_OF,
    LEFT_OUT,
    LESS,
    MUST,
    OUT,
    OVER_FROM,
    ROUNDLY,
    SENTENCE,
    START,
    SWAP,
    TAKES,
    TAKES_IT,
)
from loopwright.agents.planner.account.when import NUMBER, claimed, has_part
from loopwright.kernel.account import Claim

DAY = timedelta(days=1)
THEM = re.compile(r"\b(?:it|them|those|these|sie|es|die|das|den|ihn)\b|它", re.I)


def read_task_changes(words: str, plan: Plan, today: date) -> list[TaskChange]:
    """The changes of single tasks that the words ask for, one for each statement that asks for one."""
    found: list[TaskChange] = []
    for text in _pieces(words, plan, today):
        change = _read(text, plan, today, found[-1] if found else None)
        if change is not None:
            found.append(change)
        elif found and not content_of(text) and THEM.search(text):  # "forget the flyers, we don't need them"
            found[-1] = replace(found[-1], echoes=(*found[-1].echoes, text))
    return found


CUTS = (
    SENTENCE,
    re.compile(r"\s*[,，]\s*(?:and\s+|und\s+|but\s+|aber\s+)?"),
    re.compile(r"\s+(?:and|und|but|aber)\s+"),
)
"""Where statements are cut, the widest first: only what cannot be read whole is cut further."""


def _pieces(text: str, plan: Plan, today: date, level: int = 0) -> Iterator[str]:
    change = _read(text, plan, today, None)
    if (change is not None and not change.problem) or level == len(CUTS):
        yield text
        return
    parts = [part for part in CUTS[level].split(text) if part.strip()]
    cut = [piece for part in parts for piece in _pieces(part, plan, today, level + 1)]
    read = [each for piece in cut if (each := _read(piece, plan, today, None)) is not None]
    if change is not None and len(read) < 2 and all(each.problem for each in read):
        yield text
    else:
        yield from cut


def _read(text: str, plan: Plan, today: date, before: TaskChange | None) -> TaskChange | None:
    text = text.strip(" .,;!。，；！\n")
    if before is not None and before.kind == "leaves" and (taken := _takes_it(text, before)) is not None:
        return taken
    for reader in READERS:
        change = reader(text, plan, today)
        if change is not None:
            return change
    return None


def _change(kind: Kind, said: str, named: Sequence[Named], **values: object) -> TaskChange:
    """The change of what is named; with what is not clear about it."""
    several = [title for each in named for title in each.several]
    unknown = [each.said for each in named if not each.titles and not each.several]
    titles = tuple(dict.fromkeys(title for each in named for title in each.titles))
    change = TaskChange(kind, said, titles, **values)  # type: ignore[arg-type]
    if unknown:
        return replace(change, problem="not_named", names=tuple(unknown), claims=())
    return replace(change, problem="which_of", names=tuple(several), claims=()) if several else change


def _of(check: str, told: BaseModel) -> Claim:
    return claimed(check, told)


# Days: one thing is over by a day, or is not begun before one.


def _only_day(text: str, today: date) -> Day | None:
    days = read_days(text, today)
    other = re.search(rf"{AMOUNT}|{PER_WEEK}|{PER_DAY}", text, re.I) or has_part(text)
    return days[0] if len(days) == 1 and not other and days[0].last >= today else None


def _due(text: str, plan: Plan, today: date) -> TaskChange | None:
    """`the invitations have to be out by February 28`; a thing that no task is called after is one more task."""
    day = _only_day(text, today)
    by = day.bound_in(text, DUE_BY) if day is not None else None
    if day is None or by is None:
        return None
    rest, last = f"{text[: by.start]} {text[by.end :]}", by.last
    if re.search(rf"(?<![a-zäöü])(?:{NOT}|{AWAY}|can|kann|können)(?![a-zäöü])|\d+\s*%|不|没", rest, re.I):
        return None
    must = MUST.search(rest)
    what = MUST.sub(" ", rest).strip(" ,")
    if plan.is_whole(what):
        return None
    named = find_all(what, plan.titles)
    if all(not each.titles and not each.several for each in named):
        title = _title(what)
        known = words_of(title)
        claim = _of("gap", _before_day(known, text[day.start : day.end], last, text))
        return TaskChange("added", text, (title,), claims=(claim,), day=last) if must and known else None
    claims = tuple(
        _of("gap", _before_day(each.words, text[day.start : day.end], last, text)) for each in named if each.words
    )
    return _change("due", text, named, claims=claims, day=last)


def _before_day(words: tuple[str, ...], said_day: str, last: date, said: str) -> arguments.Apart:
    return arguments.Apart(before=words, after=(said_day,), day=last, said=(said,))


def _title(what: str) -> str:
    title = HAN_ENDS.sub("", what.replace(" ", "")) if HAN.search(what) else re.sub(r"\s+", " ", what)
    title = re.sub(r"^(?:(?:all|of|an?|the|our|my|eine?n?|den|die|das|der)\s+)+", "", title.strip(" ,.，"), flags=re.I)
    return title[:1].upper() + title[1:]


def _not_before(text: str, plan: Plan, today: date) -> TaskChange | None:
    """`the painting can only start after March 3`, `nicht vor Mai`."""
    day = _only_day(text, today)
    later = (
        re.search(rf"(?<![a-zäöü])(?:{FROM_ON})(?:\s+(?:the|dem|den))?\s*$", text[: day.start], re.I) if day else None
    )
    han = re.match(r"\s*(?:之后|以后|后|起|开始)", text[day.end :]) if day else None
    if day is None or (later is None and han is None):
        return None
    rest = START.sub(
        " ", f"{text[: later.start() if later else day.start]} {text[day.end + (han.end() if han else 0) :]}"
    )
    named = find_all(rest, plan.titles)
    if any(not each.sure or each.unknown for each in named) or any(True for _ in read_weekdays(rest)):
        return None
    after = (later is not None and re.search(r"after|nach", later.group(), re.I)) or (
        han is not None and "后" in han.group()
    )
    first = day.last + DAY if after else day.first
    claims = tuple(
        _of("starts", arguments.Starts(date=first, of=each.words, said=(text,), relation="not_before"))
        for each in named
    )
    return _change("not_before", text, named, claims=claims, day=first)


# Order: one before the other, or both in each other's place.


def _swap(text: str, plan: Plan, today: date) -> TaskChange | None:
    match = SWAP.match(text)
    if match is None:
        return None
    one, other = (
        find_named(next(filter(None, match.group(*names))), plan.titles) for names in (("a", "c", "e"), ("b", "d", "f"))
    )
    change = _change("swap", text, (one, other))
    if change.problem:
        return change
    first, then = sorted((one, other), key=lambda each: min(plan.titles.index(title) for title in each.titles))
    claim = _of("gap", arguments.Apart(before=then.words, after=first.words, said=(text,)))
    return replace(change, titles=then.titles, others=first.titles, claims=(claim,))


LAG = rf"(?<![a-z\d.]){NUMBER}\s*(?P<unit>weeks?|days?|wochen?|tage?n?)\s+(?=before|after|vor|nach|bevor|nachdem)"


def _order(text: str, plan: Plan, today: date) -> TaskChange | None:
    """`do the wiring before the roof`, `das Dach erst nach der Regenrinne`, `刷墙要在铺地板之前`."""
    if read_days(text, today) or re.search(AMOUNT, text, re.I):
        return None
    lag = re.search(LAG, text, re.I)
    plain = text.replace(lag.group(), " ") if lag else text
    sides = _sides(plain)
    if sides is None:
        return None
    first, then = (find_named(side, plan.titles) for side in sides)
    if not (first.titles or first.several) and not (then.titles or then.several):
        return None
    if first.titles == then.titles and first.titles:
        return None
    change = _change("order", text, (first, then), days=days_of_lag(lag) if lag else 0)
    if change.problem:
        return change
    told = arguments.Apart(before=first.words, after=then.words, days=change.days, said=(text,))
    return replace(change, titles=first.titles, others=then.titles, claims=(_of("gap", told),))


def _sides(text: str) -> tuple[str, str] | None:
    """What comes first and what comes then, in the words of an order."""
    match = FIRST_THEN.match(text)
    if match is not None:
        first, then = (next(filter(None, match.group(*names))) for names in (("a", "c"), ("b", "d")))
        return first, then
    match = HAN_ORDER.match(text)
    if match is not None:
        later = "后" in match["word"]
        return (match["b"], match["a"]) if later else (match["a"], match["b"])
    word = ASKS_ORDER.search(text)
    if word is None:
        return None
    left, right = text[: word.start()], text[word.end() :]
    if not content_of(left) and "," in right:  # "after the roof, do the wiring"
        right, _, left = right.partition(",")
    return (right, left) if word["after"] else (left, right)


# How long one thing takes, and one thing more.


def _length(text: str, plan: Plan, today: date) -> TaskChange | None:
    """`the plastering takes 30 hours instead of 20`, `two hours less for the garage`, `doppelt so lange`."""
    if re.search(rf"{PER_WEEK}|{PER_DAY}", text, re.I) or TAKES.search(text) is None:
        return None
    plain = INSTEAD_OF.sub(" ", text)
    amounts, factor = list(re.finditer(AMOUNT, plain, re.I)), FACTORS.search(plain)
    if (len(amounts) != 1) == (factor is None):
        return None
    found = factor or amounts[0]
    less, extra = LESS.search(plain), EXTRA.search(plain)
    rest = f"{plain[: found.start()]} {plain[found.end() :]}"
    for pattern in (TAKES, LESS, EXTRA, ROUNDLY):
        rest = pattern.sub(" ", rest)
    if read_days(rest, today) or re.search(rf"(?<![a-zäöü]){NOT}(?![a-zäöü])", rest, re.I) or not content_of(rest):
        return None
    named = find_named(rest, plan.titles)
    change = _change("length", text, (named,))
    if change.problem:
        return change
    held = sum(work.minutes for work in plan.works if work.title in named.titles)
    if factor is not None:
        minutes = round(held * (2 if factor["twice"] else 3 if factor["thrice"] else 0.5))
    else:
        told = round(hours_of(amounts[0]) * 60)
        minutes = held - told if less else held + told if extra else told
    if minutes <= 0:
        return None
    total = arguments.Total(
        relation="about",
        hours=minutes / 60,
        of=named.words,
        extra=abs(minutes - held) / 60 if less or extra or factor else None,
        comparison="less" if less else "more" if extra else "",
        said=(text,),
    )
    claim = _of("total", total)
    return replace(change, minutes=minutes, claims=(claim,))


def _added(text: str, plan: Plan, today: date) -> TaskChange | None:
    """One thing more, with how long it takes, until when, and what it comes after or before."""
    match = ADDED.match(text)
    if match is None:
        return None
    rest, days = match["what"], read_days(match["what"], today)
    if (
        len(days) > 1
        or any(True for _ in read_weekdays(rest))
        or re.search(rf"{PER_WEEK}|{PER_DAY}|more\s+time|mehr\s+zeit|更多时间", rest, re.I)
    ):
        return None
    last, minutes = None, None
    if days:
        by = days[0].bound_in(rest, DUE_BY)
        if by is None:
            return None
        last, rest = by.last, rest[: by.start].rstrip(", ") + rest[by.end :]
    amounts = list(re.finditer(rf"[,，\s]*(?:{ROUNDLY.pattern})?\s*{AMOUNT}", rest, re.I))
    if len(amounts) > 1 or TAKES.match(rest):
        return None
    if amounts:
        minutes = round(hours_of(amounts[0]) * 60)
        rest = f"{rest[: amounts[0].start()]}, {rest[amounts[0].end() :]}"
        rest = re.sub(
            rf"(?:,\s*)?(?:(?:which|that|it|das|es|was)\s+)?(?:{TAKES.pattern})(?=\s*,)", " ", rest, flags=re.I
        )
    return _one_more(text, rest, plan, minutes, last)


def _one_more(text: str, rest: str, plan: Plan, minutes: int | None, last: date | None) -> TaskChange | None:
    parts = [
        part
        for part in re.split(r"\s*[,，]\s*|\s+(?=(?:after|before|once|nach|vor|nachdem|bevor)\s)", rest)
        if content_of(part)
    ]
    order = [(part, word) for part in parts[1:] if (word := ASKS_ORDER.match(part))]
    if not parts or len(parts) - 1 != len(order) or len(order) > 1:
        return None
    title = _title(re.sub(r"^(?:for|für|of|von)\s+", "", parts[0].strip()))
    words = words_of(title)
    claims = []
    if minutes is not None:
        claims.append(_of("total", arguments.Total(relation="about", hours=minutes / 60, of=words, said=(text,))))
    if last is not None:
        claims.append(_of("gap", _before_day(words, last.isoformat(), last, text)))
    change = TaskChange("added", text, (title,), day=last, minutes=minutes)
    if order:
        (part, word) = order[0]
        beside = find_named(part[word.end() :], plan.titles)
        clear = _change("added", text, (beside,))
        if clear.problem:
            return clear
        first, then = (beside.words, words) if word["after"] else (words, beside.words)
        claims.append(_of("gap", arguments.Apart(before=first, after=then, said=(text,))))
        change = replace(change, others=beside.titles, before="" if word["after"] else "others")
    if not claims:
        claims.append(_of("titled", arguments.Titled(title=words, subject=words, said=(text,))))
    return replace(change, claims=tuple(claims))


# What is done, what falls away, and who does it no more.


def _gone(
    kind: Literal["done", "left_out"], patterns: Sequence[re.Pattern[str]]
) -> Callable[[str, Plan, date], TaskChange | None]:
    def read(text: str, plan: Plan, today: date) -> TaskChange | None:
        match = next((told for each in patterns if (told := each.match(text))), None)
        if (
            match is None
            or read_days(text, today)
            or any(True for _ in read_weekdays(text))
            or re.search(AMOUNT, text, re.I)
        ):
            return None
        what = match["what"].strip()
        if all(word.isdigit() for word in content_of(what)):  # "them"; "task 2" is a place in a list
            return None
        found = find_all(what, plan.titles)
        named = [each if each.sure or each.several else Named(said=each.said) for each in found]
        if plan.is_whole(what) and not all(each.sure for each in named):
            return None
        claims = tuple(
            _of("gone", arguments.Gone(of=each.words, since=today, said=(text,))) for each in named if each.words
        )
        return _change(kind, text, named, claims=claims)

    return read


def _leaves(text: str, plan: Plan, today: date) -> TaskChange | None:
    """Somebody helps no more: what was theirs stays, without them, or is another's from now on."""
    match, both = OUT.fullmatch(text), OVER_FROM.fullmatch(text)
    if (match is None and both is None) or read_days(text, today) or any(True for _ in read_weekdays(text)):
        return None
    told = both or match
    who = (
        next(filter(None, (told.groupdict().get(name) for name in ("old", "gone", "who", "han")))).split()[-1]
        if told
        else ""
    )
    titles = tuple(title for title in plan.titles if has_word(title, who))
    if who not in plan.people and not any(f"({who})" in title for title in titles):
        # "Mixing is out" is said of a task; of somebody who does nothing here it is told.
        helps = re.search(r"help|time|zeit|helfen|帮|没空|没时间|来", text, re.I) or both
        named = (Named(said=who),) if helps and not titles else ()
        return _change("leaves", text, named) if named else None
    claim = _of("gone", arguments.Gone(of=(who,), since=today, said=(text,)))
    change = TaskChange("leaves", text, titles, claims=(claim,), who=who)
    new = next(filter(None, (both["new"], both["comes"])), None) if both is not None else None
    return _for_another(change, new, text) if new else change


def _takes_it(text: str, before: TaskChange) -> TaskChange | None:
    """Who does it instead, said right behind who does not: "das macht jetzt Mia"."""
    match = TAKES_IT.fullmatch(text)
    who = next(filter(None, match.groups()), None) if match is not None else None
    if who and HAN.search(who):  # "换小李装裱": behind the name stands what is done
        who = min((_before_doing(who, _without(title, before.who)) for title in before.titles), key=len)
    return _for_another(before, who.split()[-1], text) if who else None


def _before_doing(said: str, title: str) -> str:
    common = longest_common(said, title)
    return said.removesuffix(common) if len(common) > 1 else said


def _for_another(left: TaskChange, who: str, text: str) -> TaskChange:
    kept = tuple(tuple(content_of(_without(title, left.who))) for title in left.titles)
    told = arguments.Assigned(who=who, items=kept, said=(text,))
    return TaskChange("takes_over", text, left.titles, claims=(_of("assigned", told),), who=who, before=left.who)


def _without(title: str, who: str) -> str:
    return re.sub(rf"\s*\({re.escape(who)}\)|{re.escape(who)}\s*", "", title).strip()


READERS: Sequence[Callable[[str, Plan, date], TaskChange | None]] = (
    _added,
    _leaves,
    _swap,
    _due,
    _not_before,
    _order,
    _length,
    _gone("done", DONE),
    _gone("left_out", LEFT_OUT),
)
