"""The tables of one language, and the patterns made of them: another language is another file, not other code."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

PACKAGE = "loopwright.agents.planner.offline"
PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::([a-z_]+))?\}")
CLOCK = (
    r"(?:(?:[01]?\d|2[0-3])(?::[0-5]\d ?(?:[ap]\.?m\b\.?)?| ?[ap]\.?m\b\.?| ?o'clock| ?h\b)"
    r"|(?:[01]?\d|2[0-4])(?=\s*(?:$|[,;.!?)]| and\b| or\b| on\b| to\b| until\b|-|–)))"
)
"""A time of day: hours alone only where nothing follows that would make them an amount or a date."""
TABLES = ("months", "weekdays", "seasons", "feasts", "day_parts", "time_units", "span_units", "periods", "currencies")


@dataclass(frozen=True)
class Language:
    """The words and phrases of a language. `table` gives the raw tables, `pattern` a compiled phrase."""

    raw: Mapping[str, Any]
    compiled: dict[str, re.Pattern[str]] = field(default_factory=dict, compare=False, repr=False)

    def table(self, name: str) -> Mapping[str, Any]:
        """The table of this name."""
        found: Mapping[str, Any] = self.raw[name]
        return found

    @property
    def number(self) -> str:
        """A pattern for a number in digits or words; digits glued to an operator or to letters are no number."""
        tens = "|".join(self.table("tens"))
        ones = "|".join(sorted(self.table("numbers"), key=len, reverse=True))
        digits = r"(?<![\w*^.,/+-])\d+(?:[.,]\d+)*"
        hundreds = "|".join(self.table("hundreds"))
        return rf"(?:{digits}|\b(?:{tens})(?:[- ](?:{ones}))?\b|\b(?:{ones})(?: (?:{hundreds}))?\b)"

    def expand(self, template: str) -> str:
        """The template with its placeholders filled: `{months}` is any month, `{months:month}` one that has a name."""
        return PLACEHOLDER.sub(self._filled, template)

    def _filled(self, match: re.Match[str]) -> str:
        name, group = match.groups()
        if name == "number":
            body = self.number
        elif name == "clock":
            body = CLOCK
        elif name == "anyday":
            body = _words({**self.table("weekdays"), **self.table("day_groups")})
        elif name == "date":
            forms = self.table("date_forms")
            body = "|".join(re.sub(r"\?P<\w+>", "?:", self.expand(forms[form])) for form in PLAIN_FORMS)
        else:
            body = _words(self.table(name))
        return f"(?P<{group}>{body})" if group else f"(?:{body})"

    def pattern(self, template: str) -> re.Pattern[str]:
        """The compiled template."""
        found = self.compiled.get(template)
        if found is None:
            # Templates come from the tables alone, so there are no more of these than phrases.
            found = self.compiled[template] = re.compile(self.expand(template))
        return found

    def patterns(self, name: str) -> list[re.Pattern[str]]:
        """The compiled templates of a list."""
        return [self.pattern(template) for template in self.raw[name]]


PLAIN_FORMS = ("iso", "dotted", "slash", "day_month", "month_day", "feast", "month")
"""The forms of a date that may stand in a span `from … to …`."""


def _words(table: Mapping[str, Any]) -> str:
    """Any of the table's words, the longest first, none of them inside a longer word."""
    ordered = sorted(table, key=lambda word: (-len(word), word))
    return "|".join(rf"\b{re.escape(word)}\b" if word[0].isalpha() else re.escape(word) for word in ordered)


@cache
def language(code: str = "en") -> Language:
    """The language of this code, as packaged."""
    text = resources.files(PACKAGE).joinpath("languages", f"{code}.json").read_text(encoding="utf-8")
    return Language(json.loads(text))
