"""Which statement becomes which claim: by rules from its words; what they do not read wholly stays unread."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.account.clauses import (
    HAVE,
    INJURY,
    LEADS,
    SITTINGS,
    claim_of_parts,
    parts_of,
)
from loopwright.agents.planner.account.dates import (
    AWAY,
    DECIDING,
    EVERY_DAY,
    FILLERS,
    HAN,
    IN_ALL,
    INJURED,
    PER_DAY,
    PER_WEEK,
    UNITS,
    Phrase,
    number_of,
    read_days,
    read_weekdays,
)
from loopwright.agents.planner.account.days import (
    is_of_some_weeks,
    of_known_weeks,
    read_appointment,
    read_arrival,
    read_days_off,
    read_deadline,
    read_in_a_row,
    read_length,
    read_order,
    read_start,
)
from loopwright.agents.planner.account.gone import read_gone
from loopwright.agents.planner.account.joined import joined
from loopwright.agents.planner.account.neighbours import near, person_of, pieces_of, verbs_alone
from loopwright.agents.planner.account.when import (
    NUMBER,
    OTHERS,
    as_one,
    claimed,
    has_part,
    is_when,
    read_job,
    read_weeks,
    read_when,
    since_of,
    together,
)
from loopwright.kernel.account import Claim, Statement
from loopwright.kernel.account.reading import hard_tokens

TIME_UNIT = "|".join(sorted((*UNITS["hours"], *UNITS["minutes"]), key=len, reverse=True))
WORK_TIME = rf"(?<![a-z\d.]){NUMBER}[\s-]*(?P<unit>{TIME_UNIT})(?![a-zäöü])"
SESSIONS = (
    rf"(?<![a-z\d.]){NUMBER}\s*(?P<noun>times|mal|次|(?:(?!times)[a-z]{{3,}}\s+)?[a-z]{{3,}}s|tagen?)(?![a-zäöü])"
)
ANY = frozenset(("times", "mal", "次", "days", "sessions", "tage", "tagen"))
"""What is counted without a name of its own: days on which there is work."""
OFTEN = r"\b(?P<amount>twice|thrice)\b"
ITEMS = ("thing", "action")
CANNOT = re.compile(rf"(?<![a-zäöüß])(?:{AWAY}|{INJURED})", re.I)
START = Claim(check="starts")
MOST_WORDS = 6
LONGEST_SITTING = 240
DEADLINE = frozenset(
    ("deadline", "due", "date", "submission", "end", "frist", "abgabe", "abgabetermin", "termin", "ende")
)
LIST_GAP = len(" and ")
NAMES = ("name", "abbreviation", "symbol", "literal")
"""Hard tokens that a title can have; a number, a time, a limit or a negation in it keeps nothing."""
RULING = ("negation", "limit", "all", "order")
DONE_TO = re.compile(r"\b(?:must|has\s+to|have\s+to|needs?\s+to|should)\s+be\s+$", re.I)
TITLES = ("title", "subject", "of", "event", "before", "after")
"""Arguments that are looked for in titles: a word that limits keeps nothing there, it is only quoted."""
VALUES = {"per_week": ("amount", "since"), "per_day": ("hours", "since"), "total": ("hours",), "starts": ("date",)}
STEPS = frozenset(("gap", "assigned", "task", "each_of"))
"""Checks of claims that name something to do."""
QUOTED = frozenset(("free", "sitting", "daily", "together", "ends_by", "per_week"))
"""Checks of values that are reckoned from the words: what was read of these is quoted beside the value."""
SORTS = ("unit", "relation", "of")
"""Of one message's claims: what may not differ, among those that are of the same sort."""


