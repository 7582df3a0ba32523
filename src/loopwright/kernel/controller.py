"""The deterministic controller: one table-driven state machine for phases, stages and plan states."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

COMPLETE = "complete"
ABORTED = "aborted"
TERMINAL_STAGES = frozenset({COMPLETE, ABORTED})
ANY = "*"

Guard = Callable[[Any], Awaitable[str | None]]
"""Given the run, gives the reason why a transition may not be taken now, or None."""


@dataclass(frozen=True)
class Transition:
    """One row of the table: in `source` (or any stage, `*`), `signal` leads to `target` unless the guard objects."""

    source: str
    signal: str
    target: str
    guard: Guard | None = None


@dataclass(frozen=True)
class Move:
    """The controller goes on to `target`."""

    target: str


@dataclass(frozen=True)
class Refusal:
    """The controller stays; `reason` is told to whoever asked."""

    reason: str


class Controller:
    """A transition table with guards.

    Raises:
        ValueError: a row names a stage that does not exist, or two rows have the same source and signal.
    """

    def __init__(self, stages: Sequence[str], transitions: Sequence[Transition]) -> None:
        """Check and index the table."""
        self.stages = tuple(stages)
        self.transitions = tuple(transitions)
        known = set(stages) | TERMINAL_STAGES
        self._rows: dict[tuple[str, str], Transition] = {}
        for row in transitions:
            if (row.source != ANY and row.source not in stages) or row.target not in known:
                raise ValueError(f"transition {row.source} → {row.target} names an unknown stage")
            if (row.source, row.signal) in self._rows:
                raise ValueError(f"two transitions for {row.source} on {row.signal!r}")
            self._rows[row.source, row.signal] = row

    def row(self, stage: str, signal: str) -> Transition | None:
        """The row that applies: one of the stage itself before one of any stage."""
        return self._rows.get((stage, signal)) or self._rows.get((ANY, signal))

    async def decide(self, stage: str, signal: str, run: Any) -> Move | Refusal:
        """What the signal does in this stage; a signal without a row is refused, and so is any after the end."""
        if stage in TERMINAL_STAGES:
            return Refusal(f"The run has ended ({stage}).")
        row = self.row(stage, signal)
        if row is None:
            return Refusal(f"{signal!r} is not possible in stage {stage!r}.")
        reason = await row.guard(run) if row.guard else None
        return Refusal(reason) if reason else Move(row.target)

    def mermaid(self, entry: Sequence[str]) -> str:
        """The table as a Mermaid state diagram."""
        lines = ["stateDiagram-v2", *(f"    [*] --> {stage}" for stage in entry)]
        for row in self.transitions:
            sources = [stage for stage in self.stages if self.row(stage, row.signal) is row]
            note = f"{row.signal} [guarded]" if row.guard else row.signal
            lines += [f"    {source} --> {row.target} : {note}" for source in sources]
        used = {row.target for row in self.transitions} & TERMINAL_STAGES
        lines += [f"    {stage} --> [*]" for stage in sorted(used)]
        return "\n".join(lines)
