"""One arithmetic of colours: rules, studio and reference images measure the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.colour import Colour, contrast, from_oklch, shade
from loopwright.agents.pages.offline.studio import colour as studio
from loopwright.agents.pages.style.shapes import Swatch

CHANNELS = st.tuples(*(st.integers(0, 255),) * 3)


def test_the_worked_values_of_wcag() -> None:
    white = Colour.from_hex("#FFFFFF")
    assert contrast(white, Colour.from_hex("#000000")) == pytest.approx(21)
    assert contrast(white, Colour.from_hex("#767676")) == pytest.approx(4.54, abs=0.005)
    assert Colour.from_hex("#808080").luminance == pytest.approx(0.2159, abs=0.0001)


@given(CHANNELS, CHANNELS)
def test_who_measures_does_not_matter(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    first, second = (Swatch(*channels, 0.5) for channels in (one, other))
    measured = contrast(Colour.from_hex(first.hex), Colour.from_hex(second.hex))
    assert first.contrast(second) == studio.contrast(first.hex, second.hex) == measured
    assert first.luminance == studio.luminance(first.hex) == Colour.from_hex(first.hex).luminance


@given(CHANNELS, st.floats(0.1, 0.95))
def test_a_shade_has_its_lightness_and_can_be_shown(channels: tuple[int, int, int], lightness: float) -> None:
    colour = Colour(*(channel / 255 for channel in channels))
    made = shade(colour, lightness)
    assert made == Colour.from_hex(made.hex)
    assert made.oklch.lightness == pytest.approx(lightness, abs=0.02)
    assert studio.from_oklch(lightness, colour.oklch.chroma, colour.oklch.hue) == made.hex


def test_every_colour_is_its_own_shade() -> None:
    for text in ("#0A7D5A", "#E4002B", "#123456", "#FFFFFF", "#000000"):
        assert from_oklch(*Colour.from_hex(text).oklch).hex == text
