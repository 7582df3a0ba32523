"""The offline model follows changed answers: what they change is made anew, every page otherwise stays."""

import re

from loopwright.agents.pages.interview.plan import message_of
from tests.agents.pages.offline.playbook_session import Session

SCRIPTS = re.compile(r"<script\b.*?</script>", re.DOTALL)
"""What the rules do not rename: a name within a script may be a key as well as a title."""

BRIEF = "make me a coffee shop app"


def built() -> Session:
    session = Session()
    session.run(BRIEF, interview=False)
    assert session.pages
    return session


def test_another_look_touches_the_style_sheet_and_no_page() -> None:
    session = built()
    pages, css = dict(session.pages), session.css
    said = session.run("actually make it dark")
    assert "dark" in said
    assert session.pages == pages
    assert session.css != css
    assert [name for name, _ in session.calls if name in ("generate_page", "edit_page")] == []


def test_another_name_is_edited_where_it_stands() -> None:
    session = built()
    pages, css = dict(session.pages), session.css
    session.run(message_of(BRIEF, {}, {"What is it called?": "Moka Corner"}))
    assert session.css == css
    for slug, html in session.pages.items():
        before, after = SCRIPTS.sub("", pages[slug]), SCRIPTS.sub("", html)
        assert after == before.replace("Coffee Shop", "Moka Corner")
        assert SCRIPTS.findall(html) == SCRIPTS.findall(pages[slug])
    assert session.metadata["app_name"] == "Moka Corner"


def test_another_page_is_made_and_linked() -> None:
    session = built()
    pages = dict(session.pages)
    wanted = {"Which pages do you want besides the home page?": ["Menu", "Item", "Order", "Rewards", "Reserve"]}
    said = session.run(message_of(BRIEF, {}, wanted))
    assert set(session.pages) - set(pages) == {"reservations"}, said
    assert 'href="reservations.html"' in session.pages["index"]
    assert {slug: session.pages[slug] for slug in pages if slug != "index"} == {
        slug: html for slug, html in pages.items() if slug != "index"
    }


def test_an_answer_that_changes_nothing_is_only_noted() -> None:
    session = built()
    pages, css = dict(session.pages), session.css
    said = session.run(message_of(BRIEF, {}, {"How strong is the coffee?": "Very"}))
    assert "noted" in said
    assert (session.pages, session.css) == (pages, css)
    assert "How strong is the coffee?" in session.sections["overview.answers"]


def test_a_page_that_is_not_needed_any_more_is_offered_for_removal() -> None:
    session = built()
    pages = dict(session.pages)
    wanted = {"Which pages do you want besides the home page?": ["Menu", "Item", "Order"]}
    said = session.run(message_of(BRIEF, {}, wanted))
    assert "“remove the rewards page” takes it and its links away" in said
    assert session.pages == pages
