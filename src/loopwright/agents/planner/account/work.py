"""Work that the user names: a single task, each of so many things."""

import re
from collections.abc import Sequence
from datetime import date

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.across import OWN_WORK
from loopwright.agents.planner.account.amounts import RATE, TO_VERB, without_last_day
from loopwright.agents.planner.account.calendar_file import one_of, stem_of
from loopwright.agents.planner.account.clauses import AMOUNT, NOT_IN_A_WORD, hours_of, parts_of
from loopwright.agents.planner.account.dates import AWAY, HAN, INJURED, Phrase, number_of, read_days, read_weekdays
from loopwright.agents.planner.account.neighbours import (
    Found,
    Known,
    is_open,
    near,
    pairs,
    pieces_of,
    things_of,
)
from loopwright.agents.planner.account.when import NUMBER, PERSON_CAN, as_one, claimed
from loopwright.kernel.account import Claim, Statement
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
    r"(?:(?:the|an?|my|our|his|her|their)\s+\w+|(?:it|them)\b)"
)
"""What is done to something by name, whatever the verb: "weld the brackets"."""
OBLIGED = re.compile(r"\b(?:must|has\s+to|have\s+to|needs?\s+to|muss|müssen)\b", re.I)
NOTHING = Claim(check="")
ENDS, OPENING = frozenset(("ends_by", "on_day")), 3
WORK_KINDS = frozenset(("action", "thing", "order", "style", "name"))
MOST_WORDS, MOST_THINGS, MOST_SIGNS, MOST_NAMES = 7, 30, 12, 4
COUNTED = re.compile(
    rf"{NOT_IN_A_WORD}{NUMBER}\s+(?:(?!(?:hours?|minutes?|days?|weeks?|months?|years?|times|percent|euros?|dollars?|people|guests?|"
    r"children|stunden?|minuten|tage?n?|wochen?|monate?|jahre?|mal|personen|leute|gäste|kinder)\b)(?:(?P<kind>[a-zäöüß-]{3,})\s+)?"
    r"(?P<noun>(?!(?:von|for|für|mit|with|each|and|und|bis|per|pro)\b)[A-Za-zÄÖÜäöüß]{3,}))",
    re.I,
)
"""Things that are counted, and that can be done one by one; no time, no money, no people."""
OCCASION = re.compile(
    r"(?:lessons?|sessions?|class(?:es)?|rehearsals?|workouts?|lectures?|seminars?|tutorials?|exercises?|interviews?|visits?|"
    r"appointments?|treatments?|fittings?|meetings?|tests?|exams?)$"
    r"|(?:stunden?|fahrten?|proben?|kurse?|übung(?:en)?|sitzung(?:en)?|termine?|einheit(?:en)?|abende?|klausuren?|besuche?|treffen)$",
    re.I,
)
"""What takes place as often as it is counted, whether or not a verb says so: "6 Fahrstunden"."""
THERE_ARE = re.compile(r"^\s*(?:there\s+are|(?:i|we)\s+have|it\s+has|es\s+gibt|ich\s+habe|wir\s+haben)\s+", re.I)
EACH_TAKES = (
    r"(?:(?:and|und)\s+)?(?:each|every|one|jede[rs]?|eine?[rs]?)(?:\s+(?!of\b)[A-Za-zÄÖÜäöü]{3,})?\s+"
    r"(?:needs|takes|is|lasts|braucht|dauert)(?:\s+(?:me|us|mich|uns|etwa))?"
)
PER_THING = r"(?:per|for\s+each|a|je|pro|für\s+jede[ns]?)\s+(?P<thing>[A-Za-zÄÖÜäöü]{3,})"
CLASSIFIER = "个|份|本|节|篇|道|张|幅|首|套|场|次|位|间|件|只|块|台|条|项|门|堂|封|盒|段|支|件|把"
HAN_EACH = rf"每(?:一)?(?:{CLASSIFIER})?(?P<han>(?:(?![需要得花])[\u4e00-\u9fff]){{1,3}}?)?(?:需要|要|得|花)?"
ABOUT = r"(?:(?:about|around|roughly|circa|ca\.|etwa|ungefähr|rund|大约|大概|约)\s*)?"
LENGTH_OF_EACH = re.compile(rf"^\s*(?:{EACH_TAKES}|{PER_THING}|{HAN_EACH})\s*{ABOUT}$", re.I)
"""What stands before how long each of several things takes."""
LENGTH_BEHIND = re.compile(
    rf"^\s*(?P<lead>(?:of|lasting|with|à|a|je|jeweils|mit|von(?:\s+je)?|zu(?:\s+je)?)\s+)?{ABOUT}{AMOUNT}"
    r"(?P<tail>\s+(?:each|long|lang|jeweils))?[\s.,;]*$",
    re.I,
)
"""How long each takes, right behind what is counted: "of 90 minutes", "von je 90 Minuten"."""
LENGTH_PER = re.compile(rf"^{PER_THING}$", re.I)
HAN_COUNTED = re.compile(
    rf"^(?:我们?)?(?:要|得|需要)?(?:一共|总共|共|有)*(?P<verb>(?!每)[\u4e00-\u9fff]{{1,3}}?)?{NUMBER}(?:{CLASSIFIER})?"
    r"(?!小时|分钟|钟头|[天周月年次元人])(?P<noun>[\u4e00-\u9fff]{1,4})$"
)
SMALL = frozenset(("um", "at", "on", "by", "am", "until", "till", "bis", "from", "ab", "von", "vor", "nach"))


