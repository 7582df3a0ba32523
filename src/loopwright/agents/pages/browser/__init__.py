"""A room with a browser: the files of a prototype in headless Chromium, measured and used as a person would.

Playwright (the extra `browser`) drives a Chromium of the system; nothing reaches the network or a profile of the user.
"""

from loopwright.agents.pages.browser.browser import Browser, open_browser
from loopwright.agents.pages.browser.errors import ActionFailed, BrowserFailed, BrowserUnavailable
from loopwright.agents.pages.browser.files import ORIGIN, PageFiles, project_files
from loopwright.agents.pages.browser.measurement import PageMeasurement, SmallTarget
from loopwright.agents.pages.browser.page import BrowserPage

__all__ = [
    "ORIGIN",
    "ActionFailed",
    "Browser",
    "BrowserFailed",
    "BrowserPage",
    "BrowserUnavailable",
    "PageFiles",
    "PageMeasurement",
    "SmallTarget",
    "open_browser",
    "project_files",
]
