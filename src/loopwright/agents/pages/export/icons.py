"""The icon of an installed app: its initial on its brand colour."""

import io

from loopwright.agents.pages.colour.colour import Colour, contrast
from loopwright.agents.pages.export.theme import Theme

SIZES = (192, 512)
"""Pixels; what installers ask for (W3C Web Application Manifest, and the sizes browsers look for)."""

SAFE_ZONE = 0.8
"""The share of a maskable icon's width that every mask leaves visible (W3C Web Application Manifest)."""

_WHITE, _BLACK = Colour.from_hex("#FFFFFF"), Colour.from_hex("#000000")
_CORNER = 0.22
_LETTER = 0.56
_OVERSAMPLED = 4


def draw_icon(name: str, theme: Theme, size: int, *, maskable: bool = False) -> bytes:
    """A PNG. A maskable icon fills its square and keeps the letter small enough for every mask."""
    from PIL import Image, ImageDraw, ImageFont

    side = size * _OVERSAMPLED
    image = Image.new("RGBA", (side, side), theme.brand.hex if maskable else "#00000000")
    pen = ImageDraw.Draw(image)
    if not maskable:
        pen.rounded_rectangle((0, 0, side - 1, side - 1), radius=side * _CORNER, fill=theme.brand.hex)
    ink = "#FFFFFF" if contrast(theme.brand, _WHITE) >= contrast(theme.brand, _BLACK) else "#000000"
    share = _LETTER * (SAFE_ZONE if maskable else 1.0)
    letter = _initial(name)
    if letter:
        font = ImageFont.load_default(side * share)
        pen.text(
            (side / 2, side / 2), letter, fill=ink, font=font, anchor="mm", stroke_width=side // 90, stroke_fill=ink
        )
    else:  # a name in another script, for which no font may be there
        reach = side * share / 2
        box = (side / 2 - reach, side / 2 - reach, side / 2 + reach, side / 2 + reach)
        pen.ellipse(box, outline=ink, width=round(side * 0.07))
        pen.ellipse((side * 0.44, side * 0.44, side * 0.56, side * 0.56), fill=ink)
    data = io.BytesIO()
    image.resize((size, size), Image.Resampling.LANCZOS).save(data, "PNG", optimize=True)
    return data.getvalue()


def _initial(name: str) -> str:
    return next((character.upper() for character in name if character.isascii() and character.isalnum()), "")
