"""Style sheets of the studio: readable with any brand colour, changed by words and images."""

import itertools
import re

import pytest

from loopwright.agents.pages.brief.features import read_table
from loopwright.agents.pages.design.check import mobile_errors
from loopwright.agents.pages.design.tokens import take_inventory
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.colour import contrast
from loopwright.agents.pages.offline.studio.contracts import Mode
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.palettes import Colours, make_palette

CUBE = ["#" + "".join(channels) for channels in itertools.product(("00", "66", "CC", "FF"), repeat=3)]
GROUNDS = ("bg", "surface", "surface-2")
ON_GROUNDS = ("text", "muted", "primary", "accent-text", "success", "warning", "danger")
PAIRS = (
    ("on-brand", "brand"),
    ("on-brand", "brand-2"),
    ("on-primary", "primary"),
    ("on-primary-soft", "primary-soft"),
    ("primary", "primary-soft"),
    ("on-accent", "accent"),
    ("on-inverse", "inverse"),
)
IMAGE = {
    "mode": "dark",
    "colors": {
        "primary": "#E5A00D",
        "accent": "#2BB3A3",
        "background": "#101418",
        "surface": "#1A2026",
        "text": {"primary": "#F4F1EA"},
    },
    "typography": {"fontFamily": "Georgia, serif"},
    "radius": "none",
    "spacing": "compact",
    "shadow": "none",
    "style": "bold",
    "assumed": [],
}


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("brand", CUBE)
def test_text_is_readable_with_any_brand_colour(brand: str, mode: Mode) -> None:
    palette = make_palette(Colours(brand), mode)
    pairs = [*PAIRS, *itertools.product(ON_GROUNDS, GROUNDS)]
    poor = {pair: contrast(palette[pair[0]], palette[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < 4.5} == {}


def test_a_brand_colour_is_kept_as_it_is() -> None:
    variables = take_inventory(render_design_system("food_and_drink", brand_colors=("#FFD600",))).variables
    assert variables["--color-brand"] == "#FFD600"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_mode_is_the_one_asked_for_and_the_other_is_there(mode: Mode) -> None:
    css = render_design_system("food_and_drink", mode=mode)
    other = "dark" if mode == "light" else "light"
    assert f"--mode: {mode};" in css.partition(f':root[data-mode="{other}"]')[0]
    assert f':root[data-mode="{other}"]' in css


def test_an_image_decides_colours_shapes_and_type() -> None:
    variables = take_inventory(render_design_system("food_and_drink", style_tokens=IMAGE)).variables
    assert variables["--mode"] == "dark"
    assert variables["--color-bg"] == "#101418"
    assert variables["--color-surface"] == "#1A2026"
    assert variables["--color-brand"] == "#E5A00D"
    assert variables["--radius-m"] == "0px"
    assert variables["--gutter"] == "16px"
    assert "Palatino" in variables["--font-display"]


def test_the_users_colours_win_over_the_image() -> None:
    css = render_design_system("food_and_drink", style_tokens=IMAGE, brand_colors=("#7B2D8B",))
    assert take_inventory(css).variables["--color-brand"] == "#7B2D8B"


def test_what_an_image_does_not_show_leaves_the_look_alone() -> None:
    assumed = {**IMAGE, "assumed": ["typography", "radius", "spacing", "shadow", "style"]}
    plain = take_inventory(render_design_system("food_and_drink")).variables
    variables = take_inventory(render_design_system("food_and_drink", style_tokens=assumed)).variables
    assert all(variables[name] == plain[name] for name in ("--radius-m", "--gutter", "--font-display"))


def test_grounds_of_an_image_are_left_out_in_the_other_mode() -> None:
    variables = take_inventory(render_design_system("food_and_drink", style_tokens=IMAGE, mode="light")).variables
    assert variables["--color-bg"] != "#101418"
    assert variables["--mode"] == "light"


@pytest.mark.parametrize("word", resources.names_in("css/words", ".css"))
def test_every_style_word_changes_the_sheet_and_keeps_it_fit_for_phones(word: str) -> None:
    css = render_design_system("food_and_drink", style_words=(word,))
    assert css != render_design_system("food_and_drink")
    assert mobile_errors(css) == []


def test_words_of_the_theme_reader_have_styles() -> None:
    assert set(read_table("styles.json")) <= set(resources.read_json("css/words.json"))


def test_unknown_words_and_types_are_harmless() -> None:
    assert render_design_system("food_and_drink", style_words=("wobbly",)) == render_design_system("food_and_drink")
    assert render_design_system("nothing") == render_design_system("app")


def test_a_name_cannot_end_the_comment() -> None:
    css = render_design_system("app", app_name="Nice */ body { display: none }")
    assert re.match(r"/\* [^*]*\*/\n", css)


def test_only_tokens_hold_colours() -> None:
    """Components take every colour from tokens, so that modes and edits reach all of them."""
    for name in resources.names_in("css", ".css"):
        text = resources.read_text(f"css/{name}.css")
        assert re.findall(r"#[0-9a-fA-F]{6}\b", text) == [], name
