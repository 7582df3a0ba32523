"""What a brief asks for, in the phrase with which it begins: "a dashboard camera shop with reviews" asks for a shop."""

import re
from dataclasses import dataclass

_LEAD = re.compile(
    r"^\W*(?:(?:please|hi|hello|hey)\b[\s,!]*)*(?:(?:can|could|would)\s+you\s+)?"
    r"(?:(?:i\s+(?:want|need|would\s+like)|we\s+(?:want|need)|i'd\s+like|make|create|build|design|generate|develop"
    r"|prototype|give|show)\b(?:\s+(?:me|us|to\s+(?:make|build|create|have|see)))*\s*)?"
    r"(?:(?:an?|the|my|our|some|this|simple|nice|new|small|mobile|modern|beautiful|single|one-page|\d+"
    r"|one|two|three|four|five"
    r"|six|seven|eight)\s+)*",
    re.IGNORECASE,
)
_ENGLISH_END = re.compile(
    r"\b(?:for|with|that|which|where|who|to|in|on|of|about|from|by|using|called|named|titled|like|at|and|showing|so)\b",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"(?:\s|^)(?:app|apps|application|website|web\s*site|site|pages?|prototype|clone|program(?:me)?|platform|tool"
    r"|system|software|service|something|anything|things?|stuff)\s*$",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?P<preposition>for|of|about|on|with)\s+(?:(?:an?|the|my|our|some|all|your)\s+)*(?P<topic>.+)$", re.IGNORECASE
)
_CHINESE_LEAD = re.compile(
    r"^\W*(?:请|麻烦|帮我们?|给我们?|我们?(?:想|要|需要)?|做|建|搭|设计|开发|制作|生成|创建|来|要|一个|一款|一张|一套|个|款|张)*"
)
_CHINESE_FRAME = re.compile(
    r"(?:应用|小程序|平台|网站|网页|页面|软件|系统|工具|大全|介绍|app|APP|App|规划|计划|记录|管理)$"
)
_CLAUSE_END = re.compile(r"[,.;:!?\n()，。；：！？、]|\s[–-]\s")
_HAS_CHINESE = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked for.

    `phrase` is the noun phrase whose last word says what it is ("dashboard camera shop"), without a frame such as
    "app"; it is empty where the brief frames something in other words ("an app where …"). `topic` is what an empty
    frame is for, or what follows the phrase's "of".
    """

    phrase: str
    topic: str = ""
    purpose: bool = False
    """Whether the topic follows "for": an app for a shop has to do with selling, an app about shops may not."""


def read_subject(brief: str) -> Subject:
    """The subject of a brief's first clause."""
    clause = next((part.strip() for part in _CLAUSE_END.split(brief.strip()) if part.strip()), "")
    if _HAS_CHINESE.search(clause):
        return Subject(_unframed(_CHINESE_LEAD.sub("", clause), _CHINESE_FRAME))
    rest = _LEAD.sub("", clause, count=1)
    end = _ENGLISH_END.search(rest)
    phrase = _unframed(rest[: end.start()] if end else rest, _FRAME)
    if phrase and end and end[0].lower() == "of":
        return Subject(phrase, _until_end(rest[end.end() :]))
    if phrase:
        return Subject(phrase)
    topic = _TOPIC.search(rest)
    if topic is None:
        return Subject("")
    return Subject("", _until_end(topic["topic"]), topic["preposition"].lower() == "for")


def _until_end(text: str) -> str:
    end = _ENGLISH_END.search(text)
    return (text[: end.start()] if end else text).strip()


def _unframed(phrase: str, frame: re.Pattern[str]) -> str:
    phrase = phrase.strip()
    while (shorter := frame.sub("", phrase).strip()) != phrase:
        phrase = shorter
    return phrase
