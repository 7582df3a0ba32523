"""An app that exists is changed: the scenarios C and D of spec 000, 6.3, and wishes of every other kind."""

import re
from copy import deepcopy
from functools import cache

import pytest

from tests.agents.pages.offline.playbook_session import Session


@cache
def built() -> Session:
    """An app as scenario A leaves it."""
    session = Session()
    session.run("A coffee shop app called Bean There, 5 pages, warm light theme, green accent")
    assert len(session.pages) == 5
    return session


@pytest.fixture
def session() -> Session:
    return deepcopy(built())


def changed(session: Session) -> set[str]:
    """The pages that differ from how they were built."""
    return {slug for slug, html in session.pages.items() if html != built().pages.get(slug)}


def test_a_refinement_of_all_pages_goes_into_the_design_system(session: Session) -> None:
    """Scenario C: the header is green wherever there is one, all else stays, and the pages stay valid."""
    text = session.run("make the header green")
    assert session.steps == [["change_app"]]
    assert changed(session) == set()
    assert session.model_calls <= 12
    assert "offline model" in text
    assert "5 of 5" in text
    before, after = built().css.split("\n"), session.css.split("\n")
    assert sum(line in after for line in before) / len(before) > 0.95
    assert "#008000" in "".join(line for line in after if line not in before).lower()
    for slug in session.pages:
        assert "is valid" in session.execute("validate_html", {"slug": slug}, None)


def test_target_pages_bound_the_edit(session: Session) -> None:
    target = list(session.pages)[1]
    session.run("make the header green", target_pages=[target])
    assert changed(session) == {target}


def test_a_mention_bounds_the_edit(session: Session) -> None:
    target = list(session.pages)[2]
    session.run(f"@{target} change the title to Our finest")
    assert changed(session) == {target}
    assert re.search(r"<h1[^>]*>\s*Our finest", session.pages[target])


def test_a_new_title_without_a_page_is_the_home_pages(session: Session) -> None:
    session.run("change the title to Good morning")
    assert changed(session) == {"index"}


def test_a_style_word_is_a_change_that_is_measured_or_nothing(session: Session) -> None:
    """Without a browser no corner is seen to be rounder: the whole look is taken back, with what was measured."""
    text = session.run("use a more playful look")
    assert session.steps == [["change_app"]]
    assert "Done:" not in text
    assert "Not done: “use a more playful look”" in text
    assert re.search(r"radius of \d+: (\S+) → \1 px", text)
    assert re.search(r"weight of \d+: 7 → 8 px", text)
    assert session.css == built().css
    assert not changed(session)


def test_a_dark_theme_is_looked_at_and_keeps_the_light_one_for_the_switch(session: Session) -> None:
    text = session.run("use a dark theme")
    assert session.steps == [["change_app"]]
    assert "5 of 5 pages are dark" in text
    assert not changed(session)
    light = re.search(r'data-mode="light"\] \{[^}]*--color-bg: (#\w+)', session.css)
    assert light is not None
    assert f"--color-bg: {light[1]}" in built().css.split("}")[0]


def test_a_new_page_is_made_and_linked(session: Session) -> None:
    text = session.run("add a page about our team")
    assert session.steps == [["generate_page", "validate_html"], ["edit_page", "validate_html"]]
    assert "our-team" in session.pages
    assert "our-team" in session.pages["index"]
    assert "our-team" in session.sections["pages"]
    assert "Our Team" in text
    for slug in session.pages:
        assert "is valid" in session.execute("validate_html", {"slug": slug}, None)


def test_what_a_new_page_was_to_hold_and_does_not_is_said(session: Session) -> None:
    text = session.run("add a page with a price list: oat latte 5 euros, babka 8 euros")
    assert "`price-list`: the new page" in text
    assert re.search(r"`price-list` does not show: .*“babka”", text)


def test_a_page_that_exists_is_not_made_again(session: Session) -> None:
    slug = next(slug for slug in session.pages if slug != "index")
    text = session.run(f"add a {slug} page")
    assert session.calls == []
    assert f"`{slug}`" in text


