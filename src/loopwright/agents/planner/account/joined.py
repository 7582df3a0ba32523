"""What several statements say together: who does what and when they can, steps of each thing, last days of one thing.

A message is cut into statements before anything is claimed; here a statement gets what its neighbours say about it.
"""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.across import (
    daily_of_one,
    days_of_a_length,
    hours_of_each,
    read_whole,
    ruled_out_together,
    until_an_event,
)
from loopwright.agents.planner.account.amounts import at_a_rate, hours_for_an_event, hours_in_brackets
from loopwright.agents.planner.account.calendar_file import stem_of
from loopwright.agents.planner.account.clauses import AMOUNT, claim_of_parts, hours_of
from loopwright.agents.planner.account.dates import (
    BEFORE,
    BY,
    HAN,
    ONLY,
    Phrase,
    read_days,
    read_weekdays,
)
from loopwright.agents.planner.account.days import read_appointment
from loopwright.agents.planner.account.neighbours import (
    Found,
    Known,
    near,
    own_words_beside,
    pairs,
    pieces_of,
    things_of,
)
from loopwright.agents.planner.account.steps import (
    dries_first,
    each_of,
    listed_in_order,
    one_after_another,
    waits_before,
    waits_between,
)
from loopwright.agents.planner.account.when import CAN, PERSON, as_one, claimed, is_when, read_when
from loopwright.agents.planner.account.whose import READERS as WHOSE
from loopwright.agents.planner.account.whose import time_of_one
from loopwright.agents.planner.account.work import counted_work, done_by_all, first_of, named_work, whole_goal
from loopwright.kernel.account import Claim, Statement
from loopwright.kernel.account.reading import hard_tokens

OWN = re.compile(r"^\s*(?:i|we|ich|wir|me|myself)\s+", re.I)
VERB_FIRST = re.compile(r"^\s*(?:muss|müssen|soll|sollen|sollte|möchte\s+ich|will\s+ich)\s+", re.I)


def joined(ordered: Sequence[Statement], claims: Known, today: date) -> dict[str, Claim]:
    """The claims of statements that are read with their neighbours, by their id; what was read before may give way."""
    found = dict(claims)
    for reader in READERS:
        found |= dict(reader(ordered, found, today))
    return found