def bind(statements: Sequence[Statement], today: date) -> dict[str, Claim]:
    """The claims of the statements that the rules read, by their id.

    What stands right behind a negation is part of it, an amount that goes on is no sum, and what contradicts another
    claim of its message holds for a part of the time only: all these stay unread.
    """
    claims: dict[str, Claim] = {}
    ordered = sorted(statements, key=lambda each: (each.message, each.parts[-1], each.parts))
    for place, statement in enumerate(ordered):
        if statement.kind in ("context", "question"):  # who is away then tells it, or only seems to ask
            absent = claim_of_parts(Phrase(statement.text, today, statement.hard, "", opening=False))
            if absent is not None and absent.check == "free" and "?" not in statement.text:
                claims[statement.id] = absent
            continue
        earlier = ordered[place - 1] if place and _touch(ordered[place - 1], statement) else None
        kinds = {token.kind for token in hard_tokens(earlier.text)} if earlier is not None else set()
        if "negation" in kinds and earlier is not None and near(earlier, statement):
            continue
        told = earlier is not None and "limit" not in kinds and DECIDING.search(earlier.text) is None
        before = earlier.text if earlier is not None and told else ""
        claim = claim_of(statement.text, today, statement.hard, before, opening=statement.parts[0][0] == 0)
        if len(statement.parts) > 1:
            claim = _of_pieces(claim, statement, today)
        if claim is not None and earlier is not None:
            claim = _of_what_is_before(claim, statement, earlier, claims.get(earlier.id), today)
        if claim is not None and claim.check in ("within", "only_on") and _or_else(ordered, place):
            claim = None
        begins = earlier is not None and claims.get(earlier.id, START).check == "starts"
        both = _until_then(earlier, statement, today) if earlier is not None else None
        if earlier is not None and both is not None:
            claims[earlier.id] = claim = both
        elif earlier is not None and begins and earlier.kind == "date":
            both = _with_its_day(earlier, statement, today)
            if both is not None:
                claims[earlier.id] = claim = both
        lead = LEADS.match(statement.text)
        if lead is not None:
            rest = claim_of(statement.text[lead.end() :], today, statement.hard, opening=False)
            claim = _from_then(rest, claims.values()) if rest is not None else None
        goes_on = place + 1 < len(ordered) and _touch(statement, ordered[place + 1])
        if claim is not None and not (claim.check == "total" and goes_on):
            claims[statement.id] = claim
    claims = {key: _of_its_own(key, claim, ordered, today) for key, claim in claims.items()}
    claims |= dict(_of_one_person(ordered, claims, today))
    for listed in _lists(ordered):
        claim = claim_of(" and ".join(each.text for each in listed), today)
        if claim is not None:
            claims |= {each.id: claim for each in listed}
    claims = joined(ordered, claims, today)
    claims = {each.id: _with_all(claims[each.id], each) for each in ordered if each.id in claims}
    claims = {key: claim for key, each in claims.items() if (claim := _whose(key, each, ordered, claims)) is not None}
    claims |= dict(_lengths(ordered, claims, today))
    counted = {word for claim in claims.values() if claim.check == "per_week" for word in claim.arguments["of"]}
    claims = {key: each for key, each in claims.items() if each.check != "none_on" or _counted(each, counted)}
    claims = {key: _on_its_day(claim, claims.values()) for key, claim in claims.items()}
    parts = [part for claim in claims.values() for part in parts_of(claim)]
    off = {day for each in parts if each.check == "none_on" for day in each.arguments["weekdays"]}
    gone = [each.arguments for each in parts if each.check == "free"]
    claims = {key: _but_for(claim, off, gone) for key, claim in claims.items()}
    return {each.id: claims[each.id] for each in ordered if each.id in claims and not _at_odds(each, ordered, claims)}


def _of_pieces(claim: Claim | None, statement: Statement, today: date) -> Claim | None:
    """What the last piece says by itself: a list shares first words that are not those of each item.

    A clause that was taken for one about what stands before it ("am 5. Juni, die Musik macht Ralf") is another one.
    """
    *head, last = pieces_of(statement)
    own = claim_of(last, today, opening=False)
    if own is None or own.check not in ("assigned", "free"):
        return claim
    first = claim_of(" ".join(head), today, opening=statement.parts[0][0] == 0)
    if own.check != "assigned" or first is None or first.check not in ("on_day", "ends_by"):
        return claim or own
    return as_one((first, own), statement.text)


