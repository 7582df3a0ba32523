"""What a part of a brief adds to the things before it: choices, records, something that is done with them."""

import re

from loopwright.agents.pages.domain.features import ENTITY_KINDS, Feature, capital, kind_of_block
from loopwright.agents.pages.domain.grammar import Lexicon, is_verb, stripped
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
    parts = stripped(text, words).split()
    if not words.spaced or not parts:
        return False
    if len(parts) == 1 and words.language == "en" and kind_of_block(text) == "":
        return parts[0].endswith("ed") or (is_verb(parts[0], words) and not parts[0].endswith("s"))
    begins = words.starts("prepositions", text.strip())
    return is_pointing(text) or (begins is not None and kind_of_block(text) == "")


def add_listed(feature: Feature, text: str, listed: list[str], words: Lexicon) -> None:
    """What stands in brackets: choices of a field in a form, else records."""
    owner = re.split(r"[(（]", text)[0]
    owner_noun = stripped(owner, words).split()[-1] if words.spaced and owner.split() else owner
    own_field = owner_noun.lower() not in feature.title.lower().split()[:2]
    if capital(owner_noun) in feature.fields or (feature.kind in ("form", "list") and feature.verb and own_field):
        feature.fields[capital(owner_noun)] = tuple(listed)
    else:
        feature.examples += listed


def acts_on_known(feature: Feature, features: list[Feature], words: Lexicon) -> bool:
    """Whether it is only something that is done with a thing that has a list already: "drag people to tables"."""
    if feature.kind != "list" or not feature.verb or feature.examples or feature.fields:
        return False
    noun = singular(feature.noun, words.language).lower()
    known = next((each for each in features if singular(each.noun, words.language).lower() == noun), None)
    if known is None:
        return False
    seating = next((each for each in reversed(features) if each.kind == "seating"), known)
    (seating if feature.verb in _PLACING else known).lines.append(feature.title)
    return True


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
