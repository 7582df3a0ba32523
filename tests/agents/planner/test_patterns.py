"""Goals in plain words find their pattern."""

import pytest

from loopwright.agents.planner.contracts import PATTERN_TYPES
from loopwright.agents.planner.patterns import select_pattern
from loopwright.kernel.errors import InvalidInput

GOALS = [
    ("learn Spanish to B1 by June, 5 hours a week, no Sundays", "progressive_accumulation_arc", "learning_arc"),
    ("train for a marathon in October", "progressive_accumulation_arc", "training_arc"),
    ("go to the gym every week", "recurring_cycle", "training_arc"),
    ("build a daily skincare routine", "recurring_cycle", "protocol_routine"),
    ("launch my website by March 1", "milestone_project", None),
    ("organise a wedding by September", "milestone_project", None),
    ("publish one short film per quarter", "hybrid_project_cycle", "creative_arc"),
    ("become a data scientist", "strategic_transformation", None),
    ("", "milestone_project", None),
]


@pytest.mark.parametrize(("goal", "pattern", "subtype"), GOALS)
def test_cues(goal: str, pattern: str, subtype: str | None) -> None:
    found = select_pattern(goal).pattern
    assert (found.pattern_type, found.subtype) == (pattern, subtype)


def test_the_more_the_words_say_the_surer() -> None:
    sure = select_pattern("learn Spanish to B1").pattern.confidence
    unsure = select_pattern("the attic").pattern.confidence
    assert unsure < 0.5 < sure


def test_hints_win() -> None:
    found = select_pattern("learn Spanish", {"pattern_type": "recurring_cycle", "subtype": "protocol_routine"}).pattern
    assert (found.pattern_type, found.subtype) == ("recurring_cycle", "protocol_routine")
    with pytest.raises(InvalidInput, match="no pattern"):
        select_pattern("learn Spanish", {"pattern_type": "waterfall"})


def test_a_new_subtype_is_proposed_with_an_rfc() -> None:
    selection = select_pattern("every morning", {"subtype": "Daily Health-Protocol v2", "rfc": "Because."})
    assert selection.pattern.subtype == "proposed:daily_health_protocol_v2"
    assert selection.pattern.is_proposal
    assert selection.pattern.rfc == "Because."
    assert selection.pattern.source_pattern == selection.pattern.pattern_type
    assert selection.rfc_required
    assert not select_pattern("every morning", {"subtype": "proposed:x1"}, require_rfc=False).rfc_required
    assert select_pattern("every morning", {"subtype": "proposed:x1"}, allow_proposals=False).pattern.subtype is None
    with pytest.raises(InvalidInput, match="cannot be the name"):
        select_pattern("every morning", {"subtype": "proposed:Ümläut!"})


@pytest.mark.parametrize("pattern", PATTERN_TYPES)
def test_every_pattern_can_be_asked_for(pattern: str) -> None:
    assert select_pattern("", {"pattern_type": pattern}).pattern.confidence >= 0.9
