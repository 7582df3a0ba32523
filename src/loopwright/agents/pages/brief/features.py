"""What a brief lists that the app should have, and the pages that come of it: "hive inspections and a harvest log"."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.brief.colours import ground_in, is_colour_only, named_colours
from loopwright.agents.pages.brief.knowledge import GENERAL, Language, Product, language_of
from loopwright.agents.pages.brief.scenario import read_subject
from loopwright.agents.pages.brief.sitemap import HOME, slugify
from loopwright.agents.pages.colour import Colour
from loopwright.agents.pages.contracts import DataEntity, DataField, DataModel, SuggestedPage

# --------------------------------------------------------------------------------------------------------------------
# What a text says about the look: colours, light or dark, style words.
# --------------------------------------------------------------------------------------------------------------------

Mode = Literal["light", "dark"]
"""The colour scheme a design system starts in; every design system carries both."""


@dataclass(frozen=True, slots=True)
class ThemeRequest:
    """What the brief or the answers say about the look."""

    mode: Mode | None = None
    """None when nobody said: the product type's own mode applies."""
    brand_colors: tuple[str, ...] = ()
    """Accent colours as `#RRGGBB`, the most important first."""
    style_words: tuple[str, ...] = ()
    """`minimal`, `playful`, `bold`, `elegant`, …"""
    ground: str | None = None
    """The background that was asked for, as `#RRGGBB`."""


DARK_GROUND = 0.18
"""A background of less relative luminance asks for light text."""
PALE = 0.82
"""A colour of more relative luminance is no accent where another one is named."""


_HEX = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
_BETWEEN = r"(?:\s{0,3}(?:accents?|colou?rs?|tones?|brand|theme|primary|色|色调))?\s{0,3}[(（:：=,，-]?\s{0,3}"
"""What may stand between a colour's name and the hex that it describes."""
_DARK = re.compile(
    r"\bdark(?:er)?\b(?!\s+(?:roast|chocolate|chocolates|beer|ages|matter|web))|\bnight mode\b|\bdunk(?:el|le[rnsm]?)\b"
    r"|\bsombre\b|\boscur[oa]\b|深色|暗色|夜间模式|夜间",
    re.I,
)
_CHINESE_PAIR = re.compile(
    r"([红橙黄绿蓝紫粉棕黑金灰白])([红橙黄绿蓝紫粉棕黑金灰白])(?=配色|相间|搭配|两色|主题|色|风格|极简|简约)"
)
"""Two colours in two signs: 蓝白配色, 黑白极简."""

_LIGHT = re.compile(
    r"\b(?:helle[rsnm]? (?:design|modus|farben)|(?:thème|mode) clair)\b"
    r"|\b(?:light|bright|white)\s+(?:theme|mode|look|background|design|ui)\b|浅色|明亮",
    re.I,
)


@lru_cache(maxsize=256)
def read_theme(text: str) -> ThemeRequest:
    """What a brief, an answer or a message says about the look; empty where nothing is said."""
    ground = ground_in(text)
    mode = _mode(text) or _mode_of_ground(ground)
    return ThemeRequest(mode=mode, brand_colors=colors_in(text), style_words=tuple(_style_words(text)), ground=ground)


def _mode_of_ground(ground: str | None) -> Mode | None:
    return None if ground is None else "dark" if Colour.from_hex(ground).luminance < DARK_GROUND else "light"


def _mode(text: str) -> Mode | None:
    """Light or dark where the text says so; an adjective of a colour ("dark teal") says nothing of it."""
    rest = text
    for _, found in reversed(named_colours(text)):
        if found["shade"] or found["after"] or found["pre"]:
            rest = rest[: found.start()] + " " + rest[found.end() :]
    if _DARK.search(rest):
        return "dark"
    return "light" if _LIGHT.search(rest) else None


