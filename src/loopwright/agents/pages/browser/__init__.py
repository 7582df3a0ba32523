"""A browser and its limits: the files of a prototype in headless Chromium, measured and used as a person would.

Playwright (the extra `browser`) drives a Chromium of the system; nothing reaches the network or a profile of the user.
"""

from loopwright.agents.pages.browser.browser import Browser, PageMeasurement, SmallTarget, open_browser
from loopwright.agents.pages.browser.errors import ActionFailed, BrowserFailed, BrowserUnavailable
from loopwright.agents.pages.browser.page import ORIGIN, BrowserPage, PageFiles, project_files

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
