"""A real LLM, however small: tiny briefs through the command. The share of valid pages is told; it has no bar.

What must hold with any model: no crash, no hang, and no end that does not say why.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopwright.kernel.events import Event
from loopwright.kernel.testing.conformance import check_journal
from tests.support.commands import Installation

ENDPOINT = "LOOPWRIGHT_TEST_LLM"
MINUTES_PER_BRIEF = 15

BRIEFS = (
    "A one-page app that says hello to visitors of a bakery, one heading and two sentences",
    "One page: opening hours of a small library",
    "One page with a list of three dog walks and how long each takes",
    "A single page for a yoga class: time, place, and a button to join",
    "One page that shows today's soup and its price",
    "A one-page business card for Ada, a plumber, with a phone number",
    "One page: a packing list for a weekend in the mountains",
    "A single page with one riddle and a button that shows the answer",
    "One page that thanks the guests of a wedding",
    "A one-page menu of a lemonade stand with three drinks",
)

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not os.environ.get(ENDPOINT), reason=f"{ENDPOINT} names no endpoint (such as http://host/v1)"),
    pytest.mark.timeout(len(BRIEFS) * MINUTES_PER_BRIEF * 60 + 60),
]


@dataclass(frozen=True)
class Attempt:
    """What came of one brief."""

    brief: str
    code: int
    last: dict[str, Any]

    @property
    def valid(self) -> bool:
        """Whether the run ended with at least one page, all of them valid."""
        return self.code == 0 and bool(self.last["pages"]) and bool(self.last["valid"])

    def __str__(self) -> str:
        if self.last["type"] == "complete":
            issues = [f"{issue['slug']}: {issue['message']}" for issue in self.last["issues"][:2]]
            told = f"pages {self.last['pages']} valid {self.last['valid']} {'; '.join(issues)}"
        else:
            told = f"{self.last['code']}: {self.last['message'][:200]}"
        return f"{'✓' if self.valid else '✗'} {self.last['steps']:>2} steps  {self.brief[:50]:<50}  {told}"


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    """An installation that asks the endpoint, without a key."""
    return Installation(
        tmp_path, {"OPENAI_BASE_URL": os.environ[ENDPOINT], "MODEL_RETRIES": "1", "SOUL_MAX_STEPS": "12"}
    )


def test_ten_tiny_briefs(place: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    """Each ends within its time, with 0 and a result or with 4 and a reason, and leaves a whole journal."""
    attempts = [attempt(place, brief) for brief in BRIEFS]
    valid = sum(each.valid for each in attempts)
    with capsys.disabled():
        print(f"\n{valid} of {len(attempts)} briefs ended in valid pages:", *attempts, sep="\n  ")  # noqa: T201


def attempt(place: Installation, brief: str) -> Attempt:
    """Run one brief and check how it ended."""
    done = place.run("pages", brief, "--yes", "--json", timeout=MINUTES_PER_BRIEF * 60)
    assert "Traceback" not in done.err, done.err
    last = done.last
    assert (done.code, last["type"]) in ((0, "complete"), (4, "error")), (done.code, last, done.err)
    if done.code == 4:
        assert last["code"] not in ("internal", "interrupted"), last
        assert last["message"]
    check_journal([Event.model_validate(event) for event in place.events(last["run_id"])])
    return Attempt(brief, done.code, last)
