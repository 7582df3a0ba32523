"""The studio's pages in a browser: fit for a phone, and doing what they promise."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents.pages.offline.studio.rendered_app import COFFEE, render_app
from tests.support.browser import check_page_in_chromium, evaluate_in_chromium

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def coffee(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the coffee shop's pages."""
    titles = {**COFFEE, "favorites": "Favorites", "settings": "Settings"}
    return render_app(titles).write(tmp_path_factory.mktemp("coffee"))


async def run(page: Path, steps: str) -> Any:
    """Carry out the steps in the page; `tick` waits for what they set in motion."""
    return await evaluate_in_chromium(
        page,
        f"""async () => {{
          const $ = (selector) => document.querySelector(selector);
          const tick = () => new Promise((done) => setTimeout(done, 30));
          {steps}
        }}""",
    )


@pytest.mark.parametrize("slug", COFFEE)
async def test_coffee_pages_fit_a_phone(coffee: Path, slug: str) -> None:
    report = await check_page_in_chromium(coffee / f"{slug}.html")
    assert report.problems() == []


async def test_sizes_extras_and_quantity_change_the_price(coffee: Path) -> None:
    total, badge, line = await run(
        coffee / "item.html",
        """
        $('[data-size=large]').click(); $('#extra-options input[value=oat]').click();
        $('#quantity [data-step="1"]').click(); await tick();
        const total = $('#line-total').textContent;
        $('#add-to-order').click(); await tick();
        return [total, $('.cart-button [data-cart-count]').textContent, App.cart.all()[0]];
        """,
    )
    assert total == "$11.60"  # twice 4.20 and 1.10 for the size and 0.50 for the milk
    assert badge == "2"
    assert line["options"] == "Large, Oat milk"


async def test_an_order_is_confirmed_stamped_and_empties_the_cart(coffee: Path) -> None:
    found = await run(
        coffee / "cart.html",
        """
        const before = App.load('stamps', 3);
        App.cart.add('espresso', 2); await tick();
        const total = $('[data-cart-total]').textContent;
        $('[data-change="1"]').click(); await tick();
        const more = $('#subtotal').textContent;
        $('#checkout-form [type=submit]').click(); await tick();
        const refused = !$('#checkout-form').hidden && !$('[data-error-for=customer]').hidden;
        $('#customer').value = 'Ada'; $('#phone').value = '555 0100 22';
        $('#checkout-form [type=submit]').click(); await tick();
        return {total, more, refused, done: !$('[data-form-done]').hidden, text: $('#done-text').textContent,
                count: App.cart.count(), stamps: App.load('stamps', 3) - before};
        """,
    )
    assert (found["total"], found["more"]) == ("$5.60", "$8.40")
    assert found["refused"]
    assert found["done"]
    assert found["text"].startswith("Ada, your order will be ready")
    assert (found["count"], found["stamps"]) == (0, 1)


async def test_filter_and_search_work_together(coffee: Path) -> None:
    shown = await run(
        coffee / "menu.html",
        """
        const names = () => [...document.querySelectorAll('.item-row:not([hidden]) .list-title')]
          .filter((title) => title.offsetParent).map((title) => title.textContent);
        $('[data-filter=cold]').click(); await tick();
        const cold = names();
        const input = $('#search-items');
        input.value = 'matcha'; input.dispatchEvent(new Event('input', {bubbles: true})); await tick();
        const matcha = names();
        input.value = 'submarine'; input.dispatchEvent(new Event('input', {bubbles: true})); await tick();
        return [cold, matcha, names(), !$('[data-no-results]').hidden];
        """,
    )
    assert shown == [["Cold brew", "Iced matcha", "Rosemary lemonade"], ["Iced matcha"], [], True]


async def test_hearts_fill_the_favourites(coffee: Path) -> None:
    pressed, kept = await run(
        coffee / "favorites.html",
        """
        $('#ideas [data-favorite=espresso]').click(); await tick();
        return [$('#ideas [data-favorite=espresso]').getAttribute('aria-pressed'), !$('[data-kept=espresso]').hidden];
        """,
    )
    assert (pressed, kept) == ("true", True)


async def test_the_dark_mode_switch_works(coffee: Path) -> None:
    before, after = await run(
        coffee / "settings.html",
        """
        const ground = () => getComputedStyle($('.page')).backgroundColor;
        const before = ground();
        $('#dark-mode').click(); await tick();
        return [before, ground()];
        """,
    )
    light, dark = (sum(map(int, colour.removeprefix("rgb(").rstrip(")").split(","))) for colour in (before, after))
    assert light > 600 > 200 > dark


async def test_the_profile_lists_a_new_order_as_text(coffee: Path) -> None:
    text = await run(
        coffee / "profile.html",
        """
        App.save('orders', [{number: '#1', total: 4.2, lines: [{name: 'Flat <b>white</b>'}]}]); await tick();
        return $('#recent-list .list-title').textContent;
        """,
    )
    assert text == "Flat <b>white</b>"
