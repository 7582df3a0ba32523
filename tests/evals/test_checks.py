"""Each kind of check, on what a run has left: it passes, it fails, and it says what was expected and found."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from loopwright.evals.checks import Check, Judgement, look_at
from loopwright.evals.finished import FinishedRun, Missing, files_in, value_at
from loopwright.kernel.events import Event

LINE = {"type": "complete", "message": "Five pages built.", "pages": [{"slug": "home"}, {"slug": "menu"}], "count": 5}


def event(seq: int, kind: str, **payload: Any) -> Event:
    return Event(run_id="r", seq=seq, type=kind, at=datetime.now(UTC), payload=payload)


def call(seq: int, name: str, success: bool = True, **arguments: Any) -> list[Event]:
    started = event(seq, "tool_call", call_id=f"c{seq}", name=name, arguments=arguments)
    return [started, event(seq + 1, "tool_result", call_id=f"c{seq}", name=name, success=success, output="")]


def statement(seq: int, key: str, state: str | None, reason: str = "") -> list[Event]:
    read = event(seq, "statements_read", statements=[{"id": key, "text": f"words of {key}"}])
    settled = [event(seq + 1, "statement_settled", statement=key, state=state, reason=reason)] if state else []
    return [read, *settled]


@pytest.fixture
def run(tmp_path: Path) -> FinishedRun:
    folder = tmp_path / "session"
    (folder / "pages").mkdir(parents=True)
    (folder / "pages" / "menu.html").write_text("<nav>Menu</nav>")
    (folder / "pages" / "index.html").write_text("<h1>Home</h1>")
    (folder / "plan.json").write_text('{"a/b": {"tasks": [1, 2, null]}}')
    (folder / "broken.json").write_text("{")
    (tmp_path / "secret.txt").write_text("Menu")
    (folder / "leak.html").symlink_to(tmp_path / "secret.txt")
    journal = [*call(1, "make", slug="home", title="The Home"), *call(3, "make", slug="menu"), *call(5, "lint", False)]
    return FinishedRun(
        "case", "model", ["Build it"], folder, tmp_path, LINE, journal, steps=4, usd=0.02, tokens=100, seconds=3.0
    )


PASSING: list[Any] = [
    "completed",
    {"completed": True},
    {"text": {"contains": "pages", "lacks": "sorry"}},
    {"text": {"contains": ["Five", "built"]}},
    {"text": {"matches": "^Five .* built"}},
    {"text": {"equals": "Five pages built."}},
    {"file": "plan.json"},
    {"file": {"path": "pages/*.html", "contains": "<nav>"}},
    {"file": {"path": "pages/gone.html", "exists": False}},
    {"file": {"path": "plan.json", "at": "/a~1b/tasks/1", "equals": 2}},
    {"file": {"path": "plan.json", "at": "/a~1b/tasks/2", "equals": None}},
    {"result": {"at": "/pages/1/slug", "equals": "menu"}},
    {"result": {"at": "/count", "at_least": 5, "at_most": 5}},
    {"result": {"at": "/error", "exists": False}},
    {"tool": "make"},
    {"tool": {"called": "make", "times": 2}},
    {"tool": {"called": "make", "with": {"slug": "home"}}},
    {"tool": {"called": "make", "with": {"title": {"contains": "Home"}}, "times": 1}},
    {"tool": {"not_called": "delete"}},
    {"tool": {"not_called": "make", "with": {"slug": "cart"}}},
    {"tool": {"called": "lint", "succeeded": False}},
    {"steps": 4},
    {"cost": {"at_most": 0.02}},
    {"seconds": 3},
]
FAILING: list[tuple[Any, str]] = [
    ({"text": {"contains": "six"}}, "Five pages built."),
    ({"text": {"lacks": "pages"}}, "Five pages built."),
    ({"file": "gone.txt"}, "plan.json"),
    ({"file": {"path": "plan.json", "exists": False}}, "plan.json"),
    ({"file": {"path": "pages/*.html", "contains": "<footer>"}}, "Home"),
    ({"file": {"path": "plan.json", "at": "/a~1b/tasks/9", "equals": 1}}, "there are 3 items"),
    ({"file": {"path": "plan.json", "at": "/x", "equals": 1}}, 'there is ["a/b"]'),
    ({"file": {"path": "broken.json", "at": "/x", "equals": 1}}, "cannot be read"),
    ({"file": {"path": "leak.html", "contains": "Menu"}}, "only: "),
    ({"result": {"at": "/pages/1/slug", "equals": "cart"}}, "menu"),
    ({"result": {"at": "/message", "at_least": 5}}, "Five pages"),
    ({"result": {"at": "/gone", "equals": 1}}, "nothing at /gone"),
    ({"tool": {"called": "make", "times": 1}}, "make"),
    ({"tool": {"called": "make", "with": {"slug": "cart"}}}, "menu"),
    ({"tool": {"not_called": "lint"}}, "lint"),
    ({"tool": {"called": "lint", "succeeded": True}}, "lint"),
    ({"tool": "gone"}, "called: lint, make"),
    ({"steps": 3}, "4"),
    ({"cost": 0.01}, "0.02"),
    ({"account": "told"}, "has read no statement"),
]


@pytest.mark.parametrize("given", PASSING, ids=str)
async def test_passing(given: Any, run: FinishedRun) -> None:
    """It holds, and its verdict is a rule's."""
    (verdict,) = await look_at(run, [Check.model_validate(given)])
    assert (verdict.passed, verdict.by) == (True, "rule"), verdict


