"""The lanes: what is left out or thinned exists, each test with many cases keeps some, and what is measured decides."""

import ast

import pytest

from tests.lanes import (
    EVERY,
    LARGE,
    MANY_CASES,
    in_lane,
    large_tests,
    measured_large,
    of_the_ci_lane,
    of_the_quick_lane,
    thinned_tests,
)
from tests.shape.source import ROOT, nodes, syntax_tree


@pytest.mark.parametrize("named", [large_tests(), thinned_tests()], ids=["large", "thinned"])
def test_each_test_that_is_named_exists(named: frozenset[str] | dict[str, int]) -> None:
    """A test that was renamed would come back into its lane, or a new one of that name stay out of it."""
    missing = []
    for name in sorted(named):
        path, _, test = name.partition("::")
        tests = {
            node.name
            for node in (nodes(syntax_tree(ROOT / path)) if (ROOT / path).exists() else ())
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        if test.rpartition("::")[2] not in tests:
            missing.append(name)
    assert not missing, "\n".join(missing)


def cases(test: str, count: int) -> list[str]:
    """Node ids of one test."""
    return [f"tests/a.py::{test}[{number}]" for number in range(count)]


def test_a_test_with_many_cases_is_sampled() -> None:
    """One of five; a test with few runs whole, and what is listed not at all; in whatever order the cases come."""
    many, few = cases("many", 20 * EVERY), cases("few", MANY_CASES)
    names = [*many, *few, "tests/a.py::slow[1]", "tests/a.py::single"]
    quick = of_the_quick_lane(names, {"tests/a.py::slow"})
    kept = {name for name, keep in zip(names, quick, strict=True) if keep}
    assert kept - set(many) == {*few, "tests/a.py::single"}
    assert len(kept & set(many)) == 20
    assert of_the_quick_lane(names[::-1], {"tests/a.py::slow"}) == quick[::-1]
    assert len({many.index(name) % EVERY for name in kept & set(many)}) == EVERY


def test_the_lanes_lie_in_each_other() -> None:
    """What is thinned keeps a case in `ci`, what `ci` leaves out is in `thinned`, and `quick` runs nothing besides."""
    names = [name for test in thinned_tests() for name in [f"{test}[{number}]" for number in range(40)]]
    quick, ci, thinned = (in_lane(lane, names) for lane in ("quick", "ci", "thinned"))
    assert all(in_lane("all", names))
    assert [not keep for keep in ci] == thinned
    assert not any(fast and not run for fast, run in zip(quick, ci, strict=True))
    assert sum(of_the_ci_lane(cases("grid", 10), {"tests/a.py::grid": 4})) == 3
    assert of_the_ci_lane(["tests/a.py::grid[only]"], {"tests/a.py::grid": 4}) == [True]


def test_what_was_measured_decides() -> None:
    """The cases of a test count together, many of them by their sample; what was not measured stays as it was."""
    log = [f"{LARGE * 0.6}\t9\t{name}" for name in cases("two", 2)]
    log += [f"{LARGE * 0.6}\t9\ttests/a.py::one", f"{LARGE * 1.1}\t9\ttests/a.py::slow"]
    log += [f"{LARGE / 20}\t9\t{name}" for name in cases("grid", 60)]
    before = {"tests/a.py::one", "tests/b.py::unseen"}
    assert measured_large(log, before) == ["tests/a.py::slow", "tests/a.py::two", "tests/b.py::unseen"]
