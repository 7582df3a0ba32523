"""Judges the requirements that were stored for one page of an RFC against the sentences that the truth file names."""

import json
import re
from pathlib import Path
from typing import Any

from bench.small_model.outcome import Fact, Outcome

COVERED, MOST_TIMES = 0.8, 2.5
"""So much of a sentence must stand in a quote, and the quote be no longer than so many sentences like it."""


def page_of(data: Path, case: dict[str, Any]) -> str:
    """The lines of the RFC that are the case's document."""
    first, last = case["lines"]
    text = (data / f"{case['document']}.txt").read_text(encoding="utf-8", errors="replace")
    return "\n".join(text.split("\n")[first - 1 : last]) + "\n"


def truth_of(data: Path, case: dict[str, Any]) -> list[str]:
    """The sentences with keywords that lie wholly on the page."""
    first, last = case["lines"]
    lines = (data / f"{case['document']}.truth.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [
        record["sentence"]
        for record in records
        if first <= record["lines"][0] and record["lines"][1] <= last and not record.get("defines_keywords")
    ]


def judge(case: dict[str, Any], outcome: Outcome, data: Path) -> list[Fact]:
    """A fact for each sentence of the truth, and one for each requirement that does not stand on the page."""
    quotes = [str(quote) for quote in outcome.extra.get("requirements", [])]
    page = _letters(page_of(data, case))
    facts = [
        Fact(sentence, _found(sentence, quotes), "not among the requirements") for sentence in truth_of(data, case)
    ]
    invented = [quote for quote in quotes if _letters(quote)[:200] not in page]
    return facts + [Fact(quote[:200], False, "stands nowhere on the page") for quote in invented]


def _found(sentence: str, quotes: list[str]) -> bool:
    wanted = _words(sentence)
    for quote in quotes:
        given = _words(quote)
        if len(given) <= MOST_TIMES * len(wanted) + 6 and _common(wanted, given) >= COVERED * len(wanted):
            return True
    return False


def _common(first: list[str], second: list[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for word in first:
        before = 0
        for at, other in enumerate(second, start=1):
            before, row[at] = row[at], before + 1 if word == other else max(row[at], row[at - 1])
    return row[-1]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _letters(text: str) -> str:
    """Only letters and digits, since lines and hyphens are broken differently by every reader."""
    return "".join(_words(text))
