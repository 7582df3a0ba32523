"""Use case: a run asks another agent, and goes on with the same child run after a crash."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopwright.app.agents import register_spec
from loopwright.app.answering import answer_run, cancel_run, claim_for_resume, load_state
from loopwright.app.starting import NewRun, create_run
from loopwright.kernel.children import ChildResult, ChildRun
from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kernel.events import RunFailed
from loopwright.kernel.state import TERMINAL

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

PARENT = "parent"
"""The option of a child run that names the run and the call which asked for it."""


@dataclass(frozen=True)
class Children:
    """The kernel's `ChildRuns` in this application."""

    app: "Loopwright"

    async def carry_on(self, child: ChildRun, answer: Mapping[str, Any] | None, gate_id: str | None) -> ChildResult:
        """See `ChildRuns.carry_on`."""
        register_spec(child.spec)
        self.app.bind(child.run_id, child.spec)
        if child.caller is not None:
            self.app.callers[child.run_id] = child.caller
        try:
            await self._create(child)
            await self._drive(child, answer, gate_id)
        except asyncio.CancelledError:
            await self._cancel_with_parent(child)
            raise
        finally:
            self.app.bound.pop(child.run_id, None)
            self.app.callers.pop(child.run_id, None)
        return await self._result(child.run_id)

    async def _create(self, child: ChildRun) -> None:
        try:
            await self.app.stores.runs.get(child.run_id)
        except NotFound:
            asked_by = {"run_id": child.parent_run_id, "call_id": child.parent_call_id}
            new = NewRun(child.message, agent=child.spec.name, options={PARENT: asked_by}, run_id=child.run_id)
            await create_run(self.app, new)

    async def _drive(self, child: ChildRun, answer: Mapping[str, Any] | None, gate_id: str | None) -> None:
        state = await load_state(self.app, child.run_id)
        if state.status in TERMINAL:
            return
        if state.open_gate is None:
            claim = await claim_for_resume(self.app, child.run_id)
            await self.app.dispatcher.drive(child.run_id, claim, "asked by another run")
        elif answer is not None and state.open_gate.gate_id == gate_id:
            answered = await answer_run(self.app, child.run_id, dict(answer), gate_id=gate_id)
            await self.app.dispatcher.drive(child.run_id, answered, "answered")

    async def _cancel_with_parent(self, child: ChildRun) -> None:
        """A run that the user cancels takes the child with it; one whose process ends leaves it to be resumed."""
        parent = await self.app.stores.runs.get(child.parent_run_id)
        if parent.cancel_requested:
            await cancel_run(self.app, child.run_id)

    async def _result(self, run_id: str) -> ChildResult:
        state = await load_state(self.app, run_id)
        if state.open_gate is not None:
            return ChildResult(success=False, text=state.open_gate.title, gate=state.open_gate, spent=state.spent)
        if state.status not in TERMINAL:
            raise Conflict(
                f"Run {run_id} of the agent {state.agent!r} did not come to rest here: it is {state.status}.",
                hint=f"See loopwright runs show {run_id}.",
            )
        (last,) = await self.app.stores.journal.read(run_id, state.seq - 1)
        if state.status == "completed":
            return ChildResult(success=True, text=last.payload["text"], spent=state.spent)
        told = last.payload["message"] if last.type == RunFailed.type else "The run was cancelled."
        return ChildResult(success=False, text=told, spent=state.spent)
