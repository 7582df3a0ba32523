"""The booking app's pages: fit for a phone, and times that can really be taken, moved and given back."""

from pathlib import Path

import pytest

from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.offline.studio.topics import content_for
from loopwright.agents.pages.workspace import Workspace
from tests.support.browser import evaluate_in_chromium

TITLES = {
    "index": "Home",
    "services": "Services",
    "service": "Service",
    "book": "Book",
    "staff": "Team",
    "appointments": "Appointments",
    "offers": "Offers",
    "location": "Visit",
    "profile": "Profile",
}
SLUGS = [*TITLES, "confirm"]
BRIEFS = ("", "a barber shop", "a dental clinic", "a yoga studio", "a spa", "piano lessons", "a dog grooming salon")


def write_page(folder: Path, slug: str, titles: dict[str, str] = TITLES) -> Path:
    """Write one page with its style sheet and return its path."""
    page = folder / "pages" / f"{slug}.html"
    page.parent.mkdir(exist_ok=True)
    (folder / "design-system.css").write_text(render_design_system("booking"), encoding="utf-8")
    Workspace(folder).write_page(page.stem, render(slug, titles))
    return page


def render(slug: str, titles: dict[str, str], brief: str = "") -> str:
    """A page of an app that has these pages and, if it is the confirmation, that one."""
    known = titles if slug in titles else {**titles, slug: slug.title()}
    sitemap = tuple(SitemapEntry(each, title) for each, title in known.items())
    return render_page(PageRequest(slug, known[slug], "", "booking", "Slotwise", sitemap, brief=brief))


@pytest.mark.parametrize("brief", BRIEFS)
def test_services_people_and_appointments_refer_to_each_other(brief: str) -> None:
    """The content of every subject is sound: each service is done by somebody, each appointment by one who does it."""
    content = content_for("booking", brief)
    categories = {category["id"] for category in content["categories"]}

    assert {item["category"] for item in content["items"]} == categories
    assert {done for person in content["people"] for done in person["does"]} == categories
    for seed in content["appointments"]:
        assert content["items"][seed["item"]]["category"] in content["people"][seed["person"]]["does"]
    assert max(bundle["item"] for bundle in content["packages"]) < len(content["items"])
    assert max(review["person"] for review in content["reviews"]) < len(content["people"])


def test_each_subject_has_people_and_services_of_its_own() -> None:
    """A barber's app offers no facials."""
    names = {brief: {item["id"] for item in content_for("booking", brief)["items"]} for brief in BRIEFS}

    assert all(not names[one] & names[other] for one in BRIEFS for other in BRIEFS if one != other)
    assert set(resources.names_in("topics/booking", ".json")) >= {"barber", "clinic", "dentist", "pets", "spa", "yoga"}
    assert 'data-face="sal"' in render("book", TITLES, "booking for a barber shop")


async def test_a_chosen_time_is_remembered_and_booked(tmp_path: Path) -> None:
    """The choice survives a reload; the booked time is then no longer free, and nothing is booked without a name."""
    page = write_page(tmp_path, "book")
    script = """() => {
      const go = document.getElementById('continue'), idle = go.disabled;
      App.$$('.date:not([disabled])').pop().click();
      document.querySelectorAll('.slot')[2].click();
      const time = Number(document.querySelector('.slot[aria-pressed=true]').dataset.time);
      const kept = App.load('draft', {}).time === time;
      const dial = document.getElementById('book-dial').style.getPropertyValue('--start') === String(time);
      go.click();
      const form = document.getElementById('confirm-form');
      form.elements.customer.value = '';
      form.requestSubmit();
      const before = App.load('appointments').length;
      form.elements.customer.value = 'Ada';
      form.requestSubmit();
      const booked = App.load('appointments').slice(-1)[0];
      return [idle, kept, dial, before, booked.time === time, App.load('user').name,
        document.querySelector('#confirm-box .done').hidden];
    }"""

    assert await evaluate_in_chromium(page, script) == [True, True, True, 2 + 3, True, "Ada", False]