def _with_all(claim: Claim, statement: Statement) -> Claim:
    """The words for all of something are read where they stand in a step, or in what a list shares with its items."""
    everything = [token.code for token in hard_tokens(statement.text) if token.kind == "all"]
    if not everything or claim.check not in STEPS:
        return claim
    return claim.model_copy(update={"arguments": claim.arguments | {"said": [*claim.arguments["said"], *everything]}})


def _of_one_person(
    ordered: Sequence[Statement], claims: Mapping[str, Claim], today: date
) -> Iterator[tuple[str, Claim]]:
    """What else somebody does: of "Ben does electrics and plumbing" both are his."""
    known = dict(claims)
    for one, other in itertools.pairwise(ordered):
        first = known.get(one.id)
        beside = one.message == other.message and other.parts[0][0] - one.parts[-1][1] in (len(" and "), len("和"))
        words = Phrase(other.text, today, opening=False).content
        own = known.get(other.id)
        said = own is not None and own.check == "assigned"
        if first is not None and first.check == "assigned" and beside and words and not said and other.kind in ITEMS:
            more = arguments.Assigned(who=first.arguments["who"], items=(words,), said=(other.text,))
            known[other.id] = claimed("assigned", more)
            yield other.id, known[other.id]


def _of_its_own(key: str, claim: Claim, ordered: Sequence[Statement], today: date) -> Claim:
    """A last day that ends only what its words name, where the message goes on until a later day."""
    if claim.check != "ends_by" or not claim.arguments["title"]:
        return claim
    (own,) = [each for each in ordered if each.id == key]
    others = [each for each in ordered if each.message == own.message and each.id != key]
    last = date.fromisoformat(claim.arguments["date"])
    later = any(day.grain == "day" and day.first > last for each in others for day in read_days(each.text, today))
    if own.parts[0][0] == 0 or not later:
        return claim
    told = arguments.Apart(before=tuple(claim.arguments["title"]), after=(own.text,), day=last, said=(own.text,))
    return claimed("gap", told)


def _until_then(earlier: Statement, statement: Statement, today: date) -> Claim | None:
    """Until when somebody cannot, where that is said right behind it: "Tom is ill" – "until the end of January"."""
    if not CANNOT.search(earlier.text):
        return None
    joined = claim_of_parts(Phrase(f"{earlier.text} {statement.text}", today, opening=False))
    return joined if joined is not None and joined.check == "free" else None


def _with_its_day(earlier: Statement, statement: Statement, today: date) -> Claim | None:
    """What holds from a day that was said right before it, as Chinese does."""
    joined = claim_of(f"{earlier.text}{'' if HAN.search(earlier.text) else ' '}{statement.text}", today, opening=False)
    return joined if joined is not None and joined.arguments.get("since") and joined.check == "per_week" else None


def _lengths(ordered: Sequence[Statement], claims: Mapping[str, Claim], today: date) -> Iterator[tuple[str, Claim]]:
    """A short time by itself is that of a session, where sessions were counted and nothing says how long they are."""
    parts = [part for claim in claims.values() for part in parts_of(claim)]
    counted = any(each.check == "daily" or each.arguments.get("unit") == "sessions" for each in parts)
    if not counted or any(each.check in ("sitting", "per_day") for each in parts):
        return
    for statement in ordered:
        said = Phrase(statement.text, today, statement.hard, "", opening=False)
        amount = said.take(WORK_TIME) if statement.id not in claims and statement.kind != "context" else None
        relation = said.take_relation() if amount is not None else None
        if amount is not None and not said.content and said.is_read():
            minutes = round(number_of(amount["amount"]) * (1 if _is_minutes(amount["unit"]) else 60))
            told = arguments.Sitting(relation=relation or "about", minutes=minutes, said=(statement.text,))
            if minutes <= LONGEST_SITTING:
                yield statement.id, claimed("sitting", told)


