"""The portfolio's pages: fit for a phone, and working."""

from pathlib import Path

import pytest

from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.workspace import Workspace
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
    Workspace(folder).write_page(page.stem, html)
    return page


@pytest.mark.parametrize(
    "name", ["Ib", "Alexandrina Featherstonehaugh-Montgomery", "Studio of the very long afternoon"]
)
async def test_a_name_of_any_length_fits_the_screen(name: str, tmp_path: Path) -> None:
    """Big words are set to the width there is."""
    assert (await check_page_in_chromium(write_page(tmp_path, "index", name))).problems() == []


async def test_the_address_chooses_the_project_and_the_last_leads_to_the_first(tmp_path: Path) -> None:
    """One page shows every project."""
    script = """async () => {
      location.hash = 'harbour';
      await new Promise((done) => setTimeout(done, 100));
      return [document.getElementById('name').textContent, document.getElementById('next').hash,
        document.querySelectorAll('#plates img').length];
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