def named_work(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Something to do that is named beside the goal itself: "sort her papers", "neue Dielen verlegen"."""
    goals = {each.id for each in ordered if each.parts[0][0] == 0}
    for one, other, _ in pairs(ordered):  # "by March 31" – "file my taxes": the day only comes first
        goals |= {other.id} if one.id in goals and not things_of_days(one.text, today) and near(one, other) else set()
    dated = any((claim := claims.get(each.id)) is not None and claim.check in ENDS for each in ordered[:OPENING])
    for statement in ordered:
        text = pieces_of(statement)[-1].strip()
        # Who names a goal with its day has nothing yet to cross out: "den Zaun streichen" is painting.
        painted = dated and text.endswith("streichen") and claims.get(statement.id, NOTHING).check == "gone"
        known = statement.id in goals or not (painted or is_open(statement, claims))
        if known or statement.kind not in WORK_KINDS:
            continue
        lead = TO_DO.match(text)
        asked = lead is not None and bool(lead.group().strip())
        words = _task_of(text[lead.end() :] if lead is not None else text, today, asked=asked)
        if words:
            yield statement.id, claimed("task", arguments.Task(of=words, said=(statement.text,)))


def things_of_days(text: str, today: date) -> tuple[str, ...]:
    """What a text names beside days."""
    said = Phrase(text, today, opening=False)
    for day in said.days():
        said.take_day(day)
    return said.content


def _task_of(text: str, today: date, *, asked: bool) -> tuple[str, ...]:
    """The words of a task; none where the text says more than what is to be done, or tells of somebody."""
    if HAN.search(text):
        return (text.strip(),) if asked and 2 <= len(text.strip()) <= MOST_SIGNS and not read_days(text, today) else ()
    if OBLIGED.search(text):  # what something must do, such as to dry, is not what somebody does
        return ()
    timed = hard_days(text, today) or re.search(r"\d", text)
    if timed or PERSON_CAN.match(text) or AWAY_OR_HURT.search(text) or len(text.split()) > MOST_WORDS:
        return ()
    hard = [
        token for token in hard_tokens(text) if token.kind != "colour" or token.start
    ]  # "sand the top" is no colour
    if any(token.kind not in ("name", "abbreviation", "symbol") for token in hard):
        return ()
    opens = text.split()[0] if text.split() else ""
    verb = opens.islower() and (lexicon("en").has("verbs", normal(opens)) or DONE_TO.match(text) is not None)
    if not (verb or INFINITIVE.search(text) or (asked and opens.islower())):
        return ()
    return things_of(text)


def counted_work(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Each of so many things: "read 12 papers", and how long each takes: "8 modules" – "each needs about 5 hours"."""
    for place, statement in enumerate(ordered):
        due, text = without_last_day(statement.text, today)
        own = claims.get(statement.id)
        free = own is None or (own.check == "ends_by" and due is not None)
        match = (COUNTED.search(text) or HAN_COUNTED.match(text)) if free else None
        if match is None or hard_days(text, today) or RATE.search(text) or (due is not None and FIRST_OF.match(text)):
            continue
        count, before = number_of(match["amount"]), text[: match.start()]
        noun, kind, behind = _counted_as(match, text)
        lead = TO_DO.match(before)
        rest = before[lead.end() :] if lead is not None else before
        verb = tuple(things_of(rest)) if not THERE_ARE.match(before) else ()
        verb = (match.groupdict().get("verb") or "",) if match.re is HAN_COUNTED else verb
        length = _length_of(noun, round(count), ordered, place)
        verb = tuple(word.lower() for word in verb) if not statement.parts[0][0] else verb  # a capital opens a message
        known = bool(verb and verb[0]) if match.re is HAN_COUNTED else _is_done(verb, rest)
        long = LENGTH_BEHIND.match(behind)
        if long is not None and long["lead"]:
            length, behind = (statement, hours_of(long), ""), ""
        if not before.strip() and re.fullmatch(INFINITIVE, behind):  # "5 Kisten sortieren"
            verb, known, behind = (behind,), True, ""
        if not 2 <= count <= MOST_THINGS or count != round(count) or behind:
            continue
        takes_place = not verb and statement.parts[0][0] and OCCASION.search(noun) is not None
        if length is None and not known and not takes_place:
            continue
        names = (
            _names_of(ordered[place + 1 : place + 2 + round(count)], round(count), claims) if length is not None else []
        )
        if names and length is not None:
            totals = [
                claimed(
                    "total",
                    arguments.Total(relation="about", hours=length[1], of=words, said=(statement.text, each.text)),
                )
                for each, words in names
            ]
            both = as_one(totals, statement.text, length[0].text)
            yield from ((each.id, both) for each in (statement, length[0]))
            yield from ((each.id, told) for (each, _), told in zip(names, totals, strict=True))
            continue
        item = (length[2] if length is not None else "") or " ".join(filter(None, (kind, one_of(noun))))
        told = arguments.EachOf(
            item=item,
            count=round(count),
            steps=(verb if known else (),),
            minutes=round(length[1] * 60) if length is not None else None,
            said=(statement.text, length[0].text) if length is not None else (statement.text,),
        )
        yield statement.id, _each_by(told, due, statement)
        if length is not None:
            yield length[0].id, claimed("each_of", told)


def _counted_as(match: re.Match[str], text: str) -> tuple[str, str | None, str]:
    """What is counted, of which kind, and what stands behind it; of German words the last may be what is done."""
    noun, kind, behind = match["noun"], match.groupdict().get("kind"), text[match.end() :].strip(" .,;")
    if kind and kind[0].isupper() and noun.islower() and INFINITIVE.search(noun):
        return kind, None, f"{noun} {behind}".strip()
    return noun, kind, behind


def _names_of(behind: Sequence[Statement], count: int, claims: Known) -> list[tuple[Statement, tuple[str, ...]]]:
    """The names of what was counted, where just so many stand right behind: "two subjects: anatomy and botany"."""
    found = [(each, (each.text.strip(),) if HAN.search(each.text) else things_of(each.text)) for each in behind[:count]]
    plain = all(
        words
        and len(words) <= MOST_NAMES
        and each.kind not in ("date", "limit", "question", "context")
        and not re.search(r"\d", each.text)
        for each, words in found
    )
    known = any(
        (claim := claims.get(each.id)) is not None and claim.check not in ("titled", "task") for each, _ in found
    )
    more = behind[count].kind in ("thing", "name", "action") if len(behind) > count else False
    return found if len(found) == count and plain and not known and not more else []


def _length_of(noun: str, count: int, ordered: Sequence[Statement], place: int) -> tuple[Statement, float, str] | None:
    """How long each of the things takes, where another statement says it, and what one is called there."""
    own = ordered[place]
    behind = ordered[place + 1 : place + 2 + min(count, MOST_THINGS)]  # what was counted may be named in between
    for number, each in enumerate(behind):
        found = LENGTH_BEHIND.match(each.text)
        if found is None or number not in (0, count):
            continue
        if found["tail"] or (found["lead"] and number == 0 and near(own, each)):
            return each, hours_of(found), ""
    same = [each for each in ordered if each.message == own.message and each.id != own.id]
    return next(((each, *takes) for each in same if (takes := _each_takes(each, noun))), None)


def _each_by(told: arguments.EachOf, due: date | None, statement: Statement) -> Claim:
    """Each of the things, and all of them by a day: that of the whole plan where the message begins with it."""
    each = claimed("each_of", told)
    if due is None:
        return each
    ends = claimed("ends_by", arguments.EndsBy(date=due, relation="by"))
    last = claimed("gap", arguments.Apart(before=(told.item,), after=(statement.text,), day=due))
    return as_one((each, last if statement.parts[0][0] else ends), statement.text)


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
    after = "" if TO_VERB.match(f" {after}") else after
    lead, per = LENGTH_OF_EACH.match(before), LENGTH_PER.match(after)
    thing = per["thing"] if per is not None else (lead["thing"] or lead["han"]) if lead is not None else None
    if per is None and (lead is None or after):
        return None
    if per is not None and not re.fullmatch(rf"\s*{ABOUT}", before, re.I):
        return None
    alike = thing is None or thing in noun or stem_of(thing) in (stem_of(one_of(noun)), stem_of(noun))
    return (hours_of(amount), thing or "") if alike else None


ENOUGH = 2


FIRST_OF = re.compile(
    rf"^(?P<lead>.*?)\s*(?:\b(?:the|my|our)\s+first\s+|\bdie\s+ersten\s+|前){NUMBER}\s*(?:{CLASSIFIER})?(?P<noun>[^\W\d_]{{1,20}})\s*$",
    re.I,
)
"""Up to where something is done by a day: "the first 40 letters by January 31"."""


def first_of(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The first of several things, or of an amount, by a day; what is not counted elsewhere is one thing to do."""
    for statement in ordered:
        due, text = without_last_day(statement.text, today)
        match = (
            FIRST_OF.match(text) if due is not None and statement.id not in claims and statement.parts[0][0] else None
        )
        if match is None:
            continue
        count, noun = number_of(match["amount"]), match["noun"]
        own = [claims[each.id] for each in ordered if each.message == statement.message and each.id in claims]
        parts = [part.arguments | {"check": part.check} for claim in own for part in parts_of(claim)]
        counted = next((each for each in parts if each["check"] == "each_of" and _alike(each["item"], noun)), None)
        amount = next((each for each in parts if each["check"] == "total" and noun.casefold() in each["of"]), None)
        if counted is not None and count <= counted["count"]:
            told = {key: counted[key] for key in ("item", "steps")} | {"count": round(count), "by": due}
            yield statement.id, claimed("each_of", arguments.EachOf(**told, said=(statement.text,)))
        elif amount is not None:
            whole = next(number_of(word) for word in amount["of"] if word[:1].isdigit())
            hours = amount["hours"] * count / whole
            told = {"relation": "at_least", "hours": hours, "of": amount["of"], "by": due}
            if count <= whole:
                yield statement.id, claimed("total", arguments.Total(**told, said=(statement.text,)))
        else:
            words = (*things_of(match["lead"]), match["amount"], noun)
            due_one = arguments.Apart(before=words, after=(statement.text,), day=due, said=(statement.text,))
            yield statement.id, claimed("gap", due_one)


def _alike(item: str, noun: str) -> bool:
    return stem_of(item.split()[-1]) == stem_of(noun) or (not noun.isascii() and item == noun)


def whole_goal(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """The goal's own name is not looked for in the titles where the user has said of what the goal consists."""
    opening = {each.id for each in ordered if each.parts[0][0] == 0}
    for one, other, _ in pairs(ordered):
        opening |= {other.id} if one.id in opening and near(one, other) else set()
    for statement in ordered:
        claim = claims.get(statement.id)
        if claim is None or claim.check != "ends_by" or statement.id not in opening or not claim.arguments["title"]:
            continue
        own = [each.id for each in ordered if each.message == statement.message and each.id != statement.id]
        parts = [part for key in own if key in claims for part in parts_of(claims[key])]
        named = {str(part.arguments) for part in parts if part.check in OWN_WORK}
        if len(named) >= ENOUGH or any(part.check == "each_of" for part in parts):
            told = claim.arguments | {"title": [], "words": [], "said": [*claim.arguments["said"], statement.text]}
            yield statement.id, claim.model_copy(update={"arguments": told})


def done_by_all(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """Who does all of it, where it is told next who does what: "Anna and Ben make a film: Ben acts, Anna cuts"."""
    shared = [each for each in ordered if each.id in claims and claims[each.id].check == "assigned"]
    for opening in [each for each in shared if each.parts[0][0] == 0]:
        items = claims[opening.id].arguments["items"]
        same = [each for each in shared if each.message == opening.message]
        others = {str(claims[each.id].arguments["items"]) for each in same} - {str(items)}
        for each in same if len(others) >= ENOUGH else ():
            if claims[each.id].arguments["items"] == items:
                who = (str(claims[each.id].arguments["who"]),)
                yield each.id, claimed("titled", arguments.Titled(title=who, subject=who, said=(each.text,)))
