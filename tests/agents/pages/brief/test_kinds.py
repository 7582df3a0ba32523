"""Apps that consist of what their briefs list, and which briefs get a ready line of business."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.brief.features import features_in
from loopwright.agents.pages.brief.knowledge import products
from loopwright.agents.pages.brief.sitemap import is_slug, named_pages
from loopwright.agents.pages.domain.ready import is_built_from_brief

BEES = "An app for beekeepers with hive inspections, a calendar of blooms and a honey harvest log"


LISTED = {
    BEES: ["index", "inspections", "calendar", "harvest-log"],
    "A church community app with sermons, events and donations": ["index", "sermons", "events", "donations"],
    "School app for parents: timetable, homework, messages": ["index", "timetable", "homework", "messages"],
    "Car maintenance log with reminders and fuel costs": ["index", "reminders", "fuel-costs"],
    "养蜂人应用，包括蜂箱检查、花期日历和蜂蜜收获记录": ["index", "page-2", "page-3", "page-4"],
}


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


@example("-")
@given(st.text(max_size=300))
def test_any_brief_gives_pages_with_proper_slugs(brief: str) -> None:
    pages = analyse_brief(f"An app with {brief}").suggested_pages
    assert all(is_slug(page.slug) and page.title for page in pages)
    assert len(features_in(brief)) <= 8


WEAK = {
    "Word frequency. Counting words in a block of text serves search, sales and stores of documents.": "ecommerce",
    "Typing practice. Users train their fingers, book an appointment with themselves and see their speed.": "booking",
    "A tool library where neighbours book a drill by appointment": "booking",
}
"""Briefs with a word of a line of business somewhere; none of them is one."""


@pytest.mark.parametrize(("brief", "business"), WEAK.items())
def test_a_word_somewhere_in_the_text_makes_no_business(brief: str, business: str) -> None:
    assert is_built_from_brief(brief)
    ready = {page.title for page in products()[business].pages} - {"Home"}
    assert not ready & {page.title for page in analyse_brief(brief).suggested_pages}


@pytest.mark.parametrize(
    "brief", ["make me a coffee shop app", "Dentist appointment booking for families", "Netflix clone"]
)
def test_a_business_that_the_first_sentence_names_is_drawn(brief: str) -> None:
    assert not is_built_from_brief(brief)
