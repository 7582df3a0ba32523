"""How an attempt can fail, how long is waited for the next one, and when to stop."""

import asyncio
import logging
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Final, TypeVar

from pydantic_core import from_json

from loopwright.kernel.errors import ModelRejected, ModelUnavailable
from loopwright.models.settings import ModelSettings

# How long to wait before the next attempt: exponential backoff with full jitter, and what the endpoint asks for.
#
# Full jitter (a random time between nothing and the bound) spreads the clients of an endpoint that has just come back;
# see M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.


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


# How one attempt can fail, and which HTTP answers mean what.
#
# AttemptFailed            worth another try: it becomes `ModelUnavailable` when tries, patience and fallback are spent
# ├── TookTooLong          nothing came in time: tried again once, since the server may still be at work on the first
# ├── StillLoading         a local server reads its weights: waited for without counting the tries └── ConnectionDropped
# closed before a word was said, as servers do with connections kept open: tried again at once
#
# What is not worth another try is `ModelRejected` at once.

PASSING: Final = frozenset({408, 409, 425, 429})
"""Client errors that pass by themselves; every 5xx does as well."""

HINTS: Final[Mapping[int, str]] = {
    401: "Check OPENAI_API_KEY, and that OPENAI_BASE_URL is the endpoint the key belongs to.",
    403: "The key may not use this model or this endpoint; check OPENAI_API_KEY and the MODEL_* settings.",
    404: "Check that OPENAI_BASE_URL ends where /chat/completions begins (mostly in /v1), and the MODEL_* names.",
    413: "The conversation or an image in it is too large for this endpoint.",
}
QUOTA_CODES: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
KEY_LIKE: Final = re.compile(r"\b(?:sk|pk|gsk|xai|key)-[\w*.-]{6,}|(?<=[Bb]earer )\S+")


class AttemptFailed(Exception):
    """An attempt failed for a reason that may pass.

    `retry_after` is how long the endpoint asks to wait, in seconds.
    """

    def __init__(self, reason: str, *, retry_after: float | None = None) -> None:
        """Keep the reason, free of secrets, and how long to wait."""
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after


class TookTooLong(AttemptFailed):
    """Not a byte, or no whole answer, came in time; the connection was closed, so that the server stops its work."""


class StillLoading(AttemptFailed):
    """The server answers, but its model is not in memory yet."""


class ConnectionDropped(AttemptFailed):
    """The other side closed the connection before it answered."""


def redact(text: str, secret: str | None) -> str:
    """The text without the key and without what looks like one: endpoints like to repeat it."""
    if secret:
        text = text.replace(secret, "***")
    return KEY_LIKE.sub("***", text)


def failure_of(
    status: int, headers: Mapping[str, str], body: bytes, *, model: str, endpoint: str, secret: str | None
) -> AttemptFailed | ModelRejected:
    """What an HTTP answer other than 200 means. `headers` have lower-case names."""
    message, code = _told(body)
    said = f": {redact(message, secret)[:1_000]}" if message else ""
    where = f"{endpoint} answered {status} to a request for {model}{said}"
    verdict = headers.get("x-should-retry", "").lower()  # OpenAI's own word on it goes before the status
    if code in QUOTA_CODES and verdict != "true":
        return ModelRejected(where, hint="The account behind OPENAI_API_KEY has no credit left.")
    if 300 <= status < 400:
        target = redact(headers.get("location", "somewhere else"), secret)
        return ModelRejected(where, hint=f"It redirects to {target}: set OPENAI_BASE_URL to its final address.")
    if status == 503 and "loading" in message.lower():
        return StillLoading(where, retry_after=retry_after_seconds(headers))
    passing = status in PASSING or status >= 500
    if verdict in {"true", "false"}:
        passing = verdict == "true"
    if passing:
        return AttemptFailed(where, retry_after=retry_after_seconds(headers))
    return ModelRejected(where, hint=_hint(status, code, message))


def _hint(status: int, code: str, message: str) -> str:
    if code == "context_length_exceeded" or "context length" in message.lower():
        return "The conversation is longer than the model's context; choose a model with a larger one."
    if status == 400 and ("tool" in message.lower() or "function" in message.lower()):
        return "If the model knows no tool calls, set MODEL_TOOLS=schema."
    return HINTS.get(status, "")


def _told(body: bytes) -> tuple[str, str]:
    """The message and the code of an error body, in OpenAI's form or in the ones seen elsewhere."""
    try:
        data: Any = from_json(body)
    except ValueError:
        return " ".join(body[:500].decode("utf-8", "replace").split()), ""
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return str(error), ""
    message = error.get("message") or error.get("detail") or error
    return str(message), str(error.get("code") or error.get("type") or "")


# Trying again: how often, how long, and when to stop.

T = TypeVar("T")

LATE_ATTEMPTS: Final = 1
"""How many attempts that took too long are followed by another."""

logger = logging.getLogger("loopwright.models")


@dataclass(frozen=True)
class Clock:
    """Time and chance, exchangeable in tests. `jitter` gives a number from 0 up to 1."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


async def until_answered(
    attempt: Callable[[float, int], Awaitable[T]],
    model: str,
    settings: ModelSettings,
    clock: Clock,
    deadline_seconds: float,
) -> T:
    """Call `attempt` until it succeeds; it raises `AttemptFailed`.

    It is given the seconds that are left, and how many attempts have taken too long before: such a one is made once
    more, since each makes a slow server read the whole prompt again.

    Raises:
        ModelUnavailable: attempts or time are spent, or the endpoint asks for more patience than we have.
    """
    started = clock.now()
    deadline = started + deadline_seconds
    tried = counted = late = 0
    while True:
        tried += 1
        try:
            return await attempt(deadline - clock.now(), late)
        except AttemptFailed as failure:
            reason = failure.reason
            counted += not isinstance(failure, StillLoading)
            late += isinstance(failure, TookTooLong)
            wait = _wait_before_next(failure, tried, counted, clock.now() - started, settings, clock)
            if late > LATE_ATTEMPTS:
                wait = None
            if wait is None or clock.now() + wait >= deadline:
                spent = f"{tried} attempt{'s' if tried > 1 else ''} in {clock.now() - started:.0f} s"
                raise ModelUnavailable(
                    f"{model} could not be had ({spent}): {failure.reason}", hint=_advice(failure)
                ) from failure
        logger.info("%s: attempt %d failed, next in %.1f s: %s", model, tried, wait, reason)
        await clock.sleep(wait)


def _wait_before_next(
    failure: AttemptFailed, tried: int, counted: int, spent: float, settings: ModelSettings, clock: Clock
) -> float | None:
    """Seconds until the next attempt, or None when there is to be none."""
    if isinstance(failure, StillLoading):
        if spent >= settings.loading_seconds:
            return None
    elif counted >= settings.attempts:
        return None
    if failure.retry_after is not None and failure.retry_after > settings.retry_after_cap_seconds:
        return None
    if isinstance(failure, ConnectionDropped) and tried == 1:
        return 0.0
    jittered = clock.jitter() * backoff_bound(tried, settings.backoff_seconds, settings.backoff_cap_seconds)
    return max(failure.retry_after or 0.0, jittered)


def _advice(failure: AttemptFailed) -> str:
    if failure.retry_after is not None:
        return f"The endpoint asks to wait {failure.retry_after:.0f} s. Try again then, or name a secondary model."
    return (
        "Check the network and OPENAI_BASE_URL, then send a message in the same session: nothing that was done is lost."
    )