@pytest.mark.parametrize(("given", "found"), FAILING, ids=str)
async def test_failing(given: Any, found: str, run: FinishedRun) -> None:
    """It does not hold, and what was found is told."""
    (verdict,) = await look_at(run, [Check.model_validate(given)])
    assert verdict.passed is False
    assert found in verdict.found
    assert verdict.expected
    assert verdict.limit == (not {"steps", "cost", "seconds"}.isdisjoint(given))


async def test_a_run_that_has_not_completed(run: FinishedRun) -> None:
    """The failure's code and words are what was found; a price that nobody knows passes no limit."""
    line = {"type": "error", "code": "max_steps", "message": "It used all steps."}
    failed = FinishedRun("c", "m", ["x"], run.folder, run.home, line, (), usd=None)
    completed, cost = await look_at(failed, [Check.model_validate("completed"), Check.model_validate({"cost": 9})])
    assert (completed.passed, completed.found) == (False, "error: max_steps It used all steps.")
    assert (cost.passed, "not known" in cost.found) == (False, True)


@pytest.mark.parametrize(
    ("states", "kept", "told"),
    [
        ([("kept", ""), ("not_used", "noted")], True, True),
        ([("kept", ""), ("superseded", "")], True, True),
        ([("kept", ""), ("not_used", "no means")], False, True),
        ([("kept", ""), ("assumed", "")], False, True),
        ([("kept", ""), (None, "")], False, False),
    ],
)
async def test_account(states: list[tuple[str | None, str]], kept: bool, told: bool, run: FinishedRun) -> None:
    """All kept: every statement that asks for something; all told: each has come to a state that the ending names."""
    journal = [each for n, (state, why) in enumerate(states) for each in statement(2 * n + 1, f"s{n}", state, why)]
    of_it = FinishedRun("c", "m", ["x"], run.folder, run.home, LINE, journal)
    verdicts = await look_at(of_it, [Check.model_validate({"account": each}) for each in ("kept", "told")])
    assert [verdict.passed for verdict in verdicts] == [kept, told], verdicts


CODE = """
import asyncio
def yes(run): assert run.completed and run.calls[0].arguments == {"slug": "home", "title": "The Home"}
def no(run): return "the menu is missing"
def false(run, word): return word in run.text
def asserting(run): assert not run.calls, "there are calls"
def broken(run): return run.nonsense
def odd(run): return 3
async def later(run): await asyncio.sleep(0); return (run.folder / "plan.json").exists()
"""


@pytest.mark.parametrize(
    ("given", "passed", "broken", "found"),
    [
        ("mine:yes", True, False, "None"),
        ("mine:later", True, False, "True"),
        ("mine:no", False, False, "the menu is missing"),
        ({"function": "mine:false", "args": {"word": "six"}}, False, False, "False"),
        ("mine:asserting", False, False, "there are calls"),
        ("mine:broken", False, True, "AttributeError"),
        ("mine:odd", False, True, "it returned 3"),
        ("mine:gone", False, True, "AttributeError"),
        ("nowhere_at_all:x", False, True, "ModuleNotFoundError"),
    ],
)
async def test_python(given: Any, passed: bool, broken: bool, found: str, run: FinishedRun) -> None:
    """A function beside the case's file; what breaks in it is told apart from what it says."""
    (run.home / "mine.py").write_text(CODE)
    (verdict,) = await look_at(run, [Check.model_validate({"python": given})])
    assert (verdict.passed, verdict.broken, verdict.by) == (passed, broken, "code")
    assert found in verdict.found


async def test_a_judge_is_asked_last_and_only_about_what_passes(run: FinishedRun) -> None:
    """Its verdict is marked; with a failed check before it, it is not asked."""
    asked: list[str] = []

    async def ask(rubric: str, of: FinishedRun) -> Judgement:
        asked.append(rubric)
        return Judgement("it reads well", True, "judge-1", 0.01)

    judged = Check.model_validate({"judge": "Is it friendly?"})
    verdicts = await look_at(run, [judged, Check.model_validate("completed")], ask)
    assert [(v.by, v.passed, v.judge) for v in verdicts] == [("model", True, "judge-1"), ("rule", True, "")]
    assert (verdicts[0].usd, asked) == (0.01, ["Is it friendly?"])
    verdicts = await look_at(run, [judged, Check.model_validate({"steps": 1})], ask)
    assert (verdicts[0].passed, len(asked)) == (None, 1)


def test_pointers_and_files(run: FinishedRun) -> None:
    """A pointer to nothing is the whole; links that lead out of the folder are no files of it."""
    assert value_at({"a": 1}, "") == {"a": 1}
    assert isinstance(value_at({"a": 1}, "/a/b"), Missing)
    assert files_in(run.folder, "**/*") == ["broken.json", "pages/index.html", "pages/menu.html", "plan.json"]
