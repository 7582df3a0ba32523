"""Which product a text is about."""

import pytest

from loopwright.agents.pages.brief.knowledge import GENERAL, product, products
from loopwright.agents.pages.brief.scenario import detect_scenario, rank_scenarios
from loopwright.agents.pages.brief.sitemap import is_slug


@pytest.mark.parametrize(
    ("text", "scenario"),
    [
        ("an online shop with a cart and checkout", "ecommerce"),
        ("a trip planner with hotels and flights", "travel"),
        ("a user manual with chapters", "manual"),
        ("a kanban board for our team", "kanban"),
        ("a landing page for our startup", "landing"),
        ("make me a coffee shop app", "food_and_drink"),
        ("Netflix clone, 5 pages, dark theme, red accent", "streaming"),
        ("an appointment and booking app for a hair salon", "booking"),
        ("a portfolio for a photographer", "portfolio"),
        ("a workout tracker with exercises", "fitness"),
        ("an expense tracker with charts", "dashboard"),
        ("我要一个电商应用，有购物车和商品列表", "ecommerce"),
        ("帮我做一个旅行行程规划", "travel"),
        ("看板任务管理", "kanban"),
        ("咖啡店点餐", "food_and_drink"),
    ],
)
def test_scenarios_in_two_languages(text: str, scenario: str) -> None:
    match = detect_scenario(text)
    assert match.name == scenario
    assert 0.5 <= match.confidence <= 1.0
    assert match.keywords


def test_one_weak_keyword_is_not_enough() -> None:
    match = detect_scenario("an app about movies")
    assert (match.name, match.confidence) == ("unknown", 0.33)
    assert rank_scenarios("an app about movies")[0].name == "streaming"


def test_threshold_and_fallback_are_the_callers() -> None:
    assert detect_scenario("an app about movies", min_confidence=0.3).name == "streaming"
    assert detect_scenario("something nice", fallback="general").name == "general"


@pytest.mark.parametrize("text", ["a workshop calendar", "restore my cartoon", "multitasking", "the teammate"])
def test_english_keywords_match_whole_words_only(text: str) -> None:
    assert detect_scenario(text).confidence == 0.0


def test_a_hyphen_and_a_line_break_are_blanks() -> None:
    assert detect_scenario("a coffee-shop\napp").name == "food_and_drink"
    assert "to-do list" in detect_scenario("a to do\nlist").keywords


def test_all_product_types_are_complete() -> None:
    assert {"ecommerce", "travel", "manual", "kanban", "landing"} <= set(products())
    for name, known in products().items():
        assert name == known.product_type
        assert known.pages[0].slug == "index"
        assert 4 <= len(known.pages) <= 8
        assert all(is_slug(page.slug) for page in known.pages)
        assert len({page.slug for page in known.pages}) == len(known.pages)
        assert name == GENERAL or known.keywords.strong.en


def test_data_models_hold_together() -> None:
    """Every relation joins two entities by a field that one of them has, or by a table of its own."""
    for name, known in products().items():
        model = known.data_model
        for entity in model.entities.values():
            assert entity.primary_key in {field.name for field in entity.fields}
        for relation in model.relations:
            assert {relation.source, relation.target} <= set(model.entities), (name, relation)


def test_contract_entities_of_the_five_scenarios() -> None:
    assert set(product("ecommerce").data_model.entities) == {"Product", "Category", "CartItem", "Order", "User"}
    assert set(product("travel").data_model.entities) == {"Trip", "DayPlan", "Activity", "Location"}
    assert set(product("manual").data_model.entities) == {"Manual", "Section", "Page"}
    assert set(product("kanban").data_model.entities) == {"Board", "Column", "Task", "User", "Tag"}
    assert set(product("landing").data_model.entities) == {"Lead", "Feature", "Testimonial"}
    assert product("card").data_model == product("invitation").data_model == product("landing").data_model


def test_an_unknown_product_type_is_an_app() -> None:
    assert product("no such thing").product_type == GENERAL
