"""Language tags: whether their first part is a language (BCP 47, IANA language subtag registry)."""

import json
from functools import cache
from importlib.resources import files


def primary_subtag(tag: str) -> str:
    """The first part of a language tag in lower case: `en` of `EN-us`."""
    return tag.partition("-")[0].lower()


def has_known_language(tag: str) -> bool:
    """Whether a language tag begins with a language that is in the registry.

    Nothing else of the tag is looked at, as browsers and screen readers do not either: `en-US-GB` means English.
    Three-letter codes of languages that have one of two letters are not in the registry.
    """
    subtag = primary_subtag(tag)
    return subtag in _subtags() or (len(subtag) == 3 and subtag.isascii() and "qaa" <= subtag <= "qtz")


@cache
def _subtags() -> frozenset[str]:
    data = json.loads(files(__package__).joinpath("language_subtags.json").read_text(encoding="utf-8"))
    return frozenset(subtag for line in data["subtags"].values() for subtag in line.split())
