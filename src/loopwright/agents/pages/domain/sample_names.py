"""What the records of a thing may be called, and what may stand in their fields, where the brief gives no example.

The classes are those of a general dictionary (what happens, what is a place, what is written by somebody), told by the
noun's last word; what belongs to none is somebody's: "Nora's bowl".
"""

import re
from collections.abc import Sequence
from functools import cache

from loopwright.agents.pages.domain.grammar import lexicon, table

SHOWN = 3
"""Records that a list begins with where the brief gives no examples."""
_LETTERS = "ABCDEFGH"
"""Of codes that number things."""
_ELIDED = re.compile(r"[aeiouhéèêàâîôû]", re.I)


@cache
def _classes(language: str, part: str) -> tuple[tuple[re.Pattern[str], Sequence[str] | str], ...]:
    rows = table("samples")[language][part]
    return tuple((re.compile(rf"(?:{pattern})", re.I), values) for pattern, values in rows)


def _class_of(noun: str, language: str, part: str) -> Sequence[str] | str:
    """The values of the class of a noun's head, else nothing."""
    words = noun.split()
    if not words:
        return ()
    heads = [noun] if language == "zh" else [words[0] if language in ("fr", "es") else words[-1], noun]
    for pattern, values in _classes(language, part):
        if language == "zh" and re.search(rf"(?:{pattern.pattern})$", noun):
            return values
        if any(pattern.fullmatch(head) for head in heads):
            return values
    return ()


_DOER = re.compile(
    r"(?!\w*(?:number|water|order|weather|paper|container|power|colour|\w*oor|color|folder|trailer|sensor|motor|"
    r"letter|matter|offer|corner|master|water|summer|winter|quarter|chapter|layer|counter|computer|printer|factor|error|"
    r"indicator|theatre|river|flower|tower|filter|meter|cover|member number)$)\w{3,}(?:er|or|ist)|"
    r"\w+(?:leiter|führer|fahrer|geber|nehmer|träger|macher|besitzer|melder|finder|prüfer|pate|patin)(?:in)?",
    re.I,
)
"""English and German words for who does something, by their endings, without the things that end alike."""


_ROMANCE_DOER = re.compile(
    r"(?!(?:ordinat|mot|ascens|compt|aspirat|fact|coul|val|haut|long|larg|ordena|calcula|come|mostra|carga)\w+)"
    r"\w{3,}(?:eur|euse|dora?)s?",
    re.I,
)


def is_doer(label: str, language: str) -> bool:
    """Whether a field is somebody by its ending: the setter of a route."""
    if language in ("fr", "es"):
        return _ROMANCE_DOER.fullmatch((label.split() or [""])[0]) is not None
    last = label.split()[-1:] if language in ("en", "de") else []
    return bool(last) and _DOER.fullmatch(last[0]) is not None


_CODE = re.compile(
    r"(?:number|code|plate|\bid|nummer|kennzeichen|numéro|immatriculation|número|matrícula|código|placa|编号|号码?|车牌)$",
    re.I,
)


def value_in(label: str, number: int, language: str) -> str:
    """A plausible text for a field by its label: a code where it numbers things, else a common word."""
    found = _class_of(label, language, "values")
    letter = _LETTERS[number % len(_LETTERS)]
    if not found and _CODE.search(label):
        return f"{letter}-{104 + 13 * number}"
    found = found or table("samples")[language]["other"]
    return str(found[number % len(found)])


def has_values(label: str, language: str) -> bool:
    """Whether it is known what may stand in a field of this label."""
    return bool(_class_of(label, language, "values"))


def is_happening(noun: str, language: str) -> bool:
    """Whether a noun names something that takes place at a time."""
    samples = table("samples")[language]
    found = _class_of(_bare(noun, language), language, "names")
    return bool(found) and found in (samples["happening"], samples.get("yearly"))


def is_by_people(noun: str, language: str) -> bool:
    """Whether the things of this name are each made by somebody: requests, orders."""
    return _class_of(_bare(noun, language), language, "names") == "people"


def has_class(noun: str, language: str) -> bool:
    """Whether a noun belongs to a class of things that are known."""
    return bool(_class_of(noun, language, "names"))


def of_holder(title: str, language: str) -> str:
    """What a calendar, a list or a form is of, where its title says so: the workshops of "calendar of workshops"."""
    words = lexicon(language)
    found = re.match(rf"(?:{words.words['holder']})\s+(?:of|de|des|du|der|von)\s+(?P<of>\w.*)", title, re.I)
    return found["of"] if found and words.spaced else ""


def names_of(noun: str, language: str, kind: str = "list") -> list[str]:
    """Three names for records of a thing that is called so in the singular, in a block of this kind."""
    words, samples = lexicon(language), table("samples")[language]
    plain = _bare(noun, language)
    found = _class_of(plain, language, "names")
    if found == "people":
        return [str(each) for each in words.words["names"]][:SHOWN]
    usual = {"shop": "goods", "cart": "goods", "chart": "chart", "checklist": "checklist", "week": "week"}.get(kind, "")
    if kind == "chart" or (usual and not found):
        found = samples[usual]
    if found:
        return [_filled(each, plain, language) for each in found]
    return [
        _filled(_joined(samples["owned"], given, language).replace("{p}", given), plain, language)
        for given in (_given_name(str(each), language) for each in words.words["names"][:SHOWN])
    ]


def _bare(noun: str, language: str) -> str:
    """A noun without what only orders its things: the drives of "upcoming drives", the bids of a bid history."""
    words = lexicon(language)
    plain = (
        re.sub(rf"^(?:{table('samples')[language]['before']})" + (r"\s+" if words.spaced else ""), "", noun, flags=re.I)
        or noun
    )
    holder = rf"\s(?:{words.words['holder']})$" if words.spaced else rf"(?<=.)(?:{words.words['holder']})$"
    return re.sub(holder, "", plain, flags=re.I) or plain


def _given_name(name: str, language: str) -> str:
    return name[-2:] if language == "zh" else name.split()[0]


def _joined(pattern: str, given: str, language: str) -> str:
    return pattern.replace(" de {p}", " d'{p}") if language == "fr" and _ELIDED.match(given) else pattern


def _filled(pattern: str, noun: str, language: str) -> str:
    """A pattern with the noun in it; in French and Spanish its head alone, with which an adjective need not agree."""
    head = (noun.split() or [noun])[0 if language in ("fr", "es") else -1]
    noun = head if language in ("fr", "es") else noun
    named = pattern.replace("{n}", noun).replace("{N}", noun[:1].upper() + noun[1:])
    named = named.replace("{h}", head[:1].upper() + head[1:])
    return named[:1].upper() + named[1:]
