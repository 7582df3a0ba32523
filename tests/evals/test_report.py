"""The report: one page without scripts that holds what it shows, and shows nothing as markup that was said."""

from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from loopwright.evals.evaluation import Report
from loopwright.evals.finished import Verdict
from loopwright.evals.report import html, table
from loopwright.evals.statistics import EventLine, TrialResult
from tests.support.browser import check_page_in_chromium, evaluate_in_chromium

AT = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)
EVIL = "<script>document.title='owned'</script>&\"'"


def results() -> tuple[TrialResult, ...]:
    told = {
        "run_digest": "r",
        "check_digest": "c",
        "repetition": 1,
        "ended": "complete",
        "messages": [EVIL],
        "runs": ["run-1"],
    }
    failed = Verdict(check=f"text contains {EVIL}", passed=False, expected=EVIL, found="something else")
    judged = Verdict(check="judge: is it good?", passed=True, by="model", judge="judge-1", found="it reads well")
    skipped = Verdict(check="judge: is it kind?", passed=None, by="model", found="not asked")
    excerpt = [
        EventLine(run=1, seq=2, type="user_message", text=EVIL),
        EventLine(run=1, seq=90, type="run_completed", text="x"),
    ]
    one = {
        "case": "tea",
        "model": "good",
        "status": "passed",
        "said": EVIL,
        "verdicts": [judged],
        "usd": 0.25,
        "steps": 4,
    }
    two = {"case": "tea", "model": "lazy", "status": "failed", "false_done": True, "verdicts": [failed, skipped]}
    three = {"case": "coffee", "model": "good", "status": "error", "error": "the model is away"}
    return tuple(TrialResult.model_validate(told | each | {"excerpt": excerpt}) for each in (one, two, three))


REPORT = Report(("good", "lazy"), ("tea", "coffee"), 4, results())


class Outline(HTMLParser):
    """The page's elements: which there are, what they link to, the words of the articles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.ids |= {value or "" for name, value in attrs if name == "id"}

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_page_holds_what_it_shows() -> None:
    """No script, no address beyond the page; each cell's link leads to what was said, expected and found."""
    page = Outline()
    page.feed(html(REPORT, f"cases {EVIL}", AT))
    assert "script" not in page.tags
    assert page.links
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    for words in (EVIL, "something else", "the model is away", "verdict of the model judge-1", "not asked", "$0.2500"):
        assert words in page.words
    assert "3 of 4 trials" in page.words
    assert "not run" in page.words
    assert "1 of 2 failed · said “done”" in page.words


def test_the_table_for_a_terminal() -> None:
    """A line for each model, and one for each pair."""
    head, good, lazy, pair = table(REPORT)
    assert head.split()[:2] == ["model", "passed"]
    assert good.split()[:3] == ["good", "1/1", "100%"]
    assert lazy.split()[:3] == ["lazy", "0/1", "0%"]
    assert "p = 1.000" in pair


CLICKS = """async () => {
  const shown = (selector) => getComputedStyle(document.querySelector(selector)).display !== "none";
  const found = {title: document.title, before: shown("#t1")};
  document.querySelector("a.cell.failed").click();
  found.opened = shown("#t1");
  found.words = document.querySelector("#t1 dd").innerText;
  document.querySelector("#t1 .close").click();
  found.closed = !shown("#t1");
  found.rows = document.querySelectorAll(".matrix tbody tr").length;
  return found;
}"""


@pytest.mark.browser
async def test_it_opens_in_a_browser(tmp_path: Path) -> None:
    """A cell opens its trial, `Close` closes it; a phone shows it without overflow, and nothing is complained of."""
    path = tmp_path / "report.html"
    path.write_text(html(REPORT, f"cases {EVIL}", AT), encoding="utf-8")
    found = await evaluate_in_chromium(path, CLICKS)
    assert (found["before"], found["opened"], found["closed"], found["rows"]) == (False, True, True, 2)
    assert EVIL in found["title"]
    assert found["words"] == EVIL
    seen = await check_page_in_chromium(path)
    assert (seen.mobile_overflow, seen.window_overflow) == (0, 0)
    assert (seen.console_errors, seen.failed_requests) == ((), ())
