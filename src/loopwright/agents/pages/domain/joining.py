"""What a part of a brief adds to the things before it: choices, records, something that is done with them."""

import re

from loopwright.agents.pages.domain.features import Feature, capital
from loopwright.agents.pages.domain.grammar import Lexicon, stripped
from loopwright.agents.pages.domain.sample_data import singular

_PLACING = frozenset(
    {"drag", "move", "assign", "ziehen", "zuordnen", "glisser", "placer", "arrastrar", "asignar", "拖动"}
)


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
    """Whether it is only something that is done with a thing that has a list already: "drag guests to tables"."""
    if feature.kind != "list" or not feature.verb or feature.examples or feature.fields:
        return False
    noun = singular(feature.noun, words.language).lower()
    known = next((each for each in features if singular(each.noun, words.language).lower() == noun), None)
    if known is None:
        return False
    seating = next((each for each in reversed(features) if each.kind == "seating"), known)
    (seating if feature.verb in _PLACING else known).lines.append(feature.title)
    return True