def test_a_vague_feature_is_asked_about(session: Session) -> None:
    """Scenario D: questions before any edit; the answers lead to a visible change and to the product doc."""
    with pytest.raises(AssertionError, match="unexpected questions"):
        session.run("add a favorites feature")
    questions = session.calls[0][1]["questions"]
    answers = {
        q["question"]: q["options"][:1] if q["type"] == "checkbox" else q["options"][0]
        for q in questions
        if q.get("options")
    }
    text = session.run("add a favorites feature", answers)
    assert session.steps[0] == ["ask_user"]
    assert changed(session)
    assert "favorites" in "".join(session.pages[slug] for slug in changed(session)).lower()
    assert all(question in session.sections["overview.answers"] for question in answers)
    assert "favorites" in session.pages
    assert 'href="favorites.html"' in session.pages["index"]
    assert "offline model" in text
    assert session.model_calls <= 12


def test_a_feature_with_skipped_answers_takes_the_defaults(session: Session) -> None:
    session.run("add a favorites feature", {})
    assert changed(session)


def test_a_feature_is_not_asked_about_when_told_to_go(session: Session) -> None:
    session.run("add a favorites feature", generate_now=True)
    assert "ask_user" not in dict(session.calls)
    assert changed(session)


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("what can you do?", "Bean There"),
        ("hello", "Bean There"),
        ("go on", "Bean There"),
        ("make me a travel app", "new session"),
    ],
)
def test_what_needs_no_tool_is_answered_in_words(session: Session, message: str, part: str) -> None:
    text = session.run(message)
    assert session.calls == []
    assert part in text
    assert "not an LLM" in text


@pytest.mark.parametrize("message", ["flibber the jabberwock sideways", "quantum entangle my soul, gently"])
def test_what_is_not_understood_changes_nothing(session: Session, message: str) -> None:
    text = session.run(message)
    assert {name for name, _ in session.calls} == {"change_app"}
    assert "Nothing was changed." in text
    assert f"Not done: “{message.split(',')[0]}" in text
    assert not changed(session)


def test_a_failing_edit_is_told(session: Session) -> None:
    session.broken = {"change_app": 9}
    text = session.run("make the header blue")
    assert "the disk is full" in text
    assert "Done:" not in text
    assert not changed(session)
    assert session.css == built().css


def test_edits_go_on_after_compaction(session: Session) -> None:
    """Only the request and the newest calls are remembered."""
    session.run("make the header green", forget=1)
    assert session.css != built().css
    assert session.steps == [["change_app"]]


def test_a_feature_is_placed_after_compaction_too(session: Session) -> None:
    """The new page is known from the renewed state then, and is still the one that needs a link."""
    forgetful = deepcopy(session)
    session.run("add a favorites feature", {})
    forgetful.run("add a favorites feature", {}, forget=1)
    assert forgetful.pages == session.pages
    forgetful.run("add a page about our team", forget=1)
    assert 'href="our-team.html"' in forgetful.pages["index"]


def test_a_feature_whose_page_exists_is_edited(session: Session) -> None:
    """Nothing is generated anew over what is there."""
    session.run("add a favorites feature", {})
    before = dict(session.pages)
    text = session.run("add favorites", {})
    assert "generate_page" not in dict(session.calls)
    assert session.pages == before
    assert "did not change anything" in text


def test_a_feature_on_the_home_page(session: Session) -> None:
    session.run("add a reviews feature", {"Where should the reviews be?": "On the home page"})
    assert changed(session) == {"index"}


def test_several_lines_are_several_wishes(session: Session) -> None:
    session.run("@index make the header green\n@index change the title to Good morning")
    assert changed(session) == {"index"}
    assert "Good morning" in session.pages["index"]
    assert ".app-bar {" in session.pages["index"]


def test_several_runs_in_one_session(session: Session) -> None:
    """Earlier messages are plain dialogue; only the newest wish counts."""
    session.run("make the header green")
    after_first = dict(session.pages)
    session.run("@index change the title to Welcome back")
    assert {slug for slug in session.pages if session.pages[slug] != after_first[slug]} == {"index"}
    session.run("hello")
    assert session.calls == []


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("undo the last two changes", "one change at a time"),
        ("Mach alle Änderungen rückgängig", "eine Änderung auf einmal"),
        ("撤销最近两次修改", "一次只撤销一个"),
    ],
)
def test_several_changes_are_not_taken_back_as_one(session: Session, request_: str, told: str) -> None:
    text = session.run(request_)
    assert changed(session) == set()
    assert told in text
