"""What a brief says in passing and content can be filled with: what it is for, a day, an hour, names, a place."""

import re
from typing import Any

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(f'{name[:3]}(?:{name[3:]})?' if len(name) > 3 else name for name in _MONTHS)})\.?"
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>20\d\d)"
_DATES = (
    re.compile(rf"\b{_YEAR}[-/.](?P<number>1[0-2]|0?[1-9])[-/.]{_DAY}\b"),
    re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?\b", re.IGNORECASE),
    re.compile(rf"(?:{_YEAR}\s*年\s*)?(?P<number>1[0-2]|0?[1-9])\s*月\s*{_DAY}\s*[日号]"),
)
_HOUR = re.compile(r"\b(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap])\.?m\b", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\d:])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:])")
_HOUR_ZH = re.compile(r"(?P<half>上午|早上|中午|下午|晚上|傍晚)?\s*(?P<hour>1\d|2[0-3]|\d)\s*[点點]")

_NAME = r"[A-Z][\w'’-]*[a-z](?:\s+[A-Z][\w'’-]*[a-z])?"
_PAIR = re.compile(rf"\b({_NAME})\s+(?:and|&|\+)\s+({_NAME})(?:['’]s?)?(?=\W|$)")
_OCCASIONS = (
    r"(?:birthday|party|wedding|baby|graduation|retirement|housewarming|christening|anniversary|card|page|links?)"
)
_OWNER = re.compile(rf"\b({_NAME})['’]s\s+(?:\d+(?:st|nd|rd|th)\s+|\w+\s+){{0,2}}{_OCCASIONS}\b")
_FOR_NAME = re.compile(
    rf"\b(?:for|of|named|by|I am|I'm|my name is)\s+(?:my\s+\w+\s+)?"
    rf"((?:Dr|Prof)\.\s+)?({_NAME}(?:\s+[A-Z][\w'’-]*[a-z])?)"
)
_APPOSED = re.compile(r"\b(?:an?|the)\s+[a-z][a-z -]{2,30},\s+([A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){1,2})(?=\W|$)")
"""A person beside what they do: "an architect, Mara Lindqvist"; two words at least, since cities stand there, too."""
_PAIR_ZH = re.compile(
    r"(?:[为给]|^|[^\u4e00-\u9fff])([\u4e00-\u9fff]{2,4}?)"
    r"(?:和|与|&|＆)([\u4e00-\u9fff]{2,3}?)(?=的?婚礼|的?喜|结婚|的请柬|的邀请)"
)
_OWNER_ZH = re.compile(
    r"(?:名叫|[为给是叫]|^|[^\u4e00-\u9fff])([\u4e00-\u9fff]{2,3}?)"
    r"的(?:[\u4e00-\u9fff\d]{0,6})(?:生日|派对|名片|主页|毕业|周岁)"
)

_PLACE = re.compile(r"\b(?:at|in)\s+(?:the\s+)?((?:[A-Z][\w'’-]+)(?:\s+(?:of\s+|de\s+|la\s+)?[A-Z][\w'’-]+){0,3})")

_SUBJECT = re.compile(
    r"\b(?:for|about|of|on|introducing|promoting|announcing"
    r"|to (?:launch|promote|sell|track|monitor|manage|use|repair))\s+"
    r"(?:(?:an?|the|my|our|your|their|some|new|small)\s+)*(?P<subject>[^\W\d_][\w'’& -]{1,60}?)"
    r"(?=[,.;:!?()\n]|$"
    r"|\s+(?:with|that|which|who|where|called|named|in|on|and|using|to|at|from|by|of|for|so)\b)",
    re.IGNORECASE,
)
_SUBJECT_ZH = re.compile(
    r"(?:做|制作|设计|生成|创建|写|需要|要|为|给|^|[^\u4e00-\u9fff])(?:一个|一份|一张|一套|个|份|张)?(?P<subject>[\u4e00-\u9fffA-Za-z0-9]{2,12}?)"
    r"(?:的|做|制作|设计|生成|创建|写)*(?:一个|一份|一张|一套|个|份|张)?"
    r"(?:产品)?(?:落地页|着陆页|官网|宣传页|推广页|说明书|使用手册|用户手册|手册|使用指南|指南|文档|仪表盘|数据看板|看板|名片)"
)
_NOT_A_SUBJECT = frozenset(
    {"me", "us", "you", "phone", "phones", "mobile", "people", "users", "free", "fun", "home", "work", "it", "them"}
)
_ROLE = (
    r"(?P<role>(?:[a-z][a-z-]+\s){0,3}?"
    r"[a-z-]*(?:er|or|ist|ian|eer|itect|coach|chef|nurse|agent|consultant|accountant|assistant|student|notary))"
)
"""What people do for a living ends alike in English; what merely follows a name ("minimal, light") does not."""
_ROLE_END = r"(?=\s+(?:in|at|from|of|with|based|who)\b|[,.;:!?\n]|$)"
_NOT_A_ROLE = frozenset({"sister", "brother", "mother", "father", "daughter", "grandmother", "grandfather", "partner"})
MAX_SUBJECT_WORDS = 4
"""A longer phrase is a clause rather than the name of a thing."""