def colors_in(text: str) -> tuple[str, ...]:
    """Colours by hex or by name as `#RRGGBB`, in the order in which they are named; no more than three.

    A name beside a hex only says what the hex looks like: "blue #1D70B8" is one colour, the hex. A background is not
    among them.
    """
    things = "|".join(read_table("ambiguous_colours.json"))  # "coffee shop" is no colour, "coffee brown" is
    thing = re.compile(
        rf"(?<![a-z])(?:{things})(?![a-z])(?!\s+(?:colou?r|brown|pink|red|green|blue|tone|theme|accent|palette))", re.I
    )
    alone = is_colour_only(text)
    text = _CHINESE_PAIR.sub(r"\1色\2色", text if alone else _without_things(text, thing))
    text = re.sub(rf"({_HEX.pattern})\s*[)）]?\s*\(?[a-z]+ ?[a-z]*(?=\))", r"\1 ", text, flags=re.I)
    ground = ground_in(text)
    found: list[str] = []
    last = None
    for colour, where in named_colours(text):
        if where["hex"] and last is not None and re.fullmatch(_BETWEEN, text[last.end() : where.start()], re.I):
            found.pop()
        elif last is not None and last["hex"] and re.fullmatch(r"\s*[(（]?\s*", text[last.end() : where.start()]):
            last = where
            continue
        found.append(colour)
        last = where
    kept = [colour for colour in dict.fromkeys(found) if colour != ground] or found
    strong = [colour for colour in kept if Colour.from_hex(colour).luminance < PALE] or kept
    return tuple(strong)[:3]


def _without_things(text: str, thing: re.Pattern[str]) -> str:
    """The text without words that are both a thing and a colour, except beside a colour: "sage and cream"."""
    kept = re.compile(r"\b(?:and|with|in|,)\s*$", re.I)

    def drop(found: re.Match[str]) -> str:
        before, after = text[: found.start()], text[found.end() :]
        beside = re.match(r"\s*(?:,|and|&)\s*(?P<next>[\w-]+(?: [\w-]+)?)", after)
        if beside and any(is_colour_only(part) for part in (beside["next"], beside["next"].split()[0])):
            return found[0]
        earlier = re.search(r"(?P<last>[\w-]+)\s*(?:,|and|&)\s*$", before)
        return found[0] if earlier and kept.search(before) and is_colour_only(earlier["last"]) else " "

    return thing.sub(drop, text)


