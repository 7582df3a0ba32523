"""How long to wait before the next attempt: exponential backoff with full jitter, and what the endpoint asks for.

Full jitter (a random time between nothing and the bound) spreads the clients of an endpoint that has just come back;
see M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
"""

import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime


def backoff_bound(attempt: int, first: float, cap: float) -> float:
    """The longest wait after the attempt with this number, counted from 1, in seconds."""
    return float(min(cap, first * 2 ** min(attempt - 1, 30)))


def retry_after_seconds(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """The wait that `retry-after-ms` or `Retry-After` (seconds or an HTTP date, RFC 9110) asks for, or None.

    `now` is Unix time. A value that cannot be read is as good as none.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            return max(0.0, float(value) * unit)
        except ValueError:
            pass
        try:
            date = parsedate_to_datetime(value)
        except ValueError:
            continue
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        return max(0.0, date.timestamp() - (time.time() if now is None else now))
    return None
