"""main_plan.md: what is written is read back, and steps are taken in order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.jobs.offline.job_rules import Goal, Plan, Step

words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12).filter(
    lambda text: not text.startswith("✔")
)
lines = st.lists(words, min_size=1, max_size=6).map(" ".join)
goals = st.lists(st.tuples(lines, st.lists(st.tuples(lines, st.booleans()), max_size=4)), min_size=1, max_size=5).map(
    lambda items: tuple(
        Goal(f"G{number}", title, tuple(Step(*step) for step in steps))
        for number, (title, steps) in enumerate(items, 1)
    )
)


@settings(max_examples=30)
@given(lines, goals)
def test_a_plan_is_read_as_it_was_written(title: str, goals: tuple[Goal, ...]) -> None:
    plan = Plan(title, goals)
    again = Plan.parse(plan.render())
    assert again.render() == plan.render()
    assert [(g.id, g.title, g.steps, g.reached) for g in again.goals] == [
        (g.id, g.title, g.steps, g.reached) for g in goals
    ]


def test_steps_come_in_order_and_wait_for_goals_that_are_not_divided() -> None:
    plan = Plan("Plan", (Goal("G1", "Look"), Goal("G2", "Do"), Goal("G3", "Tell", (Step("write"),))))
    assert plan.open_steps() == []
    plan = plan.extended("G1", ["a", "b"])
    assert [step.content for _, step in plan.open_steps()] == ["a", "b"]
    plan = plan.ticked(["a", "b", "of somebody else"])
    assert plan.goal("G1").reached
    assert plan.open_steps() == [], "G2 has no steps yet, so G3 waits"
    plan = plan.extended("G2", [])
    assert plan.goal("G2").reached, "a goal with nothing to do is reached"
    assert [step.content for _, step in plan.open_steps()] == ["write"]
    assert plan.ticked(["write"]).reached


def test_lines_of_others_are_passed_over() -> None:
    plan = Plan.parse("# P\n\nSome prose\n- [ ] no number\n- [x] G1: Done\n  1. ✔ a\n  - note\n- [ ] G2: Open\n")
    assert [(goal.id, goal.reached, len(goal.steps)) for goal in plan.goals] == [("G1", True, 1), ("G2", False, 0)]
