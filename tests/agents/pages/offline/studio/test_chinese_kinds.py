"""Apps of a kind in Chinese, and the pages that any app may have: they read Chinese and work like the English ones."""

import re

import pytest

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.rendering import render_page
from tests.agents.pages.offline.studio.test_kinds_of_apps import BriefApp

BRIEFS = {
    "records": "养蜂人应用，包括蜂箱检查、花期日历和蜂蜜收获记录",
    "chat": "一个聊天应用",
    "diary": "日记应用",
    "habits": "习惯打卡应用",
    "learning": "背单词应用",
    "mindfulness": "冥想应用",
    "news": "新闻应用",
    "homes": "租房应用",
    "plants": "植物养护应用",
    "timer": "番茄钟应用",
    "weather": "天气应用",
    "recipes": "食谱应用",
    "pets": "宠物应用",
    "books": "图书应用",
    "events": "活动应用",
    "general": "一个应用",
}
ARCHETYPES = resources.names_in("pages/common", ".html.j2")
SITE = tuple(SitemapEntry("index" if name == "home" else name, "页面") for name in ARCHETYPES)

UNREAD = re.compile(r"<style\b.*?</style>|<script\b.*?</script>", re.DOTALL)
READ = re.compile(r'>([^<>]+)<|(?:aria-label|placeholder|title|alt)="([^"]*)"')
NO_WORDS = re.compile(r"km/h|[\w.]+@example\.com")
SAID_BY_SCRIPTS = re.compile(
    r'(?:toast\(|textContent = |\? |: )"( ?[A-Z][a-z]+[^"]*)"|"([A-Z][a-z]+(?: [a-z]+)+[^"<]*)"'
)
NOT_SAID = re.compile(r'new Error\([^)]*\)|"entity": "\w+"|"back": "[^"]*"')
"""Errors, names of the data model, and the English that a pupil learns."""


def english_in(html: str) -> list[str]:
    """What is read in English: in the page's text, its labels and what its scripts say."""
    shown = [text or label for text, label in READ.findall(UNREAD.sub("", html))]
    scripts = "".join(re.findall(r"<script>(.*?)</script>", html, re.DOTALL))
    said = [one or other for one, other in SAID_BY_SCRIPTS.findall(NOT_SAID.sub("", scripts))]
    return [text.strip() for text in shown + said if re.search(r"[A-Za-z]{2,}", NO_WORDS.sub("", text))]


@pytest.mark.parametrize("brief", BRIEFS.values(), ids=BRIEFS)
def test_an_app_of_a_kind_reads_chinese(brief: str) -> None:
    app = BriefApp(brief)
    for slug, html in app.pages.items():
        assert '<html lang="zh">' in html
        assert english_in(html) == [], slug
        report = validate_page(html, css=app.css, slug=slug, known_slugs=tuple(app.pages))
        assert report.issues == (), (slug, report.issues)


@pytest.mark.parametrize("name", ARCHETYPES)
def test_a_page_that_any_app_may_have_reads_chinese(name: str) -> None:
    slug = "index" if name == "home" else name
    html = render_page(PageRequest(slug, "页面", "", "app", "小满", SITE, "一个应用"))
    assert f'data-archetype="{name}"' in html
    assert english_in(html) == []


def test_an_entry_without_a_day_ends_with_its_words() -> None:
    for brief in (BRIEFS["records"], BRIEFS["diary"], BRIEFS["habits"]):
        shown = [text.rstrip() for html in BriefApp(brief).pages.values() for text, _ in READ.findall(html)]
        assert len(shown) > 20
        assert [text for text in shown if text.endswith("·")] == []


def test_what_a_product_type_leaves_to_all_apps_is_chinese_too() -> None:
    site = (SitemapEntry("index", "首页"), SitemapEntry("notifications", "通知"))
    html = render_page(PageRequest("notifications", "通知", "", "food_and_drink", "小满", site, "一家咖啡店的应用"))
    assert "欢迎加入" in html
    assert english_in(html) == []


def test_a_page_of_entries_added_later_is_drawn() -> None:
    """The page was refused with an error where its address was none of the listed things."""
    site = (SitemapEntry("index", "Home"), SitemapEntry("journal", "Journal"))
    html = render_page(PageRequest("journal", "Journal", "", "app", "Hello", site, "An app"))
    assert "Journal" in html
