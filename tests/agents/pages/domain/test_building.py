"""Which pages a domain becomes, and that what is made of any domain is a valid page."""

import re
from string import ascii_letters

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.brief.sitemap import HOME
from loopwright.agents.pages.compliance.validate import validate_page
from loopwright.agents.pages.design.check import house_sheet
from loopwright.agents.pages.domain.building import pages_of
from loopwright.agents.pages.domain.rendering import Domain, Thing, checked, parts_of, render_page, shared_out
from loopwright.agents.pages.tools.writing import frame_of

SCREENS = ["Home", "Bookings", "Prices", "Team"]
DOMAIN = Domain(
    name="Otterbrook",
    colours=["teal", "red"],
    things=[Thing(name="Bookings", fields=["Day", "Pet"], examples=["Monday: Rex", "Monday: Rex"])],
    actions=["book a visit"],
    screens=SCREENS,
)


@pytest.mark.parametrize(
    ("brief", "count"),
    [
        ("A page for my bakery with prices", 1),
        ("Make me a simple landing page for Otterbrook", 1),
        ("One page: opening hours", 1),
        ("A single page with the prices", 1),
        ("Erstelle eine Seite für meine Bäckerei", 1),
        ("做一个页面介绍我的店", 1),
        ("An app for a clinic. Include a page with prices", 4),
        ("A clinic app with a page for bookings", 4),
        ("A clinic app in two pages", 2),
        ("Putzplan auf einer Seite: Montag Küche, Dienstag Bad", 1),
        ("Bake sale page: lemon cake, brownies, scones", 1),
    ],
)
def test_there_are_as_many_pages_as_the_brief_wants(brief: str, count: int) -> None:
    pages = pages_of(DOMAIN, brief)
    assert (len(pages), pages[0].slug) == (count, HOME)


def test_what_the_brief_does_not_say_goes_or_is_named() -> None:
    found = checked(DOMAIN, "Otterbrook, in teal: bookings by day and pet")
    assert found.domain.colours == ["teal"]
    assert found.domain.things[0].examples == ["Monday: Rex"]
    assert found.assumed == ("examples of Bookings",)


@pytest.mark.parametrize(
    ("examples", "brief", "shown", "assumed"),
    [
        (["Rex", "Bello"], "bookings for Rex", ["Rex"], ()),
        (["Rex on 2023-04-15", "12.50"], "bookings", [], ()),
        (["Rex", "Rex, 30 euros"], "bookings", ["Rex"], ("examples of Bookings",)),
    ],
)
def test_made_up_examples_stand_only_where_the_brief_names_none_and_never_have_figures(
    examples: list[str], brief: str, shown: list[str], assumed: tuple[str, ...]
) -> None:
    thing = Thing(name="Bookings", fields=["Day"], examples=examples)
    found = checked(Domain(name=brief, colours=[], things=[thing], actions=[], screens=[]), brief)
    assert (found.domain.things[0].examples, found.assumed) == (shown, assumed)


LETTERS = ascii_letters + "äöüß' \"<>&-0123456789" + "猫狗预约时间表" + "مرحبا" + "Привет"
SHORT = st.text(LETTERS, min_size=1, max_size=30).filter(lambda text: bool(re.search(r"[^\W\d_]{2}", text)))
THINGS = st.builds(Thing, name=SHORT, fields=st.lists(SHORT, max_size=4), examples=st.lists(SHORT, max_size=3))
DOMAINS = st.builds(
    Domain,
    name=SHORT,
    colours=st.just([]),
    things=st.lists(THINGS, min_size=1, max_size=4),
    actions=st.lists(SHORT, max_size=4),
    screens=st.lists(SHORT, max_size=4),
)


@settings(max_examples=6, deadline=None)
@given(DOMAINS)
def test_the_pages_of_any_domain_are_valid(domain: Domain) -> None:
    """In any script, with any signs: the rules for phone pages find no error on them."""
    read = checked(domain, "").domain
    pages = pages_of(read, "an app")
    shown, sheet = shared_out(read, pages), house_sheet([]).css
    for page in pages:
        frame = frame_of(page, pages, app_name=read.name, lang="en")
        html = render_page(frame, parts_of(read, shown[page.slug], first=page.slug == HOME))
        report = validate_page(html, css=sheet, slug=page.slug)
        assert report.valid, report.for_model()
        for thing in shown[page.slug]:
            assert html.count("<form") == len(shown[page.slug]), thing
