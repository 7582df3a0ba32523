"""Measured colours, and honest defaults for the rest."""

import io

import PIL.Image
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.style.shapes import Swatch, read_palette
from loopwright.agents.pages.style.tokens import StyleTokens, make_tokens
from loopwright.kernel.errors import InvalidInput
from tests.agents.pages.style.pictures import flat, poster


def near(found: str, wanted: str, distance: int = 12) -> bool:
    pairs = [(int(found[i : i + 2], 16), int(wanted[i : i + 2], 16)) for i in (1, 3, 5)]
    return all(abs(a - b) <= distance for a, b in pairs)


@pytest.mark.parametrize(
    ("mode", "form"), [("RGB", "PNG"), ("RGB", "JPEG"), ("P", "GIF"), ("RGBA", "PNG"), ("RGB", "WEBP")]
)
def test_the_posters_colours_are_found(mode: str, form: str) -> None:
    palette = read_palette(poster(mode, form))
    assert near(palette[0].hex, "#141414")
    assert near(palette[1].hex, "#E50914")
    assert any(near(swatch.hex, "#FFFFFF") for swatch in palette)
    assert sum(swatch.share for swatch in palette) == pytest.approx(1.0)


def test_a_dark_poster_gives_a_dark_look() -> None:
    tokens = make_tokens(read_palette(poster()))
    assert tokens.mode == "dark"
    assert near(tokens.colors["primary"], "#E50914")
    assert near(tokens.colors["background"], "#141414")
    assert near(tokens.colors["text"]["primary"], "#FFFFFF")
    assert set(tokens.assumed) == {"typography", "radius", "spacing", "shadow", "style"}


def test_a_grey_picture_has_no_brand_colour() -> None:
    tokens = make_tokens(read_palette(flat("#F4F4F4")))
    assert (tokens.mode, tokens.style) == ("light", "minimal")
    assert tokens.colors["primary"] == "#334155"


def test_transparency_stands_on_white() -> None:
    buffer = io.BytesIO()
    PIL.Image.new("RGBA", (40, 40), (255, 0, 0, 0)).save(buffer, "PNG")
    assert [swatch.hex for swatch in read_palette(buffer.getvalue())] == ["#FFFFFF"]


@pytest.mark.parametrize("data", [b"", b"not an image", poster()[:200], b"<svg xmlns='http://www.w3.org/2000/svg'/>"])
def test_a_broken_image_is_a_clear_failure(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="not an image that can be opened"):
        read_palette(data)


def test_a_picture_that_claims_to_be_huge_is_not_unpacked() -> None:
    buffer = io.BytesIO()
    PIL.Image.new("1", (8_000, 7_000)).save(buffer, "PNG")
    with pytest.raises(InvalidInput, match="too large"):
        read_palette(buffer.getvalue())


CHANNEL = st.integers(0, 255)


@settings(max_examples=200)
@given(st.lists(st.builds(Swatch, CHANNEL, CHANNEL, CHANNEL, st.just(0.2)), min_size=1, max_size=6))
def test_text_is_readable_whatever_the_picture(palette: list[Swatch]) -> None:
    tokens = make_tokens(palette)
    assert isinstance(tokens, StyleTokens)
    ground, text = (_swatch(tokens.colors["background"]), _swatch(tokens.colors["text"]["primary"]))
    assert text.contrast(ground) >= 4.5


def _swatch(color: str) -> Swatch:
    return Swatch(int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16), 1.0)
