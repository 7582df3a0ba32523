"""Steps in their order: what comes first and what then, the steps of each of several things, what has to wait."""

import itertools
import re
from collections.abc import Sequence
from datetime import date

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.calendar_file import stem_of
from loopwright.agents.planner.account.clauses import LEADS, parts_of
from loopwright.agents.planner.account.dates import HAN, Phrase, number_of, number_words, read_days
from loopwright.agents.planner.account.days import LAG, days_of_lag, read_order
from loopwright.agents.planner.account.neighbours import (
    THEM,
    Found,
    Known,
    is_open,
    near,
    own_words_beside,
    pairs,
    pieces_of,
    things_of,
)
from loopwright.agents.planner.account.when import NUMBER, as_one, claimed
from loopwright.kernel.account import Claim, Statement

FIRST = re.compile(r"^\s*(?:first|erst|zuerst)\b\s*|^先", re.I)
EACH_ITEM = re.compile(
    r"(?:\b(?:for\s+|in\s+|für\s+|in\s+)?(?:each|every|jede[snrm]?)\s+(?:of\s+the\s+)?(?P<item>[^\W\d_]{3,})|每(?:一|个)?(?P<han>[章课单元节]+)[,，:：]?)"
    r"\s*[,:]?\s*",
    re.I,
)
STEP_LEAD = re.compile(
    r"^\s*(?:(?:and|und)\s+)?(?:(?:is|are|gets|wird|werden|i|we|ich|wir)\s+)?(?:(?:first|erst|zuerst|then|afterwards|dann|danach)\s+)?"
    r"(?:(?:do|it|them|is|are|i|we)\s+)*",
    re.I,
)
STEPS = re.compile(
    r"\s*(?:,\s*)?(?:\b(?:and\s+)?(?:then|afterwards)\b|\b(?:und\s+)?(?:dann|danach)\b|然后|再|之后)\s*", re.I
)


