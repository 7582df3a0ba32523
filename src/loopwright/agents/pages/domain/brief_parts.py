"""What a part of a brief adds to the things before it: choices, records, something that is done with them."""

import re

from loopwright.agents.pages.domain.features import ENTITY_KINDS, MOST_TITLE, Feature, capital, kind_of_block
from loopwright.agents.pages.domain.grammar import Lexicon, Said, is_infinitive, is_verb, said, stripped, table
from loopwright.agents.pages.domain.heads import FIRST_PERSON
from loopwright.agents.pages.domain.restating import HAS
from loopwright.agents.pages.domain.sample_data import field_kind, singular

_PLACING = frozenset(
    {"drag", "move", "assign", "ziehen", "zuordnen", "glisser", "placer", "arrastrar", "asignar", "拖动"}
)

_POINTING = re.compile(
    r"(?:them|it|they|you|this|that|these|those|he|she|him|her|us|me|sie|es|ihn|ihm|dies|ils|elles|cela|eux|ellos|"
    r"ellas|eso)(?!\w)",
    re.I,
)

_EACH_WITH = re.compile(
    r"(?:each(?: one| of them)?|all|every one)(?: of which)? (?:with|has|have) |je(?:de[rs]?|weils)? mit |"
    r"(?:chacune?|chaque \w+) (?:avec|a) |cada (?:un[oa]?|\w+) (?:con|tiene) ",
    re.I,
)


def is_pointing(text: str) -> bool:
    """Whether a noun phrase only points at something said before."""
    return _POINTING.match(text.strip()) is not None


def names_nothing(text: str, words: Lexicon) -> bool:
    """Whether a part without a verb names no thing: "for simplicity", "them", a verb without its object."""
    if not any(sign.isalnum() for sign in text):
        return True
    parts = stripped(text, words).split()
    if not words.spaced or not parts:
        return False
    if len(parts) == 1 and words.language == "en" and kind_of_block(text) == "":
        return parts[0].endswith("ed") or (is_verb(parts[0], words) and not parts[0].endswith("s"))
    begins = words.starts("prepositions", text.strip())
    return is_pointing(text) or (begins is not None and kind_of_block(text) == "")


def known_list(named: str, features: list[Feature], words: Lexicon) -> Feature | None:
    """The list of the things that are named so, in whole or by the last word; "ones" are those of the last list."""
    lists = [each for each in features if each.kind in ENTITY_KINDS]
    if named == words.words["ones"]:
        return next(reversed(lists), None)
    noun = singular(named, words.language)
    nouns = [(each, singular(each.noun, words.language).lower()) for each in lists]
    known = next((each for each, own in nouns if own == noun), None)
    ends = str.startswith if words.language in ("fr", "es") else str.endswith
    known = known or next((each for each, own in nouns if noun and ends(own, noun)), None)
    entered = (each for each in reversed(lists) if each.kind == "form" and _is_of_verb(noun.lower(), each.verb))
    return known or next(entered, None)


def marked_fields(listed: list[str]) -> dict[str, tuple[str, ...]]:
    """The fields with their choices of what a restated brief says that a thing has."""
    told = (each.removeprefix(HAS).partition("=") for each in listed)
    return {capital(label): tuple(choices.split("/")) if choices else () for label, _, choices in told}


def _is_field_word(text: str, words: Lexicon) -> bool:
    """Whether something listed is a word for what things have, or a question: "where it is stored", "ready?"."""
    asks = words.spaced and (words.starts("questions", text) or words.starts("relative", text))
    yes_no = re.search(table("measures")["yes_no"], text) is not None
    known = yes_no or field_kind(text, words.language) not in ("text", "status")
    known = known or (words.spaced and any(words.whole(name, text.lower()) for name in ("people", "prepositions")))
    return bool(re.fullmatch(words.words["field_nouns"], text, re.I) or asks or known or text.endswith(("?", "？")))


