"""What one statement leaves to its neighbour: whose work, days and hours it speaks of."""

import itertools
import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.clauses import AMOUNT, claim_of_parts, hours_of
from loopwright.agents.planner.account.dates import AWAY, HAN, ONLY, RELATIONS, Phrase, read_days, read_weekdays
from loopwright.agents.planner.account.neighbours import Found, Known, near, pairs, pieces_of, things_of
from loopwright.agents.planner.account.people import NOT_DOING
from loopwright.agents.planner.account.when import EVERY, PERSON, as_one, claimed, is_when, read_when
from loopwright.kernel.account import Claim, Statement
from loopwright.kernel.account.reading.lexicon import lexicon, normal

DAY = timedelta(days=1)
ALONE = re.compile(
    rf"\s*(?P<who>{PERSON})\s+(?P<verb>(?!(?:{NOT_DOING}|comes|goes|helps|kommt|hilft)\b)[a-zäöü]{{3,}}(?:s|t))"
    r"(?:\s+(?P<then>afterwards|then|after\s+that|danach|anschließend))?\s*"
)
"""Somebody, and what they do, without saying to what: "Joe mixes afterwards"."""
GAPPED = re.compile(
    rf"\s*(?P<who>{PERSON})\s+(?:(?:um|für)\s+)?(?:the|den|die|das|dem)\s+(?P<what>[\w\s-]{{3,40}}?)\s*"
)
"""Somebody, and a thing, behind the same said with a verb: "Tom does the music, Petra the food"."""
HAN_ONLY = re.compile(
    r"\s*(?P<who>(?![我你他她们先再每要得])[\u4e00-\u9fff]{2,3}?)(?:只|专门|来)(?:做|管|弄|负责)(?P<what>[\u4e00-\u9fff]{2,8})\s*"
)
NOT_UNTIL = re.compile(
    rf"\s*(?P<who>{PERSON})\s+(?:can|kann|has\s+time|hat\s+Zeit|is\s+(?:there|available|free)|ist\s+da)?\s*"
    r"(?:only\s+|erst\s+|not\s+before\s+|nicht\s+vor\s+)?(?:help\s+|helfen\s+)?(?:from|ab|starting)\s+.*",
)
"""Who can from a day on only: "Petra kann erst ab März"."""
PRONOUN = re.compile(r"^\s*(?:(?:but|and|aber|und)\s+)?(?:he|she|they|er|sie)\s+", re.I)
BEFORE_THAT = re.compile(
    r"\s*(?:before\s+(?:that|this|then)|until\s+then|by\s+then|davor|vorher|bis\s+dahin|在?此?之前)\s*", re.I
)
HAN_BEFORE = re.compile(r"^\s*(?:在?此?之前|在这之前)(?:要|得|需要|必须)?(?P<what>[\u4e00-\u9fff]{2,12})\s*$")
EACH_DAY = re.compile(
    rf"^\s*(?:(?:jeweils|each\s+(?:time|day)|every\s+time|je|dann|then)\s+(?:(?:{RELATIONS['at_most']})\s+)?"
    rf"|(?:{RELATIONS['at_most']})\s+){AMOUNT}\s*$",
    re.I,
)
PARTS_OF_MONTHS = re.compile(
    r"\b(?P<edge>first|last|ersten|letzten)\s+(?P<n>two|three|2|3|zwei|drei)?\s*(?:weeks?|wochen?)\b", re.I
)
COUNTS = {"two": 2, "2": 2, "zwei": 2, "three": 3, "3": 3, "drei": 3}


