"""How a message of the user becomes statements, and how values and hard tokens are read from words.

Pure functions. `read_statements` reads by rules; `complete_reading` checks and completes what a model proposed;
`uncovered` says what no statement covers; `stands_in` whether a claim holds a hard token; `read_values` is the one
reader of dates, times, amounts and colours for all agents; `language_of` names the language of a text.
"""

from loopwright.kernel.account.reading.lexicon import language_of
from loopwright.kernel.account.reading.standing import missing_tokens, stands_in
from loopwright.kernel.account.reading.statements import CompletedReading, complete_reading, read_statements, uncovered
from loopwright.kernel.account.reading.tokens import Token, asks_for_work, content_words, hard_tokens
from loopwright.kernel.account.reading.values import Value, read_values

__all__ = [
    "CompletedReading",
    "Token",
    "Value",
    "asks_for_work",
    "complete_reading",
    "content_words",
    "hard_tokens",
    "language_of",
    "missing_tokens",
    "read_statements",
    "read_values",
    "stands_in",
    "uncovered",
]
