"""Runs of other agents that a tool call asks for: each with its own journal and limits, found again by the call."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from loopwright.kernel.budget import Budget, Spent
from loopwright.kernel.events import ChildCharged
from loopwright.kernel.gates import Gate
from loopwright.kernel.state import TERMINAL

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun
    from loopwright.kernel.spec import AgentSpec


@dataclass(frozen=True)
class ChildRun:
    """What a call asks another agent for. `spec` has the limits that hold for this run.

    `caller` is the budget of the run that asks: what this one spends counts there too.
    """

    spec: "AgentSpec"
    message: str
    parent_run_id: str
    parent_call_id: str
    caller: Budget | None = field(default=None, compare=False, repr=False)

    @property
    def run_id(self) -> str:
        """The same for every attempt of the call, so that a crash makes no second run: 32 hexadecimal digits."""
        return child_run_id(self.parent_run_id, self.parent_call_id)


def child_run_id(parent_run_id: str, parent_call_id: str) -> str:
    """The id that the run has which this call asks for, if it asks for one."""
    return hashlib.sha256(f"{parent_run_id}:{parent_call_id}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class ChildResult:
    """Where a child run has come to rest: at its end, or at a `gate` that a human has to answer.

    `text` is its last word; of a run that has not succeeded, what went wrong. `spent` is all that it has spent so far.
    """

    success: bool
    text: str
    gate: Gate | None = None
    spent: Spent = field(default_factory=Spent)


class ChildRuns(Protocol):
    """Carries child runs on; the application implements it."""

    async def carry_on(self, child: ChildRun, answer: Mapping[str, Any] | None, gate_id: str | None) -> ChildResult:
        """Find or start the run, and carry it on to its end or to a gate.

        Args:
            child: what is asked for.
            answer: what a human has said at the child's gate, or None.
            gate_id: which gate that was; where it is open no longer, the answer is not used.

        Raises:
            Conflict: another process carries the run on.
        """
        ...


class ChargedChildren:
    """The `ChildRuns` of one call: what they spend is journalled by the run that asks, and counts in its budget.

    The event is stored with the call's result, or with the gate on which it rests; it tells the whole, so that an
    attempt after a crash tells the same again and nothing is counted twice.
    """

    def __init__(self, run: "AgentRun", call_id: str, children: ChildRuns) -> None:
        """Ask for the call of this run."""
        self._run = run
        self._call_id = call_id
        self._children = children

    async def carry_on(self, child: ChildRun, answer: Mapping[str, Any] | None, gate_id: str | None) -> ChildResult:
        """See `ChildRuns.carry_on`."""
        budget = self._run.budget
        try:
            result = await self._children.carry_on(replace(child, caller=budget), answer, gate_id)
            budget.count_child(child.run_id, result.spent)
        finally:
            self._tell(child.run_id, budget.children.get(child.run_id))
        return result

    def _tell(self, run_id: str, spent: Spent | None) -> None:
        state = self._run.state
        if spent is None or spent == state.children.get(run_id) or state.status in TERMINAL:
            return
        told = ChildCharged(
            call_id=self._call_id,
            run_id=run_id,
            steps=spent.steps,
            tokens=spent.tokens,
            usd=spent.usd,
            usd_known=spent.usd_known,
        )
        self._run.defer(told)