def _but_for(claim: Claim, off: set[int], gone: Sequence[Mapping[str, Any]]) -> Claim:
    """Every day is every day on which there may be work at all; so many a week are those of a week without days off."""

    def bounded(part: Claim) -> dict[str, Any]:
        rate = part.check == "per_week" and part.arguments["relation"] != "at_most"
        if part.check != "daily" and not rate:
            return {}
        spans = [
            each for each in gone if part.check == "daily" or not each["of"] or {*each["of"]} & {*part.arguments["of"]}
        ]
        told: dict[str, Any] = {"gone": [[each["first"], each["last"]] for each in spans]} if spans else {}
        return told | ({"weekdays": sorted(off)} if part.check == "daily" else {})

    parts = [part.model_copy(update={"arguments": part.arguments | bounded(part)}) for part in parts_of(claim)]
    if claim.check != "together":
        return parts[0]
    told = [{part.check: part.arguments} for part in parts]
    return claim.model_copy(update={"arguments": claim.arguments | {"parts": told}})


def _or_else(ordered: Sequence[Statement], place: int) -> bool:
    """Whether a statement is joined by an "or" to one that rules something out."""
    if not place or ordered[place - 1].message != ordered[place].message:
        return False
    gap = ordered[place].parts[0][0] - ordered[place - 1].parts[-1][1]
    return gap == len(" or ") and any(token.kind == "negation" for token in hard_tokens(ordered[place - 1].text))


def _from_then(claim: Claim, others: Iterable[Claim]) -> Claim | None:
    """What is to hold "then" holds from the day on which what was said before is over; else nobody knows when."""
    over = [date.fromisoformat(each.arguments["last"]) for each in others if each.check == "free"]
    if claim.check != "per_week" or len(over) != 1:
        return None
    since = (over[0] + timedelta(days=1)).isoformat()
    return claim.model_copy(update={"arguments": claim.arguments | {"since": since}})


def _whose(key: str, claim: Claim, ordered: Sequence[Statement], claims: Mapping[str, Claim]) -> Claim | None:
    """Who is absent, or what waits for an injury to heal: the person named before, the sessions that are counted."""
    if claim.check != "free" or claim.arguments["of"]:
        return claim
    (place,) = [number for number, each in enumerate(ordered) if each.id == key]
    text = ordered[place].text
    if INJURY.search(text):
        weekly = (each.arguments["of"] for each in claims.values() if each.check == "per_week")
        counted = [of for of in weekly if of]
        return claim.model_copy(update={"arguments": claim.arguments | {"of": counted[0] if counted else []}})
    if OTHERS.search(text) is None or re.search(r"\b(?:i|we|ich|wir)\b|我", text, re.I):
        return claim
    named = [who for each in ordered[:place] for who in person_of(each.text)]
    return claim.model_copy(update={"arguments": claim.arguments | {"of": named[-1:]}}) if named else None


def _counted(claim: Claim, counted: set[str]) -> bool:
    """Whether days without something are days without what is counted: "no appointments on Monday" may tell of it."""
    of = claim.arguments["of"]
    return not of or any(has_word(" ".join(counted), word) for word in of)


def _of_what_is_before(
    claim: Claim, statement: Statement, earlier: Statement, told: Claim | None, today: date
) -> Claim | None:
    """Days or hours right behind a thing are those of the thing, unless it is the whole goal, or an amount of time."""
    amount = told is not None and not told.arguments.get("of") and told.check in ("per_week", "per_day", "sitting")
    whole = earlier.parts[0][0] == 0 or earlier.kind == "date" or claim.arguments.get("of") or amount
    whole = whole or not near(earlier, statement)
    if claim.check not in ("only_on", "within") or whole:
        return claim
    both = claim_of(f"{earlier.text} {statement.text}", today, opening=False)
    return both if both is not None and both.check == "only_on" and both.arguments["of"] else None


def _on_its_day(claim: Claim, others: Iterable[Claim]) -> Claim:
    """What comes before the deadline, or before an appointment, comes before that day."""
    if claim.check != "gap":
        return claim
    after = {word.casefold() for word in claim.arguments["after"]}
    for other in others:
        event = {word.casefold() for word in other.arguments.get("event", ())}
        if (other.check == "ends_by" and after <= DEADLINE) or (other.check == "on_day" and event & after == after):
            return claim.model_copy(update={"arguments": claim.arguments | {"day": other.arguments["date"]}})
    return claim


