"""The words in which people ask for changes of an app, in English, German, French, Spanish and Chinese."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from loopwright.kernel.account.reading import language_of

HAN = re.compile(r"[\u3400-\u9fff]")


@cache
def words() -> Mapping[str, Any]:
    """The vocabulary: regular expressions by what they mean."""
    folder = resources.files("loopwright.agents.pages.requests")
    found: dict[str, Any] = {}
    for name in ("words.json", "data_words.json"):
        found |= json.loads(folder.joinpath(name).read_text(encoding="utf-8"))
    return found


@cache
def any_of(*expressions: str) -> re.Pattern[str]:
    """A pattern for one of these expressions as whole words; Chinese has no words apart."""
    apart = [each for each in expressions if not HAN.search(each)]
    joined = [each for each in expressions if HAN.search(each)]
    longest = "|".join(sorted(apart, key=len, reverse=True))
    parts = [rf"(?<![^\W_])(?:{longest})(?![^\W_])"] if apart else []
    parts += ["|".join(sorted(joined, key=len, reverse=True))] if joined else []
    return re.compile("|".join(parts), re.IGNORECASE)


def group(name: str) -> re.Pattern[str]:
    """The pattern of a list of the vocabulary."""
    return any_of(*words()[name])


def verb(name: str) -> re.Pattern[str]:
    """The pattern of verbs that mean one kind of change."""
    return any_of(*words()["verbs"][name])


def named(table: str, text: str) -> tuple[str, re.Match[str]] | None:
    """The entry of a table whose words stand first in a text, the longer ones before the shorter."""
    found = []
    for key, expressions in words()[table].items():
        match = any_of(*expressions).search(text)
        if match is not None:
            found.append((match.start(), -len(match[0]), key, match))
    return min(found, key=lambda each: each[:2])[2:] if found else None


def without(text: str, patterns: Iterable[re.Pattern[str]]) -> str:
    """A text without what the patterns find."""
    for pattern in patterns:
        text = pattern.sub(" ", text)
    return text


def left_over(text: str) -> str:
    """The words of a text that are none of the function words of its language: what is still to be understood."""
    empty = words()["empty"]
    chosen = {*empty[language_of(text)], *(empty["zh"] if HAN.search(text) else empty["en"]), *words()["every_one"]}
    rest = any_of(*chosen).sub(" ", text)
    return " ".join(re.findall(r"[\w’'&.+#-]+", rest)).strip(" .'-’")


@cache
def _sentences() -> Mapping[str, Mapping[str, str]]:
    text = resources.files("loopwright.agents.pages.requests").joinpath("replies.json").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, str]] = json.loads(text)
    return found


def sentence(language: str, name: str, **values: str) -> str:
    """A sentence in the user's language."""
    return _sentences()[language][name].format(**{"what": "", "page": "", "told": "", "detail": "", **values})
