"""A brief cut into clauses by its marks: sentences, what stands before a colon, and the parts of an enumeration."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from loopwright.kernel.account.reading import Token, hard_tokens

# The days, times, prices, amounts and addresses in a text; what belongs together is one run.

MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
WEB = re.compile(r"(?:https?://|www\.)[^\s,]*\w")
PHONE = re.compile(
    r"(?<![\w.,:+-])(?:(?:\+\d{1,3}|\(?0\d+\)?)(?:[ /-]{0,2}\d{2,}){1,6}|\d{3}[ -]\d{3}[ -]\d{3,4}|"
    r"\d{3}[ -]\d{4})(?![\w.,:-]\d|\w)"
)
_HOURS = re.compile(
    r"\b\d{1,2}(?:[.:]\d{2})?\s?(?:[ap]m|uhr|h)?\s?(?:[-–]|to|bis|until|till)\s?\d{1,2}(?:[.:]\d{2})?\s?(?:[ap]m|"
    r"uhr|h)\b",
    re.I,
)
_CLOCK = frozenset(("uhr", "o'clock", "am", "pm", "h"))
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.I)
_FIGURE = re.compile(r"[€$£]?\s?\d")
_TIMED = ("date", "time", "weekday", "calendar")
_BETWEEN = re.compile(
    r"(?:[\s,–—-]|\b(?:to|till|until|and|or|from|at|on|between|of|the|bis|und|oder|von|um|ab|am|zwischen|den|"
    r"every|each|je|"
    r"jeweils)\b)*",
    re.I,
)
"""What may stand between two times of one run."""
_RANGE = re.compile(r"(?:st|nd|rd|th|\.)?\s*(?:[-–,]|to|bis|and|und|until|till)?\s*(?:(?:the|den|dem)\s+)?", re.I)
_BEFORE = re.compile(
    r"\b(?:(?:until|till|bis|before|after|nach|vor|by|every|each|jeden|jede|ab|since|seit|first|last|second|third|"
    r"ersten?|"
    r"letzten?|zweiten?|half past|quarter past|quarter to|halb)\s+)+$",
    re.I,
)
"""What changes a time and stands before it."""
_FROM = re.compile(r"\b(?:from|von)\s+$", re.I)
_AFTER = re.compile(
    r"\s+(?:of (?:the|each|every) (?:month|year|week)|(?:im|des|jeden) (?:monats?|jahres)|a (?:week|month)|only)\b",
    re.I,
)
_PART_OF_NAME = re.compile(
    r"(?:\w*(?:straße|strasse|str\.|weg|platz|gasse|allee|ring|damm)|room|raum|hall|halle|saal|platform|gleis|bus|"
    r"linie|line|"
    r"road|number|nummer|nr\.|no\.)\s$",
    re.I,
)
_SAYS_WHEN = re.compile(
    r"\d|\b(?:mon|tues?|wednes|thurs?|fri|satur|sun|wed|thu|sat)(?:days?)?\b|\w*(?:tags?|woch|mittwoch)s?\b|daily|"
    r"täglich|"
    r"weekdays?|weekends?|wochenende\w*|noon|midnight|mitternacht|jan|feb|mar|mär|apr|ma[yi]\b|ju[nl]|aug|sep|"
    r"o[ck]t|nov|de[cz]",
    re.I,
)
"""A day or an hour; "weekly", "morning", "in spring" alone are words like others."""
_TO = re.compile(r"\b(?:to|bis|until|till)\b|–|-", re.I)

Kind = Literal["time", "figure", "contact"]


@dataclass(frozen=True)
class Run:
    """A stretch of a text that is one value."""

    start: int
    end: int
    kind: Kind
    counts: bool = False
    """Whether it is a number of things: "12 eggs"."""


def runs_in(text: str) -> list[Run]:
    """The values of a text in their order."""
    found = [Run(*match.span(), "contact") for each in (MAIL, WEB, PHONE) for match in each.finditer(text)]
    for match in _HOURS.finditer(text):
        found += [Run(*match.span(), "time")] if _free(match.start(), match.end(), found) else []
    found += [
        _run(token)
        for token in _tokens(text)
        if _free(token.start, token.end, found) and not _PART_OF_NAME.search(text[: token.start])
    ]
    joined: list[Run] = []
    for run in sorted(found, key=lambda each: each.start):
        before = joined[-1] if joined else None
        if before is not None and _one(before, run, text):
            joined[-1] = Run(before.start, run.end, "time")
        else:
            joined.append(run)
    said = [run for run in joined if run.kind != "time" or _SAYS_WHEN.search(text[run.start : run.end])]
    return [_whole(run, text) for run in said]


def _tokens(text: str) -> list[Token]:
    return [
        token
        for token in hard_tokens(text)
        if not _ORDINAL.fullmatch(token.text) and (token.kind in _TIMED or _FIGURE.match(token.text))
        if token.kind in (*_TIMED, "number", "literal")
    ]


def _free(start: int, end: int, taken: Sequence[Run]) -> bool:
    return not any(each.start < end and start < each.end for each in taken)


def _run(token: Token) -> Run:
    counted = [value.unit.lower() for value in token.values if value.type == "count"]
    hour = any(unit in _CLOCK for unit in counted)
    return Run(token.start, token.end, "time" if token.kind in _TIMED or hour else "figure", bool(counted) and not hour)


def _one(before: Run, after: Run, text: str) -> bool:
    between = text[before.end : after.start]
    if before.kind == after.kind == "time":
        return _BETWEEN.fullmatch(between) is not None
    if before.kind == "time" and after.kind == "figure" and text[after.start : after.end].strip("–- ").isdigit():
        return _BETWEEN.fullmatch(between) is not None and "," not in between
    return (
        before.kind == "figure" and after.kind == "time" and not before.counts and _RANGE.fullmatch(between) is not None
    )


def _whole(run: Run, text: str) -> Run:
    """A time with what says before it how it is meant: "until", "every", "from" without an end."""
    if run.kind != "time":
        return run
    if after := _AFTER.match(text[run.end :]):
        run = replace(run, end=run.end + after.end())
    before = _BEFORE.search(text[: run.start])
    if before is None and not _TO.search(text[run.start : run.end]):
        before = _FROM.search(text[: run.start])
    return replace(run, start=before.start()) if before else run


SENTENCE = re.compile(
    r"(?<!\b[A-Z])(?<!\bDr)(?<!\bSt)(?<!\bMr)(?<!\bMrs)(?<!\bNr)(?<!\bca)(?<!\bTel)(?<!\bStr)[.!?;](?=\s|$)"
    r"(?!(?<=\d\.)\s+(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|(?:und|bis|oder)\b))|\n+"
)
_COLON = re.compile(r":\s+")
_COMMA = re.compile(r"\s*,\s+")
_AND = re.compile(r"\s+(?:and|und|or|oder)\s+|\s+(?:plus|sowie)\s+", re.I)
_ARTICLE = (
    r"an?|the|our|my|your|his|her|its|their|some|ein|eine[nmrs]?|der|die|das|den|dem|des|(?:unser|mein|sein|"
    r"ihr)(?:e[nmrs]?)?"
)
_SMALL = (
    rf"{_ARTICLE}|on|at|in|from|for|by|is|are|costs?|pays?|every|each|of|and|to|as well as|also|then|am|um|im|ab|"
    rf"von|vom|"
    r"für|ist|sind|hat|haben|kostet|kosten|zahlt|zahlen|je|jeden|jede|und|dazu|sowie|auch|zu|zum|zur"
)
ARTICLES = re.compile(
    rf"^(?:(?!(?:die|der|den|dem) (?-i:[a-zäöüß]+en) )(?:{_ARTICLE}|and|also|then|please|bitte|und|dazu|auch)\s+)+",
    re.I,
)
SMALL_END = re.compile(rf"(?:(?:^|\s)(?:{_SMALL}|(?:ist|sind|hat|haben) (?:wir|es|er|sie))|[\s,:=–—-])+$", re.I)
_ONLY_SMALL = re.compile(rf"(?:\b(?:{_SMALL}|bis|until|till|or|oder|pm|am|uhr|o'clock|per|pro)\b|[\W_])*", re.I)
_PLACED = re.compile(r"(?:at|in|on|near|by|from|behind|im|in|am|bei|beim|an|auf|vor|von|hinter)\s", re.I)
IS = re.compile(
    r"^(?:(?:we|they|it|he|she|there|wir|sie|er|es)\s+(?:are|'re|is|stays?|remains?|will be|ist|sind|bleib\w*|"
    r"haben|hat|"
    r"has|have|gibt)\b|(?:it|they|he|she|there|er|es|dies)\b)\s*",
    re.I,
)
"""What a sentence begins with that speaks of what was named before, and says no more."""
IS_SAID = re.compile(r"^(?:it|they|there|es) (?:is|are|was|ist|sind|gibt)\s+(?=(?:\S+\s*){1,5}$)", re.I)
"""The same before few words, which say as much without it."""
_IS_NOW = re.compile(r"^(?:ist|sind|is|are|haben|hat)\s+", re.I)
TOLD = re.compile(
    r"\b(?:nicht|not|never|er|sie|es|wir|man|ich|we|they|he|she|it|you|there|everybody|everyone|jeder|alle)\b|"
    r"^(?:the|our|my)(?:\s+\S+){3,}|"
    r"^[a-zäöü]\w*\s+(?:der|die|das|den|eine?[nmrs]?|unser\w*)\b",
    re.I,
)
"""A whole statement, and no name of a thing."""
_IS_GIVEN = re.compile(
    r"((?!.*\b(?:nicht|not)\b)\S.{1,40}?)\s+(?i:is|ist|heißt|lautet)\s+((?:[\"“„].+)|\S*\d\S*|"
    r"[A-ZÄÖÜ][\w'’-]*(?:\s[A-ZÄÖÜ]\w*)*)"
)
"""A thing and what it is called, or a code: "the password is otter24"."""
_PARTICLE = re.compile(r"(?:ab|an|auf|aus|los|statt|off|up)", re.I)
_CONTACTING = re.compile(
    r"(?:.*\b)?(?:call|ring|phone us|write|e?-?mail us|text|contact|reach|get in touch|anruf\w*|ruf\w*|schreib\w*|"
    r"erreich\w*|"
    r"meld\w*)\b.*",
    re.I,
)
MOST_OF_A_LABEL = 7
"""Words."""
_COSTS = re.compile(r"(costs?|kostet|kosten)\s", re.I)
_HELD = "\ue001"
"""Stands for a space within a value, where nothing is cut."""


@dataclass(frozen=True)
class Clause:
    """A part of a sentence; `value` is a price, an amount, a day or a time that stands with `label`.

    `joint` is what stands in the brief between it and the clause before it.
    """

    text: str
    label: str
    value: str = ""
    joint: str = ""
    contact: bool = False
    """Whether the value is a telephone number or an address of the web."""

    @property
    def words(self) -> int:
        """How many words it has."""
        return len(self.text.split())


@dataclass(frozen=True)
class Sentence:
    """A sentence: what stands before its colon, and its clauses."""

    head: str
    clauses: tuple[Clause, ...]
    text: str


def sentences_of(brief: str) -> list[Sentence]:
    """The sentences of a brief in their order."""
    return [read_sentence(text.strip()) for text in SENTENCE.split(brief) if text.strip(" .,;")]


def read_sentence(text: str) -> Sentence:
    """One sentence taken apart."""
    parts = _COLON.split(text, maxsplit=1)
    valued = len(parts) == 2 and any(run.kind == "time" for run in runs_in(parts[0])) and "," in parts[1]
    head, rest = ("", text) if len(parts) == 1 or (valued and len(parts[0].split()) <= 2) else parts
    return Sentence(head.strip(), tuple(clauses_of(rest)), text)


def clauses_of(text: str) -> list[Clause]:
    """The parts of an enumeration; the last is also cut at "and", others only between two prices or times."""
    for run in runs_in(text):
        text = text[: run.start] + re.sub(r"\s", _HELD, text[run.start : run.end]) + text[run.end :]
    cut: list[tuple[str, str]] = []
    place, joint = 0, ""
    for mark in _COMMA.finditer(text):
        parts = _at_and(text[place : mark.start()], joint)
        cut += parts if all(_is_row(part) for part, _ in parts) else [(text[place : mark.start()], joint)]
        place, joint = mark.end(), mark[0]
    cut += _at_and(text[place:], joint)
    found: list[Clause] = []
    for part, mark_before in cut:
        clause = read_clause(part, mark_before)
        if clause.text and not clause.label and found and found[-1].text and found[-1].label and not clause.contact:
            before = found[-1]
            if len(found) > 1 and _is_row(found[-2].text) and _is_row(before.text) and clause.value:
                found.append(clause)  # said of all rows
                continue
            whole = read_clause(f"{before.text}{clause.joint}{clause.text}", before.joint)
            found[-1] = whole if before.value else replace(before, text=whole.text, value=clause.value)
        elif clause.text:
            found.append(clause)
    return found


def _is_row(text: str) -> bool:
    clause = read_clause(text)
    return bool(clause.label and clause.value)


def _at_and(text: str, joint: str) -> list[tuple[str, str]]:
    """The last part of an enumeration cut at its "and": not where one half alone has a price or a time."""
    found: list[tuple[str, str]] = []
    place = 0
    for mark in _AND.finditer(text):
        left, right = text[place : mark.start()], text[mark.end() :]
        one, other = read_clause(left), read_clause(_AND.split(right)[0])
        if bool(other.value) != bool(one.value) and other.label and not (one.value and len(other.text.split()) > 2):
            continue
        found.append((left, joint))
        place, joint = mark.end(), mark[0]
    return [*found, (text[place:], joint)]


def read_clause(text: str, joint: str = "") -> Clause:
    """One clause: what it is about, and the price, amount, day, time or address that it gives for that."""
    text = text.replace(_HELD, " ").strip(" \t.,;:")
    colon = _COLON.split(text, maxsplit=1)
    if len(colon) == 2:
        return Clause(text, bare(colon[0]), colon[1].strip(), joint)
    runs = runs_in(text)
    if not runs:
        is_given = _IS_GIVEN.fullmatch(text)
        return Clause(text, bare(is_given[1] if is_given else text), is_given[2] if is_given else "", joint)
    first = runs[0]
    before = label_of(text[: first.start])
    value, after = text[first.start :].strip(), text[first.end :].strip(" ,")
    if first.kind == "contact":
        label = "" if _CONTACTING.fullmatch(before) else before
        return Clause(text, label, value if after else text[first.start : first.end], joint, contact=True)
    if before:
        if _PARTICLE.fullmatch(after):  # "fährt um 8:10 ab"
            before, value = f"{before} {after}", text[first.start : first.end]
        return Clause(text, before, value, joint)
    if first.kind == "figure" and (costs := _COSTS.match(text)):
        return Clause(text, costs[1], value, joint)
    if first.kind == "figure":  # "200 g flour", "12 eggs": an amount of something is read with it
        is_thing = first.counts or (after and not _ONLY_SMALL.fullmatch(after) and not _PLACED.match(after))
        return Clause(text, text if is_thing else "", "" if is_thing else text, joint)
    after = _IS_NOW.sub("", IS.sub("", after))
    if not after or _ONLY_SMALL.fullmatch(after) or _PLACED.match(after):
        return Clause(text, "", value, joint)
    if TOLD.search(after) and not (re.match(r"(?:we|wir)\s", after) and len(after.split()) <= MOST_OF_A_LABEL):
        return Clause(text, "", text, joint)
    return Clause(text, bare(after), text[first.start : first.end], joint)


def label_of(text: str) -> str:
    """What stands before a value, without small words around it: "It is open from"."""
    return bare(SMALL_END.sub("", IS.sub("", f"{bare(text)} ".lstrip())))


def bare(text: str) -> str:
    """A text without the articles at its beginning."""
    text = text.strip(" \t.,;:–—-")
    return ARTICLES.sub("", f"{text} ").strip() or text
