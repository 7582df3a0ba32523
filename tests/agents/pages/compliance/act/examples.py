"""The W3C's examples of the ACT rules, read from where shared data lies."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[6] / "shared" / "data" / "act-rules" / "examples.json"
needs_examples = pytest.mark.skipif(
    not EXAMPLES.is_file(), reason="the W3C's examples are not in ../shared/data/act-rules"
)


@dataclass(frozen=True, slots=True)
class Example:
    """A page and what a rule should say of it."""

    rule: str
    number: int
    expected: str
    html: str

    def __str__(self) -> str:
        return f"{self.rule} {self.expected} {self.number}"


@cache
def examples() -> tuple[Example, ...]:
    """All examples, rule by rule; none where the data is missing."""
    if not EXAMPLES.is_file():
        return ()
    rules = json.loads(EXAMPLES.read_text(encoding="utf-8")).values()
    return tuple(
        Example(rule["id"], each["example"], each["outcome"], each["html"])
        for rule in rules
        for each in rule["examples"]
    )
