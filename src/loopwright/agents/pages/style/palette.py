"""The colours of an image, measured: median cut with k-means on a small thumbnail."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from loopwright.agents.pages.colour.colour import Colour, contrast
from loopwright.agents.pages.style.opening import open_image

if TYPE_CHECKING:
    from PIL.Image import Image

COLORS = 6
KMEANS_ROUNDS = 3
THUMBNAIL = 200
TWIN_DISTANCE = 24


@dataclass(frozen=True)
class Swatch:
    """A colour and the share of the image that it covers."""

    red: int
    green: int
    blue: int
    share: float

    @property
    def hex(self) -> str:
        """As `#RRGGBB`."""
        return f"#{self.red:02X}{self.green:02X}{self.blue:02X}"

    @property
    def luminance(self) -> float:
        """The relative luminance of WCAG 2.2, 0 to 1."""
        return self._colour.luminance

    @property
    def chroma(self) -> float:
        """How far the colour is from grey, 0 to 1: the distance of the largest and the smallest channel."""
        return (max(self.red, self.green, self.blue) - min(self.red, self.green, self.blue)) / 255

    def contrast(self, other: "Swatch") -> float:
        """The contrast ratio of WCAG 2.2, 1 to 21."""
        return contrast(self._colour, other._colour)

    @property
    def _colour(self) -> Colour:
        return Colour(self.red / 255, self.green / 255, self.blue / 255)


def read_palette(data: bytes) -> list[Swatch]:
    """Up to six colours of an image, the most frequent first.

    Raises:
        InvalidInput: this is no image that can be opened, or it is too large.
    """
    with open_image(data) as picture:
        picture.thumbnail((THUMBNAIL, THUMBNAIL))
        flat = _without_transparency(picture)
    quantized = flat.quantize(COLORS, method=_median_cut(), kmeans=KMEANS_ROUNDS)
    colors = quantized.getpalette() or []
    counts = sorted(quantized.getcolors() or [], reverse=True)
    total = sum(count for count, _ in counts)
    swatches: list[Swatch] = []
    for count, index in counts:
        red, green, blue = colors[3 * cast("int", index) :][:3]
        _add(swatches, Swatch(red, green, blue, count / total))
    return sorted(swatches, key=lambda swatch: -swatch.share)


def _add(swatches: list[Swatch], new: Swatch) -> None:
    """Count a colour with one already there that the eye takes for the same: blurred edges make such twins."""
    for place, old in enumerate(swatches):
        distance = (new.red - old.red) ** 2 + (new.green - old.green) ** 2 + (new.blue - old.blue) ** 2
        if distance < TWIN_DISTANCE**2:
            swatches[place] = replace(old, share=old.share + new.share)
            return
    swatches.append(new)


def _without_transparency(picture: "Image") -> "Image":
    """On white, as a page shows it."""
    import PIL.Image

    layered = picture.convert("RGBA")
    ground = PIL.Image.new("RGBA", layered.size, "white")
    ground.alpha_composite(layered)
    return ground.convert("RGB")


def _median_cut() -> int:
    from PIL.Image import Quantize

    return int(Quantize.MEDIANCUT)
