"""Amounts and days that were cut from what they belong to: "40 hours" – "for anatomy", "until the gala" – "on May 3".

A message is cut into statements by rules that know nothing of plans.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.clauses import AMOUNT, EVERY_PART, LOOSE, claim_of_parts, hours_of, parts_of
from loopwright.agents.planner.account.dates import EVERY_DAY, HAN, ONLY, PER_DAY, UNITS, Phrase, number_of, read_days
from loopwright.agents.planner.account.neighbours import Found, Known, near, pairs, pieces_of, things_of
from loopwright.agents.planner.account.when import AND, NUMBER, as_one, claimed, is_when, read_when
from loopwright.kernel.account import Claim, Statement

FOR_WHAT = re.compile(r"\s*(?:for|on|für)\s+(?:the\s+|my\s+|das\s+|die\s+|den\s+)?(?P<what>[^\d,;]{3,40}?)\s*", re.I)
MOST_WORDS = 3
MOST_BARE = 2_000
TO_AN_EVENT = re.compile(
    r"^(?P<rest>.*?)\s*\b(?:until|till|up\s+to|bis(?:\s+(?:zum|zur))?)\s+(?:the\s+|my\s+|our\s+|meine[mr]\s+|unsere[mr]\s+)?"
    r"(?P<event>[^\W\d_][\w\s'’-]{2,40})$",
    re.I,
)
ON_ITS_DAY = re.compile(r"\s*(?:on(?:\s+the)?|am)\s+", re.I)


def hours_of_each(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """How long several things take, where the unit is said once: "40 hours for anatomy and 30 for physiology"."""
    unit = 0.0
    known = dict(claims)
    for one, other, _ in pairs(ordered):
        what = FOR_WHAT.fullmatch(other.text)
        words = things_of(what["what"]) if what is not None and not read_days(other.text, today) else ()
        if not words or len(words) > MOST_WORDS or one.id in known or other.id in known or not near(one, other):
            continue
        amount = re.fullmatch(AMOUNT, one.text.strip(), re.I)
        bare = re.fullmatch(NUMBER, one.text.strip(), re.I) if amount is None and unit else None
        if amount is not None:
            hours, unit = hours_of(amount), 1 / 60 if amount["unit"].lower() in UNITS["minutes"] else 1.0
        elif bare is not None and number_of(bare["amount"]) < MOST_BARE:
            hours = number_of(bare["amount"]) * unit
        else:
            continue
        told = arguments.Total(relation="about", hours=hours, of=words, said=(one.text, other.text))
        known |= {one.id: claimed("total", told), other.id: claimed("total", told)}
        yield one.id, known[one.id]
        yield other.id, known[other.id]


def until_an_event(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """What is done up to something that has a day: "practise every day until the recital" – "on March 20"."""
    for one, other, _ in pairs(ordered):
        word = TO_AN_EVENT.match(one.text) if one.id not in claims else None
        days = [day for day in read_days(other.text, today) if day.grain == "day"] if word is not None else []
        plain = ON_ITS_DAY.fullmatch(other.text[: days[0].start]) if len(days) == 1 else None
        if word is None or plain is None or not near(one, other):
            continue
        event = tuple(things_of(word["event"]))
        rest = claim_of_parts(Phrase(word["rest"], today, opening=False))
        day = days[0].first
        if not event or read_days(word["event"], today):
            continue
        yield other.id, claimed("on_day", arguments.OnDay(event=event, date=day, said=(word["event"], other.text)))
        if rest is not None or not things_of(word["rest"]):
            ends = arguments.EndsBy(date=day - timedelta(days=1), relation="before", said=(one.text,))
            before = parts_of(rest) if rest is not None else ()
            yield one.id, as_one((*before, claimed("ends_by", ends)), one.text)


def read_whole(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """What was cut where one sentence goes on: "meditate 20 minutes" – "every morning"."""
    known = set(claims)
    for one, other, _ in pairs(ordered):
        if one.id in known or other.id in known or not near(one, other) or "context" in (one.kind, other.kind):
            continue
        space = "" if HAN.search(one.text[-1:] + other.text[:1]) else " "
        claim = claim_of_parts(Phrase(f"{one.text}{space}{other.text}", today, opening=False))
        if claim is not None and all(each.check in LOOSE for each in parts_of(claim)):
            told = claim.model_copy(update={"arguments": claim.arguments | {"said": [one.text, other.text]}})
            known |= {one.id, other.id}
            yield one.id, told
            yield other.id, told


LENGTH_EACH = re.compile(
    rf"[\s,]*(?:(?P<each>\b(?:je|jeweils|à|each|for)|各|每次)\s*)?{AMOUNT}\s*(?P<behind>each|jeweils|lang|long)?\s*$",
    re.I,
)


def days_of_a_length(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Days of the week with how long work takes on each: "dienstags" – "donnerstags je 90 Minuten"."""
    for place, statement in enumerate(ordered):
        own = pieces_of(statement)[-1]
        length = LENGTH_EACH.search(own) if statement.id not in claims else None
        rest = own[: length.start()] if length is not None else ""
        said = length is not None and (length["each"] or length["behind"])
        if length is None or not said or not is_when(rest):
            continue
        before = next((each for each in reversed(ordered[:place]) if not re.fullmatch(AND, each.text.strip())), None)
        gap = statement.parts[-1][0] - before.parts[-1][1] if before is not None else 0
        listed = before is not None and before.message == statement.message and 1 <= gap <= len(" und ")
        days = pieces_of(before)[-1] if listed and before is not None else ""
        one = before if days and is_when(days) else None
        meant = read_when(Phrase(f"{days} and {rest}" if one is not None else rest, today, opening=False))
        if meant is None:
            continue
        sitting = arguments.Sitting(relation="about", minutes=round(hours_of(length) * 60), said=(statement.text,))
        yield statement.id, as_one((meant, claimed("sitting", sitting)), statement.text)
        if one is not None:
            yield one.id, meant


