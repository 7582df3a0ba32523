"""The Mermaid chart."""

import re
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.planner.contracts import Schedule
from loopwright.agents.planner.exports import KEYWORD, MOST_BARS, sanitised, write_mermaid
from tests.agents.planner.exports.plans import BERLIN, OUTLINE, SCHEDULE, block

BAR = re.compile(r"    [^:#;\n]+ :t\d+, \d{4}-\d\d-\d\dT\d\d:\d\d, \d{4}-\d\d-\d\dT\d\d:\d\d")


def test_one_bar_for_each_task_in_the_section_of_its_part():
    assert write_mermaid(OUTLINE, SCHEDULE) == (
        "gantt\n"
        "    title Learn Spanish\n"
        "    dateFormat YYYY-MM-DDTHH:mm\n"
        "    axisFormat %d %b\n"
        "    section Basics\n"
        "    Read a, b *chapter* 1 :t0, 2027-03-25T18:00, 2027-03-26T18:30\n"
        "    section Talk\n"
        "    Speak with Ana :t1, 2027-03-30T18:00, 2027-04-07T01:00\n"
    )


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Read: part; 2 #3", "Read part 2 3"),
        ("section two", "– section two"),
        ("Click here", "– Click here"),
        ("Titles and ends", "Titles and ends"),
        ("a\nsection b", "a section b"),
        ("%% comment", "comment"),
        ("<script>alert(1)</script>", "script alert(1) /script"),
        (":::", "– "),
        ("日本語を読む", "日本語を読む"),
        ("x" * 200, "x" * 59 + "…"),
    ],
)
def test_titles_are_made_harmless(title, shown):
    assert sanitised(title) == shown


@given(st.text(max_size=200))
def test_no_title_breaks_the_chart(title):
    shown = sanitised(title)
    assert shown
    assert not set(shown) & set(':;#%<>{}"\n\r`\\')
    assert not KEYWORD.match(shown)


def test_blocks_of_unknown_nodes_and_far_too_many_tasks():
    start = datetime(2027, 3, 1, 9, tzinfo=BERLIN)
    blocks = [
        block(number, f"Task {number}", start + timedelta(days=number), 60) for number in range(10, 20 + MOST_BARS)
    ]
    lines = write_mermaid(OUTLINE, Schedule(timezone="Europe/Berlin", blocks=blocks)).splitlines()
    assert lines[4] == "    section Other"
    bars = [line for line in lines if BAR.fullmatch(line)]
    assert len(bars) == MOST_BARS
    assert lines[-1] == "    %% 10 more tasks are left out: the chart would be too large"
    assert sum(map(len, lines)) < 50_000
