"""Figures of what an app keeps: what "how many bags this month" counts, found by its words among lists and fields."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from loopwright.agents.pages.domain.app_model import RECORD_KINDS, Block, Field, Measure
from loopwright.agents.pages.domain.grammar import Lexicon, before_preposition, stripped, table
from loopwright.agents.pages.domain.sample_data import field_kind, field_of, filled_block, singular, value_of

_SPANS = ("day", "week", "month", "year")
_FEWEST_ALIKE = 5
"""Letters at their beginnings in which two forms of a word are alike: "cleaning", "cleaned"."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_FIGURE = re.compile(r"\d[\d.,]*")
_COUNTED = {"number", "money"}
_UNITS = {
    "km": "kilometres kilometers Kilometer kilomètres kilómetros 公里", "kg": "kilos kilograms Kilogramm 公斤",
    "h": "hours Stunden heures horas 小时", "min": "minutes Minuten minutos 分钟",
}  # fmt: skip
"""Words for the units in which fields are kept."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    spaced = "|".join(each for each in _parts(table("measures")[name]) if not _HAN.search(each))
    han = "|".join(each for each in _parts(table("measures")[name]) if _HAN.search(each))
    return re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])|(?:{han or '(?!)'})", re.I)


def _parts(pattern: str) -> list[str]:
    """The alternatives of a pattern; those inside of brackets stay together."""
    return re.split(r"\|(?![^(\[]*[)\]])", pattern)


def asks_figure(text: str) -> bool:
    """Whether a part of a brief asks for a figure of what is kept."""
    return _pattern("asks").search(text) is not None


def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one, or one ends a compound with the other."""
    if _HAN.search(one) or _HAN.search(other):
        return any(one[at : at + 2] in other for at in range(len(one) - 1))
    mine, its = (re.sub(r"(?:e[ns]?|n|s|é?es)$", "", each.lower()) or each.lower() for each in (one, other))
    if len(mine) < 3 or len(its) < 3:
        return one.lower() == other.lower()
    begins = mine[:_FEWEST_ALIKE] == its[:_FEWEST_ALIKE] and min(len(mine), len(its)) >= min(_FEWEST_ALIKE, 4)
    longer, shorter = sorted((mine, its), key=len, reverse=True)
    return mine == its or begins or (len(shorter) >= _FEWEST_ALIKE and longer.endswith(shorter))


def _shares(text: str, label: str, words: Lexicon) -> int:
    """How many words of a label stand in a text, in whatever form."""
    if not words.spaced:
        return sum(text.count(label[at : at + 2]) > 0 for at in range(len(label) - 1))
    known = re.findall(r"[^\W\d_]{3,}", text)
    own = [each for each in re.findall(r"[^\W\d_]{3,}", label) if not _is_joint(each, words)]
    return sum(any(alike(each, said) for said in known) for each in own)


def _place(text: str, label: str) -> int:
    """Where in a text the first of a label's words stands: of "price per litre" the price is asked for."""
    known = list(re.finditer(r"[^\W\d_]{3,}", text))
    places = [each.start() for each in known for own in re.findall(r"[^\W\d_]{3,}", label) if alike(own, each[0])]
    return min(places, default=len(text))


def _is_joint(word: str, words: Lexicon) -> bool:
    return any(words.whole(name, word.lower()) for name in ("articles", "prepositions", "modals", "with"))


def measure_of(text: str, blocks: Sequence[Block], words: Lexicon, before: int = 0) -> Measure | None:
    """What a figure that a text asks for is counted from, else what was entered last `before` it; None without any."""
    kept = [each for each in blocks if each.kind in RECORD_KINDS and each.kind != "chart"]
    plain, _, _ = text.partition("\n")
    worth = [(each, field) for each in kept for field in each.fields if field.kind == "money"]
    found: list[tuple[tuple[int, int, int], Block, Field | None]] = []
    for at, block in enumerate(kept):
        noun = _shares(plain, f"{block.noun} {block.title}" if words.spaced else block.noun, words)
        for field in (each for each in block.fields if each.kind in _COUNTED):
            share = _shares(plain, f"{field.label} {_UNITS.get(field.unit, '')}", words)
            place = -_place(plain, field.label)
            found.append(((3 * share + noun, at, place), block, field) if share else ((0, at, 0), block, None))
        stated = 2 * bool(noun and _state_in(plain, block, words)[1])  # "on loan" is said of what knows this state
        found.append(((2 * noun + stated, at, 0), block, None))
    best = max(found, key=lambda each: each[0], default=None)
    if best is not None and best[0][0]:
        money = [each for each in best[1].fields if each.kind == "money" and _pattern("worth").search(plain)]
        measure = _measured(text, best[1], best[2] or next(iter(money), None), kept, words)
        return None if measure.op == "count" and _pattern("mean").search(plain) else measure  # no mean of nothing
    if worth and _pattern("worth").search(plain):
        return _measured(text, *worth[-1], kept, words)
    if plain != text:
        return measure_of(text.replace("\n", " "), blocks, words, before)
    entered = [each for each in blocks[:before] if each.kind == "form"] or [
        each for each in kept if each.kind == "form"
    ]
    if counted_thing(text, words) or not entered:
        return None
    counted = [(each, field) for each in entered for field in each.fields if field.kind in _COUNTED]
    if counted and words.spaced and not _pattern("counts").match(text):
        return _measured(text, *counted[-1], kept, words)
    made = _measured(text, entered[-1], None, kept, words)
    chosen = [each.key for each in entered[-1].fields if each.kind == "choice" and each.key != entered[-1].state]
    if chosen and not made.by and _pattern("each").search(text):
        return replace(made, by=chosen[0])
    return made if words.spaced else None  # where words are not told apart nobody knows what else is counted


