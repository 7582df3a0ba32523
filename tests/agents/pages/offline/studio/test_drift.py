"""The studio's own pages follow its design system: how far each drifts from it."""

from statistics import mean

import pytest

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.design.drift import DriftReport, measure_drift
from loopwright.agents.pages.design.repair import fix_drift
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page

BRIEFS = {
    "a ceramics shop": 18,
    "a trip to Japan": 18,
    "a kanban board for a team": 10,
    "a landing page for a startup": 8,
    "a digital business card": 2,
    "a wedding invitation": 2,
    "a user manual for a coffee machine": 2,
    "a sales dashboard": 2,
    "a barber booking app": 12,
    "a coffee shop app": 2,
    "a movie streaming app": 25,
    "a photographer portfolio": 22,
    "a fitness workout app": 14,
}
"""Brief → the mean score of its pages that is not to be passed, once what can be mended by rule is mended."""


def drift_of(brief: str) -> list[DriftReport]:
    """The drift of each page of a brief's app, as `generate_page` saves it."""
    plan = analyse_brief(brief)
    sitemap = tuple(SitemapEntry(page.slug, page.title) for page in plan.suggested_pages)
    css = render_design_system(plan.product_type, brief=brief)
    reports = []
    for page in plan.suggested_pages:
        request = PageRequest(
            page.slug, page.title, page.description, plan.product_type, plan.app_name, sitemap, brief=brief
        )
        reports.append(measure_drift(fix_drift(render_page(request), css).html, css))
    return reports


@pytest.mark.parametrize("brief", BRIEFS)
def test_how_far_the_pages_drift(brief: str) -> None:
    reports = drift_of(brief)
    assert mean(report.score for report in reports) <= BRIEFS[brief]
    invented = [each.found for report in reports for each in report.findings if each.rule == "unknown-variable"]
    assert invented == []
