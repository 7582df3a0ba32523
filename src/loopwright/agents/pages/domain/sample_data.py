"""Records to begin with: plausible values for the fields that a brief names, in its language."""

import re
from dataclasses import replace
from functools import cache

from loopwright.agents.pages.domain.app_model import Block, Field, FieldKind
from loopwright.agents.pages.domain.grammar import before_preposition, lexicon, table
from loopwright.agents.pages.domain.sample_names import (
    has_class,
    has_values,
    is_by_people,
    is_doer,
    is_happening,
    names_of,
    of_holder,
    value_in,
)

MOST_CHOICES = 12
_FIRST_YEAR = 2016
_KINDS: dict[str, FieldKind] = {"status": "choice", "colour": "choice"}
_UNCHANGED = frozenset(
    {"news", "series", "species", "status", "bus", "goods", "details", "sports", "basics", "settings"}
)
_SINGLE = frozenset(
    {"form", "phone", "address", "qr", "signature", "calculator", "timer", "game", "about", "figure", "points"}
)
"""Kinds of block that show one thing."""
_PLURALS = {
    "en": (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("lves", "lf"), ("s", "")),
    "fr": (("eaux", "eau"), ("aux", "al"), ("s", "")),
    "es": (("ciones", "ción"), ("ores", "or"), ("eres", "er"), ("ades", "ad"), ("s", "")),
    "de": (("innen", "in"), ("ungen", "ung"), ("heiten", "heit"), ("keiten", "keit"), ("ionen", "ion"),
           ("epte", "ept"), ("äte", "ät"), ("glieder", "glied"), ("kinder", "kind"), ("freunde", "freund")),
    "zh": (),
}  # fmt: skip


_MONEY = re.compile(r"budget|money|spend|expens|cost|limit|rent|kosten|ausgaben|dépens|gasto|预算|花费|金额|限额", re.I)


def singular(noun: str, language: str) -> str:
    """What one of these is called, by the rules of the language's spelling."""
    parts = noun.split()
    if not parts or language == "zh" or parts[-1].lower() in _UNCHANGED:
        return noun
    place = 0 if language in ("fr", "es") else -1
    word = parts[place]
    if not word.endswith(("ss", "us", "is")):
        for ending, instead in _PLURALS[language]:
            if word.endswith(ending) and len(word) > len(ending) + 1:
                parts[place] = word[: len(word) - len(ending)] + instead
                break
    return " ".join(parts)


@cache
def _field_words() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(rf"(?:{words})", re.I)) for kind, words in table("fields").items())


def field_kind(label: str, language: str) -> str:
    """The kind of a field by the last word of its name; `text` where nothing tells."""
    label = re.sub(r"(?<=\w) (?:per|pro|par|por) .*$", "", label.strip().lower()) or label
    label = before_preposition(label, lexicon(language))[0] or label
    if not label:
        return "text"
    parts = label.split()
    last = parts[0] if language in ("fr", "es") else parts[-1]
    if language == "zh":
        return next((kind for kind, words in _field_words() if re.search(rf"(?:{words.pattern})$", label)), "text")
    tail = re.sub(r"^.*-", "", last)
    for text in (label, " ".join(parts[-2:]), last, tail):
        if kind := next((kind for kind, words in _field_words() if words.fullmatch(text)), ""):
            return kind
    if language == "de":
        return next((kind for kind, words in _field_words() if re.search(rf"(?:{words.pattern})$", last)), "text")
    return "text"


def field_of(label: str, language: str, choices: tuple[str, ...] = ()) -> Field:
    """A field by its label: its kind, unit and choices."""
    words = table("labels")[language]
    label, counted = _plain_label(label)
    if not choices and (asked := re.search(table("measures")["yes_no"], label, re.I)) and len(asked[0]) < len(label):
        label = f"{label[: asked.start()]}{label[asked.end() :]}".strip()
        label, choices = (
            label[:1].upper() + label[1:],
            (str(lexicon(language).words["labels"]["Yes"]), str(lexicon(language).words["labels"]["No"])),
        )
    if choices and choices[0] == str(lexicon(language).words["labels"]["Yes"]).lower():
        choices = tuple(each[:1].upper() + each[1:] for each in choices)
    label = re.sub(r"^(?:give|state|leave) (?:an? |the )?(\w)", lambda found: found[1].upper(), label, flags=re.I)
    kind = "choice" if choices else "number" if counted else field_kind(label, language)
    if label.casefold() == words["Name"].casefold():
        return Field("name", label)
    if not choices and kind == "colour":
        choices = tuple(words["colours"])
    if not choices and kind == "status":
        choices = tuple(words["statuses"])
    unit = next((each[0] for pattern, each in table("units").items() if re.search(pattern, label.lower())), "")
    made: FieldKind = _KINDS.get(kind, kind) if kind in _KINDS else kind  # type: ignore[assignment]
    return Field(key_of(label), label, made, choices[:MOST_CHOICES], unit if made == "number" else "")


