"""Guesses at what was meant."""

import difflib
from collections.abc import Iterable

LIKENESS = 0.8
"""The least likeness of a slip of the pen; below it other words are meant."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`Did you mean X? ` for the nearest known name, or nothing."""
    close = difflib.get_close_matches(name[:200], list(known), n=1, cutoff=LIKENESS)
    return f"Did you mean {close[0]!r}? " if close else ""
