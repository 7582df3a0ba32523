"""The table of attacks in the documents names exactly one test for each, and no test is missing in it."""

import ast
import re
from pathlib import Path

from tests.shape.source import ROOT

ATTACKS = 66
ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \| `(test_attack_(\d\d)_\w+)` \|$", re.MULTILINE)
TEST = re.compile(r"test_attack_\d")


def attack_tests() -> list[str]:
    """The names of all tests of attacks."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted(Path(__file__).parent.glob("test_*.py"))]
    functions = (
        each for tree in trees for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [each.name for each in functions if TEST.match(each.name)]


def test_each_attack_has_one_row_and_one_test() -> None:
    rows = ROW.findall((ROOT / "docs" / "boundary.md").read_text(encoding="utf-8"))
    assert [int(number) for number, *_ in rows] == list(range(1, ATTACKS + 1))
    assert all(int(number) == int(in_name) for number, _, _, _, in_name in rows)
    assert sorted(name for _, _, _, name, _ in rows) == sorted(attack_tests())
