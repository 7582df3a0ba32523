"""How much work there is: hours until an event, in brackets behind a task, or by a rate."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.clauses import AMOUNT, NOT_IN_A_WORD, hours_of
from loopwright.agents.planner.account.dates import (
    EVERY_DAY,
    HAN,
    PER_DAY,
    PER_WEEK,
    Phrase,
    number_of,
    read_days,
    read_weekdays,
)
from loopwright.agents.planner.account.neighbours import Found, Known, near, pieces_of, things_of
from loopwright.agents.planner.account.when import NUMBER, as_one, claimed
from loopwright.kernel.account import Claim, Statement

MOST_BESIDE = 9
"""So many words may stand between an amount and what it is for; more say something else."""
MOST_NAME = 5
ARTICLE = r"(?:(?:the|my|our|an?|das|die|den|dem|der|meine[nmr]?|unsere[nmr]?)\s+)?"
ON_DAY = r"(?:\b(?:on(?:\s+the)?|am)\s+|在)?"
FOR = r"(?:for|before|until|till|towards?|ahead\s+of|für|vor|bis(?:\s+zu[rm]?)?|zu[rm])"
BEHIND = re.compile(
    rf"^(?P<lead>[^\d]*?)\s*{AMOUNT}(?P<beside>(?:\s+[^\d,;]+?)?)\s+{FOR}\s+{ARTICLE}(?P<event>[^\d,;]{{3,50}}?)\s*$",
    re.I,
)
"""An amount and behind it what it is for: "60 hours of practice before my checkride"."""
AHEAD = re.compile(
    rf"^(?:and\s+|und\s+)?{FOR}\s+{ARTICLE}(?P<event>[^\d,;]{{3,50}}?)[\s,]+(?P<lead>(?:i|we|brauche|brauchen|muss|müssen|will|wollen|möchte|"
    rf"there)\b[^\d,;]*?)\s*{AMOUNT}(?P<beside>[^\d,;]*)$",
    re.I,
)
"""What it is for, and behind it the amount: "für die Prüfung brauche ich 50 Stunden Vorbereitung"."""
IN_CHINESE = re.compile(
    rf"^(?P<lead>(?:我|我们)?(?:要|得|想|需要|必须)?)(?:在)?(?P<event>[\u4e00-\u9fff]{{2,8}}?)(?:之前|以前|前)[,，]?"
    rf"(?P<beside>[\u4e00-\u9fff]{{0,6}}?){AMOUNT}$"
)
BRACKETS = re.compile(rf"^(?P<task>[^\d]+?)\s+{AMOUNT}$", re.I)
RATE = re.compile(
    rf"(?:\b(?:at|with|bei|mit)\s+)?{NOT_IN_A_WORD}{NUMBER}\s+(?P<noun>[A-Za-zÄÖÜäöüß]{{3,}})\s+(?:an|per|each|every|pro|in\s+der|die)\s+"
    r"(?P<unit>hour|stunde|minute)(?![a-zäöü])",
    re.I,
)
"""How much of something is done in an hour."""
TO_VERB = re.compile(r"\s+(?:to|for)\s+(?P<verb>[a-z]{3,})\s*$")
"""What an amount is done at a rate: "6 letters an hour to transcribe"."""
OF_THE_WHOLE = frozenset(("on_day", "gap", "ends_by", "total"))
OFTEN = re.compile(rf"{PER_WEEK}|{PER_DAY}|{EVERY_DAY}", re.I)


def hours_for_an_event(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Hours that are spent on something that has a day: "60 hours of practice before my checkride on March 6"."""
    for place, one in enumerate(ordered):
        if one.id in claims and (claims[one.id].check not in OF_THE_WHOLE or claims[one.id].arguments.get("of")):
            continue
        if re.search(AMOUNT, one.text, re.I) is None or OFTEN.search(one.text) or _goes_on(ordered, place, claims):
            continue
        with_day = _with_its_day(ordered, place, today)
        if with_day is None:
            continue
        rest, day, dated = with_day
        said = BEHIND.match(rest) or AHEAD.match(rest) or IN_CHINESE.match(rest)
        event = things_of(said["event"]) if said is not None else ()
        beside = f"{said['lead']} {said['beside']}" if said is not None else ""
        if said is None or not event or len(event) > MOST_NAME or len(beside.split()) > MOST_BESIDE:
            continue
        relation = Phrase(rest, today, opening=False).take_relation() or "about"
        total = arguments.Total(relation=relation, hours=hours_of(said), said=(one.text,))
        ends = arguments.EndsBy(date=day - timedelta(days=1), relation="before", said=(one.text,))
        held = claimed("on_day", arguments.OnDay(event=event, date=day, said=(said["event"].strip(), dated.text)))
        own = (held,) if dated.id == one.id else ()
        yield one.id, as_one((claimed("total", total), claimed("ends_by", ends), *own), one.text)
        if dated.id != one.id:
            yield dated.id, held


