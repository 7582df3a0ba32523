"""Death in tests: a process that dies at a named point or at an append, and whose memory is lost with it."""

from collections.abc import Collection, Sequence

from loopwright.kernel.events import Payload
from loopwright.kernel.ports import Appended, Claim, RunUpdate
from loopwright.kernel.testing.journal import MemoryJournal


class Death(BaseException):
    """The process is gone: no `except Exception` may survive it."""


class MortalJournal(MemoryJournal):
    """A journal whose process dies at given appends, before or after they are stored, or when `die` is called.

    What a dead process still tries to write is refused; the next claim is made by a new process.
    """

    def __init__(self, *, dies_at: Collection[int] = (), stored: bool = False) -> None:
        """`dies_at` counts stored appends from 1; `stored` says whether a fatal one still reaches the disk."""
        super().__init__()
        self._dies_at = set(dies_at)
        self._stored = stored
        self._dead = False
        self.deaths = 0

    def die(self) -> None:
        """Die now.

        Raises:
            Death: always.
        """
        self._dead = True
        self.deaths += 1
        raise Death

    def claim(self, run_id: str) -> Claim:
        """Take a run over with a new process."""
        self._dead = False
        return super().claim(run_id)

    async def append(
        self, claim: Claim, after_seq: int, payloads: Sequence[Payload], update: RunUpdate | None = None
    ) -> Appended:
        """Append, and die where it was asked for.

        Raises:
            Death: the process died here, or was dead already.
        """
        if self._dead:
            raise Death
        fatal = self.appends + 1 in self._dies_at
        self._dies_at.discard(self.appends + 1)
        if fatal and not self._stored:
            self.die()
        appended = await super().append(claim, after_seq, payloads, update)
        if fatal:
            self.die()
        return appended