def counted_thing(text: str, words: Lexicon) -> str:
    """What a figure is of, in a language that writes words apart: the honey of "how much honey was harvested"."""
    if not words.spaced:
        return ""
    plain = re.sub(r"^(?:the|die|das|le|la|el)\s+|\s+total(?:e|es)?$", "", text.partition("\n")[0], flags=re.I)
    plain = re.sub(
        rf"^(?:{table('measures')['counts']})\s*|(?<!\w)(?:{table('measures')['figure']})(?!\w)", " ", plain, flags=re.I
    )
    plain = re.sub(table("measures")["whose"], "", f" {plain.strip()}", flags=re.I).strip()
    for each in (*_SPANS, "left", "each"):
        found = _pattern(each).search(plain)
        plain = plain[: found.start()].strip() if found else plain
    noun = before_preposition(stripped(plain, words), words)[0]
    parts = [each for each in noun.split() if not _is_joint(each, words)]
    return " ".join(parts[:3]) if any(len(each) > 2 for each in parts) else ""


def _logged(figure: Block, text: str, words: Lexicon) -> tuple[Block, Block] | None:
    """A form in which what nobody else enters is entered, and the figure of it."""
    thing = counted_thing(text, words)
    if not thing:
        return None
    labels = table("labels")[words.language]
    worth = _pattern("worth").search(text) is not None
    amount = Field("amount", labels["Amount" if worth else "Quantity"], "money" if worth else "number")
    title = thing[:1].upper() + thing[1:]
    fields = (amount, field_of(labels["Date"], words.language))
    names: list[dict[str, str | int]] = [{"name": str(each)} for each in words.words["names"][:3]]
    plain = Block(
        "form", title, thing, f"{figure.entity}Entry", fields, tuple(names), action=f"{labels['Add']}: {title}"
    )
    form = filled_block(plain, words.language, 0, past=True)
    measure = _measured(text, form, amount, [form], words)
    return replace(figure, measure=measure, fields=(), records=()), form


def _measured(text: str, block: Block, field: Field | None, kept: Sequence[Block], words: Lexicon) -> Measure:
    asks_mean = _pattern("mean").search(text) is not None
    if asks_mean and field is None:
        field = next((each for each in block.fields if each.kind in _COUNTED), None)
    span = next((each for each in _SPANS if _pattern(each).search(text)), "")
    dates = [each for each in block.fields if each.kind == "date"]
    date = next((each.key for each in dates if not re.search(table("measures")["future"], each.label, re.I)), "")
    amount = _FIGURE.search(text) if _pattern("left").search(text) else None
    state, states = _state_in(text, block, words)
    return Measure(
        entity=block.entity,
        op="count" if field is None else "mean" if asks_mean else "sum",
        field=field.key if field else "",
        kind=field.kind if field else "number",
        unit=field.unit if field else "",
        span=span,
        date=date or "date",
        state=state,
        states=states,
        by=_by(text, block, kept, words),
        times=_times(field, block) if field and not asks_mean else "",
        limit=float(amount[0].replace(",", "").rstrip(".")) if amount else 0,
    )


_FOR_EACH = re.compile(r"\b(?:per|pro|je|par|por|each|a piece|unit|stück)\b|每|单价", re.I)


