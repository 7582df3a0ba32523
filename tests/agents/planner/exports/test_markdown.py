"""The plan for people."""

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.planner.contracts import PlanOutline, Schedule
from loopwright.agents.planner.exports import escaped, write_markdown
from tests.agents.planner.exports.plans import BERLIN, OUTLINE, ROADMAP, SCHEDULE, block, node, node_id

EXPECTED = """# Learn Spanish

To B1 \\| by June.

- Pattern: progressive accumulation arc (learning\\_arc)
- Assumed: 5 hours a week
- Limit: no Sundays
- From 2027-03-25 to 2027-04-07 (Europe/Berlin), 4 h 30 min of work
- Schedule: feasible, at most 3.1% from the best possible

## Plan

- **Basics**
  - [ ] Read; a, b: \\\\ \\*chapter\\* 1 (1 h 30 min)
- **Talk**
  - [ ] Speak with Ana (weekly; blocked; after Read; a, b: \\\\ \\*chapter\\* 1)
  - [x] Book a course

## Dates

### Thu 2027-03-25

- 18:00–19:00 Read; a, b: \\\\ \\*chapter\\* 1: Line one line, two

### Fri 2027-03-26

- 18:00–18:30 Read; a, b: \\\\ \\*chapter\\* 1

### Tue 2027-03-30

- 18:00–19:00 Speak with Ana

### Tue 2027-04-06

- 23:00–01:00 (2027-04-07) Speak with Ana

## Weeks

### Week 12 of 2027
"""
LAST_WEEK = """### Week 14 of 2027

| Mon 05.04. | Tue 06.04. | Wed 07.04. | Thu 08.04. | Fri 09.04. | Sat 10.04. | Sun 11.04. |
| --- | --- | --- | --- | --- | --- | --- |
|  | 23:00–01:00 (2027-04-07) Speak with Ana |  |  |  |  |  |
"""


def test_goal_phases_dates_and_weeks():
    text = write_markdown(OUTLINE, ROADMAP, SCHEDULE)
    assert text.startswith(EXPECTED)
    assert text.endswith(LAST_WEEK)


def test_a_plan_without_dates_has_no_empty_tables():
    for schedule in (None, Schedule()):
        text = write_markdown(OUTLINE, None, schedule)
        assert text.endswith("  - [x] Book a course\n")


def test_work_until_midnight_ends_on_its_day():
    schedule = Schedule(
        timezone="Europe/Berlin", blocks=[block(3, "Late", datetime(2027, 3, 25, 23, tzinfo=BERLIN), 60)]
    )
    assert "- 23:00–00:00 Late" in write_markdown(OUTLINE, None, schedule)


def test_optimal_schedules_are_told_without_a_gap():
    schedule = SCHEDULE.model_copy(update={"status": "optimal", "gap": 0.0})
    assert "- Schedule: optimal\n" in write_markdown(OUTLINE, None, schedule)


def test_nodes_that_hang_nowhere_are_shown_all_the_same():
    """Even nodes that are each other's parents: an export must not hang on a plan that is broken."""
    lost = [node(7, "Lost one", 8, "task", 3), node(8, "Lost two", 7, "task", 3)]
    text = write_markdown(PlanOutline(root_id=node_id(1), nodes=[*OUTLINE.nodes, *lost]), None, None)
    assert text.count("Lost one") == text.count("Lost two") == 1


@given(st.text(max_size=80))
def test_no_title_breaks_out_of_its_line_or_cell(title):
    shown = escaped(title)
    assert "\n" not in shown
    bare = shown.replace("\\\\", "").replace("\\|", "").replace("\\<", "")
    assert "|" not in bare
    assert "<" not in bare
