"""What a page turned out to be like in the browser."""

from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

VIEWPORT_WIDTH = 430
VIEWPORT_HEIGHT = 932
"""CSS pixels of the phone that pages are made for."""
MINIMUM_TARGET = 44
MINIMUM_TEXT = 12
MINIMUM_FIELD_TEXT = 16
MINIMUM_LETTERS = 20
"""Visible letters below which a page counts as blank."""


class Measured(BaseModel):
    """A frozen record of figures."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SmallTarget(Measured):
    """A target that a thumb misses; sizes in CSS pixels."""

    selector: str
    width: float
    height: float


class SmallText(Measured):
    """Text too small to read, or a field at which phones zoom in; sizes in CSS pixels."""

    selector: str
    size: float
    required: float


class Overlap(Measured):
    """Something that cannot be reached or read because something fixed lies over it."""

    selector: str
    covered_by: str


class PageMeasurement(Measured):
    """Figures of one page in a phone's window, and what went wrong since it was opened."""

    url: str
    title: str
    inner_width: int
    """Width of the layout viewport on a phone: 430 only where the viewport meta is right."""
    overflow: int
    """Pixels by which the page is wider than the screen, the greater of the phone's and a plain window's."""
    overflowing: tuple[str, ...]
    """The innermost elements that stick out."""
    letters: int
    """Visible characters of text."""
    target_count: int
    small_targets: tuple[SmallTarget, ...]
    small_text: tuple[SmallText, ...]
    invisible_text: tuple[str, ...]
    """Elements whose own text has the colour of its ground."""
    covered: tuple[Overlap, ...]
    """Targets under a fixed bar at the end of the page, and fixed bars that lie over each other."""
    broken_images: tuple[str, ...]
    scrollbar_width: int
    """Pixels that a visible scrollbar takes in a plain window; 0 where it is hidden."""
    content_width: int
    """Width of the widest box of the content in a desktop window."""
    console_errors: tuple[str, ...]
    """Errors on the console and exceptions that no script caught."""
    failed_requests: tuple[str, ...]
    """Addresses that are none of the given files; nothing was sent there."""
    links: tuple[str, ...]
    """Addresses of all links."""


@cache
def measuring_script() -> str:
    """The function that runs inside the page."""
    return resources.files(__package__ or "").joinpath("measure.js").read_text(encoding="utf-8")


def measuring_arguments() -> dict[str, int]:
    """What the script compares with."""
    return {"minimumTarget": MINIMUM_TARGET, "minimumText": MINIMUM_TEXT, "minimumFieldText": MINIMUM_FIELD_TEXT}
