"""What a one-page brief becomes of its own words, and that what is made of any things is a valid page."""

import re
from string import ascii_letters

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.brief.sitemap import HOME
from loopwright.agents.pages.compliance.validate import validate_page
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.design.check import standard_sheet
from loopwright.agents.pages.domain.building import is_one_page
from loopwright.agents.pages.domain.proposal import Thing
from loopwright.agents.pages.domain.rendering import parts_of, render_page
from loopwright.agents.pages.tools.writing import frame_of


@pytest.mark.parametrize(
    ("brief", "alone"),
    [
        ("A page for my bakery with prices", True),
        ("Make me a simple landing page for Otterbrook", True),
        ("One page: opening hours", True),
        ("A single page with the prices", True),
        ("Erstelle eine Seite für meine Bäckerei", True),
        ("做一个页面介绍我的店", True),
        ("An app for a clinic. Include a page with prices", False),
        ("A clinic app with a page for bookings", False),
        ("A clinic app in two pages", False),
        ("Putzplan auf einer Seite: Montag Küche, Dienstag Bad", True),
        ("Bake sale page: lemon cake, brownies, scones", True),
    ],
)
def test_a_brief_wants_one_page_or_an_app(brief: str, alone: bool) -> None:
    assert is_one_page(brief) is alone


LETTERS = ascii_letters + "äöüß' \"<>&-0123456789" + "猫狗预约时间表" + "مرحبا" + "Привет"
SHORT = st.text(LETTERS, min_size=1, max_size=30).filter(lambda text: bool(re.search(r"[^\W\d_]{2}", text)))
THINGS = st.builds(Thing, name=SHORT, fields=st.lists(SHORT, max_size=4), examples=st.lists(SHORT, max_size=3))


@settings(max_examples=6, deadline=None)
@given(st.lists(THINGS, min_size=1, max_size=4), SHORT)
def test_a_page_of_any_things_is_valid(things: list[Thing], name: str) -> None:
    """In any script, with any signs: the rules for phone pages find no error on it."""
    entry = PageEntry(slug=HOME, title=name)
    html = render_page(frame_of(entry, [entry], app_name=name, lang="en"), parts_of(things))
    report = validate_page(html, css=standard_sheet([]).css, slug=HOME)
    assert report.valid, report.for_model()
    assert html.count("<form") == len(things)
