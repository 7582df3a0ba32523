"""Kinds of app within a product type, and apps that consist of what their briefs list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.brief.features import features_in, kind_of, kinds, page_title, pages_in, singular_of
from loopwright.agents.pages.brief.knowledge import products
from loopwright.agents.pages.brief.sitemap import HOME, is_slug, named_pages

BEES = "An app for beekeepers with hive inspections, a calendar of blooms and a honey harvest log"

KINDS = {
    "A chat app for neighbours": "chat",
    "一个聊天应用": "chat",
    "Habit tracker with streaks and statistics": "habits",
    "背单词应用": "learning",
    "Meditation app with breathing timer and sleep sounds": "mindfulness",
    "News reader app for local news": "news",
    "Plant care app with watering reminders": "plants",
    "Pomodoro timer app": "timer",
    "Weather app with hourly forecast, minimal": "weather",
    "天气应用": "weather",
    "A recipe box app for my grandmother's Portuguese dishes": "recipes",
}

LISTED = {
    BEES: ["index", "inspections", "calendar", "harvest-log"],
    "A church community app with sermons, events and donations": ["index", "sermons", "events", "donations"],
    "School app for parents: timetable, homework, messages": ["index", "timetable", "homework", "messages"],
    "Car maintenance log with reminders and fuel costs": ["index", "reminders", "fuel-costs"],
    "养蜂人应用，包括蜂箱检查、花期日历和蜂蜜收获记录": ["index", "page-2", "page-3", "page-4"],
}


@pytest.mark.parametrize(("brief", "name"), KINDS.items())
def test_the_subject_tells_the_kind(brief: str, name: str) -> None:
    analysis = analyse_brief(brief)
    kind = kind_of(brief, analysis.product_type)
    assert kind is not None
    assert kind.name == name
    wording = kind.zh if analysis.language == "zh" else kind.en
    assert {page.title for page in analysis.suggested_pages} <= {page.title for page in wording.pages}
    assert analysis.data_model == kind.data_model


@pytest.mark.parametrize(("brief", "slugs"), LISTED.items())
def test_what_a_brief_lists_becomes_its_pages(brief: str, slugs: list[str]) -> None:
    analysis = analyse_brief(brief)
    assert [page.slug for page in analysis.suggested_pages][: len(slugs)] == slugs


def test_a_listed_thing_is_an_entity_of_the_data_model() -> None:
    """Nothing of a catalogue is left in it."""
    assert list(analyse_brief(BEES).data_model.entities) == ["HiveInspection", "CalendarOfBlooms", "HoneyHarvestLog"]


@pytest.mark.parametrize(
    "brief",
    [
        "An app with a dark theme, a blue accent and a minimal style",
        "an app",
    ],
)
def test_looks_and_parts_of_pages_are_no_pages(brief: str) -> None:
    assert [page.slug for page in analyse_brief(brief).suggested_pages][:4] == [
        "index",
        "explore",
        "detail",
        "favorites",
    ]


def test_one_page_for_somebody_is_no_list_of_pages() -> None:
    """What follows "a page for" is a person; what follows "pages for" are pages."""
    assert named_pages("A business card page for Ana Lima, florist") == []
    assert [slug for slug, _ in named_pages("An app, pages for menu, orders and rewards")] == [
        "menu",
        "orders",
        "rewards",
    ]


def test_pages_that_a_brief_names_itself_win() -> None:
    pages = analyse_brief("A chat app, 3 pages: Home, Rooms, Rules").suggested_pages
    assert [page.title for page in pages] == ["Home", "Rooms", "Rules"]


def test_every_kind_is_complete_in_both_languages() -> None:
    for kind in kinds():
        assert kind.product_type in products()
        slugs = [page.slug for page in kind.en.pages]
        assert slugs == [page.slug for page in kind.zh.pages]
        assert slugs[0] == HOME
        assert 5 <= len(set(slugs)) == len(slugs) <= 8
        for relation in kind.data_model.relations:
            target = kind.data_model.entities[relation.target]
            assert relation.source in kind.data_model.entities
            assert relation.foreign_key in {field.name for field in target.fields}


@pytest.mark.parametrize(
    ("name", "title", "singular"),
    [
        ("Hive inspections", "Inspections", "Hive inspection"),
        ("Calendar of blooms", "Calendar", "Calendar of blooms"),
        ("Honey harvest log", "Harvest log", "Honey harvest"),
        ("Batches of beer", "Batches", "Batch of beer"),
        ("Diaries", "Diaries", "Diary"),
        ("Classes", "Classes", "Class"),
        ("Fuel costs", "Fuel costs", "Fuel cost"),
        ("蜂蜜收获记录", "蜂蜜收获记录", "蜂蜜收获"),
    ],
)
def test_names_are_cut_to_fit(name: str, title: str, singular: str) -> None:
    assert (page_title(name), singular_of(name)) == (title, singular)


@given(st.text(max_size=300))
def test_any_brief_gives_pages_with_proper_slugs(brief: str) -> None:
    for feature in pages_in(f"An app with {brief}"):
        assert is_slug(feature.slug)
        assert feature.title
        assert feature.singular
    assert len(features_in(brief)) <= 8
