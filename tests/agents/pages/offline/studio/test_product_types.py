"""What every page of every product type must be: compliant, fit for a phone, small, and on its own feet."""

import re
from pathlib import Path

import pytest

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio import topics
from loopwright.agents.pages.offline.studio.archetypes import infer_archetype
from loopwright.agents.pages.offline.studio.rendering import find_template
from tests.agents.pages.offline.studio.sample_apps import APPS, NAMED, PAGES
from tests.support.browser import check_page_in_chromium

LARGEST = 120_000
"""Characters of a page, so that a phone on a slow line shows it at once."""

OWN = ("landing", "card", "invitation", "manual", "dashboard", "portfolio", "streaming")
TOPICS = [(kind, topic) for kind in OWN for topic in resources.names_in(f"topics/{kind}", ".json")]

LAYOUTS = ("landing", "card", "invitation", "manual", "dashboard")
"""Types whose front page must not look like a recoloured copy of another's."""


@pytest.mark.browser
@pytest.mark.parametrize(("product_type", "slug"), PAGES)
async def test_page_is_compliant_and_fit_for_a_phone(product_type: str, slug: str, tmp_path: Path) -> None:
    """Both judges agree: the rules on the markup and the browser on the picture."""
    app = APPS[product_type]
    page = app.write(tmp_path, slug) / f"{slug}.html"
    html = page.read_text(encoding="utf-8")

    report = validate_page(html, css=app.css, slug=slug, known_slugs=list(app.titles))

    assert report.valid, report.issues
    assert len(html) < LARGEST
    assert (await check_page_in_chromium(page)).problems() == []


@pytest.mark.parametrize(("product_type", "slug"), PAGES)
def test_a_page_alone_links_to_nothing_else(product_type: str, slug: str) -> None:
    """Links are made only to pages of the sitemap."""
    html = APPS[product_type].render(slug, alone=True)

    assert set(re.findall(r'href="([\w-]+)\.html', html)) <= {slug}


@pytest.mark.parametrize(("product_type", "slug", "title", "archetype"), NAMED)
def test_freely_named_pages_find_their_template(product_type: str, slug: str, title: str, archetype: str) -> None:
    """Users name their pages as they like."""
    assert infer_archetype(slug, title, "", product_type) == archetype


@pytest.mark.parametrize("product_type", LAYOUTS)
def test_each_kind_of_page_has_a_template_of_its_own(product_type: str) -> None:
    """These types borrow nothing from the common pages."""
    app = APPS[product_type]
    kinds = {slug: infer_archetype(slug, title, "", product_type) for slug, title in app.titles.items()}
    found = {slug: find_template(product_type, slug, kind) for slug, kind in kinds.items()}

    assert all(path.startswith(f"pages/{product_type}/") for path in found.values()), found
    assert len(set(found.values())) == len(found)


@pytest.mark.parametrize(("product_type", "topic"), TOPICS)
def test_every_subject_fills_every_page(product_type: str, topic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is missing, no place for a word of the brief stays open, and no two front pages are the same."""
    monkeypatch.setattr(topics, "find_topic", lambda *_: topic)
    app = APPS[product_type]
    pages = {slug: app.render(slug) for slug in app.titles}

    words = {slug: re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL) for slug, html in pages.items()}
    assert {slug: found for slug, html in words.items() if (found := re.findall(r"\{[A-Za-z]+\}", html))} == {}
    assert max(map(len, pages.values())) < LARGEST
    monkeypatch.undo()
    assert pages["index"] != app.render("index")