def _lists(ordered: Sequence[Statement]) -> Iterator[list[Statement]]:
    """Days and parts of days that were said as one list ("evenings and weekends", "Mon, Wed and Fri only")."""
    listed: list[Statement] = []
    for statement in ordered:
        when = is_when(statement.text)
        gap = statement.parts[-1][0] - listed[-1].parts[-1][1] if listed and when else 0
        # A comma alone joins days to days: "weekends, mornings" says two things, "evenings and weekends" one.
        alike = when and listed and has_part(statement.text) == has_part(listed[-1].text)
        if not (when and listed and statement.message == listed[-1].message and (1 if alike else 4) <= gap <= LIST_GAP):
            if len(listed) > 1:
                yield listed
            listed = []
        if when:
            listed.append(statement)
    if len(listed) > 1:
        yield listed


def _touch(one: Statement, other: Statement) -> bool:
    """Whether the other begins right where the one ends, without a comma; in Chinese with one at most."""
    return one.message == other.message and 0 <= other.parts[0][0] - one.parts[-1][1] <= 1


def _at_odds(statement: Statement, ordered: Sequence[Statement], claims: Mapping[str, Claim]) -> bool:
    """Whether another claim of the message says another value of the same, or the hours may be those of other work."""
    claim = claims[statement.id]
    told = claim.arguments
    others = [each for each in ordered if each.message == statement.message and each.id != statement.id]
    of_action = claim.check == "per_week" and told["title"] and any(each.kind == "action" for each in others)
    if of_action or is_of_some_weeks(statement.text, claim):
        return True
    fields = VALUES.get(claim.check, ())
    same = (claims[each.id] for each in others if each.id in claims and claims[each.id].check == claim.check)
    for other in same if fields and not told.get("since") else ():
        alike = all(told[name] == other.arguments[name] for name in SORTS if name in told)
        if alike and any(told[name] != other.arguments[name] for name in fields):
            return True
    return False


def subject_alone(statement: Statement, today: date) -> tuple[str, ...]:
    """What a statement without any hard token names; nothing where it says more than that, or asks and tells only."""
    if statement.hard or statement.kind not in ("action", "thing"):
        return ()
    claim = _titled(Phrase(statement.text, today, (), "", statement.parts[0][0] == 0), hard=False)
    return tuple(claim.arguments["subject"]) if claim is not None else ()


def claim_of(
    text: str, today: date, hard: tuple[str, ...] = (), before: str = "", *, opening: bool = True
) -> Claim | None:
    """What can be measured of a statement.

    `before` is the one that stands right before it in its sentence; `opening` ones begin a message, where a capital
    letter makes no name.
    """
    ruling = [token for token in hard_tokens(text) if token.kind in RULING]
    # What "must be cancelled" is to be done like anything else: the word rules nothing out.
    spoken = {word for token in ruling if not DONE_TO.search(text[: token.start]) for word in token.text.split()}
    for rule in RULES:
        phrase = Phrase(text, today, hard, before, opening)
        claim = of_known_weeks(rule(phrase), text, today)
        if claim is None or any(spoken.intersection(claim.arguments.get(name, ())) for name in TITLES):
            continue
        everything = [token.text for token in hard_tokens(text) if token.kind == "all"]
        if claim.check == "gap" and claim.arguments["day"] and everything:  # what is due is all that is called so
            claim = claim.model_copy(update={"arguments": claim.arguments | {"said": [text, *everything]}})
        if claim.check in QUOTED and not claim.arguments["said"]:
            claim = claim.model_copy(update={"arguments": claim.arguments | {"said": list(phrase.words)}})
        return claim
    return None


