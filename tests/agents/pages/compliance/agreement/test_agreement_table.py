"""The table of agreement with headless Chromium at 430 pixels; `pytest -s` prints it, and docs/ holds the same one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agents.pages.compliance.agreement.pages import CASES
from tests.agents.pages.compliance.agreement.verdicts import RULES, Verdicts, chromium_verdicts, our_verdicts
from tests.support.shared_browser import shared_browser

DOCUMENT = Path(__file__).parents[5] / "docs" / "chromium-agreement.md"
HEADER = (
    "| rule | pages | good in both | bad in both | false passes | false failures | left open |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
)


@dataclass(frozen=True)
class Row:
    """How often both say the same of a rule, page by page."""

    rule: str
    good: int
    bad: int
    false_passes: tuple[str, ...]
    false_failures: tuple[str, ...]
    left_open: int

    def __str__(self) -> str:
        pages = self.good + self.bad + len(self.false_passes) + len(self.false_failures) + self.left_open
        counts = (pages, self.good, self.bad, len(self.false_passes), len(self.false_failures), self.left_open)
        return f"| {self.rule} | " + " | ".join(map(str, counts)) + " |"


def row(rule: str, ours: Sequence[Verdicts], theirs: Sequence[Verdicts]) -> Row:
    good = bad = left_open = 0
    passes: list[str] = []
    failures: list[str] = []
    for case, mine, seen in zip(CASES, ours, theirs, strict=True):
        missed, invented = seen[rule] - mine[rule], mine[rule] - seen[rule]
        declared = {name for name in missed if (rule, name) in case.left_open}
        passes += [f"{case.name}: {name}" for name in sorted(missed - declared)]
        failures += [f"{case.name}: {name}" for name in sorted(invented)]
        if declared:
            left_open += 1
        elif not missed and not invented:
            good, bad = good + (not seen[rule]), bad + bool(seen[rule])
    return Row(rule, good, bad, tuple(passes), tuple(failures), left_open)


@pytest.mark.browser
async def test_both_say_the_same_of_every_page() -> None:
    theirs = await chromium_verdicts(shared_browser(), CASES)
    ours = [our_verdicts(case) for case in CASES]
    rows = [row(rule, ours, theirs) for rule in RULES]
    table = "\n".join([HEADER, *map(str, rows)])
    print(f"\n{len(CASES)} pages\n{table}")  # noqa: T201 - the table is what the test is for
    assert [name for each in rows for name in each.false_passes] == []
    assert [name for each in rows for name in each.false_failures] == []
    assert all(each.bad and each.good for each in rows), "each rule is broken by some page and kept by another"
    assert table in DOCUMENT.read_text(encoding="utf-8"), "docs/chromium-agreement.md holds another table"


def test_there_are_enough_pages_and_no_two_are_alike() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len({case.html for case in CASES}) == len(CASES)


def test_a_declared_gap_is_one() -> None:
    """What is declared as left open is not found by us, so that the declaration cannot hide a false failure."""
    for case in CASES:
        found: Mapping[str, frozenset[str]] = our_verdicts(case) if case.left_open else {}
        assert not [gap for gap in case.left_open if gap[1] in found[gap[0]]], case.name
