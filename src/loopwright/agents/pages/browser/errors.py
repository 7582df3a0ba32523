"""What goes wrong with a browser, named by what its caller can do about it.

BrowserFailed             the browser: what was asked for is not known, the run goes on without it
├── BrowserUnavailable    there is none, or it does not start
└── ActionFailed          the page: no such element, covered, no answer in time; a finding about the page
"""

from loopwright.kernel.errors import LoopwrightError


class BrowserFailed(LoopwrightError):
    """The browser crashed or does not answer; the next page gets a new one."""

    code = "browser_failed"


class BrowserUnavailable(BrowserFailed):
    """No browser can be started here; the hint says what is missing."""

    code = "browser_unavailable"


class ActionFailed(BrowserFailed):
    """The page did not let itself be used in this way, as the message tells."""

    code = "action_failed"
