"""Dashboards: records make figures, figures make charts, limits make alerts."""

from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.agents.pages.offline.studio.topics import content_for
from tests.agents.pages.offline.studio.phone_app import steps
from tests.agents.pages.offline.studio.sample_apps import APPS

DASHBOARD = APPS["dashboard"]


def test_measures_take_names_and_nature_from_the_brief() -> None:
    """Revenue is money, damage is better when it is less, whatever the order; stories of other measures are gone."""
    content = content_for("dashboard", "Dashboard for a bike rental with bookings, damaged bikes and revenue")
    measures = {item["name"]: (item["kind"], item["better"]) for item in content["items"]}

    assert measures == {"Bookings": ("count", "up"), "Damaged bikes": ("count", "down"), "Revenue": ("money", "up")}
    assert {alert["metricId"] for alert in content["records"]["Alert"]} <= {item["id"] for item in content["items"]}
    assert content["tagline"] == "The numbers of your bike rental, at a glance."


@pytest.mark.browser
async def test_a_new_entry_counts_in_its_measure(tmp_path: Path) -> None:
    """The form refuses nonsense; what it keeps raises today's revenue by its amount and the orders by one."""
    seen = await steps(
        DASHBOARD,
        "add",
        tmp_path,
        """
        const today = (id) => App.measures.points(App.items[id], 1)[0].value;
        const before = [today('revenue'), today('orders')];
        fill('#entry-amount', 'lots'); fill('#entry-title', 'Stall'); tap('#entry-form [type=submit]'); await tick();
        const refused = !$('[data-error-for=entry-amount]').hidden && !$('#entry-form').hidden;
        fill('#entry-amount', '1 200,50'); tap('[data-kind=south]'); tap('#entry-form [type=submit]'); await tick();
        const entry = App.records('Entry').all().pop();
        const more = Math.round((today('revenue') - before[0]) * 100) / 100;
        return [refused, entry.amount, entry.categoryId, more, today('orders') - before[1]];
        """,
    )

    assert seen == [True, 1200.5, "south", 1200.5, 1]


@pytest.mark.browser
async def test_the_period_redraws_the_charts(tmp_path: Path) -> None:
    """Ninety days have more points than seven, and the choice is kept for the other pages."""
    seen = await steps(
        DASHBOARD,
        "index",
        tmp_path,
        """
        const points = () => $('#trend-chart .line').getAttribute('d').split('L').length;
        tap('[data-period="7"]'); const week = points(); tap('[data-period="90"]');
        tap('[data-measure=orders]');
        return [week, points(), App.load('period'), $('#trend-name').textContent, $$('[data-kpi] .spark').length];
        """,
    )

    assert seen == [7, 90, 90, "Orders", 6]


@pytest.mark.browser
async def test_the_table_is_searched_sorted_and_shortened(tmp_path: Path) -> None:
    """Words and columns work together with the sum below; a deleted entry is gone from it."""
    seen = await steps(
        DASHBOARD,
        "transactions",
        tmp_path,
        """
        const names = () => $$('#rows [data-entry]').map((row) => row.textContent);
        fill('#entry-search', 'order'); tap('[data-sort=amount]');
        const found = names().slice(0, 2), sum = $('#foot-sum').textContent;
        tap('[data-entry=entry-9]'); tap('#entry-remove'); await tick();
        return [found, sum, names()[1], $('[data-column=amount]').getAttribute('aria-sort')];
        """,
    )

    assert seen == [["Kestrel Press", "Order 2084"], "$969.10", "Order 2087", "descending"]


@pytest.mark.browser
async def test_a_limit_makes_an_alert_that_can_be_quieted(tmp_path: Path) -> None:
    seen = await steps(
        replace(DASHBOARD, brief="server monitoring"),
        "alerts",
        tmp_path,
        """
        App.save('thresholds', {latency: {low: null, high: 1}});
        tap('[data-show=all]'); tap('[data-show=open]');
        const raised = Boolean($('[data-done=live-latency]'));
        tap('[data-done=live-latency]');
        return [raised, Boolean($('[data-done=live-latency]')), App.load('quiet')];
        """,
    )

    assert seen == [True, False, ["latency"]]
