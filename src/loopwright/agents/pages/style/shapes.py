"""The shapes of a screenshot, measured: how round its boxes are, and how far they stand apart."""

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING, cast

from loopwright.agents.pages.colour import Colour, contrast
from loopwright.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from PIL.Image import Image


# Opening pictures that nobody vouches for.

MAX_PIXELS = 50_000_000
"""A picture that claims to be larger is refused before it is unpacked."""


def open_image(data: bytes) -> "Image":
    """The picture, unpacked.

    Raises:
        InvalidInput: this is no image that can be opened, or it is too large.
    """
    import PIL.Image

    try:
        picture = PIL.Image.open(io.BytesIO(data))
        if picture.width * picture.height > MAX_PIXELS:
            raise InvalidInput(f"The image has {picture.width} × {picture.height} pixels; that is too large.")
        picture.load()
    except InvalidInput:
        raise
    except Exception as error:  # Pillow raises many kinds on hostile files; each means: not a usable picture
        raise InvalidInput(
            f"This is not an image that can be opened ({type(error).__name__}).", hint="Use PNG, JPEG, WebP or GIF."
        ) from error
    return picture


# The colours of an image, measured: median cut with k-means on a small thumbnail.

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


PHONE_WIDTH = 430
"""CSS pixels across a phone's screenshot; a picture at least this much taller than wide counts as one."""
PHONE_RATIO = 1.2
DESKTOP_WIDTH, DESKTOP_SCALE = 640, 2.0
"""Any other picture is measured at this width; a pixel then stands for two of a screen of 1,280."""

MOST_RUNS = 200_000
"""Runs of equal pixels beyond which a picture is a photograph, which has no boxes."""
COLOURS = 16
LEAST_SIDE = 24
"""Pixels below which a shape is text or an icon, not a box."""
MOST_BOXES = 200
CORNER_LOSS = 1 - math.pi / 4
"""The share of a square of the radius that a round corner leaves out."""
FULLNESS = 0.76
"""A box fills at least this share of its bounds: a circle fills π/4, a triangle half."""


@dataclass(frozen=True)
class Shapes:
    """What was measured, in CSS pixels; None where too few boxes were found to tell.

    `pill` says that most boxes are as round as they can be.
    """

    boxes: int
    radius: float | None
    pill: bool
    gap: float | None


@dataclass
class _Region:
    """A connected region of one colour: by row, its leftmost and rightmost pixel (exclusive)."""

    rows: dict[int, tuple[int, int]] = field(default_factory=dict)
    size: int = 0

    def add(self, row: int, start: int, end: int) -> None:
        left, right = self.rows.get(row, (start, end))
        self.rows[row] = (min(left, start), max(right, end))
        self.size += end - start


@dataclass(frozen=True)
class _Box:
    left: int
    top: int
    right: int
    bottom: int
    radius: float

    @property
    def is_pill(self) -> bool:
        return self.radius >= 0.42 * min(self.right - self.left, self.bottom - self.top)


def measure_shapes(data: bytes) -> Shapes:
    """Measure a picture: boxes of one colour on another, their corners and the gaps between those below one another.

    Raises:
        InvalidInput: this is no image that can be opened, or it is too large.
    """
    with open_image(data) as picture:
        image, scale = _sized(picture)
    width, height = image.size
    boxes = [box for region in _regions(image) if (box := _as_box(region, width, height)) is not None][:MOST_BOXES]
    if len(boxes) < 2:
        return Shapes(len(boxes), None, pill=False, gap=None)
    pills = sum(box.is_pill for box in boxes)
    corners = [box.radius for box in boxes if not box.is_pill] or [box.radius for box in boxes]
    gaps = list(_gaps(boxes, width))
    return Shapes(
        boxes=len(boxes),
        radius=round(median(corners) * scale, 1),
        pill=pills > len(boxes) / 2,
        gap=round(median(gaps) * scale, 1) if gaps else None,
    )


