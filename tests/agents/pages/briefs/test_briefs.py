"""Thirty briefs through the offline model: each becomes the app that was asked for, fit for a phone, and working."""

import re
from pathlib import Path

import pytest

from loopwright.agents.pages.compliance import validate_page
from tests.agents.pages.briefs.building import BuiltApp, build_app
from tests.agents.pages.briefs.expectations import Brief, briefs
from tests.agents.pages.briefs.seen import SeenPage, hue_of, luminance_of, see_all, walk
from tests.agents.pages.briefs.steps import play
from tests.support.phone import Phone, on_phone

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def test_there_are_thirty_briefs_of_all_kinds() -> None:
    """The set keeps its breadth: every product type, both languages, colours, modes, named and counted pages."""
    all_briefs = briefs()
    assert len(all_briefs) == 30
    assert len({each.id for each in all_briefs}) == 30
    assert {each.type for each in all_briefs} >= {
        *("ecommerce", "travel", "manual", "kanban", "landing", "card", "invitation", "booking", "dashboard"),
        *("food_and_drink", "streaming", "portfolio", "fitness"),
    }
    assert sum(each.language == "zh" for each in all_briefs) >= 6
    assert sum(each.colour is not None for each in all_briefs) >= 8
    assert sum(each.hue is not None for each in all_briefs) >= 8
    assert sum(bool(each.steps) for each in all_briefs) >= 15


@pytest.mark.browser
@pytest.mark.parametrize("brief", briefs(), ids=lambda brief: brief.id)
async def test_a_brief_becomes_what_was_asked_for(brief: Brief, tmp_path: Path) -> None:
    """All findings at once: pages, words, colours, accessibility, links, and what a person does with the app."""
    app = await build_app(brief.brief, tmp_path)

    async def use(phone: Phone) -> list[str]:
        pages = await see_all(phone, app.folder)
        found = [problem for page in pages.values() for problem in page.problems]
        found += [*planned(brief, app, pages), *worded(brief, pages), *coloured(brief, pages["index"])]
        return [*found, *await walk(phone, pages), *await play(phone, brief.steps)]

    problems = [*invalid(app), *await on_phone(app.folder, use)]

    assert not problems, "\n" + "\n".join(problems)


def invalid(app: BuiltApp) -> list[str]:
    """What the compliance check says of the files."""
    reports = {slug: validate_page(app.html(slug), css=app.css, slug=slug, known_slugs=app.slugs) for slug in app.slugs}
    return [f"{slug}: {issue}" for slug, report in reports.items() for issue in report.issues]


def planned(brief: Brief, app: BuiltApp, pages: dict[str, SeenPage]) -> list[str]:
    """Product type, name and pages."""
    problems = []
    if app.analysis["product_type"] != brief.type:
        problems.append(f"taken for {app.analysis['product_type']}, not {brief.type}")
    if brief.name is not None and app.analysis["app_name"] != brief.name:
        problems.append(f"called {app.analysis['app_name']!r}")
    problems += [f"there is no page {slug}" for slug in ("index", *brief.pages) if slug not in pages]
    if brief.count is not None and len(pages) != brief.count:
        problems.append(f"{len(pages)} pages instead of {brief.count}: {', '.join(pages)}")
    if pages["index"].nav and brief.titles:
        problems += [f"{title} is not in the navigation" for title in brief.titles if title not in pages["index"].nav]
    if brief.language == "zh":
        problems += [
            f"the entry {entry!r} of the navigation is not Chinese"
            for entry in pages["index"].nav
            if not CHINESE.search(entry)
        ]
        problems += [f"{slug}: lang is {page.lang!r}" for slug, page in pages.items() if not page.lang.startswith("zh")]
    return problems


def worded(brief: Brief, pages: dict[str, SeenPage]) -> list[str]:
    """What the pages say, and what they must not say."""
    everything = "\n".join(page.text for page in pages.values())
    problems = [f"the home page says nothing of {word}" for word in brief.home if not says(pages["index"].text, word)]
    problems += [f"nothing says {word}" for word in brief.must if not says(everything, word)]
    for slug, page in pages.items():
        for word in brief.never:
            if match := re.search(word, page.text, re.IGNORECASE):
                around = page.text[max(0, match.start() - 30) : match.end() + 30].replace("\n", " / ")
                problems.append(f"{slug} speaks of {word}: …{around}…")
    return problems


def says(text: str, word: str) -> bool:
    """Whether a text has the expression, in any case."""
    return re.search(word, text, re.IGNORECASE) is not None


def coloured(brief: Brief, home: SeenPage) -> list[str]:
    """The brand colour exactly as asked, and seen on the home page; light or dark as asked."""
    problems = []
    if brief.mode is not None and (luminance_of(home.ground) > 0.18) != (brief.mode == "light"):
        problems.append(f"the ground {home.ground} is not {brief.mode}")
    if home.brand is None:
        return [*problems, "no brand colour"]
    if brief.colour is not None and home.brand != brief.colour.lower():
        problems.append(f"the brand is {home.brand}, not {brief.colour}")
    if brief.hue is not None:
        low, high = brief.hue
        hue = hue_of(home.brand)
        if not (low <= hue <= high if low <= high else hue >= low or hue <= high):
            problems.append(f"the brand {home.brand} has hue {hue:.0f}, not {low} to {high}")
    seen = [colour for colour in home.painted if abs(hue_of(colour) - hue_of(home.brand)) < 12]
    if (brief.colour or brief.hue) and home.brand not in home.painted and not seen:
        problems.append(f"nothing on the home page has the hue of the brand {home.brand}")
    return problems
