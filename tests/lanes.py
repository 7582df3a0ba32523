"""The lanes of the tests, each a part of the next: `quick` (`make test`), `ci` (`make test-all`, `.ci/run`), `all`.

`ci` leaves out cases of grids: of a test that `thinned.txt` names, one case of so many runs, and the others run in
`make soak` (lane `thinned`). `quick` leaves out, of these, the tests that `large_lane.txt` names, each of which takes
seconds, and of a test with many cases it runs every fifth. Every promise keeps at least one case in `ci`.

`make lanes` writes `large_lane.txt` anew from what the tests cost when they were measured:
`python -m tests.lanes FILES` takes logs that `pytest --cpu-log FOLDER` wrote, and leaves alone what they do not name.
"""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

LANES = ("quick", "ci", "thinned", "all")
LARGE_LANE = Path(__file__).with_name("large_lane.txt")
THINNED = Path(__file__).with_name("thinned.txt")
MANY_CASES = 8
"""A test with more cases than this is sampled in the quick lane."""
EVERY = 5
LARGE = 0.5
"""CPU seconds; a test whose cases in the quick lane take more is in `large_lane.txt`."""


def large_tests() -> frozenset[str]:
    """The tests that the quick lane leaves out, as `path::name` from the repository's root, without their cases."""
    return frozenset(line for line in LARGE_LANE.read_text(encoding="utf-8").splitlines() if line)


def thinned_tests() -> dict[str, int]:
    """The tests of which `ci` runs one case of so many; a line of the file is `number path::name`."""
    lines = (line.split(maxsplit=1) for line in THINNED.read_text(encoding="utf-8").splitlines())
    return {words[1]: int(words[0]) for words in lines if words and not words[0].startswith("#")}


def in_lane(lane: str, names: Sequence[str]) -> list[bool]:
    """For each node id, in the order of collection, whether the lane runs it."""
    if lane == "all":
        return [True] * len(names)
    kept = of_the_ci_lane(names, thinned_tests())
    if lane == "thinned":
        return [not keep for keep in kept]
    if lane == "quick":
        quick = iter(of_the_quick_lane([name for name, keep in zip(names, kept, strict=True) if keep], large_tests()))
        return [keep and next(quick) for keep in kept]
    return kept


def of_the_ci_lane(names: Sequence[str], thinned: Mapping[str, int]) -> list[bool]:
    """For each node id whether the lane `ci` runs it: the first case of a thinned test, and each so many after it."""
    return [
        number % thinned.get(function_of(name), 1) == 0 for name, number in zip(names, _numbers(names), strict=True)
    ]


def of_the_quick_lane(names: Sequence[str], large: Collection[str]) -> list[bool]:
    """For each node id, in the order of collection, whether the quick lane runs it."""
    cases: dict[str, int] = {}
    for name in names:
        cases[function_of(name)] = cases.get(function_of(name), 0) + 1
    return [
        function_of(name) not in large and (cases[function_of(name)] <= MANY_CASES or number % EVERY == 0)
        for name, number in zip(names, _numbers(names), strict=True)
    ]


def _numbers(names: Sequence[str]) -> list[int]:
    """For each node id its number among the cases of its test: mixed, and the same in whatever order they come.

    In the order of a grid, each fifth case may be always the same of five values.
    """
    cases: dict[str, list[str]] = {}
    for name in names:
        cases.setdefault(function_of(name), []).append(name)
    numbers = {
        name: number
        for each in cases.values()
        for number, name in enumerate(sorted(each, key=lambda name: sha256(name.encode()).digest()))
    }
    return [numbers[name] for name in names]


def function_of(name: str) -> str:
    """A node id without its case."""
    return name.partition("[")[0]


def measured_large(lines: Iterable[str], before: Collection[str]) -> list[str]:
    """The tests for `large_lane.txt`, sorted: those that took too long, and of the old ones those not measured now.

    Args:
        lines: `CPU seconds, tab, seconds, tab, node id`, of one run in any order.
        before: what the file named until now.
    """
    seconds: dict[str, list[float]] = {}
    for line in lines:
        taken, _, name = line.rstrip("\n").split("\t", 2)
        seconds.setdefault(function_of(name), []).append(float(taken))
    costs = {
        test: sum(cases) / (1 if len(cases) <= MANY_CASES else EVERY) for test, cases in seconds.items()
    }  # a sample of many cases takes its share
    return sorted(
        {test for test, cost in costs.items() if cost > LARGE} | {test for test in before if test not in costs}
    )


def main(arguments: Sequence[str]) -> None:
    """Write `large_lane.txt` from the logs named."""
    lines = [line for name in arguments for line in Path(name).read_text(encoding="utf-8").splitlines()]
    LARGE_LANE.write_text("".join(f"{test}\n" for test in measured_large(lines, large_tests())), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
