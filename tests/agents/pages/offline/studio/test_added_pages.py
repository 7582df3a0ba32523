"""A page that is added to an app later, of which its description says more than its title."""

from loopwright.agents.pages.domain.ready import model_of
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.rendering import render_of_model

BRIEF = "A guest book for a garden party: guests with name and RSVP status, and a shopping list."
SITEMAP = (SitemapEntry("index", "Home"), SitemapEntry("guests", "Guests"))


def added(slug: str, title: str, description: str) -> str:
    model = model_of(BRIEF, "Party", [(each.slug, each.title) for each in SITEMAP])
    return render_of_model(model, PageRequest(slug, title, description, "app", "Party", SITEMAP, BRIEF))


def test_the_figures_of_its_description_are_drawn() -> None:
    html = added("seating-plan", "Seating plan", "add a page with the seating plan: 9 tables of 7")
    assert "Table 9" in html
    assert "Table 10" not in html
    assert html.count("/ 7") >= 9


def test_without_more_than_a_title_it_shows_what_the_title_names() -> None:
    assert "Team" in added("team", "Team", "add a page about our team")