async def test_an_address_chooses_service_person_and_day(tmp_path: Path) -> None:
    """Links from other pages land on what they name; a person who does not do it is replaced by their own service."""
    script = """async () => {
      const look = async (hash) => {
        location.hash = hash;
        await new Promise((done) => setTimeout(done, 60));
        return [document.getElementById('chosen-name').textContent,
          document.querySelector('.who[aria-pressed=true]').dataset.who];
      };
      return [await look('service=quiet-facial'), await look('service=cut-and-finish&with=jonas'),
        await look('with=mei'), await look('service=nothing&with=nobody')];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "book"), script)

    assert seen == [["Quiet facial", ""], ["Cut and finish", "jonas"], ["Quiet facial", "mei"], ["Quiet facial", "mei"]]


async def test_an_appointment_is_moved_instead_of_doubled(tmp_path: Path) -> None:
    """Moving keeps the number of appointments and changes the time of one."""
    script = """async () => {
      const count = App.load('appointments').length;
      location.hash = 'move=a1';
      await new Promise((done) => setTimeout(done, 60));
      const said = document.getElementById('moving').hidden;
      document.querySelector('.slot').click();
      const time = Number(document.querySelector('.slot[aria-pressed=true]').dataset.time);
      document.getElementById('continue').click();
      const after = App.load('appointments');
      const moved = after.find((visit) => visit.id === 'a1');
      return [said, after.length === count, moved.time === time, document.getElementById('done-title').textContent];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "book"), script) == [False, True, True, "Moved"]


async def test_no_free_time_overlaps_an_appointment_or_the_closing_hour(tmp_path: Path) -> None:
    """What is offered is possible, for the longest service too; on closed days nothing is offered."""
    script = """async () => {
      location.hash = 'service=highlights';
      await new Promise((done) => setTimeout(done, 60));
      const ends = App.$$('.date:not([disabled])').slice(0, 6).map((date) => {
        App.$('[data-day="' + date.dataset.day + '"]').click();
        return App.$$('.slot').map((slot) => Number(slot.dataset.time) + 120);
      }).flat();
      const closed = App.$$('.date').filter((date) => [0, 1].includes(new Date(date.dataset.day + 'T12:00').getDay()));
      return [ends.length > 0, Math.max(...ends) <= 20 * 60, closed.length >= 4, closed.every((date) => date.disabled)];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "book"), script) == [True, True, True, True]


async def test_an_appointment_is_cancelled_and_taken_back(tmp_path: Path) -> None:
    """Cancelling asks first; until the page is left it can be undone."""
    script = """() => {
      const open = () => App.load('appointments').filter((visit) => visit.status === 'booked').length;
      const first = document.querySelector('[data-cancel]'), id = first.dataset.cancel;
      first.click();
      const asked = document.getElementById('cancel-sheet').open, before = open();
      document.getElementById('cancel-now').click();
      const after = open();
      document.querySelector(`[data-restore="${id}"]`).click();
      document.querySelectorAll('#past-list .star')[3].click();
      return [asked, before - after, open() === before, document.querySelectorAll('#past-list .star.is-on').length];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "appointments"), script) == [True, 1, True, 4]


async def test_one_page_for_bookings_holds_both_the_diary_and_the_appointments(tmp_path: Path) -> None:
    """Apps that name only one page for it lose neither."""
    titles = {"index": "Home", "bookings": "Bookings", "profile": "Profile"}
    script = "() => [App.$$('.visit').length > 0, App.$$('.slot').length > 0, App.$$('h1').length]"

    assert await evaluate_in_chromium(write_page(tmp_path, "bookings", titles), script) == [True, True, 1]


async def test_services_are_found_by_the_time_one_has(tmp_path: Path) -> None:
    """Half an hour is enough for what takes half an hour or less."""
    script = """() => {
      document.querySelector('[data-filter=within-30]').click();
      return App.$$('.offer:not([hidden]) h3').map((each) => each.textContent).sort();
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "services"), script)

    assert seen == ["Brow shape", "Short cut", "Wash and blow-dry"]


async def test_a_gift_card_takes_name_and_amount(tmp_path: Path) -> None:
    """The card shows what will be sent."""
    script = """() => {
      document.querySelector('[data-amount="120"]').click();
      const name = document.getElementById('recipient');
      name.value = 'Grandmother';
      name.dispatchEvent(new Event('input', {bubbles: true}));
      return [document.getElementById('gift-amount').textContent, document.getElementById('gift-to').textContent];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "offers"), script) == ["$120", "Grandmother"]
