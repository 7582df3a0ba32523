"""Tokens: counted exactly where a limit is promised, estimated where it is only ours."""

import warnings
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_openai import Encoding  # type: ignore[import-untyped]


@cache
def _encoding() -> "Encoding":
    with warnings.catch_warnings():  # the library reads its data in a way that Python 3.11 calls deprecated
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Tokens of the text in OpenAI's o200k encoding; other models count within some percent of it."""
    return len(_encoding().encode_ordinary(text))


def fits(text: str, max_tokens: int) -> bool:
    """Whether the text has at most this many tokens; a short one is never counted, as a token has a byte at least."""
    return len(text.encode()) <= max_tokens or count_tokens(text) <= max_tokens


def shorten(text: str, max_tokens: int) -> str:
    """The text's beginning within this many tokens (at least one), with an ellipsis where something is missing."""
    if fits(text, max_tokens):
        return text
    low, high = 0, len(text)
    while low < high:  # the longest beginning that fits together with its ellipsis
        middle = (low + high + 1) // 2
        if fits(text[:middle].rstrip() + " …", max_tokens):
            low = middle
        else:
            high = middle - 1
    cut = text[:low].rstrip()
    at_word = cut.rpartition(" ")[0]
    return (at_word if len(at_word) > len(cut) - 40 and at_word else cut) + " …" if cut else "…"
