"""Work that the user names: a single task, each of so many things."""

import re
from collections.abc import Sequence
from datetime import date

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.amounts import RATE, without_last_day
from loopwright.agents.planner.account.calendar_file import stem_of
from loopwright.agents.planner.account.clauses import AMOUNT, NOT_IN_A_WORD, hours_of
from loopwright.agents.planner.account.dates import AWAY, HAN, INJURED, number_of, read_days, read_weekdays
from loopwright.agents.planner.account.neighbours import Found, Known, pieces_of, things_of
from loopwright.agents.planner.account.when import NUMBER, PERSON_CAN, claimed
from loopwright.kernel.account import Statement
from loopwright.kernel.account.reading import hard_tokens
from loopwright.kernel.account.reading.lexicon import lexicon, normal

TO_DO = re.compile(
    r"^\s*(?:(?:and|but|also|und|auch|noch|还)\s+)*(?:(?:i|we|ich|wir)\s+(?:(?:also|still|auch|noch)\s+)?(?:need\s+to|have\s+to|must|want\s+to|should|"
    r"would\s+like\s+to|muss|müssen|will|wollen|möchte|möchten|soll|sollen)\s+(?:noch\s+|auch\s+)?)?(?:then|finally|dann|zuletzt)?\s*"
    r"|^(?:之前|先|再|然后|最后)?(?:我们?)?(?:还)?(?:要|得|需要|必须)",
    re.I,
)
"""What stands before the words for something to do."""
AWAY_OR_HURT = re.compile(rf"(?<![a-zäöüß])(?:{AWAY}|{INJURED})", re.I)
INFINITIVE = re.compile(r"(?:^|\s)[a-zäöüß]{2,}(?:en|ern|eln)$")
DONE_TO = re.compile(
    r"(?!(?:for|with|at|in|on|to|from|by|of|and|or|but|about|after|before|until|during|not|only|is|are|all|both)\b)[a-z]{3,}\s+"
    r"(?:the|an?|my|our|his|her|their)\s+\w+"
)
"""What is done to something by name, whatever the verb: "weld the brackets"."""
OBLIGED = re.compile(r"\b(?:must|has\s+to|have\s+to|needs?\s+to|muss|müssen)\b", re.I)
MOST_WORDS, MOST_THINGS, MOST_SIGNS = 7, 30, 12
COUNTED = re.compile(
    rf"{NOT_IN_A_WORD}{NUMBER}\s+(?:(?!(?:hours?|minutes?|days?|weeks?|months?|years?|times|percent|euros?|dollars?|people|guests?|"
    r"children|stunden?|minuten|tage?n?|wochen?|monate?|jahre?|mal|personen|leute|gäste|kinder)\b)(?:[a-zäöüß-]{3,}\s+)?"
    r"(?P<noun>[A-Za-zÄÖÜäöüß]{3,}))",
    re.I,
)
"""Things that are counted, and that can be done one by one; no time, no money, no people."""
THERE_ARE = re.compile(r"^\s*(?:there\s+are|(?:i|we)\s+have|it\s+has|es\s+gibt|ich\s+habe|wir\s+haben)\s+", re.I)
EACH_TAKES = (
    r"(?:(?:and|und)\s+)?(?:each|every|one|jede[rs]?|eine?[rs]?)(?:\s+(?!of\b)[A-Za-zÄÖÜäöü]{3,})?\s+"
    r"(?:needs|takes|is|lasts|braucht|dauert)(?:\s+(?:me|us|mich|uns|etwa))?"
)
PER_THING = r"(?:per|for\s+each|a|je|pro|für\s+jede[ns]?)\s+(?P<thing>[A-Za-zÄÖÜäöü]{3,})"
HAN_EACH = r"每(?:一)?(?:个|份|本|节|篇)?(?P<han>(?:(?![需要得花])[\u4e00-\u9fff]){1,3}?)?(?:需要|要|得|花)?"
ABOUT = r"(?:(?:about|around|roughly|circa|ca\.|etwa|ungefähr|rund|大约|大概|约)\s*)?"
LENGTH_OF_EACH = re.compile(rf"^\s*(?:{EACH_TAKES}|{PER_THING}|{HAN_EACH})\s*{ABOUT}$", re.I)
"""What stands before how long each of several things takes."""
LENGTH_PER = re.compile(rf"^{PER_THING}$", re.I)
HAN_COUNTED = re.compile(
    rf"^(?:我们?)?(?:要|得|需要)?(?:一共|总共|共|有)*(?P<verb>(?!每)[\u4e00-\u9fff]{{1,3}}?)?{NUMBER}(?:个|份|本|篇)?"
    r"(?!小时|分钟|钟头|[天周月年次元人])(?P<noun>[\u4e00-\u9fff]{1,3})$"
)
SMALL = frozenset(("um", "at", "on", "by", "am", "until", "till", "bis", "from", "ab", "von", "vor", "nach"))


