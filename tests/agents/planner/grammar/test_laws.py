"""Laws of the grammar over arbitrary input."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.contracts import PATTERN_TYPES, PlanOutline
from loopwright.agents.planner.grammar import repair_outline, validate_grammar
from tests.agents.planner.grammar.outlines import uid

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(["goal", "a", "b", "c", "d", "e", "gone"]).map(uid)
TYPES = st.sampled_from(["goal", "phase", "cycle", "sub_goal", "task", "sub_task", "micro_goal"])
DEPENDENCY = st.fixed_dictionaries(
    {"node_id": NAMES},
    optional={"type": st.sampled_from(["finish_to_start", "start_to_start", "finish_to_finish", "start_to_finish"])},
)
NODE = st.fixed_dictionaries(
    {"id": NAMES, "node_type": TYPES, "title": st.sampled_from(["One", "one", "Two", "Three"])},
    optional={
        "parent_id": st.none() | NAMES,
        "level": st.integers(min_value=-1, max_value=34),
        "recurrence": st.sampled_from(["none", "weekly", "hourly"]),
        "dependencies": st.lists(DEPENDENCY, max_size=3),
        "metadata": st.fixed_dictionaries(
            {}, optional={"estimated_minutes": JSON, "stream": st.sampled_from("xy"), "rrule": st.just("FREQ=DAILY")}
        ),
        "progress": st.floats(),
        "extra": JSON,
    },
)
OUTLINE = st.fixed_dictionaries(
    {"root_id": NAMES, "nodes": st.lists(NODE, min_size=1, max_size=9)}, optional={"pattern": JSON, "other": JSON}
)
PATTERN = st.none() | st.sampled_from(PATTERN_TYPES)


def repaired_is_valid_or_fatal(data: dict[str, Any], pattern: str | None) -> None:
    repaired, fixes = repair_outline(data, pattern)
    report = validate_grammar(repaired, pattern)
    assert report.valid or report.fatal
    assert not report.suggested_fixes, (fixes, report.violations)
    if report.valid:
        PlanOutline.model_validate(repaired)


@given(data=JSON | OUTLINE, pattern=JSON | PATTERN)
@settings(max_examples=150, deadline=None)
def test_nothing_makes_the_validator_raise(data: Any, pattern: Any) -> None:
    report = validate_grammar(data, pattern)
    assert report.valid == all(violation.severity == "advice" for violation in report.violations)
    assert all(violation.fix for violation in report.violations if violation.severity == "retryable")


@given(data=OUTLINE, pattern=PATTERN)
@settings(max_examples=150, deadline=None)
def test_all_suggested_fixes_lead_to_a_valid_outline_or_to_a_human(data: dict[str, Any], pattern: str | None) -> None:
    repaired_is_valid_or_fatal(data, pattern)


@pytest.mark.soak
@given(data=OUTLINE, pattern=PATTERN)
@settings(max_examples=10_000, deadline=None)
def test_all_suggested_fixes_at_length(data: dict[str, Any], pattern: str | None) -> None:
    repaired_is_valid_or_fatal(data, pattern)
