"""How long and how often work is done is told in words that are true."""

from uuid import uuid4

import pytest

from loopwright.agents.planner.contracts import PlanNode
from loopwright.agents.planner.effort_words import duration_words, effort_words


@pytest.mark.parametrize(
    ("minutes", "words"), [(15, "15 min"), (60, "1 h"), (75, "1 h 15 min"), (600, "10 h"), (1, "1 min")]
)
def test_a_duration_is_told_in_hours_and_minutes(minutes: int, words: str) -> None:
    assert duration_words(minutes) == words


@pytest.mark.parametrize(
    ("recurrence", "rule", "words"),
    [
        ("none", None, "30 min"),
        ("weekly", None, "30 min, weekly"),
        ("weekly", "FREQ=WEEKLY;COUNT=9", "30 min, weekly"),
        ("weekly", "FREQ=WEEKLY;BYDAY=MO,TU,TH;COUNT=9", "30 min, 3 times a week"),
        ("weekly", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", "30 min, daily"),
        ("weekly", "FREQ=WEEKLY;INTERVAL=2;COUNT=4", "30 min, every 2 weeks"),
        ("daily", "FREQ=DAILY;COUNT=4", "30 min, daily"),
        ("monthly", "FREQ=MONTHLY", "30 min, monthly"),
        ("yearly", "FREQ=SECONDLY", "30 min, yearly"),
    ],
)
def test_recurring_work_is_told_with_its_days(recurrence: str, rule: str | None, words: str) -> None:
    metadata = {"estimated_minutes": 30} | ({"rrule": rule} if rule else {})
    node = PlanNode(id=uuid4(), node_type="task", level=3, title="Run", recurrence=recurrence, metadata=metadata)
    assert effort_words(node) == words
