"""Apps of a kind, and apps that consist of what their briefs list: valid pages that work on a phone."""

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.offline.studio.archetypes import plan_app
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.workspace import Workspace
from tests.agents.pages.offline.studio.phone_app import HELP
from tests.support.browser import evaluate_in_chromium

BEES = "An app for beekeepers with hive inspections, a calendar of blooms and a honey harvest log"
BRIEFS = {
    "records": BEES,
    "chat": "A chat app for neighbours",
    "diary": "A diary app with moods and photos",
    "habits": "Habit tracker with streaks and statistics",
    "learning": "A flashcards app to learn Spanish vocabulary",
    "mindfulness": "Meditation app with breathing timer and sleep sounds",
    "news": "News reader app for local news",
    "homes": "Real estate app to find flats in Lisbon",
    "plants": "Plant care app with watering reminders",
    "timer": "Pomodoro timer app",
    "weather": "Weather app with hourly forecast",
    "recipes": "A recipe box app for my grandmother's Portuguese dishes, with a shopping list",
}


class BriefApp:
    """The app that a brief comes to, as the agent would have it built."""

    def __init__(self, brief: str) -> None:
        self.plan = plan_app(brief)
        model = analyse_brief(brief).data_model.to_wire()
        sitemap = tuple(SitemapEntry(page.slug, page.title) for page in self.plan.pages)
        self.css = render_design_system(self.plan.product_type, app_name=self.plan.app_name, brief=brief)
        self.pages = {
            page.slug: render_page(
                PageRequest(
                    page.slug,
                    page.title,
                    page.description,
                    self.plan.product_type,
                    self.plan.app_name,
                    sitemap,
                    brief=brief,
                    data_model=model,
                )
            )
            for page in self.plan.pages
        }

    async def act(self, folder: Path, slug: str, script: str) -> object:
        """Carry out a script on one of the pages, with the others beside it."""
        (folder / "pages").mkdir(exist_ok=True)
        (folder / "design-system.css").write_text(self.css, encoding="utf-8")
        for name, html in self.pages.items():
            Workspace(folder).write_page(name, html)
        return await evaluate_in_chromium(folder / "pages" / f"{slug}.html", f"async () => {{ {HELP} {script} }}")


@pytest.mark.parametrize("brief", BRIEFS.values(), ids=BRIEFS)
def test_all_pages_are_valid(brief: str) -> None:
    app = BriefApp(brief)
    for slug, html in app.pages.items():
        report = validate_page(html, css=app.css, slug=slug, known_slugs=tuple(app.pages))
        assert report.issues == (), (slug, report.issues)


def test_what_is_listed_is_what_one_reads() -> None:
    app = BriefApp(BEES)
    text = {slug: LexborHTMLParser(html).body.text(separator=" ") for slug, html in app.pages.items()}
    assert "Beekeepers" in text["index"]
    assert "Hive inspections" in text["inspections"]
    assert "Calendar of blooms" in text["calendar"]
    assert "Honey harvest log" in text["harvest-log"]
    assert "A calmer morning" not in "".join(text.values())


async def test_an_entry_is_written_changed_and_removed(tmp_path: Path) -> None:
    done = await BriefApp(BEES).act(
        tmp_path,
        "inspections",
        """
        const rows = () => $$('[data-change-record]').map((each) => each.closest('li').querySelector('h3').textContent);
        const send = async () => { $('dialog form').requestSubmit(); await tick(); };
        const begin = rows().length;
        tap('[data-new]'); fill('dialog [name=name]', 'Queen <b>seen</b>'); fill('dialog [name=date]', '2031-01-02');
        await send();
        const added = rows().length, at = rows().indexOf('Queen <b>seen</b>');
        $$('[data-change-record]')[at].click();
        const kept = $('dialog [name=date]').value;
        fill('dialog [name=time]', '14:35'); await send();
        const row = $$('[data-change-record]')[at].closest('li').textContent;
        const stored = Object.values(localStorage).some((each) => each.includes('Queen') && each.includes('14:35'));
        $$('[data-remove-record]')[at].click(); await tick();
        return [begin > 0, added - begin, kept, row.includes('14:35'), row.includes('2031'), stored,
          rows().length - begin, rows().includes('Queen <b>seen</b>')];
        """,
    )
    assert done == [True, 1, "2031-01-02", True, True, True, 0, False]


def test_the_home_page_leads_to_each_list() -> None:
    tiles = LexborHTMLParser(BriefApp(BEES).pages["index"]).css("main article")
    led = {tile.css_first("a").attributes["href"]: tile.text(separator=" ") for tile in tiles}
    lists = {"inspections": "Hive inspections", "calendar": "Calendar of blooms", "harvest-log": "Honey harvest log"}
    assert {slug: title for slug, title in lists.items() if title not in led.get(f"{slug}.html", "")} == {}