def _per_week(said: Phrase) -> Claim | None:
    if said.take(PER_WEEK) is None or any(True for _ in read_weekdays(said.left)):
        return None
    amount = said.take(WORK_TIME)
    sessions = None if amount else said.take(SESSIONS) or said.take(OFTEN)
    found = amount or sessions
    if found is None:
        return None
    relation = said.take_relation() or ("at_most" if amount is not None and HAVE.match(said.text) else "about")
    since = since_of(said)
    named = (sessions.groupdict().get("noun") or "mal").split() if sessions is not None else []
    of = tuple(word for word in named if word.lower() not in ANY | SITTINGS | FILLERS)
    if has_part(" ".join(named)):
        return None  # "two evenings a week" says when as well
    if not of and sessions is not None and len(said.content) == 1:
        of = verbs_alone(said.content)  # "yoga twice a week"
    title = said.subject if amount is not None else ()
    if not said.is_read(names=title or of, all_named=not title):
        return None
    value = number_of(found["amount"]) / (60 if amount is not None and _is_minutes(amount["unit"]) else 1)
    unit: Any = "hours" if amount is not None else "sessions"
    told = arguments.PerWeek(unit=unit, relation=relation, amount=value, of=of, title=title, since=since)
    return claimed("per_week", told)


def _per_day(said: Phrase) -> Claim | None:
    if said.take(PER_DAY) is None or (amount := said.take(WORK_TIME)) is None:
        return None
    if re.search(EVERY_DAY, said.text, re.I):
        return None  # "30 minutes every day" says more than how much
    relation = said.take_relation() or "about"
    if not said.is_read():
        return None
    hours = number_of(amount["amount"]) / (60 if _is_minutes(amount["unit"]) else 1)
    return claimed("per_day", arguments.PerDay(relation=relation, hours=hours))


def _total(said: Phrase) -> Claim | None:
    if said.take(rf"(?<![a-zäöü]){IN_ALL}(?![a-zäöü])") is None or (amount := said.take(WORK_TIME)) is None:
        return None  # an amount alone may be that of a day, of a piece, of anything
    relation = said.take_relation() or "about"
    if not said.is_read():
        return None
    hours = number_of(amount["amount"]) / (60 if _is_minutes(amount["unit"]) else 1)
    return claimed("total", arguments.Total(relation=relation, hours=hours))


def _is_minutes(unit: str) -> bool:
    return unit.lower() in UNITS["minutes"]


def _titled(said: Phrase, *, hard: bool = True) -> Claim | None:
    """What a statement is about, by name; where it names nothing that must be kept literally nothing is claimed."""
    tokens = hard_tokens(said.text)
    if bool(tokens or said.hard) != hard or any(token.kind not in NAMES for token in tokens):
        return None
    if said.days() or any(True for _ in read_weekdays(said.text)) or said.find(r"\bones?\b"):
        return None
    part = said.take(r"^\s*(?:from|to|in|about|for|with|aus|nach|über|für|mit)\b")
    subject, whole = (said.subject if part is None else said.content), said.whole
    if not subject or len(whole) > MOST_WORDS or not said.is_read(names=whole, all_named=False):
        return None
    words = together(whole)
    return claimed("titled", arguments.Titled(words=words, title=whole, subject=subject))


def _listed(said: Phrase) -> Claim | None:
    """What a comma divides, where each part is read by itself: "3 applications a week, one hour every weekday"."""
    texts = [part.strip() for part in re.split(r"[,，](?!\d)", said.text) if part.strip()]
    if len(texts) < 2:
        return None
    claims = [claim_of(text, said.today, opening=False) for text in texts]
    if any(claim is None or claim.check == "titled" for claim in claims):
        return None
    return as_one((part for claim in claims if claim is not None for part in parts_of(claim)), said.text)


RULES: Sequence[Callable[[Phrase], Claim | None]] = (
    read_weeks,
    read_job,
    _per_week,
    _per_day,
    read_when,
    read_order,
    read_days_off,
    read_deadline,
    read_length,
    read_appointment,
    read_start,
    _total,
    _listed,
    claim_of_parts,
    read_arrival,
    read_gone,
    read_in_a_row,
    _titled,
)
"""In the order in which they are tried; a rule that leaves a word that matters unread gives way to the next."""
