"""Colours in words."""

import pytest

from loopwright.agents.pages.brief.colours import colour_names, ground_in, is_colour_only, named_colours
from loopwright.agents.pages.brief.features import read_theme
from loopwright.agents.pages.colour import Colour

NAMED = colour_names()


@pytest.mark.parametrize(
    ("text", "colours"),
    [
        ("steel blue and sage", ("#4682B4", "#7C9473")),
        ("Salbeigrün", ("#7C9473",)),
        ("bleu acier", ("#4682B4",)),
        ("verde oliva", ("#6F7B2B",)),
        ("墨绿色", ("#0B5B3B",)),
        ("Colours sand and deep sea blue.", (NAMED["sand"], NAMED["deep sea blue"])),
        ("sea blue", (NAMED["sea blue"],)),
        ("coffee shop", ()),
    ],
)
def test_a_colour_has_its_own_shade(text: str, colours: tuple[str, ...]) -> None:
    assert read_theme(text).brand_colors == colours


def test_dark_before_a_colour_darkens_it_and_is_no_dark_mode() -> None:
    theme = read_theme("dark teal")
    assert theme.mode is None
    (dark,) = theme.brand_colors
    ((plain, _),) = named_colours("teal")
    assert Colour.from_hex(dark).luminance < Colour.from_hex(plain).luminance
    assert read_theme("Dark, burgundy accent").mode == "dark"


def test_a_background_is_no_accent() -> None:
    theme = read_theme("steel blue on a cream background")
    assert (theme.brand_colors, theme.ground, theme.mode) == (("#4682B4",), "#FBF3E0", "light")
    assert ground_in("a cream pie") is None


@pytest.mark.parametrize(("text", "only"), [("Blush pink and sage green", True), ("pink flamingos", False)])
def test_words_that_are_nothing_but_colours(text: str, only: bool) -> None:
    assert is_colour_only(text) is only
