"""Invitations: the day counts down, replies and gifts are kept, the kitchen knows."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.agents.pages.offline.studio.phone_app import steps
from tests.agents.pages.offline.studio.sample_apps import APPS

WEDDING = replace(
    APPS["invitation"], brief="Wedding invitation for Anna and Ben on 14 June 2037 at Villa Rosa, 3:30 pm"
)

pytestmark = pytest.mark.browser


async def test_the_day_of_the_brief_is_counted_down_to(tmp_path: Path) -> None:
    """Names, day, place and hour are those of the brief."""
    seen = await steps(
        WEDDING,
        "index",
        tmp_path,
        """
        const left = Number($('[data-unit=days]').textContent);
        const text = (selector) => $(selector).textContent;
        return [text('.names'), text('#when-weekday'), text('#when-day'), text('#when-month'),
          text('.place-line'),
          left === Math.floor((new Date(2037, 5, 14, 15, 30) - new Date()) / 86400000)];
        """,
    )

    assert seen == ["AnnaandBen", "Sunday", "14", "June 2037", "Villa Rosa", True]


async def test_a_reply_has_a_meal_for_everybody_and_can_be_changed(tmp_path: Path) -> None:
    """Two guests, two meals; changing the answer changes the same record."""
    seen = await steps(
        WEDDING,
        "rsvp",
        tmp_path,
        """
        const before = App.records('Lead').all().length;
        tap('#rsvp-form [type=submit]'); const asked = !$('[data-error-for=rsvp-name]').hidden;
        fill('#rsvp-name', 'Ada'); tap('#party [data-step="1"]'); await tick();
        fill('#meal-1', 'Vegan'); tap('#rsvp-form [type=submit]'); await tick();
        const first = App.records('Lead').get(App.load('reply'));
        tap('#change'); const kept = [$('#party output').textContent, $('#meal-1').value];
        tap('[data-coming=no]'); tap('#rsvp-form [type=submit]'); await tick();
        const second = App.records('Lead').get(App.load('reply'));
        return [asked, first.count, first.meal, kept, second.coming, second.count, $('#done-title').textContent,
          App.records('Lead').all().length - before];
        """,
    )

    assert seen == [True, 2, "Everything, Vegan", ["2", "Vegan"], False, 0, "Thank you. We will miss you.", 1]


async def test_the_guest_list_counts_people_and_meals(tmp_path: Path) -> None:
    """Only who comes is counted, and what they eat."""
    seen = await steps(
        WEDDING,
        "guests",
        tmp_path,
        """
        tap('[data-filter=no]');
        const shown = $$('#guest-list li:not([hidden]) .list-title').map((title) => title.textContent);
        return [$('#total-people').textContent, $('#total-yes').textContent, $('#total-no').textContent, shown];
        """,
    )

    assert seen == ["5", "2", "1", ["Professor Okafor"]]


async def test_a_gift_is_claimed_and_given_back(tmp_path: Path) -> None:
    seen = await steps(
        WEDDING,
        "gifts",
        tmp_path,
        """
        tap('[data-claim=lamp]'); const claimed = [App.load('gifts'), $('#mine').textContent];
        tap('[data-claim=lamp]'); return [...claimed, App.load('gifts'), $('#mine').hidden];
        """,
    )

    assert seen == [["lamp"], "Kept for you: A reading lamp", [], True]
