"""Who does what, at which times somebody can, and before which day one thing is not begun."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Literal

from loopwright.agents.planner.account import arguments
from loopwright.agents.planner.account.dates import NOT, Phrase, read_weekdays
from loopwright.agents.planner.account.when import (
    PERSON,
    PERSON_CAN,
    claimed,
    has_part,
    name_of,
    read_when,
)
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading.lexicon import lexicon, normal

NOT_YET = (
    r"(?P<neg>don['’]t|do\s+not|must\s+not|nicht|不要|别)\s*(?P<what>.+?)\s*(?:before|vor(?:\s+dem)?)\s*$"
    r"|(?P<thing>.+?)(?<!can)\s+(?:only\s+(?:comes?|arrives?)|(?:comes?|arrives?)\s+only|kommt\s+erst|kommen\s+erst)\s+(?:on|am)\s*$"
)
"""What says of one thing that it is not begun before the day that follows."""


def read_not_yet(said: Phrase) -> Iterator[Claim]:
    """The first day of one thing: "don't plant the tomatoes before May 15", "the carpet only comes on March 27"."""
    days = said.days()
    match = (
        re.match(rf"\s*(?:and\s+|und\s+)?(?:{NOT_YET})", said.text[: days[0].start], re.I) if len(days) == 1 else None
    )
    if match is None:
        return
    of = Phrase(match["what"] or match["thing"], date.min, opening=False).content
    if of and len(of) <= 3:
        said.taken.append((0, days[0].end))
        yield claimed("starts", arguments.Starts(date=days[0].first, of=of, relation="not_before", said=(said.text,)))


DOES = (
    r"does|do|handles|takes\s+care\s+of|is\s+responsible\s+for|takes\s+over|macht|übernimmt|kümmert\s+sich\s+um"
    r"|ist\s+zuständig\s+für"
)


NOT_DOING = (
    r"is|has|was|does|handles|needs|wants|works|lives|likes|thinks|says|means|takes|starts|ends|ist|macht|übernimmt|hat|wird|muss|soll|kann|darf|will|braucht|kostet|dauert|fehlt"
    r"|heißt|bleibt|kommt|geht|beginnt|endet|steht|liegt"
)
DOING = re.compile(
    rf"\s*(?P<who>{PERSON})\s+(?P<what>(?!(?:{NOT_DOING})\b)(?:[a-z]{{2,}}s\s+(?:the|our|my|all|his|her|their|an?)|[a-zäöü]{{2,}}t\s+(?:den|die|das|alle"
    r"|unsere?n?|einen?))\s+[\w\s-]{3,50}?)\s*"
)
"""Somebody, and what they do to something: "Peter builds the stage", "Oma packt das Geschirr"."""


def read_doing(said: Phrase) -> Iterator[Claim]:
    """Who does what, by any verb; a capital letter that opens the message makes no name."""
    days = said.days()
    by = days[0].bound_in(said.text) if len(days) == 1 else None
    text = said.text[: by.start] if by is not None else said.text
    match = DOING.fullmatch(text) if not said.opening and (by is not None or not days) else None
    words = Phrase(match["what"], date.min, opening=False).content if match is not None else ()
    if match is None or not words or any(True for _ in read_weekdays(text)):
        return
    said.taken.append(match.span())
    who = match["who"].split()[-1]
    yield claimed("assigned", arguments.Assigned(who=who, items=(words,), said=(said.text,)))
    if by is not None:
        (day,) = days
        said.taken.append((by.start, by.end))
        yield claimed("gap", arguments.Apart(before=words, after=(said.text[day.start : day.end],), day=by.last))


NOT_DONE = NOT_DOING.replace("macht|übernimmt|", "")
OBJECT_FIRST = re.compile(
    rf"\s*(?:(?:und|aber)\s+)?(?P<what>(?:(?P<article>[Dd]ie|[Dd]as|[Dd]en|[Aa]lle|[Uu]nsere?n?|[Mm]eine?n?)\s+)?(?:[a-zäöüß]+e[nrs]?\s+)?[A-ZÄÖÜ][\w-]+"
    rf"(?:\s+(?:und|für|im|in|von|auf)\s+(?:de[rmn]\s+|die\s+|das\s+)?[A-ZÄÖÜ][\w-]+)?)\s+(?P<verb>(?!(?:{NOT_DONE})\b)[a-zäöüß]{{2,}}t)"
    rf"\s+(?P<who>{PERSON})(?:\s+(?P<rest>aus|ab|an|auf|ein|um|vor|her|zusammen|bei))?\s*",
)
"""A thing, what is done to it, and by whom, as German may say it: "die Kostüme näht Sonja"."""
DOER = re.compile(r"(?:in|a|tante|frau|mutter|schwester|tochter|gruppe|klasse|schule|gemeinde|feuerwehr|abteilung)$")
"""A German noun of a woman or a group, which may itself be who does something."""


def read_object_first(said: Phrase) -> Iterator[Claim]:
    """Who does what, where the thing stands first; where the thing may be who does it, nothing is claimed."""
    match = OBJECT_FIRST.fullmatch(said.text) if not said.opening and not said.days() else None
    if match is None or any(True for _ in read_weekdays(said.text)):
        return
    thing, who = match["what"].split()[-1], match["who"]
    given = {word for code in ("en", "de") for word in lexicon(code).sets["given"]}
    known = normal(who.split()[-1]) in given or " " in who
    sure = match["article"] is not None and not (match["article"].lower() == "die" and DOER.search(thing.casefold()))
    if normal(thing) in given or not (known or sure):
        return
    words = Phrase(match["what"], date.min, opening=False).content
    if words:
        said.taken.append(match.span())
        yield claimed("assigned", arguments.Assigned(who=name_of(who), items=(words,), said=(said.text,)))


def read_hours_of_one(said: Phrase) -> Iterator[Claim]:
    """At which times of the day somebody can: "Anna can only help on Saturday mornings"."""
    can = PERSON_CAN.match(said.text)
    if can is None or not (has_part(said.text) or said.find(r"\d")) or said.days():
        return
    rest = re.sub(
        r"^\s*(?:only|nur|help|helfen|come|kommen|work|time|zeit|\s)+(?=\s)", "", said.text[can.end() :], flags=re.I
    )
    claim = read_when(Phrase(f"only {rest}", said.today, opening=False))
    if claim is not None and claim.check == "within" and not re.search(NOT, said.text, re.I):
        who = name_of(can.group())
        said.taken.append((0, len(said.text)))
        told = arguments.Within.model_validate(claim.arguments | {"of": (who,), "said": (said.text,)})
        yield claimed("within", told)


HAN_DOES = (
    r"\s*(?P<who>(?!.?[我你他她们先再每要得今明后下上这那周星月天年家])[\u4e00-\u9fff]{2,3}?)(?P<han>)(?P<then>)(?P<things>)(?P<before>)"
    r"(?:来帮忙|来|帮忙)(?P<what>[\u4e00-\u9fff]{2,10})\s*"
)
"""Somebody, and what they come to do, in Chinese."""


def read_people(said: Phrase) -> Iterator[Claim]:
    """Who does what ("Ben does electrics and plumbing"), and on which days of the week somebody can."""
    match = re.fullmatch(
        rf"\s*(?P<who>{PERSON})\s+(?:{DOES})\s+(?P<what>[\w\s-]{{3,60}}?)\s*"
        r"|\s*(?P<han>(?![\u4e00-\u9fff]*[让由给])[\u4e00-\u9fff]{1,4}|[A-Z]\w+)负责(?P<things>[\u4e00-\u9fff和、]{2,20})"
        r"|\s*(?P<before>[\u4e00-\u9fff和、]{2,20}?)(?:让|改?由|交给)(?P<then>[\u4e00-\u9fff]{1,4}|[A-Z]\w+)(?:来)?负责",
        said.text,
    ) or re.fullmatch(HAN_DOES, said.text)
    if match is not None and not any(True for _ in read_weekdays(said.text)):
        who = (match["who"] or match["han"] or match["then"]).split()[-1]
        items = re.split(r"\s+(?:and|und)\s+|\s*[,、和]\s*", match["what"] or match["things"] or match["before"])
        named = tuple(words for item in items if (words := Phrase(item, date.min, opening=False).content))
        if named:
            said.taken.append(match.span())
            yield claimed("assigned", arguments.Assigned(who=who, items=named, said=(said.text,)))
        return
    can = PERSON_CAN.match(said.text)
    days = tuple(sorted({day for found, _, _ in read_weekdays(said.text) for day in found}))
    if can is None or not days or has_part(said.text) or said.find(r"\d"):
        return
    none = said.find(rf"(?<![a-zäöü])(?:{NOT})(?![a-zäöü])|can['’]?t\b")
    who = name_of(can.group())
    said.taken.append((0, len(said.text)))
    absent: Literal["on other days"] | None = "on other days" if none is None else None
    told = arguments.Weekdays(weekdays=days, of=(who,), person=True, absent=absent, said=(said.text,))
    yield claimed("none_on" if none is not None else "only_on", told)
