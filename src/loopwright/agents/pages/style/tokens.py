"""Style tokens made of what was measured of an image; what was not is an honest default."""

import asyncio
import base64
import binascii
import io
import json
import math
import re
from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.style.shapes import Shapes, Swatch, open_image
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.web.addresses import AddressRule, is_public
from loopwright.kernel.web.fetching import Wanted

# Where an image comes from: a data URL, a file the user uploaded, or a public host.

MAX_BYTES = 10_000_000

_DATA_URL = re.compile(
    r"data:image/[\w.+-]+(?:;[\w.+=-]+)*?(?P<base64>;base64)?,(?P<data>.*)", re.IGNORECASE | re.DOTALL
)


async def read_image(source: str, workspace: Workspace, allowed: AddressRule = is_public) -> bytes:
    """The bytes of an image, whatever kind of source it is.

    Raises:
        InvalidInput: there is no such image, it is too large, or it may not be fetched.
    """
    source = source.strip()
    if source[:5].lower() == "data:":
        return _from_data_url(source)
    if source[:7].lower() == "http://" or source[:8].lower() == "https://":
        from loopwright.kernel.web.fetching import fetch

        wanted = Wanted("image", ("image/", "application/octet-stream"), MAX_BYTES)
        return (await fetch(source, wanted, allowed)).data
    path = await asyncio.to_thread(workspace.upload, source)
    if path is None:
        raise InvalidInput(
            f"There is no image {source[:200]!r}.",
            hint="Give a path listed under images in the options, a data URL, or an http(s) address.",
        )
    data = await asyncio.to_thread(path.read_bytes)
    return _within_limit(data)


def _from_data_url(url: str) -> bytes:
    match = _DATA_URL.fullmatch(url)
    if match is None:
        raise InvalidInput("The data URL is not one of an image (data:image/png;base64,…).")
    if len(match["data"]) > MAX_BYTES * 4 // 3 + 4:
        raise _too_large()
    if not match["base64"]:
        return _within_limit(unquote_to_bytes(match["data"]))
    try:
        return _within_limit(base64.b64decode(re.sub(r"\s+", "", match["data"]), validate=True))
    except binascii.Error as error:
        raise InvalidInput(f"The base64 of the data URL is broken: {error}.") from error


def _within_limit(data: bytes) -> bytes:
    if len(data) > MAX_BYTES:
        raise _too_large()
    return data


def _too_large() -> InvalidInput:
    return InvalidInput(f"The image is larger than {MAX_BYTES:,} bytes.", hint="Give a smaller one.")


COLOURED = 0.25
"""Chroma from which a colour can stand for a brand."""

READABLE = 4.5
"""The least contrast of text (WCAG 2.2, 1.4.3)."""

_BLACK, _WHITE = Swatch(17, 17, 17, 0.0), Swatch(255, 255, 255, 0.0)
_NEUTRAL_PRIMARY = Swatch(51, 65, 85, 0.0)


Radius = Literal["none", "small", "medium", "large", "full"]
Spacing = Literal["compact", "normal", "airy"]
Shadow = Literal["none", "subtle", "medium", "strong"]
Style = Literal["modern", "classic", "playful", "minimal", "bold"]

_RADII: tuple[tuple[float, Radius], ...] = ((2.0, "none"), (8.0, "small"), (16.0, "medium"))
"""Up to so many CSS pixels; beyond them `large`."""
_GAPS: tuple[tuple[float, Spacing], ...] = ((11.0, "compact"), (17.0, "normal"))
"""Up to so many CSS pixels between boxes; beyond them `airy`."""


class StyleTokens(BaseModel):
    """What an image says about a look (field notes, 000 · pages). `assumed` names what nobody saw."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Literal["light", "dark"]
    colors: dict[str, Any]
    palette: tuple[str, ...]
    typography: dict[str, str]
    radius: Radius
    spacing: Spacing
    shadow: Shadow
    style: Style
    assumed: tuple[str, ...]


def make_tokens(palette: Sequence[Swatch], shapes: Shapes | None = None) -> StyleTokens:
    """Give each colour of the palette its part, and choose defaults for what palette and shapes cannot tell."""
    light = sum(swatch.luminance * swatch.share for swatch in palette) >= 0.18  # the luminance of middle grey
    background = _ground(palette, light)
    coloured = sorted((s for s in palette if s.chroma >= COLOURED), key=lambda s: s.chroma * s.share**0.5, reverse=True)
    primary = coloured[0] if coloured else next((s for s in palette if s is not background), _NEUTRAL_PRIMARY)
    secondary = next((s for s in (*coloured[1:], *palette) if s not in (primary, background)), primary)
    accent = next((s for s in coloured if s not in (primary, secondary)), primary)
    text = _text(palette, background)
    vivid = max((swatch.chroma for swatch in palette), default=0.0)
    return StyleTokens(
        mode="light" if light else "dark",
        colors={
            "primary": primary.hex,
            "secondary": secondary.hex,
            "accent": accent.hex,
            "background": background.hex,
            "surface": _mix(background, _WHITE, 0.6 if light else 0.08).hex,
            "text": {
                "primary": text.hex,
                "secondary": _mix(text, background, 0.2).hex,
                "muted": _mix(text, background, 0.35).hex,
            },
        },
        palette=tuple(swatch.hex for swatch in palette),
        typography={"fontFamily": "system-ui, sans-serif", "scale": "normal"},
        radius=_radius(shapes) or "medium",
        spacing=_spacing(shapes) or "normal",
        shadow="subtle" if light else "none",
        style="bold" if vivid > 0.75 else "minimal" if vivid < COLOURED else "modern",
        assumed=_assumed(shapes),
    )


def _radius(shapes: Shapes | None) -> Radius | None:
    if shapes is None or shapes.radius is None:
        return None
    if shapes.pill:
        return "full"
    measured = shapes.radius
    return next((name for most, name in _RADII if measured <= most), "large")


def _spacing(shapes: Shapes | None) -> Spacing | None:
    if shapes is None or shapes.gap is None:
        return None
    measured = shapes.gap
    return next((name for most, name in _GAPS if measured <= most), "airy")


def _assumed(shapes: Shapes | None) -> tuple[str, ...]:
    measured = {"radius": _radius(shapes), "spacing": _spacing(shapes)}
    return tuple(name for name in ("typography", "radius", "spacing", "shadow", "style") if not measured.get(name))


def _ground(palette: Sequence[Swatch], light: bool) -> Swatch:
    """The colour on which things stand: the most frequent one that is light, or dark, enough; else white or black."""
    fitting = [s for s in palette if (s.luminance > 0.6 if light else s.luminance < 0.08)]
    return max(fitting, key=lambda s: s.share) if fitting else (_WHITE if light else _BLACK)


def _text(palette: Sequence[Swatch], background: Swatch) -> Swatch:
    """The palette's most readable colour on the ground, or the better one of near-black and white."""
    candidates = [s for s in palette if s.chroma < COLOURED * 2 and s.contrast(background) >= READABLE * 1.5]
    return max(candidates or [_BLACK, _WHITE], key=background.contrast)