def _done_by_two(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Two at once: "Tom and I pack the kitchen together" is cut behind Tom; whose name it is stands in the title."""
    for one, other, gap in pairs(ordered):
        own = OWN.match(other.text)
        alone = re.fullmatch(rf"\s*{PERSON}\s*", one.text)
        if own is None or alone is None or gap not in (len(" and "), len("和")):
            continue
        rest = other.text[own.end() :]
        days = read_days(rest, today)
        by = re.search(rf"\b(?:{BY})\s*$", rest[: days[0].start], re.I) if days else None
        words = things_of(rest[: by.start()] if by is not None else rest)
        if not words or (days and by is None):
            continue
        told = claimed(
            "assigned", arguments.Assigned(who=one.text.split()[-1], items=(words,), said=(one.text, other.text))
        )
        yield one.id, told
        due = claims.get(other.id)
        yield other.id, as_one((told, due), other.text) if due is not None else told


WITHOUT_A_SUBJECT = re.compile(r"(?:只有|只能|只|周|星期|每)[^我咱]*(?:有空|有时间|没空|没时间|能来|可以来|来不了)")
"""When somebody can, in Chinese, right behind what they do: it is they who are spoken of."""


WHOSE_DAYS: Mapping[str, Any] = {"person": True, "absent": "on other days"}


def _whose_hours(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """When somebody can, said behind what they do: "Anna packs the books" – "can only help on Saturday mornings"."""
    for one, other, _ in pairs(ordered):
        said, *more = pieces_of(other)
        doing, own = claims.get(one.id), claims.get(other.id)
        if doing is not None and doing.check == "assigned" and own is not None and WITHOUT_A_SUBJECT.match(said):
            update = {"of": [doing.arguments["who"]], "said": [other.text]}
            if own.check != "within":
                update |= WHOSE_DAYS
            if own.check in ("within", "only_on", "none_on") and not own.arguments["of"]:
                yield other.id, own.model_copy(update={"arguments": own.arguments | update})
            continue
        can = CAN.match(said)
        if doing is None or doing.check != "assigned" or can is None or (own is not None and own.arguments.get("of")):
            continue
        when = re.sub(r"\s+(?:only|nur)\s*$", "", said[can.end() :])
        claim = read_when(Phrase(f"only {when}", today, opening=False))
        who = str(doing.arguments["who"])
        if claim is None or claim.check not in ("within", "only_on"):
            continue
        update = {"of": [who], "said": [other.text]} | dict(WHOSE_DAYS if claim.check == "only_on" else {})
        found = [claim.model_copy(update={"arguments": claim.arguments | update})]
        found += [read for text in more if (read := claim_of_parts(Phrase(text, today, opening=False)))]
        if len(found) == 1 + len(more):
            yield other.id, as_one(found, other.text)


def _last_day_of_one(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The last day of the thing that stands right before it, or right behind it as in German; not that of the goal."""
    for one, other, _ in pairs(ordered):
        date_first = claims.get(one.id)
        verb = VERB_FIRST.match(other.text)
        if verb is not None and near(one, other) and date_first is not None and date_first.check == "ends_by":
            words = things_of(other.text[verb.end() :])
            if words:
                yield from _both(one, other, words, date_first)
        claim = claims.get(other.id)
        if claim is None or claim.check != "ends_by" or not near(one, other) or one.parts[0][0] == 0:
            continue
        named = all(token.kind in ("name", "abbreviation", "symbol") for token in hard_tokens(one.text))
        if claim.arguments["title"] or not named or not _has_other_end(ordered, other, claims, today):
            continue
        done = claims.get(one.id)
        if done is not None and done.check == "assigned":  # whose it is stays what is said of it
            item = tuple(str(word) for word in done.arguments["items"][0])
            yield from list(_both(one, other, item, claim))[1:]
            continue
        words = things_of(one.text)
        if words and one.kind in ("action", "thing", "name"):
            yield from _both(one, other, words, claim)


def _both(one: Statement, other: Statement, words: tuple[str, ...], claim: Claim) -> Found:
    day = date.fromisoformat(str(claim.arguments["date"]))
    told = arguments.Apart(before=words, after=(other.text,), day=day, said=(one.text, other.text))
    yield one.id, claimed("gap", told)
    yield other.id, claimed("gap", told)


def _has_other_end(ordered: Sequence[Statement], own: Statement, claims: Known, today: date) -> bool:
    """Whether the message goes on until another day: it names an event, a last day of all, or a later day."""
    (last,) = (date.fromisoformat(str(claims[own.id].arguments["date"])) for _ in (0,))
    others = [each for each in ordered if each.message == own.message and each.id != own.id]
    ends = any((claim := claims.get(each.id)) is not None and claim.check in ("on_day", "ends_by") for each in others)
    return ends or any(day.last > last for each in others for day in read_days(each.text, today))


def _days_of_counted(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The days of what was counted right before: "3 runs a week: Tuesday, Thursday and a long run on Sunday"."""
    for place, statement in enumerate(ordered):
        claim = claims.get(statement.id)
        if (
            claim is None
            or claim.check != "per_week"
            or claim.arguments["unit"] != "sessions"
            or not claim.arguments["of"]
        ):
            continue
        listed = list(itertools.takewhile(lambda each: is_when(each.text), ordered[place + 1 :]))
        days = [day for each in listed if (own := claims.get(each.id)) for day in own.arguments.get("weekdays", ())]
        more = claims.get(ordered[place + 1 + len(listed)].id) if place + 1 + len(listed) < len(ordered) else None
        of = [str(word) for word in claim.arguments["of"]]
        also = (
            more is not None
            and more.check == "only_on"
            and {stem_of(w) for w in of} < {stem_of(w) for w in more.arguments["of"]}
        )
        days += more.arguments["weekdays"] if more is not None and also else []
        if (
            not listed
            or len(set(days)) != claim.arguments["amount"]  # "only on weekends" is a limit of all work
            or any(re.search(rf"(?<![a-zäöü]){ONLY}", each.text, re.I) for each in listed)
            or any(each.message != statement.message for each in listed)
        ):
            continue
        names = tuple(each.text for each in listed)
        told = arguments.Weekdays(weekdays=tuple(sorted(set(days))), names=names, of=tuple(of), said=(statement.text,))
        hours = [own for each in listed if (own := claims.get(each.id)) is not None and own.check == "within"]
        meant = claimed("only_on", told)
        if hours:  # the last of the list has the hours of all: "on Monday and Wednesday evenings"
            update = {"of": of, "weekdays": sorted(set(days)), "free": [], "said": list(names)}
            within = hours[-1].model_copy(update={"arguments": hours[-1].arguments | update})
            meant = as_one((meant, within), *names)
        yield from ((each.id, meant) for each in listed)


def _kind_of_counted(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """On which day a kind of what was counted is, in Chinese without any word for "on": 周日长跑."""
    counted = {str(word) for each in claims.values() if each.check == "per_week" for word in each.arguments["of"]}
    for statement in ordered:
        said = Phrase(statement.text, today, opening=False)
        days = [] if statement.id in claims or not HAN.search(said.text) else list(read_weekdays(said.text))
        said.taken += [(first, last) for _, first, last in days]
        if days and len(said.content) == 1 and any(set(word) & set(said.content[0]) for word in counted):
            meant = tuple(sorted({day for found, _, _ in days for day in found}))
            names = tuple(statement.text[first:last] for _, first, last in days)
            yield (
                statement.id,
                claimed("only_on", arguments.Weekdays(weekdays=meant, names=names, of=said.content)),
            )


AFTER_ALL = re.compile(
    r"\b(?:works?|possible|fine|ok|can|geht|gehen|kann)\b.*\b(?:after\s+all|again|too|doch|wieder|auch)\b|又(?:可以|行)|也(?:可以|行)",
    re.I,
)
"""What says of days that were ruled out, or not there, that there may be work on them."""


def _there_after_all(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The times of days that come back: "Sundays work after all" – "but only in the afternoon"."""
    for one, other, _ in pairs(ordered):
        days = sorted({day for found, _, _ in read_weekdays(one.text) for day in found})
        claim = claims.get(other.id)
        if one.id in claims or not days or AFTER_ALL.search(one.text) is None or claim is None:
            continue
        if claim.check == "within" and not claim.arguments["weekdays"] and not claim.arguments["of"]:
            update = {"weekdays": days, "also": True, "said": [one.text, other.text]}
            told = claim.model_copy(update={"arguments": claim.arguments | update})
            yield one.id, told
            yield other.id, told


BESIDES = re.compile(
    r"^\s*(?:(?:i|we)\s+(?:also|additionally)\s+(?:need(?:\s+to)?|have\s+to|must|want(?:\s+to)?)|(?:ich|wir)\s+(?:brauche|brauchen|muss|müssen)"
    r"\s+(?:auch\s+noch|auch|noch|zusätzlich)|(?:我|我们)?还(?:需要|得|要))\s*",
    re.I,
)
"""What begins the words for one more thing."""


def _one_more(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """How long one more thing takes, and its last day: "I also need a page" – "6 hours" – "before February 20"."""
    for place, statement in enumerate(ordered):
        lead = BESIDES.match(statement.text)
        words = things_of(statement.text[lead.end() :]) if lead is not None else ()
        for other in ordered[place + 1 : place + 3] if words else ():
            claim = claims.get(other.id)
            hours = re.fullmatch(AMOUNT, own_words_beside(statement, other).strip(), re.I)
            if hours is not None and claim is None:
                told = arguments.Total(relation="about", hours=hours_of(hours), of=words, said=(other.text,))
                yield other.id, claimed("total", told)
            elif claim is not None and claim.check == "ends_by" and not claim.arguments["title"]:
                day = date.fromisoformat(str(claim.arguments["date"]))
                due = arguments.Apart(before=words, after=(other.text,), day=day, said=(statement.text, other.text))
                yield other.id, claimed("gap", due)


def _weeks_go_on(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Hours of the other weeks, without the verb: "in odd weeks I work from 6 to 2, in even weeks from 2 to 10"."""
    for one, other, _ in pairs(ordered):
        before, claim = claims.get(one.id), claims.get(other.id)
        if before is None or claim is None or not before.arguments.get("outside") or not claim.arguments.get("weeks"):
            continue
        if claim.check == "within" and not re.search(r"\b(?:can|free|time|kann|frei|zeit)\b", other.text, re.I):
            update = {"outside": True, "weekdays": before.arguments["weekdays"]}
            yield other.id, claim.model_copy(update={"arguments": claim.arguments | update})


def _before_an_event(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """What is done before something that has a day: "learn Portuguese before I move to Porto" – "on July 1 2027"."""
    for one, other, gap in pairs(ordered):
        claim = claims.get(one.id)
        days = [day for day in read_days(other.text, today) if day.grain == "day"]
        word = re.search(
            rf"\b{BEFORE}\s+(?:i|we|ich|wir|my|our|the|mein\w*|unser\w*|de[rmn]|die|das)\s+(?P<event>.+)$",
            one.text,
            re.I,
        )
        plain = re.fullmatch(r"\s*(?:on|am)\s+", other.text[: days[0].start]) if len(days) == 1 else None
        if claim is None or claim.check != "gap" or word is None or plain is None or gap > 1:
            continue
        event = Phrase(word["event"], today, opening=False).content
        first = days[0].first
        yield (
            one.id,
            claimed("ends_by", arguments.EndsBy(date=first - timedelta(days=1), relation="before", said=(one.text,))),
        )
        if event:
            yield (
                other.id,
                claimed("on_day", arguments.OnDay(words=event, event=event, date=first, said=(word["event"],))),
            )


def _whole_event(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The event of a day is all that stands before it: "we move from Leeds" – "to York" – "on February 27 2027"."""
    for place, statement in enumerate(ordered):
        claim = claims.get(statement.id)
        if claim is None or claim.check != "on_day":
            continue
        behind = ordered[place + 1] if place + 1 < len(ordered) else None
        if behind is not None and near(statement, behind) and GOES.match(behind.text) and DATED.search(statement.text):
            going = [*claim.arguments["event"], behind.text.strip()]
            told = claim.arguments | {"event": going, "words": [], "said": [statement.text, behind.text]}
            yield from ((each.id, claim.model_copy(update={"arguments": told})) for each in (statement, behind))
            continue
        if not re.match(r"\s*(?:on|am)\b", statement.text, re.I):
            continue
        held = [statement]
        while place and near(ordered[place - 1], held[0]):
            place -= 1
            held.insert(0, ordered[place])
        goes = GOES.match(held[-2].text) if len(held) > 2 else None
        text = " ".join(each.text for each in held[:-1])
        act = HAPPENS.match(text)
        if goes is None and act is None:
            continue
        event = Phrase(OWN.sub("", text), today, opening=False).content
        told = claim.arguments | {"event": list(event), "words": [], "said": [each.text for each in held]}
        yield from ((each.id, claim.model_copy(update={"arguments": told})) for each in held)


GOES = re.compile(r"\s*(?:to|from|into|nach|von)\b", re.I)
DATED = re.compile(r"\b(?:on|am)\s+\S.*\d\s*$", re.I)
HAPPENS = re.compile(r"^\s*(?:(?:i|we)\s+)?(?:launch|open|release|publish|submit|present|deliver|unveil)\b", re.I)
"""What is done on the day itself: the verb is part of the event's name."""


DASHED = (2, 4)
"""How far apart the days of "24.–26. Dezember" or "24. - 26. Dezember" are; those of a list have another distance."""


def _cut_in_two(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """A span of days whose first one was cut off, and an event whose day stands before its name, as in German."""
    for one, other, gap in pairs(ordered):
        if one.id in claims:
            continue
        if re.search(r"\b(?:vom|von|from|between|zwischen)\s+(?:dem\s+)?\d{1,2}\.?$", one.text, re.I):
            claim = claim_of_parts(Phrase(f"{one.text.rstrip('.')}. {other.text}", today, opening=False))
        elif re.fullmatch(r"\d{1,2}\.?", one.text) and gap in DASHED and re.match(r"\d{1,2}\.?\s", other.text):
            claim = claim_of_parts(Phrase(f"{one.text.rstrip('.')}. bis {other.text}", today, opening=False))
        elif near(one, other) and re.search(r"\b(?:on|am)\b", one.text, re.I) and len(read_days(one.text, today)) == 1:
            claim = read_appointment(Phrase(f"{one.text} {other.text}", today, opening=False))
        else:
            continue
        if claim is not None:
            told = claim.arguments | {"said": [one.text, other.text]}
            yield one.id, claim.model_copy(update={"arguments": told})
            until = {"relation": "until"} if claim.check == "free" else {}
            yield other.id, claim.model_copy(update={"arguments": told | until})


def _not_there(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Days, and what is not done on them: "in Lisbon" – "from January 11 to January 24" – "and won't run there"."""
    for one, other, _ in pairs(ordered):
        days = read_days(one.text, today)
        no = re.search(
            r"(?:^|\s)(?:i\s+|we\s+)?(?:won['’]t|will\s+not|can['’]?t|cannot|kann\s+(?:dort\s+)?nicht)\s+",
            other.text,
            re.I,
        )
        known = claims.get(one.id)
        if known is not None or other.id in claims or no is None or read_days(other.text, today):
            continue
        if not days or len(days) > 2 or days[0].first == days[-1].last:
            continue
        of = tuple(each for each in things_of(other.text[no.end() :]) if each.casefold() not in ("there", "dort"))
        told = arguments.Free(
            first=days[0].first, last=days[-1].last, of=of, relation="from", said=(one.text, other.text)
        )
        if len(of) <= 2 and days[0].first <= days[-1].last:
            yield one.id, claimed("free", told)
            yield other.id, claimed("free", told)


READERS: Sequence[Callable[[Sequence[Statement], Known, date], Found]] = (
    hours_of_each,
    days_of_a_length,
    until_an_event,
    hours_for_an_event,
    _before_an_event,
    _whole_event,
    _cut_in_two,
    _not_there,
    each_of,
    one_after_another,
    dries_first,
    waits_before,
    _done_by_two,
    _whose_hours,
    _one_more,
    _last_day_of_one,
    _there_after_all,
    _days_of_counted,
    _kind_of_counted,
    _weeks_go_on,
    ruled_out_together,
    *WHOSE,
    at_a_rate,
    counted_work,
    first_of,
    read_whole,
    named_work,
    time_of_one,
    listed_in_order,
    waits_between,
    daily_of_one,
    hours_in_brackets,
    done_by_all,
    whole_goal,
)
"""Each in its turn, with what the ones before have read."""
