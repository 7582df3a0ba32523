"""A small shop, and short ways to ask the ledger about it."""

from typing import Any

from pydantic import TypeAdapter

from loopwright.agents.pages.promises.app_pages import AppPages
from loopwright.agents.pages.promises.checks import Check
from loopwright.agents.pages.promises.promise import Verdict
from loopwright.agents.pages.promises.replay import look_at

CSS = """
:root { --color-brand: #0a7d32; --space: 8px; }
.page { max-width: 430px; }
.btn { min-height: 44px; background: var(--color-brand); color: #fff; }
.app-bar { background-color: #ffffff; }
.is-gone { display: none; }
"""

SHOP = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Corner Shop</title>
<link rel="stylesheet" href="../design-system.css">
<style>
.price { font-weight: 700; }
.app-bar { border-bottom: 1px solid #ddd; }
</style>
</head>
<body>
<div id="app" class="page">
<header class="app-bar"><h1>Corner Shop</h1><a href="cart.html" aria-label="Cart">2</a></header>
<main>
<section id="offers"><h2>Offers</h2>
<ul>
<li class="card" data-item="bread"><span>Bread</span> <b class="price">$3</b>
<button data-favourite="bread">♡</button></li>
<li class="card" data-item="cake"><span>Cake</span> <b class="price">$5</b>
<button data-favourite="cake">♡</button></li>
<li class="card" data-item="tea"><span>Tea</span> <b class="price">$2</b>
<button data-favourite="tea">♡</button></li>
</ul>
</section>
<section id="saved" hidden><h2>Saved</h2><p id="saved-list"></p></section>
<form id="order"><label for="name">Name</label><input id="name" name="name"><button class="btn">Order</button></form>
</main>
<nav aria-label="Main"><a href="index.html">Home</a><a href="cart.html">Cart</a></nav>
</div>
<script>
// hearts
document.querySelectorAll('[data-favourite]').forEach(function (button) {
  button.addEventListener('click', function () {
    keep(button.dataset.favourite);
    button.setAttribute('aria-pressed', 'true');
    document.getElementById('saved').hidden = false;
  });
});
function keep(id) {
  localStorage.setItem('kept', id);
}
function greet() { console.log('hello'); }
greet();
</script>
</body>
</html>
"""

CART = SHOP.replace("Corner Shop", "Cart").replace('id="offers"', 'id="lines"')

_CHECK: TypeAdapter[Check] = TypeAdapter(Check)


def app(html: str = SHOP, css: str = CSS) -> AppPages:
    """The shop with this home page."""
    return AppPages({"index": html, "cart": CART}, css)


def check(kind: str, **values: Any) -> Check:
    """A check of the home page."""
    return _CHECK.validate_python({"kind": kind, "slug": "index", **values})


def look(html: str, kind: str, css: str = CSS, **values: Any) -> Verdict:
    """The verdict of one check on this home page."""
    return look_at(check(kind, **values), app(html, css))


def replaced(old: str, new: str, html: str = SHOP) -> str:
    """The page with one thing otherwise; the thing has to be there."""
    assert old in html, old
    return html.replace(old, new)