def _plain_label(label: str) -> tuple[str, bool]:
    """The name of a field without its clause, and whether it asks how many: the bags of "how many bags they filled"."""
    found = re.match(table("measures")["amount"], label, re.I)
    if found is None or not label[found.end() :].strip():
        return label, False
    # A noun names the field: "number of children" is called so, the bags of "how many bags they filled" are not.
    named = re.match(table("measures")["counts"], label, re.I) is not None
    plain = re.sub(table("measures")["whose"], "", label if named else label[found.end() :], flags=re.I).strip()
    return (plain[:1].upper() + plain[1:] if plain else label), True


def key_of(label: str) -> str:
    """The key of a field: its label in letters and digits."""
    plain = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")
    return plain or "f" + "".join(f"{ord(sign):x}" for sign in label[:4])


_PLACE = {"en": "place", "de": "ort", "fr": "lieu", "es": "lugar", "zh": "位置"}
"""The label whose values say where something is."""
_RATED = re.compile(r"rating|stars?|bewertung|sterne|note|évaluation|étoiles|valoración|estrellas|评分|星级", re.I)
_PAST = (-8, -4, -1, 0, -12, -16)
"""The days of what has happened, from today on."""


def value_of(field: Field, number: int, language: str, *, past: bool = False) -> str | int:
    """A plausible value of a field for the record of this number. A date is the days from today."""
    past = past and not re.search(table("measures")["future"], field.label, re.I)
    before = re.search(r"last|letzte|derni|últim|上次|birth|geburt|inspection|logged|visited", field.label.lower())
    if field.kind == "choice":
        return field.choices[number % len(field.choices)]
    if field.kind == "date":
        return _PAST[number % len(_PAST)] if past else -(5 + 9 * number) if before else 2 + 4 * number
    if field.kind == "year":
        return _FIRST_YEAR + (5 * number) % 9 + (14 if re.search(r"by|bis|avant|前", field.label.lower()) else 0)
    if field.kind == "time":
        return f"{8 + (3 * number) % 11:02d}:{(15 * number) % 60:02d}"
    if field.kind == "money":
        return (12, 25, 40, 8, 60)[number % 5]
    if field.kind == "number" and _RATED.search(field.label):
        return (5, 4, 3)[number % 3]
    if field.kind == "number":
        base = next((each[1] for pattern, each in table("units").items() if re.search(pattern, field.label.lower())), 4)
        return base + (number * 3) % 7 if base < 60 else base + 4 * number
    if field.kind in ("photo", "phone", "email"):
        return {"photo": "", "phone": f"555 01{40 + number}", "email": f"hello{number}@example.com"}[field.kind]
    if field.kind == "notes" and has_values(singular(field.label, language), language):
        return value_in(singular(field.label, language), number, language)
    if field.kind == "notes":
        notes = table("labels")[language]["notes"]
        return str(notes[number % len(notes)])
    if re.match(table("measures")["where"], field.label, re.I):
        return value_in(_PLACE[language], number, language)
    known = has_values(singular(field.label, language), language)
    if (not known and is_doer(field.label, language)) or re.search(
        rf"(?:^|\b)(?:{lexicon(language).words['people']})(?:s|e?n|innen)?$|name$|名$|^{table('measures')['whom']}$",
        field.label.lower(),
    ):
        names = lexicon(language).words["names"]
        return str(names[(number + 2) % len(names)])
    if re.search(r"\b(?:not|nicht|pas|no|with|mit|avec|con)\b", field.label.lower()):  # somebody else
        names = lexicon(language).words["names"]
        return str(names[(number + 3) % len(names)])
    return value_in(singular(field.label, language), number, language)


