"""Arms a named crash point from the settings, so that tests can kill a real process at it."""

import os
import signal

from loopwright.kernel.crash import arm
from loopwright.kernel.errors import Misconfigured


def arm_from(setting: str | None) -> None:
    """Take `point` or `point:hits`; the process then kills itself there with SIGKILL.

    Raises:
        Misconfigured: there is no such point.
    """
    if not setting:
        return
    name, _, hits = setting.partition(":")
    try:
        arm(name, lambda: os.kill(os.getpid(), signal.SIGKILL), int(hits or 1))
    except ValueError as error:
        raise Misconfigured(f"LOOPWRIGHT_CRASH_AT: {error}") from error
