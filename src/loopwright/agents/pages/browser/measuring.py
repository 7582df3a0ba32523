"""Measuring a page: on a phone, then in a plain window of the same size, then on a desktop."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loopwright.agents.pages.browser.measurement import (
    VIEWPORT_HEIGHT,
    VIEWPORT_WIDTH,
    PageMeasurement,
    measuring_arguments,
    measuring_script,
)

if TYPE_CHECKING:
    from loopwright.agents.pages.browser.browser import Browser
    from loopwright.agents.pages.browser.page import BrowserPage

DESKTOP_WIDTH, DESKTOP_HEIGHT = 1280, 300
"""Low, so that a page of any length scrolls, and a scrollbar that is not hidden shows."""
WINDOW_FIGURES = (
    """() => Math.max(document.documentElement.scrollWidth, document.body?.scrollWidth ?? 0) - innerWidth"""
)
DESKTOP_FIGURES = """() => {
  // What shows of an element's own text: boxes that scroll or clip cut it off.
  const shown = (element) => {
    const range = document.createRange();
    const boxes = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())
      .map((node) => (range.selectNode(node), range.getBoundingClientRect()));
    let left = Math.max(0, Math.min(...boxes.map((box) => box.left)));
    let right = Math.min(innerWidth, Math.max(...boxes.map((box) => box.right)));
    for (let step = element; step && step !== document.body; step = step.parentElement) {
      const style = getComputedStyle(step);
      if (style.overflowX === "visible" && style.clipPath === "none" && style.clip === "auto") continue;
      const box = step.getBoundingClientRect();
      left = Math.max(left, box.left);
      right = Math.min(right, box.right);
    }
    return { left, right };
  };
  const spans = [...document.querySelectorAll("body, body *:not(script, style, template, option)")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()))
    .filter((element) => element.getBoundingClientRect().bottom + scrollY > 0)
    .map(shown)
    .filter(({ left, right }) => right - left > 1);
  const content = Math.max(...spans.map((span) => span.right)) - Math.min(...spans.map((span) => span.left));
  const scrollbar = innerWidth - document.documentElement.clientWidth;
  return { content: spans.length ? Math.round(content) : 0, scrollbar };
}"""
"""The width is that of the text that shows, from the leftmost letter to the rightmost."""


async def measure(browser: "Browser", files: Mapping[str, str | bytes], start: str) -> PageMeasurement:
    """Figures of one page; that it leaves for elsewhere is one of them.

    With a phone's emulation a page without viewport meta is laid out 980 pixels wide and does not overflow: a plain
    window of the phone's size does not hide it, and a desktop's window shows whether the content stays a column.

    Raises:
        BrowserUnavailable: no browser can be started here.
        BrowserFailed: it crashed.
        ActionFailed: the page does not load, or a script keeps it busy.
    """
    async with browser.page(files, start) as page:
        phone = await phone_figures(page)
        return assemble(phone, await window_figures(page))


async def phone_figures(page: "BrowserPage") -> dict[str, Any]:
    """What a person with a phone meets, and what went wrong since the page was opened."""
    seen: dict[str, Any] = await page.evaluate(measuring_script(), measuring_arguments())
    return {**seen, **_said(page), "url": page.url()}


async def window_figures(page: "BrowserPage") -> dict[str, int]:
    """How the page behaves in plain windows; the page is no phone any more afterwards."""
    await page.become_window(VIEWPORT_WIDTH, VIEWPORT_HEIGHT)
    overflow = int(await page.evaluate(WINDOW_FIGURES))
    await page.become_window(DESKTOP_WIDTH, DESKTOP_HEIGHT)
    desktop: dict[str, int] = await page.evaluate(DESKTOP_FIGURES)
    return {"overflow": overflow, "content_width": desktop["content"], "scrollbar_width": desktop["scrollbar"]}


def assemble(phone: Mapping[str, Any], window: Mapping[str, int]) -> PageMeasurement:
    """The measurement out of both."""
    overflow = max(int(phone["overflow"]), window["overflow"])
    return PageMeasurement.model_validate({**phone, **window, "overflow": overflow})


def _said(page: "BrowserPage") -> dict[str, tuple[str, ...]]:
    """What the page complained of, each once; a refused request is told by its address, not by the console too."""
    errors = [text for text in page.console_errors if not text.startswith("Failed to load resource")]
    return {
        "console_errors": tuple(dict.fromkeys(errors)),
        "failed_requests": tuple(dict.fromkeys([*page.refused, *page.popups])),
    }