def _mix(one: Swatch, other: Swatch, part: float) -> Swatch:
    """The first colour with a part of the second in it."""
    pairs = ((one.red, other.red), (one.green, other.green), (one.blue, other.blue))
    red, green, blue = (round(a + (b - a) * part) for a, b in pairs)
    return Swatch(red, green, blue, 0.0)


# What a model with eyes says of an image, and how far it is believed: it names roles, the measured colours stay.

LONGEST_SIDE = 1_024
"""Pixels to which a picture is made smaller before it is sent: models see no more of it, and it is paid by size."""
MAX_TOKENS = 600
NEAR = 60.0
"""How far (in sRGB of 0 to 255) a colour that the model names may be from one that was measured."""

_JSON = re.compile(r"\{.*\}", re.DOTALL)
_HEX = r"^#[0-9a-fA-F]{6}$"


class SeenStyle(BaseModel):
    """The model's answer. Colours are only asked for to learn which of the measured ones has which part."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    primary: str | None = Field(default=None, pattern=_HEX)
    background: str | None = Field(default=None, pattern=_HEX)
    font: Literal["sans-serif", "serif", "slab", "rounded", "monospace"] | None = None
    scale: Literal["compact", "normal", "spacious"] | None = None
    radius: Radius | None = None
    spacing: Spacing | None = None
    shadow: Shadow | None = None
    style: Style | None = None


FONT_FAMILIES = {
    "sans-serif": "system-ui, sans-serif",
    "serif": "Georgia, serif",
    "slab": "Rockwell, serif",
    "rounded": "ui-rounded, sans-serif",
    "monospace": "ui-monospace, monospace",
}


def vision_request(prompt: str, data: bytes, palette: Sequence[Swatch], model: str) -> ModelRequest:
    """The request that shows a model the image and the colours that were measured in it."""
    measured = json.dumps({"measured_colors": [swatch.hex for swatch in palette]})
    messages = [Message.system(prompt), Message.user(measured, images=[small_data_url(data)])]
    return ModelRequest(messages, model=model, max_tokens=MAX_TOKENS)


def small_data_url(data: bytes) -> str:
    """The picture as a JPEG of at most `LONGEST_SIDE` pixels, in a data URL; the same picture gives the same text."""
    with open_image(data) as picture:
        picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
        buffer = io.BytesIO()
        picture.convert("RGB").save(buffer, "JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


def read_seen(answer: str) -> SeenStyle | Unusable:
    """The JSON object of an answer; words and fences around it are left out."""
    found = _JSON.search(answer)
    if found is None:
        return Unusable("The answer holds no JSON object.")
    try:
        return SeenStyle.model_validate(json.loads(found[0]))
    except (ValueError, ValidationError) as error:
        return Unusable(f"The answer is not the JSON object that was asked for: {str(error)[:300]}")


def believe(tokens: StyleTokens, seen: SeenStyle, palette: Sequence[Swatch]) -> StyleTokens:
    """The tokens with what was seen: instead of what was assumed, never instead of what was measured."""
    changes: dict[str, Any] = {}
    for name in ("radius", "spacing", "shadow", "style"):
        value = getattr(seen, name)
        if value is not None and name in tokens.assumed:
            changes[name] = value
    if seen.font is not None:
        changes["typography"] = {
            "fontFamily": FONT_FAMILIES[seen.font],
            "scale": seen.scale or tokens.typography["scale"],
        }
    colors = dict(tokens.colors)
    for part, wanted in (("primary", seen.primary), ("background", seen.background)):
        measured = _nearest(wanted, palette)
        if measured is not None:
            colors[part] = measured.hex
    changes["colors"] = colors
    changes["assumed"] = tuple(name for name in tokens.assumed if name not in changes)
    return tokens.model_copy(update=changes)


def _nearest(wanted: str | None, palette: Sequence[Swatch]) -> Swatch | None:
    """The measured colour that the model means, or None when it has invented one."""
    if wanted is None:
        return None
    named = [int(wanted[at : at + 2], 16) for at in (1, 3, 5)]

    def distance(swatch: Swatch) -> float:
        return math.dist(named, (swatch.red, swatch.green, swatch.blue))

    best = min(palette, key=distance, default=None)
    return best if best is not None and distance(best) <= NEAR else None
