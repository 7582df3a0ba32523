"""Portfolios, training, films, music and podcasts in Chinese: every page, and what its scripts write into it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.agents.pages.compliance import validate_page
from tests.agents.pages.offline.studio.sample_apps import APPS, SampleApp
from tests.agents.pages.offline.studio.test_chinese_kinds import english_in
from tests.agents.pages.offline.studio.test_kinds_of_apps import BriefApp
from tests.support.browser import evaluate_in_chromium

BRIEFS = {
    "建筑师个人作品集": "portfolio",
    "摄影师作品集": "portfolio",
    "平面设计师作品集": "portfolio",
    "插画师作品集": "portfolio",
    "前端工程师作品集": "portfolio",
    "健身打卡应用，记录训练和体重": "fitness",
    "居家健身应用": "fitness",
    "马拉松训练应用": "fitness",
    "电影网站，深色": "streaming",
    "音乐播放应用，紫色": "streaming",
    "播客应用": "streaming",
}
UNITS = re.compile(r"\b[MG]B\b|[\w.]+@example\.com")
LATIN = re.compile(r"[A-Za-z]{2,}")


def app_of(brief: str) -> SampleApp:
    """All the pages that the product type knows, each under a Chinese title."""
    sample = APPS[BRIEFS[brief]]
    return replace(sample, brief=brief, name="小满", titles=dict.fromkeys(sample.titles, "页面"))


@pytest.mark.parametrize("brief", BRIEFS)
def test_every_page_reads_chinese(brief: str) -> None:
    app = app_of(brief)
    for slug in app.titles:
        html = app.render(slug)
        assert '<html lang="zh">' in html
        assert [text for text in english_in(html) if LATIN.search(UNITS.sub("", text))] == [], slug


@pytest.mark.parametrize("brief", BRIEFS)
def test_the_app_of_a_brief_is_valid(brief: str) -> None:
    app = BriefApp(brief)
    for slug, html in app.pages.items():
        report = validate_page(html, css=app.css, slug=slug, known_slugs=tuple(app.pages))
        assert report.issues == (), (slug, report.issues)


@pytest.mark.parametrize(
    ("brief", "slug", "written"),
    [
        ("建筑师个人作品集", "project", "堤坝里的图书馆"),
        ("健身打卡应用，记录训练和体重", "plan", "周一"),
        ("健身打卡应用，记录训练和体重", "progress", "公斤"),
        ("健身打卡应用，记录训练和体重", "workout", "壶铃"),
        ("健身打卡应用，记录训练和体重", "nutrition", "克蛋白质"),
        ("电影网站，深色", "index", "分钟后看完"),
        ("电影网站，深色", "title", "第 2 季"),
        ("电影网站，深色", "player", "第 1 季 · 第 3 集"),
        ("音乐播放应用，紫色", "title", "10 分钟"),
        ("播客应用", "title", "为什么向火车挥手"),
    ],
)
async def test_what_scripts_write_reads_chinese(brief: str, slug: str, written: str, tmp_path: Path) -> None:
    page = app_of(brief).write(tmp_path) / f"{slug}.html"
    read = str(await evaluate_in_chromium(page, "() => document.body.innerText"))
    assert written in read
    assert not LATIN.search(UNITS.sub("", read))
