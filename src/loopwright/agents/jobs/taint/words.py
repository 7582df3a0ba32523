"""Texts as sequences of comparable words, so that a copy is found however it was laid out.

Two texts are compared without case, white space, quotation marks, Markdown emphasis, hyphens (whether they join words
or break lines) and characters that nobody sees.
"""

import re
import unicodedata
from typing import NamedTuple

PASSAGE_WORDS = 8
"""From this many words on a verbatim passage counts as taken from its source."""

# Format characters, variation selectors and tag characters; U+FFFE is how PDFium gives a hyphen at a line's end.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]+"
)
_HYPHEN = re.compile(r"[-\u2010]\s*")
_RUN = re.compile(r"[^\W_]+(?:[-\u2010]\s*[^\W_]+)*")

# Languages without spaces count by the character. Anything longer than a word can be is cut, so that encoded text
# (base64, hexadecimal) is a sequence of words as well.
_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]{1,24}")


class Word(NamedTuple):
    """A word, casefolded and without hyphens, and where it stands in the comparable text."""

    text: str
    start: int
    end: int


def comparable(text: str) -> str:
    """The text in compatibility form and without invisible characters."""
    return INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def words_of(comparable_text: str) -> list[Word]:
    """The words of a text that `comparable` gave."""
    return [
        Word(word, run.start(), run.end())
        for run in _RUN.finditer(comparable_text)
        for word in _WORD.findall(_HYPHEN.sub("", run.group()).casefold())
    ]


def shingles_of(words: list[Word]) -> list[int]:
    """A number for every run of `PASSAGE_WORDS` words, in order; it holds within this process only."""
    texts = [word.text for word in words]
    return list(map(hash, zip(*(texts[offset:] for offset in range(PASSAGE_WORDS)), strict=False)))
