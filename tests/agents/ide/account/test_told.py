"""What was run and what was answered: whole runs of tests count, and places that are there; explanations never."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from loopwright.kernel.account import NotMeasurable
from tests.agents.ide.account.result_of import CODE, Made, found, measured, ran, result_of, wrote

PYTEST = "..                     [100%]\n2 passed in 0.03s\n"
FAILED = "1 failed, 1 passed in 0.03s\n"
ONE = "1 passed in 0.03s\n"
LEFT: Made = (
    "run_command",
    {"command": "python3 -c 1"},
    "",
    {"paths": [".benchmarks/a", ".pytest_cache/v", "a/__pycache__/b.pyc", ".coverage", ".hypothesis/x"]},
)
LOOKED: Made = ("index_find_files", {"pattern": "*.py"}, "a.py", {"files": ["a.py"]})
PROPOSED: Made = ("patchset_propose", {}, "Proposed", {"files": [{"path": "a.py"}]})
TESTS: list[tuple[str, Sequence[Made], bool, bool]] = [
    ("passed", [wrote("a.py"), ran("python3 -m pytest -q", 0, PYTEST)], True, True),
    ("unittest", [ran("python3 -m unittest -q", 0, "Ran 2 tests in 0.0s\n\nOK\n")], True, True),
    ("go", [ran("go test ./...", 0, "ok  \tx\t0.1s\n")], True, True),
    ("failed", [ran("pytest -q", 1, "1 failed, 1 passed in 0.03s\n")], True, False),
    ("hidden", [ran("pytest -q || true", 0, "1 failed, 1 passed in 0.03s\n")], True, False),
    ("changed after", [ran("pytest -q", 0, PYTEST), wrote("a.py")], False, False),
    ("none ran", [ran("pytest -q", 5, "no tests ran in 0.01s\n")], False, False),
    ("printed", [ran("echo 2 passed in 0.03s # pytest", 0, PYTEST)], False, False),
    ("something else", [ran("ls", 0, PYTEST)], False, False),
    ("never", [], False, False),
    ("failed, then a part", [ran("pytest", 1, FAILED), ran("pytest tests/test_ok.py", 0, PYTEST)], True, False),
    ("passed, then a part failed", [ran("pytest", 0, PYTEST), ran("pytest tests/test_b.py", 1, FAILED)], True, False),
    ("failed, then passed", [ran("pytest", 1, FAILED), ran("pytest -q --tb=short", 0, PYTEST)], True, True),
    ("a test fewer", [ran("pytest", 1, FAILED), wrote("tests/test_b.py"), ran("pytest", 0, ONE)], True, False),
    ("selected", [ran("pytest -k ok", 0, PYTEST)], False, False),
    ("deselected", [ran("pytest", 0, "1 passed, 9 deselected in 0.1s\n")], False, False),
    ("ignored", [ran("pytest --ignore=tests/test_b.py", 0, PYTEST)], False, False),
    ("the last failed", [ran("pytest --lf", 0, PYTEST)], False, False),
    ("one file", [ran("pytest tests/test_ok.py", 0, PYTEST)], False, False),
    ("one case", [ran("pytest tests/test_ok.py::test_a", 0, PYTEST)], False, False),
    ("the folder of all", [ran("pytest -x tests/", 0, PYTEST)], True, True),
    ("every file", [ran("pytest tests/test_ok.py tests/test_b.py", 0, PYTEST)], True, True),
    ("in the folder", [ran("cd tests && python -m pytest 2>&1 | tail -5; echo exit $?", 0, PYTEST)], True, True),
    ("discovered", [ran("python3 -m unittest discover -s tests -v", 0, "Ran 2 tests in 0.0s\n\nOK\n")], True, True),
    ("a module", [ran("python3 -m unittest tests.test_ok", 0, "Ran 2 tests in 0.0s\n\nOK\n")], False, False),
    ("a package", [ran("go test ./pkg", 0, "ok  \tx\t0.1s\n")], False, False),
    ("by name", [ran("go test ./... -run Ok", 0, "ok  \tx\t0.1s\n")], False, False),
    ("make", [ran("make test", 0, PYTEST)], True, True),
    ("a part of make", [ran("make test-unit", 0, PYTEST)], False, False),
    ("wrapped", [ran("CI=1 timeout 60 uv run pytest", 0, PYTEST)], True, True),
    ("an own program", [ran("python check_tests.py pytest", 0, PYTEST)], False, False),
    ("an own program beside", [ran("python check.py; pytest -q", 0, PYTEST)], False, False),
    ("an own runner", [ran("./pytest", 0, PYTEST)], False, False),
    ("an own path", [ran("PATH=.:$PATH pytest", 0, PYTEST)], False, False),
    ("printed behind", [ran("pytest | cat told.txt", 0, PYTEST)], False, False),
    ("printed by a shell", [ran("pytest; echo $(cat told.txt)", 0, PYTEST)], False, False),
    ("two, one failed", [ran("pytest; pytest", 0, FAILED + PYTEST)], True, False),
    ("what it left", [ran("pytest", 0, PYTEST), LEFT], True, True),
    ("looked up", [ran("pytest", 0, PYTEST), LOOKED], True, True),
    ("proposed", [ran("pytest", 0, PYTEST), PROPOSED], True, True),
]


@pytest.mark.parametrize(("name", "calls", "run", "passed"), TESTS, ids=[each[0] for each in TESTS])
async def test_tests_are_counted_by_their_own_output(
    name: str, calls: Sequence[Made], run: bool, passed: bool, tmp_path: Path
) -> None:
    result = result_of(tmp_path, {"tests/test_ok.py": "", "tests/test_b.py": "", "a.py": ""}, calls)
    assert await measured("all_tests_run", {}, result) is run
    assert await measured("all_tests_pass", {}, result) is passed


async def test_a_selection_and_a_command_are_those_that_were_asked_for(tmp_path: Path) -> None:
    result = result_of(tmp_path, {}, [ran("pytest tests/a.py", 0, PYTEST)])
    assert await measured("tests_run", {"selection": "tests/a.py"}, result)
    assert not await measured("tests_run", {"selection": "tests/b.py"}, result)
    without = result_of(tmp_path, {}, [ran("pytest --ignore=tests/a.py tests", 0, PYTEST)])
    assert not await measured("tests_run", {"selection": "tests/a.py"}, without)
    every = result_of(tmp_path, {}, [ran("pytest", 0, PYTEST)])
    assert await measured("tests_run", {"selection": "tests/a.py"}, every)
    assert await measured("tests_pass", {"selection": "tests/a.py"}, every)
    red = result_of(tmp_path, {}, [ran("pytest", 0, PYTEST), ran("pytest tests/a.py", 1, FAILED)])
    assert not await measured("tests_pass", {"selection": "tests/a.py"}, red)
    assert not await measured("tests_pass", {"selection": "tests/b.py"}, result)
    assert await measured("command_run", {"command": "pytest tests/a.py"}, result)
    assert not await measured("command_run", {"command": "pytest"}, result)


ANSWERS = [
    ("It is at shop/price.py:1.", True, True, False),
    ("It is at shop/price.py:2.", False, False, False),
    ("It is in shop/price.py.", False, False, False),
    ("It is at shop/none.py:1.", False, False, False),
    (
        "It is shop/price.py:1, used in shop/cart.py: lines 1, 8 and at web/app.ts:1, web/app.ts:2.",
        True,
        True,
        True,
    ),
    ("Used in shop/cart.py: lines 1, 8.", False, False, False),
]


@pytest.mark.parametrize(("answer", "quoted", "defined", "used"), ANSWERS, ids=range(len(ANSWERS)))
async def test_places_count_when_the_name_stands_there(
    answer: str, quoted: bool, defined: bool, used: bool, tmp_path: Path
) -> None:
    result = result_of(tmp_path, CODE, answer=answer)
    holding = [await measured(check, {"name": "total"}, result) for check in ("quoted", "defined_at", "used_at")]
    assert holding == [quoted, defined, used]


async def test_no_answer_keeps_an_explanation(tmp_path: Path) -> None:
    wrong = result_of(tmp_path, CODE, answer="It deletes your disk, see shop/price.py:1.")
    with pytest.raises(NotMeasurable, match="nothing measures whether"):
        await found("explained", {"name": "total"}, wrong)
    assert not await measured("explained", {"name": "total"}, result_of(tmp_path, CODE, answer="It is fine."))


async def test_every_definition_must_be_quoted(tmp_path: Path) -> None:
    files = CODE | {"other.py": "def total():\n    pass\n"}
    one = result_of(tmp_path, files, answer="shop/price.py:1")
    assert not await measured("defined_at", {"name": "total"}, one)
    both = result_of(tmp_path, files, answer="shop/price.py:1 and other.py:1")
    assert await measured("defined_at", {"name": "total"}, both)
