"""The travel app's pages: fit for a phone, and working."""

from pathlib import Path

from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.workspace import Workspace
from tests.support.browser import evaluate_in_chromium

TITLES = {
    "index": "Home",
    "destinations": "Destinations",
    "trip": "Trip",
    "itinerary": "Itinerary",
    "saved": "Saved",
    "budget": "Budget",
    "packing": "Packing list",
    "tickets": "Tickets",
}
SITEMAP = tuple(SitemapEntry(slug, title) for slug, title in TITLES.items())
SLUGS = list(TITLES)


def write_page(folder: Path, slug: str) -> Path:
    """Write one page of the app with its style sheet and return its path."""
    page = folder / "pages" / f"{slug}.html"
    page.parent.mkdir(exist_ok=True)
    (folder / "design-system.css").write_text(render_design_system("travel"), encoding="utf-8")
    html = render_page(PageRequest(slug, TITLES[slug], "", "travel", "Wayfarer", SITEMAP))
    Workspace(folder).write_page(page.stem, html)
    return page


def test_trip_plan_tickets_and_budget_fit_together() -> None:
    """The content is sound: days within the trip, things to pack that exist, expenses of known parts."""
    content = resources.read_json("products/travel.json")
    days = content["trip"]["nights"] + 1

    assert content["trip"]["id"] in {item["id"] for item in content["items"]}
    assert len(content["plan"]) == days
    assert all(ticket["day"] < days for ticket in content["tickets"])
    assert set(content["packed"]) <= {thing for group in content["packing"] for thing in group["things"]}
    assert {entry["part"] for entry in content["budget"]["spent"]} <= {
        part["id"] for part in content["budget"]["parts"]
    }
    assert sum(part["planned"] for part in content["budget"]["parts"]) == content["budget"]["total"]
    assert all(len(item["climate"]) == 12 for item in content["items"])


async def test_the_trip_keeps_its_date_until_it_is_over(tmp_path: Path) -> None:
    """The first visit fixes the date; weeks after the trip the example is ahead again."""
    script = """async () => {
      const day = (days) => {
        const date = new Date();
        date.setDate(date.getDate() + days);
        return [date.getFullYear(), String(date.getMonth() + 1).padStart(2, '0'),
          String(date.getDate()).padStart(2, '0')].join('-');
      };
      const kept = App.load('trip', null);
      const begins = async (days, place) => {
        App.save('trip', Object.assign({}, kept, {start: day(days)}));
        location.hash = place;
        await new Promise((done) => setTimeout(done, 100));
        return App.load('trip', null).start;
      };
      return [kept.id, kept.start === day(12), await begins(3, 'kyoto') === day(3),
        await begins(-2, 'sahara') === day(-2), await begins(-30, 'lisbon') === day(12),
        document.querySelector('#booked').hidden];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "trip"), script)

    assert seen == ["lisbon", True, True, True, True, False]


async def test_a_stop_is_added_in_order_ticked_and_kept(tmp_path: Path) -> None:
    """The sheet puts a stop between its neighbours on the chosen day; a tick moves the day's count."""
    script = """() => {
      document.getElementById('tab-1').click();
      document.querySelector('.add').click();
      const form = document.getElementById('add-form');
      form.elements['stop-time'].value = '09:15';
      form.elements['stop-what'].value = 'Ring <b>Ada</b>';
      form.requestSubmit();
      document.querySelector('[data-tick="1-1"]').click();
      const plan = App.load('plan:lisbon', []);
      return [plan[1].stops.map((stop) => stop.time), plan[1].stops[1].what, plan[1].stops[1].done,
        document.querySelector('#day-1 .day-head .muted').textContent, document.getElementById('day-0').hidden];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "itinerary"), script)

    assert seen == [["8:30", "9:15", "10:00", "13:00", "16:30"], "Ring <b>Ada</b>", True, "1 of 5", True]


async def test_an_idea_becomes_a_stop_and_is_offered_no_more(tmp_path: Path) -> None:
    """Ideas that the plan already holds are not offered."""
    script = """() => {
      const offered = () => App.$$('[data-idea]').map((chip) => chip.dataset.idea);
      const before = offered();
      document.querySelector('[data-idea="Fado in Mouraria"]').click();
      return [before.includes('Tile museum'), offered().includes('Fado in Mouraria'),
        App.load('plan:lisbon', [])[0].stops.some((stop) => stop.what === 'Fado in Mouraria')];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "itinerary"), script) == [False, False, True]


async def test_another_place_becomes_the_next_trip(tmp_path: Path) -> None:
    """A date and some nights are enough; the plan then has empty days to be filled."""
    script = """async () => {
      location.hash = 'vernazza';
      await new Promise((done) => setTimeout(done, 100));
      const form = document.getElementById('plan-it');
      const asked = form.hidden;
      document.querySelector('#nights [data-step="1"]').click();
      form.requestSubmit();
      return [asked, App.load('trip', {}).id, App.load('trip', {}).nights,
        document.querySelectorAll('#days li').length, document.getElementById('booked').hidden];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "trip"), script) == [False, "vernazza", 5, 6, False]


async def test_packing_fills_the_suitcase_and_is_kept(tmp_path: Path) -> None:
    """Five of eighteen are packed; one more and an own thing that is not."""
    script = """() => {
      const share = () => document.getElementById('share').textContent;
      const before = share();
      App.$$('.thing').find((thing) => thing.textContent === 'Sun cream').click();
      document.getElementById('thing-name').value = 'Umbrella';
      document.getElementById('thing-form').requestSubmit();
      const kept = App.load('packing', []);
      return [before, share(), kept.length, kept.filter((thing) => thing.packed).length];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "packing"), script) == ["28%", "32%", 19, 6]


async def test_an_expense_leaves_less(tmp_path: Path) -> None:
    """1150 minus 546 spent, minus a dinner."""
    script = """() => {
      const left = () => document.getElementById('left').textContent;
      const before = left(), form = document.getElementById('spend-form');
      form.elements.amount.value = '42.50';
      form.elements.what.value = 'Dinner';
      form.elements.part.value = 'food';
      form.requestSubmit();
      return [before, left(), document.querySelector('#spent-list h3').textContent];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "budget"), script) == ["€604", "€561.50", "Dinner"]


async def test_a_saved_place_moves_between_lists(tmp_path: Path) -> None:
    """Some day at first, then this year."""
    script = """() => {
      App.favorites.toggle('kyoto');
      const shown = () => App.$$('[data-kept]:not([hidden])').map((box) => box.dataset.kept);
      const all = shown();
      document.querySelector('[data-list=year]').click();
      const before = shown();
      document.querySelector('[data-sort=kyoto]').click();
      return [all, before, shown()];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "saved"), script) == [["kyoto"], [], ["kyoto"]]
