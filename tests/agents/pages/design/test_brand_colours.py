"""Whatever colour is asked for: it is in the sheet to the digit, and every text on every ground can be read."""

import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast
from loopwright.agents.pages.design.pairs import pair_of, pairs_in_rules, texts_of
from loopwright.agents.pages.design.schemes import SCHEMES, default_scheme, probe
from loopwright.agents.pages.design.tokens import read_design_system
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page

TEXTS = ("text", "muted", "primary", "accent-text", "success", "warning", "danger")
GROUNDS = ("bg", "surface", "surface-2", "primary-soft")
INKS = ("brand", "primary", "accent", "primary-soft")
GRAPHICS = ("mark",)
HEX = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06X}")
TYPES = st.sampled_from(
    ["ecommerce", "food_and_drink", "streaming", "kanban", "fitness", "portfolio", "card", "travel"]
)
WORDS = st.sampled_from([(), ("minimal",), ("bold",), ("playful",), ("elegant",), ("warm",), ("modern", "calm")])
SITEMAP = (SitemapEntry("index", "Home"), SitemapEntry("menu", "Menu"), SitemapEntry("cart", "Cart"))


def colours(css: str, scheme: Scheme) -> dict[str, Colour]:
    """The colour tokens by their bare names."""
    found = read_design_system(css).of_kind("colour")
    values = {token.name.removeprefix("--color-"): token.colour(scheme) for token in found}
    return {name: value for name, value in values.items() if value is not None}


@settings(max_examples=40, deadline=None)
@given(st.lists(HEX, min_size=1, max_size=2, unique=True), TYPES, WORDS, st.sampled_from([None, *SCHEMES]))
@example(["#FFFFFF"], "ecommerce", (), "light")
@example(["#000000"], "streaming", (), "dark")
@example(["#777777", "#808080"], "kanban", ("minimal",), None)
@example(["#FFFF00"], "food_and_drink", ("warm",), "light")
@example(["#0000FF"], "portfolio", (), "dark")
def test_every_text_can_be_read(
    asked: list[str], product_type: str, words: tuple[str, ...], mode: Scheme | None
) -> None:
    css = render_design_system(product_type, brand_colors=tuple(asked), style_words=words, mode=mode)
    if mode is not None:
        assert default_scheme(css) == mode
    for scheme in SCHEMES:
        found = colours(css, scheme)
        assert found["brand"].hex == asked[0]
        assert len(asked) == 1 or found["accent"].hex == asked[1]
        for text, ground in itertools.product(TEXTS, GROUNDS):
            assert contrast(found[text], found[ground]) >= 4.5, (scheme, text, ground)
        for ground in INKS:
            assert contrast(found[f"on-{ground}"], found[ground]) >= 4.5, (scheme, ground)
        for graphic, ground in itertools.product(GRAPHICS, GROUNDS[:3]):
            assert contrast(found[graphic], found[ground]) >= 3.0, (scheme, graphic, ground)
        for selector, pair in pairs_in_rules(css, scheme).items():
            assert pair.ratio >= 4.5, (scheme, selector, pair)


@settings(max_examples=30, deadline=None)
@given(HEX, HEX, HEX)
@example("#808080", "#7A7A7A", "#858585")
def test_grounds_of_an_image_are_kept_where_they_can_be(brand: str, background: str, text: str) -> None:
    """The image's ground stays to the digit; text, surfaces and what is derived of them move to be readable."""
    tokens = {"colors": {"primary": brand, "background": background, "text": {"primary": text}}}
    css = render_design_system("ecommerce", style_tokens=tokens)
    found = colours(css, default_scheme(css))
    assert (found["brand"].hex, found["bg"].hex) == (brand, background)
    for name, ground in itertools.product(TEXTS, GROUNDS):
        assert contrast(found[name], found[ground]) >= 4.5, (name, ground)


@pytest.mark.parametrize("brand", ["#FFE45C", "#FFFFFF", "#808080"])
@pytest.mark.parametrize("words", [(), ("modern",), ("playful",)])
def test_on_whole_pages(brand: str, words: tuple[str, ...]) -> None:
    """Every text that a page shows at rest, on what the cascade says is behind it, in both schemes."""
    css = render_design_system("food_and_drink", brand_colors=(brand,), style_words=words)
    request = PageRequest("index", "Home", "A warm welcome", "food_and_drink", "Roast", SITEMAP)
    html = render_page(request)
    judged = 0
    for scheme in SCHEMES:
        cascade = probe(css, scheme, html)
        for node in texts_of(cascade):
            pair = pair_of(cascade, node, scheme)
            if pair is not None:
                judged += 1
                assert pair.ratio >= pair.required, (scheme, node.html, pair)
    assert judged > 40
