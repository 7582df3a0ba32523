"""Steps in the pages of a sample app, in one browser page after another."""

from pathlib import Path
from typing import Any

from tests.agents.pages.offline.studio.sample_apps import SampleApp
from tests.support.browser import evaluate_in_chromium

HELP = """
const $ = (selector) => document.querySelector(selector);
const $$ = (selector) => Array.from(document.querySelectorAll(selector));
const tap = (selector) => $(selector).click();
const fill = (selector, text) => { const field = $(selector); field.value = text;
  ['input', 'change'].forEach((name) => field.dispatchEvent(new Event(name, {bubbles: true}))); };
const tick = () => new Promise((done) => setTimeout(done, 30));
"""


async def steps(app: SampleApp, slug: str, folder: Path, script: str) -> Any:
    """Carry out the script on a page of the app and return what it returns."""
    page = app.write(folder, slug) / f"{slug}.html"
    return await evaluate_in_chromium(page, f"async () => {{ {HELP} {script} }}")
