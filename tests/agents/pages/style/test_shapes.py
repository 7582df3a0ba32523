"""Boxes of known roundness and distance, drawn by Pillow and by a browser."""

import asyncio
import io
import random
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from loopwright.agents.pages.style.shapes import measure_shapes, read_palette
from loopwright.agents.pages.style.tokens import make_tokens
from tests.agents.pages.style.pictures import flat, poster
from tests.support.browser import find_chromium, shared_chromium


def cards(radius: int, gap: int, *, scale: int = 2, size: tuple[int, int] = (430, 932)) -> bytes:
    """White cards on light grey, each with a line of text and a button; lengths in CSS pixels."""
    picture = Image.new("RGB", (size[0] * scale, size[1] * scale), "#F4F4F8")
    pen = ImageDraw.Draw(picture)
    top = 20
    while top + 100 < size[1]:
        box = (20 * scale, top * scale, (size[0] - 20) * scale, (top + 100) * scale)
        pen.rounded_rectangle(box, radius * scale, fill="white")
        pen.rectangle((40 * scale, (top + 30) * scale, 250 * scale, (top + 38) * scale), fill="#333333")
        top += 100 + gap
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(("radius", "word"), [(0, "none"), (5, "small"), (12, "medium"), (24, "large"), (50, "full")])
@pytest.mark.parametrize(("gap", "spacing"), [(8, "compact"), (14, "normal"), (24, "airy")])
def test_roundness_and_distance_are_measured(radius: int, word: str, gap: int, spacing: str) -> None:
    data = cards(radius, gap)
    shapes = measure_shapes(data)
    assert shapes.radius == pytest.approx(radius, abs=1.5)
    assert shapes.gap == pytest.approx(gap, abs=1.5)
    tokens = make_tokens(read_palette(data), shapes)
    assert (tokens.radius, tokens.spacing) == (word, spacing)
    assert set(tokens.assumed) == {"typography", "shadow", "style"}


def test_a_desktop_screenshot_is_measured_in_its_own_pixels() -> None:
    shapes = measure_shapes(cards(16, 24, scale=1, size=(1280, 800)))
    assert shapes.radius == pytest.approx(16, abs=2.5)
    assert shapes.gap == pytest.approx(24, abs=3)


def test_what_has_no_boxes_is_not_measured() -> None:
    noise = Image.frombytes("RGB", (400, 800), random.Random(3).randbytes(400 * 800 * 3))
    buffer = io.BytesIO()
    noise.save(buffer, "PNG")
    for data in (flat("#FFFFFF"), poster(), buffer.getvalue()):
        shapes = measure_shapes(data)
        assert (shapes.radius, shapes.gap) == (None, None)
        assert {"radius", "spacing"} <= set(make_tokens(read_palette(data), shapes).assumed)


@pytest.mark.browser
@pytest.mark.parametrize(("radius", "gap"), [(0, 10), (6, 16), (14, 14), (22, 24)])
async def test_a_real_screenshot(tmp_path: Path, radius: int, gap: int) -> None:
    card = "<article><h2>A card of the app</h2><p>With a few words of text in it, as cards have.</p></article>"
    html = (
        "<!doctype html><style>body{margin:20px;background:#eef1f6;font:16px sans-serif}article{background:#fff;"
        f"padding:16px;border-radius:{radius}px;margin-bottom:{gap}px}}</style>{card * 5}"
    )
    chromium = shared_chromium(find_chromium())

    async def shoot() -> bytes:
        browser = await chromium.started()
        page = await browser.new_page(viewport={"width": 430, "height": 932}, device_scale_factor=2)
        try:
            await page.set_content(html)
            data: bytes = await page.screenshot()
            return data
        finally:
            await page.close()

    shapes = measure_shapes(await asyncio.wrap_future(chromium.submit(shoot())))
    assert shapes.radius == pytest.approx(radius, abs=1.5 + radius / 20)  # edges are smoothed
    assert shapes.gap == pytest.approx(gap, abs=1.5)
