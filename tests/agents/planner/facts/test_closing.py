"""Endings in the user's language."""

from datetime import UTC, date, datetime

import pytest

from loopwright.agents.planner.contracts.state import InteractionPolicy
from loopwright.agents.planner.facts.closing import spelled, spelled_moment
from loopwright.agents.planner.facts.diff import PlanDiff
from loopwright.agents.planner.facts.phrases import PACKAGE, say
from loopwright.agents.planner.tools.summarizer import shortened
from loopwright.kits.dialogue import SLOT, wording_of


def test_each_text_is_there_in_each_language() -> None:
    english = wording_of(PACKAGE, "en").words
    plain = {name for name in english if not name.endswith("_one")}
    for language in ("de", "zh"):
        words = wording_of(PACKAGE, language).words
        assert set(words) == plain
        assert all(set(SLOT.findall(words[name])) == set(SLOT.findall(english[name])) for name in plain)


@pytest.mark.parametrize(
    ("language", "first", "day", "moment"),
    [
        ("en", "Nothing moved.", "02 Mar 2027", "Tue 02 Mar 17:00"),
        ("de", "Nichts ist verschoben.", "02.03.2027", "Di 02.03. 17:00"),
        ("zh", "没有移动。", "2027年03月02日", "周二 03月02日 17:00"),
    ],
)
def test_a_change_and_its_days_are_told_in_the_language(language: str, first: str, day: str, moment: str) -> None:
    assert PlanDiff().summary(language) == first
    assert spelled(date(2027, 3, 2), language) == day
    assert spelled_moment(datetime(2027, 3, 2, 17, tzinfo=UTC), language) == moment


def test_the_opening_speaks_the_language_of_the_text() -> None:
    assert shortened("最忙的是2027年第5周，3.0小时。", InteractionPolicy()).startswith("现在的情况")
    assert say("moved", "en", n=1) == "1 block moved"
