"""Whether words speak of the same thing: what ties a check to the request that it is made of."""

import re

from loopwright.agents.pages.compliance.cascade.colours import colour_names
from loopwright.agents.pages.ledger.app_pages import normalised

_WORD = re.compile(r"[a-z0-9]{3,}")
_PAIR = re.compile(r"(?=([\u3400-\u9fff]{2}))")
_STOP = frozenset({
    "the", "and", "for", "with", "that", "this", "page", "pages", "app", "add", "make", "its", "are", "all", "from",
    "into", "out", "but", "not", "too", "more", "less", "one", "two", "new", "now", "can", "you", "please", "want",
    "need", "should", "would", "like", "have", "has", "was", "were", "them", "they", "there", "then", "than", "here",
    "onto", "also", "just", "some", "any", "each", "every", "put", "set", "use", "show", "give", "let", "get",
    "change", "changed", "button", "section", "screen", "top", "bottom", "left", "right",
})  # fmt: skip
_NO_SUBJECT = frozenset({
    "background", "color", "style", "font", "size", "expected", "seen", "least", "word", "link", "remove", "delete",
    "make", "body", "text", "bigger", "smaller", "larger", "dark", "light", "data", "class", "index",
})  # fmt: skip
"""Words that say how or what is done, or that every check has: two texts that share one need not speak of the same."""

_REMOVAL = re.compile(
    r"\b(?:remove|delete|drop|hide|without|get rid of|take (?:away|out|off)|no longer|no more|kill|omit|strip)\b"
    r"|去掉|删除|移除|隐藏|不要|取消",
    re.IGNORECASE,
)
_HOUSEKEEPING = re.compile(
    r"\bmend what the validation reports\b|\bvalidat(?:e|ion|or)\b|\bcompliance\b|\btouch[- ]targets?\b|\baccessib"
    r"|\bcontrast\b|\bviewport\b|\bduplicate id|\bbroken links?\b|\bmobile rules?\b",
    re.IGNORECASE,
)


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, a plural as its singular; of Chinese text, pairs of signs."""
    words = _WORD.findall(re.sub(r"[-_]", " ", text.lower().replace("favour", "favor").replace("colour", "color")))
    kept = {singular(word) for word in words if word not in _STOP}
    return frozenset(kept | set(_PAIR.findall(text)))


def singular(word: str) -> str:
    """A word without the ending of a plural, so that “prices” is “price”; the same for every spelling of it."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


def subject_words(text: str) -> frozenset[str]:
    """The words that say what a text is about, colours aside: “the header, green” speaks of the header."""
    return content_words(text) - frozenset(colour_names()) - _NO_SUBJECT


def common_words(one: str, other: str) -> int:
    """How many words with meaning two texts have in common."""
    return len(content_words(one) & content_words(other))


def says(text: str, words: str) -> bool:
    """Whether a text has these very words, as words of their own: “newsletter” does not say “news”."""
    wanted = normalised(words)
    if not wanted:
        return False
    start = r"(?<![a-z0-9])" if wanted[0].isascii() else ""
    end = r"(?![a-z0-9])" if wanted[-1].isascii() else ""
    return re.search(start + re.escape(wanted) + end, normalised(text)) is not None


def asks_for_removal(text: str) -> bool:
    """Whether the words ask for something to go."""
    return bool(_REMOVAL.search(text))


def is_housekeeping(instructions: str, request: str) -> bool:
    """Whether an edit follows from a check of the page and not from the user's request."""
    return bool(_HOUSEKEEPING.search(instructions)) and not _HOUSEKEEPING.search(request)
