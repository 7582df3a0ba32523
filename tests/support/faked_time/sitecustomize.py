"""For each Python process at another moment: a `time.sleep` that works there.

libfaketime 0.9.10 answers `clock_nanosleep`, by which Python sleeps, with EINVAL while the monotonic clock stays true.
"""

import select
import time


def _sleep(seconds: float) -> None:
    select.select((), (), (), seconds)


time.sleep = _sleep  # type: ignore[assignment]
