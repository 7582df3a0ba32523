"""Guesses at what was meant."""

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`Did you mean X? ` for the nearest known name, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f"Did you mean {close[0]!r}? " if close else ""
