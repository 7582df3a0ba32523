"""Which browser of this machine is used, and with which switches."""

import os
from functools import cache
from importlib.util import find_spec

from loopwright.agents.pages.browser.errors import BrowserUnavailable
from loopwright.kernel.programs import find_program

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Names under which distributions install it, the free one first."""

NO_CHROMIUM = "There is no Chromium on the PATH."
NO_PLAYWRIGHT = "Playwright is not installed."

SWITCHES = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    # Whatever is not answered by the given files meets a proxy that nobody runs, loopback included, and names are not
    # resolved: a page cannot reach anything, whichever interface it tries.
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # WebRTC heeds no proxy unless it is told to; Chromium has renamed the switch, and ignores what it does not know.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


def find_chromium(configured: str | None = None) -> str:
    """The path of the browser.

    Args:
        configured: name or path that the user has set; None looks for the usual names on the PATH.

    Raises:
        BrowserUnavailable: there is none, or Playwright, which drives it, is not installed.
    """
    if not playwright_is_installed():
        raise BrowserUnavailable(NO_PLAYWRIGHT, hint="Install it: pip install 'loopwright[browser]'.")
    names = (configured,) if configured else NAMES
    found = next((path for name in names if (path := find_program(name, outside=None))), None)
    if found is None:
        message = f"{configured!r} is no program." if configured else NO_CHROMIUM
        raise BrowserUnavailable(message, hint="Install Chromium, or name one: LOOPWRIGHT_CHROMIUM=/path/to/chromium.")
    return str(found)


@cache
def playwright_is_installed() -> bool:
    """Whether the driver can be imported; it is not imported to find out."""
    return find_spec("playwright") is not None


def can_use_sandbox() -> bool:
    """Whether Chromium may be asked for its own sandbox: it refuses to make one for root."""
    return os.geteuid() != 0