def read_details(brief: str) -> dict[str, Any]:
    """What the brief says, under the names of the places it fills; keys are missing where it is silent."""
    found: dict[str, Any] = {}
    names = find_names(brief)
    if names:
        found["names"] = names
    others = {
        "subject": find_subject(brief),
        "when": find_date(brief),
        "place": find_place(brief),
        "role": find_role(brief, names),
    }
    return found | {key: value for key, value in others.items() if value}


def find_date(text: str) -> dict[str, int] | None:
    """Month and day that a text names, with year, hour and minute where it says them."""
    match = next((found for pattern in _DATES if (found := pattern.search(text))), None)
    if match is None:
        return None
    parts = match.groupdict()
    month = int(parts["number"]) if parts.get("number") else _month_number(parts["month"])
    when = {"month": month, "day": int(parts["day"])}
    if parts.get("year"):
        when["year"] = int(parts["year"])
    return {**when, **_find_hour(text)}


def _month_number(word: str) -> int:
    return next(number for number, name in enumerate(_MONTHS, start=1) if name.startswith(word.lower()[:3]))


def _find_hour(text: str) -> dict[str, int]:
    for pattern in (_HOUR, _CLOCK, _HOUR_ZH):
        match = pattern.search(text)
        if match is None:
            continue
        parts = match.groupdict()
        hour, half = int(parts["hour"]), (parts.get("half") or "").lower()
        if half in {"p", "下午", "晚上", "傍晚"} and hour < 12:
            hour += 12
        elif half == "a" and hour == 12:
            hour = 0
        return {"hour": hour, "minute": int(parts.get("minute") or 0)}
    return {}


def find_names(text: str) -> list[str]:
    """The one or two people that a text is about."""
    for pattern in (_PAIR, _OWNER, _PAIR_ZH, _OWNER_ZH, _FOR_NAME, _APPOSED):
        match = pattern.search(text)
        if match is not None:
            return ["".join(match.groups(""))] if pattern is _FOR_NAME else list(match.groups())
    return []


def find_place(text: str) -> str | None:
    """A place with a name: what follows "at" or "in" and is written with capitals."""
    places = (match[1] for match in _PLACE.finditer(text))
    return next((place for place in places if place.lower()[:3] not in {name[:3] for name in _MONTHS}), None)


def find_role(text: str, names: list[str]) -> str | None:
    """What the one named person does: the words beside the name, as in "for Mia Chen, pediatric dentist in Boston"."""
    if len(names) != 1:
        return None
    name = re.escape(names[0])
    after = re.search(rf"{name}(?:,|\s+is|\s+\()\s*(?:an?\s+|the\s+)?{_ROLE}{_ROLE_END}", text)
    before = re.search(rf"\b(?:for|of)\s+(?:an?|the|my|our)\s+{_ROLE}(?:,?\s+(?:named|called))?,?\s+{name}", text)
    found = before or after
    return found["role"][0].upper() + found["role"][1:] if found and found["role"] not in _NOT_A_ROLE else None


def find_subject(text: str) -> str | None:
    """The thing that the app is for, in the words of the brief: `smart thermostat`, `bike rental`."""
    for pattern in (_SUBJECT, _SUBJECT_ZH):
        for match in pattern.finditer(text):
            words = match["subject"].strip().split()
            if 0 < len(words) <= MAX_SUBJECT_WORDS and " ".join(words).lower() not in _NOT_A_SUBJECT:
                return " ".join(words)
    return None
