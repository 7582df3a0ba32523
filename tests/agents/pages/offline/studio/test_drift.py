"""The studio's own pages use its design system alone: no page drifts from it, in whatever language and style."""

import pytest

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.design.completion import fix_drift
from loopwright.agents.pages.design.drift import measure_drift
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from tests.agents.pages.briefs.expectations import briefs
from tests.agents.pages.offline.studio.sample_apps import APPS

CHINESE = {
    "booking": "做一个理发店预约应用",
    "card": "做一张生日贺卡",
    "dashboard": "做一个销售数据看板",
    "ecommerce": "做一个卖手工陶瓷的网店",
    "food_and_drink": "做一个奶茶店点单应用",
    "invitation": "做一个婚礼邀请函",
    "kanban": "做一个团队看板",
    "landing": "做一个创业公司的落地页",
    "manual": "做一本咖啡机使用手册",
    "travel": "做一个云南旅行应用",
}
OTHERS = ("a coffee shop app", "a reading diary with shelves and notes", "a lo-fi music app", "a barber booking app")
BRIEFS = [*CHINESE.values(), *OTHERS, *(brief.brief for brief in briefs())]
STYLES = ("playful", "bold", "calm")
"""Those that move the scale of sizes, the radii or the distances."""


def findings_of(pages: dict[str, str], css: str) -> list[str]:
    """What goes past the design system on each page, as `generate_page` saves it."""
    return [
        f"{slug}: {each.rule} {each.where} {each.property}: {each.found}"
        for slug, html in pages.items()
        for each in measure_drift(fix_drift(html, css).html, css).findings
    ]


@pytest.mark.parametrize("kind", APPS)
def test_no_page_of_a_product_type_drifts(kind: str) -> None:
    app = APPS[kind]
    assert findings_of({slug: app.render(slug) for slug in app.titles}, app.css) == []


@pytest.mark.parametrize("brief", BRIEFS)
def test_no_page_of_a_brief_drifts(brief: str) -> None:
    plan = analyse_brief(brief)
    sitemap = tuple(SitemapEntry(page.slug, page.title) for page in plan.suggested_pages)
    pages = {
        page.slug: render_page(
            PageRequest(page.slug, page.title, page.description, plan.product_type, plan.app_name, sitemap, brief=brief)
        )
        for page in plan.suggested_pages
    }
    assert findings_of(pages, render_design_system(plan.product_type, brief=brief)) == []


@pytest.mark.parametrize("kind", APPS)
def test_no_style_makes_a_page_drift(kind: str) -> None:
    """A style moves the scale and the measures: what follows the tokens moves with it, and nothing stays behind."""
    app = APPS[kind]
    slug = list(app.titles)[1]
    for style in STYLES:
        css = render_design_system(kind, app_name=app.name, style_words=(style,), brand_colors=("#0A7D5A",))
        assert findings_of({slug: app.render(slug)}, css) == [], style
