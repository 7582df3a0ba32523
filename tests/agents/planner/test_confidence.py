"""The composite confidence and its thresholds."""

import math

import pytest

from loopwright.agents.planner.confidence import Confidence, verdict


def test_the_weights_are_those_of_the_spec() -> None:
    assert Confidence(1, 0, 0).composite == 0.5
    assert Confidence(0, 1, 0).composite == 0.3
    assert Confidence(0, 0, 1).composite == 0.2
    assert Confidence(0.8, 0.9, 0.5).composite == pytest.approx(0.77)


def test_without_a_self_score_the_others_count_in_proportion() -> None:
    assert Confidence(None, 1, 0).composite == 0.6
    assert Confidence(None, 1, 1).composite == 1


@pytest.mark.parametrize(
    ("value", "expected"), [(1, "continue"), (0.7, "continue"), (0.69, "retry"), (0.4, "retry"), (0.39, "escalate")]
)
def test_thresholds(value: float, expected: str) -> None:
    assert verdict(value) == expected


def test_scores_that_are_none_do_no_harm() -> None:
    assert Confidence(math.nan, 7, -3).composite == 0.3


def test_the_thresholds_are_settings_of_the_run() -> None:
    settings = {"continue_from": 0.9, "retry_from": 0.8}
    assert [verdict(value, settings) for value in (0.9, 0.85, 0.7)] == ["continue", "retry", "escalate"]
