"""The heartbeat: tells other processes that this one lives, from a thread of its own.

A process whose event loop is merely busy goes on beating. One whose loop has stood still for three beats is taken for
hung and falls silent; its runs are free when a lease of four beats is over, two leases after it hung at the latest.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence

log = logging.getLogger(__name__)

LEASE_BEATS = 4
"""Beats that make a lease: three may be lost."""

HUNG_BEATS = 3
"""Beats without a turn of the event loop after which this process is taken for hung."""


class Heart:
    """Beats while the event loop turns."""

    def __init__(
        self, beat: Callable[[Sequence[str]], None], held: Callable[[], Sequence[str]], seconds: float
    ) -> None:
        """Nothing beats before `start`.

        Args:
            beat: tells the store that the owner of these runs lives; called from the thread, must not block it.
            held: the runs that this process owns; called from the thread.
            seconds: between two beats.
        """
        self._beat = beat
        self._held = held
        self._seconds = seconds
        self._turned = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="loopwright-heart", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def turn(self) -> None:
        """The event loop has turned; to be called by it at least once per beat."""
        self._turned = time.monotonic()

    def stop(self) -> None:
        """Beat no more."""
        self._over.set()

    def _run(self) -> None:
        hung = False
        while not self._over.wait(self._seconds):
            silence = time.monotonic() - self._turned
            if silence > HUNG_BEATS * self._seconds:
                if not hung:
                    log.error("the event loop has stood still for %.1f s: this process gives its runs up", silence)
                hung = True
                continue
            hung = False
            if run_ids := self._held():
                self._beat(run_ids)
