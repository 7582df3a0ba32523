"""The landing page: leads that are kept, prices that turn, openings that differ."""

from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.agents.pages.offline.studio.phone_app import steps
from tests.agents.pages.offline.studio.sample_apps import APPS

LANDING = APPS["landing"]


@pytest.mark.browser
async def test_a_lead_is_checked_kept_and_thanked(tmp_path: Path) -> None:
    """A wrong address is refused; a good one becomes a record, and can be taken back."""
    seen = await steps(
        LANDING,
        "index",
        tmp_path,
        """
        fill('#lead-name', 'Ada'); fill('#lead-email', 'ada@'); tap('#lead-form [type=submit]'); await tick();
        const refused = App.records('Lead').all().length === 0 && !$('[data-error-for=lead-email]').hidden;
        fill('#lead-email', 'ada@example.com'); tap('#lead-form [type=submit]'); await tick();
        const kept = App.records('Lead').all()[0];
        const thanked = $('#lead-form').hidden && !$('#lead-done').hidden;
        tap('#lead-undo'); await tick();
        const left = App.records('Lead').all().length;
        return [refused, kept.name, kept.email, kept.source, kept.id, thanked, left, $('#lead-form').hidden];
        """,
    )

    assert seen == [True, "Ada", "ada@example.com", "home", "lead-1", True, 0, False]


@pytest.mark.browser
async def test_prices_follow_the_period_and_the_choice_stays(tmp_path: Path) -> None:
    """Monthly, yearly, and a plan that is remembered."""
    seen = await steps(
        LANDING,
        "pricing",
        tmp_path,
        """
        const prices = () => $$('[data-month]').map((place) => place.textContent);
        const month = prices(); tap('[data-billing=year]'); const year = prices();
        tap('[data-choose=team]');
        return [month, year, App.load('billing'), App.load('plan'), $('[data-chosen]').dataset.plan];
        """,
    )

    assert seen == [["Free", "$12", "$29"], ["Free", "$9", "$24"], "year", "team", "team"]


def test_three_openings_are_three_layouts() -> None:
    """A tool, a course and a thing to buy do not begin alike."""
    briefs = ("a project management tool", "a photography course", "new headphones")
    pages = [replace(LANDING, brief=f"landing page for {brief}").render("index") for brief in briefs]

    marks = ('class="handset"', 'class="turn"', 'class="panel"')
    assert [[mark in page for mark in marks] for page in pages] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]


def test_what_no_topic_knows_is_said_in_the_words_of_the_brief() -> None:
    """Subject and features come from the brief, nobody else's product is shown."""
    html = replace(
        LANDING, brief="Landing page for beehive scales with swarm alarm, weight curve and neighbour map"
    ).render("index")

    page = LexborHTMLParser(html).body.text(separator=" ")
    assert "beehive scales" in page.lower()
    assert all(feature in page for feature in ("Swarm alarm", "Weight curve", "Neighbour map"))
    assert "headphones" not in page.lower()