def _goes_on(ordered: Sequence[Statement], place: int, claims: Known) -> bool:
    """Whether an amount belongs to a count that stands right before it: "12 times" – "for 3 hours"."""
    before = ordered[place - 1] if place else None
    return before is not None and near(before, ordered[place]) and before.id not in claims and before.kind == "quantity"


def _with_its_day(ordered: Sequence[Statement], place: int, today: date) -> tuple[str, date, Statement] | None:
    """A statement without the one day in it or beside it, that day, and the statement that names it."""
    one = ordered[place]
    found = _without_day(one.text, today)
    if found is not None:
        return (*found, one)
    if read_days(one.text, today):
        return None
    other = ordered[place + 1] if place + 1 < len(ordered) else None
    alone = _without_day(other.text, today) if other is not None and near(one, other) else None
    if other is not None and alone is not None and not alone[0]:
        return one.text, alone[1], other
    before = ordered[place - 1] if place and HAN.search(one.text) and near(ordered[place - 1], one) else None
    alone = _without_day(before.text, today) if before is not None else None
    return (alone[0] + one.text, alone[1], before) if before is not None and alone is not None else None


def _without_day(text: str, today: date) -> tuple[str, date] | None:
    """The text without its only day, and that day; "in 60 hours" is an amount here."""
    amount = re.search(AMOUNT, text, re.I)
    days = [day for day in read_days(text, today) if amount is None or not day.start < amount.end() <= day.end]
    if len(days) != 1 or days[0].grain != "day":
        return None
    before = re.sub(rf"{ON_DAY}$", "", text[: days[0].start], flags=re.I)
    space = "" if HAN.search(text) else " "
    return f"{before.rstrip()}{space}{text[days[0].end :].lstrip()}".strip(), days[0].first


def hours_in_brackets(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """How long a task takes, in brackets behind it: "sand the desk (6 hours)"."""
    for statement in ordered:
        match = BRACKETS.match(statement.text) if statement.id not in claims else None
        if match is None or OFTEN.search(statement.text) or len(statement.parts) < 2:
            continue
        first = statement.parts[0]
        holds = (each for each in ordered if each.id != statement.id and _holds(each, statement.message, first))
        owner = next(
            (each for each in holds if not read_days(each.text, today) and _is_free(claims.get(each.id))), None
        )
        words = things_of(pieces_of(owner)[-1] if owner is not None else match["task"])
        if not words or len(words) > MOST_NAME:
            continue
        total = arguments.Total(relation="about", hours=hours_of(match), of=words, said=(statement.text,))
        yield statement.id, claimed("total", total)
        if owner is not None:
            yield owner.id, claimed("total", total.model_copy(update={"said": (owner.text, statement.text)}))


def _holds(statement: Statement, message: int, span: tuple[int, int]) -> bool:
    return statement.message == message and any(first <= span[0] and span[1] <= last for first, last in statement.parts)


def at_a_rate(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The hours of an amount, by the rate at which it is done: "translate 240 pages" – "4 pages an hour"."""
    for rate in ordered:
        pace = RATE.search(rate.text)
        ends, left = without_last_day(rate.text, today)
        left = RATE.sub("", left)
        if pace is None or read_days(left, today) or re.search(AMOUNT, left, re.I):
            continue
        for statement in ordered:
            if (
                statement.message != rate.message
                or statement.id == rate.id
                or not _is_free(claims.get(statement.id), "ends_by", "titled")
            ):
                continue
            due, text = without_last_day(statement.text, today)
            noun = re.escape(pace["noun"])
            amount = re.search(rf"{NOT_IN_A_WORD}{NUMBER}\s+{noun}(?![a-zäöü])", text, re.I)
            if amount is None or read_days(text, today) or any(True for _ in read_weekdays(text)):
                continue
            hours = number_of(amount["amount"]) / number_of(pace["amount"])
            hours /= 60 if pace["unit"].lower().startswith("m") else 1
            doing = TO_VERB.match(rate.text[pace.end() :])
            verb = (doing["verb"],) if doing is not None else ()
            beside = things_of(f"{text[: amount.start()]} {text[amount.end() :]}")
            words = (*beside, *verb, amount["amount"], amount[0].split()[-1])
            total = arguments.Total(relation="about", hours=hours, of=words, said=(statement.text, rate.text))
            yield statement.id, _with_last_day(total, due, statement.text)
            yield rate.id, _with_last_day(total, ends, rate.text)
            break


def _is_free(claim: Claim | None, *but: str) -> bool:
    return claim is None or claim.check in ("task", "gone", *but)


def without_last_day(text: str, today: date) -> tuple[date | None, str]:
    """The day by which all is done, and the text without it; the whole text where it names no day or more than that."""
    days = read_days(text, today)
    bound = days[0].bound_in(text) if len(days) == 1 else None
    if bound is None:
        return None, text
    return bound.last, " ".join(f"{text[: bound.start].rstrip(' ,')} {text[bound.end :]}".split())


def _with_last_day(total: arguments.Total, due: date | None, text: str) -> Claim:
    ends = (claimed("ends_by", arguments.EndsBy(date=due, relation="by")),) if due is not None else ()
    return as_one((claimed("total", total), *ends), text)