def add_listed(feature: Feature, text: str, listed: list[str], words: Lexicon) -> None:
    """What stands in brackets: fields where most are words for one, choices of a field in a form, else records."""
    if listed and listed[0].startswith(HAS):
        feature.fields |= marked_fields(listed)
        return
    nouns = [each for each in listed if _is_field_word(each.strip(), words)]
    sure = [each for each in nouns if field_kind(each.strip(), words.language) != "text"]
    has_fields = nouns and (len(nouns) * 2 >= len(listed) or nouns[0] == listed[0] or (sure and len(listed) > 2))
    if len(listed) > 1 and has_fields and feature.kind in ("list", "people", "shop", "form"):
        feature.fields |= {capital(each): () for each in listed}
        return
    owner = text
    owner_noun = stripped(owner, words).split()[-1] if words.spaced and owner.split() else owner
    names = all(re.match(r"[A-ZÀ-Þ]", each) for each in listed) and words.language == "en"
    if names and len(listed) > 1 and not is_singular(owner_noun, words):
        feature.examples += [name for each in listed for name in re.split(r" and ", each)]
        return
    own_field = owner_noun.lower() not in feature.title.lower().split()[:2]
    if capital(owner_noun) in feature.fields or (feature.kind in ("form", "list") and feature.verb and own_field):
        feature.fields[capital(owner_noun)] = tuple(listed)
    else:
        feature.examples += listed


def _is_of_verb(noun: str, verb: str) -> bool:
    """Whether a noun is what a verb brings about: reports, bookings, réservations."""
    return len(verb) > 3 and (noun.startswith(verb) or (len(verb) > 5 and noun[:5] == verb[:5]))


def acts_on_known(feature: Feature, features: list[Feature], words: Lexicon) -> bool:
    """Whether it is only something that is done with a thing that has a list already: "drag people to tables"."""
    filters = words.whole("searching", feature.verb or "-")
    named = singular(feature.noun, words.language).lower()
    entered = [each for each in features if each.kind == "form" and _is_of_verb(named, each.verb)]
    if entered and words.whole("acting", feature.verb or "-") and feature.kind in ("list", "form"):
        entered[-1].deeds.append(feature.verb)  # what was reported is closed, what was booked confirmed
        return True
    if feature.kind != "list" or not feature.verb or feature.examples or (feature.fields and not filters):
        return False
    noun = singular(feature.noun, words.language).lower()
    known = next((each for each in features if singular(each.noun, words.language).lower() == noun), None)
    if known is None:
        return False
    seating = next((each for each in reversed(features) if each.kind == "seating"), known)
    if filters:
        known.searched, known.fields = True, {**known.fields, **feature.fields}
    elif known.kind == "list" and not known.action and words.whole("acting", feature.verb):
        known.action = capital(feature.verb)  # a button at each of them, and no mere word
        known.deeds.append(feature.verb)
    elif feature.title.lower() not in (known.title.lower(), known.noun.lower()):
        (seating if feature.verb in _PLACING else known).lines.append(feature.title)
    return True


_DETAILS = re.compile(
    r"(?:(?P<of>.*)\s)?(?:details?|info(?:rmation)?|data|propert(?:y|ies)|attributes?|specifications?|angaben|daten|"
    r"eigenschaften|informations?|détails?|données|información|datos|detalles?)",
    re.I,
)


def of_details(noun: str) -> str:
    """The lot of "lot details", whose details what follows "such as" are; empty for a noun that means things."""
    found = _DETAILS.fullmatch(noun.strip())
    return (found["of"] or noun) if found else ""


def without_which(text: str, words: Lexicon) -> tuple[str, list[str]]:
    """A clause without what it asks of each thing ("in which bed"), and the fields that answer it."""
    pattern = rf"(?<=\S)\s+(?:{words.words['prepositions']})\s+(?:{words.words['which']})\s+(?P<noun>[\w-]+)"
    found = list(re.finditer(pattern, text, re.I)) if words.spaced and not words.starts("questions", text) else []
    found = [each for each in found if each.start() > 0 and " " in text[: each.start()].strip()]
    for each in reversed(found):
        text = f"{text[: each.start()]}{text[each.end() :]}"
    return " ".join(text.split()), [capital(each["noun"]) for each in found]


def enters_when(told: Said, words: Lexicon) -> bool:
    """Whether somebody chooses a day or a time, which is entered in a form."""
    return words.whole("one", told.verb or "-") and field_kind(told.object, words.language) in ("date", "time")


_PUBLISHING = re.compile(r"post|publish|announce|veröffentlichen|posten|publier|publient|publicar|publican|发布", re.I)


