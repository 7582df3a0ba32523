"""Colours as CSS writes them, held against what Chromium paints."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.compliance.cascade.colours import Colour, contrast, parse_colour
from tests.support.browser import evaluate_in_chromium

WRITTEN = [
    "#0a7", "#0a78", "#00aa77", "#00AA7780", "red", "RebeccaPurple", "transparent", "rgb(1, 2, 3)", "rgba(1,2,3,.5)",
    "rgb(10 20 30 / 40%)", "rgb(10% 20% 30%)", "rgb(300 -20 30)", "rgb(none 20 30)", "hsl(200 50% 40%)",
    "hsl(200 50 40)",
    "hsl(0.5turn, 50%, 40%)", "hsla(-40deg 90% 60% / .3)", "hwb(200 10% 20%)", "hwb(90 70% 60%)", "lab(50% 40 -30)",
    "lab(120 0 0)", "lch(60% 40 300deg)", "oklab(0.6 0.1 -0.1)", "oklch(70% 0.1 200)", "oklch(0.7 50% 3.5rad / 80%)",
    "oklch(0.2 0.4 30)", "color(srgb 1 0.5 0)", "color(srgb-linear 0.2 0.5 0.1)", "color(display-p3 0.9 0.2 0.4)",
    "color(a98-rgb 0.4 0.6 0.3)", "color(prophoto-rgb 0.4 0.5 0.3)", "color(xyz 0.2 0.3 0.4)",
    "color(xyz-d50 0.2 0.3 0.2)", "color-mix(in srgb, red 30%, blue)", "color-mix(in oklch, red, #00f)",
    "color-mix(in oklab, #fff 80%, black)", "color-mix(in srgb, #0a7 70%, transparent)",
    "color-mix(in hsl longer hue, red, lime)", "color-mix(in lab, red 20%, lime 30%)", "color-mix(in lch, gray, #07a)",
    "color-mix(in hwb increasing hue, blue, red)", "light-dark(#123456, white)",
]  # fmt: skip
PAINT = """() => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  return WRITTEN.map((text) => {
    const probe = document.body.appendChild(document.createElement("p"));
    probe.style.color = text;
    if (!probe.style.color) { return null; }
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = getComputedStyle(probe).color;
    pen.fillRect(0, 0, 1, 1);
    return Array.from(pen.getImageData(0, 0, 1, 1).data).slice(0, 3);
  });
}"""


def random_colours(count: int) -> list[str]:
    """Colours of every notation, out of range here and there."""
    dice = random.Random(20)
    written = []
    for _ in range(count):
        numbers = [dice.uniform(-0.1, 1.1) for _ in range(4)]
        a, b, c, alpha = numbers
        hue = dice.uniform(-400, 800)
        written += [
            f"rgb({a * 255:.3f} {b * 255:.3f} {c * 255:.3f} / {alpha:.2f})",
            f"hsl({hue:.1f} {b * 100:.1f}% {c * 100:.1f}%)",
            f"hwb({hue:.1f} {abs(b) * 80:.1f}% {abs(c) * 80:.1f}%)",
            f"oklch({a:.3f} {abs(b) * 0.3:.3f} {hue:.1f})",
            f"oklab({a * 100:.1f}% {b * 0.4 - 0.2:.3f} {c * 0.4 - 0.2:.3f})",
            f"lab({a * 100:.1f} {b * 200 - 100:.1f} {c * 200 - 100:.1f})",
            f"lch({a * 100:.1f}% {abs(b) * 120:.1f} {hue:.1f})",
        ]
        space = dice.choice(["srgb", "oklab", "oklch", "hsl", "lab", "srgb-linear"])
        other = f"rgb({abs(a) * 220:.0f} {abs(b) * 220:.0f} 60)"
        written.append(f"color-mix(in {space}, {other} {min(1.0, abs(c)) * 100:.0f}%, #3c7a2f)")
    return written


@pytest.mark.browser
async def test_chromium_paints_the_same(tmp_path: Path) -> None:
    written = WRITTEN + random_colours(40)
    blank = tmp_path / "blank.html"
    blank.write_text("<!doctype html><title>Colours</title>", encoding="utf-8")
    painted = await evaluate_in_chromium(blank, PAINT.replace("WRITTEN", json.dumps(written)))
    white = Colour(1.0, 1.0, 1.0)
    for text, pixel in zip(written, painted, strict=True):
        colour = parse_colour(text)
        assert (colour is None) == (pixel is None), text
        assert colour is not None, text
        shown = colour.over(white).hex
        channels = [int(shown[at : at + 2], 16) for at in (1, 3, 5)]
        assert all(abs(a - b) <= 2 for a, b in zip(channels, pixel, strict=True)), (text, channels, pixel)


@pytest.mark.parametrize(
    "text",
    ["", "12px", "#12", "#12345", "#ggg", "rgb(1 2)", "rgb(1 2 3 4)", "rgb(from red r g b)", "menu", "var(--x)",
     "color-mix(in srgb, red)", "color-mix(red, blue)", "color(cmyk 0 0 0)", "hsl(a b c)", "red blue", "inherit",
     "#" + "f" * 600, "color-mix(in srgb, " * 40 + "red"],
)  # fmt: skip
def test_what_is_no_colour_is_not_known(text: str) -> None:
    assert parse_colour(text) is None


def test_the_two_schemes_and_the_current_colour() -> None:
    black = Colour(0.0, 0.0, 0.0)
    assert parse_colour("light-dark(#fff, #000)", scheme="dark") == black
    assert parse_colour("currentColor", current=black) == black
    assert parse_colour("currentColor") is None


def test_contrast_and_compositing() -> None:
    black, white = Colour(0.0, 0.0, 0.0), Colour(1.0, 1.0, 1.0)
    assert contrast(black, white) == pytest.approx(21)
    assert Colour.from_hex("#777777").hex == "#777777"
    assert black.faded(0.5).over(white).hex == "#808080"
    # Two values of WCAG's own examples: #767676 is the lightest grey with 4.5 to 1 on white.
    assert contrast(Colour.from_hex("#767676"), white) >= 4.5 > contrast(Colour.from_hex("#777777"), white)


@given(st.text(max_size=60))
def test_any_text_is_answered(text: str) -> None:
    parse_colour(text)


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_every_hex_colour_comes_back(channels: tuple[int, int, int]) -> None:
    text = "#{:02X}{:02X}{:02X}".format(*channels)
    colour = parse_colour(text)
    assert colour is not None
    assert colour.hex == text
    assert parse_colour(f"color-mix(in oklch, {text}, {text})").hex == text  # type: ignore[union-attr]


def test_system_colours_follow_the_scheme() -> None:
    light, dark = parse_colour("CanvasText"), parse_colour("canvastext", scheme="dark")
    assert light is not None
    assert dark is not None
    assert (light.hex, dark.hex) == ("#000000", "#FFFFFF")
