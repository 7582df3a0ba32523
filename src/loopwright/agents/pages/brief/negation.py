"""What a brief says that it does not want: taken out before anything is read from it."""

import re

_BOUNDARY = (
    r"(?=[,.;:!?\n()]|\s[–-]\s|"
    r"\b(?:but|just|only|instead|rather|and\s+(?!not\b|no\b)|or\s+(?!not\b|no\b))\b|$)"
)
_ENGLISH = re.compile(
    r"\b(?:(?:is|are|it's|that's|this is)\s+not"
    r"|isn't|aren't|(?:do|does|should|must|would|need|will)(?:n't| not)"
    r"(?:\s+(?:want|need|be|have|become|look like|include|use|make|like|build))*"
    r"|not(?!\s+(?:only|just|yet)\b)|no|without"
    r"|never|instead of|rather than|nothing is|neither|nor)\b(?:\s+(?:an?|the|any|another|for))*\s+[^,.;:!?\n()]*?"
    + _BOUNDARY,
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:不是(?!只)|不要(?:做成?|用|有)?|不需要|不用|没有|别(?:做|用)成?|无需|而不是)[^，。；：,.;:！!？?\n、]{1,20}"
)


def without_negations(text: str) -> str:
    """The text without its negated phrases: "not a shop, a portfolio" → ", a portfolio".

    A negation reaches to the next mark of punctuation or to a word that turns the sentence. "Not only" and "not just"
    negate nothing.
    """
    return _CHINESE.sub(" ", _ENGLISH.sub(" ", text))
