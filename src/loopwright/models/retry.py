"""Trying again: how often, how long, and when to stop."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from loopwright.kernel.errors import ModelUnavailable
from loopwright.models.failures import AttemptFailed, ConnectionDropped, StillLoading, TookTooLong
from loopwright.models.settings import ModelSettings
from loopwright.models.waiting import backoff_bound

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
                    f"{model} could not be had ({spent}): {failure.reason}", hint=_hint(failure)
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


def _hint(failure: AttemptFailed) -> str:
    if failure.retry_after is not None:
        return f"The endpoint asks to wait {failure.retry_after:.0f} s. Try again then, or name a secondary model."
    return (
        "Check the network and OPENAI_BASE_URL, then send a message in the same session: nothing that was done is lost."
    )
