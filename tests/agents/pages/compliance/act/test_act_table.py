"""The table of ACT rules: how every covered rule judges the W3C's examples.

Print it with `pytest -s tests/agents/pages/compliance/act/test_act_table.py`.
"""

import sys
from collections import Counter
from pathlib import Path

import pytest

from loopwright.agents.pages.compliance.act import ACT_RULES, check_act
from loopwright.agents.pages.compliance.act.outcome import ActRule
from loopwright.agents.pages.compliance.act.rules import coverage_table
from tests.agents.pages.compliance.act.examples import Example, examples, needs_examples

DOCUMENT = Path(__file__).parents[5] / "docs" / "act-rules.md"
BY_ID = {rule.id: rule for rule in ACT_RULES}


def outcome(example: Example) -> str:
    return check_act(example.html, rules=[BY_ID[example.rule]])[0].outcome


def is_false(example: Example, found: str) -> bool:
    """A false pass or a false failure; whether a rule passes or does not apply makes no difference to a page."""
    return found != "cantTell" and (found == "failed") != (example.expected == "failed")


@needs_examples
@pytest.mark.parametrize("example", examples(), ids=str)
def test_no_rule_is_wrong_about_an_example(example: Example) -> None:
    found = outcome(example)
    assert not is_false(example, found), f"{found}: {example.html}"
    if BY_ID[example.rule].coverage == "full":
        assert found == example.expected, example.html


@needs_examples
def test_every_rule_of_the_examples_is_declared() -> None:
    assert {example.rule for example in examples()} == set(BY_ID)


@needs_examples
def test_print_the_table() -> None:
    sys.stdout.write(f"\n{table()}\n")


@needs_examples
def test_the_rules_that_are_covered_in_full_stay_so() -> None:
    assert sum(rule.coverage == "full" for rule in ACT_RULES) >= 21


def test_the_document_holds_the_table() -> None:
    assert coverage_table() in DOCUMENT.read_text(encoding="utf-8")


def table() -> str:
    lines = [f"{'rule':7}{'coverage':9}{'agree':>6}{'open':>5}{'false':>6}  name"]
    for rule in ACT_RULES:
        counts = _counts(rule)
        lines.append(
            f"{rule.id:7}{rule.coverage:9}{counts['agree']:6}{counts['open']:5}{counts['false']:6}  {rule.name}"
        )
    total = sum((_counts(rule) for rule in ACT_RULES), Counter[str]())
    full = sum(rule.coverage == "full" for rule in ACT_RULES)
    lines.append(
        f"{full} of {len(ACT_RULES)} in full; {total['agree']} examples agree, {total['open']} open, "
        f"{total['false']} false"
    )
    return "\n".join(lines)


def _counts(rule: ActRule) -> Counter[str]:
    counts: Counter[str] = Counter()
    for example in examples():
        if example.rule == rule.id:
            found = outcome(example)
            counts["false" if is_false(example, found) else "open" if found == "cantTell" else "agree"] += 1
    return counts