def published(kind: str, verb: str, words: Lexicon) -> str:
    """The kind of what somebody publishes or only looks at: announcements are news, bookings that are seen a list."""
    if kind == "form" and any(words.whole(name, verb or "-") for name in ("reading", "showing")):
        return "list"
    return "news" if kind == "switches" and _PUBLISHING.fullmatch(verb) else kind


_NUMBERS = re.compile(r"(\d+)((?:(?:,\s+|\s*(?:/|or|oder|ou|o|或)\s*)\d+)+)\s+([^\W\d_]+)", re.I)


def with_choices(text: str) -> str:
    """A text with the figures of which one is chosen in brackets: the minutes (30, 60) of "30 or 60 minutes"."""
    return _NUMBERS.sub(lambda found: f"{found[3]} ({', '.join(re.findall(r'[0-9]+', found[1] + found[2]))})", text)


def question_field(text: str, words: Lexicon) -> tuple[str, bool] | None:
    """The field that answers a clause ("whether it pulls on the lead"), and whether it is a yes or a no."""
    found = words.starts("questions", text) if words.spaced else None
    if found is None or not text[found.end() :].strip():
        return None
    closed = re.match(r"(?:whether|ob|si)(?!\w)", text, re.I) is not None
    told = stripped(text[found.end() :], words)
    plain = re.sub(r"^(?:it|they|he|she|es|er|sie)\s+", "", told, flags=re.I) if closed else text
    return capital(plain), closed


def fields_run(parts: list[str], at: int, text: str, words: Lexicon) -> int:
    """The last part of an enumeration of what each thing has: "engines with maker, gauge and price"; else -1.

    It ends with the part that is joined by "and", and one of its parts must be known as a field.
    """
    found = extras_in(parts[at], words)[1] if words.spaced else []
    if not found or said(parts[at], words).verb:
        return -1
    for place in range(at + 1, min(at + 7, len(parts))):
        before = text[: text.find(parts[place], text.find(parts[place - 1]) + len(parts[place - 1]))]
        if len(parts[place].split()) > MOST_TITLE or said(parts[place], words).verb:
            return -1
        if re.search(rf"\b(?:{words.words['and']})\s*$", before, re.I):
            named = [stripped(each, words) for each in (found[0], *parts[at + 1 : place + 1])]
            kinds = [field_kind(each, words.language) for each in named]
            return place if place > at + 1 and any(kind != "text" for kind in kinds) else -1
    return -1


def logged_fields(head: str, listed: list[str], words: Lexicon) -> dict[str, tuple[str, ...]]:
    """The fields of what somebody writes down, enumerated after a colon: "they note: object, seeing from 1 to 5"."""
    logs = words.inside("logging", head)
    entered = words.inside("forming", head) and any(_is_field_word(each, words) for each in listed)
    if not (listed and ((words.spaced and logs) or entered)) or any(len(each.split()) > 8 for each in listed):
        return {}
    fields: dict[str, tuple[str, ...]] = {}
    for each in listed:
        scale = re.search(r"\s(?:from|von|de) (\d) (?:to|bis|à|a) (\d\d?)$", each)
        asks = words.starts("questions", each) or words.whole("who", each.split()[0])
        label = each if asks else stripped(each[: scale.start()] if scale else each, words)
        choices = range(int(scale[1]), int(scale[2]) + 1) if scale else ()
        fields[capital(label)] = tuple(str(number) for number in choices)
    return fields


def states_in(text: str, rest: list[str], words: Lexicon) -> tuple[str, tuple[str, ...]] | None:
    """The board that a part names, and the states that it and the rest of its sentence enumerate: "statuses are …"."""
    pattern = rf"(?:(?:{words.words['articles']})\s+)*{words.words['stated']}\s+" if words.spaced else "(?!)"
    found = re.match(pattern, text, re.I)
    states = [capital(each) for each in (text[found.end() :], *rest)] if found else []
    if found is None or len(states) < 2 or any(len(each.split()) > 3 for each in states):
        return None
    return capital(stripped(found["board"] or "", words)), tuple(states)


_COUNT = re.compile(
    r"^(?:\d+|two|three|four|five|six|zwei|drei|vier|fünf|sechs|deux|trois|quatre|cinq|dos|tres|cuatro|cinco)\s+(?=[^\W\d])"
    r"|(?<=\w)\s(?:is|are)\s.*$",
    re.I,
)


def without_count(noun: str) -> str:
    """What things are called, without how many there are, and without what is said of them: "nights are planned"."""
    return _COUNT.sub("", noun) or noun