def named_work(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Something to do that is named beside the goal itself: "sort her papers", "neue Dielen verlegen"."""
    for statement in ordered:
        first = statement.parts[0][0] == 0
        if first or statement.id in claims or statement.kind not in ("action", "thing", "order"):
            continue
        text = pieces_of(statement)[-1].strip()
        lead = TO_DO.match(text)
        asked = lead is not None and bool(lead.group().strip())
        words = _task_of(text[lead.end() :] if lead is not None else text, today, asked=asked)
        if words:
            yield statement.id, claimed("task", arguments.Task(of=words, said=(statement.text,)))


def _task_of(text: str, today: date, *, asked: bool) -> tuple[str, ...]:
    """The words of a task; none where the text says more than what is to be done, or tells of somebody."""
    if HAN.search(text):
        return (text.strip(),) if asked and 2 <= len(text.strip()) <= MOST_SIGNS and not read_days(text, today) else ()
    if OBLIGED.search(text):  # what something must do, such as to dry, is not what somebody does
        return ()
    timed = hard_days(text, today) or re.search(r"\d", text)
    if timed or PERSON_CAN.match(text) or AWAY_OR_HURT.search(text) or len(text.split()) > MOST_WORDS:
        return ()
    if any(token.kind not in ("name", "abbreviation", "symbol") for token in hard_tokens(text)):
        return ()
    opens = text.split()[0] if text.split() else ""
    verb = opens.islower() and (lexicon("en").has("verbs", normal(opens)) or DONE_TO.match(text) is not None)
    if not (verb or INFINITIVE.search(text) or (asked and opens.islower())):
        return ()
    return things_of(text)


def counted_work(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Each of so many things: "read 12 papers", and how long each takes: "8 modules" – "each needs about 5 hours"."""
    for statement in ordered:
        due, text = without_last_day(statement.text, today)
        own = claims.get(statement.id)
        free = own is None or (own.check == "ends_by" and due is not None)
        match = (COUNTED.search(text) or HAN_COUNTED.match(text)) if free else None
        if match is None or hard_days(text, today) or RATE.search(text):
            continue
        count, before = number_of(match["amount"]), text[: match.start()]
        lead = TO_DO.match(before)
        rest = before[lead.end() :] if lead is not None else before
        verb = tuple(things_of(rest)) if not THERE_ARE.match(before) else ()
        verb = (match.groupdict().get("verb") or "",) if match.re is HAN_COUNTED else verb
        same = [each for each in ordered if each.message == statement.message and each.id != statement.id]
        length = next(((each, *found) for each in same if (found := _each_takes(each, match["noun"]))), None)
        verb = tuple(word.lower() for word in verb) if not statement.parts[0][0] else verb  # a capital opens a message
        known = bool(verb and verb[0]) if match.re is HAN_COUNTED else _is_done(verb, rest)
        if not 2 <= count <= MOST_THINGS or count != round(count) or text[match.end() :].strip(" .,;"):
            continue
        if length is None and not known:
            continue
        item = (length[2] if length is not None else "") or _one_of(match["noun"])
        told = arguments.EachOf(
            item=item,
            count=round(count),
            steps=(verb if known else (),),
            minutes=round(length[1] * 60) if length is not None else None,
            said=(statement.text, length[0].text) if length is not None else (statement.text,),
        )
        each = claimed("each_of", told)
        if due is not None:  # all of them by a day: that of the whole plan where the message begins with it
            ends = claimed("ends_by", arguments.EndsBy(date=due, relation="by"))
            last = claimed("gap", arguments.Apart(before=(item,), after=(statement.text,), day=due))
            parts = [{one.check: one.arguments} for one in (each, last if statement.parts[0][0] else ends)]
            each = claimed("together", arguments.Together(parts=tuple(parts), said=(statement.text,)))
        yield statement.id, each
        if length is not None:
            yield length[0].id, claimed("each_of", told)


def _is_done(verb: tuple[str, ...], said: str) -> bool:
    """Whether the words before a count are one verb, and not what the things are for."""
    alone = len(verb) == 1 and verb[0].islower() and verb[0] not in SMALL
    return alone and not re.search(r"\b(?:for|für|with|mit|of|von)\b", said, re.I)


def hard_days(text: str, today: date) -> bool:
    """Whether a text names days, or days of the week."""
    return bool(read_days(text, today)) or any(True for _ in read_weekdays(text))


def _each_takes(statement: Statement, noun: str) -> tuple[float, str] | None:
    """The hours that each of the things takes, and what one is called, where a statement says that and no more."""
    amount = re.search(AMOUNT, statement.text, re.I)
    if amount is None:
        return None
    before, after = statement.text[: amount.start()], statement.text[amount.end() :].strip(" .,;")
    lead, per = LENGTH_OF_EACH.match(before), LENGTH_PER.match(after)
    thing = per["thing"] if per is not None else (lead["thing"] or lead["han"]) if lead is not None else None
    if per is None and (lead is None or after):
        return None
    if per is not None and not re.fullmatch(rf"\s*{ABOUT}", before, re.I):
        return None
    alike = thing is None or thing in noun or stem_of(thing) in (stem_of(_one_of(noun)), stem_of(noun))
    return (hours_of(amount), thing or "") if alike else None


def _one_of(noun: str) -> str:
    """One of what is counted, by the plural's usual endings in English; another word stays as it is."""
    for plural, single in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", "")):
        if noun.endswith(plural) and len(noun) >= len(plural) + 2 and not noun.endswith("ss"):
            return noun[: -len(plural)] + single
    return noun


OWN_WORK = frozenset(("task", "each_of", "gap", "assigned"))
"""Checks of claims that name something to do."""
ENOUGH = 2


def whole_goal(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The goal's own name is not looked for in the titles where the user has said of what the goal consists."""
    for statement in ordered:
        claim = claims.get(statement.id)
        if claim is None or claim.check != "ends_by" or statement.parts[0][0] or not claim.arguments["title"]:
            continue
        own = [each.id for each in ordered if each.message == statement.message and each.id != statement.id]
        named = {str(claims[key].arguments) for key in own if key in claims and claims[key].check in OWN_WORK}
        if len(named) >= ENOUGH:
            told = claim.arguments | {"title": [], "words": [], "said": [*claim.arguments["said"], statement.text]}
            yield statement.id, claim.model_copy(update={"arguments": told})