def _times(field: Field, block: Block) -> str:
    """The number of pieces for each of which there is a price: the pots of "price per pot"."""
    found = _FOR_EACH.search(field.label) if field.kind == "money" else None
    counts = [each for each in block.fields if each.kind == "number" and not each.unit] if found else []
    named = [
        each for each in counts if found and alike(each.label.split()[-1], field.label[found.end() :].strip() or "-")
    ]
    return (named or counts)[0].key if counts else ""


def _state_in(text: str, block: Block, words: Lexicon) -> tuple[str, tuple[str, ...]]:
    """The state whose records alone count, where the text says one of the list's."""
    field = next((each for each in block.fields if each.key == block.state), None)
    said = [each for each in field.choices if _shares(text, each, words)] if field else []
    return (field.key, tuple(said)) if field and said and len(said) < len(field.choices) else ("", ())


def _by(text: str, block: Block, kept: Sequence[Block], words: Lexicon) -> str:
    """The key of the field for each of whose values there is a figure: the pupils of "per pupil"."""
    for found in _pattern("each").finditer(text):
        rest = text[found.end() :].strip()
        noun = rest[:6] if not words.spaced else " ".join(rest.split()[:2])
        if noun and words.spaced and words.whole("modals", noun.split()[0]):
            return "name"  # "everybody has to do 12 hours"
        if not noun or any(_pattern(each).match(text[found.start() :]) for each in _SPANS):
            continue
        fields = [each for each in block.fields if each.kind in ("text", "choice") and _shares(noun, each.label, words)]
        if fields:
            return fields[0].key
        if _shares(noun, block.noun, words):
            return "name"
        people = _is_person(noun, words)
        if people or any(_shares(noun, each.noun, words) for each in kept if each is not block):
            return "name"
    return ""


def _is_person(noun: str, words: Lexicon) -> bool:
    if not words.spaced:
        return re.match(rf"(?:{words.words['people']}|人)", noun) is not None
    first = noun.split()[0]
    return words.whole("people", first) or words.whole("people", singular(first, words.language).lower())


def with_measures(blocks: Sequence[Block], texts: Sequence[str], words: Lexicon) -> list[Block]:
    """The blocks, where those that ask for a figure of others show it; what nothing is kept for goes.

    A list is a figure where its words ask for one, it has no fields, and others have what it counts.
    """
    made: list[Block] = []
    for block, text in zip(blocks, texts, strict=True):
        figure = block.kind == "figure"
        asks = figure or (block.kind in ("list", "chart", "limits") and asks_figure(text))
        if not asks or (not figure and block.fields and not _only_counted(block, words)):
            made.append(block)
            continue
        others = [each for each in blocks if each is not block and each.kind != "figure"]
        before = sum(each.kind != "figure" for each in blocks[: blocks.index(block)])
        measure = measure_of(text, others, words, before) if figure or _is_named(text, others, words) else None
        if measure is not None:
            made.append(replace(block, kind="figure", measure=measure, fields=(), records=(), action="", state=""))
        elif not figure:
            made += [block] if counted_thing(text, words) or not words.spaced else []
        elif logged := _logged(block, text, words):
            made += logged
    return made


def _is_named(text: str, blocks: Sequence[Block], words: Lexicon) -> bool:
    """Whether a text has words of what is kept, or asks for what things are worth."""
    labels = [each.label for block in blocks for each in block.fields] + [each.noun for each in blocks]
    return _pattern("worth").search(text) is not None or any(_shares(text, each, words) for each in labels)


def _only_counted(block: Block, words: Lexicon) -> bool:
    return all(field_kind(each.label, words.language) in {*_COUNTED, "notes"} for each in block.fields)


def dated(blocks: Sequence[Block], words: Lexicon) -> list[Block]:
    """The blocks in which what is counted of a time says when it was; what they begin with was so lately."""
    spans = {each.measure.entity: each.measure.date for each in blocks if each.measure and each.measure.span}
    made = []
    for block in blocks:
        key = spans.get(block.entity) if block.measure is None else None
        if key:
            label = table("labels")[words.language]["Date"]
            field = next((each for each in block.fields if each.key == key), None)
            fields = block.fields if field else (*block.fields, replace(field_of(label, words.language), key=key))
            days = [
                value_of(Field(key, label, "date"), at, words.language, past=True) for at in range(len(block.records))
            ]
            records = tuple({**each, key: day} for each, day in zip(block.records, days, strict=True))
            block = replace(block, fields=fields, records=records)
        made.append(block)
    return made


def figure_asked(text: str) -> bool:
    """Whether a sentence wants to know how much or how many, and does not only tell of it."""
    return re.search(rf"(?<!\w)(?:{table('measures')['figure']})(?!\w)", text, re.I) is not None