def _style_words(text: str) -> Iterable[str]:
    lowered = text.lower()
    for style, words in read_table("styles.json").items():
        if any(re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", lowered) for word in words):
            yield style


@cache
def read_table(name: str) -> Any:
    """A table of names of colours or styles."""
    return json.loads(resources.files("loopwright.agents.pages.brief").joinpath(name).read_text(encoding="utf-8"))


MOST_FEATURES = 8
MOST_FEATURE_WORDS = 6
"""A longer fragment of a brief is a sentence rather than the name of something."""

LONGEST_TITLE = 11
"""Characters of a page's title: five of them stand side by side at the foot of a phone."""

LONGEST_CHINESE_TITLE = 4

_ANSWERS = re.compile(r"\n\n(?=[^\n]{3,120}[?？])")
"""Where a stored brief ends and the questions that were asked about it, with their answers, begin."""

_LEAD = re.compile(
    r"^(?:and|or|with|also|plus|it|i|you|we|users?|people|should|can|must|want|need|needs|wants|to|have|has|include"
    r"|includes|including|see|a|an|the|be|able|there|is|are|my|their|your)\s+",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"^(?:add|browse|check|create|find|follow|keep|log|manage|note|plan|read|record|remember|save|share|track|view"
    r"|write)(?:ing)?\s+(?:(?:an?|the|my|our|their)\s+)?(?=\w)",
    re.IGNORECASE,
)
"""What people do with a thing is not part of its name: "track feeding times"."""

_SEPARATOR = re.compile(r"[,;.:\n]|\s+and\s+|\s+-\s+")
_CHINESE_LIST = re.compile(r"(?:包括|包含|具有|带有|支持|功能(?:有|包括)?|有)[:：]?(?P<list>[^。！？!?;；\n]{2,120})")
_CHINESE_SEPARATOR = re.compile(r"[、，,]|以及|和|与|及")
_NO_PLACE = re.compile(
    r"\b(?:theme|mode|colou?rs?|accent|look|feel|style|design|font|logo|layout|pages?|screens?|animations?|offline"
    r"|icons?|charts?|graphs?|filters?|search|tabs|navigation|buttons?|notifications?|reminders?|dark|light)\b"
    r"|风格|颜色|主题|配色|深色|浅色|页面|设计|图标|动画|搜索|筛选|图表|提醒",
    re.IGNORECASE,
)
"""How something looks and what stands on every page; neither has a page of its own."""

_CONTAINER = re.compile(r"\s+(?:logs?|journals?|diar(?:y|ies)|trackers?|lists?|records?|histor(?:y|ies)|notes)$", re.I)


_DRAWN = re.compile(
    r"\b(?:maps?|calendars?|timetables?|schedules?|galler(?:y|ies)|photos?|chats?|messages?|statistics|stats)\b"
    r"|地图|日历|课程表|相册|照片|聊天|消息|统计",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that an app keeps.

    `name` is the brief's own ("Honey harvest log"), `title` fits into a navigation ("Harvest log"), and `singular` is
    what one entry is called ("Honey harvest").
    """

    name: str
    title: str
    slug: str
    singular: str

    @property
    def entity(self) -> str:
        """Its name in the data model: `HoneyHarvest`."""
        return "".join(word[0].upper() + word[1:] for word in re.findall(r"\w+", self.singular))

    @property
    def of(self) -> str:
        """What it is of: "Blooms", of a calendar of blooms; empty where the name does not say."""
        _, _, thing = self.name.partition(" of ")
        return thing[:1].upper() + thing[1:]

    @property
    def keeps_entries(self) -> bool:
        """Whether it is a list of entries; a map or a calendar shows things in a way of its own."""
        return _DRAWN.search(self.name) is None


def without_answers(brief: str) -> str:
    """What the user wrote first, of a brief that was stored with questions and their answers."""
    return _ANSWERS.split(brief, maxsplit=1)[0]


@lru_cache(maxsize=256)
def features_in(brief: str) -> tuple[str, ...]:
    """The short things that a brief lists, as names: `Hive inspections`, `A map of hives`."""
    told = without_answers(brief)
    if language_of(told) == "zh":
        listed = _CHINESE_LIST.search(told)
        parts = _CHINESE_SEPARATOR.split(listed["list"]) if listed else []
        return tuple(dict.fromkeys(part.strip() for part in parts if 2 <= len(part.strip()) <= 10))[:MOST_FEATURES]
    names = []
    for part in _SEPARATOR.split(told.partition(" with ")[2] or told.partition(":")[2]):
        name = part.strip(" -*•\"'!?")
        while stripped := _LEAD.match(name):
            name = name[stripped.end() :]
        if 1 <= len(name.split()) <= MOST_FEATURE_WORDS and len(name) > 2:
            names.append(name[0].upper() + name[1:])
    return tuple(dict.fromkeys(names))[:MOST_FEATURES]


@lru_cache(maxsize=256)
def pages_in(brief: str) -> tuple[Feature, ...]:
    """The things that deserve a page: what the app itself is ("a bird watching log") and what the brief lists.

    How it shall look, and what stands on every page, deserve none.
    """
    found: dict[str, Feature] = {}
    subject = read_subject(brief).phrase
    itself = (subject[0].upper() + subject[1:],) if _CONTAINER.search(subject) else ()
    for number, name in enumerate((*itself, *features_in(brief))):
        if _NO_PLACE.search(name) or read_theme(name) != ThemeRequest():
            continue
        kept = _DONE.sub("", name)
        kept = kept[0].upper() + kept[1:]
        title = page_title(kept)
        slug = slugify(title) or f"feature-{number + 1}"
        if slug not in found and slug != "index":
            found[slug] = Feature(kept, title, slug, singular_of(kept))
    return tuple(found.values())


def page_title(name: str) -> str:
    """A name cut to what a navigation has space for, at the words that say what it is."""
    if not name.isascii():
        return name if len(name) <= LONGEST_CHINESE_TITLE + 2 else name[-LONGEST_CHINESE_TITLE:]
    words = re.split(r"\s(?:of|for|to|on|in|from|by|about)\s", name, maxsplit=1)[0].split()
    while len(words) > 1 and len(" ".join(words)) > LONGEST_TITLE:
        words.pop(0)
    title = " ".join(words)
    return title[0].upper() + title[1:]


def singular_of(name: str) -> str:
    """What one entry of a list of this name is called; the containers themselves ("log") are not counted."""
    if not name.isascii():
        return name.removesuffix("记录").removesuffix("日志").removesuffix("清单") or name
    thing = _CONTAINER.sub("", name)
    head, of, rest = thing.partition(" of ")
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x")):
        if head.endswith(ending):
            head = head.removesuffix(ending) + instead
            break
    else:
        if head.endswith("s") and not head.endswith(("ss", "us", "is")):
            head = head.removesuffix("s")
    return f"{head}{of}{rest}"


# --------------------------------------------------------------------------------------------------------------------
# Kinds of app within a product type: a chat is an app whose pages are conversations, not a catalogue.
# --------------------------------------------------------------------------------------------------------------------

LEAST_FEATURES = 2
"""With fewer, a brief names an extra rather than what the app consists of."""


_ALWAYS_KEPT = ("User",)

RECORD = DataEntity(
    fields=(
        DataField(name="id", type="string", required=True),
        DataField(name="title", type="string", required=True),
        DataField(name="date", type="string", required=True),
        DataField(name="note", type="string"),
        DataField(name="done", type="boolean"),
    ),
    primary_key="id",
)
"""What an entry of a listed thing holds, when the brief says no more of it than its name."""


class Wording(BaseModel):
    """A kind's tagline and pages in one language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tagline: str
    pages: tuple[SuggestedPage, ...]


class Kind(BaseModel):
    """A kind of app: the words that a brief's subject has, and what such an app usually consists of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    product_type: str
    subjects: str
    """A regular expression for what the brief asks for, in both languages."""
    en: Wording
    zh: Wording
    data_model: DataModel


@lru_cache(maxsize=256)
def kind_of(brief: str, product_type: str) -> Kind | None:
    """The kind that the brief's subject names, or None."""
    subject = read_subject(brief)
    text = f"{subject.phrase} {subject.topic}".lower()
    candidates = (kind for kind in kinds() if kind.product_type == product_type)
    return next((kind for kind in candidates if _pattern(kind.subjects).search(text)), None)


def told_by(brief: str, known: Product, language: Language) -> Product:
    """The product type as this brief has it.

    Its kind's pages and data replace the usual ones. An app of no product type and no kind consists of what the brief
    lists; the usual pages stand behind those.
    """
    kind = kind_of(brief, known.product_type)
    if kind is not None:
        wording = kind.zh if language == "zh" else kind.en
        return known.model_copy(
            update={"tagline": wording.tagline, "pages": wording.pages, "data_model": kind.data_model}
        )
    features = pages_in(brief)
    if known.product_type != GENERAL or len(features) < LEAST_FEATURES:
        return known
    entities = {name: known.data_model.entities[name] for name in _ALWAYS_KEPT}
    made = {each.entity: RECORD for each in features if each.keeps_entries}
    return known.model_copy(
        update={
            "pages": _with_features(known, features, language),
            "data_model": DataModel(entities={**made, **entities}),
        }
    )


def _description(feature: Feature, language: Language) -> str:
    """What the page of a feature is for."""
    if language == "zh":
        return f"{feature.name}：最新的在前，可以新增、编辑和删除。"
    return f"{feature.name}, newest first, with a form for the next one."


def _with_features(known: Product, features: tuple[Feature, ...], language: Language) -> tuple[SuggestedPage, ...]:
    usual = {page.slug: page for page in known.pages}
    home = usual.pop(HOME)
    made = {
        each.slug: SuggestedPage(slug=each.slug, title=each.title, description=_description(each, language))
        for each in features
    }
    later = sorted((page for slug, page in usual.items() if slug not in made), key=lambda page: page.slug != "profile")
    return (home, *made.values(), *later)


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds, by name."""
    folder = resources.files("loopwright.agents.pages.brief").joinpath("kinds")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda entry: entry.name)
    return tuple(Kind.model_validate_json(entry.read_text(encoding="utf-8")) for entry in files)


@cache
def _pattern(subjects: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{subjects})(?![a-z])")
