"""What the results of an evaluation say, and how surely."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt
from statistics import fmean
from typing import Literal

from pydantic import Field

from loopwright.evals.finished import Strict, Verdict

Z95 = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""


class EventLine(Strict):
    """An event of a journal in one line, for reports."""

    run: int
    seq: int
    type: str
    text: str


class TrialResult(Strict):
    """What one case with one model came to, once.

    `status` is `error` where nothing can be said of the model: it could not be reached, or a check is broken. Such a
    trial counts in no rate; the next call tries it again, or its checks alone (`again`). `false_done`: the run said
    that it was done, and a check of its work (not of a limit) failed. `tokens` and `seconds` are those of all its runs,
    `answered_by` the models that endpoints said had answered.
    """

    case: str
    run_digest: str
    check_digest: str
    tags: list[str] = Field(default_factory=list)
    model: str
    repetition: int
    attempt: int = 1
    status: Literal["passed", "failed", "error"]
    ended: str
    said: str = ""
    error: str = ""
    again: Literal["", "run", "checks"] = ""
    verdicts: list[Verdict] = Field(default_factory=list)
    false_done: bool = False
    steps: int = 0
    usd: float | None = 0.0
    tokens: int = 0
    seconds: float = 0.0
    judge_usd: float | None = 0.0
    runs: list[str] = Field(default_factory=list)
    answered_by: list[str] = Field(default_factory=list)
    folder: str = ""
    messages: list[str] = Field(default_factory=list)
    unused_answers: list[str] = Field(default_factory=list)
    excerpt: list[EventLine] = Field(default_factory=list)

    @property
    def counts(self) -> bool:
        """Whether it says something of the model."""
        return self.status != "error"

    @property
    def passed(self) -> bool:
        """Whether every check has passed."""
        return self.status == "passed"


@dataclass(frozen=True)
class Interval:
    """A confidence interval of 95 %."""

    low: float
    high: float


@dataclass(frozen=True)
class ModelSummary:
    """A model over all its trials; means are over those that count, and None where there is none or a price unknown.

    `cases` is how many cases have such a trial.
    """

    model: str
    trials: int
    passed: int
    errors: int
    false_done: int
    cases: int
    rate: float | None
    interval: Interval | None
    mean_usd: float | None
    mean_steps: float | None
    mean_seconds: float | None
    mean_tokens: float | None
    total_usd: float | None


@dataclass(frozen=True)
class Comparison:
    """Two models on the cases that both have tried: in how many each passed more often, and how surely they differ.

    `p` is the two-sided probability of so uneven a split if the models were alike (McNemar's exact test; with
    repetitions a case counts for the model that passed it more often).
    """

    first: str
    second: str
    cases: int
    first_better: int
    second_better: int
    p: float


def wilson(passed: float, trials: float) -> Interval:
    """The Wilson score interval of a rate.

    Args:
        passed: successes.
        trials: how many independent trials they stand for; at least one.
    """
    rate, square = passed / trials, Z95 * Z95
    middle = (rate + square / (2 * trials)) / (1 + square / trials)
    half = Z95 / (1 + square / trials) * sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def effective_trials(passes: Mapping[str, Sequence[bool]]) -> float:
    """How many independent trials repeated ones stand for: repetitions of one case are like each other.

    All trials divided by the design effect, which is the variance between cases over that of independent trials. Where
    nothing varies it cannot be estimated, and the number of cases is taken: it can be no fewer.

    Args:
        passes: for each case, what its repetitions came to.
    """
    trials, cases = sum(map(len, passes.values())), len(passes)
    if trials == cases:
        return float(trials)
    rate = sum(map(sum, passes.values())) / trials
    independent = rate * (1 - rate) / trials
    if cases == 1 or independent == 0:
        return float(cases)
    spread = sum((sum(each) - len(each) * rate) ** 2 for each in passes.values())
    clustered = spread / trials**2 * cases / (cases - 1)
    return max(float(cases), trials / max(1.0, clustered / independent))


def mcnemar(first_better: int, second_better: int) -> float:
    """The two-sided exact probability of so uneven a split of the cases on which two models differ."""
    differing, fewer = first_better + second_better, min(first_better, second_better)
    return min(1.0, 2 * sum(comb(differing, k) for k in range(fewer + 1)) / (1 << differing))


def summarise(model: str, results: Sequence[TrialResult]) -> ModelSummary:
    """What these results say of a model."""
    counted = [each for each in results if each.model == model and each.counts]
    passes: dict[str, list[bool]] = defaultdict(list)
    for each in counted:
        passes[each.case].append(each.passed)
    passed = sum(each.passed for each in counted)
    rate = passed / len(counted) if counted else None
    effective = effective_trials(passes) if counted else 0.0
    costs = [each.usd for each in counted]
    known = [cost for cost in costs if cost is not None]
    whole = bool(counted) and len(known) == len(costs)
    return ModelSummary(
        model=model,
        trials=len(counted),
        passed=passed,
        errors=sum(each.model == model and not each.counts for each in results),
        false_done=sum(each.false_done for each in counted),
        cases=len(passes),
        rate=rate,
        interval=wilson(rate * effective, effective) if rate is not None else None,
        mean_usd=fmean(known) if whole else None,
        mean_steps=_mean([each.steps for each in counted]),
        mean_seconds=_mean([each.seconds for each in counted]),
        mean_tokens=_mean([each.tokens for each in counted]),
        total_usd=sum(known) if whole else None,
    )


def compare(models: Sequence[str], results: Sequence[TrialResult]) -> list[Comparison]:
    """Each pair of models on the cases that both have tried."""
    shares: dict[str, dict[str, float]] = {}
    for model in models:
        tried: dict[str, list[bool]] = defaultdict(list)
        for each in results:
            if each.model == model and each.counts:
                tried[each.case].append(each.passed)
        shares[model] = {case: fmean(passes) for case, passes in tried.items()}
    found = []
    for first, second in combinations(models, 2):
        common = shares[first].keys() & shares[second].keys()
        better = sum(shares[first][case] > shares[second][case] for case in common)
        worse = sum(shares[first][case] < shares[second][case] for case in common)
        found.append(Comparison(first, second, len(common), better, worse, mcnemar(better, worse)))
    return found


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