def whose(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Who does what, and when they cannot, where a name and the rest stand apart."""
    last: Claim | None = None
    for statement in ordered:
        claim = claims.get(statement.id)
        alone, gapped, han = (each.fullmatch(statement.text) for each in (ALONE, GAPPED, HAN_ONLY))
        named = statement.parts[0][0] and not any(True for _ in read_weekdays(statement.text))
        if (claim is None or claim.check == "titled") and named:
            if alone is not None and not {normal(alone["who"]), normal(alone["verb"])} & _small():
                words: tuple[str, ...] = (alone["verb"],)
                claim = _doing(alone["who"], words, statement)
            elif gapped is not None and last is not None:
                claim = _doing(gapped["who"], things_of(gapped["what"]), statement)
            elif han is not None:
                claim = _only(_doing(han["who"], (han["what"],), statement), statement)
            if claim is not None and claim.check in ("assigned", "together") and claim is not claims.get(statement.id):
                yield statement.id, claim
        last = claim if claim is not None and claim.check == "assigned" else last if claim is None else None


@cache
def _small() -> set[str]:
    """Words that are neither a name nor what somebody does."""
    return {*lexicon("en").sets["function"], *lexicon("de").sets["function"]}


def _doing(who: str, words: tuple[str, ...], statement: Statement) -> Claim | None:
    name = who.split()[-1]
    return claimed("assigned", arguments.Assigned(who=name, items=(words,), said=(statement.text,))) if words else None


def _only(claim: Claim | None, statement: Statement) -> Claim | None:
    """Where it is said that somebody does one thing alone, nothing else names them."""
    if claim is None:
        return None
    return as_one((claim, Claim(check="does_only", arguments=claim.arguments)), statement.text)


def _of_somebody(claim: Claim, who: str, statement: Statement) -> Claim:
    """Days or hours as those of somebody, in the words of a statement."""
    person = {"person": True, "absent": "on other days"} if claim.check == "only_on" else {}
    return claim.model_copy(update={"arguments": claim.arguments | {"of": [who], "said": [statement.text]} | person})


def not_until(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """From when on somebody can, and until when somebody is away who was named right before."""
    for number, statement in enumerate(ordered):
        other = ordered[number + 1] if number + 1 < len(ordered) else None
        both = other is not None and near(statement, other)
        texts = [statement.text, f"{statement.text} {other.text}"] if both and other is not None else [statement.text]
        for place, text in enumerate(texts):
            match, days = NOT_UNTIL.fullmatch(text), read_days(text, today)
            if match is None or len(days) != 1 or days[0].first <= today or statement.parts[0][0] == 0:
                continue
            who = match["who"].split()[-1]
            told = claimed(
                "free", arguments.Free(first=today, last=days[0].first - DAY, of=(who,), said=(text,), relation="from")
            )
            yield statement.id, told
            if place and other is not None:
                yield other.id, told
    for one, other, _ in pairs(ordered):
        doing, pronoun = claims.get(one.id), PRONOUN.match(other.text)
        if doing is None or doing.check != "assigned" or pronoun is None or other.id in claims:
            continue
        rest, who = other.text[pronoun.end() :], doing.arguments["who"]
        can = read_when(Phrase(f"only {FREE_ON.sub('', rest)}", today, opening=False)) if FREE_ON.match(rest) else None
        if can is not None and can.check in ("within", "only_on"):
            yield other.id, _of_somebody(can, who, other)
            continue
        rest = re.sub(r"^(?:is|are|ist|sind)\s+", "", rest)
        claim = claim_of_parts(Phrase(f"I am {rest}", today, opening=False))
        if claim is not None and claim.check == "free" and not claim.arguments["of"]:
            yield other.id, _of_somebody(claim, who, other)


def before_the_event(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """What is said to be done "before that": before the event that was named."""
    for number, statement in enumerate(ordered):
        days = [
            date.fromisoformat(claim.arguments["date"])
            for each in ordered[:number]
            if each.message == statement.message and (claim := claims.get(each.id)) and claim.check == "on_day"
        ]
        han = HAN_BEFORE.match(statement.text)
        if not days or statement.id in claims:
            continue
        if BEFORE_THAT.fullmatch(statement.text):
            told = arguments.EndsBy(date=days[-1] - DAY, relation="before", said=(statement.text,))
            yield statement.id, claimed("ends_by", told)
        elif han is not None:
            due = arguments.Apart(
                before=(han["what"],), after=(statement.text,), day=days[-1] - DAY, said=(statement.text,)
            )
            yield statement.id, claimed("gap", due)


def each_of_these_days(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """How long each of the days is that were named right before: "nur samstags, jeweils höchstens 5 Stunden"."""
    for one, other, _ in pairs(ordered):
        match, days = EACH_DAY.match(other.text), claims.get(one.id)
        if match is None or other.id in claims or days is None or days.check not in ("only_on", "within"):
            continue
        told = arguments.PerDay(relation="at_most", hours=hours_of(match), said=(other.text,))
        yield other.id, claimed("per_day", told)


def weeks_of_a_month(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Weeks of a month in which somebody is away: "the first two weeks of January I am on holiday"."""
    for statement in ordered:
        part, days = PARTS_OF_MONTHS.search(statement.text), read_days(statement.text, today)
        if (
            part is None
            or statement.id in claims
            or not days
            or re.search(rf"(?:{AWAY})", statement.text, re.I) is None
        ):
            continue
        months = {(day.first.year, day.first.month) for day in days}
        if len(months) != 1 or HAN.search(statement.text) or any(True for _ in read_weekdays(statement.text)):
            continue
        begin = days[0].first.replace(day=1)
        end = (begin + timedelta(days=31)).replace(day=1) - DAY
        length = timedelta(days=7 * COUNTS.get((part["n"] or "").lower(), 1) - 1)
        early = part["edge"].lower() in ("first", "ersten")
        first, last = (begin, begin + length) if early else (end - length, end)
        yield (
            statement.id,
            claimed("free", arguments.Free(first=first, last=last, relation="on", said=(statement.text,))),
        )


def own_order(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """What somebody does "afterwards" comes after what alone was named right before."""
    for one, other, _ in pairs(ordered):
        then, before, after = ALONE.fullmatch(other.text), claims.get(one.id), claims.get(other.id)
        if then is None or not then["then"] or before is None or after is None or after.check != "assigned":
            continue
        of = before.arguments.get("of") or ()
        if of and before.check in ("within", "only_on", "task"):
            gap = claimed("gap", arguments.Apart(before=tuple(of), after=(then["verb"],), said=(other.text,)))
            yield other.id, as_one((after, gap), other.text)


TWO = re.compile(rf"\s*(?P<one>{PERSON})\s*")
BOTH = re.compile(rf"\s*(?P<who>{PERSON})\s+(?P<what>[a-zäöü]{{3,}}\s+[\w\s-]{{3,40}}?)\s*")
HELPS = re.compile(
    rf"\s*(?:(?:my|our|mein\w*|unser\w*)\s+[a-zäöüA-ZÄÖÜ]+\s+)?(?P<who>{PERSON})\s+(?:(?:can|could|kann)\s+)?(?:only\s+|nur\s+)?"
    r"(?:helps?|hilft|helfen|comes?|kommt|kommen)\s+(?P<rest>.*)",
)
"""When somebody helps: "my cousin Ben can help only on Wednesday afternoons"."""
COMMITTED = re.compile(
    r"\s*(?:(?:i|we|ich|wir)\s+(?:have|habe|haben)\s+|(?=.*\b(?:habe|haben)\s+(?:ich|wir)\b))"
    r"(?!.*\b(?:time|zeit|free|frei|hours?|only|nur)\b).*",
    re.I,
)
"""What somebody has on a day of the week: "I have choir on Mondays", "dienstags habe ich Chor"."""
EVERYTHING = re.compile(
    r"\s*(?:everything|all\s+of\s+it|it\s+all|alles|全部|所有)\s*(?:must|has\s+to|have\s+to|should|needs?\s+to|muss|soll|要|得|必须).*",
    re.I,
)


HAVE_IT = re.compile(r"^\s*(?:i|we|ich|wir)\s+(?:have|habe|haben)\s+|\s+(?:for\s+(?:it|this|that)|dafür)\s*$", re.I)


def _has_these(statement: Statement, ordered: Sequence[Statement], place: int, days: Sequence[int]) -> Found:
    """Days that somebody has: "I have Saturdays and Sundays"; with other hours beside them nothing is read."""
    listed, known = [statement], {*days}
    for other in ordered[place + 1 :]:
        gap = other.parts[0][0] - listed[-1].parts[-1][1]
        if other.message != statement.message or not 0 <= gap <= len(" und "):
            break
        if not is_when(other.text):
            return
        listed.append(other)
        known |= {day for found, _, _ in read_weekdays(other.text) for day in found}
    told = arguments.Weekdays(weekdays=tuple(sorted(known)), said=tuple(each.text for each in listed))
    yield from ((each.id, claimed("only_on", told)) for each in listed)


def helping(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The days of somebody who helps, of two who do something together, and those on which the user has something."""
    for place, statement in enumerate(ordered):
        if statement.parts[0][0] == 0:
            continue
        behind = list(itertools.takewhile(lambda each: is_when(pieces_of(each)[-1]), ordered[place + 1 :]))
        behind = behind if behind and near(statement, behind[0]) else []  # "Ben helps" – "on Mondays" – "and Fridays"
        helps = HELPS.fullmatch(f"{statement.text} {' and '.join(pieces_of(each)[-1] for each in behind)}".strip())
        if helps is not None and normal(helps["who"].split()[-1]) not in _small():
            rest = re.sub(r"^(?:only|nur)\s+", "", helps["rest"])
            claim = read_when(Phrase(f"only {rest}", today, opening=False))
            if claim is not None and claim.check in ("within", "only_on") and not claim.arguments["of"]:
                theirs = _of_somebody(claim, helps["who"].split()[-1], statement)
                yield from ((each.id, theirs) for each in (statement, *behind))
        elif statement.id not in claims and COMMITTED.fullmatch(statement.text):
            days = sorted({day for found, _, _ in read_weekdays(statement.text) for day in found})
            if days and is_when(HAVE_IT.sub("", statement.text)):
                yield from _has_these(statement, ordered, place, days)
            elif days and not read_days(re.sub(r"\d", "", statement.text), today):
                told = arguments.Weekdays(weekdays=tuple(days), said=(statement.text,))
                yield statement.id, claimed("none_on", told)
        one = ordered[place - 1]
        alone, both = TWO.fullmatch(one.text), BOTH.fullmatch(statement.text)
        between = statement.parts[0][0] - one.parts[-1][1] if one.message == statement.message else 0
        timed = any(True for _ in read_weekdays(f"{one.text} {statement.text}")) or re.search(r"\d", statement.text)
        if alone is not None and both is not None and not timed and between in (len(" and "), len(", ")):
            words = things_of(both["what"])
            for who, each in ((alone["one"], one), (both["who"], statement)):
                claim = _doing(who, words, statement) if normal(who.split()[-1]) not in _small() else None
                if claim is not None and not read_days(statement.text, today):
                    yield each.id, claim


ONCE = re.compile(
    r"^\s*(?:and\s+|und\s+)?(?:once|one\s+time|einmal)\s+(?:a|per|pro|die|in\s+der)\s+(?:week|woche)\s+(?=\w)", re.I
)
"""What is done once a week; on which day stands behind it."""


def once_a_week(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The day and the time of what is done once a week: "once a week with my tutor" – "on Thursdays at 7 pm"."""
    for one, other, _ in pairs(ordered):
        text = f"{one.text} {other.text}"
        once, days = ONCE.match(text), list(read_weekdays(text))
        if once is None or not days or not near(one, other):
            continue
        what = re.sub(r"\s+(?:on|am)\s*$", "", text[once.end() : days[0][1]].rstrip())
        claim = read_when(Phrase(f"only every {text[days[0][1] :]}", today, opening=False))
        if claim is not None and claim.check in ("within", "only_on") and (words := things_of(what)):
            told = claim.arguments | {"of": list(words), "said": [one.text, other.text, EVERY]}
            yield from ((each.id, claim.model_copy(update={"arguments": told})) for each in (one, other))


def everything_by(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The last day of all, in words of its own: "everything must be empty by December 19"."""
    for statement in ordered:
        days = read_days(statement.text, today)
        by = days[0].bound_in(statement.text) if len(days) == 1 else None
        if by is None or EVERYTHING.match(statement.text) is None:
            continue
        told = arguments.EndsBy(date=by.last, relation=by.relation, said=(statement.text,))
        yield statement.id, claimed("ends_by", told)


MOST_ON = re.compile(
    rf"^\s*(?P<days>.+?)\s+(?:{RELATIONS['at_most']})\s+{AMOUNT}(?:\s+(?:am\s+Tag|a\s+day|per\s+day))?\s*$", re.I
)
HAN_NO = re.compile(r"^(?P<days>[\u4e00-\u9fff]{2,6}?)(?:都|也)?不(?P<verb>[\u4e00-\u9fff]{1,2})$")
AT_ONCE = re.compile(r"^\s*(?:at|um)\s+\d", re.I)
FREE_ON = re.compile(
    r"^(?:only\s+|nur\s+)?(?:is|are|ist|sind|can|kann|has|hat)\s+(?:only\s+|nur\s+)?(?:free|available|there|frei|da|time|zeit|come|kommen)?\s*(?:only\s+|nur\s+)?",
    re.I,
)


def by_the_day(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Limits of some days, and times of the clock that stand apart: "werktags höchstens 3 Stunden", "um 20 Uhr"."""
    for statement in ordered:
        most, none = MOST_ON.match(statement.text), HAN_NO.match(pieces_of(statement)[-1])
        days = [day for found, _, _ in read_weekdays(statement.text) for day in found]
        known = claims.get(statement.id)
        of_it = none is not None and known is not None and set(known.arguments.get("of") or ()) == {none["verb"]}
        if (known is not None and not of_it) or not days:  # "周末不写" is said of all work, whatever the verb
            continue
        if most is not None and is_when(most["days"]):  # what holds on these days is kept where it holds on all
            told = arguments.PerDay(relation="at_most", hours=hours_of(most), said=(statement.text,))
            yield statement.id, claimed("per_day", told)
        elif none is not None and is_when(none["days"]):
            off = arguments.Weekdays(weekdays=tuple(sorted(set(days))), said=(statement.text,))
            yield statement.id, claimed("none_on", off)
    for one, other, _ in pairs(ordered):
        claim = claims.get(one.id)
        if AT_ONCE.match(other.text) and other.id not in claims and claim is not None and claim.arguments.get("of"):
            both = read_when(Phrase(f"{one.text} {other.text}", today, opening=False))
            if claim.check == "only_on" and both is not None and both.check == "within":
                told_at = both.arguments | {"said": [one.text, other.text, EVERY]}
                yield from ((each.id, both.model_copy(update={"arguments": told_at})) for each in (one, other))


def days_listed(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Days of one thing in a list: "rehearsals on Tuesdays" – "and Thursdays from 7 to 9 pm" are those of both."""
    for one, other, _ in pairs(ordered):
        first, last = claims.get(one.id), claims.get(other.id)
        if first is None or last is None or first.check != "only_on" or last.check not in ("only_on", "within"):
            continue
        gap, of = other.parts[-1][0] - one.parts[-1][1], first.arguments["of"]
        alone = last.arguments["weekdays"] and not last.arguments["of"] and not first.arguments["person"]
        if not of or not alone or gap not in (len(", "), len(" and ")) or re.search(ONLY, other.text, re.I):
            continue
        days = sorted({*first.arguments["weekdays"], *last.arguments["weekdays"]})
        update = {"of": of, "weekdays": days, "said": [one.text, other.text, EVERY]}
        told = last.model_copy(update={"arguments": last.arguments | update})
        yield from ((each.id, told) for each in (one, other))


IN_A_TIME = re.compile(r"\s*(?:in|im|during|at|at\s+the|in\s+the)\s+", re.I)


def time_of_one(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """In which month or week one thing is done, said right behind it: "order the bees" – "in January"."""
    for one, other, _ in pairs(ordered):
        task, days = claims.get(one.id), read_days(other.text, today)
        if task is None or task.check != "task" or other.id in claims or len(days) != 1 or not near(one, other):
            continue
        (day,) = days
        alone = IN_A_TIME.fullmatch(other.text[: day.start]) is not None and not other.text[day.end :].strip(" .,;")
        if not alone or day.grain == "day" or day.last < today:
            continue
        of = tuple(str(word) for word in task.arguments["of"])
        starts = arguments.Starts(date=max(day.first, today), of=of, relation="not_before", said=(other.text,))
        due = arguments.Apart(before=of, after=(other.text,), day=day.last, said=(other.text,))
        yield other.id, as_one((claimed("starts", starts), claimed("gap", due)), other.text)


READERS = (
    days_listed,
    by_the_day,
    once_a_week,
    helping,
    everything_by,
    before_the_event,
    whose,
    not_until,
    each_of_these_days,
    weeks_of_a_month,
    own_order,
)
"""Each in its turn."""
