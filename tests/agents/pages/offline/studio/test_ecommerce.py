"""The shop's pages: fit for a phone, and working."""

from pathlib import Path

from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.workspace import Workspace
from tests.support.browser import evaluate_in_chromium

TITLES = {
    "index": "Home",
    "products": "Products",
    "product": "Product",
    "cart": "Cart",
    "checkout": "Checkout",
    "orders": "Orders",
    "wishlist": "Wishlist",
    "profile": "Profile",
}
SITEMAP = tuple(SitemapEntry(slug, title) for slug, title in TITLES.items())
SLUGS = list(TITLES)


def write_page(folder: Path, slug: str) -> Path:
    """Write one page of the shop with its style sheet and return its path."""
    page = folder / "pages" / f"{slug}.html"
    page.parent.mkdir(exist_ok=True)
    (folder / "design-system.css").write_text(render_design_system("ecommerce"), encoding="utf-8")
    html = render_page(PageRequest(slug, TITLES[slug], "", "ecommerce", "Kiln & Linen", SITEMAP))
    Workspace(folder).write_page(page.stem, html)
    return page


def test_objects_orders_and_cover_refer_to_each_other() -> None:
    """The content is sound: what the scripts look up by id or name is there."""
    content = resources.read_json("products/ecommerce.json")
    objects = {item["id"]: item for item in content["items"]}
    categories = {category["id"] for category in content["categories"]}

    assert set(content["issue"]["lines"]) <= set(objects)
    assert {item["category"] for item in objects.values()} == categories
    for order in content["orders"]:
        assert order["total"] == sum(line["price"] * line["quantity"] for line in order["lines"])
        for line in order["lines"]:
            assert line["options"].split(", ")[0] in {colour["name"] for colour in objects[line["id"]]["colours"]}


async def test_a_swatch_recolours_the_object_and_a_size_changes_its_price(tmp_path: Path) -> None:
    """What is chosen is what goes into the bag."""
    script = """() => {
      location.hash = '';
      document.querySelectorAll('.swatch')[2].click();
      document.querySelectorAll('.size')[2].click();
      document.querySelector('#quantity [data-step="1"]').click();
      document.getElementById('add-to-bag').click();
      const line = App.cart.all()[0];
      return [getComputedStyle(document.querySelector('.gallery .still')).getPropertyValue('--glaze').trim(),
        line.options, line.price, line.quantity, document.getElementById('line-total').textContent];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "product"), script)

    assert seen == ["#5f6b4b", "Moss, Large", 212, 2, "$424.00"]


async def test_the_catalogue_filters_sorts_and_searches(tmp_path: Path) -> None:
    """Filter, search and order work together, and the count follows."""
    script = """() => {
      const shown = () => App.$$('#objects .object:not([hidden])').map((each) => each.dataset.id);
      document.querySelector('[data-filter=clay]').click();
      const sort = document.getElementById('sort');
      sort.value = 'low';
      sort.dispatchEvent(new Event('change', {bubbles: true}));
      const clay = shown(), count = document.getElementById('count').textContent;
      const field = document.querySelector('[data-search]');
      field.value = 'hanne';
      field.dispatchEvent(new Event('input', {bubbles: true}));
      return [clay, count, shown()];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "products"), script)

    assert seen == [["pour-jug", "orchard-bowls", "moon-jar", "amphora-four"], "4", ["moon-jar", "amphora-four"]]


async def test_a_voucher_lowers_the_total_and_an_unknown_one_does_not(tmp_path: Path) -> None:
    """148 is two dollars short of free delivery; ten percent go off the objects, not off the delivery."""
    script = """() => {
      App.cart.add('moon-jar', 1, {options: 'Chalk, Medium'});
      const total = () => document.querySelector('.total-row dd').textContent;
      const form = document.getElementById('voucher-form'), field = document.getElementById('voucher-code');
      const apply = (code) => { field.value = code; form.requestSubmit(); return total(); };
      return [total(), apply('nonsense'), apply('hello10'), apply('SLOW25'),
        document.getElementById('voucher-note').textContent];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "cart"), script)

    assert seen == ["$157.00", "$157.00", "$142.20", "$157.00", "Valid from $200.00"]


async def test_an_order_is_placed_and_kept(tmp_path: Path) -> None:
    """The checkout asks for what is missing, then empties the bag and keeps the order."""
    script = """() => {
      App.cart.add('pour-jug', 1, {options: 'Cobalt'});
      const form = document.getElementById('checkout-form');
      form.requestSubmit();
      const asked = document.querySelectorAll('.field-error:not([hidden])').length;
      form.elements.customer.value = 'Clara';
      form.elements.email.value = 'clara@example.com';
      form.elements.address.value = '7 Market Square';
      form.requestSubmit();
      const order = App.load('orders', [])[0];
      return [asked, App.cart.count(), order.total, order.lines[0].name, document.querySelector('.done').hidden];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "checkout"), script)

    assert seen == [3, 0, 81, "Pour jug", False]


async def test_a_wish_moves_to_the_bag(tmp_path: Path) -> None:
    """The wishlist adds up its prices and gives its objects away."""
    script = """() => {
      App.favorites.toggle('moon-jar');
      App.favorites.toggle('pour-jug');
      const total = document.getElementById('wish-total').textContent;
      document.querySelector('[data-move=pour-jug]').click();
      return [total, document.getElementById('wish-count').textContent, App.cart.all().map((line) => line.key)];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "wishlist"), script)

    assert seen == ["$220.00", "One wish", ["pour-jug|Cobalt"]]


async def test_ordering_again_fills_the_bag(tmp_path: Path) -> None:
    """The same objects in the same colours at the same price."""
    script = """() => {
      document.querySelector('[data-again="0"]').click();
      return [App.cart.count(), App.cart.total(), App.cart.all()[0].options];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "orders"), script) == [3, 188, "Lilac, Three"]
