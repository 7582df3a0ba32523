"""Rates with their intervals, and models side by side: against values known from elsewhere."""

import pytest

from loopwright.evals.statistics import TrialResult, compare, effective_trials, mcnemar, summarise, wilson


def result(case: str, model: str, passed: bool, repetition: int = 1, **more: object) -> TrialResult:
    status = "passed" if passed else "failed"
    told = {
        "run_digest": "r",
        "check_digest": "c",
        "status": status,
        "ended": "complete",
        "usd": 0.5,
        "steps": 4,
    } | more
    return TrialResult.model_validate({"case": case, "model": model, "repetition": repetition, **told})


@pytest.mark.parametrize(
    ("passed", "trials", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
        (50, 100, 0.4038, 0.5962),
    ],
)
def test_wilson(passed: int, trials: int, low: float, high: float) -> None:
    """As in the tables."""
    found = wilson(passed, trials)
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize(
    ("better", "worse", "p"), [(0, 0, 1.0), (1, 0, 1.0), (5, 5, 1.0), (8, 1, 0.0390625), (0, 6, 0.03125), (2, 1, 1.0)]
)
def test_mcnemar(better: int, worse: int, p: float) -> None:
    """The exact two-sided binomial probability, the same for both ways round."""
    assert mcnemar(better, worse) == mcnemar(worse, better) == pytest.approx(p)


def test_repetitions_of_a_case_are_no_independent_trials() -> None:
    """Cases that always come to the same count once, those that vary like coins count each time."""
    assert effective_trials({"a": [True], "b": [False]}) == 2
    assert effective_trials({"a": [True] * 3, "b": [False] * 3}) == 2
    assert effective_trials({"a": [True] * 3, "b": [True] * 3}) == 2
    assert effective_trials({"a": [True, False], "b": [False, True], "c": [True, False]}) == 6
    some = {"a": [True, True], "b": [False, True], "c": [True, False], "d": [False, False]}
    assert effective_trials(some) == pytest.approx(6)
    often = [result(case, "m", case == "a", n) for case in "ab" for n in range(1, 11)]
    once = [result(case, "m", case == "a") for case in "ab"]
    assert summarise("m", often).interval == summarise("m", once).interval


def test_a_model_in_numbers() -> None:
    """Errors count in no rate and no mean; a cost that is not known makes the mean unknown."""
    results = [
        result("a", "m", True, tokens=100, seconds=2.0),
        result("b", "m", False, false_done=True, tokens=300, seconds=4.0, usd=1.5),
        result("c", "m", False, status="error", usd=9.0, steps=99),
        result("a", "other", True),
    ]
    told = summarise("m", results)
    assert (told.trials, told.passed, told.errors, told.false_done, told.cases) == (2, 1, 1, 1, 2)
    assert (told.rate, told.mean_usd, told.total_usd, told.mean_steps) == (0.5, 1.0, 2.0, 4.0)
    assert (told.mean_tokens, told.mean_seconds) == (200, 3.0)
    assert summarise("m", [*results, result("d", "m", True, usd=None)]).mean_usd is None
    nothing = summarise("gone", results)
    assert (nothing.rate, nothing.interval, nothing.mean_steps) == (None, None, None)


def test_models_side_by_side() -> None:
    """Only cases that both have tried; with repetitions a case counts for the one that passed it more often."""
    results = [result(f"c{n}", "a", True) for n in range(6)] + [result(f"c{n}", "b", n == 0) for n in range(6)]
    results += [result("alone", "a", True), result("broken", "a", True), result("broken", "b", False, status="error")]
    (pair,) = compare(["a", "b"], results)
    assert (pair.cases, pair.first_better, pair.second_better) == (6, 5, 0)
    assert pair.p == pytest.approx(0.0625)
    often = [result("x", model, n <= passes, n) for model, passes in (("a", 2), ("b", 1), ("c", 2)) for n in (1, 2, 3)]
    pairs = compare(["a", "b", "c"], often)
    assert [(p.first, p.second, p.first_better, p.second_better) for p in pairs] == [
        ("a", "b", 1, 0),
        ("a", "c", 0, 0),
        ("b", "c", 0, 1),
    ]
