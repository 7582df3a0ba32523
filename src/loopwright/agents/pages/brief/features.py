"""What a brief lists that the app should have, and the pages that come of it: "hive inspections and a harvest log"."""

import re
from dataclasses import dataclass
from functools import lru_cache

from loopwright.agents.pages.brief.language import language_of
from loopwright.agents.pages.brief.look import ThemeWishes, read_theme
from loopwright.agents.pages.brief.slugs import slugify
from loopwright.agents.pages.brief.subject import read_subject

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
        if _NO_PLACE.search(name) or read_theme(name) != ThemeWishes():
            continue
        kept = _DONE.sub("", name)
        kept = kept[0].upper() + kept[1:]
        title = page_title(kept)
        slug = slugify(title) or f"feature-{number + 1}"
        if slug not in found and slug != "index":
            found[slug] = Feature(kept, title, slug, singular_of(kept))
    return tuple(found.values())


def page_title(name: str) -> str:
    """A name cut to what a navigation has room for, at the words that say what it is."""
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
