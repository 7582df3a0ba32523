"""What a brief says literally and no page shows: names, days, times, prices and amounts, as facts in its own words."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import unescape
from typing import Any

from loopwright.agents.pages.domain.clauses import Clause, sentences_of
from loopwright.agents.pages.domain.entering import LOOK, Row
from loopwright.kernel.account.reading import Token, hard_tokens

MOST_WORDS = 12
MOST_FACTS = 12
_SHOWN = ("name", "literal", "date", "time", "weekday", "number", "abbreviation")
_MARKUP = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]+>", re.S)
_PAGES = re.compile(r"page|screen|seite|tab|页|屏", re.I)


def left_out(brief: str, pages: Sequence[str]) -> list[Row]:
    """Facts for what none of the pages (HTML) shows of the brief's hard tokens."""
    shown = _plain(" ".join(unescape(_MARKUP.sub(" ", html)) for html in pages))
    found: list[Row] = []
    for sentence in sentences_of(brief):
        for clause in (Clause(sentence.head, sentence.head), *sentence.clauses):
            missing = [token for token in _tokens(clause.text) if _plain(token.text) not in shown]
            if not missing or LOOK.fullmatch(clause.text):
                continue
            if clause.value and clause.words <= MOST_WORDS:
                found.append(Row(clause.label, clause.value))
            else:
                found += [Row(token.text) for token in missing]
            shown += f" {_plain(clause.text)}"
    return list(dict.fromkeys(found))[:MOST_FACTS]


def literals_of(brief: str) -> list[Token]:
    """The weekdays, times and prices of a brief: what nobody else's content says by chance."""
    return [each for each in _tokens(brief) if any(value.type in ("time", "weekday", "money") for value in each.values)]


def is_said_by(token: Token, when: Mapping[str, int]) -> bool:
    """Whether a weekday or a time is that of a day.

    Args:
        token: one of `literals_of`.
        when: month and day as numbers, with year, hour and minute where they are known; without a year, no weekday is.
    """
    known: set[tuple[str, Any]] = set()
    if "hour" in when:
        known.add(("time", 60 * when["hour"] + when["minute"]))
    if "year" in when:
        # As browsers count: 30 February is 2 March.
        day = date(when["year"], when["month"], 1) + timedelta(days=when["day"] - 1)
        known.add(("weekday", day.weekday()))
    return any((value.type, value.value) in known for value in token.values)


def _tokens(text: str) -> list[Token]:
    return [
        token
        for token in hard_tokens(text)
        if token.kind in _SHOWN
        and not (token.kind == "number" and not any(sign.isdigit() for sign in token.text))
        and not _PAGES.search(f"{token.text} {text[token.end : token.end + 8]}")
        and not (token.text.startswith("#") or (all(value.type == "colour" for value in token.values) and token.values))
    ]


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
