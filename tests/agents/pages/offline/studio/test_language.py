"""Apps that speak the language of their brief."""

import re
from dataclasses import replace

import pytest

from loopwright.agents.pages.domain.grammar import table
from loopwright.agents.pages.offline.studio import details as resources
from tests.agents.pages.offline.studio.sample_apps import APPS

BRIEFS = {
    "landing": "为智能音箱制作落地页",
    "card": "给林若溪做一张电子名片",
    "invitation": "婚礼请柬，2037年10月1日",
    "manual": "做一个智能音箱的使用手册",
    "dashboard": "记账应用，深色",
    "portfolio": "建筑师个人作品集",
    "fitness": "健身打卡应用，记录训练和体重",
    "streaming": "电影网站，深色",
}
LABEL = re.compile(r"""\bt\((['"])(.+?)\1(?:, (['"])(.+?)\3)?\)""")
"""A label and, where one word in English is two in other languages, what it means."""

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def test_every_label_of_the_templates_has_words_in_chinese() -> None:
    """Labels are looked up by their English words; a label without an entry would stay English."""
    folders = [f"pages/{name}" for name in (*BRIEFS, "common")] + [
        "pages/card/greeting",
        "pages/fitness",
        "pages/streaming",
        "pages/streaming/music",
        "components",
        "scripts",
        "",
    ]
    names = [
        f"{folder}/{name}".strip("/")
        for folder in folders
        for suffix in (".j2", ".js")
        for name in named(folder, suffix)
    ]
    labels = {called for name in names for called in LABEL.findall(resources.read_text(name))}
    keys = {f"{meaning}|{label}" if meaning else label for _, label, _, meaning in labels}
    assert keys - set(resources.read_json("languages/zh/strings.json")) == set()


@pytest.mark.parametrize("language", table("labels"))
def test_every_label_of_what_is_built_of_the_brief_has_words_in_each_language(language: str) -> None:
    names = named("pages/neutral", ".j2")
    labels = {found[1] for name in names for found in LABEL.findall(resources.read_text(f"pages/neutral/{name}"))}
    assert len(labels) > 50
    assert labels - set(table("labels")[language]) == set()


def named(folder: str, suffix: str) -> list[str]:
    """Names of the files of a data folder, with their suffix."""
    return [f"{stem}{suffix}" for stem in resources.names_in(folder or ".", suffix)]


@pytest.mark.parametrize("product_type", BRIEFS)
def test_a_chinese_brief_makes_a_chinese_page(product_type: str) -> None:
    """The page says so, and hardly an English sentence is left in what is read."""
    app = replace(
        APPS[product_type],
        brief=BRIEFS[product_type],
        name="小满",
        titles=dict.fromkeys(APPS[product_type].titles, "页面"),
    )
    for slug in app.titles:
        html = app.render(slug)
        assert '<html lang="zh">' in html
        text = re.sub(r"<(script|style|template)\b.*?</\1>|<[^>]+>", " ", html, flags=re.DOTALL)
        english = [
            part
            for part in re.split(r"\s{2,}|\n", text)
            if len(re.findall(r"[A-Za-z]{2,}", part)) > 3 and not CHINESE.search(part)
        ]
        assert english == [], slug


def test_an_english_brief_with_a_chinese_name_stays_english() -> None:
    app = replace(APPS["landing"], brief="A landing page for the tea house called 山野茶馆", name="山野茶馆")
    assert '<html lang="en">' in app.render("index")
