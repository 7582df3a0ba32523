"""A page with one of everything that a sheet styles: what can be told of a sheet before there is any page."""

from functools import cache
from importlib import resources

PROBED_TARGETS = ("button", "nav a", "input", "select", "textarea")


@cache
def probe_html() -> str:
    """The page's source."""
    return resources.files("loopwright.agents.pages.design").joinpath("probe.html").read_text(encoding="utf-8")