def filled_block(block: Block, language: str, number: int, *, past: bool = False) -> Block:
    """The block with fields and records enough to be judged before anybody has typed.

    `past` says that its records are of what has happened.
    """
    labels = table("labels")[language]
    fields = list(block.fields)
    kind = block.kind
    unsaid: list[Field] = []
    if kind == "form" and len(fields) < 2:
        wanted = {each.kind for each in fields}
        fields += [field_of(labels["Date"], language)] if "date" not in wanted else []
        fields += [field_of(labels["Notes"], language)]
    elif kind in ("calendar", "week") and not any(each.kind == "date" for each in fields):
        fields = [field_of(labels["Date"], language), field_of(labels["Time"], language), *fields]
    elif kind in ("limits", "chart", "split") and not any(each.kind in ("money", "number") for each in fields):
        amount = field_of(labels["Amount"], language)
        fields.append(amount if kind == "split" or _MONEY.search(block.title) else replace(amount, kind="number"))
    elif kind == "shop" and not any(each.kind == "money" for each in fields):
        fields.append(field_of(labels["Price"], language))
    elif kind == "news" and not fields:
        fields = [field_of(labels["Date"], language), field_of(labels["Notes"], language)]
    elif kind in ("list", "board", "progress") and not fields and not block.read_only:
        fields = [field_of(labels[each], language) for each in _usual_fields(block, language)]
        unsaid = [each for each in fields if each.kind == "notes"]
    elif kind == "list" and not fields and is_happening(singular(block.noun, language), language):
        fields = [field_of(labels["Date"], language), field_of(labels["Time"], language)]
    elif kind in ("people", "phone", "address") and not fields:
        fields = [field_of(labels["Phone"], language)]
    if kind == "list" and fields and all(each.key == block.state for each in fields):
        fields.append(field_of(labels["Date"], language))
    given = [dict(each) for each in block.records]
    named = field_of(block.name_label, language)
    if not given and block.name_label:
        noun = singular(block.noun, language)
        things = not is_by_people(noun, language) and not is_happening(noun, language) and has_class(noun, language)
        given = [{"name": each} for each in names_of(noun, language)] if things else []
    if not given and block.name_label:
        given = [{"name": str(value_of(replace(named, kind="text"), place, language))} for place in range(3)]
    if not given:
        given = [{"name": name} for name in _names(block, language)]
        if kind == "form" and language == "zh" and given[0]["name"] in lexicon(language).words["names"]:
            block = replace(block, name_label="姓名")
    records = []
    for place, record in enumerate(given):
        values = {
            each.key: "" if each in unsaid else value_of(each, place + number % 2, language, past=past)
            for each in fields
        }
        records.append({"id": f"{block.entity.lower()}-{place + 1}", **values, **record})
    unique = tuple({each.key: each for each in fields if each.key != "name"}.values())
    return replace(block, fields=unique, records=tuple(records))


def _usual_fields(block: Block, language: str) -> tuple[str, ...]:
    """The fields of a list whose brief names none: when, for what takes place; how far, for what somebody asks for."""
    noun = singular(block.noun, language)
    if block.kind == "list" and field_kind(noun, language) == "money":
        return ("Price",)
    if block.kind == "list" and is_happening(noun, language):
        return ("Date", "Time")
    return ("Status", "Date") if block.kind != "list" or is_by_people(noun, language) else ("Notes",)


def _names(block: Block, language: str) -> list[str]:
    """Names for records whose brief gives none: people's names for people, else what such things may be called."""
    words = lexicon(language)
    ends = rf"(?:^|\b|(?<=[\u3400-\u9fff]))(?:{words.words['people']})(?:e?s)?$"
    if block.kind in ("people", "chat", "split", "seating") or (
        block.kind not in _SINGLE - {"form"}
        and (re.search(ends, block.noun, re.I) or (language in ("fr", "es") and is_doer(block.noun, language)))
    ):
        names = [str(each) for each in words.words["names"]]
        return names if block.kind == "seating" else names[:4]
    if block.kind in _SINGLE - {"form"}:
        return [block.noun[:1].upper() + block.noun[1:]]
    noun = singular(of_holder(block.title, language) or block.noun, language)
    if noun == words.words["labels"]["Entry"]:  # the title is a clause: what it is about is one of its words
        noun = next((each for each in block.title.split()[1:] if has_class(singular(each, language), language)), "")
        if not noun:
            return [str(each) for each in words.words["names"]][:3]
        noun = noun if language == "de" else noun.lower()
    plain = noun.split()[-1].lower() if noun.split() else noun
    called = names_of(noun, language) if block.kind == "form" else []
    by_people = is_happening(noun, language) or not has_class(noun, language) or all(plain in each for each in called)
    if block.kind == "form" and by_people:  # a boat is booked by somebody
        return [str(each) for each in words.words["names"]][:3]
    kind = "shop" if block.read_only and block.kind == "list" else block.kind
    return names_of(noun, language, kind)
