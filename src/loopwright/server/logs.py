"""Logs that a client cannot fill: what repeats is counted instead of written."""

import logging
import time
from dataclasses import dataclass

WINDOW_SECONDS = 10.0
MOST_PATH = 200


@dataclass
class _Window:
    began: float
    written: int = 0
    dropped: int = 0


class Sparing(logging.Filter):
    """Lets a number of records of the same template through in each window, and says how many it kept back."""

    def __init__(self, most: int) -> None:
        """`most` records of one template in ten seconds are written."""
        super().__init__()
        self._most = most
        self._windows: dict[str, _Window] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; the first of a new window tells what the last one left out."""
        now, template = time.monotonic(), str(record.msg)
        window = self._windows.get(template)
        if window is None or now - window.began > WINDOW_SECONDS:
            dropped = window.dropped if window else 0
            window = self._windows[template] = _Window(now)
            if dropped:
                record.msg = f"{template} [{dropped} more like it were not written]"
        if window.written >= self._most:
            window.dropped += 1
            return False
        window.written += 1
        return True


class Short(logging.Filter):
    """Cuts the texts of access records, whose paths come from anybody."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record passes."""
        if isinstance(record.args, tuple):
            record.args = tuple(
                f"{each[:MOST_PATH]}…" if isinstance(each, str) and len(each) > MOST_PATH else each
                for each in record.args
            )
        return True


def keep_logs_small() -> None:
    """Spare the logs of uvicorn; call it after uvicorn has set them up."""
    for name, most in (("uvicorn.error", 20), ("uvicorn.access", 500)):
        logger = logging.getLogger(name)
        for former in [each for each in logger.filters if isinstance(each, Sparing | Short)]:
            logger.removeFilter(former)
        logger.addFilter(Sparing(most))
        logger.addFilter(Short())