OWN_WORK = frozenset(("task", "each_of", "gap", "assigned"))
"""Checks of claims that name something to do."""
DAY_BY_DAY = frozenset(("per_day", "daily", "within"))
MOST_OF_ONE = 5


def daily_of_one(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """So long on every day for one thing beside others: "sand the hull" – "10 minutes of Italian every day".

    Where nothing else is named to do, the time is that of the whole plan: "learn Italian, 10 minutes every day".
    """
    for statement in ordered:
        claim = claims.get(statement.id)
        parts = {each.check: each.arguments for each in parts_of(claim)} if claim is not None else {}
        rate = parts.get("per_day")
        if rate is None or not parts.keys() <= DAY_BY_DAY or rate["relation"] != "about" or rate["since"]:
            continue
        said = Phrase(statement.text, today, opening=False)
        for words in (AMOUNT, EVERY_PART, f"{EVERY_DAY}|{PER_DAY}"):
            said.take(words)
        of = tuple(word for word in said.whole if not said.days())
        others = [each for key, each in claims.items() if key != statement.id and each.check in OWN_WORK]
        others = [each for each in others if not each.arguments.get("day")]
        if not 0 < len(of) <= MOST_OF_ONE or len(others) < (1 if statement.parts[0][0] else 2):
            continue
        minutes = round(rate["hours"] * 60)
        sitting = arguments.Sitting(relation="about", minutes=minutes, of=of, said=(statement.text,))
        told = [claimed("sitting", sitting), claimed("daily", arguments.Daily(of=of, said=(statement.text,)))]
        if "within" in parts:
            told.append(Claim(check="within", arguments=parts["within"] | {"of": list(of)}))
        yield statement.id, as_one(told, statement.text)


def ruled_out_together(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Days that share what is said of the last one: "Tuesdays" – "and Thursdays are impossible"."""
    for one, other, gap in pairs(ordered):
        first, last = claims.get(one.id), claims.get(other.id)
        if first is None or last is None or (first.check, last.check) != ("only_on", "none_on"):
            continue
        alone = not first.arguments["of"] and not last.arguments["of"] and is_when(pieces_of(one)[-1])
        if alone and gap == len(" and ") and re.search(rf"(?<![a-zäöü]){ONLY}", one.text, re.I) is None:
            days = sorted({*first.arguments["weekdays"], *last.arguments["weekdays"]})
            update = {"weekdays": days, "names": [*first.arguments["names"], *last.arguments["names"]]}
            told = last.model_copy(update={"arguments": last.arguments | update})
            yield one.id, told
            yield other.id, told