def is_form_field(noun: str) -> bool:
    """Whether a noun after "a form with" is one more field: no kind of block but those that fields are called like."""
    return 0 < len(noun.split()) <= 3 and kind_of_block(noun) in ("", "chat", "phone", "address", "gallery")


def describes_each(text: str, features: list[Feature], words: Lexicon) -> bool:
    """Whether a part names what each thing of the list before it has ("each with age"), and it has the field now."""
    entities = [each for each in features if each.kind in ENTITY_KINDS]
    found = _EACH_WITH.match(text)
    if found is None or not entities:
        return False
    entities[-1].fields[capital(stripped(text[found.end() :], words))] = ()
    return True


def is_bare(text: str, words: Lexicon) -> bool:
    """Whether this is one more word of an enumeration that began behind a verb: "for soprano, alto and bass"."""
    alone = words.language in ("en", "fr", "es") and len(text.split()) == 1 and text.islower()
    return alone and not kind_of_block(text) and field_kind(text, words.language) == "text"


def examples_in(text: str, words: Lexicon) -> tuple[str, str] | None:
    """What stands before "such as" and the first example after it; None where no example is announced."""
    found = words.inside("examples", text)
    if found is None or found.start() == 0 or not text[found.end() :].strip():
        return None
    if not words.spaced and found[0] in ("有", "像", "如"):
        return None
    before, after = text[: found.start()].strip(" ,，"), stripped(text[found.end() :], words)
    if FIRST_PERSON.match(before) or len(before.split()) > 6:
        return None
    return before, after


def without_container(text: str, words: Lexicon, *, fields: bool) -> str:
    """What a list or page is of: the patients of "a list of patients", what is done on "a page where …".

    Where something has `fields`, the number of them is one.
    """
    if fields and re.match(r"(?:the )?number of\s", text, re.I):
        return text
    pattern = rf"^(?:(?:{words.words['articles']})\s+)*(?:{words.words['container']})\s*"
    return re.sub(pattern, "", text, flags=re.I) or text


def extras_in(text: str, words: Lexicon) -> tuple[str, list[str]]:
    """A phrase without what follows "with" or "by", and those."""
    found = words.inside("with", text)
    if found is None or found.start() == 0 or found.end() >= len(text):
        return text, []
    before, after = text[: found.start()].strip(" ,"), text[found.end() :].split()
    if words.language == "en" and re.search(r"\s(?:I|we|they|you|he|she)$", before):
        return text, []  # "the routes I have climbed"
    if words.language in ("fr", "es") and after and is_infinitive(after[0], words):
        return text, []  # "piezas por pedir"
    if words.inside("condition", before):  # "when my child has boarded" is one thing
        return text, []
    rest = text[found.start() :]
    return before, [rest]


def is_singular(noun: str, words: Lexicon) -> bool:
    """Whether a noun is in the singular, by its ending where the language has one."""
    last = noun.split()[-1]
    if words.language == "en":
        return not (last.endswith("s") and not last.endswith(("ss", "us", "is"))) or last.lower() in (
            "notes",
            "initials",
        )
    return True


def tells_more(text: str, features: list[Feature], words: Lexicon) -> bool:
    """Whether a part tells more of the thing before it ("who must not sit together"), which then has this field."""
    entities = [each for each in features if each.kind in ENTITY_KINDS and each.kind != "seating" and not each.fixed]
    found = re.match(rf"(?:{words.words['relative']})\s+(?=\S)", text, re.I) if words.spaced else None
    last = features[-1] if features else None
    if (
        found is None
        or not entities
        or (last and (last.fixed or last.by_people))
        or len(text[found.end() :].split()) > MOST_TITLE
    ):
        return False
    told = text[found.end() :]
    if words.language == "de" and told[:1].isupper():
        return False  # "die Termine" is no clause
    modal = words.starts("modals", told)
    forbids = re.search(r"\b(?:not|nicht|kein\w*|pas|no)\b", told, re.I) is not None
    if not forbids:
        own = told if found[0].lower() not in ("who ", "wer ", "qui ") else text
        told = told[modal.end() :] if modal else own
    told = re.sub(r"^(?:they|it|he|she|we|i)\s+(?:is|are|was|were)?\s*", "", told)
    entities[-1].fields[capital(told)] = ()
    return True
