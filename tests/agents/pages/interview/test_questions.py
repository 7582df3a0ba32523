"""Questions: only about what is open, only where an answer changes the plan, as many as the brief deserves."""

import json
from pathlib import Path

import pytest

from loopwright.agents.pages.contracts import BriefQuestion
from loopwright.agents.pages.interview.plan import compare_plans, decision_of, make_plan
from loopwright.agents.pages.interview.questions import (
    Facts,
    adaptive_questions,
    decided_by_brief,
    effect_of,
    is_vague,
    open_questions,
)

VAGUE = "make me a coffee shop app"
DETAILED = "Netflix clone, 5 pages, dark theme, red accent"
BRIEFS = [
    row["brief"]
    for split in ("tuning", "held_out")
    for row in json.loads((Path(__file__).parents[1] / "brief" / "labelled" / f"{split}.json").read_text("utf-8"))
][::6]


def decided(facts: Facts) -> list[str]:
    return [question.decides for question in open_questions(facts)]


def test_depth_follows_the_brief() -> None:
    assert not is_vague(DETAILED)
    assert adaptive_questions(Facts(DETAILED)) == ()
    assert 3 <= len(adaptive_questions(Facts(VAGUE))) <= 5
    assert len(adaptive_questions(Facts("something nice"))) == 5
    assert len(adaptive_questions(Facts(DETAILED), interview=True)) == 2
    assert adaptive_questions(Facts(VAGUE), interview=False) == ()


@pytest.mark.parametrize("brief", BRIEFS)
def test_every_question_changes_the_plan_and_none_asks_what_is_said(brief: str) -> None:
    facts = Facts(brief)
    for question in open_questions(facts):
        assert question.decides not in decided_by_brief(brief)
        options = question.options or ("Zebra", "Shop with cart")
        answers = [[option] if question.type == "checkbox" else option for option in options]
        plans = [make_plan(brief, {question.question: answer}) for answer in answers]
        assert len({repr(plan) for plan in plans}) > 1, question
        assert decision_of(question.question) == question.decides
        assert question.effect


def test_a_question_without_effect_is_left_out() -> None:
    """Where the style is said, who it is for changes nothing that is built."""
    assert "audience" in decided(Facts("a bakery app, green"))
    assert "audience" not in decided(Facts("a playful bakery app, green"))
    idle = BriefQuestion(
        question="Who is it for?", type="radio", options=("Everyone", "Nobody"), decides="audience", effect="x"
    )
    assert effect_of(idle, Facts(VAGUE)) == 0


@pytest.mark.parametrize(
    ("facts", "open_", "closed"),
    [
        (Facts("a bakery app called Crumb"), {"pages", "colours"}, {"name", "product_type"}),
        (Facts("a bakery app, not green"), {"colours"}, set()),
        (Facts("a bakery app", {"Which colours?": "Blue, light theme"}), {"pages"}, {"colours"}),
        (Facts("a bakery app", {}, {"brand_style": "- Mode: dark\n- Style: warm"}), {"pages"}, {"colours", "style"}),
        (Facts("a bakery app", {}, {"audience": "Night owls"}), {"style"}, {"audience"}),
        (Facts("something nice"), {"product_type"}, set()),
        (Facts("做一个面包店应用，名叫“麦香”"), {"pages"}, {"name"}),
    ],
)
def test_what_is_known_is_not_asked(facts: Facts, open_: set[str], closed: set[str]) -> None:
    asked = set(decided(facts))
    assert open_ <= asked
    assert not closed & asked


def test_what_is_unknown_decides_everything_else_and_comes_first() -> None:
    first = open_questions(Facts("an app for our book club"))[0]
    assert first.decides == "product_type"
    shop, booking = (
        make_plan("an app for our book club", {first.question: kind}) for kind in ("Online shop", "booking")
    )
    assert (shop.product_type, booking.product_type) == ("ecommerce", "booking")
    assert compare_plans(shop, booking).parts[0] == "product_type"
