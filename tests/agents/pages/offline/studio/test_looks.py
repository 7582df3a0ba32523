"""Faults of looks that once were there: what was clipped, covered, repeated or could not be told apart."""

import re
from pathlib import Path

import pytest

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.runtime import runtime_files
from loopwright.agents.pages.workspace import Workspace
from tests.support.browser import evaluate_in_chromium

PHOTOGRAPHER = "Portfolio of a wedding photographer named Lena Brandt, minimal, light, gold accent"


def page_of(brief: str, slug: str) -> str:
    """A page of the app that a brief makes."""
    plan = analyse_brief(brief)
    sitemap = tuple(SitemapEntry(page.slug, page.title) for page in plan.suggested_pages)
    title = next(page.title for page in plan.suggested_pages if page.slug == slug)
    return render_page(PageRequest(slug, title, "", plan.product_type, plan.app_name, sitemap, brief=brief))


def written(folder: Path, brief: str, slug: str) -> Path:
    """The same on disk, with its style sheet."""
    page = folder / "pages" / f"{slug}.html"
    page.parent.mkdir()
    css = render_design_system(analyse_brief(brief).product_type, brief=brief)
    (folder / "design-system.css").write_text(css, encoding="utf-8")
    Workspace(folder).write_page(page.stem, page_of(brief, slug))
    return page


@pytest.mark.parametrize(
    ("brief", "slug"),
    [
        ("Barber shop booking app, black and gold, dark theme", "index"),
        ("a user manual for a coffee machine", "index"),
        ("Plan a trip to Japan: itinerary, packing list, budget and tickets", "index"),
    ],
)
async def test_the_words_of_the_navigation_are_whole(brief: str, slug: str, tmp_path: Path) -> None:
    script = (
        "() => App.$$('.nav-label').filter((each) => each.scrollWidth > each.clientWidth).map((e) => e.textContent)"
    )
    assert await evaluate_in_chromium(written(tmp_path, brief, slug), script) == []


async def test_no_button_lies_over_a_days_ideas(tmp_path: Path) -> None:
    script = """() => {
      const add = App.$('.add').getBoundingClientRect();
      return App.$$('#idea-list .chip').map((chip) => chip.getBoundingClientRect())
        .filter((chip) => chip.top < add.bottom && add.top < chip.bottom).length;
    }"""
    page = written(tmp_path, "Plan a trip to Japan: itinerary, packing list, budget and tickets", "itinerary")
    assert await evaluate_in_chromium(page, script) == 0


async def test_the_times_of_a_day_stand_on_one_line(tmp_path: Path) -> None:
    script = """() => App.$$('.hours time').filter(
      (time) => time.getBoundingClientRect().height > 1.9 * parseFloat(getComputedStyle(time).fontSize)).length"""
    page = written(tmp_path, "Halloween party invitation, dark, orange", "schedule")
    assert await evaluate_in_chromium(page, script) == 0


async def test_a_boards_switch_shows_in_the_dark_whether_it_is_on(tmp_path: Path) -> None:
    script = """() => {
      document.documentElement.dataset.mode = 'dark';
      App.$$('.switch-track').forEach((track) => { track.style.transition = 'none'; });
      const ground = (on) => getComputedStyle(App.$$('.switch input').find((each) => each.checked === on)
        .nextElementSibling).backgroundColor;
      const spread = (colour) => {
        const channels = colour.match(/\\d+/g).slice(0, 3).map(Number);
        return Math.max(...channels) - Math.min(...channels);
      };
      return [spread(ground(true)) > 60, spread(ground(false)) < 40];
    }"""
    page = written(tmp_path, "a kanban board for a team with board and settings", "settings")
    assert await evaluate_in_chromium(page, script) == [True, True]


def test_a_case_study_shows_other_pictures_than_its_cover() -> None:
    page = page_of(PHOTOGRAPHER, "project")
    drawn = {key: set(re.findall(r' d="([^"]+)"', "".join(runtime_files(art).values()))) for key, art in re.findall(
        r'<template data-art="([\w-]+)">(.*?)</template>', page, re.DOTALL)}  # fmt: skip
    assert drawn["lilac"]
    for plate in ("lilac-1", "lilac-2"):
        assert not drawn["lilac"] & drawn[plate]
    assert not drawn["lilac-1"] & drawn["lilac-2"]


def test_the_address_is_the_persons_own() -> None:
    page = page_of(PHOTOGRAPHER, "contact")
    assert "mailto:hello@lenabrandt.example" in page
    assert "mara@" not in page
