"""The decisions that an interview is about, and which of them a question asks for."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from loopwright.agents.pages.context.terms import words
from loopwright.agents.pages.interview.tables import read_data

Decision = Literal["product_type", "purpose", "audience", "pages", "features", "style", "colours", "name", "data"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)

Answers = Mapping[str, str | list[str]]
"""Answers by the text of their question."""

_ASKS: Mapping[Decision, re.Pattern[str]] = {
    "name": re.compile(
        r"\bwhat(?:'s| is| should)?\b.*\b(?:called|name)\b|\bname of\b|\bname (?:should|do|would)\b|\bbe named\b"
        r"|名字|名称|叫什么",
        re.I,
    ),
    "audience": re.compile(
        r"\bwhom?\b.*\b(?:for|audience|users?|customers?|use)\b|\b(?:target )?(?:audience|users?)\b"
        r"|给谁|面向|用户是谁|目标用户|谁用",
        re.I,
    ),
    "pages": re.compile(
        r"\b(?:which|what|how many)\b.*\b(?:pages|screens|sections)\b|\bkey pages\b|哪些页面|几个页面", re.I
    ),
    "colours": re.compile(
        r"\bcolou?rs?\b|\bpalette\b|\b(?:dark|light) (?:or (?:dark|light)|mode|theme)\b|颜色|配色|深色还是|主色", re.I
    ),
    "style": re.compile(r"\bstyle\b|\blook and feel\b|\baesthetic\b|\bvisual\b|\bmood\b|\bvibe\b|风格|外观", re.I),
    "features": re.compile(
        r"\b(?:which|what)\b.*\b(?:features|functions|functionality)\b|\bkey features\b|哪些功能", re.I
    ),
    "product_type": re.compile(
        r"\b(?:what|which) (?:kind|type|sort) of (?:app|product|site|website)\b|\bproduct type\b"
        r"|哪一?类应用|什么类型|什么应用",
        re.I,
    ),
    "purpose": re.compile(
        r"\bwhat should (?:people|users|it)\b.*\b(?:able to )?do\b|\bpurpose\b|能在应用里做什么|做什么用", re.I
    ),
    "data": re.compile(r"\b(?:what|which)\b.*\b(?:data|information|content)\b|哪些数据|什么数据", re.I),
}
_ORDER: tuple[Decision, ...] = (
    "product_type",
    "purpose",
    "name",
    "audience",
    "pages",
    "features",
    "colours",
    "style",
    "data",
)

_WHOLE_APP: str = read_data("whole_app_words.json")
_GENERIC = frozenset(words(_WHOLE_APP))
_GENERIC_CHINESE = re.compile("|".join(sorted(re.findall(r"[\u3400-\u9fff]+", _WHOLE_APP), key=len, reverse=True)))
"""Words that a question about a decision of the whole app is made of; any other word makes it more particular."""


def decision_of(question: str) -> Decision | None:
    """The decision that a question is about, in whichever words; None when it is about something of its own."""
    return next((decision for decision in _ORDER if _ASKS[decision].search(question)), None)


def particulars_of(question: str) -> frozenset[str]:
    """The stems in a question that a question about the whole app would not have: "delete", "button"."""
    return frozenset(words(_GENERIC_CHINESE.sub(" ", question))) - _GENERIC


def by_decision(answers: Answers) -> dict[Decision, str]:
    """The answers by the decision that they make, several choices joined by commas; the last word stands."""
    made: dict[Decision, str] = {}
    for question, answer in answers.items():
        decision = decision_of(question)
        text = ", ".join(answer) if isinstance(answer, list | tuple) else str(answer)
        if decision is not None and text.strip():
            made[decision] = text.strip()
    return made
