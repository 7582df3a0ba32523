"""Blocks while they are being read, and how they are called: titles, slugs, entities, kinds."""

import re
from dataclasses import dataclass, field
from functools import cache

from loopwright.agents.pages.brief.colours import is_colour_only, named_colours, without_colours
from loopwright.agents.pages.brief.sitemap import COUNT_OF_PAGES, slugify
from loopwright.agents.pages.domain.app_model import HOME
from loopwright.agents.pages.domain.grammar import PARTICLES, Lexicon, before_preposition, is_verb, stripped, table
from loopwright.agents.pages.domain.openings import paints

MOST_TITLE = 6
"""Words of a block's title; a longer text is cut before a preposition, the rest stands below."""


NAV_TITLE = 14
"""Characters of a page's title, five of which stand side by side at the foot of a phone."""


LOOSE_KINDS = frozenset({"", "game", "gallery"})
"""What the name of a thing that is borrowed, sold or tracked may sound like: board games, pictures."""
ENTITY_KINDS = frozenset(
    {"list", "form", "shop", "cart", "news", "people", "gallery", "swipe", "player", "seating", "map", "checklist"}
)
"""Kinds of block that hold things with fields."""


@dataclass
class Feature:
    """A block while it is being read; `people` are those who do it, also where an earlier part has named them.

    What is `fixed` the brief says itself, and nobody adds to it; `by_people` it lists who does something. `action` is
    what people do with one of its things, `deeds` is all of it.
    """

    kind: str
    title: str
    noun: str
    text: str
    actor: str = ""
    verb: str = ""
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    of_subject: bool = False
    people: str = ""
    searched: bool = False
    fixed: bool = False
    by_people: bool = False
    action: str = ""
    deeds: list[str] = field(default_factory=list)


_NO_SUBJECT = frozenset(
    ("shop", "news", "people", "address", "switches", "favourites", "progress", "map", "board", "list")
)
"""Kinds of block that are only a part of what an app is about."""


@cache
def _kinds() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (kind, re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])|(?:{_han(pattern)})", re.I))
        for kind, pattern in table("kinds").items()
    )


def _han(pattern: str) -> str:
    """The Chinese words of a pattern, which stand without spaces."""
    return "|".join(part for part in pattern.split("|") if re.search(r"[\u3400-\u9fff]", part)) or "(?!)"


def kind_of_block(text: str) -> str:
    """The kind of block that a text names, or empty; a Chinese noun says at its end what it is."""
    if HAN.search(text):
        found = [(hit.end(), kind) for kind, pattern in _kinds() if (hit := pattern.search(text))]
        return max(found, key=lambda each: each[0])[1] if found else ""
    return next((kind for kind, pattern in _kinds() if pattern.search(text)), "")


def ends_with_kind(noun: str, words: Lexicon) -> bool:
    """Whether a noun is a kind of block itself, and none has only a part of its name: a music school is no player."""
    found = next((hit for _, pattern in _kinds() if (hit := pattern.search(noun))), None)
    if found is None or not words.spaced:
        return found is not None
    if words.language in ("fr", "es"):
        return found.start() == 0
    after = noun[found.end() :].strip()
    return (
        not after
        or re.fullmatch(rf"(?:{words.words['frame']}|{words.words['holder']}|\w+er|guides?)", after, re.I) is not None
    )


def of_subject(kind: str, topic: str, words: Lexicon) -> list[Feature]:
    """The block that a subject is itself: a seating planner, a quiz, a timer."""
    noun, _ = before_preposition(topic, words)
    entered = kind == "form" and not words.spaced  # what is ordered or booked is said by what follows
    if not ends_with_kind(noun, words) or kind in _NO_SUBJECT or entered:
        return []
    return [Feature(kind, capital(noun), noun, topic, of_subject=True)]


def without_doubles(features: list[Feature]) -> list[Feature]:
    """The features without what the subject alone said where the rest of the brief says it better."""
    kinds = [each.kind for each in features]
    return [each for each in features if not (each.of_subject and kinds.count(each.kind) > 1)]


_OF_WHOM = re.compile(r"(?<=[a-z]{2}s) (?:I|we|they|you|he|she) (?:have|has|had|am|are|is|was|were)\b.*$")


def without_whom(text: str, words: Lexicon) -> str:
    """What things are called, without who has done something with them: "the routes I have climbed"."""
    return _OF_WHOM.sub("", text) if words.language == "en" else text


def titled(text: str, words: Lexicon) -> tuple[str, list[str]]:
    """A title of at most six words, and the rest in pieces."""
    text = " ".join(text.split()).strip(" .,:;")
    text = without_whom(text, words)
    if not words.spaced:
        return (text, []) if len(text) <= 10 else (text[:10], [text])
    title, rest = text, ""
    while len(title.split()) > MOST_TITLE:
        parts = title.split()
        cut = next(
            (at for at in range(len(parts) - 1, 1, -1) if words.whole("prepositions", parts[at].lower())), MOST_TITLE
        )
        cut = min(cut, len(parts) - 1)
        rest = f"{' '.join(parts[cut:])} {rest}".strip()
        title = " ".join(parts[:cut])
    parts = title.split()
    while len(parts) > 2 and rest and (words.whole("articles", parts[-1]) or words.whole("prepositions", parts[-1])):
        rest = f"{parts.pop()} {rest}"
    title = " ".join(parts)
    pieces = rest.split()
    lines = [" ".join(pieces[at : at + MOST_TITLE]) for at in range(0, len(pieces), MOST_TITLE)]
    return capital(title), lines


