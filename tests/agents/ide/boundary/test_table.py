"""The table of attacks in the documents names exactly one test for each, and no test is missing in it."""

import ast
import re
from pathlib import Path

from tests.shape.source import ROOT

ATTACKS, ATTEMPTS = 66, 30
ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \| `(test_attack_(\d\d)_\w+)` \|$", re.MULTILINE)
TEST = re.compile(r"test_attack_\d")
ATTEMPT = re.compile(r"^\| (\d+) \| ([\w.-]+/[\w.-]+) ?[#G][^|]+\| [^|]+ \| [^|]+ \| [^|]+ \|$", re.MULTILINE)
UNSEEN = re.compile(r"test_unseen_(\d\d)_")


def names_of_tests(pattern: re.Pattern[str]) -> list[str]:
    """The names of all tests that begin so."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted(Path(__file__).parent.glob("test_*.py"))]
    functions = (
        each for tree in trees for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [each.name for each in functions if pattern.match(each.name)]


def test_each_attack_has_one_row_and_one_test() -> None:
    rows = ROW.findall((ROOT / "docs" / "boundary.md").read_text(encoding="utf-8"))
    assert [int(number) for number, *_ in rows] == list(range(1, ATTACKS + 1))
    assert all(int(number) == int(in_name) for number, _, _, _, in_name in rows)
    assert sorted(name for _, _, _, name, _ in rows) == sorted(names_of_tests(TEST))


def test_each_attempt_found_elsewhere_has_a_source_and_one_test() -> None:
    rows = ATTEMPT.findall((ROOT / "docs" / "boundary.md").read_text(encoding="utf-8"))
    assert [int(number) for number, _ in rows] == list(range(1, ATTEMPTS + 1))
    numbers = [UNSEEN.findall(name)[0] for name in names_of_tests(UNSEEN)]
    assert sorted(map(int, numbers)) == list(range(1, ATTEMPTS + 1))
