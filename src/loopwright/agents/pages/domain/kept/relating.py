"""What the blocks of an app have to do with each other: what forms write into, states, fields that name others.

All of it is told by the brief's own nouns: a field called like another list's things is one of these things.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from loopwright.agents.pages.domain.app_model import RECORD_KINDS, Block, Field
from loopwright.agents.pages.domain.features import Feature, capital
from loopwright.agents.pages.domain.grammar import Lexicon, table
from loopwright.agents.pages.domain.sample_data import field_kind, singular
from loopwright.agents.pages.domain.sample_names import SHOWN, has_class, is_by_people, is_happening

_STATED = frozenset({"list", "form", "board", "calendar", "people", "checklist", "map", "progress"})
_HOLDING = frozenset({"list", "people", "shop", "map", "calendar", "form"})
_IRREGULAR = {
    "pay": "paid", "cancel": "cancelled", "send": "sent", "give": "given", "lend": "lent", "absagen": "abgesagt",
    "freigeben": "freigegeben", "annehmen": "angenommen", "ablehnen": "abgelehnt",
}  # fmt: skip
"""Participles that no ending makes."""


def decides(verb: str) -> bool:
    """Whether a verb brings a thing into a state: "approve", "confirm"."""
    return re.fullmatch(table("measures")["decides"], verb, re.I) is not None


def participle(verb: str, language: str) -> str:
    """The state into which a verb brings a thing: "approve" makes it "Approved"."""
    verb = verb.lower()
    if verb in _IRREGULAR:
        return capital(_IRREGULAR[verb])
    if language == "zh":
        return f"已{verb}"
    if language == "en":
        stem = re.sub(r"(?<=[^aeiou])y$", "i", verb)
        return capital(stem + ("d" if stem.endswith("e") else "ed"))
    if language == "de":
        stem = re.sub(r"e?n$", "", verb)
        without = re.match(r"be|ge|er|ver|zer|ent|emp|miss", stem) or stem.endswith("ier")
        return capital(("" if without else "ge") + stem + ("et" if stem[-1:] in "td" else "t"))
    for ending, made in (
        (("er", "é"), ("ir", "i")) if language == "fr" else (("ar", "ado"), ("er", "ido"), ("ir", "ido"))
    ):
        if verb.endswith(ending):
            return capital(verb[: -len(ending)] + made)
    return capital(verb)


def with_state(block: Block, deeds: Sequence[str], words: Lexicon) -> Block:
    """The block that knows which of its fields is its things' state; what decides on them makes them have one."""
    labels = table("labels")[words.language]
    if block.kind not in _STATED:
        return block
    known = [
        each
        for each in block.fields
        if each.kind == "choice"
        and (each.label == labels["Status"] or field_kind(each.label, words.language) == "status")
    ]
    field = next((each for each in known if each.label == labels["Status"]), next(iter(known), None))
    if field is not None:
        return replace(block, state=field.key)
    if not deeds:
        return block
    states = (labels["statuses"][0], *(participle(each, words.language) for each in deeds))
    made = Field("status", labels["Status"], "choice", states)
    told = tuple(capital(each) for each in deeds)
    return replace(block, fields=(*block.fields, made), state="status", deeds=told)


def with_name(block: Block, who: str, listed: bool, words: Lexicon) -> Block:
    """The block whose things are called by the field that says what each is, else by `who` enters or is `listed`."""
    if block.records or block.kind not in ("list", "form", "shop"):
        return block
    pattern = table("measures")["naming"]
    found = next(
        (each for each in block.fields if each.kind == "text" and re.fullmatch(pattern, each.label, re.I)), None
    )
    noun = singular(block.noun, words.language)
    things = has_class(noun, words.language) and not (
        is_by_people(noun, words.language) or is_happening(noun, words.language)
    )
    if (found is None or listed) and block.kind == "form" and who and not things:
        several = [str(each) for each in words.words["names"]][:SHOWN]
        names = [*several, several[0]]  # somebody has done it twice, so that figures of each differ
        return replace(block, name_label=who, records=tuple({"name": each} for each in names))
    if found is None:
        return block
    return replace(block, name_label=found.label, fields=tuple(each for each in block.fields if each is not found))


def merged(pairs: Sequence[tuple[Block, Feature]], words: Lexicon) -> list[tuple[Block, Feature]]:
    """The blocks without plain lists of what a form enters or what is ticked off: these show it and its fields."""
    made = _searched(pairs, words)
    for block, feature in list(made):
        if block.kind not in ("form", "checklist"):
            continue
        noun = singular(block.noun, words.language).lower()
        same = next(
            (
                each
                for each in made
                if each[0].kind == "list"
                and not each[0].read_only
                and singular(each[0].noun, words.language).lower() == noun
            ),
            None,
        )
        at = next((number for number, each in enumerate(made) if each[0] is block), -1)
        if same is None or at < 0 or not noun:
            continue
        other = same[0]
        fields = tuple({each.key: each for each in (*block.fields, *other.fields)}.values())
        made[at] = (
            replace(
                block,
                fields=fields,
                title=block.title if block.kind == "form" else other.title,
                records=block.records or other.records,
                name_label=block.name_label or other.name_label,
                searched=block.searched or other.searched,
                lines=tuple(dict.fromkeys((*block.lines, *other.lines))),
            ),
            feature,
        )
        made.remove(same)
    return made


def _searched(pairs: Sequence[tuple[Block, Feature]], words: Lexicon) -> list[tuple[Block, Feature]]:
    """The blocks without lists of what is only searched among the things of another: that list has a search then."""
    made: list[tuple[Block, Feature]] = []
    nouns = [singular(block.noun, words.language).lower() for block, _ in pairs]
    found: set[int] = set()
    for at, (block, feature) in enumerate(pairs):
        searches = block.kind == "list" and words.whole("searching", feature.verb or "-") and nouns[at]
        other = next((n for n, noun in enumerate(nouns) if n != at and searches and noun.endswith(nouns[at])), None)
        found |= {other} if other is not None else set()
        made += [] if other is not None else [(block, feature)]
    names = {pairs[at][0].entity for at in found}
    return [(replace(block, searched=True) if block.entity in names else block, told) for block, told in made]


def with_references(blocks: Sequence[Block], words: Lexicon) -> list[Block]:
    """The blocks in which a field that is called like the things of another list is one of them."""
    holders = [each for each in blocks if each.kind in _HOLDING and each.records and not each.name_label]
    made = []
    for block in blocks:
        fields, records = [], [dict(each) for each in block.records]
        for field in block.fields:
            source = _source(field, block, holders, words) if block.kind in RECORD_KINDS else None
            if source is None:
                fields.append(field)
                continue
            names = tuple(dict.fromkeys(str(each["name"]) for each in source.records))
            fields.append(replace(field, kind="choice", choices=names, source=source.entity))
            for number, record in enumerate(records):
                if record.get(field.key) not in names:
                    record[field.key] = names[number % len(names)]
        made.append(replace(block, fields=tuple(fields), records=tuple(records)))
    return made


def _source(field: Field, block: Block, holders: Sequence[Block], words: Lexicon) -> Block | None:
    if field.kind != "text":
        return None
    label = singular(field.label, words.language).lower()
    for other in holders:
        noun = singular(other.noun, words.language).lower()
        last = noun.split()[0 if words.language in ("fr", "es") else -1] if noun.split() else ""
        if other is not block and other.entity != block.entity and label and label in (noun, last):
            return other
    return None