def each_of(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """So many things that are counted, and the steps of each: "six chapters, each chapter: read, then exercises"."""
    for place, statement in enumerate(ordered):
        match = EACH_ITEM.search(statement.text)
        if match is None or claims.get(statement.id) is not None or read_days(statement.text, today):
            continue
        own = [each for each in ordered if each.message == statement.message]
        item = match["item"] or match["han"]
        counted = next(((each, count) for each in own if (count := _count_of(each.text, item))), None)
        before = statement.text[: match.start()].strip()
        held = [statement]
        for other in ordered[place + 1 :]:
            rest = own_words_beside(statement, other)
            if other.message != statement.message or not LEADS.match(rest):
                break
            held.append(other)
        texts = [f"{before} {statement.text[match.end() :]}", *(own_words_beside(statement, each) for each in held[1:])]
        steps = [words for text in texts for step in STEPS.split(text) if (words := _step(step))]
        if counted is None or len(steps) < 2:
            continue
        said = tuple(dict.fromkeys(each.text for each in (counted[0], *held)))
        told = arguments.EachOf(item=item, count=counted[1], steps=tuple(steps), said=said)
        yield from ((each.id, claimed("each_of", told)) for each in (counted[0], *held))


def _count_of(text: str, item: str) -> int:
    """How many of a thing a text counts; 0 where it counts none."""
    if not item.isascii() and (han := re.search(rf"(\d{{1,2}}|{number_words()})个?{item}", text)) is not None:
        return round(number_of(han[1]))
    for match in re.finditer(
        rf"(?<![a-zäöü\d])(?P<n>\d{{1,2}}|{number_words()})\s*(?:个)?\s*(?P<what>[^\W\d_]+)", text, re.I
    ):
        alike = stem_of(match["what"]) == stem_of(item) or (not item.isascii() and match["what"].startswith(item))
        if alike and number_of(match["n"]) >= 2:
            return round(number_of(match["n"]))
    return 0


def _step(text: str) -> tuple[str, ...]:
    if HAN.search(text):  # whole, since what says nothing by itself may be a part of a word: 做题
        return (FIRST.sub("", text.strip()),)
    text = re.sub(r"\s+(?:first|zuerst|erst)\s*$", "", text, flags=re.I)
    words = Phrase(STEP_LEAD.sub("", FIRST.sub("", text.strip())), date.min, opening=False).content
    return tuple(word for word in words if word.casefold() not in THEM)


OBLIGED = re.compile(r"\b(?:it|this|that|everything|es|das|alles)\s+(?:must|has\s+to|needs?\s+to|muss)\b", re.I)
"""What something must do, such as to dry, is no step."""
LATER = re.compile(
    rf"\s*(?:(?:and|und)\s+)?(?:{NUMBER}\s*(?P<unit>weeks?|days?|wochen?|tage?|天|个?星期|周)\s*"
    r"(?:later|after(?:wards|\s+that)?|später|danach|之后|以后|后)|(?:再|接着|最后|finally|lastly|zuletzt|zum\s+schluss|schließlich))"
    r"(?![a-zäöü])\s*",
    re.I,
)
"""What leads to the next step of a sequence beside "then": how much later it comes, or that it is the last one."""
DRYING = re.compile(
    rf"(?P<first>[\u4e00-\u9fff]{{1,8}}?)(?:完|好)?(?:之?后|以后)?[，,]?(?:要|需要?|得|再)?(?:晾干?|等|干|养护|静置|放|过|隔){NUMBER}"
    r"(?P<unit>天|个?星期|周)(?:之?后|以后)?(?:才能|才可以|再|才)(?P<then>[\u4e00-\u9fff]{2,12})"
)
"""What has to dry or to wait before the next step, as Chinese says it in one sentence."""


def one_after_another(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """What comes first, and what comes then, and then: "erst streichen, dann Möbel aufbauen, dann putzen"."""
    said = ""
    last: tuple[str, ...] = ()
    head: Statement | None = None
    step = ""
    for one, other, _ in pairs(ordered):
        goes_on = one.id == step
        head = one if FIRST.match(one.text) and not goes_on else head
        beside = own_words_beside(head, other) if head is not None else other.text  # "first clean" – "… then rewire"
        later = beside if LEADS.match(beside) or LATER.match(beside) else other.text
        first, then = None if goes_on else FIRST.match(one.text), LEADS.match(later) or LATER.match(later)
        if first is not None and is_open(one, claims):
            last = _step_of(one.text[first.end() :])
            said = one.text
        elif last and not goes_on:
            last = ()
        behind = pieces_of(other)[-1]  # "then paint the legs and finally screw on the feet" shares its first words
        if len(other.parts) > 1 and (ends := LEADS.match(behind) or LATER.match(behind)) is not None:
            later, then = behind, ends
        own = pieces_of(other)[0] if later is other.text else later
        does = then is not None and is_open(other, claims) and not OBLIGED.search(own[then.end() :])
        things = _step_of(own[then.end() :]) if then is not None and does else ()
        if not last or not things or then is None:
            continue
        lag = days_of_lag(then) if then.groupdict().get("unit") else 0
        told = claimed("gap", arguments.Apart(before=last, after=things, days=lag, said=(said, other.text)))
        if first is not None:
            yield one.id, told
        yield other.id, told
        last, said, step = things, other.text, other.id


LISTED = len(", and ")
"""Farther apart than this, two statements are no neighbours of one list."""


def listed_in_order(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """A list whose later items say that they come then is in its order: "sand it, oil it and finally wax it"."""
    held: list[tuple[Statement, tuple[str, ...]]] = []
    leads = False
    for place, statement in enumerate(ordered):
        words = _work_in(claims.get(statement.id))
        text = pieces_of(statement)[-1]
        beside = statement.kind == "date" and near(ordered[place - 1], statement)  # "order the bees in January, then …"
        if held and ((not words and beside) or words == held[-1][1]):  # its rate says no more work
            continue
        if held and (not words or not _is_next(ordered[place - 1], statement)):
            yield from _in_order(held, claims) if leads else ()
            held, leads = [], False
        if words:
            held.append((statement, words))
            leads = leads or (len(held) > 1 and (LEADS.match(text) or LATER.match(text)) is not None)
    yield from _in_order(held, claims) if leads else ()


def _work_in(claim: Claim | None) -> tuple[str, ...]:
    """The words of the work that a claim names, whatever it says of it."""
    if claim is None or claim.arguments.get("by"):
        return ()
    if claim.check == "each_of":
        return (*(claim.arguments["steps"][0]), claim.arguments["item"])
    return tuple(claim.arguments["of"]) if claim.check in ("task", "total") else ()


def _is_next(one: Statement, other: Statement) -> bool:
    return one.message == other.message and 0 <= other.parts[-1][0] - one.parts[-1][1] <= LISTED


def _in_order(held: Sequence[tuple[Statement, tuple[str, ...]]], claims: Known) -> Found:
    for (one, before), (other, after) in itertools.pairwise(held):
        told = claimed("gap", arguments.Apart(before=before, after=after, said=(one.text, other.text)))
        for each in (one, other) if one.id == held[0][0].id else (other,):
            own = claims[each.id]
            yield each.id, told if own.check == "task" else as_one((own, told), each.text)


def _step_of(text: str) -> tuple[str, ...]:
    """The words of a step; a Chinese one whole, since what says nothing by itself may be a part of a word: 铺地板."""
    return (text.strip(),) if HAN.search(text) else things_of(text)


WAIT = re.compile(
    rf"\s*(?:(?:and|und)\s+)?(?:(?:then|dann)\s+)?(?:wait(?:\s+for)?|let\s+(?:it|them|(?:the|my|our)\s+\w+)\s+[a-z]+(?:\s+for)?"
    rf"|(?:das\s+|alles\s+|es\s+)?(?=.*\b(?:warten|[a-zäöü]+\s+lassen)\b))\s*{LAG}\s*"
    r"(?P<unit>weeks?|days?|wochen?|tage?n?)(?:\s+lang)?(?:\s+(?:warten|[a-zäöü]+\s+lassen))?\s*",
    re.I,
)
"""What is only waited for between two steps: "let it dry for two days", "drei Tage warten"."""
HAN_WAIT = re.compile(
    rf"(?:然后|再)?(?:要|得|需要)?(?:等|晾|放|过|隔|干){NUMBER}(?P<unit>天|个?星期|周)(?:之?后|以后)?(?:再|才能|才)(?P<then>[\u4e00-\u9fff]{{2,12}})"
)
MOST_SIGNS = 8


def waits_between(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """So long between two steps: "oil the wood" – "wait two days" – "wax it", "刷漆" – "等两天再装门"."""
    for one, other, _ in pairs(ordered):
        before, han = _words_of(one, claims, today, last=True), HAN_WAIT.fullmatch(other.text.strip())
        if han is not None and before and other.id not in claims:
            told = arguments.Apart(before=before, after=(han["then"],), days=days_of_lag(han), said=(other.text,))
            yield other.id, claimed("gap", told)
    for place in range(1, len(ordered) - 1):
        one, wait, then = ordered[place - 1 : place + 2]
        match = WAIT.fullmatch(pieces_of(wait)[-1]) if one.message == wait.message == then.message else None
        before, after = _words_of(one, claims, today, last=True), _words_of(then, claims, today, last=False)
        if match is not None and before and after:
            told = arguments.Apart(before=before, after=after, days=days_of_lag(match), said=(wait.text,))
            yield wait.id, claimed("gap", told)


def _words_of(statement: Statement, claims: Known, today: date, *, last: bool) -> tuple[str, ...]:
    """The words of a step that is named: of an order its own side; a Chinese one is a step by itself."""
    claim = claims.get(statement.id)
    if claim is None:
        text = statement.text.strip()
        alone = HAN.fullmatch(text) and 2 <= len(text) <= MOST_SIGNS and not read_days(text, today)
        return (FIRST.sub("", text),) if alone else ()
    if claim.check == "task":
        return tuple(map(str, claim.arguments["of"]))
    if claim.check != "gap" or claim.arguments["day"]:
        return ()
    own = [tuple(map(str, claim.arguments[side])) for side in ("after", "before")]
    mine = [words for words in own if all(word in statement.text for word in words)]
    return mine[0 if last else -1] if mine else ()


def dries_first(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """A step that has to wait: "刷完晾三天才能装书架"."""
    for statement in ordered:
        match = DRYING.fullmatch(statement.text.strip()) if statement.id not in claims else None
        if match is not None:
            told = arguments.Apart(
                before=(match["first"],), after=(match["then"],), days=days_of_lag(match), said=(statement.text,)
            )
            yield statement.id, claimed("gap", told)


def waits_before(ordered: Sequence[Statement], claims: Known, today: date) -> Found:
    """An order whose first half was cut off: "… the screed must dry for a week" – "before we lay the tiles"."""
    for one, other, _ in pairs(ordered):
        if other.id in claims or not re.match(r"\s*(?:before|bevor)\b", other.text, re.I):
            continue
        claim = read_order(Phrase(f"{pieces_of(one)[-1]} {other.text}", today, opening=False))
        if claim is None:
            continue
        yield other.id, claim
        if one.id in claims and len(one.parts) > 1:
            yield one.id, as_one((*parts_of(claims[one.id]), claim), one.text)
        elif one.id not in claims:
            yield one.id, claim
