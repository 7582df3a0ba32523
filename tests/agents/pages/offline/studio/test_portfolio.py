"""The portfolio's pages: fit for a phone, and working."""

from pathlib import Path

import pytest

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.offline.studio.archetypes import infer_archetype
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from tests.support.browser import check_page_in_chromium, evaluate_in_chromium

SITEMAP = tuple(
    SitemapEntry(slug, title)
    for slug, title in (
        ("index", "Home"),
        ("work", "Work"),
        ("project", "Project"),
        ("about", "About"),
        ("contact", "Contact"),
        ("services", "Services"),
        ("journal", "Journal"),
    )
)
SLUGS = [entry.slug for entry in SITEMAP]


def write_page(folder: Path, slug: str, app_name: str = "Mara Lind") -> Path:
    """Write one page of the app with its style sheet and return its path."""
    page = folder / "pages" / f"{slug}.html"
    page.parent.mkdir()
    (folder / "design-system.css").write_text(render_design_system("portfolio"), encoding="utf-8")
    title = next(entry.title for entry in SITEMAP if entry.slug == slug)
    html = render_page(PageRequest(slug, title, "", "portfolio", app_name, SITEMAP))
    page.write_text(html, encoding="utf-8")
    return page


@pytest.mark.parametrize("slug", SLUGS)
async def test_page_is_compliant_and_fit_for_a_phone(slug: str, tmp_path: Path) -> None:
    """Both judges agree: the rules on the markup and the browser on the picture."""
    page = write_page(tmp_path, slug)
    css = (tmp_path / "design-system.css").read_text(encoding="utf-8")

    report = validate_page(page.read_text(encoding="utf-8"), css=css, slug=slug, known_slugs=SLUGS)

    assert report.valid, report.issues
    assert (await check_page_in_chromium(page)).problems() == []


@pytest.mark.parametrize("slug", ["index", "work", "project", "about", "services"])
def test_a_page_alone_links_to_nothing_else(slug: str) -> None:
    """Links are made only to pages of the sitemap."""
    html = render_page(PageRequest(slug, "Anything", "", "portfolio", "Solo", (SitemapEntry(slug, "Anything"),)))

    assert validate_page(html, css=render_design_system("portfolio"), slug=slug, known_slugs={slug}).valid


@pytest.mark.parametrize(
    "name", ["Ib", "Alexandrina Featherstonehaugh-Montgomery", "Studio of the very long afternoon"]
)
async def test_a_name_of_any_length_fits_the_screen(name: str, tmp_path: Path) -> None:
    """Big words are set to the width there is."""
    assert (await check_page_in_chromium(write_page(tmp_path, "index", name))).problems() == []


@pytest.mark.parametrize(
    ("slug", "title", "archetype"),
    [
        ("gallery", "Gallery", "list"),
        ("selected-work", "Selected work", "list"),
        ("case-study", "Case study", "detail"),
        ("blog", "Notes", "journal"),
        ("hire-me", "Hire me", "services"),
        ("cv", "CV", "about"),
        ("say-hello", "Say hello", "contact"),
    ],
)
def test_freely_named_pages_find_their_template(slug: str, title: str, archetype: str) -> None:
    """Users name their pages as they like."""
    assert infer_archetype(slug, title, "", "portfolio") == archetype


async def test_the_address_chooses_the_project_and_the_last_leads_to_the_first(tmp_path: Path) -> None:
    """One page shows every project."""
    script = """async () => {
      location.hash = 'harbour';
      await new Promise((done) => setTimeout(done, 100));
      return [document.getElementById('name').textContent, document.getElementById('next').hash,
        document.querySelectorAll('#plates svg').length];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "project"), script)

    assert seen == ["North harbour", "#kvartal", 2]


async def test_the_filter_shows_one_kind_of_work(tmp_path: Path) -> None:
    """Books alone, then everything."""
    script = """() => {
      const shown = () => document.querySelectorAll('#grid .work:not([hidden])').length;
      document.querySelector('[data-filter=book]').click();
      const books = shown();
      document.querySelector('[data-filter=""]').click();
      return [books, shown()];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "work"), script) == [1, 6]


async def test_the_contact_form_asks_keeps_a_draft_and_thanks(tmp_path: Path) -> None:
    """A wrong address is named; a good message is thanked for, and its draft forgotten."""
    script = """() => {
      const form = document.getElementById('contact-form');
      const type = (name, text) => {
        form.elements[name].value = text;
        form.elements[name].dispatchEvent(new Event('input', {bubbles: true}));
      };
      type('name', 'Ada'); type('email', 'ada@'); type('message', 'A wall, please.');
      form.requestSubmit();
      const asked = document.querySelector('[data-error-for=email]').textContent;
      const draft = App.load('draft', {}).message;
      type('email', 'ada@example.com');
      form.requestSubmit();
      const thanked = !document.querySelector('[data-form-done]').hidden;
      return [asked.includes('email'), draft, thanked, App.load('draft', {}).message === undefined];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "contact"), script)

    assert seen == [True, "A wall, please.", True, True]
