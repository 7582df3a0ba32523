"""A changed answer in plain words: "actually make it dark", "I meant for families", 改成深色."""

import re
from collections.abc import Mapping

from loopwright.agents.pages.brief.language import language_of
from loopwright.agents.pages.brief.look import read_theme
from loopwright.agents.pages.interview.decisions import Decision
from loopwright.agents.pages.interview.tables import read_data

MOST_WORDS = 14
"""A longer message says more than that an answer was meant otherwise."""

_NAME = re.compile(
    r"\b(?:call it|name it|rename (?:it|the app) (?:to|as)"
    r"|(?:the )?(?:app(?:'s)? )?name (?:is|should be)|it(?:'s| is| should be)"
    r" called)\s+[\"“'‘]?(?P<name>[^\"”’\n,;!?]{1,40}?)[\"”'’]?(?:\s+instead)?[.!]?\s*$"
    r"|(?:改名(?:为|叫|成)?|名字(?:改成|改为|换成|叫)|应该叫)\s*[“\"《「]?(?P<zh>[^”\"》」，。！\n]{1,20})",
    re.IGNORECASE,
)
_AUDIENCE = re.compile(
    r"\b(?:i|we) meant (?:it |this )?(?:to be )?for\s+(?P<audience>[^\n.;!?]{2,60})"
    r"|\b(?:actually|no|sorry|wait)\b[\s,]+(?:it(?:'s| is|'s meant| is meant| should be)|this is|that's)?\s*(?:meant )?"
    r"for\s+(?P<said>[^\n.;!?]{2,60})|(?:其实|应该)?是?(?:给|面向)(?P<zh>[^，。！\n]{1,20}?)(?:用的?|的)[。！]?$",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"^\W*(?:(?:no|wait|sorry|hmm|oh|ok|well)\b[\s,.!]*)*(?:actually|i meant|i mean|on second thought|rather|instead"
    r"|changed? my mind|let's (?:make|have|go))\b|\binstead[.!]?$",
    re.IGNORECASE,
)
_MARK_ZH = re.compile(
    r"^(?:请|帮我|还是|其实|不，|不对，)*(?:整体|全部|应用|颜色|配色|主题|风格)?(?:改成|换成|改为|换为|变成|用)"
)
_PART = re.compile(
    r"\b(?:header|heading|title|button|footer|nav\w*|tab|bar|menu|card|text|link|icon|banner|image|section|list|page"
    r"|screen|field|form|badge|logo|price)s?\b|按钮|标题|页头|导航|卡片|图片|页面|文字|链接|列表",
    re.IGNORECASE,
)


def read_correction(message: str) -> dict[str, str]:
    """The answers that a message changes, by the questions that the interview would ask; empty for any other wish.

    A message about one part of a page ("make the button dark") is an edit and changes no answer.
    """
    text = message.strip()
    if len(text.split()) > MOST_WORDS or len(text) > 120:
        return {}
    made: dict[Decision, str] = {}
    if (name := _NAME.search(text)) is not None and not _PART.search(text[: name.start()]):
        made["name"] = (name["name"] or name["zh"]).strip()
    elif _PART.search(text):
        return {}
    elif (audience := _AUDIENCE.search(text)) is not None:
        made["audience"] = (audience["audience"] or audience["said"] or audience["zh"]).strip()
    elif _MARK.search(text) or _MARK_ZH.search(text):
        theme = read_theme(text)
        if theme.mode or theme.brand_colors:
            made["colours"] = ", ".join([*([f"{theme.mode} theme"] if theme.mode else []), *theme.brand_colors])
        if theme.style_words:
            made["style"] = ", ".join(theme.style_words)
    texts: Mapping[str, Mapping[str, str]] = read_data("questions.json")[language_of(text)]
    return {texts[decision]["question"]: answer for decision, answer in made.items()}