def title_of(subject: str, words: Lexicon) -> str:
    """A name made of what the app is."""
    if not words.spaced:
        return subject[:12]
    head, rest = before_preposition(subject, words)
    start = words.starts("prepositions", rest) if rest else None
    if start and words.language == "en" and len(head.split()) == 1:
        head = f"{before_preposition(stripped(rest[start.end() :], words), words)[0]} {head}"
    parts = [capital(word) if words.language == "en" else word for word in (head or subject).split()[:4]]
    return capital(" ".join(parts)) if parts else ""


def short_title(title: str, words: Lexicon, noun: str = "") -> str:
    """A title that fits into a navigation: never a piece of a clause, for which the noun that it is about stands."""
    if not words.spaced:
        shown = noun if noun and noun in title else title
        return shown if len(shown) <= NAV_TITLE // 2 else shown[-NAV_TITLE // 2 + 1 :]
    if asked := words.starts("questions", title):
        if len(title) <= NAV_TITLE:
            return title
        title = title[asked.end() :].strip() or title
    head, _ = before_preposition(title, words)
    parts = [part for part in (head or title).split() if part]
    if len(parts) > 1 and is_verb(parts[0], words) and len(" ".join(parts)) > NAV_TITLE:
        parts = stripped(" ".join(parts[2 if parts[1] in PARTICLES else 1 :]), words).split()
    if noun in (words.words["labels"]["Entry"], words.words["labels"]["Name"]):
        noun = ""  # the title is a clause
    if noun and len(" ".join(parts)) > NAV_TITLE and any(_is_joint(part, words) for part in parts):
        parts = before_preposition(noun, words)[0].split()
    while len(parts) > 1 and len(" ".join(parts)) > NAV_TITLE:
        parts.pop(0 if words.language in ("en", "de") else -1)
    while len(parts) > 1 and _is_joint(parts[-1], words):
        parts.pop()
    while len(parts) > 1 and _is_joint(parts[0], words):
        parts.pop(0)
    return capital(stripped(" ".join(parts), words)) or title


def _is_joint(word: str, words: Lexicon) -> bool:
    """Whether a word only joins others, and is none that a thing is called by."""
    return any(words.whole(name, word) for name in ("articles", "prepositions", "modals", "with", "questions")) or bool(
        re.fullmatch(words.words["telling"], word, re.I)
    )


def slug_of(title: str, taken: list[str]) -> str:
    """A slug that no other page has."""
    slug = slugify(title) or f"page-{len(taken) + 1}"
    return slug if slug not in taken and slug != HOME else f"page-{len(taken) + 1}"


def cut(text: str, pattern: str) -> tuple[str, str, str]:
    """A text at the first match of a pattern: before, the match, after."""
    found = re.search(pattern, text)
    return (text[: found.start()], found[0] or " ", text[found.end() :]) if found else (text, "", "")


def entity_of(noun: str) -> str:
    """A name for the data model: `HedgeTrimmer`; empty without Latin letters."""
    parts = re.findall(r"[A-Za-z][A-Za-z0-9]*", noun)[:4]
    return "".join(part[0].upper() + part[1:] for part in parts)


def capital(text: str) -> str:
    """A text with a capital at its start."""
    text = text.strip(" .,:;")
    return text[:1].upper() + text[1:]


HAN = re.compile(r"[\u3400-\u9fff]")
_PROPER = re.compile(r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Sra?|Mme|Frau|Herr)\.? )?[A-ZÀ-Þ][\w'’.-]+(?: [A-ZÀ-Þ][\w'’.-]+){0,2}")


def proper_names(text: str, words: Lexicon) -> list[str]:
    """The names in a phrase, without the places that stand behind a preposition; German writes all nouns so."""
    if not words.spaced or words.language == "de":
        return []
    found = []
    for name in _PROPER.finditer(text):
        before = text[: name.start()].split()
        if name.start() and before and not words.whole("prepositions", before[-1]):
            found.append(name[0])
    return found


_PAGES_ONLY = re.compile(r"(?:pages?|screens?|tabs?|views?|seiten?|páginas?|页面)\W*", re.I)


def is_look(text: str, words: Lexicon) -> bool:
    """Whether a part of a sentence only says how the app shall look, or how many pages it shall have."""
    if is_colour_only(text) or _PAGES_ONLY.fullmatch(text) or paints(text, words):
        return True
    parts = text.split()
    if words.spaced and len(parts) == 2 and named_colours(parts[0 if words.language in ("fr", "es") else 1]):
        return True  # "theatre red", "vert forêt"
    if words.spaced:
        left = re.sub(
            rf"(?<![\w-])(?:{words.words['look']})(?![\w-])",
            " ",
            COUNT_OF_PAGES.sub(" ", without_colours(text)),
            flags=re.I,
        )
        if not re.sub(r"[\W_]+", "", left) and (
            words.inside("look", text)
            or named_colours(text)
            or COUNT_OF_PAGES.search(text)
            or not re.sub(r"[\W_]+", "", text)
        ):
            return True
    elif words.whole("look", text):
        return True
    return bool(re.fullmatch(r"#[0-9a-fA-F]{3,8}|(?:\w+ )?colou?rs? #.*", text.strip()))
