"""What people do with an app, and whether a section of a page lets them: tried in the browser, by no name alone."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from loopwright.agents.pages.account.pages import Control, Section, Seen
from loopwright.agents.pages.account.vocabulary import HAN, literally, stands

_MODAL = re.compile(
    r"(?:\b(?:can|could|may|should|must|will|would|shall|to|not|never|also|and|or|then|please|let|lets|i|we|you|they|"
    r"users?|who|people|staff|everyone|everybody|anyone|kann|können|soll|sollen|darf|dürfen|muss|müssen|möchte|"
    r"möchten|will|wollen|ich|wir|sie|man|und|oder|peuvent|peut|doivent|doit|pouvoir|pour|et|ou|on|ils|elles|nous|je|"
    r"qui|pueden|puede|deben|debe|poder|para|y|o|que|quieren|queremos|a)|\w{3,}[^su\W]s|可以|能够?)\s*$",
    re.I,
)
"""What stands before a verb: a modal word, a pronoun, a joint, or people in the plural."""
_MAKER = re.compile(r"\w{3,}(?:er|or)s?", re.I)


@dataclass(frozen=True)
class Deed:
    """A verb of a text: its kind in `deeds.json`, and its place."""

    kind: str
    start: int
    end: int


@cache
def _table() -> dict[str, Any]:
    text = resources.files("loopwright.agents.pages.account").joinpath("deeds.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


@cache
def _asked() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for kind, each in _table().items():
        spaced = "|".join(words for code, words in each["asked"].items() if code != "zh")
        found.append((kind, re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])|{each['asked'].get('zh', '(?!)')}", re.I)))
    return tuple(found)


@cache
def _german() -> re.Pattern[str]:
    return re.compile("|".join(each["asked"]["de"] for each in _table().values()))


@cache
def _named(kind: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-zäöüß])(?:{_table()[kind]['named'] or '(?!)'})(?![a-zäöüß])", re.I)


@cache
def _nouns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (kind, re.compile(rf"(?<![\w-])(?:{each['nouns']})(?![\w-])|(?:{_han_of(each['nouns'])})", re.I))
        for kind, each in _table().items()
        if "nouns" in each
    )


def _han_of(pattern: str) -> str:
    return "|".join(part for part in pattern.split("|") if HAN.search(part)) or "(?!)"


def kinds_of(word: str) -> list[str]:
    """The kinds of deed that a verb or a noun names."""
    verbs = [kind for kind, pattern in _asked() if pattern.fullmatch(word)]
    nouns = [kind for kind, pattern in _nouns() if pattern.fullmatch(word) or _named(kind).fullmatch(word)]
    return verbs or nouns


def deeds_in(text: str) -> list[Deed]:
    """What is done, in the order of the text: words that are verbs where they stand, no noun that sounds alike."""
    found: list[Deed] = []
    for kind, pattern in _asked():
        for match in pattern.finditer(text):
            if any(each.start < match.end() and match.start() < each.end for each in found):
                continue
            if _is_verb(text, match.start(), match.end()):
                found.append(Deed(kind, match.start(), match.end()))
    return sorted(found, key=lambda each: each.start)


def _is_verb(text: str, start: int, end: int) -> bool:
    before, word, after = text[:start].rstrip(), text[start:end], text[end:].strip(" .,:;")
    if HAN.search(word):
        return len(after) > (len(word) == 1) or _MODAL.search(before) is not None
    if _MODAL.search(before):
        return True
    if word.isupper() and len(word) > 1:
        return False
    if before:  # German verbs stand last, in small letters
        return not after and word[:1].islower() and _german().fullmatch(word) is not None
    words = after.split()
    return bool(words) and not (len(words) == 1 and _MAKER.fullmatch(words[0]) and not words[0].endswith("s"))


def functions_in(text: str) -> list[str]:
    """Nouns of a text that name something that works: a calculator, a checklist."""
    return [match[0] for _, pattern in _nouns() if (match := pattern.search(text))]


# Whether a section lets people do it.


def lets(page: Seen, number: int, verb: str, words: Sequence[str] = ()) -> bool:
    """Whether this section of a page has something that does what the verb says, and did it when it was tried."""
    if not verb:
        forms = any(each.part == number and each.answers for each in page.forms)
        return forms or any(each.part == number and each.answers for each in page.controls)
    kinds = kinds_of(verb) or ["other"]
    section = page.sections[number]
    controls = [each for each in page.controls if each.part == number]
    if kinds == ["choose"]:
        return _chooses(section, controls, words)
    return any(_lets(kind, page, number, section, controls, verb) for kind in kinds)


def _chooses(section: Section, controls: Sequence[Control], words: Sequence[str]) -> bool:
    """Whether there are several of what is chosen: options of a field, or buttons and links, under their name."""
    of_lists = [_named(name) for name in ("edit", "remove", "keep")]
    pressed = [each for each in controls if each.answers and not any(name.search(each.name) for name in of_lists)]
    links = [each for each in controls if each.tag == "a" and len(each.target) > 1]
    fields = [each for each in controls if len(each.options) > 1 or each.kind == "radio"]
    for found in (fields, pressed, links):
        told = " ".join([section.title, *(each.name for each in found)])
        if found and (found is fields or len(found) > 1) and all(stands(word, told) for word in words):
            return True
    return False


def _lets(kind: str, page: Seen, number: int, section: Section, controls: Sequence[Control], verb: str) -> bool:
    working = [each for each in controls if each.answers]
    forms = [each.text for each in page.forms if each.part == number and each.answers]
    if kind == "move":
        return section.moves > 0
    if kind == "tick":
        return bool(page.ticks and page.ticks.work) and any(each.kind == "checkbox" for each in controls)
    if kind == "count":
        return any(each.counts for each in page.counting or ()) and any(
            each.tag in ("input", "select") for each in controls
        )
    if kind == "enter":
        return bool(forms) or any(each.opens or each.tag in ("input", "textarea", "select") for each in working)
    if kind == "swipe":
        return len([each for each in working if _named(kind).search(each.name)]) > 1
    if kind in ("search", "hear", "keep", "edit", "remove", "sign"):
        named = [each.name for each in working] + (forms if kind in ("keep", "sign") else [])
        return any(_named(kind).search(name) for name in named)
    own = any(stands(verb, each.name) or literally(verb, each.name) for each in working)
    return own or any(stands(verb, f"{section.title} {text}") for text in forms)
