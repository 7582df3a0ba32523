"""What a model with eyes says of an image, and how far it is believed: it names roles, the measured colours stay."""

import base64
import io
import json
import math
import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.style.opening import open_image
from loopwright.agents.pages.style.palette import Swatch
from loopwright.agents.pages.style.tokens import Radius, Shadow, Spacing, Style, StyleTokens
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest

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