def _sized(picture: "Image") -> tuple["Image", float]:
    """The picture in few flat colours, at a width where a pixel has a known size in CSS pixels."""
    from PIL.Image import Dither, Quantize, Resampling

    phone = picture.height >= PHONE_RATIO * picture.width
    width = PHONE_WIDTH if phone else DESKTOP_WIDTH
    height = min(max(1, round(picture.height * width / picture.width)), 4 * width)
    resized = picture.convert("RGB").resize((width, height), Resampling.BOX)
    return resized.quantize(COLOURS, method=Quantize.MEDIANCUT, dither=Dither.NONE), 1.0 if phone else DESKTOP_SCALE


def _regions(image: "Image") -> list[_Region]:
    """The regions of one colour that hang together, by runs of equal pixels, the largest first."""
    width, height = image.size
    pixels = image.tobytes()
    parents: list[int] = []

    def root(label: int) -> int:
        while parents[label] != label:
            parents[label] = parents[parents[label]]
            label = parents[label]
        return label

    runs: list[tuple[int, int, int, int]] = []  # row, start, end, label
    above: list[tuple[int, int, int, int]] = []  # start, end, colour, label
    for row in range(height):
        here: list[tuple[int, int, int, int]] = []
        start, first = 0, 0
        for colour, group in groupby(pixels[row * width : (row + 1) * width]):
            end = start + sum(1 for _ in group)
            label = -1
            while first < len(above) and above[first][1] <= start:
                first += 1
            for other_start, _, other_colour, other in above[first:]:
                if other_start >= end:
                    break
                if other_colour == colour:
                    if label < 0:
                        label = root(other)
                    else:
                        parents[root(other)] = label
            if label < 0:
                label = len(parents)
                parents.append(label)
            here.append((start, end, colour, label))
            runs.append((row, start, end, label))
            start = end
        above = here
        if len(runs) > MOST_RUNS:
            return []
    found: dict[int, _Region] = {}
    for row, start, end, label in runs:
        found.setdefault(root(label), _Region()).add(row, start, end)
    return sorted((r for r in found.values() if r.size >= LEAST_SIDE**2), key=lambda region: -region.size)


def _as_box(region: _Region, width: int, height: int) -> _Box | None:
    """The region as a box with round corners, if it is one that stands free of the picture's edges."""
    top, bottom = min(region.rows), max(region.rows) + 1
    left = min(start for start, _ in region.rows.values())
    right = max(end for _, end in region.rows.values())
    across, down = right - left, bottom - top
    if min(across, down) < LEAST_SIDE or left < 2 or right > width - 2 or top < 2 or bottom > height - 2:
        return None
    if sum(end - start for start, end in region.rows.values()) < FULLNESS * across * down:
        return None
    middle = [region.rows[row] for row in range(top + down * 2 // 5, top + down * 3 // 5) if row in region.rows]
    if not middle or any(end - start < 0.97 * across for start, end in middle):
        return None
    reach = min(across, down) // 2
    ends = [*range(top, top + reach), *range(bottom - reach, bottom)]
    missing = sum(_missing(region.rows.get(row), left, right, reach) for row in ends)
    return _Box(left, top, right, bottom, min(reach, math.sqrt(missing / 4 / CORNER_LOSS)))


def _missing(row: tuple[int, int] | None, left: int, right: int, reach: int) -> int:
    """Pixels that a row lacks at its two ends, no further in than a corner can reach."""
    if row is None:
        return 2 * reach
    return min(reach, row[0] - left) + min(reach, right - row[1])


def _gaps(boxes: Sequence[_Box], width: int) -> Iterator[int]:
    """The distances between boxes that stand below one another with nothing between them."""
    ordered = sorted((box for box in boxes if box.right - box.left > 0.2 * width), key=lambda box: box.top)
    for number, upper in enumerate(ordered):
        below = [
            lower.top - upper.bottom
            for lower in ordered[number + 1 :]
            if lower.top >= upper.bottom and lower.left < upper.right and upper.left < lower.right
        ]
        if below and 0 < min(below) <= 64:
            yield min(below)
